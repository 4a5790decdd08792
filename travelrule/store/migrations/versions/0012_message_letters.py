"""Dead letters of messages between subjects: of which kind a letter is, and whom it concerns."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("dead_letters", sa.Column("kind", sa.Text(), nullable=False, server_default="record"))
    op.add_column("dead_letters", sa.Column("subject", sa.Text(), nullable=False, server_default=""))
    op.add_column("dead_letters", sa.Column("sender", sa.Text(), nullable=False, server_default=""))
