"""Which partitions wait, from what the broker answered."""

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import GroupLoadInProgressError

from streams.backlog import Waiting, waiting_of

ONE, TWO = TopicPartition("withdrawals", 0), TopicPartition("withdrawals", 1)


def test_a_partition_waits_since_the_look_that_first_saw_its_records() -> None:
    first = waiting_of([ONE, TWO], {ONE: 3, TWO: -1}, {ONE: 0, TWO: 2}, {ONE: 5, TWO: 2}, {}, 10.0)
    assert first == {ONE: Waiting(3, 10.0, 2)}
    again = waiting_of([ONE], {ONE: 3}, {ONE: 0}, {ONE: 6}, first, 20.0)
    assert again == {ONE: Waiting(3, 10.0, 3)}
    moved = waiting_of([ONE], {ONE: 5}, {ONE: 0}, {ONE: 6}, again, 30.0)
    assert moved == {ONE: Waiting(5, 30.0, 1)}


def test_an_answer_of_a_coordinator_that_still_loads_is_an_error_of_the_broker() -> None:
    with pytest.raises(GroupLoadInProgressError):
        waiting_of([ONE, TWO], {}, {ONE: 0, TWO: 0}, {ONE: 5, TWO: 0}, {}, 10.0)
