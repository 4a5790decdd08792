"""``policy try``: what is printed, for people and for programs."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.support.command_line import PERSONAL, Cli, verified, withdraw
from travelrule.bootstrap.installation import Installation
from travelrule.commands.policy import trial_output
from travelrule.machine.input import RawMessage, Rejected

SINCE = ("--since", "2020-01-01")


@pytest.fixture
def tried(installed: Cli) -> Cli:
    """A withdrawal that was verified, one that waits, and a file with other rules."""

    async def history(opened: Installation) -> None:
        await verified(opened)
        await withdraw(opened, "w-2")

    installed.within(history)
    installed.folder.joinpath("strict.toml").write_text('deny_list = ["south"]\n', encoding="utf-8")
    installed.folder.joinpath("lists.toml").write_text('sanctions = "required"\n', encoding="utf-8")
    return installed


def test_it_prints_which_verdicts_would_differ(tried: Cli) -> None:
    answer = tried.ask("policy", "try", "strict.toml", *SINCE)
    assert (answer.code, answer.err) == (0, "")
    denied = {"verdict": "deny", "reasons": ["COUNTERPARTY_NOT_ALLOWED"], "needs": [], "final": True}
    assert answer.json["subjects"] == 2
    assert answer.json["differ"] == [
        {
            "subject": "withdrawal:w-1",
            "was": {"verdict": "allow", "reasons": ["VERIFIED"], "needs": [], "final": True},
            "would": denied,
        },
        {"subject": "withdrawal:w-2", "was": None, "would": denied},
    ]
    assert answer.json["undetermined"] == []
    text = tried.run("policy", "try", "strict.toml", *SINCE)
    assert "allow VERIFIED" in text.out
    assert "deny COUNTERPARTY_NOT_ALLOWED" in text.out
    assert text.out.splitlines()[-1] == "2 subjects, 2 would differ, 0 undetermined"
    assert not any(word in answer.out + text.out for word in PERSONAL)


def test_it_says_where_the_answer_is_not_known(tried: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_output, "SPOOL_BYTES", 8)
    reason = "an assessment (lists) would be asked"
    answer = tried.ask("policy", "try", "lists.toml", *SINCE)
    assert [(one["subject"], one["reason"]) for one in answer.json["undetermined"]] == [
        ("withdrawal:w-1", reason),
        ("withdrawal:w-2", reason),
    ]
    assert (answer.json["differ"], answer.json["subjects"]) == ([], 2)
    text = tried.run("policy", "try", "lists.toml", *SINCE)
    assert f"undetermined: {reason}" in text.out
    assert text.out.splitlines()[-1] == "2 subjects, 0 would differ, 2 undetermined"


def test_only_what_was_touched_since_then(tried: Cli) -> None:
    later = str(datetime.now(UTC).year + 1)
    answer = tried.ask("policy", "try", "strict.toml", "--since", f"{later}-01-01T00:00:00Z")
    assert answer.json["subjects"] == 0


def test_wrong_use_is_said_before_anything_is_read(tried: Cli) -> None:
    wrong = tried.ask("policy", "try", "strict.toml", "--since", "yesterday")
    assert (wrong.code, wrong.out) == (2, "")
    assert "ISO 8601" in wrong.err
    missing = tried.ask("policy", "try", "nowhere.toml", *SINCE)
    assert (missing.code, missing.out) == (2, "")
    tried.folder.joinpath("faulty.toml").write_text("deny = []\n", encoding="utf-8")
    faulty = tried.ask("policy", "try", "faulty.toml", *SINCE)
    assert (faulty.code, faulty.json["faults"][0]["field"]) == (1, "deny")


def test_a_refused_request_differs_under_no_policy(tried: Cli) -> None:
    """Before and after its correction: no rule decides what could not be read."""

    async def refuse(opened: Installation) -> None:
        for name in ("w-3", "w-4"):
            raw = RawMessage("withdrawals", 0, 1, name.encode(), b"{}")
            rejected = Rejected(
                raw, "INVALID_AMOUNT", "data.amount", "fix", f"withdrawal:{name}", "withdrawal.requested.v1"
            )
            await opened.engine.apply([rejected])
        await withdraw(opened, "w-4")

    tried.within(refuse)
    answer = tried.ask("policy", "try", "strict.toml", *SINCE)
    assert (answer.code, answer.json["subjects"], answer.json["undetermined"]) == (0, 4, [])
    changed = {one["subject"]: (one["was"] or {}).get("reasons") for one in answer.json["differ"]}
    assert changed == {
        "withdrawal:w-1": ["VERIFIED"],
        "withdrawal:w-2": None,
        "withdrawal:w-4": ["REJECTED_INPUT"],
    }
