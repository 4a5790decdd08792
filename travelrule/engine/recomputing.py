"""Deciding a subject's inputs again from what is stored, and comparing with what was recorded.

A decision depends on its input, the state before, the policy and what the VASP said about itself at that time; each
record names the versions of the last two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from travelrule.crypto.errors import AtRestError
from travelrule.engine.envelope import unpack
from travelrule.engine.history import RecordedPolicies
from travelrule.engine.kinds import INTERNAL
from travelrule.engine.vault import Vault
from travelrule.exchange.decision import Alert, Decision, Emit, Reply
from travelrule.exchange.inputs import Input
from travelrule.exchange.machine import Machine
from travelrule.policy.policy import OwnVasp
from travelrule.store.policies import Policies


class _Fault(Exception):  # noqa: N818 - what was found, on its way out of the loops
    """What does not agree, in words without content."""


class Recomputing:
    """Checks one subject after another.

    ``own`` is what the VASP says about itself now; it is used for records that name no version, and only for them.
    """

    def __init__(self, vault: Vault, machines: Mapping[str, Machine], policies: Policies, own: OwnVasp) -> None:
        self._vault = vault
        self._machines = machines
        self._policies = RecordedPolicies(policies, own)
        self.under_present_profile = 0
        """How many records were decided again under the present profile because they name none."""

    async def check(self, row: Any, wrapped: bytes, records: Sequence[Any], inputs: Sequence[Any]) -> tuple[int, str]:
        """How many records were decided again with the same result, and what is wrong with the next one (empty:
        nothing).
        """
        agreed = 0
        machine = self._machines.get(row.subject.partition(":")[0])
        if machine is None:
            return 0, "this version has no rules for this kind of subject"
        try:
            key = self._vault.unwrap(row.subject, wrapped)
            by_name = {(stored.source, stored.id): stored for stored in inputs}
            state: Any = None
            for record in records:
                state = await self._record(row.subject, key, machine, state, record, by_name)
                agreed += 1
            self._check_row(row, key, machine, state)
        except _Fault as fault:
            return agreed, str(fault)
        except AtRestError:
            return agreed, f"something sealed was changed, at record {agreed + 1} or in the subject itself"
        return agreed, ""

    def check_kept(self, records: Sequence[Any], inputs: Sequence[Any]) -> str:
        """What is wrong with the inputs of a subject whose content is no longer kept (empty: nothing): what stays of
        each must still be what was decided on.
        """
        by_name = {(stored.source, stored.id): stored for stored in inputs}
        for record in records:
            body = orjson.loads(bytes(record.body))
            stored = by_name.get((body["source"], body["id"]))
            if stored is None or not _same_input(stored, body):
                return f"the input of record {record.record} is missing or another one"
        return ""

    async def _record(
        self,
        subject: str,
        key: bytes,
        machine: Machine,
        state: Any,
        record: Any,
        inputs: Mapping[tuple[str, str], Any],
    ) -> Any:
        body = orjson.loads(bytes(record.body))
        stored = inputs.get((body["source"], body["id"]))
        if stored is None or not _same_input(stored, body):
            raise _Fault(f"the input of record {record.record} is missing or another one")
        item = unpack(self._vault.open(key, "input", subject, bytes(stored.sealed)))
        if not self._is_the_one(item, subject, body):
            raise _Fault(f"the input of record {record.record} is missing or another one")
        policy = await self._policies.policy(body["policyVersion"])
        if policy is None:
            raise _Fault(f"policy {body['policyVersion']} of record {record.record} is missing")
        own = await self._policies.own_at(body)
        if own is None:
            raise _Fault(f"profile {body['profileVersion']} of record {record.record} is missing or was changed")
        decision = machine.decide(state, item, policy.with_own(own), datetime.fromisoformat(body["at"]))
        if not self._agrees(subject, body, machine.dump(decision.state), decision):
            raise _Fault(f"deciding record {record.record} again gives another result")
        if self._reply(subject, key, stored) != _reply_of(decision):
            raise _Fault(f"the stored answer of record {record.record} is another one")
        self.under_present_profile += "profileVersion" not in body
        return decision.state

    def _is_the_one(self, item: Input, subject: str, body: dict[str, Any]) -> bool:
        """An input of our own is stored with facts that are no part of its fingerprint; a platform's is not."""
        if (item.source, item.id, item.type, item.subject) != (body["source"], body["id"], body["type"], subject):
            return False
        fingerprint = self._vault.index.fingerprint(item.type.encode(), item.subject.encode(), item.content).hex()
        return bool(item.type in INTERNAL or fingerprint == body["input"])

    def _agrees(self, subject: str, body: dict[str, Any], dumped: bytes, decision: Decision[Any]) -> bool:
        state = self._vault.index.fingerprint(subject.encode(), dumped).hex()
        said = [_event(effect) for effect in decision.effects if isinstance(effect, Emit | Alert)]
        recorded = [(event["topic"], event["type"]) for event in body["events"]]
        return bool(state == body["state"]) and said == recorded

    def _reply(self, subject: str, key: bytes, stored: Any) -> Any:
        if stored.reply is None:
            return None
        return orjson.loads(self._vault.open(key, "reply", subject, bytes(stored.reply)))

    def _check_row(self, row: Any, key: bytes, machine: Machine, state: Any) -> None:
        """The subject as it stands now is what the records lead to."""
        if state is None:
            return
        if row.sealed is None or self._vault.open(key, "state", row.subject, bytes(row.sealed)) != machine.dump(state):
            raise _Fault("the stored state is not the one that the records lead to")
        projected = machine.project(state)
        clear = (projected.status, projected.verdict, projected.chain, projected.counterparty)
        if (row.status, row.verdict, row.chain, row.counterparty) != clear:
            raise _Fault("the row says something else than the state")


def _same_input(stored: Any, body: dict[str, Any]) -> bool:
    """The clear columns of the input say what was recorded."""
    said = (bytes(stored.fingerprint).hex(), stored.type, stored.status, stored.code, stored.record)
    return bool(said == (body["input"], body["type"], body["status"], body["code"], body["record"]))


def _reply_of(decision: Decision[Any]) -> Any:
    """The last reply of a decision as it reads back from JSON."""
    bodies = [effect.body for effect in decision.effects if isinstance(effect, Reply)]
    return orjson.loads(orjson.dumps(bodies[-1])) if bodies else None


def _event(effect: Emit | Alert) -> tuple[str, str]:
    return ("alerts", "operator.alert.v1") if isinstance(effect, Alert) else (effect.topic, effect.type)
