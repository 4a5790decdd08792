"""Event of topic ``audit``: the signed root of the audit log, so that a vanished subject is noticed elsewhere."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from schemas.text import Id, Timestamp
from schemas.verdicts import Sequenced

Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class AuditRoot(Sequenced):
    """``audit.root.v1``. ``root``: the Merkle root (RFC 6962, SHA-256) over ``size`` leaves; ``signature``: base64 of
    the Ed25519 signature by ``public_key`` over domain, size, root and time. ``sequence`` is the size.
    """

    sequence: Annotated[int, Field(ge=1, description="The size of the log.")]
    vasp: Id
    size: Annotated[int, Field(ge=1)]
    root: Hash
    at: Timestamp
    signature: Annotated[str, StringConstraints(min_length=88, max_length=88)]
    public_key: Annotated[str, StringConstraints(min_length=44, max_length=44)]
