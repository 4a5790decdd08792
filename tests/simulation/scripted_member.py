"""A machine that does what the words of an input say: by it the stand-in and the real engine are compared."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID, uuid5

import orjson

from schemas.events.txids import WithdrawalBroadcast
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, CallHub, DropCalls, Effect, Emit, EndUnsent, LookUp, Reply, SendMessage
from travelrule.machine.input import Input, RawMessage
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.messages.arrival import TxidLearned
from travelrule.policy.policy import Policy

SALTS = UUID("7a0f4c1e-0000-4000-8000-000000000002")
SECONDS = 60


@dataclass(frozen=True, slots=True)
class Puppet:
    """Its inputs and its timers."""

    heard: tuple[str, ...] = ()
    timers: dict[str, datetime] = field(default_factory=dict)


def _word(item: Input) -> str:
    match item.data:
        case WithdrawalBroadcast(txid=text) | TxidLearned(txid=text):
            return text
        case CallResult() as report:
            return f"{report.outcome}:{report.operation}"
        case TimerDue(name=name):
            return f"due:{name}"
    raise AssertionError(item.type)


def decide(state: Puppet | None, item: Input, _policy: Policy, now: datetime) -> Decision[Any]:
    """Words are separated by ``+``; ``new`` creates the subject, which waits for it with everything else."""
    text = _word(item)
    words = text.split("+")
    if state is None and "new" not in words:
        return Decision(None, status="parked")
    before = state or Puppet()
    if isinstance(item.data, TimerDue):
        if before.timers.get(item.data.name) != item.data.due_at:
            return Decision(before, status="duplicate")
        before = replace(before, timers={n: at for n, at in before.timers.items() if n != item.data.name})
    if "refuse" in words:
        reply = (Reply({"said": "no"}),) if "reply" in words else ()
        return Decision(state, reply, status="rejected", code="REFUSED")
    if "crash" in words:
        raise ZeroDivisionError
    if "again" in words:
        return Decision(before, status="duplicate")
    effects = tuple(effect for word in words if (effect := _effect(word, before, item, now)) is not None)
    timers = {**before.timers, **dict(_timer(word, now) for word in words if word.startswith("timer="))}
    return Decision(Puppet((*before.heard, text), timers), effects, rule="heard")


def _effect(word: str, before: Puppet, item: Input, now: datetime) -> Effect | None:
    kind, _, rest = word.partition("=")
    if kind in ("call", "later"):
        due_at = now + timedelta(seconds=SECONDS) if kind == "later" else None
        return CallHub(cast("Any", rest), "south", f"t-{len(before.heard)}", {"transferId": "t"}, due_at=due_at)
    match kind:
        case "verdict" | "exchange":
            return _emit(kind, rest or item.subject.partition(":")[2], item)
        case "alert":
            return Alert("PUPPET", "warning", "south", 1)
        case "look":
            return LookUp("deposit-context", {"address": "a"})
        case "drop":
            return DropCalls((rest,) if rest else ())
        case "end":
            return EndUnsent(rest)
        case "tell":
            subject, _, told = rest.partition("/")
            said = TxidLearned(txid=told.replace("&", "+"))
            return SendMessage(f"withdrawal:{subject}", "exchange.txid-learned", said)
        case "reply":
            return Reply({"said": str(len(before.heard))})
    return None


def _emit(kind: str, key: str, item: Input) -> Emit:
    if kind == "exchange":
        return Emit("exchanges", key, "exchange.changed.v1", {"transferId": key})
    data = {"subject": item.subject, "verdict": "hold", "reasons": ["X"]}
    return Emit("verdicts", key, "withdrawal.verdict.v1", data)


def _timer(word: str, now: datetime) -> tuple[str, datetime]:
    name, _, seconds = word.partition("=")[2].partition("/")
    return name, now + timedelta(seconds=int(seconds or SECONDS * len(name)))


def _dump(state: Puppet) -> bytes:
    return orjson.dumps([list(state.heard), {name: at.isoformat() for name, at in state.timers.items()}])


def _load(content: bytes) -> Puppet:
    heard, timers = orjson.loads(content)
    return Puppet(tuple(heard), {name: datetime.fromisoformat(at) for name, at in timers.items()})


def _project(state: Puppet) -> Projection:
    due = min(((at, name) for name, at in state.timers.items()), default=None)
    return Projection(status=str(len(state.heard)), due_at=due[0] if due else None, due_timer=due[1] if due else "")


MACHINE = Machine("withdrawal", decide, _dump, _load, _project, 2)


def said(words: str, subject: str, name: str, at: datetime) -> Input:
    """An event of the platform that holds words."""
    data = WithdrawalBroadcast(withdrawal_id=subject, txid=words)
    content = data.model_dump_json(by_alias=True).encode()
    return Input(
        source="/platform",
        id=name,
        type="withdrawal.broadcast.v1",
        subject=f"withdrawal:{subject}",
        at=at,
        data=data,
        content=content,
        salt=uuid5(SALTS, name),
        raw=RawMessage("txids", 0, int.from_bytes(name.encode()[-4:]), subject.encode(), content + name.encode()),
    )


def reported(subject: str, call_id: str, operation: str, outcome: Any, at: datetime) -> Input:
    """A result of a call."""
    data = CallResult(operation=operation, correlation_id="t", target="south", outcome=outcome)
    content = data.model_dump_json(by_alias=True).encode()
    kind = f"call.{outcome}"
    return Input("/hub", call_id, kind, f"withdrawal:{subject}", at, data, content, uuid5(SALTS, call_id))
