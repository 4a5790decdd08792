"""Wrong settings at the start of any command: one message with every fault and its fix, exit 2, no value repeated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.support.command_line import Cli
from travelrule.cli import app

LISTEN = ("--listen", "127.0.0.1:0")
COMMANDS = [
    ("serve",),
    ("serve", "worker"),
    ("serve", "gateway"),
    ("hub", *LISTEN),
    ("sandbox", "--world", "world.json", *LISTEN),
    ("migrate",),
    ("topics", "apply"),
    ("send", "--example", "withdrawal.requested.v1"),
    ("keys", "show"),
    ("explain", "withdrawal:w-1"),
    ("decide", "withdrawal:w-1", "deny", "--actor", "a", "--reason", "r"),
    ("verdicts", "republish", "--refused"),
    ("dead-letters", "list"),
    ("dead-letters", "show", "1"),
    ("dead-letters", "replay", "1"),
    ("audit", "verify"),
    ("policy", "apply", "first-policy.toml"),
    ("policy", "try", "first-policy.toml", "--since", "2026-11-01"),
    ("lists", "import", "own-csv", "own.csv"),
    ("lists", "search", "Lind"),
]
WITHOUT_SETTINGS = {
    "audit export", "builder", "certify", "erase", "hold", "restore-check", "retention", "users",  # not built
    "init", "validate", "keys generate", "demo", "policy check",
    "doctor",  # reports faults as a check that fails: exit 1
}  # fmt: skip
WRONG = {"HUBURL": "http://planted-hub", "METRICS_LISTEN": "planted-nine", "STORAGE_KEYS": "cGxhbnRlZA=="}


def names(command: Any, before: str = "") -> Iterator[str]:
    """The subcommands below a command, each with the words before it."""
    inner = getattr(command, "commands", {})
    for name, one in inner.items():
        yield from names(one, f"{before} {name}".strip())
    if not inner:
        yield before


def told(cli: Cli, *words: str) -> list[str]:
    answer = cli.run(*words)
    assert (answer.code, answer.out) == (2, ""), answer.err
    assert answer.err.startswith("travelrule: ")
    return answer.err.removeprefix("travelrule: ").splitlines()


def of(line: str) -> str:
    return line.partition(":")[0].removeprefix("TRAVELRULE_")


def test_every_command_is_tried() -> None:
    tried = {" ".join(words[:2]) for words in COMMANDS} | {words[0] for words in COMMANDS}
    assert [name for name in names(typer.main.get_command(app)) if name not in tried | WITHOUT_SETTINGS] == []


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_all_faults_are_told_at_once(cli: Cli, words: tuple[str, ...]) -> None:
    (cli.folder / "world.json").write_text("{}")
    (cli.folder / "own.csv").write_text("name\nLind\n")
    cli.set(**WRONG)
    lines = told(cli, *words)
    assert sorted(map(of, lines)) == ["HUBURL", "METRICS_LISTEN", "STORAGE_KEYS"]
    assert all(line.partition(": ")[2] for line in lines)
    assert not any("planted" in line or WRONG["STORAGE_KEYS"] in line for line in lines)


@pytest.mark.parametrize("role", ["worker", "gateway"])
def test_a_role_names_what_is_missing_and_what_its_files_lack_beside_what_is_wrong(
    cli: Cli, tmp_path: Path, role: str
) -> None:
    (tmp_path / "no.pem").write_text("nothing")
    cli.set(
        METRICS_LISTEN="nine",
        HUB_URL=None,
        AUDIT_KEY=None,
        INDEX_KEY=None,
        POLICY_FILE=str(tmp_path / "profile.toml"),
        BROKER_URL="kafka://127.0.0.1:9",
        BROKER_TLS_CA_FILE=str(tmp_path / "no.pem"),
        BROKER_SASL_MECHANISM="PLAIN",
        GATEWAY_TLS_CERTIFICATE_FILE=str(tmp_path / "no.pem"),
        GATEWAY_TLS_KEY_FILE=str(tmp_path / "none.pem"),
    )
    (tmp_path / "profile.toml").write_text('legal_name = "!!"\nunknown = 1\n')
    found = {of(line) for line in told(cli, "serve", role)}
    wanted = {"METRICS_LISTEN", "HUB_URL", "INDEX_KEY", "BROKER_SASL_USERNAME"}
    wanted |= {"VASP_PROFILE_FILE legal_name", "VASP_PROFILE_FILE unknown", "POLICY_FILE legal_name"}
    wanted |= {"AUDIT_KEY"} if role == "worker" else {"GATEWAY_TLS_KEY_FILE"}
    assert wanted <= found, found
    assert ("GATEWAY_TLS_KEY_FILE" in found, "AUDIT_KEY" in found) == (role == "gateway", role == "worker")


def test_a_broker_file_is_read_where_the_broker_settings_are_right(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "no.pem").write_text("nothing")
    cli.set(METRICS_LISTEN="nine", BROKER_URL="kafka://127.0.0.1:9", BROKER_TLS_CA_FILE=str(tmp_path / "no.pem"))
    for words in (("serve", "worker"), ("topics", "apply"), ("send", "--example", "withdrawal.requested.v1")):
        assert [of(line) for line in told(cli, *words)] == ["METRICS_LISTEN", "BROKER_TLS_CA_FILE"]


def test_a_wrong_secret_has_one_fault_and_causes_no_other(cli: Cli) -> None:
    cli.set(
        BROKER_URL="kafka://127.0.0.1:9",
        BROKER_SASL_MECHANISM="PLAIN",
        BROKER_SASL_USERNAME="u",
        BROKER_SASL_PASSWORD_FILE="/nowhere",
        AUDIT_KEY=None,
        AUDIT_KEY_FILE="/nowhere",
    )
    assert sorted(map(of, told(cli, "serve", "worker"))) == ["AUDIT_KEY_FILE", "BROKER_SASL_PASSWORD_FILE"]


def test_a_command_on_stored_data_names_what_is_missing_and_a_wrong_profile(cli: Cli) -> None:
    cli.set(SIGNING_KEY=None, INDEX_KEY=None, METRICS_LISTEN="nine")
    (cli.folder / "profile.toml").write_text('legal_name = "North"\n')
    found = [of(line) for line in told(cli, "audit", "verify")]
    assert found[0] == "METRICS_LISTEN"
    assert {"SIGNING_KEY", "INDEX_KEY", "VASP_PROFILE_FILE country_of_registration"} <= set(found)


@pytest.mark.parametrize(
    ("words", "file"),
    [(("hub", "--members", "file.json"), "file.json"), (("sandbox", "--world", "file.json"), "file.json")],
)
def test_a_hub_tells_the_faults_of_its_file_with_the_others(cli: Cli, words: tuple[str, ...], file: str) -> None:
    (cli.folder / file).write_text('{"memberTimeoutSeconds": 0, "membrs": []}')
    cli.set(METRICS_LISTEN="nine")
    lines = told(cli, *words, "--listen", "nine")
    assert [of(line) for line in lines[:2]] == ["METRICS_LISTEN", "--listen"]
    assert len(lines) == 4
    assert all(any(name in line for line in lines[2:]) for name in ("memberTimeoutSeconds", "membrs"))
