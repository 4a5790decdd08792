"""Fields of parsed JSON objects: null and empty values mean that a field is absent (ivms101.md section 2)."""

from __future__ import annotations

from typing import Any


def is_absent(value: Any) -> bool:
    """Whether a value is null, ``""``, ``{}`` or ``[]``."""
    return value is None or value in ("", {}, [])


def has_content(value: Any) -> bool:
    """Whether any value inside is not absent. The caller bounds the depth."""
    if isinstance(value, dict):
        return any(map(has_content, value.values()))
    if isinstance(value, list):
        return any(map(has_content, value))
    return not is_absent(value)


def present(holder: Any, name: str) -> Any:
    """Return a field of an object, None if it is absent or if the holder is no object."""
    value = holder.get(name) if isinstance(holder, dict) else None
    return None if is_absent(value) else value


def items(holder: Any, name: str) -> list[Any]:
    """Return the items of an array field; none if it is absent or no array."""
    value = present(holder, name)
    return value if isinstance(value, list) else []


def several(holder: Any, name: str) -> list[Any]:
    """Return the items as `schemas.ivms101` reads them: one item in place of an array is an array of one."""
    value = present(holder, name)
    return value if isinstance(value, list) else [] if value is None else [value]
