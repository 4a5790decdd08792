"""Subjects of any age and state, for the tests of retention."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from schemas.events.deposits import DepositDetected
from tests.contract.store.rows import NOW, read, write
from tests.support.events import WITHDRAWAL_ID, requested
from travelrule.crypto.audit_chain import CHAIN_START
from travelrule.deposits.state import DepositState
from travelrule.engine.registry import MACHINES
from travelrule.engine.retention.job import RetentionJob
from travelrule.engine.vault import Vault
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.machine.case import Case
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository

DAY = timedelta(days=1)
YEARS = Policy.from_toml("[retention]\nsubjects = 1825\nsearches = 30\nevents = 60\ndead_letters = 90\n")
LATE = NOW + 1826 * DAY
inputs, subjects, keys = tables.inputs, tables.subjects, tables.data_keys


def retention(
    database: Database, vault: Vault, now: datetime, rules: Policy = YEARS, owner: str = "p1"
) -> RetentionJob:
    leases = LeaseRepository(database, "north", owner, lambda: now)
    return RetentionJob(database, "north", vault, MACHINES, leases, lambda: rules, lambda: now)


async def put(database: Database, vault: Vault, states: Mapping[str, Any], **changes: Any) -> None:
    """Subjects in some state, each with one input."""
    rows: list[dict[str, Any]] = []
    wrapped, known = [], []
    for subject, state in states.items():
        key, stored = vault.new_data_key(subject)
        kind = subject.partition(":")[0]
        machine = MACHINES[kind]
        projected = machine.project(state)
        row = {
            "vasp": "north",
            "subject": subject,
            "kind": kind,
            "status": projected.status,
            "verdict": projected.verdict,
            "chain": projected.chain,
            "counterparty": projected.counterparty,
            "due_at": projected.due_at,
            "due_timer": projected.due_timer,
            "sealed": vault.seal(key, "state", subject, machine.dump(state)),
            "parked": 0,
            "sequences": "{}",
            "head": CHAIN_START,
            "records": 0,
            "created_at": NOW,
            "updated_at": NOW,
        }
        rows.append({**row, **changes})
        wrapped.append({"vasp": "north", "subject": subject, "wrapped": stored, "created_at": NOW})
        known.append(
            {
                "vasp": "north",
                "source": "/platform",
                "id": subject,
                "subject": subject,
                "record": 1,
                "type": "t",
                "fingerprint": b"f",
                "sealed": vault.seal(key, "input", subject, b"content"),
                "reply": None,
                "status": "applied",
                "code": "",
                "received_at": NOW,
            }
        )
    await write(database, subjects, rows)
    await write(database, keys, wrapped)
    await write(database, inputs, known)


def sent(name: str = WITHDRAWAL_ID, **changes: Any) -> WithdrawalState:
    """A withdrawal that is through."""
    return WithdrawalState(name, "f", requested(withdrawalId=name), chain="final", case=Case("allow"), **changes)


def deposit(name: str, status: str) -> DepositState:
    facts = {
        "depositId": name,
        "currency": "XRP",
        "network": "XRP",
        "amount": "1",
        "txid": "AB" * 32,
        "address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
        "tradePrice": "1",
        "tradeCurrency": "USD",
        "isExceedingThreshold": False,
    }
    return DepositState(name, "f", DepositDetected.model_validate(facts), status=status)


async def given_up(database: Database) -> set[str]:
    """The subjects without a key, which must be those without any content."""
    left = {row.subject for row in await read(database, keys)}
    gone = {row.subject for row in await read(database, subjects)} - left
    assert {row.subject for row in await read(database, subjects, subjects.c.sealed.is_(None))} == gone
    assert {row.subject for row in await read(database, inputs) if not bytes(row.sealed)} == gone
    return gone
