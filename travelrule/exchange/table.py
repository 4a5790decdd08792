"""The transition table of the exchange: every change of status that either side may make.

The law
-------
1. Everything that changes the status of an exchange is in ``TRANSITIONS``, and every change goes through ``step``.
   A missing key is an illegal change; whoever asks for one has a fault of his own, because what a *peer* sends is
   looked up first (``may``) and answered, never stepped blindly.
2. Originating side (states.md section 2). ``wait`` is stored before the authorization is sent. The answer makes it
   ``verified`` or ``denied``; an answer that is lost for good makes it ``canceled``, and a finish is owed if the
   counterparty may have acted (D47). ``verified`` becomes ``pending`` in the same decision that allows the withdrawal,
   because the allow is what queues it for signing. A node's acceptance makes it ``processing``, a block
   ``wait-confirm``, the own finality depth ``confirmed``.
3. ``canceled`` is for good: a transfer that was canceled is never revived, a new attempt has a new ``transferId``. From
   ``verified`` on, every way into ``canceled`` owes a finish (D46), also after a txid report.
4. ``confirmed`` may still become ``canceled`` on the originating side, by a reorganisation (D14); the beneficiary may
   refuse to follow. The step from ``processing`` back to ``pending`` (a failed transaction is sent again) does not
   exist here: the platform says ``failed`` only when the transaction failed for good, and a stored txid is never
   replaced by another.
5. Beneficiary side (states.md section 3). An authorization is stored as ``verified`` or ``denied`` before it is
   answered. ``confirmed`` means that the txid was received, nothing about the chain (D40). ``denied`` ends only in
   ``canceled``, by a finish (D13). ``confirmed`` becomes ``canceled`` by a finish as long as the own node has not seen
   the transaction final and nothing was credited (D14). What a status search answers moves only a ``verified`` record;
   a record never goes backwards.
6. ``denied`` on the originating side and ``canceled`` on both have no way out: their rows are empty, not absent.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

from travelrule.machine.transition_table import NEW, IllegalTransitionError

Side = Literal["originating", "beneficiary"]

ORIGINATOR_VERSION = 2
BENEFICIARY_VERSION = 2
"""The versions of the two machines, see ``Machine.version``."""


STATUSES = ("wait", "verified", "denied", "pending", "processing", "wait-confirm", "confirmed", "canceled")

_ORIGINATING: dict[str, dict[str, str]] = {
    NEW: {"authorization-sent": "wait"},
    "wait": {"answered-verified": "verified", "answered-denied": "denied", "answer-lost": "canceled"},
    "verified": {"queued": "pending", "not-sent": "canceled"},
    "pending": {"broadcast": "processing", "not-sent": "canceled"},
    "processing": {"mined": "wait-confirm", "chain-failed": "canceled"},
    "wait-confirm": {"final": "confirmed", "chain-failed": "canceled"},
    "confirmed": {"chain-failed": "canceled"},
    "denied": {},
    "canceled": {},
}

_BENEFICIARY: dict[str, dict[str, str]] = {
    NEW: {"authorization-passed": "verified", "authorization-refused": "denied"},
    "verified": {
        "txid-reported": "confirmed",
        "origin-confirmed": "confirmed",
        "finished": "canceled",
        "origin-canceled": "canceled",
    },
    "denied": {"finished": "canceled"},
    "confirmed": {"finished": "canceled"},
    "canceled": {},
}

TRANSITIONS: MappingProxyType[str, dict[str, dict[str, str]]] = MappingProxyType(
    {"originating": _ORIGINATING, "beneficiary": _BENEFICIARY}
)
"""``TRANSITIONS[side][status][trigger]`` is the next status."""


def step(side: Side, status: str, trigger: str) -> str:
    """Give the status after ``trigger``; raises ``IllegalTransitionError`` for what the table does not have."""
    try:
        return TRANSITIONS[side][status][trigger]
    except KeyError:
        raise IllegalTransitionError(side, status, trigger) from None


def may(side: Side, status: str, trigger: str) -> bool:
    """Whether the table has this change."""
    return trigger in TRANSITIONS[side].get(status, {})
