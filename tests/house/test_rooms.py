"""Four wheel roots, rooms in their order, no module without a purpose."""

import ast
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.house.source import BESIDE, ROOT, WHEEL_ROOTS, files, module_name, python, text, tree

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_there_are_four_wheel_roots_and_never_a_fifth() -> None:
    assert PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == list(WHEEL_ROOTS)
    importable = {path.parts[0] for path in files() if path.suffix == ".py"}
    assert importable - {"examples"} == {*WHEEL_ROOTS, *BESIDE}  # programs of their own


def test_no_room_is_a_drawer() -> None:
    drawers = {"core", "common", "util", "utils", "helpers", "misc", "shared", "lib", "base_utils"}
    found = {str(path) for path in python(*WHEEL_ROOTS) if drawers & {*path.parts[:-1], path.stem}}
    assert found == set()


def test_every_room_has_its_place_in_the_order() -> None:
    contract = next(each for each in PYPROJECT["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    placed = {name.strip() for layer in contract["layers"] for name in layer.split("|")}
    rooms = {".".join(path.parts[:2]) for path in python("travelrule") if len(path.parts) > 2}
    assert rooms <= placed


def test_rooms_stand_in_their_order() -> None:
    program = shutil.which("lint-imports", path=Path(sys.executable).parent)
    assert program, "import-linter is part of the development group"
    ran = subprocess.run([program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("root", [*WHEEL_ROOTS, "scripts"])
def test_every_module_says_what_it_is_for(root: str) -> None:
    silent = [str(path) for path in python(root) if not ast.get_docstring(tree(path)) and text(path).strip()]
    assert silent == []


def imported() -> set[str]:
    """Every module that product code imports, as the statement or an ``import_module`` names it."""
    names = set()
    for path in python(*WHEEL_ROOTS, "scripts"):
        package = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
        own = module_name(path)
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Import):
                found = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                base = ".".join([*package.split(".")[: len(package.split(".")) - node.level + 1], node.module or ""])
                base = base.rstrip(".") if node.level else node.module or ""
                found = {base, *(f"{base}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found = {node.value}
            else:
                continue
            names |= found - {own}
    return names


def test_no_module_is_dead() -> None:
    scripts = {target.partition(":")[0] for target in PYPROJECT["project"]["scripts"].values()}
    alive = imported() | scripts
    dead = [
        str(path)
        for path in python(*WHEEL_ROOTS)
        if path.name not in ("__init__.py", "__main__.py")
        and "migrations" not in path.parts
        and module_name(path) not in alive
        and '__name__ == "__main__"' not in text(path)
    ]
    assert dead == []


def test_test_modules_have_asserting_tests() -> None:
    mute = []
    for path in python("tests"):
        if not path.name.startswith("test_"):
            continue
        functions = [node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        asserting = {node.name for node in functions if _asserts(node, set())}
        # A test may hand its assertion to a function of the same file, which may hand it on.
        while more := {node.name for node in functions if _asserts(node, asserting)} - asserting:
            asserting |= more
        mute += [
            f"{path}::{node.name}" for node in functions if node.name.startswith("test_") and node.name not in asserting
        ]
    assert mute == []


def _asserts(function: ast.AST, asserting: set[str]) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in asserting or name in ("raises", "warns") or name.startswith(("assert_", "check_", "expect_")):
                return True
    return False
