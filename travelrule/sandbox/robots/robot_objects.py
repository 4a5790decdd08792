"""Parts of an unvalidated IVMS101 object."""

from __future__ import annotations

from typing import Any


def object_of(parent: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the object of that name; an empty one if there is none."""
    value = parent.get(name)
    return value if isinstance(value, dict) else {}


def persons_of(parent: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the persons of a party."""
    value = parent.get(name)
    return [person for person in value if isinstance(person, dict)] if isinstance(value, list) else []


def accounts_of(parent: dict[str, Any]) -> list[str]:
    """Return the accounts of a party."""
    value = parent.get("accountNumber")
    return [entry for entry in value if isinstance(entry, str) and entry] if isinstance(value, list) else []
