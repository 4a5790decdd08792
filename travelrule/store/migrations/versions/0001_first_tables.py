"""The first tables."""

import sqlalchemy as sa
from alembic import op

from travelrule.store.types import Amount, Instant

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("record", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "subject", "record", name=op.f("pk_audit")),
    )
    op.create_table(
        "audit_log",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("leaf", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("record", sa.Integer(), nullable=False),
        sa.Column("head", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "leaf", name=op.f("pk_audit_log")),
    )
    op.create_index("ix_audit_log_subject", "audit_log", ["vasp", "subject"], unique=False)
    op.create_table(
        "audit_roots",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("frontier", sa.Text(), nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "size", name=op.f("pk_audit_roots")),
    )
    op.create_table(
        "calls",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("transfer_id", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("due_at", Instant(), nullable=False),
        sa.Column("first_at", Instant(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("key_refreshed", sa.Boolean(), nullable=False),
        sa.Column("deferred", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", Instant(), nullable=True),
        sa.Column("traceparent", sa.Text(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calls")),
    )
    op.create_index("ix_calls_due_at", "calls", ["vasp", "due_at"], unique=False)
    op.create_index("ix_calls_subject", "calls", ["vasp", "subject"], unique=False)
    op.create_table(
        "coin_networks",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("coin", sa.Text(), nullable=False),
        sa.Column("networks", sa.Text(), nullable=False),
        sa.Column("refreshed_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "coin", name=op.f("pk_coin_networks")),
    )
    op.create_table(
        "data_keys",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("wrapped", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "subject", name=op.f("pk_data_keys")),
    )
    op.create_table(
        "dead_letters",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("partition", sa.Integer(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("fix", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("failed_at", Instant(), nullable=False),
        sa.Column("replayed_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("vasp", "id", name=op.f("pk_dead_letters")),
    )
    op.create_table(
        "exchanges",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("side", sa.Text(), nullable=False),
        sa.Column("counterparty", sa.Text(), nullable=False),
        sa.Column("transfer_id", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("txid", sa.Text(), nullable=True),
        sa.Column("txid_key", sa.Text(), nullable=True),
        sa.Column("vout", sa.Text(), nullable=True),
        sa.Column("address_index", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "side", "counterparty", "transfer_id", name=op.f("pk_exchanges")),
    )
    op.create_index("ix_exchanges_address_index", "exchanges", ["vasp", "address_index"], unique=False)
    op.create_index("ix_exchanges_txid_key", "exchanges", ["vasp", "txid_key"], unique=False)
    op.create_table(
        "inputs",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("record", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("reply", sa.LargeBinary(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("received_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "source", "id", name=op.f("pk_inputs")),
    )
    op.create_index("ix_inputs_subject", "inputs", ["vasp", "subject", "record"], unique=False)
    op.create_table(
        "leases",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("until", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "name", name=op.f("pk_leases")),
    )
    op.create_table(
        "nonces",
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("next", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("origin", name=op.f("pk_nonces")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("record_key", sa.LargeBinary(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.Column("headers", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", Instant(), nullable=True),
        sa.Column("sent_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index("ix_outbox_created_at", "outbox", ["vasp", "created_at"], unique=False)
    op.create_index(
        "ix_outbox_unsent",
        "outbox",
        ["vasp", "topic", "key", "id"],
        unique=False,
        postgresql_where=sa.text("sent_at IS NULL"),
        sqlite_where=sa.text("sent_at IS NULL"),
    )
    op.create_table(
        "parked",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("parked_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "source", "id", name=op.f("pk_parked")),
    )
    op.create_index("ix_parked_subject", "parked", ["vasp", "subject"], unique=False)
    op.create_table(
        "policies",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("activated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_policies")),
    )
    op.create_index("ix_policies_vasp", "policies", ["vasp", "id"], unique=False)
    op.create_table(
        "subjects",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("counterparty", sa.Text(), nullable=False),
        sa.Column("due_at", Instant(), nullable=True),
        sa.Column("due_timer", sa.Text(), server_default="", nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=True),
        sa.Column("parked", sa.Integer(), nullable=False),
        sa.Column("sequences", sa.Text(), nullable=False),
        sa.Column("head", sa.LargeBinary(), nullable=False),
        sa.Column("records", sa.Integer(), nullable=False),
        sa.Column("logged_records", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "subject", name=op.f("pk_subjects")),
    )
    op.create_index(
        "ix_subjects_due_at", "subjects", ["due_at"], unique=False, postgresql_where=sa.text("due_at IS NOT NULL")
    )
    op.create_index(
        "ix_subjects_unlogged",
        "subjects",
        ["vasp", "subject"],
        unique=False,
        postgresql_where=sa.text("records > logged_records"),
        sqlite_where=sa.text("records > logged_records"),
    )
    op.create_table(
        "vasps",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("entity_id", sa.Text(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("health", sa.Text(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.Column("refreshed_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "entity_id", name=op.f("pk_vasps")),
    )
    op.create_table(
        "wallets",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("wallet_id", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("address_index", sa.LargeBinary(), nullable=False),
        sa.Column("customer_index", sa.LargeBinary(), nullable=False),
        sa.Column("currencies", sa.Text(), nullable=False),
        sa.Column("networks", sa.Text(), nullable=False),
        sa.Column("kyc", sa.Boolean(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "wallet_id", name=op.f("pk_wallets")),
    )
    op.create_index("ix_wallets_address_index", "wallets", ["vasp", "address_index"], unique=False)
    op.create_table(
        "withdrawals",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("withdrawal_id", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("network", sa.Text(), nullable=False),
        sa.Column("amount", Amount(), nullable=False),
        sa.Column("fiat_minor", sa.BigInteger(), nullable=False),
        sa.Column("fiat_currency", sa.Text(), nullable=False),
        sa.Column("customer_index", sa.LargeBinary(), nullable=False),
        sa.Column("address_index", sa.LargeBinary(), nullable=False),
        sa.Column("txid", sa.Text(), nullable=True),
        sa.Column("txid_key", sa.Text(), nullable=True),
        sa.Column("vout", sa.Text(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "withdrawal_id", name=op.f("pk_withdrawals")),
    )
    op.create_index(
        "ix_withdrawals_customer_index", "withdrawals", ["vasp", "customer_index", "created_at"], unique=False
    )
    op.create_index("ix_withdrawals_txid_key", "withdrawals", ["vasp", "txid_key"], unique=False)
