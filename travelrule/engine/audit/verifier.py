"""``audit verify``: prove that the record is complete, unchanged, and what the rules produce (design section 4).

Per subject: the records form a chain that ends in the stored head; every input is present as it was decided on; where
the running version of the machine decided, deciding again under the recorded policy and profile produces the recorded
state and events; the stored state is the last one.
For all subjects: the heads are in the Merkle log, and its roots are signed.

The check may run beside working processes: the log is read before the subjects, which only grow, and each subject is
read in one snapshot. Not proved: the outbox (its events are on Kafka) and the rows that searches read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select, text

from travelrule.crypto.audit_chain import CHAIN_START, record_hash, verify_root
from travelrule.crypto.merkle import Frontier
from travelrule.engine.audit.log import leaf
from travelrule.engine.audit.recompute import RecordVerifier
from travelrule.engine.vault import Vault
from travelrule.machine.port import Machine
from travelrule.policy.policy import OwnVasp
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.policies import PolicyRepository

PAGE = 500

_ORPHANS = text(
    "SELECT DISTINCT a.subject FROM audit a LEFT JOIN subjects s ON s.vasp = a.vasp AND s.subject = a.subject"
    " WHERE a.vasp = :vasp AND s.subject IS NULL ORDER BY a.subject"
)


@dataclass(slots=True)
class AuditReport:
    """The counts of checked records, and the faults found; ``faults`` name subjects and records, never content.

    ``recomputed``: decided again with the same result. ``under_present_profile``: those of them that name no profile,
    because they are older than profile versions, and were decided again under the present one. ``earlier_version`` and
    ``later_version``: decided by another version of the machine (later: the installation was rolled back); chain,
    inputs, answers, event order and last state were checked, not the decisions. ``not_kept``: records of erased
    subjects; their chain and the fingerprints of their inputs were checked.
    """

    subjects: int = 0
    records: int = 0
    recomputed: int = 0
    under_present_profile: int = 0
    earlier_version: int = 0
    later_version: int = 0
    not_kept: int = 0
    roots: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return not self.faults


@dataclass(slots=True)
class _Seen:
    """The heads of all chains, and per subject the last record that its row marks as logged."""

    heads: dict[tuple[str, int], bytes] = field(default_factory=dict)
    logged: set[tuple[str, int]] = field(default_factory=set)


class AuditVerifier:
    """Checks one VASP's audit. ``audit_public`` is the public key of ``AUDIT_KEY``, base64."""

    def __init__(
        self,
        database: Database,
        vasp: str,
        vault: Vault,
        machines: Mapping[str, Machine],
        policies: PolicyRepository,
        own: OwnVasp,
        audit_public: str,
    ) -> None:
        self._database = database
        self._vasp = vasp
        self._recomputing = RecordVerifier(vault, machines, policies, own)
        self._audit_public = audit_public

    async def verify(self) -> AuditReport:
        """Check everything."""
        report = AuditReport()
        leaves, roots = await self._read_log()
        seen = await self._subjects(report)
        report.under_present_profile = self._recomputing.under_present_profile
        self._check_log(report, seen, leaves, roots)
        await self._check_logged(report, seen, leaves)
        return report

    async def fault_of(self, subject: str) -> str | None:
        """Check one subject: its chain, inputs and state, and that the log has the record that it is logged with."""
        report, seen = AuditReport(), _Seen()
        await self._subject(subject, report, seen)
        await self._check_logged(report, seen, ())
        return report.faults[0] if report.faults else None

    async def _read_log(self) -> tuple[Sequence[Any], Sequence[Any]]:
        log, roots = tables.audit_log, tables.audit_roots
        async with self._database.snapshot() as connection:
            leaves = (await connection.execute(select(log).where(log.c.vasp == self._vasp).order_by(log.c.leaf))).all()
            signed = select(roots).where(roots.c.vasp == self._vasp).order_by(roots.c.size)
            return leaves, (await connection.execute(signed)).all()

    async def _subjects(self, report: AuditReport) -> _Seen:
        seen = _Seen()
        table = tables.subjects
        after = ""
        while True:
            query = (
                select(table.c.subject)
                .where(table.c.vasp == self._vasp, table.c.subject > after)
                .order_by(table.c.subject)
                .limit(PAGE)
            )
            async with self._database.read() as connection:
                page = (await connection.execute(query)).scalars().all()
            for subject in page:
                await self._subject(subject, report, seen)
            if len(page) < PAGE:
                break
            after = page[-1]
        async with self._database.read() as connection:
            for subject in (await connection.execute(_ORPHANS, {"vasp": self._vasp})).scalars():
                report.faults.append(f"{subject}: its records are there, the subject is not")
        return seen

    async def _subject(self, subject: str, report: AuditReport, seen: _Seen) -> None:
        async with self._database.snapshot() as connection:
            row = (await connection.execute(self._of(tables.subjects, subject))).one()
            records = (await connection.execute(self._of(tables.audit, subject).order_by(tables.audit.c.record))).all()
            inputs = (await connection.execute(self._of(tables.inputs, subject))).all()
            key_row = (await connection.execute(self._of(tables.data_keys, subject))).first()
        if row.logged_records:
            seen.logged.add((subject, row.logged_records))
        if not (row.records or records or inputs):
            return
        report.subjects += 1
        head = CHAIN_START
        for number, record in enumerate(records, start=1):
            head = record_hash(head, bytes(record.body))
            report.records += 1
            if record.record != number or bytes(record.hash) != head:
                report.faults.append(f"{subject}: record {number} was changed or is missing")
                return
            seen.heads[subject, number] = head
        if bytes(row.head) != head or row.records != len(records):
            report.faults.append(f"{subject}: the chain does not end in the subject's head")
            return
        if len(inputs) != len(records):
            report.faults.append(f"{subject}: {len(records)} records, but {len(inputs)} inputs")
            return
        if key_row is None:
            report.not_kept += len(records)
            fault = self._recomputing.check_kept(records, inputs)
        else:
            proof = await self._recomputing.check(row, bytes(key_row.wrapped), records, inputs)
            report.recomputed += proof.recomputed
            report.earlier_version += proof.earlier
            report.later_version += proof.later
            fault = proof.fault
        report.faults += [f"{subject}: {fault}"] if fault else []

    def _check_log(self, report: AuditReport, seen: _Seen, leaves: Sequence[Any], roots: Sequence[Any]) -> None:
        for row in leaves:
            if seen.heads.get((row.subject, row.record)) != bytes(row.head):
                report.faults.append(f"{row.subject}: the log knows a head at record {row.record} that is not there")
        frontier = Frontier()
        for row in roots:
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

    async def _check_logged(self, report: AuditReport, seen: _Seen, leaves: Sequence[Any]) -> None:
        """Find subjects marked as logged that the log lacks: the log was cut together with its roots."""
        known = {(row.subject, row.record) for row in leaves}
        log = tables.audit_log
        for subject, record in sorted(seen.logged - known):
            query = select(log.c.leaf).where(log.c.vasp == self._vasp, log.c.subject == subject, log.c.record == record)
            async with self._database.read() as connection:  # logged since the log was read?
                if (await connection.execute(query)).first() is None:
                    report.faults.append(f"{subject}: the log does not know record {record} any more")

    def _of(self, table: Any, subject: str) -> Any:
        return select(table).where(table.c.vasp == self._vasp, table.c.subject == subject)
