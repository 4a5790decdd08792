"""The checkout as data: files and syntax trees, read once."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
WHEEL_ROOTS = ("streams", "agents", "schemas", "travelrule")
BESIDE = ("scripts", "tests")
FOREIGN = {"dist", "data", "site", "node_modules", "__pycache__"}
"""Folders that tools write into; those that begin with a dot are left out too, ``.ci`` excepted."""

TEXT = {
    ".py",
    ".md",
    ".toml",
    ".txt",
    ".json",
    ".yaml",
    ".yml",
    ".xml",
    ".sql",
    ".html",
    ".css",
    ".tpl",
    ".svg",
}


@cache
def files() -> tuple[Path, ...]:
    """All files of the checkout that people or our generators wrote, relative to its root."""
    return tuple(sorted(_walk()))


def _walk() -> Iterator[Path]:
    for folder, folders, names in os.walk(ROOT):
        here = Path(folder).relative_to(ROOT)
        top = here == Path()
        folders[:] = [
            name
            for name in folders
            if name != "__pycache__" and (name == ".ci" or not name.startswith(".")) and not (top and name in FOREIGN)
        ]
        yield from (here / name for name in names)


@cache
def text(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text(path), str(path))


def python(*roots: str) -> list[Path]:
    """Python files under the given folders."""
    return [path for path in files() if path.suffix == ".py" and path.parts[0] in roots]


def written() -> list[Path]:
    """Everything that is text, scripts without a suffix included."""
    return [
        path for path in files() if path.suffix in TEXT or (not path.suffix and path.parts[0] in (".ci", "scripts"))
    ] + [Path("Makefile")]


def module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def dotted(node: ast.expr) -> str:
    """``a.b.c`` of a name or attribute expression, else an empty text."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.Call))


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((part.value for part in call.keywords if part.arg == name), None)
