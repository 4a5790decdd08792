"""What one subject tells another."""

import sqlalchemy as sa
from alembic import op

from travelrule.store.types import Instant

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tells",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("from_subject", sa.Text(), nullable=False),
        sa.Column("to_subject", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("traceparent", sa.Text(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_tells")),
    )
    op.create_index("ix_tells_id", "tells", ["id"], unique=True)
