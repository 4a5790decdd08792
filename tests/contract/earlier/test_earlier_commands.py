"""The commands of an upgrade on the earlier tree's database: migrate, prove, try a policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.earlier.stored import KEPT, sqlite_file
from tests.support.command_line import Cli

RECORDS = KEPT["rows"]["audit"]
ERASED = 7


@pytest.fixture
def upgraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    keys = {"STORAGE_KEYS": KEPT["storageKey"], "INDEX_KEY": KEPT["indexKey"], "AUDIT_KEY": KEPT["auditKey"]}
    profile = tmp_path / "north.toml"
    profile.write_text(KEPT["profile"], encoding="utf-8")
    cli = Cli(tmp_path, monkeypatch, **keys, VASP_PROFILE_FILE=str(profile))
    (tmp_path / "data").mkdir()
    sqlite_file(tmp_path).rename(tmp_path / "data" / "travelrule.sqlite3")
    assert cli.run("migrate").code == 0
    return cli


def test_the_record_is_proved_after_the_upgrade(upgraded: Cli) -> None:
    answer = upgraded.ask("audit", "verify")
    assert answer.code == 0, answer.out
    said = answer.json
    assert (said["ok"], said["faults"]) == (True, [])
    assert (said["records"], said["notKept"], said["earlierVersion"]) == (RECORDS, ERASED, RECORDS - ERASED)
    assert (said["recomputed"], said["laterVersion"], said["roots"]) == (0, 0, 2)


def test_another_index_key_does_not_prove_it(upgraded: Cli) -> None:
    upgraded.set(STORAGE_KEYS=KEPT["storageKey"], INDEX_KEY=KEPT["auditKey"], AUDIT_KEY=KEPT["auditKey"])
    assert upgraded.ask("audit", "verify").code != 0


def test_a_policy_is_tried_on_it_and_the_upgrade_is_no_difference(upgraded: Cli, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('sanctions = "required"\noperator_override = true\ndeny_list = ["banned"]\n', encoding="utf-8")
    same = upgraded.ask("policy", "try", str(rules), "--since", "2026-11-01")
    assert same.code == 0, same.err
    differ = {one["subject"] for one in same.json["differ"]}
    undetermined = {one["subject"]: one["reason"] for one in same.json["undetermined"]}
    under_these_rules = {"withdrawal:listed", "withdrawal:screened", "withdrawal:overridden", "screening:malicious"}
    assert differ & under_these_rules == set()
    assert not any("audit verify" in reason for reason in undetermined.values()), "nothing was tampered with"
    assert undetermined.keys() & {"withdrawal:listed", "screening:malicious"} == set()
