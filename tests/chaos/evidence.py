"""All that can be seen from outside after a run: topics from the beginning, the hub's journal, the databases."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import orjson

from schemas.moments import read_time
from tests.chaos.answer_proxy import Answer
from tests.chaos.deposit_scenarios import DepositScript
from tests.chaos.fault_run_network import FaultRun
from tests.chaos.forged_callbacks import Forged
from tests.chaos.subject import SubjectScript
from tests.chaos.withdrawal_scenarios import WithdrawalScript
from tests.e2e.commands import travelrule

AUDIT_SECONDS = 900.0
"""How long the proof of a whole run may take on a busy machine: every decision is made once more."""

TABLES = {
    "inputs": "SELECT source, id, type, subject, status, code FROM inputs",
    "exchanges": "SELECT side, counterparty, transfer_id, status, txid, created_at FROM exchanges",
    "subjects": "SELECT subject, kind, status, verdict, parked FROM subjects",
    "calls": "SELECT subject, operation, target, transfer_id, tries FROM calls",
    "searches": "SELECT subject, request_id FROM searches WHERE operation = 'txid-search'",
}


@dataclass(frozen=True, slots=True)
class Said:
    """One record of a downstream topic. ``at`` is the time of its event; dead letters have none and no data."""

    topic: str
    key: str
    value: bytes
    at: datetime | None
    data: dict[str, Any]
    code: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One call through the hub, as its journal has it. ``result`` is what the member said, ``status`` what the caller
    was answered (None: nothing).
    """

    at: datetime
    operation: str
    caller: str
    target: str
    transfer_id: str
    request_id: str
    txid: str
    trace: str
    status: int | None
    error: str
    result: str
    reached: bool
    reason: str = ""

    @property
    def good(self) -> bool:
        """Whether the caller had a usable answer."""
        return self.status == 200


@dataclass
class Evidence:
    """Per VASP what it said and what it stores; once for all what went through the hub and what was asked for.

    ``forged`` and ``interrupted`` as in the fault run; ``answer_proxy`` is what the processes were answered.
    """

    scripts: list[SubjectScript]
    said: dict[str, list[Said]]
    calls: list[Call]
    tables: dict[str, dict[str, list[dict[str, Any]]]]
    audit: dict[str, dict[str, Any]] = field(default_factory=dict)
    forged: Forged = field(default_factory=Counter)
    interrupted: list[tuple[str, str]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    @cached_property
    def answers_of(self) -> defaultdict[str, list[Answer]]:
        """The answers to the requests about each transfer, in order."""
        found: defaultdict[str, list[Answer]] = defaultdict(list)
        for answer in self.answers:
            found[answer.transfer_id].append(answer)
        return found

    @cached_property
    def stories(self) -> list[WithdrawalScript]:
        """The withdrawals."""
        return [script for script in self.scripts if isinstance(script, WithdrawalScript)]

    @cached_property
    def deposits(self) -> list[DepositScript]:
        """The deposits."""
        return [script for script in self.scripts if isinstance(script, DepositScript)]

    @cached_property
    def calls_of(self) -> dict[str, list[Call]]:
        """The calls of each transferId, in order."""
        found: defaultdict[str, list[Call]] = defaultdict(list)
        for call in self.calls:
            if call.transfer_id:
                found[call.transfer_id].append(call)
        return found

    @cached_property
    def requests(self) -> dict[str, list[Call]]:
        """The data requests about each txid, in order."""
        found: defaultdict[str, list[Call]] = defaultdict(list)
        for call in self.calls:
            if call.operation == "data-request":
                found[call.txid].append(call)
        return found

    @cached_property
    def searches(self) -> defaultdict[str, set[str]]:
        """The ids of the TXID searches of each subject."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for tables in self.tables.values():
            for row in tables["searches"]:
                found[row["subject"]].add(row["request_id"])
        return found

    @cached_property
    def attempts(self) -> dict[str, list[Attempt]]:
        """Per withdrawal its exchanges, in the order in which they began."""
        known = {
            (vasp, row["transfer_id"]): Attempt(row["transfer_id"], vasp, row["counterparty"], row["created_at"])
            for vasp, tables in self.tables.items()
            for row in tables["exchanges"]
            if row["side"] == "originating"
        }
        found: defaultdict[str, dict[str, Attempt]] = defaultdict(dict)
        for vasp, said in self.said.items():
            for one in said:
                if one.topic == "exchanges" and one.data["side"] == "originating":
                    name = one.data["transferId"]
                    attempt = found[one.data["withdrawalId"]].setdefault(name, known[vasp, name])
                    attempt.note(one)
        return {one: sorted(attempts.values(), key=lambda each: each.began) for one, attempts in found.items()}

    @cached_property
    def inputs(self) -> dict[tuple[str, str], set[str]]:
        """The ids of the platform's events that are stored, by (VASP, subject's id)."""
        found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for vasp, tables in self.tables.items():
            for row in tables["inputs"]:
                if row["source"] == "/platform":
                    found[vasp, row["subject"].partition(":")[2]].add(row["id"])
        return found

    @cached_property
    def verdicts(self) -> dict[tuple[str, str], dict[int, dict[str, Any]]]:
        """The verdicts by their number, by (VASP, subject's id)."""
        found: defaultdict[tuple[str, str], dict[int, dict[str, Any]]] = defaultdict(dict)
        for vasp, said in self.said.items():
            for one in said:
                if one.topic == "verdicts":
                    found[vasp, one.key][one.data["sequence"]] = one.data
        return found

    @cached_property
    def last_verdicts(self) -> dict[tuple[str, str], tuple[str, str]]:
        """The verdict with the highest number, as (verdict, first reason), by (VASP, subject's id)."""
        last = {name: numbered[max(numbered)] for name, numbered in self.verdicts.items()}
        return {name: (data["verdict"], data["reasons"][0]) for name, data in last.items()}

    @cached_property
    def mirrored(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        """What the other side stores of an exchange, by (its own id, origin, transferId)."""
        return {
            (vasp, row["counterparty"], row["transfer_id"]): row
            for vasp, tables in self.tables.items()
            for row in tables["exchanges"]
            if row["side"] == "beneficiary"
        }

    @cached_property
    def alerts(self) -> dict[str, set[str]]:
        """Alert codes by the id of their subject."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for said in self.said.values():
            for one in said:
                if one.topic == "alerts":
                    found[one.key].add(one.data["code"])
        return found


@dataclass
class Attempt:
    """One exchange as the originating side reported it."""

    transfer_id: str
    vasp: str
    counterparty: str
    began: datetime
    statuses: list[str] = field(default_factory=list)
    txids: set[str] = field(default_factory=set)

    def note(self, said: Said) -> None:
        """One more state."""
        self.statuses.append(said.data["status"])
        if txid := said.data.get("txid"):
            self.txids.add(txid)


async def gather(fault_run: FaultRun, scripts: list[SubjectScript]) -> Evidence:
    """Look at everything there is."""
    network = fault_run.network
    said, tables, audit = {}, {}, {}
    for entity_id, member in network.members.items():
        records = await network.records(entity_id)
        said[entity_id] = [
            read_said(record.topic, record.key or b"", record.value or b"", record.header("travelrule.error.code"))
            for record in records
        ]
        source = network.tables(entity_id)
        tables[entity_id] = {name: [dict(row) for row in await source.rows(query)] for name, query in TABLES.items()}
        verify = ("audit", "verify", "--output", "json")
        proof = await travelrule(member.settings(), *verify, within=AUDIT_SECONDS)
        audit[entity_id] = proof.one if proof.output else {"ok": False, "faults": [proof.errors]}
    calls = [read_call(entry) for entry in network.journal()]
    return Evidence(
        scripts, said, calls, tables, audit, fault_run.forged, fault_run.interrupted, network.answers.answers
    )


def read_said(topic: str, key: bytes, value: bytes, code: str) -> Said:
    """One record of a topic."""
    if topic == "deadletters":
        return Said(topic, key.decode("utf-8", "replace"), value, None, {}, code)
    event = orjson.loads(value)
    return Said(topic, key.decode(), value, read_time(event["time"]), event["data"])


def read_call(entry: dict[str, Any]) -> Call:
    """One entry of the journal."""
    ids = entry["ids"]
    at = read_time(entry["time"])
    assert at is not None
    return Call(
        at=at,
        operation=entry["operation"],
        caller=entry["from"],
        target=entry["to"],
        transfer_id=ids.get("transferId", ""),
        request_id=ids.get("requestId", ""),
        txid=ids.get("txid", ""),
        trace=entry["traceparent"],
        status=entry["status"],
        error=entry["errorType"],
        result=ids.get("result", "").lower(),
        reached=entry["member"]["reached"],
        reason=ids.get("reasonType", ""),
    )
