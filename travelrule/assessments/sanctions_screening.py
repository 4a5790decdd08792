"""The own sanctions lists are asked about parties and address. The engine answers ``LookUp("screening", ...)``."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, ValidationError

from schemas.wire_model import Wire
from travelrule.assessments.builder import AssessmentBuilder
from travelrule.assessments.facts import plain
from travelrule.assessments.hub_screening import begin_rating
from travelrule.assessments.table import LISTS
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.effects import LookUp
from travelrule.machine.look_up import LookUpResult

QUESTION: Final = "screening"
SCORE_LENGTH = 12
SHOWN_MAX = 3
HITS_MAX = 100
"""Kept of one answer: a common name may stand on a list thousands of times."""

Shown = Annotated[str, BeforeValidator(str)]


class ListHit(Wire):
    """An entry of a list that names a party or the address. ``entry`` is its id in the list, ``score`` in 0..1."""

    list_code: Shown = Field(alias="list")
    entry: Shown
    score: Shown = ""
    reason: Shown = ""
    what: Literal["party", "address"]


class ListsAnswer(Wire):
    """The whole answer. ``checked`` False: no list is loaded, or they could not be searched. ``lists``: code to
    version of those that were.
    """

    checked: bool = False
    hits: tuple[ListHit, ...] = ()
    lists: dict[str, Shown] = Field(default_factory=dict)


def begin_listing(builder: AssessmentBuilder) -> str:
    """Ask the own lists first: what they know needs no call."""
    wanted = builder.state.wanted
    if not wanted.address and (wanted.kind == "wallet" or not wanted.parties):
        builder.end(reason="NOTHING_TO_SCREEN")
        return "neither a party nor an address to look for"
    builder.move("lists-asked")
    _look_up(builder)
    builder.set_timer(LISTS, builder.policy.time_limits.screening / 2)
    return "look for it in the own lists"


def _look_up(builder: AssessmentBuilder) -> None:
    wanted = builder.state.wanted
    parameters: dict[str, Any] = {
        "parties": [party.to_wire() for party in wanted.parties],
        "address": wanted.address,
        "threshold": str(builder.policy.screening.name_threshold),
    }
    builder.effects.append(LookUp(QUESTION, parameters))


def lists_due(builder: AssessmentBuilder) -> str:
    """The own lists do not answer: a wallet is rated all the same, for parties they are asked once more."""
    if builder.state.wanted.kind == "wallet":
        _say_unlisted(builder)
        return f"the own lists do not answer: {begin_rating(builder)}"
    _look_up(builder)
    return "the own lists do not answer: ask again"


def _say_unlisted(builder: AssessmentBuilder) -> None:
    """Going on without the lists is never silent where the policy requires them."""
    if builder.policy.sanctions == "required":
        builder.alert(AlertCode.LISTS_UNAVAILABLE, "critical")


def lists_too_late(builder: AssessmentBuilder) -> str:
    """The limit passed without an answer of the own lists."""
    builder.alert(AlertCode.LISTS_UNAVAILABLE, "critical")
    builder.end(reason=AlertCode.LISTS_UNAVAILABLE.value)
    return "the own lists did not answer within the limit"


def looked_up(builder: AssessmentBuilder, result: LookUpResult) -> str:
    """What the own lists say. A hit counts whenever it comes; anything else only while it is waited for."""
    if builder.state.wanted.kind not in ("lists", "wallet"):
        return "the own lists were not asked"
    answer = _read(result)
    if answer is not None and answer.hits:
        builder.alert(AlertCode.SANCTIONS_HIT, "critical")
        builder.end(risk="malicious", sanctioned=True, reason="SANCTIONED", facts=_facts(answer))
        return f"the own lists name it: {_entries(answer)}"
    if builder.state.status != "listing":
        return "late answer ignored"
    unchecked = answer is None or not answer.checked
    if builder.state.wanted.kind == "wallet":
        if unchecked:
            _say_unlisted(builder)
        return f"{'the own lists cannot be searched' if unchecked else 'not in the own lists'}: {begin_rating(builder)}"
    if answer is None or unchecked:
        builder.alert(AlertCode.LISTS_UNAVAILABLE, "critical")
        builder.end(reason=AlertCode.LISTS_UNAVAILABLE.value)
        return "nothing was looked for: no list is loaded"
    builder.end(risk="clean", facts=_facts(answer))
    return "not in the own lists"


def _read(result: LookUpResult) -> ListsAnswer | None:
    if result.question != QUESTION:
        return None
    try:
        return ListsAnswer.model_validate(result.found)
    except ValidationError:
        return None


def _entries(answer: ListsAnswer) -> str:
    """Where an operator finds it, for ``travelrule explain``."""
    shown = [f"{plain(hit.list_code)} {plain(hit.entry)} ({hit.what})" for hit in answer.hits[:SHOWN_MAX]]
    return ", ".join(shown)


def _facts(answer: ListsAnswer) -> dict[str, Any]:
    """Which entry of which list: enough to find it there, nothing about our customer."""
    hits = [
        {
            "list": plain(hit.list_code),
            "entry": plain(hit.entry),
            "score": hit.score[:SCORE_LENGTH],
            "reason": plain(hit.reason),
            "what": hit.what,
        }
        for hit in answer.hits[:HITS_MAX]
    ]
    versions = {plain(code): plain(version) for code, version in answer.lists.items()}
    more = {"hitsFound": len(answer.hits)} if len(answer.hits) > HITS_MAX else {}
    return {"lists": versions, "hits": hits, **more}
