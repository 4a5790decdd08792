"""A machine for tests of the engine: it stores its inputs, and the txid of an input names the effect to emit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import orjson

from schemas.events.txids import WithdrawalBroadcast, WithdrawalMined
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, CallHub, DropCalls, Emit, Reply, SendMessage
from travelrule.machine.input import Input, RawMessage, Rejected
from travelrule.machine.port import Machine
from travelrule.machine.projection import ExchangeRow, Projection
from travelrule.policy.policy import Policy

START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Told:
    heard: tuple[str, ...] = ()


def decide(state: Told | None, item: Input, _policy: Policy, now: datetime) -> Decision[Any]:
    word = item.data.txid if isinstance(item.data, WithdrawalBroadcast) else "mined"
    if state is None and word == "mined":
        return Decision(None, status="parked")
    heard = replace(state or Told(), heard=(*(state.heard if state else ()), word))
    if word.startswith("tell:"):
        return Decision(heard, tuple(_tells(word)))
    match word:
        case "refuse":
            return Decision(state, status="rejected", code="REFUSED", field="txid", fix="say something else")
        case "crash":
            raise ZeroDivisionError
        case "emit":
            data = {"subject": item.subject, "verdict": "allow", "reasons": ["VERIFIED"]}
            key = item.subject.partition(":")[2]
            return Decision(heard, (Emit("verdicts", key, "withdrawal.verdict.v1", data),))
        case "call":
            call = CallHub("address-search", "south", "t-1", {"currency": "XRP"}, {"secret": "Planted Name"})
            return Decision(heard, (call,))
        case "drop":
            return Decision(heard, (DropCalls(),))
        case "reply":
            return Decision(heard, (Reply({"answer": "Planted Name"}),))
        case "alert":
            return Decision(heard, (Alert("TOY"),))
    return Decision(heard, rule="heard")


def _tells(word: str) -> Iterator[SendMessage]:
    """``tell:w-2:one,two``: send another withdrawal these words; ``n*3``: ``n0``, ``n1``, ``n2``."""
    _, subject, words = word.split(":")
    prefix, many, count = words.partition("*")
    for said in [f"{prefix}{number}" for number in range(int(count))] if many else words.split(","):
        data = WithdrawalBroadcast(withdrawal_id=subject, txid=said)
        yield SendMessage(f"withdrawal:{subject}", "withdrawal.broadcast.v1", data)


def project(state: Told) -> Projection:
    row = ExchangeRow("originating", "south", f"t-{len(state.heard)}", "wait", "none", "ABCDEF", None)
    return Projection(status=str(len(state.heard)), rows=(row,))


TOY = Machine(
    kind="withdrawal",
    decide=decide,
    dump=lambda state: orjson.dumps(list(state.heard)),
    load=lambda raw: Told(tuple(orjson.loads(raw))),
    project=project,
    version=2,
)


def dead_letter_headers(rejected: Rejected, at: datetime) -> list[tuple[str, bytes]]:
    return [("code", rejected.code.encode()), ("at", at.isoformat().encode())]


def told(
    word: str, subject: str = "w-1", input_id: str | None = None, offset: int = 0, *, unknown: bool = False
) -> Input:
    """An input whose txid is the word that the machine acts on."""
    data: WithdrawalBroadcast | WithdrawalMined
    if word == "mined":
        data = WithdrawalMined(withdrawal_id=subject)
    else:
        data = WithdrawalBroadcast(withdrawal_id=subject, txid=word)
    content = data.model_dump_json(by_alias=True).encode()
    return Input(
        source="/platform",
        id=input_id or str(uuid4()),
        type="withdrawal.mined.v1" if word == "mined" else "withdrawal.broadcast.v1",
        subject=f"withdrawal:{subject}",
        at=START,
        data=data,
        content=content,
        salt=UUID(int=7),
        raw=RawMessage("txids", 0, offset, subject.encode(), content),
        reply_to_unknown=unknown,
    )
