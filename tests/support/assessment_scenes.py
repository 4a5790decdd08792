"""What the tests of the assessment machines share: requests, answers, and short ways to make inputs of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coincurve import PrivateKey

from schemas.events.decisions import DecisionRecorded
from schemas.events.screenings import OwnershipRequested, ScreeningRequested
from tests.support.scene import Scene
from tests.support.vasps import policy
from travelrule.crypto.encodings.public_keys import evm_address
from travelrule.machine.decision import Decision
from travelrule.machine.effects import CallHub
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.arrival import SearchCalledBack
from travelrule.messages.assessment import AssessmentDropped, AssessmentWanted, Party
from travelrule.screening.ownership.evm import message_hash

REQUEST = "s-1"
SCREENING = f"screening:{REQUEST}"
ASKER = "withdrawal:w-1"
ASSESSMENT = f"assessment:{ASKER}/1"
KEY = PrivateKey(b"\x07" * 32)
ADDRESS = evm_address(KEY.public_key.format(compressed=False))
OTHER_ADDRESS = "0x000000000000000000000000000000000000b1ac"
TXID = "0x5028a06f62bd79cd44d96779c5d1db68882ede90c3cbf62b6cc11a6218984063"
PARTY = Party(names=("Lind Erik", "Erik Lind"), kind="person", date_of_birth="1980-05-06")
MESSAGE = "I own this wallet"
TOKEN = "tok-secret-1"
VERIFICATION = "ver-1"


def requested(kind: str = "wallet", **changes: Any) -> ScreeningRequested:
    what = {"address": ADDRESS} if kind == "wallet" else {"txid": TXID}
    return ScreeningRequested.model_validate({"requestId": REQUEST, "kind": kind, "chain": "ETH", **what, **changes})


def ownership(**changes: Any) -> OwnershipRequested:
    facts = {
        "requestId": REQUEST,
        "blockchain": "ETH",
        "asset": "USDT",
        "address": ADDRESS,
        "customerId": "c-1001",
        "widgetOrigin": "https://app.example.com:443",
        **changes,
    }
    return OwnershipRequested.model_validate(facts)


def wanted(kind: Any = "lists", **changes: Any) -> AssessmentWanted:
    facts: dict[str, Any] = {"asker": ASKER, "kind": kind, "network": "ETH"}
    if kind in ("lists", "wallet", "ownership"):
        facts["address"] = ADDRESS
    if kind in ("transaction", "kyt"):
        facts["txid"] = TXID
    if kind == "lists":
        facts["parties"] = (PARTY,)
    if kind == "ownership":
        facts |= {"asset": "USDT", "customer_id": "c-1001", "widget_origin": "https://app.example.com:443"}
    return AssessmentWanted(**{**facts, **changes})


DROPPED = AssessmentDropped(asker=ASKER)


def decided(decision: Any = "deny") -> DecisionRecorded:
    return DecisionRecorded(subject=SCREENING, decision=decision, actor="operator-1", reason="checked by phone")


def reported(operation: str, transfer_id: str, outcome: Any = "answered", **facts: Any) -> CallResult:
    status = 200 if outcome == "answered" else 0
    return CallResult(
        **{"operation": operation, "correlation_id": transfer_id, "target": "", "outcome": outcome, "status": status,
           "attempts": 1, **facts}
    )  # fmt: skip


HIT = {"list": "ofac-sdn", "entry": "12345", "score": "0.97", "reason": "same name", "what": "party"}


def lists(*hits: dict[str, Any], checked: bool = True) -> CallResult:
    body = {"checked": checked, "hits": list(hits), "lists": {"ofac-sdn": "2026-11-19"} if checked else {}}
    return reported("look-up", "screening", body=body)


def wallet_answer(category: str = "WHITE", **changes: Any) -> dict[str, Any]:
    return {"result": "NORMAL", "id": "t-1", "walletAddress": ADDRESS, "securityCategory": category, **changes}


def transaction_answer(*categories: str) -> dict[str, Any]:
    rows = [{"walletAddress": ADDRESS, "securityCategory": one, "securityTags": ["Hack"]} for one in categories]
    return {"result": "NORMAL", "id": "t-1", "senderWallets": rows[:1], "receiverWallets": rows[1:]}


ERROR = {"result": "ERROR", "reasonMsg": "provider failed"}


def report_body(verdict: str = "Clean", **changes: Any) -> dict[str, Any]:
    return {
        "reportId": 77,
        "verdict": verdict,
        "totalAmount": 1.25,
        "receiver": ADDRESS,
        "senders": [OTHER_ADDRESS],
        "riskIndicators": {},
        "annotations": {},
        "byToken": {"ETH": {"total": 1.25, "malicious": 0, "suspicious": 0}},
        **changes,
    }


def released(hub_id: int = 4711, verdict: str = "Clean", **changes: Any) -> dict[str, Any]:
    return {"requestId": hub_id, "status": "RELEASED", "report": report_body(verdict, **changes)}


def pending(hub_id: int = 4711) -> dict[str, Any]:
    return {"requestId": hub_id, "status": "PENDING", "error": None, "report": None}


def failed(error: str = "Tx hash not found", hub_id: int = 4711) -> dict[str, Any]:
    return {"requestId": hub_id, "status": "FAILED", "error": error, "report": None}


def signature(message: str = MESSAGE, key: PrivateKey = KEY) -> str:
    raw = key.sign_recoverable(message_hash(message), hasher=None)
    return "0x" + (raw[:64] + bytes([raw[64] + 27])).hex()


def verified(**changes: Any) -> dict[str, Any]:
    return {"verificationId": VERIFICATION, "status": "VERIFIED", "blockchain": "ETH", "asset": "USDT",
            "address": ADDRESS, "signature": signature(), "signedMessage": MESSAGE,
            "verifiedAt": "2026-11-20T09:30:00", **changes}  # fmt: skip


@dataclass
class AssessmentScene(Scene):
    """A screening or an assessment."""

    subject: str = SCREENING

    def fire(self, name: str = "limit") -> Decision[Any]:
        return super().fire(name)

    def answer(self, body: dict[str, Any] | None = None, outcome: Any = "answered", **facts: Any) -> Decision[Any]:
        """Answer the newest call, at the time at which it is made."""
        call = [effect for effect in self.history if isinstance(effect, CallHub)][-1]
        self.now = max(self.now, call.due_at or self.now)
        return self.submit(reported(call.operation, call.correlation_id, outcome, body=body, **facts))

    def fail(self, code: str = "NO_ANSWER", status: int = 0) -> Decision[Any]:
        return self.answer(None, "failed", code=code, status=status)

    def back(self, operation: Any = "kyt-search", request_id: str = "") -> Decision[Any]:
        """A callback about the pending question."""
        return self.submit(SearchCalledBack(operation=operation, request_id=request_id or self.state.question.call_id))

    @property
    def call(self) -> CallHub:
        (one,) = self.calls
        return one

    @property
    def seconds(self) -> float:
        """The seconds until the one call of the last decision is made."""
        return (self.call.due_at - self.now).total_seconds() if self.call.due_at is not None else 0.0

    @property
    def verdict(self) -> tuple[str, list[str], bool]:
        (data,) = [data for name, data in self.events.items() if name.endswith("verdict.v1")]
        return data["verdict"], data["reasons"], data["final"]


def asked(kind: str = "wallet", text: str = "", **changes: Any) -> AssessmentScene:
    """A screening that the platform asks for; a wallet is not in our lists."""
    scene = AssessmentScene(rules=policy(text))
    scene.submit(requested(kind, **changes))
    if kind == "wallet":
        scene.submit(lists())
    return scene


def analysing(text: str = "", **changes: Any) -> AssessmentScene:
    """An analysis that the hub works on."""
    scene = asked("kyt", text, **changes)
    scene.answer({"requestId": 4711, "status": "PENDING", "message": "Transaction analysis started."})
    return scene


def opening(text: str = "", **changes: Any) -> AssessmentScene:
    scene = AssessmentScene(rules=policy(text))
    scene.submit(ownership(**changes))
    return scene


def proving(text: str = "", **changes: Any) -> AssessmentScene:
    """A session that the customer has."""
    scene = opening(text, **changes)
    scene.answer({"token": TOKEN, "walletVerificationId": VERIFICATION})
    return scene


def wants(kind: Any = "lists", text: str = "", **changes: Any) -> AssessmentScene:
    """An assessment that a withdrawal asks for."""
    scene = AssessmentScene(subject=ASSESSMENT, rules=policy(text))
    scene.submit(wanted(kind, **changes))
    return scene
