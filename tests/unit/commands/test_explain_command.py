"""What ``travelrule explain`` shows beside the steps: what was refused, what waits, which entry was hit, and when."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.command_line import PERSONAL, Cli, an_input, answer_calls, verified, withdraw
from tests.support.events import TXID, broadcast, decided, mined, requested
from tests.support.inbound_messages import TRANSFER_ID, authorization, wallet
from tests.unit.customers.test_wallet import registered
from travelrule.bootstrap.installation import Installation
from travelrule.machine.input import Rejected
from travelrule.messages.assessment import AssessmentEnded
from travelrule.messages.owner import ListedAs, OwnerScreened
from travelrule.store import tables

W1 = "withdrawal:w-1"


def story(cli: Cli, subject: str = W1) -> Any:
    answer = cli.ask("explain", subject)
    assert answer.code == 0, answer.err
    for word in PERSONAL:
        assert word not in answer.out
    return answer.json


def tree(cli: Cli, *words: str) -> str:
    answer = cli.run("explain", *words)
    assert answer.code == 0, answer.err
    for word in PERSONAL:
        assert word not in answer.out
    return " ".join(answer.out.split())


async def refused(opened: Installation) -> None:
    """Alice decides what is final."""
    await verified(opened)
    data = decided("deny", W1)
    item = an_input("decision.recorded.v1", W1, data, source="/operator/north", input_id="d-1")
    value = b'{"type":"decision.recorded.v1","source":"/operator/north","id":"d-1","reason":"Lind insists"}'
    assert item.raw is not None
    raw = replace(item.raw, topic="decisions", key=b"w-1", value=value)
    assert (await opened.engine.apply([replace(item, raw=raw)]))[0].code == "ALREADY_FINAL"


def test_a_refused_input_is_shown_with_its_dead_letter(installed: Cli) -> None:
    installed.within(refused)
    (one,) = story(installed)["refused"]
    (letter,) = installed.ask("dead-letters", "list").lines
    assert {name: one[name] for name in ("subject", "input", "id", "code", "field", "deadLetter", "replayedAt")} == {
        "subject": W1,
        "input": "decision.recorded.v1",
        "id": "/operator/north#d-1",
        "code": "ALREADY_FINAL",
        "field": "subject",
        "deadLetter": letter["id"],
        "replayedAt": None,
    }
    assert one["ago"].endswith("ago")
    text = tree(installed, W1)
    assert "decision.recorded.v1 refused: ALREADY_FINAL at subject" in text
    assert f"dead letter {letter['id']}" in text
    assert len(story(installed)["steps"]) == 3, "it is no step"


def test_a_subject_that_only_a_refused_input_names_is_explained(installed: Cli) -> None:
    async def refuse(opened: Installation) -> None:
        item = an_input("withdrawal.requested.v1", "withdrawal:w-8", requested(withdrawalId="w-8"))
        assert item.raw is not None
        await opened.engine.apply(
            [Rejected(item.raw, "MISSING_FIELD", "data.amount", "add the field", "withdrawal:w-8")]
        )

    installed.within(refuse)
    told = story(installed, "w-8")
    assert (told["subject"], told["verdict"], told["steps"], told["erased"]) == ("withdrawal:w-8", "", [], False)
    assert [(one["code"], one["field"]) for one in told["refused"]] == [("MISSING_FIELD", "data.amount")]
    assert "no verdict" in tree(installed, "w-8")
    assert installed.ask("decide", "w-8", "deny", "--actor", "a", "--reason", "r").code == 2, (
        "there is nothing to decide"
    )


def test_the_content_of_a_refused_input_may_be_erased(installed: Cli) -> None:
    installed.within(refused)

    async def erase(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            keys = tables.data_keys
            await connection.execute(keys.delete().where(keys.c.subject.startswith("deadletter:")))

    installed.within(erase)
    (one,) = story(installed)["refused"]
    assert (one["input"], one["id"], one["code"]) == ("", "", "ALREADY_FINAL")
    assert "an input refused: ALREADY_FINAL" in tree(installed, W1)


def test_parked_inputs_are_shown_until_their_subject_comes(installed: Cli) -> None:
    async def early(opened: Installation) -> None:
        for kind, event, name in (("broadcast", broadcast(TXID), "e-1"), ("mined", mined(), "e-2")):
            data = event.model_copy(update={"withdrawal_id": "w-1"})
            item = an_input(f"withdrawal.{kind}.v1", W1, data, input_id=name)
            assert (await opened.engine.apply([item]))[0].status == "parked"

    installed.within(early)
    told = story(installed)
    assert [(one["input"], one["id"]) for one in told["parked"]] == [
        ("withdrawal.broadcast.v1", "/platform#e-1"),
        ("withdrawal.mined.v1", "/platform#e-2"),
    ]
    assert told["nextTimer"]["name"] == "parked"
    assert told["nextTimer"]["due"].startswith("in ")
    text = tree(installed, W1)
    assert "withdrawal.broadcast.v1 waits for its subject since" in text
    assert "next timer: parked, due in" in text
    installed.within(withdraw)
    assert story(installed)["parked"] == []


async def hit(opened: Installation) -> None:
    """The lists name the beneficiary."""
    await withdraw(opened)
    async with opened.database.read() as connection:
        (tell,) = (await connection.execute(select(tables.tells))).all()
    entry = {"list": "ofac", "entry": "12345", "score": "0.97", "reason": 'same name "LIND, Erik"', "what": "party"}
    facts = {"lists": {"ofac": "v1"}, "hits": [entry]}
    data = AssessmentEnded(
        assessment=tell.to_subject, kind="lists", risk="malicious", sanctioned=True, reason="SANCTIONED", facts=facts
    )
    item = replace(an_input("assessment.ended", W1, data, source="/subjects", input_id="a-1"), raw=None)
    assert (await opened.engine.apply([item]))[0].status == "applied"


@pytest.fixture
def screened(installed: Cli) -> Cli:
    """An installation whose policy requires the lists."""
    from tests.support import command_line

    installed._monkeypatch.setattr(command_line, "FIRST_POLICY", 'sanctions = "required"\n')
    installed.set()
    return installed


def test_the_entry_that_was_hit_is_named_without_the_words_of_the_list(screened: Cli) -> None:
    """The list's words are those of our customer's counterparty, else it would be no hit."""
    screened.within(hit)
    told = story(screened)
    assert told["verdict"] == "deny"
    expected = {"list": "ofac", "entry": "12345", "score": "0.97", "what": "party"}
    assert [step["hits"] for step in told["steps"]] == [[], [expected]]
    text = tree(screened, W1)
    assert "list ofac, entry 12345 (party), score 0.97" in text
    assert "LIND" not in text


async def asked(opened: Installation) -> None:
    """A request names a listed originator, and an address whose owner is listed."""
    data = authorization(originator_sanctioned=True, wallets=(wallet(sanctioned=True), wallet(walletId="k-2")))
    subject = f"exchange:north/{data.transfer_id}"
    item = replace(an_input("authorization.received", subject, data, source="/gateway", input_id="m-1"), raw=None)
    assert (await opened.engine.apply([item]))[0].reply["reasonType"] == "SANCTION_LIST"


def test_whom_the_lists_name_in_a_request_is_told_without_a_name(screened: Cli) -> None:
    screened.within(asked)
    subject = f"exchange:north/{TRANSFER_ID}"
    (step,) = story(screened, subject)["steps"]
    assert step["listed"] == ["originator", f"wallet:{wallet().wallet_id}"]
    text = tree(screened, subject)
    assert "the lists name the originator" in text
    assert f"the lists name address or owner: travelrule explain wallet:{wallet().wallet_id}" in text


def test_the_entries_that_name_an_owner_are_in_the_story_of_his_wallet(installed: Cli) -> None:
    kind, subject = "owner.screened", "wallet:w-1"

    async def screen(opened: Installation) -> None:
        await opened.engine.apply([an_input("wallet.registered.v1", subject, registered())])
        listed = ListedAs(list_code="eu", entry="E-7", score="1", reason="same name LIND")
        data = OwnerScreened(revision=0, owner="o-1", lists="v1", hits=(listed,))
        item = replace(an_input(kind, subject, data, source="/lists", input_id="s-1"), raw=None)
        assert (await opened.engine.apply([item]))[0].status == "applied"

    installed.within(screen)
    steps = story(installed, subject)["steps"]
    assert steps[-1]["hits"] == [{"list": "eu", "entry": "E-7", "score": "1", "what": "party"}]
    assert "LIND" not in tree(installed, subject)


@pytest.fixture
def singapore(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This machine is in Singapore."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "Asia/Singapore")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("singapore")
def test_times_are_written_for_a_person_and_for_a_program(installed: Cli) -> None:
    async def later(opened: Installation) -> None:
        await answer_calls(opened)

    installed.within(withdraw)
    installed.within(later)
    told = story(installed)
    for step in told["steps"]:
        at = datetime.fromisoformat(step["at"])
        assert step["when"] == f"{at:%Y-%m-%d %H:%M:%S} UTC"
        assert step["ago"].endswith(" s ago")
    assert [step["after"] is None for step in told["steps"]] == [True, False, False]
    assert "+08" in tree(installed, W1)
    assert "UTC" not in tree(installed, W1)
    assert "UTC" in tree(installed, W1, "--utc")
    assert "+08" not in tree(installed, W1, "--utc")


def test_no_line_is_broken_where_nobody_looks_at_it(installed: Cli) -> None:
    """A pipe has no width: a line that was cut at 80 columns is not found by `grep`."""
    installed.within(refused)
    lines = installed.run("explain", W1, "--utc", columns=40).out.splitlines()
    assert sum("UTC" in line and "→" in line for line in lines) == 3
    assert sum("UTC" in line and "refused: ALREADY_FINAL at subject" in line for line in lines) == 1
    assert all(line == line.rstrip() for line in lines)


def test_a_call_that_waits_says_when_it_is_due(installed: Cli) -> None:
    installed.within(withdraw)
    (waiting,) = story(installed)["waiting"]
    assert waiting["due"].endswith("ago")
    assert "waits for address-search to south: 0 tries so far, due" in tree(installed, W1)
