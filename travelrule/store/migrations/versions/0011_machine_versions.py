"""Which version of a machine wrote a subject's last record, and the state that another version found."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("machine_version", "machine_records"):
        op.add_column("subjects", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    op.add_column("audit", sa.Column("sealed_before", sa.LargeBinary(), nullable=True))
