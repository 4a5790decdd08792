"""What the tests of the deposit machines share: a deposit, its answers, and short ways to make inputs of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid5

from schemas.events.decisions import DecisionRecorded
from schemas.events.deposits import DepositConfirmed, DepositDetected, DepositRetracted, DepositSettled
from schemas.wire_model import Wire
from tests.unit.exchange.originator.scene import ADDRESS, NOW, OWNER, SALTS, SOUTH, TAG, TXID, ivms101, legal, policy
from travelrule.engine.registry import MACHINES
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, CallHub, DropCalls, Emit, LookUp, SendMessage
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.messages.arrival import (
    ARRIVAL_MESSAGES,
    DepositMatched,
    DepositUnannounced,
    DepositUnmatched,
    SearchCalledBack,
)
from travelrule.messages.assessment import ASSESSMENT_MESSAGES
from travelrule.policy.policy import Policy

DEPOSIT_ID = "dep-1"
EXCHANGE = "exchange:north/5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
TRANSFER_ID = "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
TYPES = {model: name for name, model in (ARRIVAL_MESSAGES | ASSESSMENT_MESSAGES).items()} | {
    DepositDetected: "deposit.detected.v1",
    DepositConfirmed: "deposit.confirmed.v1",
    DepositRetracted: "deposit.retracted.v1",
    DepositSettled: "deposit.settled.v1",
    DecisionRecorded: "decision.recorded.v1",
    TimerDue: "timer.due",
}


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
        operation="look-up", transfer_id="deposit-context", target="", outcome="answered", status=200, body=body
    )


def reported(operation: str, transfer_id: str, outcome: Any = "answered", target: str = "", **facts: Any) -> CallResult:
    status = 200 if outcome == "answered" else 0
    return CallResult(
        **{"operation": operation, "transfer_id": transfer_id, "target": target, "outcome": outcome,
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


def input_type(what: Wire) -> str:
    return f"call.{what.outcome}" if isinstance(what, CallResult) else TYPES.get(type(what), "unknown")


@dataclass
class Scene:
    """One deposit (or another subject of the room) and the time."""

    subject: str = f"deposit:{DEPOSIT_ID}"
    rules: Policy = field(default_factory=rules)
    now: datetime = NOW
    state: Any = None
    inputs: int = 0
    last: Decision[Any] = field(default_factory=lambda: Decision(None))
    history: list[Any] = field(default_factory=list)

    def tell(self, *what: Wire) -> Decision[Any]:
        """Decide on each in turn; what the machine writes must read back equal."""
        for one in what:
            machine = MACHINES[self.subject.partition(":")[0]]
            self.last = machine.decide(self.state, self.input(one), self.rules, self.now)
            self.state = self.last.state
            self.history += self.last.effects
            if self.state is not None:
                assert machine.load(machine.dump(self.state)) == self.state
                machine.project(self.state)
        return self.last

    def input(self, what: Wire) -> Input:
        self.inputs += 1
        name = f"input-{self.inputs}"
        content = what.model_dump_json(by_alias=True).encode()
        return Input("/test", name, input_type(what), self.subject, self.now, what, content, uuid5(SALTS, name))

    def fire(self, name: str) -> Decision[Any]:
        """Let a timer come due."""
        due_at = self.state.timers[name]
        self.now = max(self.now, due_at)
        return self.tell(TimerDue(name=name, due_at=due_at))

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def of(self, kind: type[Any]) -> list[Any]:
        return [effect for effect in self.last.effects if isinstance(effect, kind)]

    @property
    def calls(self) -> list[CallHub]:
        return self.of(CallHub)

    @property
    def operations(self) -> list[str]:
        return [call.operation for call in self.calls]

    @property
    def drops(self) -> list[tuple[str, ...]]:
        return [effect.operations for effect in self.of(DropCalls)]

    @property
    def look_ups(self) -> list[LookUp]:
        return self.of(LookUp)

    @property
    def tells(self) -> list[tuple[str, str]]:
        return [(effect.subject, effect.type) for effect in self.of(SendMessage)]

    def told(self, kind: str) -> list[Any]:
        return [effect.data for effect in self.of(SendMessage) if effect.type == kind]

    @property
    def alerts(self) -> list[str]:
        return [effect.code for effect in self.of(Alert)]

    def emitted(self, topic: str) -> list[dict[str, Any]]:
        return [effect.data for effect in self.of(Emit) if effect.topic == topic]

    @property
    def verdict(self) -> tuple[str, str, bool]:
        """The one verdict that the last decision said."""
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
        self.tell(SearchCalledBack(operation="txid-search", request_id=self.request_id))


def seen(text: str = "") -> Scene:
    """A deposit that was just detected."""
    scene = Scene(rules=rules(text))
    scene.tell(detected())
    return scene


def late(*authorizations: dict[str, Any], text: str = "") -> Scene:
    """A deposit whose report is late: the originators were asked."""
    scene = seen(text)
    scene.tell(UNANNOUNCED, context(*(authorizations or (authorization(),))))
    scene.fire("report")
    return scene


def searching(text: str = "", wallet: dict[str, Any] | None = WALLET) -> Scene:
    """A deposit that nobody announced: the search was sent."""
    scene = seen(text)
    scene.tell(context(wallet=wallet), UNANNOUNCED)
    return scene


def polling(text: str = "", wallet: dict[str, Any] | None = WALLET) -> Scene:
    """The hub took the search."""
    scene = searching(text, wallet)
    scene.tell(reported("txid-search", scene.request_id, body={"result": "SUCCESS"}))
    return scene


def requesting(text: str = "", wallet: dict[str, Any] | None = WALLET, **body: Any) -> Scene:
    """The sender was found and asked."""
    scene = polling(text, wallet)
    scene.tell(result(scene.request_id, **body))
    return scene
