"""Withdrawals without a verdict that wait without a timer come due once: their open gate gets one then.

What they wait for is in their sealed state. A call that is under way is not disturbed: looking changes nothing else.
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from travelrule.store.types import Instant

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

SUBJECTS = sa.table(
    "subjects",
    *(sa.column(name, sa.Text()) for name in ("kind", "status", "verdict", "chain", "due_timer")),
    sa.column("sealed", sa.LargeBinary()),
    sa.column("due_at", Instant()),
)


def upgrade() -> None:
    table = SUBJECTS.c
    waiting = [table.kind == "withdrawal", table.verdict == "open", table.status == "", table.chain == "none"]
    still = [table.due_at.is_(None), table.sealed.is_not(None)]
    wake = SUBJECTS.update().where(*waiting, *still).values(due_at=datetime.now(UTC), due_timer="wake")
    op.execute(wake)
