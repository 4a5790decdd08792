"""States to JSON and back, loss-free: amounts as their exact text, times in UTC."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter


def codec(state_type: Any) -> tuple[Callable[[Any], bytes], Callable[[bytes], Any]]:
    """Return ``dump`` and ``load`` for a state class."""
    adapter: TypeAdapter[Any] = TypeAdapter(state_type)

    def dump(state: Any) -> bytes:
        return adapter.dump_json(state, by_alias=True)

    def load(content: bytes) -> Any:
        return adapter.validate_json(content)

    return dump, load
