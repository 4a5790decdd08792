"""JSON of other systems: UTF-8, without U+0000 and lone surrogates, at most ``DEPTH_MAX`` levels deep."""

from __future__ import annotations

from typing import Any

import orjson

from schemas.nesting_depth import DEPTH_MAX, levels


class JsonFault(Exception):  # noqa: N818 -- the codec turns it into a value
    """Why a text is refused: a stable code and what to send instead."""

    def __init__(self, code: str, fix: str) -> None:
        self.code = code
        self.fix = fix
        super().__init__(code)


def parse_object(text: bytes) -> dict[str, Any]:
    """Parse one JSON object; JsonFault if it is anything else or holds what a database cannot store."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        fix = f"send one JSON object in UTF-8, without lone surrogates, at most {DEPTH_MAX} levels deep"
        raise JsonFault("INVALID_JSON", fix) from None
    if not isinstance(value, dict):
        raise JsonFault("WRONG_TYPE", "send one JSON object")
    search_nul = b"\\u0000" in text
    # Fewer brackets than levels cannot be nested too deeply: most texts need no walk.
    if search_nul or text.count(b"{") + text.count(b"[") > DEPTH_MAX:
        _check(value, search_nul=search_nul)
    return value


def _check(value: dict[str, Any], *, search_nul: bool) -> None:
    """Refuse U+0000 in any text, and objects or lists below level ``DEPTH_MAX``."""
    for depth, level in enumerate(levels(value)):
        if search_nul and _has_nul(level):
            raise JsonFault("INVALID_TEXT", "remove U+0000")
        if depth == DEPTH_MAX:
            if any(isinstance(node, dict | list) for node in level):
                raise JsonFault("TOO_DEEP", f"nest at most {DEPTH_MAX} levels")
            return
        if search_nul and any(_has_nul(node) for node in level if isinstance(node, dict)):
            raise JsonFault("INVALID_TEXT", "remove U+0000")


def _has_nul(strings: Any) -> bool:
    return any(isinstance(text, str) and "\x00" in text for text in strings)


def canonical(value: dict[str, Any]) -> bytes:
    """Return equal objects as equal bytes: sorted keys, no blanks."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
