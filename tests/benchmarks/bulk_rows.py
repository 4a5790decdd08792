"""Fills tables with concluded withdrawals by bulk SQL: as many rows as a VASP has after years, in a minute or two.

The rows are of the right shape and size, not readable: their sealed content is noise, as it is to anybody without the
key. Ids come sorted, so that the indexes are built at their ends.
"""

from __future__ import annotations

import asyncpg

from travelrule.engine.vault import Vault

ADDRESS = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"

_NUMBERS = (
    "CREATE TEMP TABLE filled AS SELECT md5(n::text) AS id, n, sha256(n::text::bytea) AS noise,"
    " now() - n * interval '1 second' AS at FROM generate_series(1, {count}) n ORDER BY 1"
)
_BLOB = "noise || noise || noise || noise || noise || noise || noise || noise || noise || noise"
_ROWS = {
    "data_keys": "SELECT 'north', 'withdrawal:' || id, noise || noise, at FROM filled",
    "subjects": (
        "SELECT 'north', 'withdrawal:' || id, 'withdrawal', 'processing', 'allow', 'broadcast', 'robot-de', NULL, '',"
        " NULL, 0, '{}', noise, 5, 5, at, at FROM filled"
    ),
    "inputs": (
        "SELECT 'north', '/platform', id, 'withdrawal:' || id, 1, 'withdrawal.requested.v1', noise,"
        f" {_BLOB}, NULL, 'applied', '', at FROM filled"
    ),
    "audit": f"SELECT 'north', 'withdrawal:' || id, 1, {_BLOB}, noise, at FROM filled",
    "withdrawals": (
        "SELECT 'north', id, 'withdrawal:' || id, 'XRP', 'XRP', 250.5, 3757500, 'USD', noise, $1::bytea,"
        " id || id, id || id, NULL, at FROM filled"
    ),
    "exchanges": (
        "SELECT 'north', 'originator', 'robot-de', id, 'withdrawal:' || id, 'processing', 'broadcast', id || id,"
        " id || id, NULL, noise, at, at FROM filled"
    ),
}
_COLUMNS = {
    "data_keys": "vasp, subject, wrapped, created_at",
    "subjects": (
        "vasp, subject, kind, status, verdict, chain, counterparty, due_at, due_timer, sealed, parked, sequences, head,"
        " records, logged_records, created_at, updated_at"
    ),
    "inputs": "vasp, source, id, subject, record, type, fingerprint, sealed, reply, status, code, received_at",
    "audit": "vasp, subject, record, body, hash, at",
    "withdrawals": (
        "vasp, withdrawal_id, subject, currency, network, amount, fiat_minor, fiat_currency, customer_index,"
        " address_index, txid, txid_key, vout, created_at"
    ),
    "exchanges": (
        "vasp, side, counterparty, transfer_id, subject, status, chain, txid, txid_key, vout, address_index,"
        " created_at, updated_at"
    ),
}


async def fill(dsn: str, count: int, vault: Vault) -> None:
    """Put ``count`` withdrawals to ``ADDRESS`` and all their rows into the database of ``dsn`` (SQLAlchemy URL)."""
    connection = await asyncpg.connect(dsn.replace("+asyncpg", ""), command_timeout=None)
    try:
        await connection.execute("SET synchronous_commit = off")  # only of this session, whose rows may be lost
        await connection.execute("SET maintenance_work_mem = '64MB'")
        await connection.execute(_NUMBERS.format(count=count))
        for table, rows in _ROWS.items():
            values = [vault.index.of("address", ADDRESS)] if "$1" in rows else []
            # The names are those above.
            await connection.execute(f"INSERT INTO {table} ({_COLUMNS[table]}) {rows}", *values)
        await connection.execute("DROP TABLE filled")
        await connection.execute("VACUUM ANALYZE")
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()


async def some_txids(dsn: str, count: int) -> list[str]:
    """Txids of ``count`` filled withdrawals, spread over all of them."""
    connection = await asyncpg.connect(dsn.replace("+asyncpg", ""), command_timeout=None)
    try:
        rows = await connection.fetch(
            "SELECT txid FROM withdrawals WHERE txid IS NOT NULL ORDER BY customer_index LIMIT $1", count
        )
    finally:
        await connection.close()
    return [row["txid"] for row in rows]
