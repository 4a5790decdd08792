"""The newest exchanges at an address are found without reading the others."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_exchanges_address_index", "exchanges")
    op.create_index("ix_exchanges_address_index", "exchanges", ["vasp", "address_index", "created_at"])
