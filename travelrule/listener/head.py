"""The head of an HTTP/1.1 request as bytes: when it is complete, and the checks before the parser reads it."""

from __future__ import annotations

import re

from travelrule.listener.limits import ListenerLimits

END = b"\r\n\r\n"

_UPGRADE = re.compile(rb"\r\nupgrade:[^\r\n]*", re.IGNORECASE)
_FOLDED = re.compile(rb"\r\n[ \t]")


class HeadRefused(Exception):  # noqa: N818 -- names what happened, as an HTTP status does
    """A head that is refused with ``status``."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class HeadBuffer:
    """Collects the bytes of one head. Each byte is searched once, however small the pieces are."""

    def __init__(self, limits: ListenerLimits) -> None:
        self._limits = limits
        self._bytes = bytearray()

    def __len__(self) -> int:
        """Return the number of bytes of an incomplete head."""
        return len(self._bytes)

    def add(self, data: bytes) -> bytes | None:
        """Return the complete head with the bytes that follow it, None while it is incomplete.

        Raises ``HeadRefused`` for a head over the limits or with folded lines.
        """
        searched = max(0, len(self._bytes) - len(END) + 1)
        self._bytes += data
        end = self._bytes.find(END, searched)
        size = len(self._bytes) if end < 0 else end
        if size > self._limits.head_bytes:
            most = self._limits.head_bytes
            raise HeadRefused(431, f"the request line and headers must not be larger than {most} bytes")
        if end < 0:
            return None
        received = bytes(self._bytes)
        self._bytes.clear()
        return _checked(received[:end], self._limits) + received[end:]


def _checked(head: bytes, limits: ListenerLimits) -> bytes:
    """Refuse a head that no client of the protocol sends, and remove ``Upgrade``.

    A server may ignore ``Upgrade`` (RFC 9110 section 7.8), and the parser would end the request there.
    """
    if head.count(b"\r\n") > limits.header_count:
        raise HeadRefused(431, f"a request must not have more than {limits.header_count} headers")
    if _FOLDED.search(head):
        raise HeadRefused(400, "a header must not be folded over several lines")
    # One empty line may come before a request (RFC 9112 section 2.2).
    head = head.removeprefix(b"\r\n")
    path = head.partition(b"\r\n")[0].partition(b"?")[0]
    if b"%2f" in path.lower():
        raise HeadRefused(400, "a path must not hold an encoded slash")
    return _UPGRADE.sub(b"", head)
