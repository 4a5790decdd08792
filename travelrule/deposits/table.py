"""The states of a deposit: where its way to an originator stands, and what may change that.

The law
-------
1. Every change of status is in ``TABLE`` and goes through ``step``; a missing key is a fault of our own. What
   the chain did (``mined``, ``final``, ``retracted``) and what the verdict is (``open allow hold deny``) are kept apart
   from the status: they answer other questions (design section 4).
2. Only ``deposit.detected.v1`` makes a deposit. The rest is parked until it comes. The same data again are a
   duplicate, other data are a ``CONFLICT``, whatever the event's id.
3. ``awaiting``: the deposit says where it stands (``arrival.seen``) and asks the own store whose address it is and
   which open authorizations name that address. If the meeting place knows no exchange and no authorization is open,
   nobody will announce it: the search begins at once. Else the report has its time.
4. ``status_requests``: the report is late. Each originator with an open authorization is asked (4.A.8), and again, as
   long as it
   is not gone, until the limit. A txid that it names is told to its exchange, which announces it like a report.
5. ``txid_search``: one TXID search (4.A.9) at a time, each with a new ``requestId``, their number bounded. Its result
   is
   asked for, never sooner than ten seconds after the last question; a callback only moves the first question forward.
   The first final result of a search counts, later ones are nothing. Each goes to topic ``callbacks``.
6. ``data_request``: the VASP that was found is asked for the data (4.A.10) under the ``requestId`` of the search. A
   lost answer is asked for again under the same id; after an ``error`` answer only a new search helps.
7. ``matched`` and ``received`` are the two ways to an ``allow``: joined to an exchange, or data received, and nothing
   differs, and the chain is final. A report that comes while searching, requesting, or on hold wins.
8. ``held``: nothing automatic is left that would help; the needs of the verdict say what would. What somebody may have
   corrected meanwhile is tried once more now and then. ``decided``: an operator or a rule ended it; every call is
   taken back.
9. A final verdict is not touched, except by a retraction (re-organisation). A deposit that comes back on chain begins
   anew; an operator's ``deny`` and data that were received stay true.
10. An exchange hears how far its deposit came (final, credited, returned, seized, retracted), because from the first
    of these on a finish (M5) is refused. ``credited`` without ``allow`` is an alert, never a change of the verdict.
11. Each status that waits has its timer (``WAITS``). It acts first (ask, search, ask again) and alerts when acting did
    not help; a verdict ``hold`` is reminded of besides, an ``allow`` that the platform does not settle as well.
"""

from __future__ import annotations

from types import MappingProxyType

from travelrule.machine.transition_table import NEW, TransitionTable

_ANYWHERE = {"settled": "settled", "retracted": "retracted"}
_OPEN = {"decided": "decided", **_ANYWHERE}

GATE = "gate"
"""The timer of an assessment that is waited for."""

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

REPORT, ASK, SEARCH, TRY, HELD, SETTLE = "report", "ask", "search", "try", "held", "settle"

WAITS: MappingProxyType[str, str] = MappingProxyType(
    {"awaiting": REPORT, "asking": ASK, "searching": SEARCH, "requesting": TRY}
)
"""The timer of each status that waits for somebody else's answer."""

AUTOMATIC = frozenset({"awaiting", "asking", "searching", "requesting", "held"})
"""Where a report is still awaited or the sender is looked for: a final verdict ends all of it."""
