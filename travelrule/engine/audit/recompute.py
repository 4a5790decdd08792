"""Proof of a subject's records from stored data.

A decision depends on its input, the state before, the policy and the profile of our VASP. Each record names the
versions of the last two and of the machine. A record of the running machine version is decided again. A record of
another version is checked by what holds for every version. Where the version changes, the state before the first record
of the new version is stored sealed with that record; its fingerprint is in the record before (ADR 0015).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from schemas.events.decisions import DecisionRecorded
from schemas.registry import EVENTS
from travelrule.crypto.errors import AtRestError
from travelrule.engine.audit.history import RecordedPolicies
from travelrule.engine.audit.record import Body, clear_columns, machine_version, reply_fingerprint, state_fingerprint
from travelrule.engine.audit.recorded_events import RecordedEvents
from travelrule.engine.input_envelope import packed_name, unpack
from travelrule.engine.registry import INTERNAL_INPUTS
from travelrule.engine.vault import Vault
from travelrule.machine.decision import Decision
from travelrule.machine.decision_authority import key_of
from travelrule.machine.effects import Alert, Emit, Reply
from travelrule.machine.input import Input
from travelrule.machine.port import FIRST_VERSION, Machine
from travelrule.machine.projection import Projection
from travelrule.policy.policy import OwnVasp, Policy
from travelrule.store.policies import PolicyRepository


class _Fault(Exception):  # noqa: N818 - a finding, not an error of the program
    """A record that does not agree; the text holds no content."""


@dataclass(slots=True)
class Proof:
    """The number of records decided again with the same result, the number that another version decided, and the fault
    of the next record (empty: none).
    """

    recomputed: int = 0
    earlier: int = 0
    later: int = 0
    fault: str = ""

    @property
    def agreed(self) -> int:
        """The number of records without a fault."""
        return self.recomputed + self.earlier + self.later


@dataclass(slots=True)
class _Subject:
    """A subject while its records are checked. ``version`` and ``fingerprint`` are the machine version and the state
    fingerprint of the last record; ``state`` is that state if the running version decided.
    """

    name: str
    key: bytes = field(repr=False)
    machine: Machine | None
    inputs: Mapping[tuple[str, str], Any]
    events: RecordedEvents = field(default_factory=RecordedEvents)
    version: int = 0
    fingerprint: str = ""
    state: Any = field(default=None, repr=False)

    def is_decided_by_us(self, version: int) -> bool:
        """Whether the running version can decide a record of this version again."""
        return self.machine is not None and self.machine.version == version


class RecordVerifier:
    """Checks the records of one subject at a time.

    ``own`` is the present profile. It is used only for records that name none.
    """

    def __init__(self, vault: Vault, machines: Mapping[str, Machine], policies: PolicyRepository, own: OwnVasp) -> None:
        self._vault = vault
        self._machines = machines
        self._policies = RecordedPolicies(policies, own)
        self.under_present_profile = 0
        """The number of records decided again under the present profile because they name none."""

    async def check(self, row: Any, wrapped: bytes, records: Sequence[Any], inputs: Sequence[Any]) -> Proof:
        """Check the records, and that they lead to the subject's present row."""
        proof = Proof()
        bodies: list[Body] = [orjson.loads(bytes(record.body)) for record in records]
        machine = self._machines.get(row.subject.partition(":")[0])
        of_a_later_program = bool(bodies) and all(machine_version(body) > FIRST_VERSION for body in bodies)
        if machine is None and not of_a_later_program:
            proof.fault = "this version has no rules for this kind of subject"
            return proof
        try:
            key = self._vault.unwrap(row.subject, wrapped)
            by_name = {(stored.source, stored.id): stored for stored in inputs}
            subject = _Subject(row.subject, key, machine, by_name)
            for record, body in zip(records, bodies, strict=True):
                await self._record(subject, record, body, proof)
            self._check_row(subject, row, bodies[-1])
        except _Fault as fault:
            proof.fault = str(fault)
        except AtRestError:
            proof.fault = f"something sealed was changed, at record {proof.agreed + 1} or in the subject itself"
        return proof

    def check_kept(self, records: Sequence[Any], inputs: Sequence[Any]) -> str:
        """Return the fault in the inputs of an erased subject; empty: none. Their fingerprints must match."""
        by_name = {(stored.source, stored.id): stored for stored in inputs}
        for record in records:
            body = orjson.loads(bytes(record.body))
            stored = by_name.get((body["source"], body["id"]))
            if stored is None or not _same_input(stored, body):
                return f"the input of record {record.record} is missing or another one"
        return ""

    async def _record(self, subject: _Subject, record: Any, body: Body, proof: Proof) -> None:
        version = machine_version(body)
        stored = subject.inputs.get((body["source"], body["id"]))
        if stored is None or not _same_input(stored, body):
            raise _Fault(f"the input of record {record.record} is missing or another one")
        if not subject.events.follow(body["events"]):
            raise _Fault(f"the events of record {record.record} do not follow those before")
        if subject.version not in (0, version):
            self._version_changed(subject, record, version)
        if subject.is_decided_by_us(version):
            await self._decide_again(subject, stored, body)
            proof.recomputed += 1
        else:
            await self._as_recorded(subject, stored, body)
            running = subject.machine.version if subject.machine is not None else 0
            proof.earlier += version < running
            proof.later += version > running
        subject.version, subject.fingerprint = version, body["state"]

    def _version_changed(self, subject: _Subject, record: Any, version: int) -> None:
        """Check the state that a new machine version started from; it is stored with its first record."""
        if record.sealed_before is None:
            if version == FIRST_VERSION:
                return  # a release without versions kept running while others were upgraded
            raise _Fault(f"the state before record {record.record} is missing")
        before = self._vault.open(subject.key, "before", subject.name, bytes(record.sealed_before))
        if state_fingerprint(self._vault, subject.name, before) != subject.fingerprint:
            raise _Fault(f"the state before record {record.record} is another one")
        if subject.machine is not None and subject.is_decided_by_us(version):
            subject.state = subject.machine.load(before)

    async def _decide_again(self, subject: _Subject, stored: Any, body: Body) -> None:
        assert subject.machine is not None  # noqa: S101 -- is_decided_by_us holds
        number = body["record"]
        item = unpack(self._vault.open(subject.key, "input", subject.name, bytes(stored.sealed)))
        if not self._is_the_one((item.source, item.id, item.type, item.subject, item.content), subject.name, body):
            raise _Fault(f"the input of record {number} is missing or another one")
        policy = await self._policies.policy(body["policyVersion"])
        if policy is None:
            raise _Fault(f"policy {body['policyVersion']} of record {number} is missing")
        own = await self._policies.own_at(body)
        if own is None:
            raise _Fault(f"profile {body['profileVersion']} of record {number} is missing or was changed")
        if not _was_entitled(self._vault.vasp, item, policy, body):
            raise _Fault(f"the decision of record {number} is not signed as its policy requires")
        decision = subject.machine.decide(subject.state, item, policy.with_own(own), datetime.fromisoformat(body["at"]))
        if not self._agrees(subject.name, body, subject.machine.dump(decision.state), decision):
            raise _Fault(f"deciding record {number} again gives another result")
        reply = self._reply(subject, stored)
        if (None if reply is None else orjson.loads(reply)) != _reply_of(decision):
            raise _Fault(f"the stored answer of record {number} is another one")
        self.under_present_profile += "profileVersion" not in body
        subject.state = decision.state

    async def _as_recorded(self, subject: _Subject, stored: Any, body: Body) -> None:
        """Check what holds for every version: input, answer, policy and profile are those of the record."""
        number = body["record"]
        name = packed_name(self._vault.open(subject.key, "input", subject.name, bytes(stored.sealed)))
        if not self._is_the_one(name, subject.name, body):
            raise _Fault(f"the input of record {number} is missing or another one")
        if fault := await self._policies.fault(body):
            raise _Fault(fault)
        reply = self._reply(subject, stored)
        said = None if reply is None else reply_fingerprint(self._vault, subject.name, reply)
        if "reply" in body and said != body["reply"]:
            raise _Fault(f"the stored answer of record {number} is another one")

    def _is_the_one(self, name: tuple[str, str, str, str, bytes], subject: str, body: Body) -> bool:
        """Whether the stored input is the recorded one.

        The fingerprint is compared for a platform's input only: an internal input is stored with facts that are not
        part of its fingerprint, and an unknown type may be either.
        """
        source, item_id, kind, of, content = name
        if (source, item_id, kind, of) != (body["source"], body["id"], body["type"], subject):
            return False
        fingerprint = self._vault.index.fingerprint(kind.encode(), of.encode(), content).hex()
        return kind in INTERNAL_INPUTS or kind not in EVENTS or fingerprint == body["input"]

    def _agrees(self, subject: str, body: Body, dumped: bytes, decision: Decision[Any]) -> bool:
        said = [_event(effect) for effect in decision.effects if isinstance(effect, Emit | Alert)]
        recorded = [(event["topic"], event["type"]) for event in body["events"]]
        return state_fingerprint(self._vault, subject, dumped) == body["state"] and said == recorded

    def _reply(self, subject: _Subject, stored: Any) -> bytes | None:
        if stored.reply is None:
            return None
        return self._vault.open(subject.key, "reply", subject.name, bytes(stored.reply))

    def _check_row(self, subject: _Subject, row: Any, last: Body) -> None:
        """Check that the subject's row is what the records lead to."""
        if not subject.events.end_at(orjson.loads(row.sequences)):
            raise _Fault("the row counts other events than the records")
        by_us = subject.is_decided_by_us(subject.version)
        if by_us and subject.state is None:
            return
        stored = None if row.sealed is None else self._vault.open(subject.key, "state", row.subject, bytes(row.sealed))
        if stored is None or state_fingerprint(self._vault, row.subject, stored) != last["state"]:
            raise _Fault("the stored state is not the one that the records lead to")
        columns = [row.status, row.verdict, row.chain, row.counterparty]
        if not by_us and columns == last.get("row"):
            return
        # The record lacks the columns, or an alert rewrote the row: compare with what this version projects.
        projected = _projected(subject.machine, stored)
        if projected is None or columns != clear_columns(projected):
            raise _Fault("the row says something else than the state")


def _was_entitled(vasp: str, item: Input, policy: Policy, body: Body) -> bool:
    """Whether an operator's decision has the recorded signature, and the one that its policy requires."""
    if not isinstance(item.data, DecisionRecorded):
        return True
    key_id = key_of(vasp, item, item.data, policy.decisions, datetime.fromisoformat(body["at"]))
    recorded: str = body.get("decidedBy", {}).get("keyId", "")
    return key_id == recorded == item.verified_by


def _projected(machine: Machine | None, stored: bytes) -> Projection | None:
    """What the running version projects from a stored state; None if it cannot read it."""
    if machine is None:
        return None
    try:
        return machine.project(machine.load(stored))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None  # a later version's state


def _same_input(stored: Any, body: Body) -> bool:
    """Whether the clear columns of the input equal the record."""
    said = (bytes(stored.fingerprint).hex(), stored.type, stored.status, stored.code, stored.record)
    return bool(said == (body["input"], body["type"], body["status"], body["code"], body["record"]))


def _reply_of(decision: Decision[Any]) -> Any:
    """The last reply of a decision as it reads back from JSON."""
    bodies = [effect.body for effect in decision.effects if isinstance(effect, Reply)]
    return orjson.loads(orjson.dumps(bodies[-1])) if bodies else None


def _event(effect: Emit | Alert) -> tuple[str, str]:
    return ("alerts", "operator.alert.v1") if isinstance(effect, Alert) else (effect.topic, effect.type)
