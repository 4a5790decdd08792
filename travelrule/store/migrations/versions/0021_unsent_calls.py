"""Calls that are not wanted any more: they end instead of being sent."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("calls", sa.Column("ends_unsent", sa.Boolean(), nullable=False, server_default=sa.false()))
