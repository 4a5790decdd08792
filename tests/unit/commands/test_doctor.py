"""``doctor``: each thing that is wrong is named, with what to do about it."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.services.ports import free_port
from tests.support.command_line import NORTH_PUBLIC, Cli
from tests.support.sandbox import listed
from travelrule.bootstrap.installation import Installation
from travelrule.commands.doctor import open_files
from travelrule.sandbox.server import run_sandbox
from travelrule.setting_types import HostPort
from travelrule.store import tables

OWN = Path(__file__).parents[2] / "data" / "sanctions" / "invented" / "own.csv"


@contextmanager
def sandbox(folder: Path, *members: dict[str, Any]) -> Iterator[str]:
    """A hub on a socket, in a thread of its own; return its root."""
    file = folder / "world.json"
    file.write_text(json.dumps({"members": list(members)}))
    listening: list[HostPort] = []
    started = threading.Event()
    loop = asyncio.new_event_loop()
    tasks: list[asyncio.Task[None]] = []

    def told(place: HostPort) -> None:
        listening.append(place)
        started.set()

    def serve() -> None:
        task = loop.create_task(run_sandbox(file, "127.0.0.1:0", on_started=told))
        tasks.append(task)
        loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        loop.close()

    thread = threading.Thread(target=serve)
    thread.start()
    assert started.wait(60)
    try:
        yield f"http://{listening[0]}"
    finally:
        loop.call_soon_threadsafe(tasks[0].cancel)
        thread.join(60)


def member(*keys: str) -> dict[str, Any]:
    pubkeys = [{"pubkey": key, "expiresAt": "2031-01-01T00:00:00Z"} for key in keys]
    return listed("north", pubkeys=pubkeys, baseUrl="http://127.0.0.1:9")


def checks(cli: Cli, code: int) -> dict[str, dict[str, Any]]:
    answer = cli.ask("doctor")
    assert answer.code == code, answer
    assert answer.json["ok"] is (code == 0)
    for check in answer.json["checks"]:
        assert set(check) == {"name", "ok", "detail", "fix"}
        assert check["detail"]
        assert check["ok"] or check["fix"], check
        assert check["fix"] != "see the detail" or len(check["detail"]) > 20
    return {check["name"]: check for check in answer.json["checks"]}


def test_all_is_well(installed: Cli, broker: tuple[str, ...]) -> None:
    with sandbox(installed.folder, member(NORTH_PUBLIC)) as url:
        installed.set(HUB_URL=url)
        found = checks(installed, 0)
        text = installed.run("doctor")
    ours = {"packages", "settings and keys", "profile", "policy", "storage and index keys", "audit key", "database"}
    machine = {"clock", "metrics listener", "gateway listener", "open files"}
    assert set(found) == {*ours, *machine, "broker and topics", "lists", "hub"}
    assert "FAIL" not in text.out
    assert broker


def test_not_in_the_list_and_not_with_this_key(installed: Cli, broker: tuple[str, ...]) -> None:
    other = "wR1Gtiixh2GuBQuki01oJuZ4znqwK/MgXYFwt8g+I+s="
    with sandbox(installed.folder, member(NORTH_PUBLIC, other)) as url:
        installed.set(HUB_URL=url, SIGNING_KEY="eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg=")
        hub = checks(installed, 1)["hub"]
        assert not hub["ok"]
        installed.set(HUB_URL=url, VASP_ENTITY_ID="nobody")
        hub = checks(installed, 1)["hub"]
        assert not hub["ok"]
    assert broker


def test_a_new_key_that_signs_before_it_is_registered(installed: Cli, broker: tuple[str, ...]) -> None:
    """The hub may let the old key's list through; what matters is the key that signs."""
    with sandbox(installed.folder, member(NORTH_PUBLIC)) as url:
        installed.set(HUB_URL=url, SIGNING_KEY=f"eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg=,{installed_seed()}")
        hub = checks(installed, 1)["hub"]
    assert not hub["ok"]
    assert "key" in hub["detail"].lower() + hub["fix"].lower()
    assert broker


def installed_seed() -> str:
    from tests.support.command_line import SEED

    return SEED


def test_nothing_is_there_and_everything_is_said(cli: Cli) -> None:
    found = checks(cli, 1)
    assert {name for name, check in found.items() if not check["ok"]} == {"broker", "database", "lists", "hub", "clock"}
    assert found["database"]["fix"] == "travelrule migrate"
    assert "serve" in found["broker"]["detail"] + found["broker"]["fix"]
    text = cli.run("doctor")
    assert text.code == 1
    assert text.out.count("FAIL") == 5


def test_a_person_is_told_each_thing_once(installed: Cli) -> None:
    """A fix that is part of the detail is not repeated below it; the fault of a check is printed under it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        installed.set(VASP_PROFILE_FILE="nowhere.toml", GATEWAY_LISTEN=f"127.0.0.1:{taken.getsockname()[1]}")
        text = installed.run("doctor").out
        assert text.count("no such file: nowhere.toml") == 1
        assert text.count("another process listens there") == 1
    wrong = installed.folder / "wrong.toml"
    wrong.write_text('legal_nam = "North"\ncountry_of_registration = "Singapore"\n', encoding="utf-8")
    installed.set(VASP_PROFILE_FILE=str(wrong))
    text = installed.run("doctor").out
    assert text.count("add it") == 1
    assert all(line.startswith(("ok   ", "FAIL ", "     ")) for line in text.splitlines())
    assert "two capitals" in text


def test_a_hub_that_does_not_answer(installed: Cli) -> None:
    installed.set(HUB_URL=f"http://127.0.0.1:{free_port()}")
    hub = checks(installed, 1)["hub"]
    assert not hub["ok"]
    assert "HUB_URL" in hub["fix"]


def test_a_database_that_does_not_answer(cli: Cli) -> None:
    cli.set(DATABASE_URL=f"postgresql+asyncpg://nobody:Planted@127.0.0.1:{free_port()}/none")
    found = checks(cli, 1)
    assert any("database" in name and not check["ok"] for name, check in found.items())
    assert "Planted" not in str(found)


@pytest.mark.parametrize("name", ["AUDIT_KEY", "HUB_URL", "STORAGE_KEYS", "VASP_PROFILE_FILE"])
def test_a_missing_setting_is_a_check_that_fails(installed: Cli, name: str) -> None:
    installed.set(**{name: None})
    found = checks(installed, 1)
    assert any(name in check["detail"] + check["fix"] for check in found.values() if not check["ok"])


def test_asking_makes_no_database(cli: Cli) -> None:
    before = sorted(cli.folder.rglob("*"))
    found = checks(cli, 1)
    assert found["database"]["detail"].endswith("is not there yet")
    assert found["database"]["fix"] == "travelrule migrate"
    assert sorted(cli.folder.rglob("*")) == before


def test_wrong_settings_are_an_answer_of_doctor(cli: Cli) -> None:
    cli.set(HUBURL="x")
    assert "TRAVELRULE_HUBURL" in checks(cli, 1)["settings and keys"]["detail"]


@pytest.mark.services
def test_topics_that_are_missing_or_different(installed: Cli, kafka: Any) -> None:
    installed.set(BROKER_URL=f"kafka://{kafka.bootstrap}", TOPIC_PREFIX=f"doctor{free_port()}.")
    topics = checks(installed, 1)["topics"]
    assert "withdrawals" in topics["detail"]
    assert topics["fix"] == "travelrule topics apply"
    assert installed.ask("topics", "apply").code == 0
    assert checks(installed, 1)["broker and topics"]["ok"]


@pytest.mark.services
def test_topics_apply_makes_what_is_missing_and_says_what_differs(cli: Cli, kafka: Any) -> None:
    prefix = f"apply{free_port()}."
    cli.set(BROKER_URL=f"kafka://{kafka.bootstrap}", TOPIC_PREFIX=prefix)
    kafka.create_topics([f"{prefix}verdicts"], partitions=3)
    first = cli.ask("topics", "apply")
    actions = {line["topic"].removeprefix(prefix): line["action"] for line in first.lines}
    assert actions.pop("verdicts") == "differs"
    assert set(actions.values()) == {"created"}
    assert "3 partitions" in next(line["detail"] for line in first.lines if line["topic"].endswith("verdicts"))
    again = {line["topic"].removeprefix(prefix): line["action"] for line in cli.ask("topics", "apply").lines}
    assert again == dict.fromkeys(actions, "unchanged") | {"verdicts": "differs"}
    assert "withdrawals" in cli.run("topics", "apply").out


@pytest.mark.parametrize(
    ("wrong", "unasked"),
    [
        ({"HUB_URL": "no-url"}, {"hub"}),
        ({"BROKER_URL": "amqp://127.0.0.1:1", "METRICS_LISTEN": "nowhere"}, {"broker", "metrics listener"}),
        ({"DATABASE_URL": "mysql://x", "GATEWAY_LISTEN": "nowhere"}, {"database", "gateway listener"}),
        ({"STORAGE_KEYS": "short", "AUDIT_KEY": "short"}, {"storage and index keys", "audit key"}),
        ({"HUB_ULR": "http://127.0.0.1:9"}, {"hub"}),
    ],
    ids=lambda value: "-".join(sorted(value)),
)
def test_a_wrong_setting_ends_no_other_check(installed: Cli, wrong: dict[str, str], unasked: set[str]) -> None:
    """What it leads to is not asked: the answer of a default would be taken for its own."""
    names = list(checks(installed, 1))
    installed.set(**wrong)
    found = checks(installed, 1)
    assert list(found) == names
    assert all(f"TRAVELRULE_{name}" in found["settings and keys"]["detail"] for name in wrong)
    not_asked = {name for name, check in found.items() if check["detail"].endswith("needs the settings and keys")}
    assert not_asked == unasked
    assert all(value not in json.dumps(found) for value in wrong.values())


def test_topics_apply_without_a_broker_is_exit_3(cli: Cli) -> None:
    cli.set(BROKER_URL=f"kafka://127.0.0.1:{free_port()}")
    answer = cli.ask("topics", "apply")
    assert (answer.code, answer.out) == (3, "")


def test_topics_apply_on_an_embedded_broker_that_runs(installed: Cli, broker: tuple[str, ...]) -> None:
    answer = installed.ask("topics", "apply")
    assert answer.code == 0
    assert {line["action"] for line in answer.lines} == {"unchanged"}
    assert broker


def test_lists_are_there_can_be_read_and_are_young_enough(installed: Cli) -> None:
    assert checks(installed, 1)["lists"]["detail"] == "none; the policy does not ask for them"
    policy = installed.folder / "required.toml"
    policy.write_text("[time_limits]\nlist_age = 86400\n", encoding="utf-8")
    assert installed.ask("policy", "apply", str(policy)).code == 0
    lists = checks(installed, 1)["lists"]
    assert (lists["ok"], "lists import" in lists["fix"]) == (False, True)
    assert installed.ask("lists", "import", "own-csv", str(OWN)).code == 0
    lists = checks(installed, 1)["lists"]
    assert (lists["ok"], lists["detail"]) == (True, "own (2 entries)")

    async def older(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            past = opened.clock() - timedelta(days=2)
            await connection.execute(tables.lists.update().values(imported_at=past))

    installed.within(older)
    lists = checks(installed, 1)["lists"]
    assert (lists["ok"], lists["detail"]) == (False, "older than 1 days: own")

    async def spoil(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            await connection.execute(tables.list_chunks.delete())

    installed.within(spoil)
    lists = checks(installed, 1)["lists"]
    assert (lists["ok"], lists["detail"]) == (False, "cannot be read: own")


def test_a_low_limit_of_open_files_is_named(installed: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "raise_limit", lambda: 1_024)
    check = checks(installed, 1)["open files"]
    assert not check["ok"]
    assert check["detail"].startswith("1024 allowed")
    assert "LimitNOFILE" in check["fix"]
