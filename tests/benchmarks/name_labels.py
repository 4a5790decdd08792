"""The labelled set of name screening, and what a search makes of it."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from travelrule.screening.names import ListedName, NameMatch

FOLDER = Path(__file__).parents[1] / "data" / "screening_names"
CLEAN = {"order", "given-first", "case", "full-width", "invisible", "title"}
MISSPELT = {"substituted", "dropped", "added", "swapped"}

Search = Callable[[str, Any], Sequence[NameMatch]]


class Label(NamedTuple):
    """A query and the entry it means, or (confusions) does not mean."""

    part: str
    how: str
    kind: str
    list_code: str
    entry_id: str
    query: str


class Customer(NamedTuple):
    """Somebody who is on no list."""

    part: str
    locale: str
    kind: str
    query: str


def rows(file: str) -> list[list[str]]:
    with (FOLDER / file).open(encoding="utf-8", newline="") as read:
        return list(csv.reader(read))[1:]


def labels(file: str, part: str) -> list[Label]:
    return [label for label in map(Label._make, rows(file)) if part in (label.part, "all")]


def customers(part: str) -> list[Customer]:
    return [customer for customer in map(Customer._make, rows("ordinary.csv")) if part in (customer.part, "all")]


def listed_row(row: Sequence[str]) -> ListedName:
    code, entry, kind, name, quality, _, births, _ = row
    return ListedName(code, entry, kind, name, quality, tuple(births.split()))  # type: ignore[arg-type]


def excerpt() -> list[ListedName]:
    """The names of ``listed.csv``."""
    return [listed_row(row) for row in rows("listed.csv")]


@dataclass
class Recall:
    """How many queries of each kind found the entry they mean."""

    asked: Counter[str] = field(default_factory=Counter)
    hit: Counter[str] = field(default_factory=Counter)
    missed: list[Label] = field(default_factory=list)

    def of(self, hows: Iterable[str] | None = None) -> float:
        wanted = set(self.asked if hows is None else hows)
        asked = sum(count for how, count in self.asked.items() if how in wanted)
        return sum(count for how, count in self.hit.items() if how in wanted) / asked if asked else 0.0


def recall(asked: Sequence[Label], search: Search) -> Recall:
    """Ask each label; also the measure for confusions, where a hit is a mistake."""
    found = Recall()
    for label in asked:
        found.asked[label.how] += 1
        if any((match.list_code, match.entry_id) == label[3:5] for match in search(label.query, label.kind)):
            found.hit[label.how] += 1
        else:
            found.missed.append(label)
    return found


@dataclass
class Alarms:
    """Customers on no list for whom something was found.

    ``namesakes`` bear a listed name, word for word: no comparison of names can tell them apart.
    """

    asked: int = 0
    false: list[tuple[Customer, NameMatch]] = field(default_factory=list)
    namesakes: int = 0

    @property
    def per_thousand(self) -> float:
        return 1000 * len(self.false) / self.asked


def alarms(asked: Sequence[Customer], search: Search, same: Callable[[str, str, str], bool]) -> Alarms:
    """Search each customer; ``same`` says whether two texts of a kind are one name word for word."""
    found = Alarms(len(asked))
    for customer in asked:
        matches = search(customer.query, customer.kind)
        if matches and any(same(customer.query, match.name, customer.kind) for match in matches):
            found.namesakes += 1
        elif matches:
            found.false.append((customer, matches[0]))
    return found


def without(names: Sequence[ListedName], unseen: Sequence[Label]) -> list[ListedName]:
    """The names but for those that ``unseen`` asks about: is an entry found by its other names?"""
    asked: dict[tuple[str, str], set[str]] = defaultdict(set)
    for label in unseen:
        asked[label.list_code, label.entry_id].add(label.query)
    return [name for name in names if name.name not in asked[name.list_code, name.entry_id]]
