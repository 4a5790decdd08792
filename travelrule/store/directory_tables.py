"""The tables of the directory: VASPs, coin networks, and the state of their fetches."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Integer, Table, Text

from travelrule.store.metadata import metadata
from travelrule.store.types import Instant

vasps = Table(
    "vasps",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("entity_id", Text, primary_key=True),
    Column("entry", Text, nullable=False),
    Column("health", Text, nullable=False),
    Column("listed", Boolean, nullable=False),
    Column("refreshed_at", Instant, nullable=False),
)

directory_fetches = Table(
    "directory_fetches",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("tried", Text, nullable=False),
    Column("fetched_at", Instant),
    Column("networks_due_at", Instant),
    Column("wanted_at", Instant),
    Column("failures", Integer, nullable=False),
    Column("not_before", Instant),
    Column("version", Integer, nullable=False),
)

coin_networks = Table(
    "coin_networks",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("coin", Text, primary_key=True),
    Column("networks", Text, nullable=False),
    Column("refreshed_at", Instant, nullable=False),
)
