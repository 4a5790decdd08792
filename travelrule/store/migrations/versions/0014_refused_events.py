"""Outgoing events that the broker will never take are marked, and found quickly."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("outbox", sa.Column("refused", sa.Text(), nullable=True))
    op.create_index(
        "ix_outbox_refused",
        "outbox",
        ["vasp"],
        postgresql_where=sa.text("refused IS NOT NULL"),
        sqlite_where=sa.text("refused IS NOT NULL"),
    )
