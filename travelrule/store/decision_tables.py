"""The signed decisions of operators that were used: each serves once."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from travelrule.store.metadata import metadata
from travelrule.store.types import Instant

used_decisions = Table(
    "used_decisions",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("place", Text, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
)
