"""The dead letters: what could not be processed, with its content under a data key of its own."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, Table, Text, text

from travelrule.store.metadata import metadata
from travelrule.store.types import Instant

dead_letters = Table(
    "dead_letters",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False, server_default="record"),
    Column("subject", Text, nullable=False, server_default=""),
    Column("sender", Text, nullable=False, server_default=""),
    Column("topic", Text, nullable=False),
    Column("partition", Integer, nullable=False),
    Column("offset", BigInteger, nullable=False),
    Column("code", Text, nullable=False),
    Column("field", Text, nullable=False),
    Column("fix", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("failed_at", Instant, nullable=False),
    Column("replayed_at", Instant),
)
Index("ix_dead_letters_failed_at", dead_letters.c.vasp, dead_letters.c.failed_at)
Index("ix_dead_letters_subject", dead_letters.c.vasp, dead_letters.c.subject)
Index(
    "ix_dead_letters_unresolved",
    dead_letters.c.vasp,
    dead_letters.c.failed_at,
    postgresql_where=text("replayed_at IS NULL"),
    sqlite_where=text("replayed_at IS NULL"),
)
