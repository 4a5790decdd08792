import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from travelrule.crypto.request_nonces import NONCE_LIMIT, NonceBlock, NonceLease


class Counter:
    """The stored counter that all processes share; each lease takes two turns of the event loop."""

    def __init__(self, first: int, size: int) -> None:
        self.first, self.size, self.leases = first, size, 0

    async def lease(self) -> NonceBlock:
        block = NonceBlock(self.first, self.size)
        self.first = block.following
        self.leases += 1
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return block


@settings(max_examples=40, deadline=None)
@given(
    first=st.one_of(st.integers(0, NONCE_LIMIT - 1), st.integers(NONCE_LIMIT - 60, NONCE_LIMIT - 1)),
    size=st.integers(1, 20),
    processes=st.integers(1, 5),
    callers=st.integers(1, 12),
)
async def test_nonces_are_unique_over_processes_and_callers(
    first: int, size: int, processes: int, callers: int
) -> None:
    counter = Counter(first, size)
    leases = [NonceLease(counter.lease) for _ in range(processes)]
    drawn = await asyncio.gather(*(lease.next() for _ in range(callers) for lease in leases))
    survivor = NonceLease(counter.lease)  # the others die here, with what they had left
    drawn += [await survivor.next() for _ in range(2 * size)]
    assert len(set(drawn)) == len(drawn) == processes * callers + 2 * size
    assert all(0 <= nonce < NONCE_LIMIT for nonce in drawn)


async def test_nothing_is_skipped_within_one_process_and_callers_share_a_lease() -> None:
    counter = Counter(NONCE_LIMIT - 3, 5)
    lease = NonceLease(counter.lease)
    drawn = await asyncio.gather(*(lease.next() for _ in range(10)))
    assert sorted(drawn) == sorted([NONCE_LIMIT - 3, NONCE_LIMIT - 2, NONCE_LIMIT - 1, *range(7)])
    assert counter.leases == 2


async def test_a_failing_store_fails_the_caller_and_the_next_call_recovers() -> None:
    answers: list[NonceBlock | None] = [None, NonceBlock(7, 1)]

    async def lease() -> NonceBlock:
        block = answers.pop(0)
        if block is None:
            raise ConnectionError
        return block

    nonces = NonceLease(lease)
    with pytest.raises(ConnectionError):
        await nonces.next()
    assert await nonces.next() == 7


async def test_a_cancelled_caller_does_not_block_the_others() -> None:
    counter = Counter(0, 4)
    nonces = NonceLease(counter.lease)
    first = asyncio.create_task(nonces.next())
    await asyncio.sleep(0)
    second = asyncio.create_task(nonces.next())
    await asyncio.sleep(0)
    first.cancel()
    assert await second == 4  # the cancelled lease's block is dropped, never given twice


def test_block_counts_over_the_end() -> None:
    block = NonceBlock(NONCE_LIMIT - 2, 4)
    assert list(block) == [NONCE_LIMIT - 2, NONCE_LIMIT - 1, 0, 1]
    assert block.following == 2


@pytest.mark.parametrize(("first", "size"), [(-1, 1), (NONCE_LIMIT, 1), (0, 0), (0, NONCE_LIMIT + 1)])
def test_impossible_blocks_are_refused(first: int, size: int) -> None:
    with pytest.raises(ValueError, match="nonce block"):
        NonceBlock(first, size)
