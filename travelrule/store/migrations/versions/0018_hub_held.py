"""Calls that wait for the hub itself."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("calls", sa.Column("hub_held", sa.Boolean(), nullable=False, server_default=sa.false()))
