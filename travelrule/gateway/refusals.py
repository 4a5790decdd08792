"""A request that cannot be processed at all: HTTP 503 with ``errorType`` and ``errorMsg`` (member-api.md 1).

Business refusals (``invalid``, ``denied``, ``error``) are answers with HTTP 200.
"""

from __future__ import annotations

from typing import Literal

ErrorType = Literal[
    "UNKNOWN_TRANSFER_ID",
    "VASP_BACKEND_INTERNAL_ERROR",
    "MISSING_REQUIRED_MSG_FIELD",
    "MISSING_HEADER_FIELD",
    "INVALID_MSG_FIELD_VALUE",
    "DUPLICATED_TRANSFER_ID",
    "INVALID_HEADER_SIGNATURE",
    "INVALID_ENCRYPTED_BODY",
    "UNACCEPTABLE_REQUEST",
]
"""The nine codes a member may answer with."""
INTERNAL: ErrorType = "VASP_BACKEND_INTERNAL_ERROR"


class Refused(Exception):  # noqa: N818 -- the name states what happened, as those of HTTP do
    """Ends the processing of a request.

    ``field`` and ``fix`` are texts of this program, never a received value. ``retry_after_seconds`` becomes the
    ``Retry-After`` header.
    """

    def __init__(self, code: ErrorType, field: str, fix: str, *, retry_after_seconds: int = 0) -> None:
        self.code: ErrorType = code
        self.field = field
        self.fix = fix
        self.retry_after_seconds = retry_after_seconds
        super().__init__(code)

    @property
    def body(self) -> dict[str, str]:
        """The body of the 503 answer."""
        return {"errorType": self.code, "errorMsg": f"{self.field}: {self.fix}" if self.field else self.fix}


def internal() -> Refused:
    """Make the refusal for an internal failure; the sender may repeat the request."""
    return Refused(INTERNAL, "", "the request could not be processed now; repeat it later")
