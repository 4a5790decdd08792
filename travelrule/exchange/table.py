"""The transition table of the exchange: every change of status that either side may make.

The law
-------
1. Every change of status is in ``ORIGINATING`` or ``BENEFICIARY`` and goes through ``step``. A missing key is an
   illegal change and a fault of our own, because what a *peer* sends is looked up first (``may``) and answered, never
   stepped blindly.
2. Originating side (states.md section 2). ``wait`` is stored before the authorization is sent. The answer makes it
   ``verified`` or ``denied``; an answer that is lost permanently makes it ``canceled``, and a finish is due if the
   counterparty may have acted (D47). ``verified`` becomes ``pending`` in the same decision that allows the withdrawal,
   because the allow is what queues it for signing. A node's acceptance makes it ``processing``, a block
   ``wait-confirm``, our finality depth ``confirmed``.
3. ``canceled`` is final: a canceled transfer is never revived, a new attempt has a new ``transferId``. From
   ``verified`` on, every way into ``canceled`` requires a finish (D46), also after a txid report.
4. ``confirmed`` may still become ``canceled`` on the originating side, by a reorganisation (D14); the beneficiary may
   refuse it. There is no step from ``processing`` back to ``pending`` (a failed transaction is sent again): the
   platform reports ``failed`` only when the transaction failed permanently, and a stored txid is never replaced.
5. Beneficiary side (states.md section 3). An authorization is stored as ``verified`` or ``denied`` before it is
   answered. ``confirmed`` means that the txid was received, nothing about the chain (D40). ``denied`` ends only in
   ``canceled``, by a finish (D13). ``confirmed`` becomes ``canceled`` by a finish as long as the transaction is not
   final on our node and nothing was credited (D14). The answer to a status search moves only a ``verified`` record; a
   record never goes backwards.
6. ``denied`` on the originating side and ``canceled`` on both have no way out: their rows are empty, not absent.
"""

from __future__ import annotations

from types import MappingProxyType

from travelrule.machine.transition_table import NEW, TransitionTable

ORIGINATOR_VERSION = 2
BENEFICIARY_VERSION = 2
"""The versions of the two machines, see ``Machine.version``."""


ORIGINATING = TransitionTable(
    "originating",
    {
        NEW: {"authorization-sent": "wait"},
        "wait": {"answered-verified": "verified", "answered-denied": "denied", "answer-lost": "canceled"},
        "verified": {"queued": "pending", "not-sent": "canceled"},
        "pending": {"broadcast": "processing", "not-sent": "canceled"},
        "processing": {"mined": "wait-confirm", "chain-failed": "canceled"},
        "wait-confirm": {"final": "confirmed", "chain-failed": "canceled"},
        "confirmed": {"chain-failed": "canceled"},
        "denied": {},
        "canceled": {},
    },
)

BENEFICIARY = TransitionTable(
    "beneficiary",
    {
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
    },
)

SIDES = MappingProxyType({table.name: table for table in (ORIGINATING, BENEFICIARY)})
"""The table of each side."""
