"""M2: every order of the evaluation, and what is answered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.events import ADDRESS, TAG
from tests.support.exchange_scenes import authorized, inbound
from tests.support.inbound_messages import OWNER, authorization, ivms101, legal, natural, wallet
from travelrule.policy.policy import Policy

ACCOUNT = f"{ADDRESS}:{TAG}"


def beneficiary(*persons: dict[str, Any], account: Any = (ACCOUNT,)) -> dict[str, Any]:
    return ivms101(Beneficiary={"beneficiaryPersons": list(persons), "accountNumber": list(account)})


def originator(*persons: dict[str, Any], account: Any = ("rEb8:1001",)) -> dict[str, Any]:
    return ivms101(Originator={"originatorPersons": list(persons), "accountNumber": list(account)})


COMPANY = {"legal": {"name": "Birch Trading Ltd.", "representatives": [{"lastName": "Moreau", "firstName": "Claire"}]}}
COMPANY_NAMED = (legal("Birch Trading Ltd."), natural("Moreau", "Claire"))
NAMELESS = {"naturalPerson": {"name": {"nameIdentifier": [{"primaryIdentifier": "", "secondaryIdentifier": ""}]}}}


def outcome(changes: dict[str, Any], rules: str = "") -> tuple[str, str]:
    scene = inbound(rules)
    scene.submit(authorization(**changes))
    assert scene.last.status == "applied"
    assert scene.statuses == [scene.reply["result"]]
    return scene.reply["result"], scene.reply["reasonType"]


VERIFIED = ("verified", "")


@pytest.mark.parametrize(
    ("order", "rules", "changes", "reason"),
    [
        (4, "", {"sender": None}, "UNKNOWN"),
        (4, 'deny_list = ["north"]', {}, "UNKNOWN"),
        (4, 'accept_origins = ["east"]', {}, "UNKNOWN"),
        (4, '[names]\naccept_combinations = ["legal-to-legal"]', {}, "UNKNOWN"),
        (5, "", {"ivms101": {}}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": ivms101(Originator={})}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": originator()}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": originator(NAMELESS)}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": originator(natural("Berg", "Anna"), account=())}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": ivms101(OriginatingVASP={})}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": ivms101(Beneficiary={})}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": beneficiary(natural("Lind", "Erik"), account=())}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": beneficiary(natural("Lind", "Erik"), account=("",))}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": originator(legal("Birch"))}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": originator(natural("Berg", "Anna"), legal("Birch"))}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": ivms101(Beneficiary=[1])}, "LACK_OF_INFORMATION"),
        (5, "", {"ivms101": beneficiary({"naturalPerson": {"name": 7}})}, "LACK_OF_INFORMATION"),
        (6, "[assets.BTC]", {}, "NOT_SUPPORTED_SYMBOL"),
        (6, '[assets.XRP]\nnetworks = ["OTHER"]', {}, "NOT_SUPPORTED_SYMBOL"),
        (7, "", {"wallets": ()}, "NOT_FOUND_ADDRESS"),
        (6, "", {"wallets": (wallet(currencies=("BTC",)),)}, "NOT_SUPPORTED_SYMBOL"),
        (6, "", {"wallets": (wallet(networks=("OTHER",)),)}, "NOT_SUPPORTED_SYMBOL"),
        (7, "[assets.XRP]", {"wallets": (wallet(currencies=("BTC",)),)}, "NOT_FOUND_ADDRESS"),
        (7, "[assets.XRP]", {"wallets": (wallet(networks=("OTHER",)),)}, "NOT_FOUND_ADDRESS"),
        (7, "", {"wallets": (wallet(accountNumber="other"),)}, "NOT_FOUND_ADDRESS"),
        (7, "", {"ivms101": beneficiary(natural("Lind", "Erik"), account=(ACCOUNT, "other"))}, "NOT_FOUND_ADDRESS"),
        (8, "", {"wallets": (wallet(kyc=False),)}, "NOT_KYC_USER"),
        (8, "", {"wallets": (wallet(), wallet(walletId="w-2", kyc=False))}, "NOT_KYC_USER"),
        (9, "", {"wallets": (wallet(sanctioned=True),)}, "SANCTION_LIST"),
        (9, "", {"originator_sanctioned": True}, "SANCTION_LIST"),
        (9, 'sanctions = "required"', {"originator_sanctioned": None}, "UNKNOWN"),
        (10, "", {"ivms101": beneficiary(natural("Lundh", "Erik"))}, "INPUT_NAME_MISMATCHED"),
        (10, "", {"ivms101": beneficiary()}, "LACK_OF_INFORMATION"),
        (10, "", {"wallets": (wallet(owner=None),)}, "INPUT_NAME_MISMATCHED"),
        (10, "", {"wallets": (wallet(owner=COMPANY),)}, "INPUT_NAME_MISMATCHED"),
        (11, "[names]\ncheck_date_of_birth = true",
         {"ivms101": beneficiary(natural("Lind", "Erik", "1981-05-06"))}, "DOB_MISMATCHED"),
        (12, "[names]\nfirst_party_only = true", {}, "INPUT_NAME_MISMATCHED"),
    ],
)  # fmt: skip
def test_each_order_denies_for_its_reason(order, rules, changes, reason):
    assert outcome(changes, rules) == ("denied", reason), order


@pytest.mark.parametrize(
    ("rules", "changes"),
    [
        ("", {}),
        ("", {"currency": "xrp", "network": "xrp"}),
        ("", {"network": None}),
        ("", {"wallets": (wallet(networks=()),)}),
        ("", {"entity_id": "codevasp", "sender": None}),
        ('accept_origins = ["code:north"]', {}),
        ('accept_origins = ["north"]', {}),
        ('sanctions = "required"', {"originator_sanctioned": False}),
        ("[names]\ncheck_date_of_birth = true", {"ivms101": beneficiary(natural("Lind", "Erik", "1980-05-06"))}),
        ("[names]\ncheck_date_of_birth = true", {}),
        ("", {"ivms101": beneficiary(natural("Lind", "Erik", "1981-05-06"))}),
        ("", {"ivms101": beneficiary(natural("ErikLind", ""))}),
        ("[names]\nfirst_party_only = true", {"ivms101": originator(natural("Lind", "Erik"))}),
        ("", {"ivms101": beneficiary(*COMPANY_NAMED), "wallets": (wallet(owner=COMPANY),)}),
        ("", {"ivms101": ivms101(OriginatingVASP={}), "originating_vasp": {"originatingVASP": legal("North")}}),
        ('[names]\naccept_combinations = ["natural-to-legal"]',
         {"ivms101": beneficiary(*COMPANY_NAMED), "wallets": (wallet(owner=COMPANY),)}),
    ],
)  # fmt: skip
def test_what_passes(rules, changes):
    assert outcome(changes, rules) == VERIFIED


@pytest.mark.parametrize(
    ("exceeding", "persons", "expected"),
    [
        (True, (), ("denied", "LACK_OF_INFORMATION")),
        (True, (NAMELESS,), ("denied", "LACK_OF_INFORMATION")),
        (True, (natural("Lundh", "Erik"),), ("denied", "INPUT_NAME_MISMATCHED")),
        (True, (natural("Lind", "Erik"),), VERIFIED),
        (False, (), VERIFIED),
        (False, (NAMELESS,), VERIFIED),
        (False, (natural("Lundh", "Erik"),), ("denied", "INPUT_NAME_MISMATCHED")),
        (False, (natural("Lind", "Erik"),), VERIFIED),
    ],
)
def test_the_table_of_names_and_threshold(exceeding, persons, expected):
    assert outcome({"is_exceeding_threshold": exceeding, "ivms101": beneficiary(*persons)}) == expected


def test_a_policy_may_require_names_below_the_threshold():
    changes = {"is_exceeding_threshold": False, "ivms101": beneficiary()}
    assert outcome(changes, '[names]\napply_to = "all"') == ("denied", "LACK_OF_INFORMATION")


@pytest.mark.parametrize(("threshold", "expected"), [("150.30", ("denied", "LACK_OF_INFORMATION")), ("151", None)])
def test_the_own_threshold_requires_names_that_the_sender_thinks_needless(threshold, expected):
    changes = {"is_exceeding_threshold": False, "ivms101": beneficiary()}
    answered = outcome(changes, f"[thresholds]\nUSD = '{threshold}'")
    assert answered == (expected or outcome(changes))
    assert outcome(changes, "[thresholds]\nKRW = 1") == outcome(changes)


def test_the_first_failure_answers():
    changes = {"wallets": (wallet(kyc=False, sanctioned=True),), "ivms101": beneficiary(natural("X", "Y"))}
    assert outcome(changes) == ("denied", "NOT_KYC_USER")
    assert outcome({**changes, "sender": None}) == ("denied", "UNKNOWN")
    assert outcome({**changes, "ivms101": ivms101(Originator={})}) == ("denied", "LACK_OF_INFORMATION")


def test_all_owners_of_the_addresses_must_match():
    other = {"natural": {"lastName": "Lundh", "firstName": "Erik"}}
    wallets = (wallet(), wallet(walletId="w-2", accountNumber="second", owner=other))
    payload = beneficiary(natural("Lind", "Erik"), account=(ACCOUNT, "second"))
    assert outcome({"wallets": wallets, "ivms101": payload}) == ("denied", "INPUT_NAME_MISMATCHED")


def test_the_answer_copies_what_was_sent_and_adds_who_we_are():
    scene = inbound()
    sent = ivms101(Extra={"kept": True})
    scene.submit(authorization(ivms101=sent))
    reply = scene.reply
    assert (reply["transferId"], reply["reasonMsg"]) == ("5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c", "")
    payload = reply["payload"]
    assert reply["beneficiaryVasp"] == payload["BeneficiaryVASP"]
    assert {name: payload[name] for name in sent} == sent
    assert "beneficiaryVASP" in payload["BeneficiaryVASP"]


def test_a_refusal_does_not_tell_the_owners_name():
    scene = inbound()
    scene.submit(authorization(ivms101=beneficiary(), is_exceeding_threshold=True))
    assert "Lind" not in str(scene.reply)
    scene = inbound()
    scene.submit(authorization(ivms101=beneficiary(natural("Lundh", "Erik"))))
    assert "Lind'" not in str(scene.reply)


def test_verified_without_a_name_is_completed_with_the_owners():
    scene = inbound()
    scene.submit(authorization(ivms101=beneficiary(), is_exceeding_threshold=False))
    assert "Lind" in str(scene.reply["payload"]["Beneficiary"])
    assert "1980" not in str(scene.reply["payload"])


def test_the_same_content_again_gets_the_stored_answer_whatever_we_know_by_now():
    scene = authorized()
    first, before = scene.reply, scene.state
    scene.submit(authorization(wallets=(), sender=None, currency="xrp"))
    assert scene.last.status == "duplicate"
    assert scene.reply == first
    assert scene.state == before


@pytest.mark.parametrize(
    "changes",
    [{"amount": "250.5"}, {"ivms101": beneficiary(natural("Lundh", "Erik"))}, {"tag": "1"}, {"trade_price": "1"}],
)
def test_other_content_under_a_known_id_is_refused(changes):
    scene = authorized()
    before = scene.state
    scene.submit(authorization(**changes))
    assert (scene.last.status, scene.last.code, scene.last.effects) == ("rejected", "DUPLICATED_TRANSFER_ID", ())
    assert scene.state == before


def test_a_payload_that_is_nested_without_end_is_not_even_copied():
    scene = inbound()
    deep: dict[str, Any] = {}
    for _ in range(150):
        deep = {"x": deep}
    scene.submit(authorization(ivms101={**ivms101(), "Extra": deep}))
    assert (scene.last.status, scene.last.code) == ("rejected", "INVALID_MSG_FIELD_VALUE")
    assert scene.state is None


def test_without_our_own_profile_no_answer_can_be_given():
    scene = inbound()
    scene.rules = Policy.default()
    scene.submit(authorization())
    assert (scene.last.status, scene.last.code) == ("rejected", "VASP_BACKEND_INTERNAL_ERROR")


def test_owner_data_are_not_kept_twice():
    scene = authorized()
    assert scene.state.request.wallets == ()
    assert scene.state.customer_ids == ("c-77",)
    assert OWNER["natural"]["dateOfBirth"] not in repr(scene.state)
