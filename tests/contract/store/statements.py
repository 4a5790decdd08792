"""Which statements go to a database: to be counted, because their number does not depend on the machine's speed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from travelrule.store.database import Database


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """Collect the statements of every connection while the block runs, in order; transactions are none."""
    seen: list[str] = []

    def executed(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.startswith(("BEGIN", "COMMIT", "ROLLBACK")):
            seen.append(statement)

    event.listen(database.engine.sync_engine, "before_cursor_execute", executed)
    try:
        yield seen
    finally:
        event.remove(database.engine.sync_engine, "before_cursor_execute", executed)
