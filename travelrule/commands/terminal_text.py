"""Text for a terminal, with control characters escaped.

Output may contain text from outside: the content of a dead letter, a key, a name. Control characters could clear the
screen, hide lines or set the title; marks of direction could reverse a name.
"""

from __future__ import annotations

import re

_OBEYED = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_LINES = re.compile(f"[{_OBEYED}]")
_ONE_LINE = re.compile(f"[{_OBEYED}\t\n]")


def printable(text: str) -> str:
    r"""The text with control characters escaped, as ``\u001b``; tabs and line breaks stay."""
    return _LINES.sub(_written_out, text)


def one_line(text: str) -> str:
    """The escaped text on one line."""
    return _ONE_LINE.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
