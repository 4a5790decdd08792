"""What an exchange announces, so that a deposit finds it by its amount."""

import sqlalchemy as sa
from alembic import op

from travelrule.store.types import Amount

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("exchanges", sa.Column("currency", sa.Text(), nullable=False, server_default=""))
    op.add_column("exchanges", sa.Column("amount", Amount(), nullable=True))
