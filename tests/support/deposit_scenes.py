"""What the tests of the deposit machines share: a deposit, its answers, and short ways to make inputs of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from schemas.events.decisions import DecisionRecorded
from schemas.events.deposits import DepositConfirmed, DepositDetected, DepositRetracted, DepositSettled
from tests.support.events import ADDRESS, TAG, TXID
from tests.support.inbound_messages import OWNER, ivms101, legal
from tests.support.scene import Scene
from tests.support.vasps import SOUTH, policy
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.arrival import (
    DepositMatched,
    DepositUnannounced,
    DepositUnmatched,
    SearchCalledBack,
)
from travelrule.policy.policy import Policy

DEPOSIT_ID = "dep-1"
EXCHANGE = "exchange:north/5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
TRANSFER_ID = "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"


def rules(text: str = "") -> Policy:
    return policy(text, SOUTH)


def detected(**changes: Any) -> DepositDetected:
    facts = {
        "depositId": DEPOSIT_ID,
        "txid": TXID,
        "currency": "XRP",
        "network": "XRP",
        "amount": "250.5",
        "address": ADDRESS,
        "tag": TAG,
        **changes,
    }
    return DepositDetected.model_validate(facts)


CONFIRMED = DepositConfirmed(deposit_id=DEPOSIT_ID)
RETRACTED = DepositRetracted(deposit_id=DEPOSIT_ID)
UNANNOUNCED = DepositUnannounced()


def settled(outcome: Any = "credited") -> DepositSettled:
    return DepositSettled(deposit_id=DEPOSIT_ID, outcome=outcome)


def decided(decision: Any) -> DecisionRecorded:
    subject = f"deposit:{DEPOSIT_ID}"
    return DecisionRecorded(subject=subject, decision=decision, actor="operator-1", reason="checked by phone")


def matched(**changes: Any) -> DepositMatched:
    facts = {
        "exchange": EXCHANGE,
        "counterparty": "north",
        "transfer_id": TRANSFER_ID,
        "currency": "XRP",
        "amount": "250.50",
        **changes,
    }
    return DepositMatched.model_validate(facts)


def unmatched(sighting: int = 1, exchange: str = EXCHANGE) -> DepositUnmatched:
    return DepositUnmatched(exchange=exchange, sighting=sighting)


WALLET: dict[str, Any] = {
    "walletId": "w-1",
    "customerId": "c-77",
    "kyc": True,
    "currencies": ["XRP"],
    "networks": ["XRP"],
    "tag": TAG,
    "owner": OWNER,
}


def authorization(number: int = 1, origin: str = "north", txid: str | None = None) -> dict[str, Any]:
    transfer_id = f"5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b{number:02}"
    subject = f"exchange:{origin}/{transfer_id}"
    return {"subject": subject, "origin": origin, "transferId": transfer_id, "status": "verified", "txid": txid}


def context(*authorizations: dict[str, Any], wallet: dict[str, Any] | None = WALLET) -> CallResult:
    body = {"wallet": wallet, "authorizations": list(authorizations)}
    return CallResult(
        operation="look-up", correlation_id="deposit-context", target="", outcome="answered", status=200, body=body
    )


def reported(operation: str, transfer_id: str, outcome: Any = "answered", target: str = "", **facts: Any) -> CallResult:
    status = 200 if outcome == "answered" else 0
    return CallResult(
        **{"operation": operation, "correlation_id": transfer_id, "target": target, "outcome": outcome,
           "status": status, "attempts": 1, **facts}
    )  # fmt: skip


def result(request_id: str, word: str = "valid", reason: str = "", **body: Any) -> CallResult:
    """P.1 as the caller reports it; ``rows`` are (entity, word), ``alliance`` the network of the VASP found."""
    rows = [{"entityId": name, "result": said} for name, said in body.pop("rows", ())]
    alliance = body.pop("alliance", "code")
    if word == "valid":
        body.setdefault("vaspEntityId", "north")
    full = {"result": word, "reasonType": reason, "requestId": request_id, "analysisResult": rows, **body}
    return reported("txid-search-result", request_id, body=full, counterparty_alliance=alliance)


def answer_payload(**changes: Any) -> dict[str, Any]:
    return {**ivms101(), "BeneficiaryVASP": {"beneficiaryVASP": legal("South Exchange Ltd.")}, **changes}


def data(request_id: str, payload: Any = ..., **body: Any) -> CallResult:
    full = {"result": "normal", "transferId": request_id, "currency": "XRP", "amount": "250.5", **body}
    inner = answer_payload() if payload is ... else payload
    return reported("data-request", request_id, target="north", body=full, payload=inner)


@dataclass
class DepositScene(Scene):
    """A deposit, or another subject of its room, at `south`."""

    subject: str = f"deposit:{DEPOSIT_ID}"
    rules: Policy = field(default_factory=rules)

    @property
    def verdict(self) -> tuple[str, str, bool]:
        """The one verdict of the last decision, its one reason, and whether it is final."""
        (said,) = self.emitted("verdicts")
        (reason,) = said["reasons"]
        return said["verdict"], reason, said["final"]

    @property
    def silent(self) -> bool:
        return not self.emitted("verdicts")

    @property
    def result(self) -> dict[str, Any]:
        (said,) = self.emitted("callbacks")
        return said

    @property
    def request_id(self) -> str:
        return self.state.search.request_id if self.state.search else self.state.found.request_id

    def back(self) -> None:
        """A callback about the search that runs."""
        self.submit(SearchCalledBack(operation="txid-search", request_id=self.request_id))


def seen(text: str = "") -> DepositScene:
    """A deposit that was just detected."""
    scene = DepositScene(rules=rules(text))
    scene.submit(detected())
    return scene


def late(*authorizations: dict[str, Any], text: str = "") -> DepositScene:
    """A deposit whose report is late: the originators were asked."""
    scene = seen(text)
    scene.submit(UNANNOUNCED, context(*(authorizations or (authorization(),))))
    scene.fire("report")
    return scene


def searching(text: str = "", wallet: dict[str, Any] | None = WALLET) -> DepositScene:
    """A deposit that nobody announced: the search was sent."""
    scene = seen(text)
    scene.submit(context(wallet=wallet), UNANNOUNCED)
    return scene


def polling(text: str = "", wallet: dict[str, Any] | None = WALLET) -> DepositScene:
    """The hub took the search."""
    scene = searching(text, wallet)
    scene.submit(reported("txid-search", scene.request_id, body={"result": "SUCCESS"}))
    return scene


def requesting(text: str = "", wallet: dict[str, Any] | None = WALLET, **body: Any) -> DepositScene:
    """The sender was found and asked."""
    scene = polling(text, wallet)
    scene.submit(result(scene.request_id, **body))
    return scene
