"""The states of a deposit: how far the search for its originator is, and what may change that.

The law
-------
1. Every change of status is in ``TABLE`` and goes through ``step``; a missing key is a fault of our own. The chain
   (``mined``, ``final``, ``retracted``) and the verdict (``open allow hold deny``) are separate from the status: they
   answer other questions (design section 4).
2. Only ``deposit.detected.v1`` creates a deposit. Other inputs are parked until it arrives. Equal data again are a
   duplicate, other data are a ``CONFLICT``, whatever the event's id.
3. ``awaiting``: the deposit registers at its rendezvous (``arrival.seen``) and looks up the wallet at its address and
   the open authorizations for it. Without an exchange at the rendezvous and without an open authorization no report
   will come: the search starts at once. Otherwise the report has its time.
4. ``asking``: the report is late. The status of each open authorization is requested from its originator (4.A.8),
   repeatedly until the limit. A txid in an answer is sent to that exchange, which announces it like a report.
5. ``searching``: one TXID search (4.A.9) at a time, each with a new ``requestId``, their number bounded. Its result is
   polled, at least ten seconds apart; a callback only moves the first poll forward. The first final result of a search
   counts, later ones are ignored. Each result is emitted to topic ``callbacks``.
6. ``requesting``: the VASP that was found receives a data request (4.A.10) under the ``requestId`` of the search. A
   lost answer is requested again under the same id; after an ``error`` answer only a new search helps.
7. ``matched`` and ``received`` are the two ways to an ``allow``: matched with an exchange, or data received; nothing
   differs, and the chain is final. A report that arrives while searching, requesting, or on hold takes precedence.
8. ``held``: nothing automatic is left; the needs of the verdict name what helps. What may have been corrected in the
   meantime is tried again with each reminder. ``decided``: an operator or a rule ended it; every call is withdrawn.
9. A final verdict changes only by a retraction (re-organisation). A deposit that returns on chain starts again; an
   operator's ``deny`` and received data stay valid.
10. The matched exchange is notified of each stage (final, credited, returned, seized, retracted): from the first one on
    a finish (M5) is refused. ``credited`` without ``allow`` is an alert, never a change of the verdict.
11. Each waiting status has its timer (``WAITS``). It acts first (request, search, retry) and alerts when acting did not
    help; a ``hold`` and an ``allow`` without settlement have reminders of their own.
"""

from __future__ import annotations

from types import MappingProxyType

from travelrule.machine.transition_table import NEW, TransitionTable

_ANYWHERE = {"settled": "settled", "retracted": "retracted"}
_OPEN = {"decided": "decided", **_ANYWHERE}

GATE = "gate"
"""The timer of a pending assessment."""

VERSION = 2
"""The version of the deposit machine, see ``Machine.version``."""

TABLE = TransitionTable(
    "deposit",
    {
        NEW: {"detected": "awaiting"},
        "awaiting": {
            "matched": "matched",
            "report-late": "asking",
            "not-announced": "searching",
            "data-known": "received",
            **_OPEN,
        },
        "asking": {"matched": "matched", "none-left": "searching", **_OPEN},
        "searching": {"matched": "matched", "found": "requesting", "given-up": "held", **_OPEN},
        "requesting": {
            "matched": "matched",
            "data-passed": "received",
            "data-failed": "held",
            "search-anew": "searching",
            **_OPEN,
        },
        "held": {"matched": "matched", "ask-again": "requesting", **_OPEN},
        "matched": {"unmatched": "awaiting", **_OPEN},
        "received": {"matched": "matched", **_OPEN},
        "decided": dict(_ANYWHERE),
        "settled": {"retracted": "retracted"},
        "retracted": {"back": "awaiting"},
    },
)
"""Every change of status."""

REPORT, ASK, SEARCH, RETRY, HELD, SETTLE = "report", "ask", "search", "try", "held", "settle"

WAITS: MappingProxyType[str, str] = MappingProxyType(
    {"awaiting": REPORT, "asking": ASK, "searching": SEARCH, "requesting": RETRY}
)
"""The timer of each status that waits for an answer."""

AUTOMATIC = frozenset({"awaiting", "asking", "searching", "requesting", "held"})
"""Where a report is awaited or the sender is searched: a final verdict ends both."""
