"""One name against at least 60,000: how long it takes, what it finds, whom it wrongly stops.

Times are processor time of the searching thread: what else the machine does only adds to both sides. Finding and
wrong stops are measured on the half of the labelled set that nothing was tuned on (tests/data/screening_names).
"""

from __future__ import annotations

import gc
import os
import time
import tracemalloc
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rapidfuzz import fuzz, process

from scripts.screening_lists import read
from tests.benchmarks.figure import Figure
from tests.benchmarks.generated_names import generated
from tests.benchmarks.name_labels import (
    CLEAN,
    MISSPELT,
    alarms,
    customers,
    excerpt,
    labels,
    listed_row,
    recall,
    without,
)
from tests.benchmarks.surroundings import Surroundings
from travelrule.screening.names import DEFAULT_THRESHOLD, ListedName, NameIndex, NameMatch
from travelrule.screening.names.comparable_name import normalise

NAMES = 64_000
FASTER = 20
LONGEST_MS, BUILD_SECONDS = 5.0, 2.0
RECALL, CLEAR = 0.99, 0.9989
"""One false alarm per 1,000, as closely as some 4,000 customers can tell."""
SHARED = "TRAVELRULE_TEST_SHARED"


class Timed(NamedTuple):
    """Milliseconds of each search, sorted, and of the longest single step of any."""

    searches: list[float]
    longest_step: float

    def at(self, share: float) -> float:
        return self.searches[min(len(self.searches) - 1, int(share * len(self.searches)))]


async def figures(surroundings: Surroundings) -> list[Figure]:
    """Measure; with the lists of the published material where they are at hand, else with the excerpt."""
    real = real_names()
    names = [*real, *generated(real, NAMES - len(real))]
    index, seconds, longest_build = timed_build(names)
    spellings, people = labels("spellings.csv", "held"), customers("held")
    share = 8 if surroundings.short else 1
    asked = [*spellings[: 2400 : 3 * share], *people[:: 2 * share]]
    ours = timed(index, [(one.query, one.kind) for one in asked])
    brute = BruteForce(names)
    reference = timed_brute(
        brute, [one.query for one in asked[:: max(1, len(asked) // (40 if surroundings.short else 200))]]
    )
    facts = {"names": len(index), "real_names": len(real), "searches": len(asked)}
    return [
        Figure("name-screening", ours.at(0.5), reference, 1 / FASTER, "ms CPU per name, p50", extra=facts),
        Figure("name-screening-p99", ours.at(0.99), LONGEST_MS, 1.0, "ms CPU per name, p99",
               extra={"max": round(ours.searches[-1], 3)}),
        Figure("name-screening-step", ours.longest_step, LONGEST_MS, 1.0, "ms CPU that a search holds the loop"),
        Figure("name-screening-build", seconds, BUILD_SECONDS, 1.0, "s CPU per snapshot",
               extra={"longest_step_ms": round(longest_build, 1), **_memory(names, short=surroundings.short)}),
        _recall(index, brute, spellings[::share]),
        _clear(index, people[::share], "name-screening-clear", target=None),
        _clear(NameIndex.build(real), people[::share], "name-screening-clear-real", target=1.0),
        _unseen(real),
    ]  # fmt: skip


def real_names() -> list[ListedName]:
    """Every name of both published lists, or those of the excerpt."""
    folder = os.environ.get(SHARED)
    lists = Path(folder) / "data" / "sanctions" if folder else None
    return [listed_row(row) for row in read(lists)] if lists and lists.is_dir() else excerpt()


def _stepped(steps: Generator[None, None, Any]) -> tuple[Any, float, float]:
    """Run a generator to its end: what it returns, milliseconds in all and of the longest step."""
    total = longest = 0.0
    while True:
        start = time.thread_time()
        try:
            next(steps)
        except StopIteration as end:
            return end.value, total, longest
        finally:
            spent = 1000 * (time.thread_time() - start)
            total, longest = total + spent, max(longest, spent)


def timed_build(names: Sequence[ListedName]) -> tuple[NameIndex, float, float]:
    gc.collect()
    index, milliseconds, longest = _stepped(NameIndex.build_in_steps(names))
    gc.collect()
    return index, milliseconds / 1000, longest


def timed(index: NameIndex, asked: Sequence[tuple[str, Any]]) -> Timed:
    searches, longest = [], 0.0
    for text, kind in asked:
        start = time.thread_time()
        step = _stepped(index.search_in_steps(text, kind))[2]
        searches.append(1000 * (time.thread_time() - start))
        longest = max(longest, step)
    return Timed(sorted(searches), longest)


class BruteForce:
    """The reference: rapidfuzz ``token_set_ratio`` against every name, one after the other."""

    def __init__(self, names: Sequence[ListedName]) -> None:
        self._names = names
        self._texts = [_text(name.name) for name in names]

    def __call__(self, query: str, kind: str, threshold: float = DEFAULT_THRESHOLD) -> list[NameMatch]:
        near = process.extract(
            _text(query), self._texts, scorer=fuzz.token_set_ratio, score_cutoff=100 * threshold, limit=50
        )
        found = [(self._names[place], score / 100) for _, score, place in near]
        return [
            NameMatch(name.list_code, name.entry_id, name.kind, name.name, score, score, "token set")
            for name, score in found
        ]


def _text(name: str) -> str:
    return name.casefold().replace(",", " ")


def timed_brute(brute: BruteForce, asked: Sequence[str]) -> float:
    """The middle of its milliseconds."""
    spent = []
    for text in asked:
        start = time.thread_time()
        brute(text, "")
        spent.append(1000 * (time.thread_time() - start))
    return sorted(spent)[len(spent) // 2]


def _memory(names: Sequence[ListedName], *, short: bool) -> dict[str, float]:
    """Megabytes that a snapshot allocates; measuring is slow, so the short form leaves it out."""
    if short:
        return {}
    tracemalloc.start()
    kept = NameIndex.build(names)
    megabytes = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    return {"megabytes": round(megabytes), "megabytes_per_10_000": round(megabytes / len(kept) * 10_000, 1)}


def _recall(index: NameIndex, brute: BruteForce, spellings: Sequence[Any]) -> Figure:
    people = [label for label in spellings if label.kind == "person" and label.how in CLEAN | MISSPELT]
    firms = [label for label in spellings if label.kind != "person"]
    everything = recall(spellings, index.search)
    sample = people[:: max(1, len(people) // 150)]
    return Figure(
        "name-screening-recall", recall(people, index.search).of(), RECALL, 1.0, "of listed people found", "at-least",
        extra={
            "asked": len(people),
            "clean": round(recall(people, index.search).of(CLEAN), 4),
            "misspelt": round(recall(people, index.search).of(MISSPELT), 4),
            "all_spellings": round(everything.of(), 4),
            "companies_misspelt": round(recall(firms, index.search).of(MISSPELT), 4),
            "by_way": {how: round(everything.of([how]), 3) for how in sorted(everything.asked)},
            "native_script": round(recall(labels("native.csv", "held"), index.search).of(), 3),
            "lookalikes_stopped": round(recall(labels("confusions.csv", "held"), index.search).of(), 3),
            "brute_force": round(recall(sample, brute).of(), 4),
            "brute_force_lookalikes_stopped": round(recall(labels("confusions.csv", "held"), brute).of(), 3),
        },
    )  # fmt: skip


def _clear(index: NameIndex, people: Sequence[Any], name: str, target: float | None) -> Figure:
    found = alarms(people, index.search, same_name)
    return Figure(
        name, 1 - len(found.false) / found.asked, CLEAR, target, "of ordinary customers not stopped", "at-least",
        extra={
            "asked": found.asked,
            "false_alarms_per_1000": round(found.per_thousand, 2),
            "namesakes": found.namesakes,
            "names": len(index),
        },
    )  # fmt: skip


def _unseen(real: Sequence[ListedName]) -> Figure:
    """Spellings and scripts that only the list itself knows: searched with just these left out. Informs only."""
    asked = labels("unseen.csv", "held")
    found = recall(asked, NameIndex.build(without(real, asked)).search)
    return Figure(
        "name-screening-unseen", found.of(["alias"]), 1.0, None, "of unlisted spellings found", "at-least",
        extra={"asked": len(asked), "original_script": round(found.of(["script"]), 3)},
    )  # fmt: skip


def same_name(one: str, other: str, kind: Any) -> bool:
    """Say whether two texts are one name: the same words in any order, or one name in two scripts."""
    first, second = normalise(one, kind), normalise(other, kind)
    if sorted(first.words) == sorted(second.words) or not set(first.keys).isdisjoint(second.keys):
        return True
    return bool(first.words) and kind == "person" and first.joined in _rotated(second.words)


def _rotated(words: tuple[str, ...]) -> set[str]:
    return {"".join(words[place:] + words[:place]) for place in range(len(words))}
