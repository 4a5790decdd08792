"""Event of topic ``audit``: the signed root of the audit log, which shows an auditor that no subject is missing."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from schemas.events.verdicts import Sequenced
from schemas.moments import Timestamp
from schemas.numbers import Sequence
from schemas.texts import Id

Hash = Annotated[str, StringConstraints(strict=True, pattern=r"^[0-9a-f]{64}$")]


class AuditRoot(Sequenced):
    """``audit.root.v1``: sent at regular intervals while the audit log grows. A copy of these events
    proves later that no record was removed or changed.
    """

    sequence: Sequence
    """The size of the log: the same number as ``size``, so that later roots have higher numbers.
    Example: 1
    """
    vasp: Id
    """Entity id of the VASP whose log it is; also the record's key and the ``subject`` of the event.
    Example: "north"
    """
    size: Sequence
    """Number of leaves of the Merkle tree, which is how much the log holds.
    Example: 1
    """
    root: Hash
    """Merkle root over the leaves (RFC 6962, SHA-256): 64 hexadecimal digits in small letters.
    Example: "cff11772554fb65db25d5e050f4736d6d479035fe40e26d0325948d0943a27fe"
    """
    at: Timestamp
    """Moment of signing: UTC, ISO 8601 to the second.
    Example: "2026-11-20T09:00:00Z"
    """
    signature: Annotated[str, StringConstraints(strict=True, min_length=88, max_length=88)]
    """Ed25519 signature by ``publicKey`` over domain, size, root and time: base64 of 64 bytes.
    Example: "leJ3SYq/V9Cq8MIB1VL3pWpLwTeBK69tb21SvLGFHtD1QeMHxlhiHVX5x+Y2YBTjvKbKTZ8JumChuvECh1lyBw=="
    """
    public_key: Annotated[str, StringConstraints(strict=True, min_length=44, max_length=44)]
    """Public key of the VASP's audit key: base64 of 32 bytes.
    Example: "1lHpsohMlQwcsrkWc6ehjo61HXlYj6QKQrku0AYilqg="
    """
