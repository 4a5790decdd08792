"""``audit verify``: prove that the record is whole, unchanged, and what the rules give (design section 4).

Per subject: the records form a chain that ends in the stored head; every input is there, as it was decided
on; deciding again under the recorded policy gives the recorded state and events. Over all: the heads stand in the
Merkle log, whose roots are signed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import select

from travelrule.crypto.audit_chain import CHAIN_START, Frontier, record_hash, verify_root
from travelrule.engine.audit_log import leaf
from travelrule.engine.envelope import unpack
from travelrule.engine.vault import Vault
from travelrule.exchange.decision import Alert, Emit
from travelrule.exchange.machine import Machine
from travelrule.policy.policy import OwnVasp, Policy
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.policies import Policies

PAGE = 500


@dataclass(slots=True)
class Report:
    """What was checked and what is wrong; ``faults`` name subjects and records, never content."""

    subjects: int = 0
    records: int = 0
    recomputed: int = 0
    roots: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


class Verifier:
    """Checks one VASP's audit. ``audit_public`` is the public key of ``AUDIT_KEY``, base64."""

    def __init__(
        self,
        database: Database,
        vasp: str,
        vault: Vault,
        machines: Mapping[str, Machine],
        policies: Policies,
        own: OwnVasp,
        audit_public: str,
    ) -> None:
        self._database = database
        self._vasp = vasp
        self._vault = vault
        self._machines = machines
        self._policies = policies
        self._own = own
        self._audit_public = audit_public
        self._by_version: dict[str, Policy | None] = {}

    async def verify(self) -> Report:
        """Check everything."""
        report = Report()
        heads = await self._subjects(report)
        await self._log(report, heads)
        return report

    async def _subjects(self, report: Report) -> dict[tuple[str, int], bytes]:
        heads: dict[tuple[str, int], bytes] = {}
        table = tables.subjects
        after = ""
        while True:
            query = (
                select(table)
                .where(table.c.vasp == self._vasp, table.c.subject > after)
                .order_by(table.c.subject)
                .limit(PAGE)
            )
            async with self._database.read() as connection:
                page = (await connection.execute(query)).all()
            for row in page:
                if row.records:
                    await self._subject(row, report, heads)
            if len(page) < PAGE:
                return heads
            after = page[-1].subject

    async def _subject(self, row: Any, report: Report, heads: dict[tuple[str, int], bytes]) -> None:
        report.subjects += 1
        async with self._database.read() as connection:
            records = (
                await connection.execute(self._of(tables.audit, row.subject).order_by(tables.audit.c.record))
            ).all()
            inputs = (await connection.execute(self._of(tables.inputs, row.subject))).all()
            key_row = (await connection.execute(self._of(tables.data_keys, row.subject))).first()
        head = CHAIN_START
        for number, record in enumerate(records, start=1):
            head = record_hash(head, bytes(record.body))
            report.records += 1
            if record.record != number or bytes(record.hash) != head:
                report.faults.append(f"{row.subject}: record {number} was changed or is missing")
                return
            heads[row.subject, number] = head
        if bytes(row.head) != head or row.records != len(records):
            report.faults.append(f"{row.subject}: the chain does not end in the subject's head")
            return
        if key_row is not None:
            await self._recompute(row.subject, bytes(key_row.wrapped), records, inputs, report)

    async def _recompute(self, subject: str, wrapped: bytes, records: Any, inputs: Any, report: Report) -> None:
        key = self._vault.unwrap(subject, wrapped)
        machine = self._machines[subject.partition(":")[0]]
        sealed = {(row.source, row.id): row for row in inputs}
        state: Any = None
        for record in records:
            body = orjson.loads(bytes(record.body))
            stored = sealed.get((body["source"], body["id"]))
            if stored is None or bytes(stored.fingerprint).hex() != body["input"]:
                report.faults.append(f"{subject}: the input of record {record.record} is missing or another one")
                return
            item = unpack(self._vault.open(key, "input", subject, bytes(stored.sealed)))
            policy = await self._policy(body["policyVersion"])
            if policy is None:
                report.faults.append(f"{subject}: policy {body['policyVersion']} of record {record.record} is missing")
                return
            decision = machine.decide(state, item, policy, datetime.fromisoformat(body["at"]))
            state = decision.state
            if not self._agrees(subject, body, machine.dump(state), decision.effects):
                report.faults.append(f"{subject}: deciding record {record.record} again gives another result")
                return
            report.recomputed += 1

    def _agrees(self, subject: str, body: dict[str, Any], dumped: bytes, effects: tuple[Any, ...]) -> bool:
        state = self._vault.index.fingerprint(subject.encode(), dumped).hex()
        said = [_event(effect) for effect in effects if isinstance(effect, Emit | Alert)]
        recorded = [(event["topic"], event["type"]) for event in body["events"]]
        return bool(state == body["state"]) and said == recorded

    async def _policy(self, version: str) -> Policy | None:
        if version not in self._by_version:
            stored = await self._policies.by_version(version)
            policy = None if stored is None else Policy.from_toml(stored.content).with_own(self._own)
            self._by_version[version] = policy
        return self._by_version[version]

    async def _log(self, report: Report, heads: dict[tuple[str, int], bytes]) -> None:
        log, roots = tables.audit_log, tables.audit_roots
        async with self._database.read() as connection:
            leaves = (await connection.execute(select(log).where(log.c.vasp == self._vasp).order_by(log.c.leaf))).all()
            signed = (
                await connection.execute(select(roots).where(roots.c.vasp == self._vasp).order_by(roots.c.size))
            ).all()
        for row in leaves:
            if heads.get((row.subject, row.record)) != bytes(row.head):
                report.faults.append(f"{row.subject}: the log knows a head at record {row.record} that is not there")
        frontier = Frontier()
        for row in signed:
            frontier = frontier.appended(
                leaf(entry.subject, entry.record, bytes(entry.head)) for entry in leaves[frontier.size : row.size]
            )
            good = frontier.size == row.size and frontier.root() == bytes(row.root)
            if not good or not verify_root(self._audit_public, row.size, bytes(row.root), row.at, row.signature):
                report.faults.append(f"the signed root of size {row.size} does not fit the log")
                return
            report.roots += 1
        if frontier.size != len(leaves):
            report.faults.append("the log has leaves behind its last signed root")

    def _of(self, table: Any, subject: str) -> Any:
        return select(table).where(table.c.vasp == self._vasp, table.c.subject == subject)


def _event(effect: Emit | Alert) -> tuple[str, str]:
    return ("alerts", "operator.alert.v1") if isinstance(effect, Alert) else (effect.topic, effect.type)
