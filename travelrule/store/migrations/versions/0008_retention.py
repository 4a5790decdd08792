"""Finding what is old enough to be given up."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_data_keys_created_at", "data_keys", ["vasp", "created_at", "subject"])
    op.create_index("ix_searches_created_at", "searches", ["vasp", "created_at", "token"])
