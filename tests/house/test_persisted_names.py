"""What is stored or published keeps its name, whatever the code calls it (``tests/data/persisted_names.json``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, MetaData, Table, Text

from schemas.wire_model import Wire
from tests.house import name_sources, persisted_names

CHANGED = (
    "these names are stored or published and the code has them no more: a row or a message of before is not read. "
    "Keep the name in the code, or give the field an alias. Only where a template ({}) is put together in another way "
    "and gives the same text may its line change"
)
NEW = "these names are not in tests/data/persisted_names.json: check their spelling, it stays; then list them there"


@pytest.fixture(scope="module")
def present() -> persisted_names.Names:
    return persisted_names.present()


def test_every_listed_name_is_there(present: persisted_names.Names) -> None:
    gone, _ = persisted_names.differences(present, persisted_names.listed())
    assert gone == [], CHANGED


def test_every_name_is_listed(present: persisted_names.Names) -> None:
    _, new = persisted_names.differences(present, persisted_names.listed())
    assert new == [], NEW


def test_every_group_finds_something(present: persisted_names.Names) -> None:
    assert [group for group, names in present.items() if not names] == []


@pytest.mark.parametrize("group", sorted(persisted_names.listed()))
def test_a_name_that_is_taken_away_or_renamed_is_found(present: persisted_names.Names, group: str) -> None:
    name = present[group][0]
    without = {**present, group: present[group][1:]}
    renamed = {**present, group: [f"{name}-renamed", *present[group][1:]]}
    assert persisted_names.differences(without, present) == ([f"{group}: {name}"], [])
    assert persisted_names.differences(renamed, present) == ([f"{group}: {name}"], [f"{group}: {name}-renamed"])


def test_a_column_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = MetaData()
    Table("inputs", metadata, Column("renamed", Text))
    monkeypatch.setattr(persisted_names, "metadata", metadata)
    assert list(persisted_names.tables()) == ["inputs", "inputs.renamed"]


class Person(Wire):
    legal_name: str


class Stored(Wire):
    by_kind: dict[str, Person]
    persons: tuple[Person, ...] = ()
    inner: Stored | None = None


def test_fields_are_found_at_any_depth_under_their_wire_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persisted_names, "EVENTS", {})
    monkeypatch.setattr(persisted_names, "INTERNAL_INPUTS", {"call.troubled": Stored})
    assert sorted(set(persisted_names.fields_of_inputs())) == [
        "call.troubled.byKind",
        "call.troubled.byKind{}.legalName",
        "call.troubled.inner",
        "call.troubled.persons",
        "call.troubled.persons[].legalName",
    ]


SOURCE = """
LEASE = "work"
HELD = "held"
_MARK = b"mark of ours"
LETTER = "letter"


class AlertCode(StrEnum):
    LATE = "LATE"


def write(self, vault, key, subject, entity_id):
    kind = "call" if subject else "parked"
    vault.seal(key, kind, subject, b"")
    vault.index.of("customer", entity_id)
    vault.index.fingerprint(_MARK, key)
    stable_id(entity_id, LETTER, subject)
    internal_input(InternalSource.HUB, f"{key}/{subject}", "call.failed", subject, None, path="calls")
    turn.set_timer(HELD, 5)
    PeriodicJob("work", self.step)
    raise Refused("NOT_OURS", f"exchange:{entity_id}/{subject}")


__all__ = ["NOT_A_CODE"]
"""


@pytest.fixture
def one_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def forget() -> None:
        for cached in (name_sources.constants, name_sources.product_calls):
            cached.cache_clear()

    path = tmp_path / "module.py"
    path.write_text(SOURCE, encoding="utf-8")
    forget()
    monkeypatch.setattr(name_sources, "sources", lambda: (path,))
    yield
    monkeypatch.undo()
    forget()


@pytest.mark.usefixtures("one_module")
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (name_sources.sealing_uses, {"call", "parked"}),
        (name_sources.index_fields, {"customer"}),
        (name_sources.labels, {"mark of ours"}),
        (name_sources.uuid_names, {"{} | letter | {}"}),
        (name_sources.input_ids, {"{} calls# {}/{} call.failed"}),
        (name_sources.timers, {"held"}),
        (name_sources.leases, {"work"}),
        (name_sources.jobs, {"work"}),
        (name_sources.alert_codes, {"LATE"}),
        (lambda: name_sources.codes(()), {"NOT_OURS"}),
        (lambda: name_sources.subjects(("exchange",)), {"exchange:{}/{}"}),
    ],
)
def test_names_of_the_source_text_are_found(names: Callable[[], Any], expected: set[str]) -> None:
    assert set(names()) == expected
