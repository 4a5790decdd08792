"""Subject rows and the rows that searches read, derived from the states of a batch."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.engine.slots import Slot
from travelrule.engine.vault import Vault
from travelrule.exchange.decision import ExchangeRow, Projection, WalletRow, WithdrawalRow
from travelrule.exchange.machine import Machine
from travelrule.identity.addresses import txid_key
from travelrule.store import bulk, tables

Row = dict[str, Any]


async def write_subjects(
    connection: AsyncConnection,
    slots: Iterable[Slot],
    machines: dict[str, Machine],
    vault: Vault,
    vasp: str,
    now: datetime,
) -> None:
    """Update every changed subject and upsert the search rows that differ from before."""
    subjects: list[Row] = []
    withdrawals: list[Row] = []
    exchanges: list[Row] = []
    wallets: list[Row] = []
    removed: list[Row] = []
    for slot in slots:
        if not slot.changed or not slot.stored:
            continue
        projection = _project(slot, machines)
        sealed = None
        if slot.state is not None:
            sealed = vault.seal(slot.data_key, "state", slot.subject, machines[slot.kind].dump(slot.state))
        subjects.append(_subject_row(vasp, slot, projection, sealed, now))
        before = set(slot.projection.rows) if slot.projection is not None and slot.projection.rows else set()
        for row in projection.rows:
            if row in before:
                continue
            match row:
                case WithdrawalRow():
                    withdrawals.append(_withdrawal(vasp, slot, row, vault, now))
                case ExchangeRow():
                    exchanges.append(_exchange(vasp, slot, row, vault, now))
                case WalletRow(removed=True):
                    removed.append({"vasp": vasp, "wallet_id": row.wallet_id})
                case WalletRow():
                    wallets.append(_wallet(vasp, slot, row, vault, now))
    await bulk.update(connection, tables.subjects, subjects)
    await bulk.insert(connection, tables.withdrawals, withdrawals, conflict="update")
    await bulk.insert(connection, tables.exchanges, exchanges, conflict="update")
    await bulk.insert(connection, tables.wallets, wallets, conflict="update")
    await bulk.delete(connection, tables.wallets, removed)


def _project(slot: Slot, machines: dict[str, Machine]) -> Projection:
    if slot.state is None:
        return Projection(due_at=slot.due_at, due_timer="parked" if slot.due_at else "")
    return machines[slot.kind].project(slot.state)


def _subject_row(vasp: str, slot: Slot, projection: Projection, sealed: bytes | None, now: datetime) -> Row:
    return {
        "vasp": vasp,
        "subject": slot.subject,
        "status": projection.status,
        "verdict": projection.verdict,
        "chain": projection.chain,
        "counterparty": projection.counterparty,
        "due_at": projection.due_at,
        "due_timer": projection.due_timer,
        "sealed": sealed,
        "parked": slot.parked,
        "sequences": orjson.dumps(slot.sequences).decode(),
        "head": slot.head,
        "records": slot.records,
        "updated_at": now,
    }


def _withdrawal(vasp: str, slot: Slot, row: WithdrawalRow, vault: Vault, now: datetime) -> Row:
    return {
        "vasp": vasp,
        "withdrawal_id": row.withdrawal_id,
        "subject": slot.subject,
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


def _exchange(vasp: str, slot: Slot, row: ExchangeRow, vault: Vault, now: datetime) -> Row:
    return {
        "vasp": vasp,
        "side": row.side,
        "counterparty": row.counterparty,
        "transfer_id": row.transfer_id,
        "subject": slot.subject,
        "status": row.status,
        "chain": row.chain,
        "txid": row.txid,
        "txid_key": txid_key(row.txid) if row.txid else None,
        "vout": row.vout,
        "address_index": vault.index.of("address", row.address) if row.address else None,
        "created_at": now,
        "updated_at": now,
    }


def _wallet(vasp: str, slot: Slot, row: WalletRow, vault: Vault, now: datetime) -> Row:
    content = {"customerId": row.customer_id, "tag": row.tag, "owner": row.owner}
    return {
        "vasp": vasp,
        "wallet_id": row.wallet_id,
        "subject": slot.subject,
        "address_index": vault.index.of("address", row.address),
        "customer_index": vault.index.of("customer", row.customer_id),
        "currencies": orjson.dumps(row.currencies).decode(),
        "networks": orjson.dumps(row.networks).decode(),
        "kyc": row.kyc,
        "sealed": vault.seal(slot.data_key, "wallet", slot.subject, orjson.dumps(content)),
        "created_at": now,
    }
