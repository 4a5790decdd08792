"""The record of one call: who, what, when and how it ended; never a body or a payload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

ID_CHARACTERS_MAX = 200


@dataclass(slots=True)
class CallRecord:
    """One call; its fields are set while the call runs.

    ``status`` is that of the answer to the caller, None if the answer was lost. ``reached``: the request was handed to
    the member. ``member_status`` is that of the member's answer. Together the two distinguish a lost request from a
    lost answer.
    """

    at: datetime
    operation: str
    caller: str = ""
    target: str = ""
    nonce: int | None = None
    traceparent: str = ""
    transfer_id: str = ""
    request_id: str = ""
    txid: str = ""
    status: int | None = None
    error_type: str = ""
    reached: bool = False
    member_status: int | None = None
    member_error_type: str = ""
    result: str = ""
    reason_type: str = ""
    fault: str = ""
    seconds: float = 0.0

    def note_request(self, body: Mapping[str, Any]) -> None:
        """Record the ids that a request names."""
        self.transfer_id = _text(body.get("transferId"))
        self.request_id = _text(body.get("requestId")) or self.request_id
        self.txid = _text(body.get("txid")) or _text(body.get("txHash"))

    def note_answer(self, status: int, body: Mapping[str, Any] | None) -> None:
        """Record the member's answer: its result (or its status of a transfer), reason, or error.

        The first answer counts: a fault of the sandbox may change it afterwards.
        """
        if self.member_status is not None:
            return
        self.member_status = status
        if body is None:
            return
        self.result = _text(body.get("result")) or _text(body.get("status"))
        self.reason_type = _text(body.get("reasonType"))
        self.member_error_type = _text(body.get("errorType"))
        self.txid = self.txid or _text(body.get("txid"))


def _text(value: object) -> str:
    # A peer may send any value; only a text is an id, and its length is bounded.
    return value[:ID_CHARACTERS_MAX] if isinstance(value, str) else ""
