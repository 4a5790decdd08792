"""When the VASP list was fetched, tried and wanted, for all processes."""

import sqlalchemy as sa
from alembic import op

from travelrule.store.types import Instant

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "directory_fetches",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("tried", sa.Text(), nullable=False),
        sa.Column("fetched_at", Instant()),
        sa.Column("networks_due_at", Instant()),
        sa.Column("wanted_at", Instant()),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("not_before", Instant()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", name=op.f("pk_directory_fetches")),
    )
