"""``travelrule init``: files that the program itself accepts, private keys, nothing overwritten."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from dotenv import dotenv_values

from tests.support.command_line import Cli
from travelrule.bootstrap.installation import audit_key, keyring, load_profile
from travelrule.commands.init import new_files
from travelrule.engine.policy.active import first_policy
from travelrule.sandbox.world.world_file import load_world
from travelrule.screening.lists.lists_folder import named_lists
from travelrule.settings import Settings

POSTGRES = "postgresql+asyncpg://app:s3cr3t-w0rd@db:5432/travelrule"


@pytest.fixture
def bare(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A command line without any setting, as on a new machine."""
    for name in [name for name in os.environ if name.startswith("TRAVELRULE_")]:
        monkeypatch.delenv(name)
    return cli


def settings_of(folder: Path) -> Settings:
    values = dotenv_values(folder / "travelrule.env")
    return Settings.load({name: value for name, value in values.items() if value is not None})


def initialised(cli: Cli, name: str = "first", *more: str) -> dict[str, Any]:
    answer = cli.ask("init", name, *more)
    assert answer.code == 0, answer.err
    found: dict[str, Any] = answer.json
    return found


def subcommands(said: dict[str, Any]) -> list[str]:
    return [one["command"].partition("-m travelrule ")[2].split()[0] for one in said["commands"]]


def modes(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}


def test_everything_that_it_writes_is_accepted_by_the_program(bare: Cli) -> None:
    said = initialised(bare)
    folder = bare.folder / "first"
    settings = settings_of(folder)
    settings.require("vasp_entity_id", "vasp_profile_file", "signing_key", "storage_keys", "index_key", "hub_url")
    assert keyring(settings).publics == (said["publicKey"],)
    assert audit_key(settings).public_base64 != said["publicKey"]
    assert load_profile(settings).country_of_registration == "SG"
    assert first_policy(settings.policy_file)[1].sanctions == "required"
    (named,) = named_lists(settings.lists_dir)
    assert named.format == "own-csv"
    world = load_world(folder / "world.json")
    own, *robots = world.members
    assert (own.vasp_entity_id, own.pubkeys[0].pubkey) == ("north", said["publicKey"])
    assert own.base_url == settings.public_url == "http://127.0.0.1:8080"
    assert {robot.vasp_entity_id for robot in robots} == {"south", "east"}
    assert sorted(said["files"]) == sorted(str(path) for path in folder.rglob("*") if path.is_file())


def test_keys_are_private_and_the_output_holds_none(bare: Cli) -> None:
    answer = bare.run("init", "first")
    folder = bare.folder / "first"
    found = modes(folder)
    assert {mode for name, mode in found.items() if name.startswith("secrets/")} == {0o600}
    assert (found["secrets"], stat.S_IMODE(folder.stat().st_mode)) == (0o700, 0o700)
    for file in (folder / "secrets").iterdir():
        assert file.read_text().strip() not in answer.out + answer.err + (folder / "travelrule.env").read_text()


def test_a_shell_reads_the_environment_file_also_from_a_folder_with_odd_names(bare: Cli) -> None:
    said = initialised(bare, "my $HOME & more")
    script = f"{said['load']}; env -0"
    shell = subprocess.run(["sh", "-euc", script], capture_output=True, check=True, env={"PATH": os.environ["PATH"]})
    pairs = [line.partition("=") for line in shell.stdout.decode().split("\0")]
    read = {name: value for name, _, value in pairs if name.startswith("TRAVELRULE_")}
    assert read == dotenv_values(bare.folder / "my $HOME & more" / "travelrule.env")
    assert Settings.load(read).vasp_entity_id == "north"


def test_a_path_that_readers_of_the_file_quote_differently_is_refused(bare: Cli) -> None:
    answer = bare.run("init", "it's")
    assert answer.code == 2
    assert "TRAVELRULE_VASP_PROFILE_FILE: " in answer.err
    assert not (bare.folder / "it's").exists()


def test_two_installations_share_no_key(bare: Cli) -> None:
    initialised(bare, "one")
    initialised(bare, "two")
    keys = [path.read_text() for path in bare.folder.glob("*/secrets/*")]
    assert len(set(keys)) == len(keys) == 8


def test_nothing_is_overwritten_and_the_file_is_named(bare: Cli) -> None:
    folder = bare.folder / "first"
    folder.mkdir()
    (folder / "policy.toml").write_text("mine")
    answer = bare.run("init", "first")
    assert (answer.code, answer.out) == (2, "")
    assert f"not overwritten: {folder / 'policy.toml'};" in answer.err
    assert [path.name for path in folder.iterdir()] == ["policy.toml"]
    assert (folder / "policy.toml").read_text() == "mine"


def test_again_in_the_same_folder_names_every_file_and_keeps_the_keys(bare: Cli) -> None:
    said = initialised(bare)
    before = {name: Path(name).read_bytes() for name in said["files"]}
    answer = bare.run("init", "first")
    assert answer.code == 2
    assert all(name in answer.err for name in said["files"])
    assert {name: Path(name).read_bytes() for name in said["files"]} == before


def test_a_link_that_leads_nowhere_is_a_file_too(bare: Cli) -> None:
    folder = bare.folder / "first"
    folder.mkdir()
    (folder / "world.json").symlink_to(bare.folder / "nowhere")
    assert bare.run("init", "first").code == 2
    assert not (bare.folder / "nowhere").exists()


def test_other_files_of_the_folder_stay(bare: Cli) -> None:
    (bare.folder / "first").mkdir()
    (bare.folder / "first" / "notes").write_text("mine")
    initialised(bare)
    assert (bare.folder / "first" / "notes").read_text() == "mine"


def test_a_failure_in_the_middle_leaves_nothing(bare: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    write = new_files._write

    def full(path: Path, text: str, mode: int) -> None:
        if path.name == "world.json":
            raise OSError(28, "No space left on device")
        write(path, text, mode)

    monkeypatch.setattr(new_files, "_write", full)
    answer = bare.run("init", "deep/er/first")
    assert answer.code == 2
    assert "world.json: No space left on device" in answer.err
    assert not (bare.folder / "deep").exists()


def test_a_folder_that_is_a_file_is_named(bare: Cli) -> None:
    (bare.folder / "first").write_text("")
    answer = bare.run("init", "first")
    assert answer.code == 2
    assert f"{bare.folder / 'first'}" in answer.err


def test_all_faults_at_once_and_nothing_written(bare: Cli) -> None:
    wrong = ("--entity-id", "a b", "--country", "xx", "--legal-name", "!!", "--hub", "here", "--broker", "kafka:9092")
    answer = bare.run("init", "first", *wrong, "--sandbox-listen", "8090")
    assert answer.code == 2
    for named in (
        "VASP_ENTITY_ID",
        "country_of_registration",
        "legal_name",
        "HUB_URL",
        "BROKER_URL",
        "--sandbox-listen",
    ):
        assert named in answer.err
    assert not (bare.folder / "first").exists()


@pytest.mark.parametrize("name", ['North "N" Ltd. \\ Söhne', "北取引所"])
def test_a_legal_name_is_written_as_it_is(bare: Cli, name: str) -> None:
    initialised(bare, "first", "--legal-name", name)
    assert load_profile(settings_of(bare.folder / "first")).legal_name == name


def test_a_line_break_in_a_name_adds_no_line_to_a_file(bare: Cli) -> None:
    answer = bare.run("init", "first", "--topic-prefix", "a.\nTRAVELRULE_SANCTIONS=off")
    assert answer.code == 2
    assert "TRAVELRULE_TOPIC_PREFIX" in answer.err


def test_a_database_with_password_is_a_private_file(bare: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAVELRULE_DATABASE_URL", POSTGRES)
    answer = bare.run("init", "first")
    folder = bare.folder / "first"
    assert settings_of(folder).database_url == POSTGRES
    assert modes(folder)["secrets/database-url"] == 0o600
    assert "s3cr3t-w0rd" not in answer.out + (folder / "travelrule.env").read_text()


def test_kafka_and_a_hub_of_ones_own_change_the_commands(bare: Cli) -> None:
    assert subcommands(initialised(bare, "one")) == ["migrate", "sandbox", "serve", "send"]
    real = ("--broker", "kafka://k1:9092,k2:9092", "--hub", "https://hub.example", "--topic-prefix", "north.")
    said = initialised(bare, "two", *real)
    assert subcommands(said) == ["migrate", "topics", "serve", "send"]
    settings = settings_of(bare.folder / "two")
    assert (settings.hub_url, settings.public_url, settings.consumer_group) == ("https://hub.example", None, "north")
    assert not (bare.folder / "two" / "world.json").exists()
    text = (bare.folder / "two" / "travelrule.env").read_text()
    for name in ("GATEWAY_SOURCES", "PUBLIC_URL", "BROKER_SASL_PASSWORD_FILE", "BROKER_TLS_CA_FILE"):
        assert f"\n# TRAVELRULE_{name}=\n" in text
    text = bare.run("init", "three", *real).out
    assert keyring(settings_of(bare.folder / "three")).publics[0] in text


def test_a_vasp_named_like_a_robot_replaces_it(bare: Cli) -> None:
    initialised(bare, "first", "--entity-id", "south", "--gateway-listen", "0.0.0.0:8085")
    world = load_world(bare.folder / "first" / "world.json")
    assert [member.vasp_entity_id for member in world.members] == ["south", "east"]
    assert world.members[0].base_url == "http://127.0.0.1:8085"
