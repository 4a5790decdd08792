"""Sealed answers that were acted on, so that none is taken for the answer of another transfer."""

import sqlalchemy as sa
from alembic import op

from travelrule.store.types import Instant

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "accepted_answers",
        sa.Column("vasp", sa.Text(), nullable=False),
        sa.Column("seal", sa.LargeBinary(), nullable=False),
        sa.Column("transfer_id", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("accepted_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("vasp", "seal", name=op.f("pk_accepted_answers")),
    )
