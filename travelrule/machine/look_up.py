"""The result of a ``LookUp``, and the form in which it is stored.

A look-up is no call to the hub, but its row is in the table ``calls`` and its result is an input ``call.answered`` or
``call.failed`` with the fields of ``CallResult``. Stored inputs and audit records keep that form; machines receive
``LookUpResult``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from travelrule.machine.effects import LOCAL_STORE, LookUp
from travelrule.machine.internal_inputs import CallResult


@dataclass(frozen=True, slots=True)
class LookUpResult:
    """``found`` is the JSON answer to ``question``; None: there is none, ``code`` is the cause."""

    question: str
    found: dict[str, Any] | None = field(repr=False)
    code: str = ""

    @classmethod
    def of(cls, stored: CallResult) -> LookUpResult | None:
        """Read the stored form; None if it is the result of a call to the hub."""
        if stored.operation != LookUp.operation or stored.outcome not in ("answered", "failed"):
            return None
        return cls(stored.correlation_id, stored.body if stored.outcome == "answered" else None, stored.code)

    def stored(self) -> CallResult:
        """Return the stored form."""
        return CallResult(
            operation=LookUp.operation,
            correlation_id=self.question,
            target=LOCAL_STORE,
            outcome="failed" if self.found is None else "answered",
            code=self.code,
            body=self.found,
        )
