"""Files that can be read in one sitting, functions that can be read without scrolling."""

import ast
from statistics import median

import pytest

from tests.house.source import BESIDE, WHEEL_ROOTS, python, text, tree

LINES_MAX = 400
MEDIAN_MAX = 150
P90_MAX = 350
FUNCTION_LINES_MAX = 70
AGENT_LINES_MAX = 100


def length(lines: str) -> int:
    return len(lines.splitlines())


def test_no_file_is_longer_than_the_ceiling() -> None:
    long = {str(path): length(text(path)) for path in python(*WHEEL_ROOTS, *BESIDE) if length(text(path)) > LINES_MAX}
    assert long == {}, "split them along a real seam"


def test_the_usual_file_is_short() -> None:
    sizes = sorted(length(text(path)) for path in python(*WHEEL_ROOTS) if length(text(path)) > 1)
    assert median(sizes) <= MEDIAN_MAX
    assert sizes[len(sizes) * 9 // 10] <= P90_MAX


def test_agents_are_thin() -> None:
    assert {str(path) for path in python("agents") if length(text(path)) > AGENT_LINES_MAX} == set()


@pytest.mark.parametrize("root", [*WHEEL_ROOTS, *BESIDE])
def test_no_function_needs_scrolling(root: str) -> None:
    long = {
        f"{path}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for path in python(root)
        if "migrations" not in path.parts  # a migration is a list of statements, read once
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= FUNCTION_LINES_MAX
    }
    assert long == {}
