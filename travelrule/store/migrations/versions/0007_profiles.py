"""What the VASP said about itself, each version by its name, so that a decision can be made again."""

import sqlalchemy as sa
from alembic import op

from travelrule.store.types import Instant

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "profiles",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("first_used_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "version", name=op.f("pk_profiles")),
    )
