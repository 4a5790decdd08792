"""Comments, docstrings and pages in plain English: the phrases that naming and style rule out."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.house.source import BESIDE, WHEEL_ROOTS, files, python, text

INSTEAD = {
    r"whoever|whomever": "the next one that ...",
    r"in the making": "builder for ...",
    r"for ever|forever": "indefinitely",
    r"anew": "again, restarted",
    r"giv(?:e|es|en|ing) back|gave back": "return, release",
    r"leav(?:e|es|ing) the house|left the house": "is sent",
    r"in peace": "whose circuit is open",
    r"aloud": "raises an alert, logs",
    r"the own|own store|own nodes?|own lists?": "our, local",
    r"is no more|are no more|was no more": "was erased, was deleted",
    r"(?:not|no\w*|nothing) any more": "no longer",
    r"hopes? for|hoping for": "say what is bounded",
    r"(?:stands?|stood|standing) (?:in|on|at|here|beside|under|above|below|there)": "is, is stored in, is defined in",
    r"(?:nobody|somebody|anybody|everybody) \w+s": "say which subject, process or caller",
    r"in vain": "without an answer, without effect",
    r"hears?|heard": "receives, is notified",
    r"speaks?|spoke|spoken": "sends, writes",
    r"owed": "pending",
    r"debts?": "obligations",
    r"mends?": "fixes",
    r"all the same": "nevertheless, still",
    r"(?:of|as) before": "earlier, previous",
    r"takes? up|taken up": "starts, adopts",
    r"at our door|the doors?": "endpoint, listener",
    r"(?:is|was|be) begun|begun again": "is started",
    r"told (?:apart|of|about)": "distinguished, notified",
    r"turns? up": "arrives, appears",
    r"lets? (?:go|be|pass|through)": "release, accept",
    r"by and by|now and then|once and for all|as a whole": "say when",
    r"befalls?|comes true|comes? of it": "say what happens",
}
"""Phrases, and what to write in their place."""

PHRASE = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b".replace(" ", r"\s+"), re.IGNORECASE)
TECHNICAL = re.compile(r"speaks? (?:TLS|HTTP|PostgreSQL|Kafka)|stands? in order", re.IGNORECASE)
HISTORY = (Path("CHANGELOG.md"), Path("docs/adr"), Path("docs/generated"), Path("tests/data"), Path("schemas/examples"))
"""What was decided or is generated is not rewritten."""
THIS = Path("tests/house/test_phrases.py")


def pages() -> list[Path]:
    return [path for path in files() if path.suffix == ".md" and not any(path.is_relative_to(one) for one in HISTORY)]


def modules() -> list[Path]:
    return [
        path
        for path in python(*WHEEL_ROOTS, *BESIDE)
        if path != THIS and "versions" not in path.parts and not any(path.is_relative_to(one) for one in HISTORY)
    ]


def prose(source: str) -> Iterator[tuple[int, str]]:
    """The comments, docstrings and descriptions of a module, each with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def found(line: int, written: str) -> Iterator[tuple[int, str]]:
    """Each phrase with its line; a phrase may run over the end of a line."""
    plain = TECHNICAL.sub(lambda match: "-" * len(match[0]), written)
    for match in PHRASE.finditer(plain):
        yield line + written.count("\n", 0, match.start()), " ".join(match[0].split())


@cache
def offenders() -> tuple[str, ...]:
    places = [(path, line, one) for path in modules() for line, one in prose(text(path))]
    places += [(path, 1, text(path)) for path in pages()]
    return tuple(f"{path}:{at}: {phrase}" for path, line, one in places for at, phrase in found(line, one))


def test_no_ruled_out_phrase_is_written() -> None:
    assert offenders() == ()


@pytest.mark.parametrize("phrase", ["for ever", "whoever claims it", "Begun\nanew", "the own list", "nobody waits"])
def test_a_phrase_is_seen(phrase: str) -> None:
    source = f'def f() -> None:\n    """Row: {phrase}."""\n'
    assert [list(found(line, one)) for line, one in prose(source)] != [[]]


@pytest.mark.parametrize("phrase", ["our lists", "the next claimer", "a socket that speaks TLS", "forevermore-id"])
def test_plain_words_are_left_alone(phrase: str) -> None:
    assert list(found(1, phrase)) == []
