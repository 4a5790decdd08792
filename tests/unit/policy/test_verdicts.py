"""Every row of the verdict table (contract section 4), written out once more by hand."""

from __future__ import annotations

import pytest

from schemas.events.verdicts import VerdictBody
from travelrule.policy import verdicts_doc
from travelrule.policy.causes import CORRECTABLE, VERDICTS, Cause
from travelrule.policy.policy import Policy
from travelrule.policy.verdicts import Verdict, denied_cause, verdict_for

OPERATOR = ("operator-decision",)
WITHDRAWALS = [
    (Cause.VERIFIED, {}, Verdict("allow", ("VERIFIED",), (), final=True)),
    (Cause.EXEMPT, {"rule": "BELOW_THRESHOLD"}, Verdict("allow", ("EXEMPT_BELOW_THRESHOLD",), (), final=True)),
    (Cause.DENIED_CORRECTABLE, {"reason": "INPUT_NAME_MISMATCHED"},
     Verdict("hold", ("DENIED_INPUT_NAME_MISMATCHED",), ("beneficiary-name",))),
    (Cause.DENIED_CORRECTABLE, {"reason": "DOB_MISMATCHED"},
     Verdict("hold", ("DENIED_DOB_MISMATCHED",), ("date-of-birth",))),
    (Cause.DENIED_CORRECTABLE, {"reason": "LACK_OF_INFORMATION"},
     Verdict("hold", ("DENIED_LACK_OF_INFORMATION",), ("information",))),
    (Cause.DENIED, {"reason": "NOT_KYC_USER"}, Verdict("deny", ("DENIED_NOT_KYC_USER",), (), final=True)),
    (Cause.ADDRESS_NOT_FOUND, {}, Verdict("deny", ("ADDRESS_NOT_FOUND",), (), final=True)),
    (Cause.COUNTERPARTY_FOUND, {}, Verdict("hold", ("COUNTERPARTY_FOUND",), ("counterparty-confirmation",))),
    (Cause.COUNTERPARTY_UNKNOWN, {}, Verdict("hold", ("COUNTERPARTY_UNKNOWN",), ("counterparty",))),
    (Cause.COUNTERPARTY_AMBIGUOUS, {}, Verdict("hold", ("COUNTERPARTY_AMBIGUOUS",), ("counterparty",))),
    (Cause.COUNTERPARTY_NOT_ALLOWED, {}, Verdict("deny", ("COUNTERPARTY_NOT_ALLOWED",), (), final=True)),
    (Cause.NOT_FIRST_PARTY, {}, Verdict("deny", ("NOT_FIRST_PARTY",), (), final=True)),
    (Cause.COUNTERPARTY_UNREACHABLE, {}, Verdict("hold", ("COUNTERPARTY_UNREACHABLE",), OPERATOR)),
    (Cause.HUB_UNREACHABLE, {}, Verdict("hold", ("HUB_UNREACHABLE",))),
    (Cause.ASSET_NOT_SUPPORTED, {}, Verdict("deny", ("ASSET_NOT_SUPPORTED",), (), final=True)),
    (Cause.ASSET_NOT_LISTED, {}, Verdict("hold", ("ASSET_NOT_SUPPORTED",), OPERATOR)),
    (Cause.SANCTIONED, {}, Verdict("deny", ("SANCTIONED",), (), final=True)),
    (Cause.RISK_MALICIOUS, {}, Verdict("deny", ("RISK_MALICIOUS",), (), final=True)),
    (Cause.RISK_SUSPICIOUS, {}, Verdict("hold", ("RISK_SUSPICIOUS",), OPERATOR)),
    (Cause.RISK_UNKNOWN, {}, Verdict("hold", ("RISK_UNKNOWN",), OPERATOR)),
    (Cause.RISK_PENDING, {}, Verdict("hold", ("RISK_PENDING",), OPERATOR)),
    (Cause.LISTS_UNCHECKED, {}, Verdict("hold", ("RISK_UNKNOWN",), OPERATOR)),
    (Cause.OWNERSHIP_PENDING, {}, Verdict("hold", ("OWNERSHIP_PENDING",), ("ownership-proof",))),
    (Cause.OWNERSHIP_PROVEN, {}, Verdict("allow", ("OWNERSHIP_PROVEN",), (), final=True)),
    (Cause.OWNERSHIP_NOT_PROVEN, {}, Verdict("deny", ("OWNERSHIP_NOT_PROVEN",), (), final=True)),
    (Cause.CANCELLED, {}, Verdict("deny", ("CANCELLED",), (), final=True)),
    (Cause.OPERATOR_ALLOW, {}, Verdict("allow", ("OPERATOR",), (), final=True)),
    (Cause.OPERATOR_DENY, {}, Verdict("deny", ("OPERATOR",), (), final=True)),
    (Cause.NOT_AVAILABLE, {}, Verdict("hold", ("NOT_AVAILABLE",), OPERATOR)),
    (Cause.PAYLOAD_UNREADABLE, {}, Verdict("hold", ("PAYLOAD_UNREADABLE",), OPERATOR)),
    (Cause.ANSWER_NOT_BOUND, {}, Verdict("hold", ("ANSWER_NOT_BOUND",), OPERATOR)),
    (Cause.INFORMATION_INCOMPLETE, {}, Verdict("hold", ("INFORMATION_INCOMPLETE",), ("information",))),
    (Cause.REJECTED_INPUT, {}, Verdict("hold", ("REJECTED_INPUT",), ("information",))),
]  # fmt: skip
DEPOSITS = [
    (Cause.SANCTIONED, Verdict("hold", ("SANCTIONED",), OPERATOR)),
    (Cause.RISK_MALICIOUS, Verdict("hold", ("RISK_MALICIOUS",), OPERATOR)),
    (Cause.MATCHED, Verdict("allow", ("MATCHED",), (), final=True)),
    (Cause.DATA_RECEIVED, Verdict("allow", ("DATA_RECEIVED",), (), final=True)),
    (Cause.AWAITING_FINALITY, Verdict("hold", ("AWAITING_FINALITY",))),
    (Cause.AWAITING_REPORT, Verdict("hold", ("AWAITING_REPORT",))),
    (Cause.SEARCHING, Verdict("hold", ("SEARCHING",))),
    (Cause.ASSESSING, Verdict("hold", ("RISK_PENDING",))),
    (Cause.AWAITING_DATA, Verdict("hold", ("AWAITING_DATA",))),
    (Cause.NAME_MISMATCH, Verdict("hold", ("NAME_MISMATCH",), OPERATOR)),
    (Cause.AMOUNT_MISMATCH, Verdict("hold", ("AMOUNT_MISMATCH",), OPERATOR)),
    (Cause.ASSET_MISMATCH, Verdict("hold", ("ASSET_MISMATCH",), OPERATOR)),
    (Cause.ADDRESS_MISMATCH, Verdict("hold", ("ADDRESS_MISMATCH",), OPERATOR)),
    (Cause.ANSWER_NOT_BOUND, Verdict("hold", ("ANSWER_NOT_BOUND",), OPERATOR)),
    (Cause.OWNER_UNKNOWN, Verdict("hold", ("OWNER_UNKNOWN",), ("wallet-registration", *OPERATOR))),
    (Cause.ORIGINATOR_UNKNOWN, Verdict("hold", ("ORIGINATOR_UNKNOWN",), ("customer-statement", *OPERATOR))),
    (Cause.ORIGINATOR_AMBIGUOUS, Verdict("hold", ("ORIGINATOR_AMBIGUOUS",), ("customer-statement", *OPERATOR))),
    (Cause.RETRACTED, Verdict("deny", ("RETRACTED",), (), final=True)),
]


@pytest.mark.parametrize(("cause", "parts", "expected"), WITHDRAWALS)
def test_the_rows_for_withdrawals(cause, parts, expected):
    assert verdict_for(cause, "withdrawal", Policy.default(), **parts) == expected


@pytest.mark.parametrize(("cause", "expected"), DEPOSITS)
def test_the_rows_for_deposits(cause, expected):
    assert verdict_for(cause, "deposit", Policy.default()) == expected


def test_every_cause_has_a_row_and_a_test():
    assert set(VERDICTS) == set(Cause)
    assert {row[0] for row in WITHDRAWALS} | {row[0] for row in DEPOSITS} == set(Cause)


@pytest.mark.parametrize("cause", list(Cause))
def test_every_verdict_fits_the_event(cause):
    verdict = verdict_for(cause, "withdrawal", Policy.default(), reason="UNKNOWN", rule="OWN_ENTITY")
    body = VerdictBody(
        subject="withdrawal:1", policy_version="1", **{name: getattr(verdict, name) for name in Verdict.__slots__}
    )
    assert (body.verdict, body.reasons, body.needs) == (verdict.verdict, verdict.reasons, verdict.needs)


def moved(cause: Cause, word: str) -> Verdict:
    policy = Policy.from_toml(f'[verdicts]\n{cause.value} = "{word}"')
    return verdict_for(cause, "withdrawal", policy, reason="LACK_OF_INFORMATION")


@pytest.mark.parametrize(("cause", "word"), [(cause, word) for cause, row in VERDICTS.items() for word in row.movable])
def test_a_row_goes_where_the_policy_moves_it(cause, word):
    verdict = moved(cause, word)
    assert verdict.verdict == word
    assert verdict.final is (word != "hold")
    assert bool(verdict.needs) is (word == "hold")
    assert verdict.reasons == verdict_for(cause, "withdrawal", Policy.default(), reason="LACK_OF_INFORMATION").reasons


def test_only_what_the_contract_lets_be_allowed_can_be():
    assert {cause for cause, row in VERDICTS.items() if "allow" in row.movable} == {
        Cause.RISK_UNKNOWN,
        Cause.RISK_PENDING,
        Cause.LISTS_UNCHECKED,
    }


def test_deposits_may_be_moved_apart():
    policy = Policy.from_toml(
        '[verdicts]\nRISK_SUSPICIOUS = "deny"\nSANCTIONED = "hold"\n[deposit_verdicts]\nRISK_SUSPICIOUS = "hold"\n'
        'SANCTIONED = "deny"'
    )
    words = {
        (cause, kind): verdict_for(cause, kind, policy).verdict
        for cause in (Cause.RISK_SUSPICIOUS, Cause.SANCTIONED)
        for kind in ("withdrawal", "deposit")
    }
    assert words == {
        (Cause.RISK_SUSPICIOUS, "withdrawal"): "deny",
        (Cause.RISK_SUSPICIOUS, "deposit"): "hold",
        (Cause.SANCTIONED, "withdrawal"): "hold",
        (Cause.SANCTIONED, "deposit"): "deny",
    }


def test_what_is_said_of_a_cause_counts_for_deposits_that_are_not_named():
    policy = Policy.from_toml('[verdicts]\nRISK_SUSPICIOUS = "deny"\n[deposit_verdicts]\nSANCTIONED = "deny"')
    assert verdict_for(Cause.RISK_SUSPICIOUS, "deposit", policy).verdict == "deny"


def test_which_refusals_can_be_corrected():
    assert {reason for reason in CORRECTABLE if denied_cause(reason) is Cause.DENIED_CORRECTABLE} == {
        "INPUT_NAME_MISMATCHED",
        "DOB_MISMATCHED",
        "LACK_OF_INFORMATION",
    }
    assert denied_cause("NOT_KYC_USER") is Cause.DENIED


def test_the_committed_page_is_what_the_table_says():
    assert verdicts_doc.main(["--check"]) == 0


def test_a_page_that_differs_is_found_and_written_anew(tmp_path, capsys):
    path = tmp_path / "page.md"
    assert verdicts_doc.main(["--check"], path) == 1
    assert "differs" in capsys.readouterr().err
    assert verdicts_doc.main([], path) == 0
    assert verdicts_doc.main(["--check"], path) == 0
    assert all(f"| `{cause}` |" in path.read_text() for cause in Cause)
