"""The states of an assessment: how far it is, and what may change that.

The law
-------
1. Every change of status is in ``TABLE`` and goes through ``step``; a missing key is a fault of our own.
2. An assessment is a subject of its own. A ``screening`` is created by the platform (``screening.requested.v1``,
   ``ownership.requested.v1``) and emits its own verdict. An ``assessment`` is created by another subject, the asker
   (``AssessmentWanted``), answers it, and emits nothing but alerts. An equal request again is a duplicate, another one
   under the same id a ``CONFLICT``; an asker that requests again is answered again.
3. ``listing``: our sanctions lists are searched for the parties and the address. A hit ends the assessment:
   ``malicious`` and sanctioned, and nothing is sent to the hub. Lists without an answer are never ``clean``; a
   wallet is still rated.
4. ``rating``: the hub rates a wallet or a transaction (4.B.1, 4.B.2). ``ERROR`` is no rating: the request is repeated
   until the limit, then the risk is ``unknown``.
5. ``searching`` and ``analysing``: an analysis is started (4.B.3), its report is polled (4.B.4). A transaction that is
   not found may not be confirmed yet: it is searched again after a wait. A failed analysis is forced at most twice. An
   analysis that the hub no longer knows is restarted. At the limit the risk is ``pending`` if the hub still works on
   it, else ``unknown``.
6. ``opening`` and ``proving``: a session is opened (4.B.5) and published, its result is polled (P.4). Only ``VERIFIED``
   for exactly the wallet, asset and chain of our own record proves anything, and only with a right signature, as far
   as we can check it. At the limit the hub is polled once more, then the ownership is not proven.
7. A callback only moves the next poll forward, a few times at most; its content is never trusted.
8. ``clean`` means checked and found clean, nothing else. A network without a code for the operation is ``unknown`` (not
   proven) at once, and no call is sent (screening.md 11).
9. ``ended`` is the only end with an answer; late and repeated answers are ignored after it. ``dropped``: the asker no
   longer needs an answer, so none is sent.
10. Each waiting status has the timer ``limit`` of the policy. Until then requests are repeated with growing waits; at
    the limit a missing answer is an alert.
11. An operator may decide a proof that the platform requested while it is pending (allow, deny). A risk is not decided:
    the withdrawal or the deposit is.
"""

from __future__ import annotations

from travelrule.machine.transition_table import NEW, TransitionTable

VERSION = 2
"""The version of both machines of this room, see ``Machine.version``."""

_OPEN = {"ended": "ended", "dropped": "dropped"}

TABLE = TransitionTable(
    "assessment",
    {
        NEW: {
            "lists-asked": "listing",
            "rating-asked": "rating",
            "analysis-asked": "searching",
            "session-asked": "opening",
            "ended": "ended",
        },
        "listing": {"rating-asked": "rating", **_OPEN},
        "rating": dict(_OPEN),
        "searching": {"analysis-begun": "analysing", **_OPEN},
        "analysing": {"analysis-asked": "searching", **_OPEN},
        "opening": {"session-opened": "proving", **_OPEN},
        "proving": dict(_OPEN),
        "ended": {},
        "dropped": {},
    },
)
"""Every change of status."""

LIMIT, LISTS = "limit", "lists"

WAITING = frozenset({"listing", "rating", "searching", "analysing", "opening", "proving"})
"""The statuses that wait for an answer: each has the timer ``limit``."""
