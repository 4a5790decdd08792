"""Periodic work has one loop: a second one would meet an outage with a back-off of its own, or with none."""

import ast
from pathlib import Path

from tests.house.source import python, tree

LOOP = Path("travelrule/engine/periodic_job.py")
COMMITTER = Path("travelrule/engine/intake.py")
"""Waits for inputs, not for time; shares the back-off."""


def survives_anything(node: ast.AST) -> bool:
    """A loop that goes on after an exception of whatever class."""
    return isinstance(node, ast.While) and any(
        isinstance(part, ast.ExceptHandler) and isinstance(part.type, ast.Name) and part.type.id == "Exception"
        for part in ast.walk(node)
    )


def test_no_loop_of_the_engine_or_the_store_has_a_back_off_of_its_own() -> None:
    found = {
        path
        for path in python("travelrule")
        if path.parts[1] in ("engine", "store")
        for node in ast.walk(tree(path))
        if survives_anything(node)
    }
    assert found == {LOOP, COMMITTER}
