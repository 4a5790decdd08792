"""Signed decisions that were used."""

import sqlalchemy as sa
from alembic import op

from travelrule.store.types import Instant

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "used_decisions",
        *(sa.Column(name, sa.Text(), primary_key=True) for name in ("vasp", "source", "id")),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
    )
    op.create_index("ix_used_decisions_expires_at", "used_decisions", ["expires_at"])
