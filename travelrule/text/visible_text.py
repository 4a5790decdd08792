"""The visible characters of any text, with a bounded length."""

from __future__ import annotations

import re
import unicodedata

CHARACTERS_READ = 20_000
"""Characters that are read of a text; the rest is no part of a name."""

CHARACTERS_KEPT = 600
"""Characters that are compared after invisible characters are removed."""

_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\ue000-\uf8ff"
    "\U000e0000-\U000e0fff]+"
)
"""Zero-width, bidirectional and control characters, fillers, tags, lone surrogates: characters without a glyph."""

_BLANKS = re.compile(r"[\s\u2800\u0085]+")


def visible(text: str) -> str:
    """Return the visible characters in compatibility form (full-width and styled letters become plain ones)."""
    read = text[:CHARACTERS_READ]
    if not read.isascii():
        # Some compatibility forms contain a blank or an invisible character, so these are removed twice.
        read = _INVISIBLE.sub("", unicodedata.normalize("NFKC", _INVISIBLE.sub("", read)[: 2 * CHARACTERS_KEPT]))
    elif not read.isprintable():
        read = _INVISIBLE.sub("", read)
    return _BLANKS.sub(" ", read).strip()[:CHARACTERS_KEPT]
