"""Keys, settings and wrong use: exit codes, one line with the fix, JSON that a program can read."""

from __future__ import annotations

import base64

import pytest

from tests.support.command_line import NORTH_PUBLIC, OLD_PUBLIC, SEED, Cli
from travelrule.crypto.signing import SigningKey


def test_generate_makes_a_pair_that_belongs_together(cli: Cli) -> None:
    first, second = cli.ask("keys", "generate"), cli.ask("keys", "generate")
    assert first.code == 0
    assert set(first.json) == {"seed", "publicKey"}
    assert SigningKey.from_base64(first.json["seed"]).public_base64 == first.json["publicKey"]
    assert len(base64.b64decode(first.json["seed"])) == 32
    assert first.json["seed"] != second.json["seed"]
    text = cli.run("keys", "generate").out
    assert text.startswith("seed ")
    assert "public key" in text


def test_the_output_of_generate_is_a_key_file(cli: Cli) -> None:
    """As an operator makes one: ``travelrule keys generate --seed-only > signing-key``."""
    file = cli.folder / "signing-key"
    file.write_text(cli.run("keys", "generate", "--seed-only").out, encoding="utf-8")
    cli.set(SIGNING_KEY=None, SIGNING_KEY_FILE=str(file))
    shown = cli.ask("keys", "show")
    assert shown.code == 0, shown.err
    seed = file.read_text(encoding="utf-8").strip()
    assert shown.json["publicKey"] == SigningKey.from_base64(seed).public_base64
    assert cli.ask("keys", "generate", "--seed-only").json.keys() == {"seed"}


def test_a_whole_pair_as_a_key_file_is_refused_with_the_way_to_make_one(cli: Cli) -> None:
    file = cli.folder / "signing-key"
    file.write_text(cli.run("keys", "generate").out, encoding="utf-8")
    cli.set(SIGNING_KEY=None, SIGNING_KEY_FILE=str(file))
    answer = cli.run("keys", "show")
    assert answer.code == 2
    assert "--seed-only" in answer.err
    assert file.read_text(encoding="utf-8").split()[1] not in answer.err


def test_generate_needs_no_settings(cli: Cli) -> None:
    cli.set(VASP_ENTITY_ID=None, SIGNING_KEY=None, STORAGE_KEYS=None, HUBURL="x")
    assert cli.ask("keys", "generate").code == 0


def test_show_tells_the_public_keys_and_never_a_seed(cli: Cli) -> None:
    answer = cli.ask("keys", "show")
    assert answer.code == 0
    assert answer.json == {"publicKey": NORTH_PUBLIC, "publicKeys": [NORTH_PUBLIC, OLD_PUBLIC]}
    text = cli.run("keys", "show")
    assert text.out.splitlines() == [f"signs {NORTH_PUBLIC}", f"opens {OLD_PUBLIC}"]
    assert SEED not in answer.out + answer.err + text.out


def test_show_without_a_key_says_how_to_get_one(cli: Cli) -> None:
    cli.set(SIGNING_KEY=None)
    answer = cli.ask("keys", "show")
    assert (answer.code, answer.out) == (2, "")
    assert "travelrule keys generate" in answer.err


def test_an_unknown_setting_is_exit_2_with_a_suggestion(cli: Cli) -> None:
    cli.set(HUBURL="http://hub", STORAGE_KEY="x")
    answer = cli.ask("migrate")
    assert (answer.code, answer.out) == (2, "")
    assert "TRAVELRULE_HUBURL: is not a setting; did you mean TRAVELRULE_HUB_URL?" in answer.err
    assert "did you mean TRAVELRULE_STORAGE_KEYS?" in answer.err, "every fault at once"


def test_a_wrong_value_is_named_and_never_repeated(cli: Cli) -> None:
    cli.set(STORAGE_KEYS="c2VjcmV0LXNlY3JldA==", METRICS_LISTEN="nine")
    answer = cli.run("audit", "verify")
    assert answer.code == 2
    assert "TRAVELRULE_STORAGE_KEYS" in answer.err
    assert "TRAVELRULE_METRICS_LISTEN" in answer.err
    assert "c2VjcmV0" not in answer.err


NEEDED = {
    "VASP_ENTITY_ID": "entity id",
    "VASP_PROFILE_FILE": "TOML",
    "SIGNING_KEY": "base64 Ed25519 seed",
    "STORAGE_KEYS": "AES-256",
    "INDEX_KEY": "blind index",
}


@pytest.mark.parametrize("name", NEEDED)
def test_a_missing_setting_is_exit_2_and_says_which(installed: Cli, name: str) -> None:
    installed.set(**{name: None})
    answer = installed.ask("dead-letters", "list")
    assert (answer.code, answer.out) == (2, "")
    assert name in answer.err
    assert NEEDED[name] in answer.err


def test_everything_that_is_missing_is_said_at_once(installed: Cli) -> None:
    installed.set(VASP_ENTITY_ID=None, SIGNING_KEY=None, INDEX_KEY=None)
    answer = installed.ask("dead-letters", "list")
    assert answer.code == 2
    assert len(answer.err.splitlines()) == 3


def test_audit_verify_needs_the_audit_key(installed: Cli) -> None:
    installed.set(AUDIT_KEY=None)
    answer = installed.ask("audit", "verify")
    assert (answer.code, answer.out) == (2, "")
    assert "AUDIT_KEY" in answer.err


@pytest.mark.parametrize("content", [None, "legal_name = 7", "not toml", b"\xff"])
def test_a_profile_that_cannot_be_read_is_a_fault_of_the_settings(installed: Cli, content: str | bytes | None) -> None:
    file = installed.folder / "other.toml"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content is not None:
        file.write_text(content)
    installed.set(VASP_PROFILE_FILE=str(file))
    answer = installed.ask("dead-letters", "list")
    assert (answer.code, answer.out) == (2, "")
    assert "VASP_PROFILE_FILE" in answer.err


def test_a_first_policy_that_cannot_be_read_is_a_fault_of_the_settings(installed: Cli) -> None:
    installed.set(POLICY_FILE=str(installed.folder / "none.toml"))
    answer = installed.ask("dead-letters", "list")
    assert (answer.code, answer.out) == (2, "")
    assert "POLICY_FILE" in answer.err


@pytest.mark.parametrize(
    ("words", "setting"),
    [(("keys", "show"), "TRAVELRULE_SIGNING_KEY"), (("keys", "show", "--decision"), "TRAVELRULE_DECISION_KEY")],
)
def test_a_missing_key_is_named_as_it_is_set(cli: Cli, words: tuple[str, ...], setting: str) -> None:
    cli.set(SIGNING_KEY=None)
    answer = cli.run(*words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"travelrule: {setting}: ")


NOT_BUILT = [
    ("audit", "export", "withdrawal:w-1"),
    ("audit", "verify", "package.json"),
    ("builder", "--listen", "127.0.0.1:0"),
    ("certify", "--hub", "http://127.0.0.1:8090", "--member", "south"),
    ("erase", "withdrawal:w-1"),
    ("hold", "withdrawal:w-1", "--reason", "a case about Lind"),
    ("restore-check",),
    ("retention", "run", "--dry-run"),
    ("serve", "console"),
    ("users", "add", "Lind"),
]


@pytest.mark.parametrize("words", NOT_BUILT, ids=lambda words: " ".join(words[:2]))
def test_what_is_not_built_yet_says_so_and_exits_2(cli: Cli, words: tuple[str, ...]) -> None:
    answer = cli.run(*words)
    assert (answer.code, answer.out) == (2, "")
    assert "not built yet" in answer.err
    assert "Lind" not in answer.err


WRONG = [("nonsense",), ("decide", "withdrawal:w-1", "perhaps", "--actor", "a", "--reason", "r"), ("serve", "waiter")]


@pytest.mark.parametrize("words", WRONG, ids=lambda words: words[0])
def test_wrong_use_is_exit_2(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli.run(*words).code == 2


def test_every_command_of_the_contract_is_there(cli: Cli) -> None:
    words = [
        "serve",
        "hub",
        "sandbox",
        "builder",
        "demo",
        "migrate",
        "topics",
        "keys",
        "lists",
        "dead-letters",
        "decide",
        "verdicts",
        "policy",
        "audit",
        "explain",
        "erase",
        "doctor",
    ]
    for word in words:
        assert cli.run(word, "--help").code == 0, word


def test_the_version(cli: Cli) -> None:
    answer = cli.run("--version")
    assert answer.code == 0
    assert answer.out.strip()[0].isdigit()


@pytest.mark.parametrize(
    ("setting", "command", "path", "told"),
    [
        ("VASP_PROFILE_FILE", ("explain", "x"), "none/profile.toml", "no such file: none/profile.toml"),
        ("VASP_PROFILE_FILE", ("explain", "x"), "data", "is a folder, not a file: data"),
        ("VASP_PROFILE_FILE", ("explain", "x"), "bytes", "is no UTF-8 text: bytes"),
        ("POLICY_FILE", ("explain", "x"), "none.toml", "no such file: none.toml"),
        ("SIGNING_KEY_FILE", ("keys", "show"), "none", "no such file"),
        ("DATABASE_URL_FILE", ("migrate",), "data", "is a folder, not a file"),
        ("LISTS_DIR", ("serve", "gateway"), "none", "no such folder"),
        ("BROKER_TLS_CA_FILE", ("topics", "apply"), "none.pem", "no such file: none.pem"),
        ("BROKER_TLS_CA_FILE", ("topics", "apply"), "profile.toml", "no PEM file of certificates: profile.toml"),
    ],
)
def test_a_file_that_is_not_there_says_so_with_the_name_of_its_setting(
    installed: Cli, setting: str, command: tuple[str, ...], path: str, told: str
) -> None:
    (installed.folder / "bytes").write_bytes(b"\xff\xfe")
    settings: dict[str, str | None] = {setting: path, "BROKER_URL": "kafka://127.0.0.1:9"}
    if setting == "SIGNING_KEY_FILE":
        settings["SIGNING_KEY"] = None
    installed.set(**settings)
    answer = installed.run(*command)
    assert (answer.code, answer.out) == (2, ""), answer
    (line,) = answer.err.splitlines()
    assert setting in line
    assert told in line


@pytest.mark.parametrize("words", [("policy", "check"), ("policy", "apply")])
def test_a_policy_file_on_the_command_line_that_is_not_there(installed: Cli, words: tuple[str, ...]) -> None:
    answer = installed.run(*words, "none.toml")
    assert (answer.code, answer.out, answer.err) == (2, "", "travelrule: none.toml: no such file\n")


def test_a_world_file_that_is_not_there(cli: Cli) -> None:
    answer = cli.run("sandbox", "--world", "none.json", "--listen", "127.0.0.1:0")
    assert (answer.code, answer.err) == (2, "travelrule: none.json: no such file: none.json\n")
