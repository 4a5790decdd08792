"""Calls to the hub, on both databases, against the sandbox: sent once, repeated by the rules, never in the clear."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from schemas.events.decisions import DecisionRecorded
from tests.support.deposit_scenes import detected
from tests.support.hub import NOW
from tests.support.installation import ADDRESS, EngineInstallation, robot, seconds
from tests.support.sandbox import ROBOT
from travelrule.crypto.sealing import open_sealed
from travelrule.engine.calls.call_dispatcher import LEASE_SECONDS
from travelrule.engine.calls.circuit_breaker import FAILURES_TO_OPEN
from travelrule.engine.directory.fetch_schedule import DEMAND_SECONDS
from travelrule.engine.vault import Vault
from travelrule.machine.effects import Alert
from travelrule.store import bulk, tables
from travelrule.store.database import Database


@pytest.fixture
async def north(database: Database, vault: Vault) -> AsyncIterator[EngineInstallation]:
    made = EngineInstallation(database, vault, [robot(), robot("west", b"w", health="down")])
    async with aclosing(made.hub), made.control:
        await made.listing()
        yield made


async def test_a_withdrawal_is_verified_reported_and_concluded(north: EngineInstallation) -> None:
    await north.withdraw()
    await north.calls_all()
    assert await north.verdicts() == [("allow", "VERIFIED")]
    await north.send()
    await north.calls_all()
    assert [entry["operation"] for entry in north.seen()] == [
        "address-search",
        "transfer-authorization",
        "txid-report",
    ]
    assert await north.rows(tables.calls) == []
    assert await north.alerts() == []
    assert [data["status"] for data in await north.said("exchanges")][-1] == "processing"


async def test_personal_data_go_over_the_wire_only_sealed_to_the_counterpartys_key(north: EngineInstallation) -> None:
    await north.withdraw()
    await north.calls_all()
    await north.send()
    await north.calls_all()
    assert len(north.wire.requests) >= 5
    assert north.in_clear() == []
    (search,) = north.bodies("VerifyAddress")
    assert "Lind" not in open_sealed(ROBOT, _north(), search["payload"]).decode(), "no name before the address is known"
    (authorization,) = [body for body in north.bodies("/transfer/south") if "payload" in body]
    assert "Lind" in open_sealed(ROBOT, _north(), authorization["payload"]).decode()


def _north() -> str:
    from tests.support.hub import NORTH

    return NORTH.public_base64


async def test_every_call_row_holds_its_content_sealed(north: EngineInstallation) -> None:
    await north.withdraw()
    (row,) = await north.rows(tables.calls)
    text = " ".join(
        bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value) for value in row
    )
    assert "rPEPPER" not in text


async def test_a_failure_is_repeated_after_1_2_and_4_seconds_then_given_up(north: EngineInstallation) -> None:
    await north.fault(operation="address-search", fault="status", status=503, errorType="VASP_BACKEND_INTERNAL_ERROR")
    await north.withdraw()
    at = north.clock()
    tries = []
    for wait in (1, 2, 4):
        await north.calls_all()
        assert await north.due() == [north.clock() + seconds(wait)]
        tries.append(len(north.seen("address-search")))
        north.clock.forward(wait - 0.1)
        assert await north.call() == 0, "not before its time"
        north.clock.forward(0.1)
    await north.calls_all()
    assert tries == [1, 2, 3]
    assert len(north.seen("address-search")) == 4
    assert north.clock() == at + seconds(7)
    assert await north.rows(tables.calls) == []
    assert await north.verdicts() == [("hold", "COUNTERPARTY_UNREACHABLE")]


async def test_each_repeat_has_the_same_content_and_a_new_nonce(north: EngineInstallation) -> None:
    await north.fault(operation="transfer-authorization", fault="drop-after", count=2)
    await north.withdraw()
    await north.calls_all()
    for _ in range(3):
        await north.forward(10)
    entries = north.seen("transfer-authorization")
    assert len(entries) == 3
    assert len({entry["nonce"] for entry in entries}) == 3
    assert len({entry["ids"]["transferId"] for entry in entries}) == 1
    assert await north.verdicts() == [("allow", "VERIFIED")], "the robot answers what it decided the first time"


async def test_a_lost_answer_of_a_txid_report_is_repeated_until_it_is_accepted(north: EngineInstallation) -> None:
    await north.withdraw()
    await north.calls_all()
    await north.fault(operation="txid-report", fault="drop-after", count=3)
    await north.send()
    await north.calls_all()
    for _ in range(6):
        await north.forward(90)
    assert [entry["member"]["reached"] for entry in north.seen("txid-report")] == [True] * 4
    assert {entry["ids"]["txid"] for entry in north.seen("txid-report")} == {
        north.seen("txid-report")[0]["ids"]["txid"]
    }
    assert await north.rows(tables.calls) == []
    assert "TXID_REPORT_FAILED" not in await north.alerts()


async def test_a_changed_key_is_fetched_and_the_call_repeated_at_once(north: EngineInstallation) -> None:
    await north.withdraw()
    await north.put(robot(seed=b"z"))
    await north.calls_all()
    assert [entry["errorType"] for entry in north.seen("address-search")] == ["INVALID_RECEIVER_PUBLIC_KEY", ""]
    assert len(north.seen("public-key")) == 1
    assert await north.verdicts() == [("allow", "VERIFIED")]


async def test_a_call_that_another_process_repeats_uses_the_key_first_fetched(north: EngineInstallation) -> None:
    view = north.another_view()
    other = north.another_caller("p2", view)
    assert await view.get("south") is not None, "it has a copy with the old key"
    await north.withdraw()
    await north.put(robot(seed=b"z"))
    await north.call()
    await north.call(other)
    assert [entry["errorType"] for entry in north.seen("address-search")] == ["INVALID_RECEIVER_PUBLIC_KEY", ""]
    await north.calls_all()
    assert await north.verdicts() == [("allow", "VERIFIED")]


async def test_a_key_that_changed_right_after_it_was_asked_for_is_asked_for_again(north: EngineInstallation) -> None:
    await north.counterparties.refresh_keys("south")
    await north.withdraw()
    await north.put(robot(seed=b"z"))
    await north.calls_all()
    assert [entry["errorType"] for entry in north.seen("address-search")] == ["INVALID_RECEIVER_PUBLIC_KEY", ""]
    assert await north.verdicts() == [("allow", "VERIFIED")]


async def test_invalid_receiver_key_is_one_refresh_one_retry_then_an_alert(north: EngineInstallation) -> None:
    await north.fault(operation="address-search", fault="status", status=422, errorType="INVALID_RECEIVER_PUBLIC_KEY")
    await north.withdraw()
    for _ in range(5):
        await north.forward(30)
    assert len(north.seen("address-search")) == 2
    assert len(north.seen("public-key")) == 1
    assert await north.alerts() == ["COUNTERPARTY_REFUSED_CALL"]
    assert (await north.verdicts())[-1][0] == "hold"
    assert await north.rows(tables.calls) == []


async def test_a_key_refresh_that_fails_does_not_become_a_loop(north: EngineInstallation) -> None:
    await north.fault(operation="address-search", fault="status", status=422, errorType="INVALID_RECEIVER_PUBLIC_KEY")
    await north.fault(operation="public-key", fault="status", status=500)
    await north.withdraw()
    for _ in range(5):
        await north.forward(30)
    assert len(north.seen("address-search")) == 2
    assert await north.rows(tables.calls) == []


async def test_a_vasp_whose_listed_keys_are_all_expired_is_sent_nothing(north: EngineInstallation) -> None:
    expired = [{"pubkey": ROBOT.public_base64, "expiresAt": "2020-01-01T00:00:00Z"}]
    await north.put({**robot("east"), "pubkeys": expired})
    await north.refresh()
    await north.withdraw(target="east")
    await north.forward(5)
    assert north.seen("address-search") == []
    assert len(north.seen("public-key")) == 1
    assert await north.alerts() == ["DIRECTORY_VASP_NEW", "COUNTERPARTY_REFUSED_CALL"]


async def test_a_vasp_that_is_down_is_sent_nothing_and_said_so_once(north: EngineInstallation) -> None:
    await north.withdraw(target="west")
    for _ in range(5):
        await north.forward(11)
    assert north.seen() == []
    assert len(await north.rows(tables.inputs, tables.inputs.c.type == "call.deferred")) == 1
    assert await north.verdicts() == [("hold", "COUNTERPARTY_UNREACHABLE")]
    assert [row.tries for row in await north.rows(tables.calls)] == [0], "waiting is no attempt"


async def test_what_waits_is_woken_when_the_vasp_is_up_again(north: EngineInstallation) -> None:
    await north.withdraw(target="west")
    await north.calls_all()
    await north.put(robot("west", b"w"))
    await north.refresh()
    assert [row.due_at <= north.clock() for row in await north.rows(tables.calls)] == [True]
    await north.calls_all()
    assert (await north.verdicts())[-1] == ("allow", "VERIFIED")
    assert "DIRECTORY_VASP_UP" in await north.alerts()


async def test_down_again_while_a_repeat_waits_is_said_again(north: EngineInstallation) -> None:
    await north.fault(operation="address-search", fault="status", status=500, errorType="CODE_SERVER_INTERNAL_ERROR")
    await north.withdraw()
    await north.calls_all()
    await north.put(robot(health="down"))
    await north.refresh()
    await north.calls_all()
    sent = len(north.seen("address-search"))
    await north.forward(11)
    assert len(north.seen("address-search")) == sent == 1
    assert len(await north.rows(tables.inputs, tables.inputs.c.type == "call.deferred")) == 1


async def test_a_counterparty_that_the_policy_now_forbids_gets_no_personal_data(north: EngineInstallation) -> None:
    await north.withdraw()
    north.rules.current = north.rules.current.model_copy(update={"deny_list": ("south",)}).with_own(
        north.rules.current.own
    )
    await north.calls_all()
    assert north.seen() == []
    assert await north.verdicts() == [("deny", "COUNTERPARTY_NOT_ALLOWED")]


async def test_a_report_is_sent_although_the_policy_now_forbids_the_counterparty(north: EngineInstallation) -> None:
    """Invariant 4: after verified an exchange reaches a conclusion; a txid report holds nothing personal."""
    await north.withdraw()
    await north.calls_all()
    north.rules.current = north.rules.current.model_copy(update={"deny_list": ("south",)}).with_own(
        north.rules.current.own
    )
    await north.send()
    await north.calls_all()
    assert len(north.seen("txid-report")) == 1


async def test_an_unknown_vasp_is_looked_up_before_saying_no(north: EngineInstallation) -> None:
    await north.put(robot("newcomer", b"e"))
    await north.withdraw(target="newcomer")
    await north.calls_all()
    assert north.counterparties.wanted.is_set()
    assert north.seen() == []
    await north.refresh()
    await north.calls_all()
    assert await north.verdicts() == [("allow", "VERIFIED")]


async def test_a_vasp_that_nobody_lists_is_unknown_after_one_look(north: EngineInstallation) -> None:
    await north.withdraw(target="nobody")
    await north.calls_all()
    await north.refresh()
    await north.calls_all()
    assert len(north.seen("vasp-list")) == 2
    assert await north.verdicts() == [("hold", "COUNTERPARTY_UNKNOWN")]
    assert await north.rows(tables.calls) == []


async def test_looking_up_a_vasp_is_no_attempt(north: EngineInstallation) -> None:
    """The first call that is really sent is the first try: it has all its repeats, and nobody acted before it."""
    await north.put(robot("newcomer", b"e"))
    await north.withdraw(target="newcomer")
    await north.calls_all()
    await north.refresh()
    code = "SERVICE_UNAVAILABLE"
    await north.fault(operation="address-search", fault="status", status=503, errorType=code)
    for _ in range(8):
        await north.forward(5)
    (report,) = await north.rows(tables.inputs, tables.inputs.c.type == "call.failed")
    data = await opened(north, report)
    assert (data["attempts"], data["code"], data["maybeActed"]) == (4, code, False)


async def opened(north: EngineInstallation, row: object) -> dict[str, object]:
    """The data of a stored input."""
    import orjson

    subject = row.subject  # type: ignore[attr-defined]
    (key,) = await north.rows(tables.data_keys, tables.data_keys.c.subject == subject)
    data_key = north.vault.unwrap(subject, bytes(key.wrapped))
    packed = north.vault.open(data_key, "input", subject, bytes(row.sealed))  # type: ignore[attr-defined]
    return orjson.loads(orjson.loads(packed)["data"])  # type: ignore[no-any-return]


async def test_two_callers_send_each_call_once(north: EngineInstallation) -> None:
    other = north.another_caller("p2")
    for number in range(8):
        await north.withdraw(f"w-{number}")
    for _ in range(6):
        await asyncio.gather(north.caller.round(), other.round())
        await asyncio.gather(north.quiet(north.caller), north.quiet(other))
    assert len(north.seen("address-search")) == len(north.seen("transfer-authorization")) == 8
    assert len(await north.verdicts()) == 8
    assert await north.alerts() == []


async def test_a_caller_killed_in_the_middle_leaves_its_call_to_the_next_one(north: EngineInstallation) -> None:
    await north.withdraw()
    await north.call()
    await north.fault(operation="transfer-authorization", fault="latency", delaySeconds=30)
    assert await north.caller.round() == 1
    (task,) = north.caller._running
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await north.clear_faults()
    other = north.another_caller("p2")
    north.clock.forward(LEASE_SECONDS - 1)
    assert await north.call(other) == 0, "it may still be on its way"
    north.clock.forward(2)
    assert await north.call(other) == 1
    assert await north.verdicts() == [("allow", "VERIFIED")]


async def test_a_result_that_comes_twice_is_one_result_and_no_alarm(north: EngineInstallation) -> None:
    """A caller that was slower than its lease: another process called too, and may have received another answer."""
    await north.withdraw()
    (item,) = await north.call_rows.claim(9, 9, {}, north.clock(), north.clock() + seconds(1))
    north.clock.forward(2)
    await north.calls_all()
    await north.fault(operation="address-search", fault="status", status=422, errorType="INVALID_ORIGIN")
    await north.caller._run(item, None)
    assert await north.alerts() == []
    assert await north.verdicts() == [("allow", "VERIFIED")]


async def test_an_operator_who_denies_takes_back_calls_that_were_not_sent(north: EngineInstallation) -> None:
    await north.withdraw(target="west")
    await north.calls_all()
    assert len(await north.rows(tables.calls)) == 1
    denied = DecisionRecorded(subject="withdrawal:w-1", decision="deny", actor="o", reason="r")
    await north.tell(denied, "withdrawal:w-1")
    await north.put(robot("west", b"w"))
    await north.refresh()
    await north.calls_all()
    assert north.seen() == []
    assert (await north.verdicts())[-1] == ("deny", "OPERATOR")


async def test_an_erased_subject_is_called_for_no_more_and_its_row_stays_as_it_was(north: EngineInstallation) -> None:
    await north.withdraw(target="west")
    await north.calls_all()
    (before,) = await north.rows(tables.subjects, tables.subjects.c.subject == "withdrawal:w-1")
    async with north.database.begin() as connection:
        await bulk.delete(connection, tables.data_keys, [{"vasp": "north", "subject": "withdrawal:w-1"}])
    await north.put(robot("west", b"w"))
    await north.refresh()
    await north.calls_all()
    await north.engine.alert("withdrawal:w-1", Alert("CALL_UNPROCESSABLE"))
    assert north.seen() == []
    assert await north.rows(tables.calls) == []
    (after,) = await north.rows(tables.subjects, tables.subjects.c.subject == "withdrawal:w-1")
    moving = {"sequences", "updated_at"}
    assert {name: value for name, value in after._mapping.items() if name not in moving} == {
        name: value for name, value in before._mapping.items() if name not in moving
    }
    assert "CALL_RESULT_UNPROCESSABLE" not in await north.alerts()


async def test_a_call_whose_content_does_not_open_is_told_to_an_operator_and_rests(north: EngineInstallation) -> None:
    await north.withdraw()
    (row,) = await north.rows(tables.calls)
    async with north.database.begin() as connection:
        await bulk.update(
            connection, tables.calls, [{"id": row.id, "sealed": bytes(row.sealed)[:-1] + bytes([row.sealed[-1] ^ 1])}]
        )
    for _ in range(5):
        await north.forward(LEASE_SECONDS + 1)
    assert north.seen() == []
    assert await north.alerts() == ["CALL_UNPROCESSABLE"]
    assert len(await north.rows(tables.calls)) == 1, "an operator may still mend it"


async def test_time_passes_for_the_station_only_when_told(north: EngineInstallation) -> None:
    assert north.clock() == NOW + seconds(DEMAND_SECONDS)


async def test_the_own_store_is_read_while_the_hub_is_left_in_peace(north: EngineInstallation) -> None:
    north.wire.down = True
    for number in range(FAILURES_TO_OPEN):
        await north.withdraw(f"w-{number}", destination={"kind": "unknown", "address": ADDRESS})
    await north.call()
    assert not north.watch.up, "what goes to the hub is put off"
    await north.tell(detected(), "deposit:dep-1")
    await north.call()
    looked_up = await north.rows(tables.inputs, tables.inputs.c.subject == "deposit:dep-1")
    assert [row.type for row in looked_up] == ["deposit.detected.v1", "call.answered"]
