"""Modules are named after things, a base name means one kind of thing, a class name is there once (rules 1 to 3)."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from tests.house.source import WHEEL_ROOTS, python, tree

TERMS_OF_THE_FIELD = {"monitoring", "screening", "signing", "sealing", "polling", "routing"}
"""The only words in ``-ing`` that a module may end in; all others are activities."""
NO_ACTIVITIES = {"king", "string", "thing"}

SHARED = {
    "app": "the application that a process serves",
    "arrival": "the arrival of a transaction: its subject, the messages about it, the exchange's side of it",
    "authorization": "the protocol step",
    "builder": "the builder of one decision",
    "conclusion": "the protocol step: txid report or finish",
    "data_request": "the protocol step",
    "diagnosis": "the cause of a failure outside",
    "diagram": "the generated page of a transition table",
    "errors": "the exceptions of a room",
    "health": "whether a process can serve",
    "limits": "the limits of a room, with units",
    "lists": "sanctions lists",
    "machine": "a state machine",
    "openapi": "the generated document of what a room serves",
    "operations": "a table keyed by operation",
    "owner": "owners of wallets",
    "ports": "the interfaces that a room requires",
    "projection": "columns outside the sealed state",
    "records": "the records of a store of a room",
    "registry": "what a room offers, by name",
    "server": "the server of a role",
    "state": "the state of a machine",
    "table": "a transition table",
    "txid_search": "the protocol step",
    "verdict_cause": "the cause of a verdict, derived from a state and the policy",
}
"""Base names that two places may have, and what each means wherever it is."""

NAMED_AFTER = ("agents", "travelrule/commands", "schemas")
"""Floors whose files are named after their topic, their command, what crosses a wire: they count by themselves."""
STANDARD = {"LegalPerson", "NaturalPerson", "NationalIdentification", "PostalAddress"}
"""Classes that are named after objects of the standard: those of an event and those of IVMS101."""


def modules() -> dict[str, list[Path]]:
    """The modules of the product by base name; a package counts by the name of its folder."""
    found = defaultdict(list)
    for path in python(*WHEEL_ROOTS):
        if path.stem != "__init__" and not path.stem.startswith("__") and "versions" not in path.parts:
            found[path.stem].append(path)
        elif path.stem == "__init__" and len(path.parts) > 2:
            found[path.parent.name].append(path.parent)
    return found


def is_activity(name: str) -> bool:
    last = name.rpartition("_")[2]
    return last.endswith("ing") and last not in TERMS_OF_THE_FIELD | NO_ACTIVITIES


def named_after_activities(*roots: str) -> list[str]:
    return [
        str(path)
        for path in python(*roots)
        if any(is_activity(part) for part in (*path.parts[:-1], path.stem.removeprefix("test_")))
    ]


def repeated(found: dict[str, list[Path]]) -> dict[str, list[str]]:
    """Base names of two or more places that no table explains. A module may be named after a room: it is the part of
    that room where it is.
    """
    others = {
        name: [str(path) for path in paths if not str(path).startswith(NAMED_AFTER)] for name, paths in found.items()
    }
    return {name: sorted(paths) for name, paths in others.items() if len(paths) > 1 and name not in {*SHARED, *rooms()}}


def rooms() -> set[str]:
    return {path.parts[1] for path in python("travelrule") if len(path.parts) > 2}


def classes(*roots: str) -> dict[str, list[str]]:
    found = defaultdict(list)
    for path in python(*roots):
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{path}:{node.lineno}")
    return {name: places for name, places in found.items() if name not in STANDARD}


def test_no_module_is_named_after_an_activity() -> None:
    assert named_after_activities(*WHEEL_ROOTS, "scripts", "tests") == []


def test_a_base_name_means_one_kind_of_thing() -> None:
    assert repeated(modules()) == {}


def test_every_shared_base_name_is_shared() -> None:
    assert {name for name in SHARED if len(modules()[name]) < 2} == set(), "take these off the table"


def test_a_class_name_is_there_once() -> None:
    assert {name: places for name, places in classes(*WHEEL_ROOTS).items() if len(places) > 1} == {}


@pytest.mark.parametrize(
    ("name", "activity"),
    [("trying", True), ("list_screening", False), ("owner_matching", True), ("string", False), ("signing", False)],
)
def test_an_activity_is_seen(name: str, activity: bool) -> None:
    assert is_activity(name) is activity


def test_a_repeated_base_name_is_seen() -> None:
    twice = {"asking": [Path("a/asking.py"), Path("b/asking.py")], "state": [Path("a/state.py"), Path("b/state.py")]}
    assert repeated(twice) == {"asking": ["a/asking.py", "b/asking.py"]}
