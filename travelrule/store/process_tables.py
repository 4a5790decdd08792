"""Tables shared by the processes of an installation: nonce blocks, and the leases of jobs that one process runs."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Table, Text

from travelrule.store.metadata import metadata
from travelrule.store.types import Instant

nonces = Table(
    "nonces",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("next", BigInteger, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("vasp", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("until", Instant, nullable=False),
)
