"""Our sanctions lists: a hit ends the assessment, a missing answer is never clean."""

from __future__ import annotations

import pytest

from tests.support.assessment_scenes import (
    ADDRESS,
    ASKER,
    HIT,
    PARTY,
    AssessmentScene,
    lists,
    reported,
    requested,
    wallet_answer,
    wants,
)
from tests.support.vasps import policy
from travelrule.machine.effects import SendMessage


def test_parties_address_and_threshold_are_looked_for():
    scene = wants(text="[screening]\nname_threshold = 0.85")
    (look_up,) = scene.look_ups
    assert look_up.question == "screening"
    assert look_up.parameters == {"parties": [PARTY.to_wire()], "address": ADDRESS, "threshold": "0.85"}
    assert "Lind" not in repr(look_up)


def test_nobody_named_is_clean_and_says_which_lists_were_searched():
    scene = wants()
    scene.submit(lists())
    assert [(tell.subject, tell.type) for tell in scene.of(SendMessage)] == [(ASKER, "assessment.ended")]
    (ended,) = scene.message_data()
    assert (ended.risk, ended.sanctioned, ended.reason) == ("clean", False, "")
    assert ended.facts == {"lists": {"ofac-sdn": "2026-11-19"}, "hits": []}


def test_a_hit_is_malicious_and_sanctioned_and_names_the_entry():
    scene = wants()
    scene.submit(lists(HIT))
    (ended,) = scene.message_data()
    assert (ended.risk, ended.sanctioned, ended.reason) == ("malicious", True, "SANCTIONED")
    assert ended.facts["hits"] == [HIT]
    assert scene.alerts == ["SANCTIONS_HIT"]
    assert "ofac-sdn 12345 (party)" in scene.last.rule


def test_an_entry_that_is_an_address_is_not_repeated():
    scene = wants()
    scene.submit(lists({**HIT, "entry": ADDRESS, "what": "address"}))
    assert ADDRESS not in str(scene.message_data()[0].facts) + scene.last.rule


@pytest.mark.parametrize(
    "answer",
    [
        lists(checked=False),
        reported("look-up", "screening", body=None),
        reported("look-up", "screening", body={"checked": True, "hits": "odd"}),
        reported("look-up", "screening", "failed", code="ERASED"),
        reported("look-up", "deposit-context", body={"checked": True}),
    ],
)
def test_without_lists_a_party_is_unknown(answer):
    scene = wants()
    scene.submit(answer)
    (ended,) = scene.message_data()
    assert (ended.risk, ended.sanctioned, ended.reason) == ("unknown", False, "LISTS_UNAVAILABLE")
    assert scene.alerts == ["LISTS_UNAVAILABLE"]


def test_a_wallet_that_the_own_lists_name_is_not_sent_to_the_hub():
    scene = AssessmentScene()
    scene.submit(requested())
    assert scene.calls == []
    scene.submit(lists({**HIT, "what": "address"}))
    assert scene.calls == []
    assert scene.verdict == ("malicious", ["SANCTIONED"], True)


@pytest.mark.parametrize("answer", [lists(), lists(checked=False), reported("look-up", "screening", "failed")])
def test_a_wallet_that_they_do_not_name_is_rated(answer):
    scene = AssessmentScene()
    scene.submit(requested(), answer)
    assert scene.call.operation == "wallet-screening"


@pytest.mark.parametrize("answer", [lists(checked=False), reported("look-up", "screening", "failed"), None])
def test_a_wallet_rated_without_the_lists_is_an_alert_where_the_policy_requires_them(answer):
    scene = AssessmentScene(rules=policy('sanctions = "required"'))
    scene.submit(requested())
    scene.fire("lists") if answer is None else scene.submit(answer)
    assert scene.alerts == ["LISTS_UNAVAILABLE"]
    assert scene.call.operation == "wallet-screening"


def test_lists_that_are_late_are_asked_again_for_parties():
    scene = wants()
    scene.fire("lists")
    assert len(scene.look_ups) == 1
    scene.fire()
    (ended,) = scene.message_data()
    assert (ended.risk, ended.reason) == ("unknown", "LISTS_UNAVAILABLE")
    assert scene.alerts == ["LISTS_UNAVAILABLE"]


def test_a_wallet_is_rated_without_late_lists_and_their_hit_still_counts():
    scene = AssessmentScene()
    scene.submit(requested())
    scene.fire("lists")
    assert scene.call.operation == "wallet-screening"
    scene.submit(lists())
    assert scene.calls == [], "asked once"
    scene.submit(lists(HIT))
    assert scene.verdict[1] == ["SANCTIONED"]
    assert scene.drops == [()]
    scene.answer(wallet_answer())
    assert scene.last.status == "duplicate"


def test_lists_that_nobody_asked_say_nothing():
    scene = wants("ownership")
    scene.submit(lists(HIT))
    assert scene.state.status == "opening"
    assert scene.alerts == []


def test_nobody_to_look_for_is_not_clean():
    scene = wants(parties=(), address=None)
    assert (scene.message_data()[0].risk, scene.message_data()[0].reason) == ("unknown", "NOTHING_TO_SCREEN")
    assert not scene.look_ups


def test_of_very_many_hits_some_are_kept_and_all_are_counted():
    scene = wants()
    scene.submit(lists(*({**HIT, "entry": str(number)} for number in range(5_000))))
    (ended,) = scene.message_data()
    assert (len(ended.facts["hits"]), ended.facts["hitsFound"]) == (100, 5_000)
