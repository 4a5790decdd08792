"""Dead letters are looked for by time and by subject."""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_dead_letters_failed_at", "dead_letters", ["vasp", "failed_at"])
    op.create_index("ix_dead_letters_subject", "dead_letters", ["vasp", "subject"])
