"""Texts that must not be in a public tree: machine paths, addresses of registries, unfinished work."""

import re
from pathlib import Path

import pytest

from tests.house.source import BESIDE, WHEEL_ROOTS, python, text, written

# A bracket inside each pattern keeps this file from holding what it looks for.
EVERYWHERE = {
    "a path of one machine": r"(?:^|[^A-Za-z0-9_./-])/(?:wor[k]|far[m]|hom[e]|roo[t])/",
    "an address of a package registry": (
        r"index-ur[l]|https?://[^\s\"]*/(?:simpl[e]|maven[2])(?:/|\"|\s|$)|pypi\.(?:or[g]|i[o])"
        r"|files\.pythonhoste[d]|registry\.npmj[s]|repo1?\.mave[n]|proxy\.golan[g]|deb\.debia[n]"
    ),
    "who or what wrote it": r"\b(?:A[I]|LL[M])\b|(?i:claud[e]|anthropi[c]|chatgp[t]|copilo[t])",
}
IN_PYTHON = {
    "unfinished work": r"TOD[O]|FIXM[E]|XX[X]|NotImplementedErro[r]",
    "a hidden test": r"pytest\.ski[p]|mark\.ski[p]|mark\.xfai[l]|importorski[p]",
    "an error that is swallowed": r"except (?:Base)?Exception(?: as \w+)?:\s*(?:pas[s]|\.\.\.)|except[:]",
    "the material beside the checkout": r"\.\./share[d]",
}


def places(paths: list[Path], pattern: str) -> list[str]:
    found = re.compile(pattern)
    return [
        f"{path}:{number}"
        for path in paths
        for number, line in enumerate(text(path).splitlines(), 1)
        if found.search(line)
    ]


@pytest.mark.parametrize("what", EVERYWHERE)
def test_no_file_holds(what: str) -> None:
    assert places(written(), EVERYWHERE[what]) == []


@pytest.mark.parametrize("what", IN_PYTHON)
def test_no_code_holds(what: str) -> None:
    assert places(python(*WHEEL_ROOTS, *BESIDE), IN_PYTHON[what]) == []


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a path of one machine", "see /ho_me/someone/x"),
        ("an address of a package registry", "pip install --index_-url=x"),
        ("who or what wrote it", "written by an A_I"),
    ],
)
def test_the_patterns_find_what_they_are_for(what: str, line: str) -> None:
    assert not re.search(EVERYWHERE[what], line)
    assert re.search(EVERYWHERE[what], line.replace("_", ""))
