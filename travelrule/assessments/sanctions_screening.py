"""Screening of parties and address in our sanctions lists. The engine answers ``LookUp("screening", ...)``."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, ValidationError

from schemas.wire_model import Wire
from travelrule.assessments.builder import AssessmentBuilder
from travelrule.assessments.facts import plain
from travelrule.assessments.hub_screening import start_rating
from travelrule.assessments.table import LISTS
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.effects import LookUp
from travelrule.machine.look_up import LookUpResult

QUESTION: Final = "screening"
SCORE_LENGTH = 12
SHOWN_MAX = 3
HITS_MAX = 100
"""Hits stored per answer: a list may contain a common name thousands of times."""

Shown = Annotated[str, BeforeValidator(str)]


class AnsweredHit(Wire):
    """An entry of a list that matches a party or the address. ``entry`` is its id in the list, ``score`` in 0..1."""

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
    hits: tuple[AnsweredHit, ...] = ()
    lists: dict[str, Shown] = Field(default_factory=dict)


def start_list_lookup(builder: AssessmentBuilder) -> str:
    """Search our lists first: a hit needs no call."""
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


def apply_lists_timer(builder: AssessmentBuilder) -> str:
    """Act on a missing answer of our lists: rate a wallet without it; search once more for parties."""
    if builder.state.wanted.kind == "wallet":
        _alert_unlisted(builder)
        return f"the own lists do not answer: {start_rating(builder)}"
    _look_up(builder)
    return "the own lists do not answer: ask again"


def _alert_unlisted(builder: AssessmentBuilder) -> None:
    """Alert about a rating without the lists where the policy requires them."""
    if builder.policy.sanctions == "required":
        builder.alert(AlertCode.LISTS_UNAVAILABLE, "critical")


def end_lists_at_limit(builder: AssessmentBuilder) -> str:
    """End without an answer of our lists."""
    builder.alert(AlertCode.LISTS_UNAVAILABLE, "critical")
    builder.end(reason=AlertCode.LISTS_UNAVAILABLE.value)
    return "the own lists did not answer within the limit"


def apply_lookup(builder: AssessmentBuilder, result: LookUpResult) -> str:
    """Apply the answer of our lists. A hit always counts; anything else only while it is pending."""
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
            _alert_unlisted(builder)
        return f"{'the own lists cannot be searched' if unchecked else 'not in the own lists'}: {start_rating(builder)}"
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
    """Return where an operator finds the hits, for ``travelrule explain``."""
    shown = [f"{plain(hit.list_code)} {plain(hit.entry)} ({hit.what})" for hit in answer.hits[:SHOWN_MAX]]
    return ", ".join(shown)


def _facts(answer: ListsAnswer) -> dict[str, Any]:
    """Return the entries of each list: enough to find them, nothing about our customer."""
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
