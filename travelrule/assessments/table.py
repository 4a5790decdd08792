"""The states of an assessment: where finding out a risk stands, and what may change that.

The law
-------
1. Every change of status is in ``TABLE`` and goes through ``step``; a missing key is a fault of our own.
2. An assessment is a subject of its own. A ``screening`` is made by the platform (``screening.requested.v1``,
   ``ownership.requested.v1``) and says its verdict itself. An ``machine`` is made by another subject
   (``AssessmentWanted``), answers it, and emits nothing but alerts. The same request again is a duplicate, another one
   under the same id a ``CONFLICT``; an asker that asks again is answered again.
3. ``sanctions_screening``: the own sanctions lists are asked about the parties and the address. A hit ends it:
   ``malicious`` and
   sanctioned, and nothing is sent to the hub. Lists that did not answer are never ``clean``; a wallet is rated all the
   same.
4. ``hub_screening``: the hub rates a wallet or a transaction (4.B.1, 4.B.2). ``ERROR`` is no rating: it is asked again
   until the limit, then the risk is ``unknown``.
5. ``searching`` and ``kyt_analysis``: an analysis is begun (4.B.3), its report is asked for (4.B.4). A transaction
   that is
   not found may not be confirmed yet: it is searched again after a wait. A failed analysis is forced at most twice. An
   analysis that the hub forgot is begun anew. At the limit the risk is ``pending`` if the hub still works on it, else
   ``unknown``.
6. ``opening`` and ``ownership_proof``: a session is opened (4.B.5) and handed over, its result is asked for (P.4). Only
   ``VERIFIED`` for exactly the wallet, asset and chain of our own record proves anything, and only if the signature, as
   far as we can check it, is right. At the limit the hub is asked once more, then it is not proven.
7. A callback only moves the next question forward, a few times at most; what it says is never believed.
8. ``clean`` is only ever what was checked and found clean. A network without a code for the operation is ``unknown``
   (not proven) at once, and no call is sent (screening.md 11).
9. There is one end, and nothing is heard after it: late and double answers are nothing. ``dropped``: the asker needs no
   answer any more, so none is given.
10. Each waiting status has the timer ``limit`` of the policy. What can be asked again is asked again before, ever more
    rarely; whoever gave no answer until then is an alert.
11. An operator may decide a proof that the platform asked for while it is awaited (allow, deny). A risk is not decided:
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
"""The statuses that wait for somebody's answer: each has the timer ``limit``."""
