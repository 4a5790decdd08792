"""The stored history of one subject, read to decide it again: its inputs in order, the time of each decision and the
policy it was made under.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from pydantic import ValidationError
from sqlalchemy import select

from travelrule.crypto.errors import AtRestError
from travelrule.engine.audit.record import FIRST_DEFAULTS, machine_version
from travelrule.engine.input_envelope import unpack
from travelrule.engine.vault import Vault
from travelrule.identity.profile import VaspProfile
from travelrule.machine.input import Input
from travelrule.policy.policy import DEFAULTS, OwnVasp, Policy, own_version
from travelrule.policy.policy_file import PolicyFaults
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.policies import PolicyRepository


class RecordedPolicies:
    """The policies and profiles of our VASP that records name, each read once.

    ``own`` is the present profile. It is used only for records that name none.
    """

    def __init__(self, policies: PolicyRepository, own: OwnVasp) -> None:
        self._policies = policies
        self._own = own
        self._by_version: dict[str, Policy | None] = {}
        self._profiles: dict[str, OwnVasp | None] = {}
        self._kept: dict[str, bool] = {}

    async def own_at(self, body: Mapping[str, Any]) -> OwnVasp | None:
        """Our profile at the time of a record; None if it is missing or was changed."""
        version = body.get("profileVersion")
        if version is None:
            return self._own
        if version not in self._profiles:
            content = await self._policies.profile(version)
            self._profiles[version] = None if content is None or own_version(content) != version else _own(content)
        return self._profiles[version]

    async def policy(self, version: str) -> Policy | None:
        """The policy of this version, without a profile; None if it is missing, or its content was changed."""
        if version not in self._by_version:
            stored = await self._policies.by_version(version)
            policy = None if stored is None else _policy(stored.content)
            if policy is not None and policy.version != version:
                policy = None  # its content was changed
            self._by_version[version] = policy
        return self._by_version[version]

    async def fault(self, body: Mapping[str, Any]) -> str:
        """Return the fault in the policy or profile that a record of another machine version names; empty: none.

        Both must be stored. This release need not be able to use them. It cannot detect a changed policy if its
        built-in rules differ from those of the release that wrote the record.
        """
        version, profile = body["policyVersion"], body.get("profileVersion")
        if not await self._policy_is_kept(version, body.get("policyDefaults", FIRST_DEFAULTS)):
            return f"policy {version} of record {body['record']} is missing"
        if profile is not None and not await self._profile_is_kept(profile):
            return f"profile {profile} of record {body['record']} is missing or was changed"
        return ""

    async def _policy_is_kept(self, version: str, defaults: int) -> bool:
        name = f"policy {version} {defaults}"
        if name not in self._kept:
            stored = await self._policies.by_version(version)
            read = None if stored is None else _policy(stored.content)
            changed = read is not None and read.version != version and defaults == DEFAULTS
            self._kept[name] = stored is not None and not changed
        return self._kept[name]

    async def _profile_is_kept(self, version: str) -> bool:
        name = f"profile {version}"
        if name not in self._kept:
            content = await self._policies.profile(version)
            self._kept[name] = content is not None and own_version(content) == version
        return self._kept[name]


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """One input with the time, policy and machine version of its decision.

    ``state`` is the fingerprint (hex) of the state it led to.
    """

    item: Input
    at: datetime
    policy: Policy
    state: str
    version: int


@dataclass(frozen=True, slots=True)
class SubjectHistory:
    """The steps of a subject. ``missing`` is the reason why they cannot be read, without content; then there are none.

    ``verdict`` and ``status`` are columns of the subject's row: its verdict, and the status of its exchange.
    """

    subject: str
    steps: Sequence[HistoryStep] = field(default=(), repr=False)
    missing: str = ""
    verdict: str = ""
    status: str = ""


class HistoryReader:
    """Reads one subject at a time, each in one snapshot; writes nothing."""

    def __init__(self, database: Database, vasp: str, vault: Vault, policies: PolicyRepository, own: OwnVasp) -> None:
        self._database = database
        self._vasp = vasp
        self._vault = vault
        self._policies = RecordedPolicies(policies, own)

    async def touched(self, since: datetime, kinds: Sequence[str], after: str, count: int) -> Sequence[str]:
        """The next ``count`` subjects of these kinds that changed since ``since``, ordered by name."""
        table = tables.subjects
        query = (
            select(table.c.subject)
            .where(table.c.vasp == self._vasp, table.c.subject > after)
            .where(table.c.kind.in_(kinds), table.c.updated_at >= since, table.c.records > 0)
            .order_by(table.c.subject)
            .limit(count)
        )
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalars().all()

    async def read(self, subject: str) -> SubjectHistory:
        """The stored history of a subject."""
        async with self._database.snapshot() as connection:
            row = (await connection.execute(self._of(tables.subjects, subject))).first()
            records = (await connection.execute(self._of(tables.audit, subject).order_by(tables.audit.c.record))).all()
            inputs = (await connection.execute(self._of(tables.inputs, subject))).all()
            wrapped = (await connection.execute(self._of(tables.data_keys, subject))).first()
        if row is None:
            return SubjectHistory(subject, missing="it is not there")
        if wrapped is None:
            return SubjectHistory(subject, missing="its data were erased", verdict=row.verdict)
        by_name = {(stored.source, stored.id): bytes(stored.sealed) for stored in inputs}
        try:
            key = self._vault.unwrap(subject, bytes(wrapped.wrapped))
            steps = [await self._step(subject, key, orjson.loads(bytes(record.body)), by_name) for record in records]
        except AtRestError:
            return SubjectHistory(subject, missing="something sealed was changed", verdict=row.verdict)
        except (ValidationError, KeyError):
            missing = "another version of the program took an input that this one cannot read"
            return SubjectHistory(subject, missing=missing, verdict=row.verdict)
        whole = [step for step in steps if step is not None]
        if len(whole) < len(records):
            missing = "an input, or the policy that decided it, is missing: see audit verify"
            return SubjectHistory(subject, missing=missing, verdict=row.verdict)
        return SubjectHistory(subject, whole, verdict=row.verdict, status=row.status)

    async def _step(
        self, subject: str, key: bytes, body: dict[str, Any], by_name: dict[tuple[str, str], bytes]
    ) -> HistoryStep | None:
        sealed = by_name.get((body["source"], body["id"]))
        policy = await self._policies.policy(body["policyVersion"])
        own = await self._policies.own_at(body)
        if sealed is None or policy is None or own is None:
            return None
        item = unpack(self._vault.open(key, "input", subject, sealed))
        return HistoryStep(
            item, datetime.fromisoformat(body["at"]), policy.with_own(own), body["state"], machine_version(body)
        )

    def _of(self, table: Any, subject: str) -> Any:
        return select(table).where(table.c.vasp == self._vasp, table.c.subject == subject)


def _policy(content: str) -> Policy | None:
    """Read a stored policy; None if this version of the program cannot."""
    try:
        return Policy.from_toml(content)
    except PolicyFaults:
        return None


def _own(content: str) -> OwnVasp | None:
    """Read a stored profile; None if this version of the program cannot."""
    said = orjson.loads(content)
    try:
        profile = None if said["profile"] is None else VaspProfile.model_validate_json(orjson.dumps(said["profile"]))
    except ValidationError:
        return None
    return OwnVasp(said["entityId"], said["origin"], profile)
