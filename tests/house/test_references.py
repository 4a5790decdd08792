"""References in prose name what exists: paths and dotted names of modules, classes and functions.

Prose is the docstrings and comments of the code, and the pages. CHANGELOG.md is left out: it describes past releases.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.house.source import BESIDE, ROOT, WHEEL_ROOTS, files, module_name, python, text, tree

QUOTED = re.compile(r"``([^`\n]+)``|`([^`\n]+)`")
PATH = re.compile(r"((?:[\w.-]+/)+[\w-]+\.(?:py|md|toml|json|txt|sh|yaml)|\w+\.py)(?:::\w+)?")
FOLDER = re.compile(r"((?:travelrule|streams|agents|schemas|tests|docs|scripts|examples)(?:/[\w.-]+)*)/?")
DOTTED = re.compile(r"([a-z_]\w*(?:\.\w+)+)(?:\(\))?")
GONE = re.compile(r"\b(?:gone|removed|replaced|deleted|was|were|former|until)\b", re.IGNORECASE)
"""Words by which the record of a decision names a file that no longer exists."""

ROOMS = frozenset(path.parts[1] for path in python("travelrule") if len(path.parts) > 2)
FILES = re.compile(r".*\.(?:toml|json|yaml|md|csv|xml|txt|py|sh)")
PUBLISHED = ("chart-values", "events", "platform-actions", "policy", "topics", "world")
"""Generated pages whose names look like modules: event types, headers, policy keys, topics, values of the chart,
keys of a world file."""


def _pages() -> list[Path]:
    top = [Path(name) for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
    return top + [path for path in files() if path.parts[0] == "docs" and path.suffix == ".md"]


def _prose() -> Iterator[tuple[Path, int, str]]:
    """Lines of prose with their place."""
    for path in _pages():
        yield from ((path, number, line) for number, line in enumerate(text(path).splitlines(), 1))
    for path in python(*WHEEL_ROOTS, *BESIDE):
        for node in ast.walk(tree(path)):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                lines = node.value.value.splitlines()
                yield from ((path, node.lineno + index, line) for index, line in enumerate(lines))
        for token in tokenize.generate_tokens(io.StringIO(text(path)).readline):
            if token.type == tokenize.COMMENT:
                yield path, token.start[0], token.string


def _references() -> Iterator[tuple[Path, int, str, str]]:
    for path, number, line in _prose():
        for found in QUOTED.finditer(line):
            yield path, number, line, found.group(1) or found.group(2)


@cache
def _places() -> frozenset[str]:
    """Every file and folder by each tail of its path."""
    whole = {place for path in files() for place in (path, *path.parents)}
    return frozenset("/".join(place.parts[start:]) for place in whole for start in range(len(place.parts)))


@cache
def _module(name: str) -> Path | None:
    base = Path(*name.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if (ROOT / path).is_file()), None)


def _names(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node
            case ast.Import() | ast.ImportFrom():
                yield from ((alias.asname or alias.name, node) for alias in node.names)
            case ast.Assign():
                yield from ((name.id, node) for each in node.targets for name in ast.walk(each) if _is_name(name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node
            case ast.If() | ast.Try() | ast.With():
                yield from _names([each for each in ast.walk(node) if isinstance(each, ast.stmt) and each is not node])


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


def _has(path: Path, names: list[str]) -> bool:
    """Whether a module defines ``names[0]``, and the class of that name the next one."""
    if not names:
        return True
    found = [node for name, node in _names(tree(path).body) if name == names[0]]
    if len(names) == 1 or not found:
        return bool(found)
    classes = [node for node in found if isinstance(node, ast.ClassDef)]
    return not classes or any(names[1] in _members(node) for node in classes)


def _members(owner: ast.ClassDef) -> set[str]:
    own = {name for name, _ in _names(owner.body)}
    return own | {
        node.attr
        for node in ast.walk(owner)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    }


def _exists(name: str) -> bool:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        if path := _module(".".join(parts[:length])):
            return _has(path, parts[length:])
    return False


@cache
def _other_names() -> frozenset[str]:
    """Names with dots or slashes that are stored or published: they are no modules."""
    published = [text(Path(f"docs/generated/{page}.md")) for page in PUBLISHED]
    stored = json.loads(text(Path("tests/data/persisted_names.json")))
    return frozenset(
        [one or two for page in published for one, two in QUOTED.findall(page)]
        + [str(name).split("\\", 1)[0] for names in stored.values() for name in names]
    )


def _resolves(path: Path, name: str) -> bool:
    """Whether a dotted name exists as written, below ``travelrule``, or below a package around its file."""
    around = module_name(path).split(".") if path.suffix == ".py" else []
    prefixes = ["", "travelrule.", *(".".join(around[:length]) + "." for length in range(1, len(around) + 1))]
    return any(_exists(prefix + name) for prefix in prefixes)


def _broken_path(path: Path, reference: str) -> bool:
    found = PATH.fullmatch(reference) or FOLDER.fullmatch(reference)
    return found is not None and reference not in _other_names() and found.group(1) not in _places()


def _broken_name(path: Path, reference: str) -> bool:
    found = DOTTED.fullmatch(reference)
    if not found or FILES.fullmatch(reference) or reference in _other_names():
        return False
    first = reference.partition(".")[0]
    return first in {*ROOMS, *WHEEL_ROOTS, *BESIDE} and not _resolves(path, found.group(1))


def _broken_test(reference: str) -> bool:
    return bool(re.fullmatch(r"test_\w+", reference)) and reference not in _tests()


@cache
def _tests() -> frozenset[str]:
    """The test modules and test functions by name."""
    functions = re.compile(r"def (test_\w+)")
    return frozenset(name for path in python("tests") for name in (path.stem, *functions.findall(text(path))))


def _is_broken(path: Path, reference: str) -> bool:
    return _broken_path(path, reference) or _broken_name(path, reference) or _broken_test(reference)


def test_references_name_what_exists() -> None:
    broken = [
        f"{path}:{number}: {reference}"
        for path, number, line, reference in _references()
        if _is_broken(path, reference) and not (path.parts[:2] == ("docs", "adr") and GONE.search(line))
    ]
    assert broken == []


def test_rooms_begin_with_files_that_exist() -> None:
    """``Start at ...`` in the docstring of a room names files or rooms beside it."""
    broken = []
    for path in python(*WHEEL_ROOTS):
        docstring = ast.get_docstring(tree(path)) or ""
        if path.name != "__init__.py" or not (start := re.search(r"Start (?:at|with)(.*)", docstring, re.DOTALL)):
            continue
        for one, two in QUOTED.findall(start.group(1)):
            name = (one or two).strip("/")
            beside = path.parent / name
            if re.fullmatch(r"[a-z_]+(?:\.py|/)?", name) and not (
                (ROOT / beside).exists() or (ROOT / beside.with_suffix(".py")).is_file()
            ):
                broken.append(f"{path}: {name}")
    assert broken == []


@pytest.mark.parametrize(
    "reference",
    [
        "travelrule/machine/port.py",
        "machine/port.py",
        "tests/house",
        "tests/house/test_references.py::test_references_name_what_exists",
        "machine.port",
        "travelrule.machine.effects.CallHub",
        "schemas.operations.Operation.VASP_LIST",
        "screening.requested.v1",
        "httpx.Client",
    ],
)
def test_what_exists_is_no_broken_reference(reference: str) -> None:
    assert not _is_broken(Path("README.md"), reference)


@pytest.mark.parametrize(
    "reference",
    [
        "travelrule/machine/gone.py",
        "gone_module.py",
        "tests/gone",
        "machine.gone",
        "machine.effects.Gone",
        "schemas.operations.Operation.GONE",
        "test_of_nothing_that_exists",
    ],
)
def test_what_is_gone_is_a_broken_reference(reference: str) -> None:
    assert _is_broken(Path("README.md"), reference)
