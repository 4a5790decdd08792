"""Stored decisions of one machine: states, inputs, policies, and of each decision a digest and what it does in short.

A file holds each state, input and policy once. Inputs are in the form in which the store keeps them, so a case also
proves that what was stored is still read.
"""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from schemas.wire_model import Wire
from tests.services.process import ROOT
from travelrule.engine.audit.history import _own
from travelrule.engine.audit.record import clear_columns
from travelrule.engine.input_envelope import pack, unpack
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, CallHub, Effect, Emit, LookUp, Reply, SendMessage
from travelrule.machine.input import Input
from travelrule.machine.port import Machine
from travelrule.policy.policy import Policy

FOLDER = ROOT / "tests" / "data" / "golden"


@dataclass(frozen=True, slots=True)
class Case:
    """A state (bytes; empty: none yet), an input, and a policy (its text and the profile of the VASP)."""

    rules: str
    own: str
    state: bytes
    packed: bytes
    now: datetime


@dataclass(slots=True)
class Golden:
    """The cases of one machine's version, each with its outcome: the digest and the words."""

    kind: str
    version: int
    cases: dict[Case, tuple[str, str]] = field(default_factory=dict)

    def differing(self, machine: Machine) -> list[str]:
        """What the machine decides otherwise than it is stored."""
        found = []
        for case, (digest, words) in self.cases.items():
            now_digest, now_words = outcome(machine, case)
            if now_digest != digest:
                item = orjson.loads(case.packed)
                found.append(f"{item['type']} ({item['id']}): was {words}; is {now_words}")
        return found

    def write(self) -> None:
        """Store the cases, each state, input and policy once."""
        tables: dict[str, dict[str, int]] = {"policies": {}, "states": {}, "inputs": {}}

        def number(table: str, text: str) -> int:
            return tables[table].setdefault(text, len(tables[table]))

        rows = []
        for case, (digest, words) in self.cases.items():
            policy = number("policies", orjson.dumps([case.rules, case.own]).decode())
            places = [policy, number("states", case.state.decode()), number("inputs", case.packed.decode())]
            rows.append([*places, case.now.isoformat(), digest, words])
        lines = [orjson.dumps({"kind": self.kind, "version": self.version})]
        lines += [orjson.dumps([name, text]) for name, table in tables.items() for text in table]
        lines += [orjson.dumps(["cases", row]) for row in rows]
        FOLDER.mkdir(exist_ok=True)
        _path(self.kind).write_bytes(lzma.compress(b"\n".join(lines) + b"\n", preset=9))


def read(kind: str) -> Golden | None:
    """The stored cases of a machine; None if there are none."""
    path = _path(kind)
    if not path.exists():
        return None
    head, *lines = map(orjson.loads, lzma.decompress(path.read_bytes()).splitlines())
    tables: dict[str, list[Any]] = {"policies": [], "states": [], "inputs": [], "cases": []}
    for name, value in lines:
        tables[name].append(value)
    golden = Golden(head["kind"], head["version"])
    for policy, state, packed, now, digest, words in tables["cases"]:
        rules, own = orjson.loads(tables["policies"][policy])
        case = Case(
            rules, own, tables["states"][state].encode(), tables["inputs"][packed].encode(), datetime.fromisoformat(now)
        )
        golden.cases[case] = digest, words
    return golden


EFFECT_NAMES: dict[type, str] = {SendMessage: "Tell"}
"""The names under which stored digests know effects whose class was renamed."""


def _path(kind: str) -> Path:
    return FOLDER / f"{kind}.jsonl.xz"


def outcome(machine: Machine, case: Case) -> tuple[str, str]:
    """What the machine decides: a digest of all of it, and the words of it that tell the most."""
    decision = decided(machine, case)
    state = None if decision.state is None else machine.dump(decision.state).decode()
    projection = None if decision.state is None else machine.project(decision.state)
    whole = {
        "state": state,
        "status": decision.status,
        "code": decision.code,
        "field": decision.field,
        "rule": decision.rule,
        "effects": [_named(effect) for effect in decision.effects],
        "row": None if projection is None else [clear_columns(projection), projection],
    }
    content = orjson.dumps(whole, default=_plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    return hashlib.sha256(content).hexdigest()[:24], " ".join([decision.status, decision.rule, *shape(decision)])


@dataclass(frozen=True, slots=True)
class _StoredCall:
    """``CallHub`` with the field names that stored digests know, in the same order."""

    operation: str
    target: str
    transfer_id: str
    clear: dict[str, Any]
    payload: dict[str, Any] | None
    due_at: datetime | None


def _named(effect: Effect) -> list[Any]:
    """Name an effect and its fields as stored digests know them."""
    if isinstance(effect, CallHub):
        call = _StoredCall(
            effect.operation, effect.target, effect.correlation_id, effect.clear, effect.payload, effect.due_at
        )
        return ["CallHub", call]
    return [EFFECT_NAMES.get(type(effect), type(effect).__name__), effect]


def decided(machine: Machine, case: Case) -> Decision[Any]:
    """Decide a stored case."""
    state = machine.load(case.state) if case.state else None
    return machine.decide(state, unpack(case.packed), _policy(case.rules, case.own), case.now)


@lru_cache
def _policy(rules: str, content: str) -> Policy:
    own = _own(content)
    assert own is not None
    return Policy.from_toml(rules).with_own(own)


def case_of(machine: Machine, rules: str, policy: Policy, state: Any, item: Input, now: datetime) -> Case:
    """The case that this decision is."""
    return Case(rules, policy.own.content, b"" if state is None else machine.dump(state), pack(item), now)


def shape(decision: Decision[Any]) -> Iterator[str]:
    """What kinds of effects there are, without their ids and times."""
    for effect in decision.effects:
        match effect:
            case Emit(topic, _, kind, data):
                yield f"{topic}:{kind}:{data.get('verdict', data.get('status', ''))}:{data.get('reasons', '')}"
            case Alert(code):
                yield f"alert:{code}"
            case CallHub():
                yield f"call:{effect.operation}:{effect.target}"
            case LookUp(question):
                yield f"look-up:{question}"
            case SendMessage(_, kind):
                yield f"tell:{kind}"
            case Reply(body):
                yield f"reply:{body.get('result', '')}:{body.get('reasonType', '')}"
            case _:
                yield type(effect).__name__


def _plain(value: Any) -> Any:
    if isinstance(value, Wire):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(type(value).__name__)
