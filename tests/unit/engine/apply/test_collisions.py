"""A batch that collides with another one is repeated, whatever order the collisions come in."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy.exc import DBAPIError

from schemas.wire_model import Wire
from travelrule.engine.apply import engine as apply_engine
from travelrule.engine.apply.engine import MAX_LOST_RACES, MAX_REPEATS, Engine
from travelrule.engine.input_outcome import InputOutcome
from travelrule.machine.input import Input, Source

ITEM = Input(Source("/test"), "1", "t", "withdrawal:1", datetime(2026, 11, 20, tzinfo=UTC), Wire(), b"{}", UUID(int=1))
APPLIED = InputOutcome("applied")
DEADLOCK, SERIALISATION, LOST_RACE = "40P01", "40001", "23505"


class DriverError(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.sqlstate = code


class Colliding(Engine):
    """An engine whose transactions end as a test says, before one is applied."""

    def __init__(self, codes: list[str]) -> None:
        self.codes = codes

    async def _apply_once(self, items: Sequence[Any]) -> list[InputOutcome]:
        if self.codes:
            raise DBAPIError(None, None, DriverError(self.codes.pop(0)))
        return [APPLIED] * len(items)


@pytest.fixture(autouse=True)
def without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apply_engine, "REPEAT_DELAY_SECONDS", 0.0)


@pytest.mark.parametrize(
    "codes",
    [
        [LOST_RACE],
        [LOST_RACE] * (MAX_LOST_RACES - 1),
        [DEADLOCK, SERIALISATION, LOST_RACE],
        [DEADLOCK] * (MAX_REPEATS - 2) + [LOST_RACE],
        [LOST_RACE, DEADLOCK, LOST_RACE, SERIALISATION],
    ],
    ids=" ".join,
)
async def test_collisions_end_in_a_repetition(codes: list[str]) -> None:
    assert await Colliding(list(codes)).apply([ITEM]) == [APPLIED]


async def test_a_key_that_is_always_there_is_the_contents_fault() -> None:
    assert await Colliding([LOST_RACE] * MAX_LOST_RACES).apply([ITEM]) == [InputOutcome("rejected", "UNPROCESSABLE")]


async def test_a_database_that_always_fails_the_transaction_is_no_fault_of_the_content() -> None:
    with pytest.raises(DBAPIError):
        await Colliding([SERIALISATION] * MAX_REPEATS).apply([ITEM])
