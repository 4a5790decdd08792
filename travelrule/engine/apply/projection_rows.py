"""The rows of subjects and of searches, derived from the states of a batch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.vault import Vault
from travelrule.identity.account_numbers import place
from travelrule.identity.txids import txid_key
from travelrule.machine.port import Machine
from travelrule.machine.projection import ExchangeRow, Projection, WalletRow, WithdrawalRow
from travelrule.store import tables
from travelrule.store.bulk import BulkWrite
from travelrule.store.types import plain_amount

Row = dict[str, Any]


@dataclass(slots=True)
class _Rows:
    """The rows of one batch by table, in the order in which they are written."""

    new: list[Row] = field(default_factory=list)
    keys: list[Row] = field(default_factory=list)
    subjects: list[Row] = field(default_factory=list)
    erased: list[Row] = field(default_factory=list)
    withdrawals: list[Row] = field(default_factory=list)
    exchanges: list[Row] = field(default_factory=list)
    wallets: list[Row] = field(default_factory=list)
    removed: list[Row] = field(default_factory=list)

    def writes(self) -> list[BulkWrite]:
        """Return the changes in the order in which they are written."""
        return [
            BulkWrite("insert", tables.subjects, self.new),
            BulkWrite("insert", tables.data_keys, self.keys),
            # An upsert finds its row by the key alone; an UPDATE joined to the new values may not.
            BulkWrite("insert", tables.subjects, self.subjects, "update"),
            BulkWrite("update", tables.subjects, self.erased),
            BulkWrite("insert", tables.withdrawals, self.withdrawals, "update"),
            BulkWrite("insert", tables.exchanges, self.exchanges, "update"),
            BulkWrite("insert", tables.wallets, self.wallets, "update"),
            BulkWrite("delete", tables.wallets, self.removed),
        ]


def subject_writes(
    subjects: Iterable[LockedSubject], machines: dict[str, Machine], vault: Vault, vasp: str, now: datetime
) -> list[BulkWrite]:
    """Return the writes of every changed subject and of the search rows that differ from the stored ones."""
    rows = _Rows()
    for subject in subjects:
        if not subject.changed or not (subject.stored or subject.new_key):
            continue
        if subject.erased:
            rows.erased.append(_erased_row(vasp, subject, now))
            continue
        projection = _project(subject, machines)
        subject_row = _subject_row(vasp, subject, projection, _sealed(subject, vault), now)
        if subject.stored:
            rows.subjects.append(subject_row)
        else:
            rows.new.append(subject_row)
            rows.keys.append({"vasp": vasp, "subject": subject.name, "wrapped": subject.new_key, "created_at": now})
        _search_rows(rows, subject, projection, vault, vasp, now)
        subject.projection = projection
    return rows.writes()


def _search_rows(
    rows: _Rows, subject: LockedSubject, projection: Projection, vault: Vault, vasp: str, now: datetime
) -> None:
    before = subject.projection.rows if subject.projection is not None else ()
    for row in projection.rows:
        if row in before:
            continue
        match row:
            case WithdrawalRow():
                rows.withdrawals.append(_withdrawal(vasp, subject, row, vault, now))
            case ExchangeRow():
                rows.exchanges.append(_exchange(vasp, subject, row, vault, now))
            case WalletRow(removed=True):
                rows.removed.append({"vasp": vasp, "wallet_id": row.wallet_id})
            case WalletRow():
                rows.wallets.append(_wallet(vasp, subject, row, vault, now))


def _sealed(subject: LockedSubject, vault: Vault) -> bytes | None:
    """Return the state for the row. Without a decision it stays as stored, byte for byte: its fingerprint is in the
    last audit record, and another version of the machine may write the same state differently.
    """
    return vault.seal(subject.data_key, "state", subject.name, subject.dumped) if subject.dumped else subject.sealed


def _project(subject: LockedSubject, machines: dict[str, Machine]) -> Projection:
    if subject.state is None:
        return Projection(due_at=subject.due_at, due_timer="parked" if subject.due_at else "")
    return subject.projected if subject.projected is not None else machines[subject.kind].project(subject.state)


def _erased_row(vasp: str, subject: LockedSubject, now: datetime) -> Row:
    """Return the columns of an erased subject that may still change."""
    return {
        "vasp": vasp,
        "subject": subject.name,
        "due_at": subject.due_at,
        "sequences": orjson.dumps(subject.sequences).decode(),
        "updated_at": now,
    }


def _subject_row(vasp: str, subject: LockedSubject, projection: Projection, sealed: bytes | None, now: datetime) -> Row:
    return {
        "vasp": vasp,
        "subject": subject.name,
        "kind": subject.kind,
        "status": projection.status,
        "verdict": projection.verdict,
        "chain": projection.chain,
        "counterparty": projection.counterparty,
        "due_at": projection.due_at,
        "due_timer": projection.due_timer,
        "sealed": sealed,
        "parked": subject.parked,
        "sequences": orjson.dumps(subject.sequences).decode(),
        "head": subject.head,
        "records": subject.records,
        "machine_version": subject.machine_version,
        "machine_records": subject.machine_records,
        "traceparent": subject.traceparent,
        "reason": subject.reason,
        "requested_at": subject.requested_at,
        "answer_due_at": subject.answer_due_at,
        "created_at": now,
        "updated_at": now,
    }


def _withdrawal(vasp: str, subject: LockedSubject, row: WithdrawalRow, vault: Vault, now: datetime) -> Row:
    return {
        "vasp": vasp,
        "withdrawal_id": row.withdrawal_id,
        "subject": subject.name,
        "currency": row.currency,
        "network": row.network,
        "amount": row.amount,
        "fiat_minor": row.fiat_minor,
        "fiat_currency": row.fiat_currency,
        "customer_index": vault.index.of("customer", row.customer_id),
        "address_index": vault.index.of("address", row.address),
        "txid": row.txid,
        "txid_key": txid_key(row.txid) if row.txid else None,
        "vout": row.vout,
        "created_at": now,
    }


def _exchange(vasp: str, subject: LockedSubject, row: ExchangeRow, vault: Vault, now: datetime) -> Row:
    return {
        "vasp": vasp,
        "side": row.side,
        "counterparty": row.counterparty,
        "transfer_id": row.transfer_id,
        "subject": subject.name,
        "status": row.status,
        "chain": row.chain,
        "txid": row.txid,
        "txid_key": txid_key(row.txid) if row.txid else None,
        "vout": row.vout,
        "address_index": vault.index.of("address", row.address) if row.address else None,
        "currency": row.currency,
        "amount": plain_amount(row.amount) if row.amount is not None else None,
        "created_at": now,
        "updated_at": now,
    }


def _wallet(vasp: str, subject: LockedSubject, row: WalletRow, vault: Vault, now: datetime) -> Row:
    content = {"customerId": row.customer_id, "tag": row.tag, "owner": row.owner}
    # At a shared address every customer has a tag, and there may be millions of them: the index is over both.
    field, value = ("place", place(row.address, row.tag)) if row.tag else ("address", row.address)
    return {
        "vasp": vasp,
        "wallet_id": row.wallet_id,
        "subject": subject.name,
        "address_index": vault.index.of(field, value),
        "customer_index": vault.index.of("customer", row.customer_id),
        "currencies": orjson.dumps(row.currencies).decode(),
        "networks": orjson.dumps(row.networks).decode(),
        "kyc": row.kyc,
        "sealed": vault.seal(subject.data_key, "wallet", subject.name, orjson.dumps(content)),
        "revision": row.revision,
        "screened_lists": row.screened_lists,
        "sanctioned": row.sanctioned,
        "created_at": now,
    }
