"""The base class of objects that hold key material."""

from __future__ import annotations

from typing import NoReturn, Self, SupportsIndex


class KeyHolder:
    """Shows its class name only, cannot be pickled, and is shared instead of copied.

    Key material must not reach a log, an error report, a cache file or another process by accident.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    __str__ = __repr__

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(f"{type(self).__name__} holds key material and is never pickled")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self
