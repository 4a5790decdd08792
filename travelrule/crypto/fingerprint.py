"""Fingerprints: short texts that are equal for equal content only.

They use no key. Where one is stored outside a sealed row, use `blind_index.BlindIndex.fingerprint`.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

import orjson

LENGTH: Final = 32
"""Hexadecimal digits."""


def fingerprint(content: bytes, length: int = LENGTH) -> str:
    """Return the start of the SHA-256 of some content."""
    return sha256(content).hexdigest()[:length]


def json_fingerprint(value: Any) -> str:
    """Return the fingerprint of a JSON value; the order of names does not count."""
    return fingerprint(orjson.dumps(value, option=orjson.OPT_SORT_KEYS))
