"""The tables (design section 4). Each has the column ``vasp``, our entity id.

Clear columns are those that SQL must find, sum or order by. Everything personal is in a ``sealed`` column under the
subject's data key, or is a blind index (``*_index``).
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    false,
    text,
)

from travelrule.store.dead_letter_tables import dead_letters
from travelrule.store.decision_tables import used_decisions
from travelrule.store.directory_tables import coin_networks, directory_fetches, vasps
from travelrule.store.metadata import metadata
from travelrule.store.process_tables import leases, nonces
from travelrule.store.types import Amount, Instant

__all__ = [
    "coin_networks",
    "dead_letters",
    "directory_fetches",
    "leases",
    "metadata",
    "nonces",
    "used_decisions",
    "vasps",
]  # tables of other modules; this module exports all

ROW_ID = BigInteger().with_variant(Integer(), "sqlite")

inputs = Table(
    "inputs",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("subject", Text, nullable=False),
    Column("record", Integer, nullable=False),
    Column("type", Text, nullable=False),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("reply", LargeBinary),
    Column("status", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("received_at", Instant, nullable=False),
)
Index("ix_inputs_subject", inputs.c.vasp, inputs.c.subject, inputs.c.record)

subjects = Table(
    "subjects",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("chain", Text, nullable=False),
    Column("counterparty", Text, nullable=False),
    Column("due_at", Instant),
    Column("due_timer", Text, nullable=False, server_default=""),
    Column("sealed", LargeBinary),
    Column("parked", Integer, nullable=False),
    Column("sequences", Text, nullable=False),
    Column("head", LargeBinary, nullable=False),
    Column("records", Integer, nullable=False),
    Column("logged_records", Integer, nullable=False, server_default="0"),
    Column("machine_version", Integer, nullable=False, server_default="0"),
    Column("machine_records", Integer, nullable=False, server_default="0"),
    Column("traceparent", Text),
    Column("reason", Text, nullable=False, server_default=""),
    Column("requested_at", Instant),
    Column("answer_due_at", Instant),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
)
Index("ix_subjects_due_at", subjects.c.due_at, postgresql_where=text("due_at IS NOT NULL"))
Index(
    "ix_subjects_unlogged",
    subjects.c.vasp,
    subjects.c.subject,
    postgresql_where=text("records > logged_records"),
    sqlite_where=text("records > logged_records"),
)

Index(
    "ix_subjects_unanswered",
    subjects.c.vasp,
    postgresql_where=text("answer_due_at IS NOT NULL"),
    sqlite_where=text("answer_due_at IS NOT NULL"),
)
Index(
    "ix_subjects_held",
    subjects.c.vasp,
    postgresql_where=text("verdict = 'hold'::text AND due_at IS NOT NULL"),
    sqlite_where=text("verdict = 'hold' AND due_at IS NOT NULL"),
)

data_keys = Table(
    "data_keys",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("wrapped", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False),
)
Index("ix_data_keys_created_at", data_keys.c.vasp, data_keys.c.created_at, data_keys.c.subject)

key_checks = Table(
    "key_checks",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("purpose", Text, primary_key=True),
    Column("key_id", LargeBinary, primary_key=True),
    Column("value", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False),
)

parked = Table(
    "parked",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("subject", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("parked_at", Instant, nullable=False),
)
Index("ix_parked_subject", parked.c.vasp, parked.c.subject)

outbox = Table(
    "outbox",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("vasp", Text, nullable=False),
    Column("topic", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("record_key", LargeBinary),
    Column("subject", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("value", LargeBinary, nullable=False),
    Column("headers", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("lease_owner", Text),
    Column("lease_until", Instant),
    Column("sent_at", Instant),
    Column("refused", Text),
)
Index(
    "ix_outbox_refused",
    outbox.c.vasp,
    postgresql_where=text("refused IS NOT NULL"),
    sqlite_where=text("refused IS NOT NULL"),
)
Index(
    "ix_outbox_unsent",
    outbox.c.vasp,
    outbox.c.topic,
    outbox.c.key,
    outbox.c.id,
    postgresql_where=text("sent_at IS NULL"),
    sqlite_where=text("sent_at IS NULL"),
)
Index("ix_outbox_created_at", outbox.c.vasp, outbox.c.created_at)

calls = Table(
    "calls",
    metadata,
    Column("id", Text, primary_key=True),
    Column("vasp", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("transfer_id", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("first_at", Instant, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("key_refreshed", Boolean, nullable=False),
    Column("deferred", Boolean, nullable=False),
    Column("hub_held", Boolean, nullable=False, server_default=false()),
    Column("ends_unsent", Boolean, nullable=False, server_default=false()),
    Column("note", Text, nullable=False),
    Column("lease_owner", Text),
    Column("lease_until", Instant),
    Column("traceparent", Text),
    Column("created_at", Instant, nullable=False),
)
Index("ix_calls_due_at", calls.c.vasp, calls.c.due_at)
Index("ix_calls_subject", calls.c.vasp, calls.c.subject)

accepted_answers = Table(
    "accepted_answers",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("seal", LargeBinary, primary_key=True),
    Column("transfer_id", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("accepted_at", Instant, nullable=False),
)

tells = Table(
    "tells",
    metadata,
    Column("number", ROW_ID, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False),
    Column("vasp", Text, nullable=False),
    Column("from_subject", Text, nullable=False),
    Column("to_subject", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("traceparent", Text),
    Column("created_at", Instant, nullable=False),
)
Index("ix_tells_id", tells.c.id, unique=True)

searches = Table(
    "searches",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("token", LargeBinary, primary_key=True),
    Column("operation", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
)
Index("ix_searches_created_at", searches.c.vasp, searches.c.created_at, searches.c.token)

withdrawals = Table(
    "withdrawals",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("withdrawal_id", Text, primary_key=True),
    Column("subject", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("network", Text, nullable=False),
    Column("amount", Amount, nullable=False),
    Column("fiat_minor", BigInteger, nullable=False),
    Column("fiat_currency", Text, nullable=False),
    Column("customer_index", LargeBinary, nullable=False),
    Column("address_index", LargeBinary, nullable=False),
    Column("txid", Text),
    Column("txid_key", Text),
    Column("vout", Text),
    Column("created_at", Instant, nullable=False),
)
Index("ix_withdrawals_txid_key", withdrawals.c.vasp, withdrawals.c.txid_key)
Index(
    "ix_withdrawals_customer_index",
    withdrawals.c.vasp,
    withdrawals.c.customer_index,
    withdrawals.c.created_at,
)

exchanges = Table(
    "exchanges",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("side", Text, primary_key=True),
    Column("counterparty", Text, primary_key=True),
    Column("transfer_id", Text, primary_key=True),
    Column("subject", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("chain", Text, nullable=False),
    Column("txid", Text),
    Column("txid_key", Text),
    Column("vout", Text),
    Column("address_index", LargeBinary),
    Column("currency", Text, nullable=False, server_default=""),
    Column("amount", Amount),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
)
Index("ix_exchanges_address_index", exchanges.c.vasp, exchanges.c.address_index, exchanges.c.created_at)
Index("ix_exchanges_txid_key", exchanges.c.vasp, exchanges.c.txid_key)

wallets = Table(
    "wallets",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("wallet_id", Text, primary_key=True),
    Column("subject", Text, nullable=False),
    Column("address_index", LargeBinary, nullable=False),
    Column("customer_index", LargeBinary, nullable=False),
    Column("currencies", Text, nullable=False),
    Column("networks", Text, nullable=False),
    Column("kyc", Boolean, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("revision", Integer, nullable=False, server_default="0"),
    Column("screened_lists", Text, nullable=False, server_default=""),
    Column("sanctioned", Boolean),
    Column("created_at", Instant, nullable=False),
)
Index("ix_wallets_address_index", wallets.c.vasp, wallets.c.address_index)
Index("ix_wallets_screened_lists", wallets.c.vasp, wallets.c.screened_lists, wallets.c.wallet_id)

policies = Table(
    "policies",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("vasp", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("activated_at", Instant, nullable=False),
)
Index("ix_policies_vasp", policies.c.vasp, policies.c.id)

profiles = Table(
    "profiles",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("content", Text, nullable=False),
    Column("first_used_at", Instant, nullable=False),
)

lists = Table(
    "lists",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("code", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("format", Text, nullable=False),
    Column("entries", Integer, nullable=False),
    Column("names", Integer, nullable=False),
    Column("addresses", Integer, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("report", Text, nullable=False),
    Column("published_at", Instant),
    Column("imported_at", Instant, nullable=False),
    Column("active", Boolean, nullable=False),
)
Index(
    "ix_lists_active",
    lists.c.vasp,
    lists.c.code,
    unique=True,
    postgresql_where=text("active"),
    sqlite_where=text("active"),
)

list_chunks = Table(
    "list_chunks",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("code", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("record", Integer, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("sealed_before", LargeBinary),
    Column("hash", LargeBinary, nullable=False),
    Column("at", Instant, nullable=False),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("leaf", BigInteger, primary_key=True, autoincrement=False),
    Column("subject", Text, nullable=False),
    Column("record", Integer, nullable=False),
    Column("head", LargeBinary, nullable=False),
)
Index("ix_audit_log_subject", audit_log.c.vasp, audit_log.c.subject)

audit_roots = Table(
    "audit_roots",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("size", BigInteger, primary_key=True, autoincrement=False),
    Column("frontier", Text, nullable=False),
    Column("root", LargeBinary, nullable=False),
    Column("signature", Text, nullable=False),
    Column("at", Instant, nullable=False),
)
