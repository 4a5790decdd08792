"""How deep a peer's JSON is nested: IVMS101 needs ten levels, an attack sends a thousand and hopes for a stack."""

from __future__ import annotations

from typing import Any

DEPTH_MAX = 64


def too_deep(value: Any, limit: int = DEPTH_MAX) -> bool:
    """Whether the value is nested deeper than ``limit``. Walks level by level, so that its own stack is flat."""
    level = [value]
    for _ in range(limit):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
