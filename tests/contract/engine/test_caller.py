"""Calls to the hub, on both databases, against the sandbox: sent once, repeated by the rules, never in the clear."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from schemas.events.decisions import DecisionRecorded
from tests.contract.engine.station import ADDRESS, Station, robot, seconds
from tests.unit.deposits.scene import detected
from tests.unit.hub.kit import NOW
from tests.unit.sandbox.kit import ROBOT
from travelrule.crypto.sealing import open_sealed
from travelrule.engine.calls.call_dispatcher import LEASE_SECONDS
from travelrule.engine.calls.circuit_breaker import FAILURES_TO_OPEN
from travelrule.engine.directory.fetch_schedule import DEMAND_SECONDS
from travelrule.engine.vault import Vault
from travelrule.machine.effects import Alert
from travelrule.store import bulk, tables
from travelrule.store.database import Database


@pytest.fixture
async def station(database: Database, vault: Vault) -> AsyncIterator[Station]:
    made = Station(database, vault, [robot(), robot("west", b"w", health="down")])
    async with aclosing(made.hub), made.control:
        await made.listing()
        yield made


async def test_a_withdrawal_is_verified_reported_and_concluded(station: Station) -> None:
    await station.withdraw()
    await station.calls_all()
    assert await station.verdicts() == [("allow", "VERIFIED")]
    await station.send()
    await station.calls_all()
    assert [entry["operation"] for entry in station.seen()] == [
        "address-search",
        "transfer-authorization",
        "txid-report",
    ]
    assert await station.rows(tables.calls) == []
    assert await station.alerts() == []
    assert [data["status"] for data in await station.said("exchanges")][-1] == "processing"


async def test_personal_data_go_over_the_wire_only_sealed_to_the_counterpartys_key(station: Station) -> None:
    await station.withdraw()
    await station.calls_all()
    await station.send()
    await station.calls_all()
    assert len(station.wire.requests) >= 5
    assert station.in_clear() == []
    (search,) = station.bodies("VerifyAddress")
    assert "Lind" not in open_sealed(ROBOT, _north(), search["payload"]).decode(), "no name before the address is known"
    (authorization,) = [body for body in station.bodies("/transfer/south") if "payload" in body]
    assert "Lind" in open_sealed(ROBOT, _north(), authorization["payload"]).decode()


def _north() -> str:
    from tests.unit.hub.kit import NORTH

    return NORTH.public_base64


async def test_every_call_row_holds_its_content_sealed(station: Station) -> None:
    await station.withdraw()
    (row,) = await station.rows(tables.calls)
    text = " ".join(
        bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value) for value in row
    )
    assert "rPEPPER" not in text


async def test_a_failure_is_repeated_after_1_2_and_4_seconds_then_given_up(station: Station) -> None:
    await station.fault(operation="address-search", fault="status", status=503, errorType="VASP_BACKEND_INTERNAL_ERROR")
    await station.withdraw()
    at = station.clock()
    tries = []
    for wait in (1, 2, 4):
        await station.calls_all()
        assert await station.due() == [station.clock() + seconds(wait)]
        tries.append(len(station.seen("address-search")))
        station.clock.forward(wait - 0.1)
        assert await station.call() == 0, "not before its time"
        station.clock.forward(0.1)
    await station.calls_all()
    assert tries == [1, 2, 3]
    assert len(station.seen("address-search")) == 4
    assert station.clock() == at + seconds(7)
    assert await station.rows(tables.calls) == []
    assert await station.verdicts() == [("hold", "COUNTERPARTY_UNREACHABLE")]


async def test_each_repeat_has_the_same_content_and_a_new_nonce(station: Station) -> None:
    await station.fault(operation="transfer-authorization", fault="drop-after", count=2)
    await station.withdraw()
    await station.calls_all()
    for _ in range(3):
        await station.forward(10)
    entries = station.seen("transfer-authorization")
    assert len(entries) == 3
    assert len({entry["nonce"] for entry in entries}) == 3
    assert len({entry["ids"]["transferId"] for entry in entries}) == 1
    assert await station.verdicts() == [("allow", "VERIFIED")], "the robot answers what it decided the first time"


async def test_a_lost_answer_of_a_txid_report_is_repeated_until_it_is_accepted(station: Station) -> None:
    await station.withdraw()
    await station.calls_all()
    await station.fault(operation="txid-report", fault="drop-after", count=3)
    await station.send()
    await station.calls_all()
    for _ in range(6):
        await station.forward(90)
    assert [entry["member"]["reached"] for entry in station.seen("txid-report")] == [True] * 4
    assert {entry["ids"]["txid"] for entry in station.seen("txid-report")} == {
        station.seen("txid-report")[0]["ids"]["txid"]
    }
    assert await station.rows(tables.calls) == []
    assert "TXID_REPORT_FAILED" not in await station.alerts()


async def test_a_changed_key_is_fetched_and_the_call_repeated_at_once(station: Station) -> None:
    await station.withdraw()
    await station.put(robot(seed=b"z"))
    await station.calls_all()
    assert [entry["errorType"] for entry in station.seen("address-search")] == ["INVALID_RECEIVER_PUBLIC_KEY", ""]
    assert len(station.seen("public-key")) == 1
    assert await station.verdicts() == [("allow", "VERIFIED")]


async def test_a_call_that_another_process_repeats_uses_the_key_that_the_first_one_fetched(station: Station) -> None:
    view = station.another_view()
    other = station.another_caller("p2", view)
    assert await view.get("south") is not None, "it has a copy with the old key"
    await station.withdraw()
    await station.put(robot(seed=b"z"))
    await station.call()
    await station.call(other)
    assert [entry["errorType"] for entry in station.seen("address-search")] == ["INVALID_RECEIVER_PUBLIC_KEY", ""]
    await station.calls_all()
    assert await station.verdicts() == [("allow", "VERIFIED")]


async def test_a_key_that_changed_right_after_it_was_asked_for_is_asked_for_again(station: Station) -> None:
    await station.counterparties.refresh_keys("south")
    await station.withdraw()
    await station.put(robot(seed=b"z"))
    await station.calls_all()
    assert [entry["errorType"] for entry in station.seen("address-search")] == ["INVALID_RECEIVER_PUBLIC_KEY", ""]
    assert await station.verdicts() == [("allow", "VERIFIED")]


async def test_invalid_receiver_key_is_one_refresh_one_retry_then_failed_with_an_alert(station: Station) -> None:
    await station.fault(operation="address-search", fault="status", status=422, errorType="INVALID_RECEIVER_PUBLIC_KEY")
    await station.withdraw()
    for _ in range(5):
        await station.forward(30)
    assert len(station.seen("address-search")) == 2
    assert len(station.seen("public-key")) == 1
    assert await station.alerts() == ["COUNTERPARTY_REFUSED_CALL"]
    assert (await station.verdicts())[-1][0] == "hold"
    assert await station.rows(tables.calls) == []


async def test_a_key_refresh_that_fails_does_not_become_a_loop(station: Station) -> None:
    await station.fault(operation="address-search", fault="status", status=422, errorType="INVALID_RECEIVER_PUBLIC_KEY")
    await station.fault(operation="public-key", fault="status", status=500)
    await station.withdraw()
    for _ in range(5):
        await station.forward(30)
    assert len(station.seen("address-search")) == 2
    assert await station.rows(tables.calls) == []


async def test_a_vasp_whose_listed_keys_are_all_expired_is_sent_nothing(station: Station) -> None:
    expired = [{"pubkey": ROBOT.public_base64, "expiresAt": "2020-01-01T00:00:00Z"}]
    await station.put({**robot("east"), "pubkeys": expired})
    await station.refresh()
    await station.withdraw(target="east")
    await station.forward(5)
    assert station.seen("address-search") == []
    assert len(station.seen("public-key")) == 1
    assert await station.alerts() == ["DIRECTORY_VASP_NEW", "COUNTERPARTY_REFUSED_CALL"]


async def test_a_vasp_that_is_down_is_sent_nothing_and_said_so_once(station: Station) -> None:
    await station.withdraw(target="west")
    for _ in range(5):
        await station.forward(11)
    assert station.seen() == []
    assert len(await station.rows(tables.inputs, tables.inputs.c.type == "call.deferred")) == 1
    assert await station.verdicts() == [("hold", "COUNTERPARTY_UNREACHABLE")]
    assert [row.tries for row in await station.rows(tables.calls)] == [0], "waiting is no attempt"


async def test_what_waits_is_woken_when_the_vasp_is_up_again(station: Station) -> None:
    await station.withdraw(target="west")
    await station.calls_all()
    await station.put(robot("west", b"w"))
    await station.refresh()
    assert [row.due_at <= station.clock() for row in await station.rows(tables.calls)] == [True]
    await station.calls_all()
    assert (await station.verdicts())[-1] == ("allow", "VERIFIED")
    assert "DIRECTORY_VASP_UP" in await station.alerts()


async def test_down_again_while_a_repeat_waits_is_said_again(station: Station) -> None:
    await station.fault(operation="address-search", fault="status", status=500, errorType="CODE_SERVER_INTERNAL_ERROR")
    await station.withdraw()
    await station.calls_all()
    await station.put(robot(health="down"))
    await station.refresh()
    await station.calls_all()
    sent = len(station.seen("address-search"))
    await station.forward(11)
    assert len(station.seen("address-search")) == sent == 1
    assert len(await station.rows(tables.inputs, tables.inputs.c.type == "call.deferred")) == 1


async def test_a_counterparty_that_the_policy_forbids_meanwhile_gets_no_personal_data(station: Station) -> None:
    await station.withdraw()
    station.rules.current = station.rules.current.model_copy(update={"deny_list": ("south",)}).with_own(
        station.rules.current.own
    )
    await station.calls_all()
    assert station.seen() == []
    assert await station.verdicts() == [("deny", "COUNTERPARTY_NOT_ALLOWED")]


async def test_what_is_owed_is_sent_although_the_policy_forbids_the_counterparty_by_now(station: Station) -> None:
    """Invariant 4: after verified an exchange reaches a conclusion; a txid report holds nothing personal."""
    await station.withdraw()
    await station.calls_all()
    station.rules.current = station.rules.current.model_copy(update={"deny_list": ("south",)}).with_own(
        station.rules.current.own
    )
    await station.send()
    await station.calls_all()
    assert len(station.seen("txid-report")) == 1


async def test_an_unknown_vasp_is_looked_up_before_saying_no(station: Station) -> None:
    await station.put(robot("newcomer", b"e"))
    await station.withdraw(target="newcomer")
    await station.calls_all()
    assert station.counterparties.wanted.is_set()
    assert station.seen() == []
    await station.refresh()
    await station.calls_all()
    assert await station.verdicts() == [("allow", "VERIFIED")]


async def test_a_vasp_that_nobody_lists_is_unknown_after_one_look(station: Station) -> None:
    await station.withdraw(target="nobody")
    await station.calls_all()
    await station.refresh()
    await station.calls_all()
    assert len(station.seen("vasp-list")) == 2
    assert await station.verdicts() == [("hold", "COUNTERPARTY_UNKNOWN")]
    assert await station.rows(tables.calls) == []


async def test_looking_up_a_vasp_is_no_attempt(station: Station) -> None:
    """The first call that is really sent is the first try: it has all its repeats, and nobody acted before it."""
    await station.put(robot("newcomer", b"e"))
    await station.withdraw(target="newcomer")
    await station.calls_all()
    await station.refresh()
    code = "SERVICE_UNAVAILABLE"
    await station.fault(operation="address-search", fault="status", status=503, errorType=code)
    for _ in range(8):
        await station.forward(5)
    (report,) = await station.rows(tables.inputs, tables.inputs.c.type == "call.failed")
    data = await opened(station, report)
    assert (data["attempts"], data["code"], data["maybeActed"]) == (4, code, False)


async def opened(station: Station, row: object) -> dict[str, object]:
    """The data of a stored input."""
    import orjson

    subject = row.subject  # type: ignore[attr-defined]
    (key,) = await station.rows(tables.data_keys, tables.data_keys.c.subject == subject)
    data_key = station.vault.unwrap(subject, bytes(key.wrapped))
    packed = station.vault.open(data_key, "input", subject, bytes(row.sealed))  # type: ignore[attr-defined]
    return orjson.loads(orjson.loads(packed)["data"])  # type: ignore[no-any-return]


async def test_two_callers_send_each_call_once(station: Station) -> None:
    other = station.another_caller("p2")
    for number in range(8):
        await station.withdraw(f"w-{number}")
    for _ in range(6):
        await asyncio.gather(station.caller.round(), other.round())
        await asyncio.gather(station.quiet(station.caller), station.quiet(other))
    assert len(station.seen("address-search")) == len(station.seen("transfer-authorization")) == 8
    assert len(await station.verdicts()) == 8
    assert await station.alerts() == []


async def test_a_caller_killed_in_the_middle_leaves_its_call_to_the_next_one(station: Station) -> None:
    await station.withdraw()
    await station.call()
    await station.fault(operation="transfer-authorization", fault="latency", delaySeconds=30)
    assert await station.caller.round() == 1
    (task,) = station.caller._running
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await station.clear_faults()
    other = station.another_caller("p2")
    station.clock.forward(LEASE_SECONDS - 1)
    assert await station.call(other) == 0, "it may still be on its way"
    station.clock.forward(2)
    assert await station.call(other) == 1
    assert await station.verdicts() == [("allow", "VERIFIED")]


async def test_a_result_that_comes_twice_is_one_result_and_no_alarm(station: Station) -> None:
    """A caller that was slower than its lease: somebody else called too, and perhaps heard something else."""
    await station.withdraw()
    (item,) = await station.queues.claim_calls(9, 9, {}, station.clock(), station.clock() + seconds(1))
    station.clock.forward(2)
    await station.calls_all()
    await station.fault(operation="address-search", fault="status", status=422, errorType="INVALID_ORIGIN")
    await station.caller._run(item, None)
    assert await station.alerts() == []
    assert await station.verdicts() == [("allow", "VERIFIED")]


async def test_an_operator_who_denies_takes_back_calls_that_were_not_sent(station: Station) -> None:
    await station.withdraw(target="west")
    await station.calls_all()
    assert len(await station.rows(tables.calls)) == 1
    denied = DecisionRecorded(subject="withdrawal:w-1", decision="deny", actor="o", reason="r")
    await station.tell(denied, "withdrawal:w-1")
    await station.put(robot("west", b"w"))
    await station.refresh()
    await station.calls_all()
    assert station.seen() == []
    assert (await station.verdicts())[-1] == ("deny", "OPERATOR")


async def test_an_erased_subject_is_called_for_no_more_and_its_row_stays_as_it_was(station: Station) -> None:
    await station.withdraw(target="west")
    await station.calls_all()
    (before,) = await station.rows(tables.subjects, tables.subjects.c.subject == "withdrawal:w-1")
    async with station.database.begin() as connection:
        await bulk.delete(connection, tables.data_keys, [{"vasp": "north", "subject": "withdrawal:w-1"}])
    await station.put(robot("west", b"w"))
    await station.refresh()
    await station.calls_all()
    await station.engine.alert("withdrawal:w-1", Alert("CALL_UNPROCESSABLE"))
    assert station.seen() == []
    assert await station.rows(tables.calls) == []
    (after,) = await station.rows(tables.subjects, tables.subjects.c.subject == "withdrawal:w-1")
    moving = {"sequences", "updated_at"}
    assert {name: value for name, value in after._mapping.items() if name not in moving} == {
        name: value for name, value in before._mapping.items() if name not in moving
    }
    assert "CALL_RESULT_UNPROCESSABLE" not in await station.alerts()


async def test_a_call_whose_content_does_not_open_is_told_to_an_operator_and_rests(station: Station) -> None:
    await station.withdraw()
    (row,) = await station.rows(tables.calls)
    async with station.database.begin() as connection:
        await bulk.update(
            connection, tables.calls, [{"id": row.id, "sealed": bytes(row.sealed)[:-1] + bytes([row.sealed[-1] ^ 1])}]
        )
    for _ in range(5):
        await station.forward(LEASE_SECONDS + 1)
    assert station.seen() == []
    assert await station.alerts() == ["CALL_UNPROCESSABLE"]
    assert len(await station.rows(tables.calls)) == 1, "an operator may still mend it"


async def test_time_passes_for_the_station_only_when_told(station: Station) -> None:
    assert station.clock() == NOW + seconds(DEMAND_SECONDS)


async def test_the_own_store_is_read_while_the_hub_is_left_in_peace(station: Station) -> None:
    station.wire.down = True
    for number in range(FAILURES_TO_OPEN):
        await station.withdraw(f"w-{number}", destination={"kind": "unknown", "address": ADDRESS})
    await station.call()
    assert not station.watch.up, "what goes to the hub is put off"
    await station.tell(detected(), "deposit:dep-1")
    await station.call()
    looked_up = await station.rows(tables.inputs, tables.inputs.c.subject == "deposit:dep-1")
    assert [row.type for row in looked_up] == ["deposit.detected.v1", "call.answered"]
