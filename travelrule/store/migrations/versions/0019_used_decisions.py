"""Signed decisions that were used, and dead letters by the key of their record.

The keys of the dead letters that are there already are sealed with their content: those have no index.
"""

import sqlalchemy as sa
from alembic import op

from travelrule.store.types import Instant

revision = "0019"
down_revision = "0018"
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
    op.add_column("dead_letters", sa.Column("key_index", sa.LargeBinary()))
    op.create_index("ix_dead_letters_key_index", "dead_letters", ["vasp", "key_index"])
