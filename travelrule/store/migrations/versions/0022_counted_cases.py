"""What is counted about subjects: the reason of a hold, and the request that waits for its first verdict."""

import sqlalchemy as sa
from alembic import op

from travelrule.store.types import Instant

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

PARTIAL = {
    "ix_subjects_unanswered": ("subjects", ["vasp"], "answer_due_at IS NOT NULL"),
    "ix_subjects_held": ("subjects", ["vasp"], "verdict = 'hold' AND due_at IS NOT NULL"),
    "ix_dead_letters_unresolved": ("dead_letters", ["vasp", "failed_at"], "replayed_at IS NULL"),
}


def upgrade() -> None:
    op.add_column("subjects", sa.Column("reason", sa.Text(), nullable=False, server_default=""))
    op.add_column("subjects", sa.Column("requested_at", Instant()))
    op.add_column("subjects", sa.Column("answer_due_at", Instant()))
    for name, (table, columns, rows) in PARTIAL.items():
        op.create_index(name, table, columns, postgresql_where=sa.text(rows), sqlite_where=sa.text(rows))
