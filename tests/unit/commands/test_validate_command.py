"""``travelrule validate``: what the codec of the worker says of every example, and of bytes that are no event."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import schemas
from schemas.registry import EVENTS, TOPICS
from streams.codec import SIZE_MAX, read
from tests.support.command_line import Cli
from travelrule.bootstrap.installation import utc_now
from travelrule.machine.input import RawMessage, Rejected

EXAMPLES = Path(schemas.__file__).parent / "examples"
INPUTS = [spec.type for spec in EVENTS.values() if TOPICS[spec.topic].direction == "in"]
MANIFEST = json.loads((EXAMPLES / "manifest.json").read_bytes())
FIRST = EXAMPLES / "withdrawal.requested.v1" / "valid-minimal.json"


def one_line(path: Path) -> bytes:
    return json.dumps(json.loads(path.read_bytes())).encode()


def event(**changes: Any) -> bytes:
    return json.dumps({**json.loads(FIRST.read_bytes()), **changes}).encode()


def verdict_on(cli: Cli, content: bytes, *more: str) -> Any:
    (cli.folder / "events").write_bytes(content)
    answer = cli.ask("validate", "events", *more)
    assert answer.code == int(not all(line["ok"] for line in answer.lines)), answer.err
    return answer.lines if len(answer.lines) > 1 else answer.json


@pytest.mark.parametrize("kind", INPUTS)
def test_it_says_of_every_example_what_the_worker_says(cli: Cli, kind: str) -> None:
    paths = sorted((EXAMPLES / kind).glob("*.json"))
    cli.folder.joinpath("events").write_bytes(b"\n".join(map(one_line, paths)))
    lines = cli.ask("validate", "events").lines
    assert [line["line"] for line in lines] == list(range(1, len(paths) + 1))
    for path, line in zip(paths, lines, strict=True):
        content = json.loads(path.read_bytes())
        raw = RawMessage(EVENTS[kind].topic, 0, 0, str(content.get("subject")).encode(), one_line(path))
        worker = read(raw, raw.topic, received_at=utc_now())
        if isinstance(worker, Rejected):
            assert (line["ok"], line["code"], line["field"] or "") == (False, worker.code, worker.field), path
            assert line["fix"] == worker.fix
        else:
            assert (line["ok"], line["subject"], line["code"]) == (True, worker.subject, None), path
    refused = {f"{kind}/{path.name}" for path, line in zip(paths, lines, strict=True) if not line["ok"]}
    assert refused == {name for name in MANIFEST if name.startswith(f"{kind}/")}


def test_an_event_over_several_lines_is_one_event(cli: Cli) -> None:
    said = verdict_on(cli, FIRST.read_bytes())
    assert (said["line"], said["type"], said["topic"]) == (1, "withdrawal.requested.v1", "withdrawals")
    assert said["event"] == "/platform#8d0c6a0e-7c2f-4b57-9f0e-000000000002"


def test_a_broken_event_over_several_lines_is_one_fault(cli: Cli) -> None:
    assert verdict_on(cli, FIRST.read_bytes()[:-4])["code"] == "INVALID_JSON"


def test_lines_keep_their_numbers(cli: Cli) -> None:
    said = verdict_on(cli, b"\n".join([event(), b"", b"{", b"  ", event(source="")]))
    assert [(line["line"], line["code"]) for line in said] == [(1, None), (3, "INVALID_JSON"), (5, "EMPTY_VALUE")]


def test_what_a_worker_keeps_for_later_is_said(cli: Cli) -> None:
    waits = {}
    for kind in INPUTS:
        path = next((EXAMPLES / kind).glob("valid-[!d]*.json"), None) or next((EXAMPLES / kind).glob("valid-*.json"))
        waits[kind] = verdict_on(cli, one_line(path))["waits"]
    assert {kind for kind in INPUTS if not waits[kind]} == {
        "withdrawal.requested.v1",
        "withdrawal.recorded.v1",
        "deposit.detected.v1",
        "wallet.registered.v1",
        "wallet.removed.v1",
        "screening.requested.v1",
        "ownership.requested.v1",
    }


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\xff\xfe\x00", "INVALID_JSON"),
        (b"[1, 2]", "WRONG_TYPE"),
        (b'"' + b"x" * SIZE_MAX + b'"', "TOO_LARGE"),
        (b'{"a":' * 100_000, "INVALID_JSON"),
        (b'{"type": "\\u0000"}', "INVALID_TEXT"),
        (event(type="nothing.known.v1"), "UNKNOWN_TYPE"),
        (event(type=7), "UNKNOWN_TYPE"),
        (event(type="withdrawal.verdict.v1"), "WRONG_TOPIC"),
        (event(source="/hub/x"), "RESERVED_SOURCE"),
        (event(subject="another"), "KEY_MISMATCH"),
        (event(subject="\ud800"), "INVALID_JSON"),
    ],
)
def test_nonsense_is_refused_with_its_code_and_a_fix(cli: Cli, content: bytes, code: str) -> None:
    said = verdict_on(cli, content)
    assert (said["ok"], said["code"]) == (False, code)
    assert said["fix"]


def test_a_type_that_the_program_writes_is_not_sent_back_to_its_topic(cli: Cli) -> None:
    assert "this program writes this type" in verdict_on(cli, event(type="withdrawal.verdict.v1"))["fix"]


def test_binary_mode_is_read_from_headers(cli: Cli) -> None:
    headers = {"ce_type": "withdrawal.mined.v1", "ce_id": "1", "ce_source": "/p", "ce_subject": "w-1"}
    words = [word for name, value in headers.items() for word in ("--header", f"{name}={value}")]
    data = b'{\n"withdrawalId": "w-1"\n}'
    assert verdict_on(cli, data, *words, "--header", "ce_specversion=1.0")["subject"] == "withdrawal:w-1"
    said = verdict_on(cli, data, *words[:-2])
    assert (said["code"], said["field"]) == ("MISSING_FIELD", "subject")


def test_key_and_topic_are_those_of_the_options(cli: Cli) -> None:
    assert verdict_on(cli, event(), "--key", "other")["code"] == "KEY_MISMATCH"
    said = verdict_on(cli, event(), "--topic", "deposits")
    assert (said["code"], said["topic"]) == ("WRONG_TOPIC", "deposits")


def test_a_refused_request_with_a_readable_id_is_held(cli: Cli) -> None:
    data = json.loads(FIRST.read_bytes())["data"]
    named = verdict_on(cli, event(data={**data, "amount": 5}))
    assert (named["code"], named["held"]) == ("WRONG_TYPE", True)
    assert verdict_on(cli, event(data={**data, "withdrawalId": ""}))["held"] is False


def test_no_value_of_the_event_is_repeated(cli: Cli) -> None:
    data = json.loads(FIRST.read_bytes())["data"]
    data["beneficiary"] = {"natural": {"lastName": "Plantedname\u0007"}}
    (cli.folder / "events").write_bytes(event(data=data))
    answer = cli.run("validate", "events")
    assert answer.code == 1
    assert "INVALID_TEXT data.beneficiary.natural.lastName" in answer.out
    assert "Plantedname" not in answer.out + answer.err


def test_the_limits_of_the_answer_are_said(cli: Cli) -> None:
    (cli.folder / "events").write_bytes(event())
    assert "not checked:\n  whether the event is a duplicate" in cli.run("validate", "events").out
    assert len(verdict_on(cli, event())["notChecked"]) == 4


def test_no_setting_is_needed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("TRAVELRULE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TRAVELRULE_NO_SUCH_SETTING", "1")
    assert cli.run("validate", "-", stdin=event().decode()).code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing.json",), "nothing.json: no such file"),
        ((".",), "is a folder"),
        (("empty",), "holds no event"),
        (("empty", "--topic", "verdicts"), "--topic must be an input topic"),
        (("empty", "--header", "ce_type"), "--header must be NAME=VALUE"),
    ],
)
def test_wrong_use_says_what_to_do(cli: Cli, words: tuple[str, ...], said: str) -> None:
    (cli.folder / "empty").write_bytes(b"\n \n")
    answer = cli.run("validate", *words)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
