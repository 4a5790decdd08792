"""With which lists the owner of a wallet was screened, and whether a list names him."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("wallets", sa.Column("revision", sa.Integer(), server_default="0", nullable=False))
    op.add_column("wallets", sa.Column("screened_lists", sa.Text(), server_default="", nullable=False))
    op.add_column("wallets", sa.Column("sanctioned", sa.Boolean(), nullable=True))
    op.create_index("ix_wallets_screened_lists", "wallets", ["vasp", "screened_lists", "wallet_id"], unique=False)
