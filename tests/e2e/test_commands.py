"""The operator's commands against the running installation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from tests.e2e.commands import must, travelrule
from tests.e2e.network import RealNetwork, until
from tests.e2e.tables import Tables
from travelrule.commands.demo.deposit_scenarios import confirm, detect, sent
from travelrule.commands.demo.platform import SeenEvent
from travelrule.commands.demo.scenarios import WRONG, DemoStage, new_txid

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="session")]

JSON = ("--output", "json")


async def test_explain_tells_the_whole_story(network: RealNetwork, stage: DemoStage) -> None:
    one, txid = str(uuid4()), new_txid()
    await stage.request(one)
    verdict = await stage.north.verdict(one, "allow", "VERIFIED")
    await stage.broadcast(one, txid)
    await stage.reported(verdict.data["transferId"], txid)
    table = network.tables("north")
    await until(lambda: _calls_done(table, one), "the report is accepted")

    story = (await must(network.north.settings(), "explain", one, *JSON)).one
    assert (story["subject"], story["verdict"], story["status"]) == (f"withdrawal:{one}", "allow", "processing")
    assert [step["input"] for step in story["steps"]] == [
        "withdrawal.requested.v1",
        "assessment.ended",
        "assessment.ended",
        "call.answered",
        "call.answered",
        "withdrawal.broadcast.v1",
        "call.answered",
    ]
    calls = [step["call"]["operation"] for step in story["steps"] if step["call"]]
    assert calls == ["address-search", "transfer-authorization", "txid-report"]
    assert [step["reasons"] for step in story["steps"] if step["reasons"]] == [["VERIFIED"]]
    assert all(step["rule"] for step in story["steps"])

    other = f"exchange:north/{verdict.data['transferId']}"
    mirrored = (await must(network.south.settings(), "explain", other, *JSON)).one
    assert (mirrored["subject"], mirrored["status"]) == (other, "confirmed")
    assert "withdrawal:" in (await must(network.north.settings(), "explain", f"withdrawal:{one}")).output


async def test_explain_joins_a_deposit_with_the_exchange_that_announced_it(
    network: RealNetwork, stage: DemoStage
) -> None:
    deposit_id, txid = f"d-{uuid4()}", new_txid()
    transfer_id = await sent(stage, txid)
    await stage.reported(transfer_id, txid)
    await detect(stage, deposit_id, txid)
    await confirm(stage, deposit_id)
    await stage.south.verdict(deposit_id, "allow", "MATCHED")

    settings, deposit, exchange = network.south.settings(), f"deposit:{deposit_id}", f"exchange:north/{transfer_id}"
    story = (await must(settings, "explain", deposit_id, *JSON)).one
    assert (story["subject"], story["verdict"], story["exchange"]) == (deposit, "allow", exchange)
    assert {(step["subject"], step["input"]) for step in story["steps"]} >= {
        (exchange, "authorization.received"),
        (exchange, "txid-report.received"),
        (deposit, "deposit.detected.v1"),
        (deposit, "deposit.confirmed.v1"),
    }
    times = [datetime.fromisoformat(step["at"]) for step in story["steps"]]
    assert times == sorted(times)
    assert f"{exchange} authorization.received" in (await must(settings, "explain", deposit_id)).output


async def _calls_done(table: Tables, withdrawal_id: str) -> bool:
    return await table.count("calls", f"subject = 'withdrawal:{withdrawal_id}'") == 0


async def test_explain_of_nothing_is_wrong_use(network: RealNetwork) -> None:
    ended = await travelrule(network.north.settings(), "explain", "withdrawal:nobody-knows-it", *JSON)
    assert (ended.code, ended.output) == (2, "")
    assert "no subject" in ended.errors


async def test_audit_verify_proves_everything_so_far(network: RealNetwork, stage: DemoStage) -> None:
    one = str(uuid4())
    await stage.request(one)
    await stage.north.verdict(one, "allow", "VERIFIED")
    for member in (network.north, network.south):
        proof = (await must(member.settings(), "audit", "verify", *JSON)).one
        assert proof["ok"], proof["faults"]
        assert proof["faults"] == []
        assert proof["subjects"] > 0
        assert proof["records"] >= proof["subjects"]


async def test_audit_verify_finds_a_changed_record(network: RealNetwork, stage: DemoStage) -> None:
    one = str(uuid4())
    await stage.request(one)
    await stage.north.verdict(one, "allow", "VERIFIED")
    subject = f"withdrawal:{one}"
    table = network.tables("north")
    change = "UPDATE audit SET body = $2 WHERE subject = $1 AND record = 1"
    (kept,) = await table.rows("SELECT body FROM audit WHERE subject = $1 AND record = 1", subject)
    await table.rows(change, subject, kept["body"].replace(b'"applied"', b'"ignored"'))
    try:
        ended = await travelrule(network.north.settings(), "audit", "verify", *JSON)
    finally:
        await table.rows(change, subject, kept["body"])
    assert ended.code == 1
    assert not ended.one["ok"]
    assert any(subject in str(fault) for fault in ended.one["faults"])


async def _held(stage: DemoStage) -> str:
    one = str(uuid4())
    await stage.request(one, beneficiary=WRONG)
    await stage.north.verdict(one, "hold", "DENIED_INPUT_NAME_MISMATCHED")
    return one


async def test_an_operator_denies_what_is_held(network: RealNetwork, stage: DemoStage) -> None:
    one = await _held(stage)
    words = ("--actor", "op-7", "--reason", "customer did not answer")
    sent = (await must(network.north.settings(), "decide", one, "deny", *words, "--wait", *JSON)).one
    assert (sent["subject"], sent["decision"]) == (f"withdrawal:{one}", "deny")
    assert (sent["outcome"], sent["verdict"]) == ("applied", "deny")
    verdict = await stage.north.verdict(one, "deny", "OPERATOR")
    assert (verdict.data["final"], verdict.data["sequence"]) == (True, 2)


async def _dead_letter(network: RealNetwork, stage: DemoStage, key: str, code: str) -> dict[str, Any]:
    """Wait for the dead letter of ``key`` on the topic and give its row of ``dead-letters list``."""

    def there(seen: SeenEvent) -> bool:
        return (seen.topic, seen.key, seen.headers.get("travelrule.error.code")) == ("deadletters", key, code.encode())

    seen = await stage.north.expect(f"dead letter {code}", there)
    letter_id = seen.headers["travelrule.dead_letter.id"].decode()
    rows = (await must(network.north.settings(), "dead-letters", "list", *JSON)).rows
    (row,) = [row for row in rows if row["id"] == letter_id]
    return dict(row)


async def test_allowing_without_verified_is_told_and_not_sent(network: RealNetwork, stage: DemoStage) -> None:
    one = await _held(stage)
    words = ("--actor", "op-7", "--reason", "he insists")
    ended = await travelrule(network.north.settings(), "decide", one, "allow", *words, *JSON)
    assert (ended.code, ended.one["outcome"], ended.one["code"]) == (1, "not sent", "NOT_VERIFIED")


async def test_allowing_without_verified_is_a_dead_letter(network: RealNetwork, stage: DemoStage) -> None:
    one = await _held(stage)
    data = {"subject": f"withdrawal:{one}", "decision": "allow", "actor": "op-7", "reason": "he insists"}
    await stage.north.send("decisions", "decision.recorded.v1", one, data)
    row = await _dead_letter(network, stage, one, "NOT_VERIFIED")
    assert (row["topic"], row["field"]) == ("decisions", "decision")
    assert stage.north.count("verdicts", one) == 1


async def test_a_dead_letter_is_shown_and_replayed(network: RealNetwork, stage: DemoStage) -> None:
    one, settings = str(uuid4()), network.north.settings()
    await stage.request(one)
    verdict = await stage.north.verdict(one, "allow", "VERIFIED")
    mined = {"withdrawalId": one}
    value = await stage.north.send("txids", "withdrawal.mined.v1", one, mined)
    row = await _dead_letter(network, stage, one, "NOT_BROADCAST")
    shown = (await must(settings, "dead-letters", "show", row["id"], *JSON)).one
    assert (shown["key"], shown["value"], shown["replayedAt"]) == (one, value.decode(), None)

    await stage.broadcast(one, new_txid())
    await stage.north.exchange(verdict.data["transferId"], "processing")
    assert (await must(settings, "dead-letters", "replay", row["id"], *JSON)).one == {"id": row["id"], "replayed": True}
    await stage.north.exchange(verdict.data["transferId"], "wait-confirm")
    assert (await must(settings, "dead-letters", "show", row["id"], *JSON)).one["replayedAt"] is not None


async def test_replaying_what_is_still_wrong_counts_the_attempts(network: RealNetwork, stage: DemoStage) -> None:
    key = f"still-wrong-{uuid4()}"
    await stage.north.send_bytes("withdrawals", key, b"no event")
    row = await _dead_letter(network, stage, key, "INVALID_JSON")
    await must(network.north.settings(), "dead-letters", "replay", row["id"])

    def second(seen: SeenEvent) -> bool:
        return (seen.topic, seen.key, seen.headers.get("travelrule.attempts")) == ("deadletters", key, b"2")

    again = await stage.north.expect("second dead letter", second)
    first = await stage.north.expect("first dead letter", lambda seen: (seen.topic, seen.key) == ("deadletters", key))
    name = "travelrule.first_failure_at"
    assert again.headers[name] == first.headers[name]


async def test_verdicts_are_republished_byte_for_byte(network: RealNetwork, stage: DemoStage) -> None:
    since = (datetime.now(UTC) - timedelta(seconds=5)).isoformat()
    one = str(uuid4())
    await stage.request(one)
    await stage.north.verdict(one, "allow", "VERIFIED")
    subject = f"withdrawal:{one}"
    await network.until_said()
    words = ("verdicts", "republish", "--since", since, "--subject", subject, *JSON)
    assert (await must(network.north.settings(), *words)).one == {"republished": 1}
    said = [record for record in await network.records("north", "verdicts") if record.key == one.encode()]
    assert len(said) == 2
    assert (said[0].value, said[0].headers) == (said[1].value, said[1].headers)


async def test_doctor_finds_a_sound_installation_and_an_unsound_one(network: RealNetwork) -> None:
    sound = await travelrule(network.north.settings(), "doctor", *JSON)
    assert (sound.code, sound.one["ok"]) == (0, True), sound.output
    broken = {**network.north.settings(), "TRAVELRULE_TOPIC_PREFIX": "nobody.made.these."}
    unsound = await travelrule(broken, "doctor", *JSON)
    assert (unsound.code, unsound.one["ok"]) == (1, False)
    (failed,) = [check for check in unsound.one["checks"] if not check["ok"]]
    assert (failed["name"], failed["fix"]) == ("topics", "travelrule topics apply")


async def test_topics_and_tables_are_already_there(network: RealNetwork) -> None:
    settings = network.north.settings()
    rows = (await must(settings, "topics", "apply", *JSON)).rows
    assert {row["action"] for row in rows} == {"unchanged"}
    assert (await must(settings, "migrate", "--check", *JSON)).one["ok"]


async def test_a_service_that_is_away_is_exit_3(network: RealNetwork) -> None:
    settings = network.north.settings()
    no_database = {**settings, "TRAVELRULE_DATABASE_URL": "postgresql+asyncpg://postgres@127.0.0.1:9/none"}
    ended = await travelrule(no_database, "explain", "withdrawal:any", *JSON)
    assert (ended.code, ended.output) == (3, "")
    no_broker = {**settings, "TRAVELRULE_BROKER_URL": "kafka://127.0.0.1:9"}
    assert (await travelrule(no_broker, "topics", "apply", *JSON)).code == 3
