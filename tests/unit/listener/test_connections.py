"""Which peers get a connection, and which connections are displaced when all are taken."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from tests.support.raw_sockets import open_door, request
from travelrule.listener.connection_table import ConnectionTable, Phase
from travelrule.listener.limits import ListenerLimits
from travelrule.metrics import REGISTRY


def refused_of(reason: str) -> float:
    labels = {"listener": "door", "reason": reason}
    return REGISTRY.get_sample_value("travelrule_connections_refused_total", labels) or 0.0


async def test_a_foreign_peer_is_refused_before_a_byte_is_read() -> None:
    made: list[object] = []
    async with open_door(allow=lambda source: source != "127.0.0.1") as door:
        original = door.server._connection
        door.server._connection = lambda entry: made.append(entry) or original(entry)  # type: ignore[method-assign]
        assert await door.say(request(b"x")) == b""
        assert made == []
        assert len(door.server.table) == 0


async def test_three_thousand_held_connections_keep_nobody_out() -> None:
    async with open_door(ListenerLimits(connections_per_source=256)) as door:
        held = [await door.knock() for _ in range(1_500)]
        for _, writer in held[:750]:
            writer.write(b"POST /x HTTP/1.1\r\nHost: h\r\n")
        held += [await door.knock() for _ in range(1_500)]
        for _, writer in held[1_500:2_250]:
            writer.write(b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab")
        answers = [await door.say(request(b"ok", b"Connection: close")) for _ in range(20)]
        assert all(answer.endswith(b"POST 2") for answer in answers)
        assert len(door.server.table) <= 256
        for _, writer in held:
            writer.transport.abort()


async def test_a_request_being_answered_does_not_give_way() -> None:
    async with open_door(ListenerLimits(connections_per_source=1)) as door:
        door.app.gate.clear()
        reader, writer = await door.knock()
        writer.write(request(b"first"))
        await door.until(lambda: bool(door.app.seen))
        before = refused_of("full")
        assert await door.say(request(b"second")) == b""
        assert refused_of("full") == before + 1
        door.app.gate.set()
        await reader.readuntil(b"POST 5")
        # Idle now: the next one takes its place.
        assert (await door.say(request(b"third", b"Connection: close"))).endswith(b"POST 5")
        assert await reader.read() == b""
        writer.close()


def _table(**limits: int) -> ConnectionTable:
    return ConnectionTable(ListenerLimits(**limits))


def test_the_longest_waiting_gives_way_first_then_a_body_never_an_answer() -> None:
    table = _table(connections=3, connections_per_source=3)
    closed: list[str] = []
    names = ("answering", "body", "waiting")
    answering, body, _ = (table.admit("a", lambda name=name: closed.append(name)) for name in names)
    table.enter(answering, Phase.ANSWERING)
    table.enter(body, Phase.RECEIVING)
    assert table.admit("b", lambda: closed.append("b"))
    assert closed == ["waiting"]
    assert table.admit("c", lambda: closed.append("c"))
    assert closed == ["waiting", "b"]


def test_one_source_displaces_only_its_own() -> None:
    table = _table(connections=10, connections_per_source=2)
    closed: list[str] = []
    for source in ("a", "b", "b", "b", "b"):
        assert table.admit(source, lambda source=source: closed.append(source))
    assert closed == ["b", "b"]


def test_sources_with_few_connections_keep_them_when_others_take_all() -> None:
    """The limit in all is reached by several sources that each stay within their own."""
    table = _table(connections=100, connections_per_source=50)
    closed: list[str] = []
    assert table.admit("hub", lambda: closed.append("hub"))
    for number in range(600):
        source = f"attacker-{number % 4}"
        assert table.admit(source, lambda source=source: closed.append(source))
    assert len(closed) == 501
    assert "hub" not in closed


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("admit"), st.sampled_from("abc")),
            st.tuples(st.sampled_from([*Phase, "remove"]), st.integers(0, 30)),
        )
    )
)
def test_the_limits_hold_after_any_steps(steps: list[tuple[object, object]]) -> None:
    table = _table(connections=5, connections_per_source=3)
    made = []
    aborted: set[int] = set()
    for what, which in steps:
        if what == "admit":
            marker = SimpleNamespace(number=len(made))
            entry = table.admit(str(which), lambda marker=marker: aborted.add(marker.number))
            made.append(entry)
        elif made and (entry := made[int(which) % len(made)]) is not None:  # type: ignore[call-overload]
            table.remove(entry) if what == "remove" else table.enter(entry, what)  # type: ignore[arg-type]
        open_now = [entry for entry in made if entry is not None and entry in table]
        assert len(open_now) == len(table) <= 5
        for source in "abc":
            assert sum(entry.source == source for entry in open_now) <= 3
        assert not any(made[number].phase is Phase.ANSWERING for number in aborted)
    for entry in made:
        if entry is not None:
            table.remove(entry)
    assert len(table) == 0
    assert not table._by_source


async def test_an_idle_connection_is_closed() -> None:
    async with open_door(ListenerLimits(idle_seconds=0.05, sweep_seconds=0.01)) as door:
        reader, writer = await door.knock()
        writer.write(request(b"x"))
        await reader.readuntil(b"POST 1")
        assert await reader.read() == b""
        writer.close()
        await asyncio.sleep(0)


async def test_the_first_byte_of_a_new_connection_buys_no_time() -> None:
    async with open_door() as door:
        _, writer = await door.knock()
        await door.until(lambda: bool(door.server.server_state.connections))
        (connection,) = door.server.server_state.connections
        due = connection._entry.deadline
        assert due is not None
        writer.write(b"P")
        await door.until(lambda: len(connection._head) == 1)
        assert connection._entry.deadline == due
        writer.close()


async def test_bodies_count_until_they_are_answered() -> None:
    async with open_door(ListenerLimits(body_memory=100_000)) as door:
        door.app.gate.clear()
        reader, writer = await door.knock()
        writer.write(request(b"x" * 60_000))
        await door.until(lambda: bool(door.app.seen))
        assert b" 503 " in await door.say(request(b"y" * 60_000))
        door.app.gate.set()
        await reader.readuntil(b"POST 60000")
        assert (await door.say(request(b"z" * 60_000, b"Connection: close"))).endswith(b"POST 60000")
        writer.close()
