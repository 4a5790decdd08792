from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from travelrule.policy import policy as policy_module
from travelrule.policy.policy import OwnVasp, Policy
from travelrule.policy.policy_file import PolicyFaults

DEFAULTS_FILE = Path(__file__).parents[2] / "data" / "policy_defaults.json"
FULL = """
allow_list = ["south", "east"]
deny_list = ["west"]
accept_origins = ["code:south"]
report_moment = "mined"
sanctions = "required"
operator_override = true
accept_found_vasp = true

[assets.xrp]
networks = ["xrp"]
[assets.BTC]
enabled = false

[report_moments]
xrp = "final"

[thresholds]
usd = 1000
krw = "1000000"

[operator_limits]
usd = "1000.50"
EUR = 7

[exemptions]
below_threshold = true
own_entity = false

[names]
apply_to = "all"
check_date_of_birth = true
first_party_only = true
representatives = "any"
accept_combinations = ["natural-to-natural"]

[time_limits]
status_search_after = 60
unreachable_retry = 10

[verdicts]
COUNTERPARTY_UNREACHABLE = "deny"
RISK_UNKNOWN = "allow"

[deposit_verdicts]
RISK_UNKNOWN = "hold"
"""


def faults_of(text: str) -> list[tuple[str, str]]:
    with pytest.raises(PolicyFaults) as caught:
        Policy.from_toml(text)
    assert all(fault.fix for fault in caught.value.faults)
    return [(fault.field, fault.code) for fault in caught.value.faults]


def test_an_empty_file_is_the_default_policy():
    assert Policy.from_toml("") == Policy.default()
    assert Policy.from_toml("").version == Policy.default().version


def test_the_defaults_are_those_of_the_protocol():
    limits = Policy.default().time_limits
    assert (limits.status_search_after, limits.status_search_every, limits.authorization_open) == (600, 600, 86_400)
    assert (limits.search_poll, limits.search_limit, Policy.default().searches.attempts) == (12, 600, 3)
    assert Policy.default().report_moment == "broadcast"
    assert Policy.default().operator_override is False


def test_a_full_file_is_read():
    policy = Policy.from_toml(FULL)
    assert policy.operator_limits == {"USD": Decimal("1000.50"), "EUR": Decimal(7)}
    assert policy.report_moment_for("XRP") == policy.report_moment_for("xrp") == "final"
    assert policy.report_moment_for("ETH") == "mined"
    assert policy.time_limits.unreachable_retry == 10
    assert policy.time_limits.authorization_open == 86_400


@pytest.mark.parametrize(
    ("flagged", "price", "currency", "exceeds"),
    [
        (False, "999.99", "USD", False),
        (False, "1000", "USD", True),
        (False, "1000", "usd", True),
        (False, "999999.99", "KRW", False),
        (False, "1000000", "KRW", True),
        (True, "1", "USD", True),
        (False, "5000000", "EUR", False),
        (True, "1", "EUR", True),
    ],
)
def test_the_own_threshold_of_a_currency_makes_the_flag_stricter_and_never_looser(flagged, price, currency, exceeds):
    assert Policy.from_toml(FULL).exceeds(Decimal(price), currency, flagged=flagged) is exceeds


def test_without_thresholds_the_flag_alone_counts():
    assert not Policy.default().exceeds(Decimal(10**12), "USD", flagged=False)
    assert Policy.default().exceeds(Decimal(0), "USD", flagged=True)


def test_a_search_is_never_asked_for_within_ten_seconds():
    assert faults_of("[time_limits]\nsearch_poll = 10") == [("time_limits.search_poll", "OUT_OF_RANGE")]
    assert faults_of("[searches]\nattempt = 1") == [("searches.attempt", "UNKNOWN_NAME")]


@pytest.mark.parametrize(
    ("currency", "network", "served"),
    [("XRP", "XRP", True), ("xrp", "xrp", True), ("XRP", None, True), ("XRP", "", True), ("XRP", "ETH", False),
     ("BTC", None, False), ("ETH", None, False)],
)  # fmt: skip
def test_what_is_served(currency, network, served):
    assert Policy.from_toml(FULL).serves(currency, network) is served
    assert Policy.default().serves(currency, network)


@pytest.mark.parametrize(("entity", "may"), [("south", True), ("west", False), ("north", False)])
def test_whom_we_send_to(entity, may):
    assert Policy.from_toml(FULL).may_send_to(entity) is may
    assert Policy.from_toml('deny_list = ["west"]').may_send_to(entity) is (entity != "west")


@pytest.mark.parametrize(
    ("entity", "origin", "accepted"),
    [("south", "code:south", True), ("south", "gtr:south", False), ("west", "code:west", False),
     ("codevasp", "code:codevasp", True)],
)  # fmt: skip
def test_whom_we_listen_to(entity, origin, accepted):
    assert Policy.from_toml(FULL).accepts(entity, origin) is accepted


def test_the_hub_is_never_refused():
    assert Policy.from_toml('deny_list = ["codevasp"]').accepts("codevasp")
    assert not Policy.from_toml('deny_list = ["west"]').accepts("west")
    assert Policy.default().accepts("anybody")


def test_equal_rules_have_equal_versions_and_other_rules_another():
    one = Policy.from_toml('allow_list = ["a"]\nreport_moment = "final"')
    same = Policy.from_toml('# a remark\nreport_moment = "final"\nallow_list = ["a"]')
    assert one.version == same.version
    versions = {one.version, Policy.default().version, Policy.from_toml(FULL).version}
    assert len(versions) == 3
    assert all(len(version) == 16 for version in versions)


def test_writing_out_what_is_built_in_is_the_same_version():
    said = 'report_moment = "broadcast"\n[names]\napply_to = "flagged"\n[time_limits]\nparked = 3600'
    assert Policy.from_toml(said).version == Policy.default().version


def test_a_built_in_rule_that_changes_makes_other_versions(monkeypatch):
    before = Policy.default().version
    monkeypatch.setattr(policy_module, "DEFAULTS", policy_module.DEFAULTS + 1)
    assert Policy.default().version != before


def test_the_built_in_rules_are_those_of_their_number():
    """A release that adds a rule adds it here. One that changes a rule of this list must raise ``DEFAULTS`` too: else
    one version would name two sets of rules, and older verdicts could not be recomputed.
    """
    known = json.loads(DEFAULTS_FILE.read_text(encoding="utf-8"))
    assert known["defaults"] == policy_module.DEFAULTS
    assert known["rules"] == Policy.default().model_dump(mode="json")


def test_who_we_are_is_no_rule():
    policy = Policy.default()
    ours = policy.with_own(OwnVasp("north", "code:north"))
    assert ours.own.entity_id == "north"
    assert ours.version == policy.version
    assert policy.own.entity_id == ""
    assert ours.version == policy.version


def test_every_fault_is_told_at_once():
    found = faults_of(
        'alow_list = []\nreport_moment = "now"\noperator_override = "perhaps"\n'
        "[names]\napply = 1\n[assets.X]\nenabld = true\n[time_limits]\nparked = 0\n"
        '[verdicts]\nNO_SUCH_CAUSE = "hold"\nVERIFIED = "perhaps"\n[operator_limits]\nUSD = "ten"'
    )
    assert set(found) == {
        ("alow_list", "UNKNOWN_NAME"),
        ("report_moment", "UNKNOWN_VALUE"),
        ("operator_override", "INVALID_VALUE"),
        ("names.apply", "UNKNOWN_NAME"),
        ("assets.X.enabld", "UNKNOWN_NAME"),
        ("time_limits.parked", "OUT_OF_RANGE"),
        ("verdicts.NO_SUCH_CAUSE", "UNKNOWN_VALUE"),
        ("verdicts.VERIFIED", "UNKNOWN_VALUE"),
        ("operator_limits.USD", "INVALID_VALUE"),
    }


def test_a_misspelt_name_gets_a_suggestion():
    with pytest.raises(PolicyFaults) as caught:
        Policy.from_toml("[assets.X]\nnetwork = []")
    assert caught.value.faults[0].fix == "did you mean networks?"
    with pytest.raises(PolicyFaults) as caught:
        Policy.from_toml("[screening]\nname_treshold = 1\n[screening.chains.ETH]\nscreenin = '1'")
    assert {(fault.field, fault.fix) for fault in caught.value.faults} == {
        ("screening.chains.ETH.screenin", "did you mean screening?"),
        ("screening.name_treshold", "did you mean name_threshold?"),
    }
    with pytest.raises(PolicyFaults) as caught:
        Policy.from_toml("[exemptions]\nzzz = 1")
    assert caught.value.faults[0].fix == "one of: below_threshold, own_entity"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("this is no TOML", [("", "NOT_TOML")]),
        ('allow_list = ["a"]\ndeny_list = ["a"]', [("deny_list", "CONTRADICTION")]),
        ('[operator_limits]\nUSD = "1"', [("operator_limits", "CONTRADICTION")]),
        ('[assets.XRP]\n[report_moments]\nBTC = "final"', [("report_moments.BTC", "CONTRADICTION")]),
        ('[verdicts]\nCANCELLED = "hold"', [("verdicts.CANCELLED", "NOT_MOVABLE")]),
        ('[verdicts]\nVERIFIED = "deny"', [("verdicts.VERIFIED", "NOT_MOVABLE")]),
        ('[verdicts]\nSANCTIONED = "allow"', [("verdicts.SANCTIONED", "NOT_MOVABLE")]),
        ('[deposit_verdicts]\nSANCTIONED = "allow"', [("deposit_verdicts.SANCTIONED", "NOT_MOVABLE")]),
        ('[deposit_verdicts]\nMATCHED = "deny"', [("deposit_verdicts.MATCHED", "NOT_MOVABLE")]),
        ('[deposit_verdicts]\nDENIED = "hold"', [("deposit_verdicts.DENIED", "CONTRADICTION")]),
        ('accept_origins = ["a"]\ndeny_list = ["a"]', [("deny_list", "CONTRADICTION")]),
        ('accept_origins = ["code:a"]\ndeny_list = ["a"]', [("deny_list", "CONTRADICTION")]),
        ("[thresholds]\nCHF = 1000", [("thresholds.CHF", "UNKNOWN_VALUE")]),
        ("[thresholds]\nUSD = -1", [("thresholds.USD", "OUT_OF_RANGE")]),
        ('operator_override = true\n[operator_limits]\nXRP = "1"', [("operator_limits.XRP", "UNKNOWN_VALUE")]),
        ("[time_limits]\nstatus_search_every = 7200", [("time_limits.status_search_every", "CONTRADICTION")]),
        ("[time_limits]\nsearch_limit = 11", [("time_limits.search_poll", "CONTRADICTION")]),
        ("[time_limits]\nunreachable_limit = 299", [("time_limits.unreachable_retry", "CONTRADICTION")]),
        ("[time_limits]\nkyt_limit = 6", [("time_limits.kyt_poll", "CONTRADICTION")]),
        ("[time_limits]\nownership = 29", [("time_limits.ownership_poll", "CONTRADICTION")]),
    ],
)
def test_what_cannot_be_meant(text, found):
    assert faults_of(text) == found


def test_how_long_things_are_kept():
    assert Policy.default().retention.subjects == 0
    kept = Policy.from_toml("[retention]\nsubjects = 1825\ndead_letters = 90").retention
    assert (kept.subjects, kept.searches, kept.events, kept.dead_letters) == (1825, 0, 0, 90)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("subjects = 29", ("retention.subjects", "OUT_OF_RANGE")),
        ("subjects = 36501", ("retention.subjects", "OUT_OF_RANGE")),
        ("events = -1", ("retention.events", "OUT_OF_RANGE")),
        ("searches = true", ("retention.searches", "INVALID_VALUE")),
        ("searches = 1.5", ("retention.searches", "INVALID_VALUE")),
        ('dead_letters = "90"', ("retention.dead_letters", "INVALID_VALUE")),
        ("dead_letter = 90", ("retention.dead_letter", "UNKNOWN_NAME")),
    ],
)
def test_nothing_is_deleted_by_mistake(line, found):
    assert faults_of(f"[retention]\n{line}") == [found]


def test_a_policy_that_keeps_everything_has_the_version_it_had_before_one_could_say_so():
    """Old records name that version; another one would be missing when they are proved."""
    assert Policy.from_toml("[retention]\nsubjects = 0").version == Policy.default().version
    assert Policy.from_toml("[retention]\nsubjects = 1825").version != Policy.default().version
