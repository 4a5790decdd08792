"""``travelrule decide``: what would be refused is not sent, what was sent is followed, and who decides signs."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from sqlalchemy import select

from schemas.events.cloudevents import CloudEvent
from tests.support.command_line import FIRST_POLICY, SEED, Answer, Cli, key, verified, withdraw
from tests.unit.commands.test_operator_commands import consumed
from travelrule.bootstrap.installation import Installation
from travelrule.commands.decisions.event import DecisionEvent, decision_event
from travelrule.commands.decisions.outcome import DecisionOutcome, awaited_outcome, letters_of
from travelrule.crypto.decision_signature import SignedDecision
from travelrule.crypto.signing import SigningKey
from travelrule.machine.input import RawMessage
from travelrule.store import tables

WORDS = ("--actor", "alice", "--reason", "checked by phone")
ALICE, STRANGER = SigningKey(b"A" * 32), SigningKey(b"E" * 32)
SIGNED = f"""{FIRST_POLICY}
[decisions]
authority = "signed"
[decisions.keys.alice-1]
actor = "alice"
public_key = "{ALICE.public_base64}"
"""


def sent(addresses: tuple[str, ...], count: int) -> list[Any]:
    return [orjson.loads(record.value) for record in consumed(addresses, "decisions", count)]


def apply_policy(cli: Cli, text: str) -> None:
    file = cli.folder / "policy.toml"
    file.write_text(text, encoding="utf-8")
    assert cli.ask("policy", "apply", str(file)).code == 0


def decide(cli: Cli, subject: str, decision: str, *more: str) -> Answer:
    return cli.ask("decide", subject, decision, *WORDS, *more)


# --- what would be refused is not sent


def test_a_final_verdict_is_told_before_anything_is_sent(installed: Cli, broker: tuple[str, ...]) -> None:
    installed.within(verified)
    installed.within(lambda opened: withdraw(opened, "w-2"))
    refused = decide(installed, "w-1", "deny")
    assert (refused.code, refused.json["outcome"], refused.json["code"]) == (1, "not sent", "ALREADY_FINAL")
    text = installed.run("decide", "w-1", "deny", *WORDS)
    assert text.code == 1
    assert text.out == "deny for withdrawal:w-1 was not sent: ALREADY_FINAL: the last verdict is final\n"
    assert decide(installed, "w-2", "deny").json["outcome"] == "sent"
    assert [event["subject"] for event in sent(broker, 1)] == ["w-2"], "the first record is the second decision"


async def hold(opened: Installation) -> None:
    """`w-1` to a VASP that does not answer: on hold, and allowed only where the policy overrides."""
    from tests.support.call_results import reported
    from tests.support.command_line import an_input

    await withdraw(opened)
    async with opened.database.read() as connection:
        (call,) = (await connection.execute(select(tables.calls))).all()
    report = reported("failed", call.operation, call.transfer_id, attempts=3, code="GAVE_UP")
    item = an_input("call.failed", "withdrawal:w-1", report, source="/hub", input_id=call.id)
    assert (await opened.engine.apply([item]))[0].status == "applied"


def test_what_the_policy_does_not_allow_is_told_before_anything_is_sent(
    installed: Cli, broker: tuple[str, ...]
) -> None:
    installed.within(hold)
    refused = decide(installed, "w-1", "allow")
    assert (refused.code, refused.json["code"]) == (1, "NOT_VERIFIED")
    assert refused.json["fix"] == "the policy has operator_override = false"
    apply_policy(installed, f"{FIRST_POLICY}operator_override = true\n")
    assert decide(installed, "w-1", "allow").code == 0
    assert [event["data"]["decision"] for event in sent(broker, 1)] == ["allow"]


def test_nothing_is_sent_where_decisions_are_off(installed: Cli) -> None:
    installed.within(withdraw)
    apply_policy(installed, f'{FIRST_POLICY}[decisions]\nauthority = "off"\n')
    refused = decide(installed, "w-1", "deny")
    assert (refused.code, refused.json["code"]) == (1, "DECISIONS_OFF")


def test_an_erased_subject_is_told_before_anything_is_sent(installed: Cli) -> None:
    installed.within(withdraw)

    async def erase(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            await connection.execute(tables.data_keys.delete())

    installed.within(erase)
    assert decide(installed, "w-1", "deny").json["code"] == "ERASED"


def test_a_state_that_this_version_cannot_read_does_not_keep_a_decision_back(
    installed: Cli, broker: tuple[str, ...]
) -> None:
    """A later version wrote it: its worker will know."""
    installed.within(withdraw)

    async def rewrite(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            wrapped = (await connection.execute(select(tables.data_keys.c.wrapped))).scalar_one()
            data_key = opened.vault.unwrap("withdrawal:w-1", bytes(wrapped))
            later = opened.vault.seal(data_key, "state", "withdrawal:w-1", b'{"from": "a later version"}')
            await connection.execute(tables.subjects.update().values(sealed=later))

    installed.within(rewrite)
    assert decide(installed, "w-1", "deny").code == 0
    assert len(sent(broker, 1)) == 1


@pytest.mark.parametrize(
    ("actor", "reason", "named"), [("", "r", "actor"), ("a\nb", "r", "actor"), ("a", "", "reason")]
)
def test_texts_that_no_event_may_hold_are_wrong_use(installed: Cli, actor: str, reason: str, named: str) -> None:
    installed.within(withdraw)
    answer = installed.ask("decide", "w-1", "deny", "--actor", actor, "--reason", reason)
    assert (answer.code, answer.out) == (2, "")
    assert f"travelrule: {named}:" in answer.err


# --- signing


def test_who_decides_signs_with_the_key_of_the_settings(installed: Cli, broker: tuple[str, ...]) -> None:
    installed.within(withdraw)
    apply_policy(installed, SIGNED)
    file = installed.folder / "alice.key"
    file.write_text(key("A") + "\n", encoding="utf-8")
    installed.set(DECISION_KEY_FILE=str(file))
    answer = decide(installed, "w-1", "deny")
    assert (answer.code, answer.json["keyId"]) == (0, "alice-1")
    (event,) = sent(broker, 1)
    CloudEvent.model_validate(event)
    content = SignedDecision(
        vasp="north",
        source="/operator/north",
        id=answer.json["event"],
        time=event["time"],
        subject="withdrawal:w-1",
        decision="deny",
        actor="alice",
        reason="checked by phone",
        key_id="alice-1",
    )
    assert content.is_signed(ALICE.public_base64, event["data"]["signature"]["value"])
    assert key("A") not in answer.out + answer.err


def test_the_public_key_of_who_decides_is_shown_without_the_seed(installed: Cli) -> None:
    missing = installed.ask("keys", "show", "--decision")
    assert (missing.code, missing.out) == (2, "")
    assert "DECISION_KEY" in missing.err
    installed.set(DECISION_KEY=key("A"))
    shown = installed.ask("keys", "show", "--decision")
    assert shown.json == {"publicKey": ALICE.public_base64, "publicKeys": [ALICE.public_base64]}


@pytest.mark.parametrize(
    ("settings", "actor"), [({}, "alice"), ({"DECISION_KEY": key("E")}, "alice"), ({"DECISION_KEY": key("A")}, "bob")]
)
def test_without_a_key_of_the_actor_nothing_is_sent(installed: Cli, settings: dict[str, str], actor: str) -> None:
    installed.within(withdraw)
    apply_policy(installed, SIGNED)
    installed.set(**settings)
    answer = installed.ask("decide", "w-1", "deny", "--actor", actor, "--reason", "r")
    assert (answer.code, answer.out) == (2, "")
    assert "TRAVELRULE_DECISION_KEY" in answer.err
    for seed in (SEED, key("A"), key("E")):
        assert seed not in answer.err


def test_where_everybody_decides_a_key_that_the_policy_has_not_signs_nothing(
    installed: Cli, broker: tuple[str, ...]
) -> None:
    installed.within(withdraw)
    installed.set(DECISION_KEY=key("E"))
    assert decide(installed, "w-1", "deny").json["keyId"] is None
    assert "signature" not in sent(broker, 1)[0]["data"]


# --- what became of it


async def followed(opened: Installation, made: DecisionEvent, *, before: Any = None) -> DecisionOutcome:
    """Send a decision to an engine beside, as a worker would get it, and look what became of it."""
    known = await letters_of(opened, made.item.subject)
    if before is not None:
        await before(opened)
    raw = RawMessage("decisions", 1, 9, made.key, made.value)
    assert opened.engine is not None
    from dataclasses import replace

    await opened.engine.apply([replace(made.item, raw=raw)])
    return await awaited_outcome(opened, made.item, known, 0)


def test_an_accepted_decision_is_told_with_its_verdict(installed: Cli) -> None:
    async def run(opened: Installation) -> DecisionOutcome:
        await withdraw(opened)
        return await followed(opened, decision_event(opened, "withdrawal:w-1", "deny", "alice", "r"))

    outcome = installed.within(run)
    assert (outcome.status, outcome.verdict, outcome.exit_code) == ("applied", "deny", 0)
    assert outcome.sentence("e-1") == "was accepted: the verdict is deny (event e-1)"


def test_a_decision_that_came_too_late_is_told_as_refused(installed: Cli) -> None:
    """It was right when it was sent; the counterparty verified before the worker took it."""
    from tests.support.command_line import answer_calls

    async def run(opened: Installation) -> tuple[DecisionOutcome, str]:
        await withdraw(opened)
        made = decision_event(opened, "withdrawal:w-1", "deny", "alice", "r")
        first = decision_event(opened, "withdrawal:w-1", "deny", "bob", "another letter, of before")
        outcome = await followed(opened, made, before=answer_calls)
        other = await awaited_outcome(opened, first.item, frozenset(), 0)
        return outcome, other.status

    outcome, other = installed.within(run)
    assert (outcome.status, outcome.code, outcome.exit_code) == ("refused", "ALREADY_FINAL", 1)
    (letter,) = installed.ask("dead-letters", "list").lines
    assert outcome.letter == letter["id"]
    assert outcome.sentence("e-1").startswith("was refused: ALREADY_FINAL: the last verdict is final")
    assert other == "not taken", "a dead letter of another decision is none of this one"


def test_a_decision_that_waits_for_its_subject_is_told(installed: Cli) -> None:
    async def run(opened: Installation) -> DecisionOutcome:
        return await followed(opened, decision_event(opened, "withdrawal:w-9", "deny", "alice", "r"))

    outcome = installed.within(run)
    assert (outcome.status, outcome.exit_code) == ("parked", 0)


def test_waiting_ends_and_says_so(installed: Cli, broker: tuple[str, ...]) -> None:
    installed.within(withdraw)
    answer = decide(installed, "w-1", "deny", "--wait", "--timeout", "0")
    assert (answer.code, answer.json["outcome"]) == (3, "not taken")
    text = installed.run("decide", "w-1", "deny", *WORDS, "--wait", "--timeout", "0")
    assert text.code == 3
    assert "no worker took it in time" in text.out
    assert len(sent(broker, 2)) == 2
