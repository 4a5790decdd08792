"""Lists with large comments, tags and instructions: every version of the XML parser reads the same from them.

Newer versions of expat put off reading a token that was open at the end of a block until far more of it has come. On
an interpreter whose parser can turn that off, each case runs with it on too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.list_files import SAMPLES, XML, fault
from travelrule.screening.lists import list_file, xml_elements
from travelrule.screening.lists.import_report import ListFaults
from travelrule.screening.lists.limits import LIMITS, ListLimits
from travelrule.screening.lists.list_importer import import_list

SIZES = (1_000, 262_130, 300_000, 524_280, 600_000, 900_000, 1_048_000)
KINDS: dict[str, Callable[[int], str]] = {
    "comment": lambda size: f"<!--{'x>' * (size // 2)}-->",
    "instruction": lambda size: f"<?note {'y ' * (size // 2)}?>",
    "tag": lambda size: f"<OTHER note='{'z' * size}'/>",
}


CAN_TELL = hasattr(expat.ParserCreate(), "SetReparseDeferralEnabled")


@pytest.fixture(params=["as built", "deferring"] if CAN_TELL else ["as built"], autouse=True)
def _parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser as the reader makes it, and one left as the interpreter makes it."""
    if request.param == "deferring":
        monkeypatch.setattr(
            xml_elements,
            "_new_parser",
            lambda: expat.ParserCreate(encoding="utf-8", namespace_separator=xml_elements.SEPARATOR),
        )


def version(name: str, path: Path) -> str:
    return import_list(name, [path]).report.version


def places(name: str) -> dict[str, int]:
    """Where a token may be put into the sample: behind its declaration, inside of its root, at its end, behind it."""
    text = SAMPLES[name].read_text(encoding="utf-8").removeprefix("\ufeff")
    head = text.index("?>") + 2
    root = text.index(">", text.index("<", head)) + 1
    return {"head": head, "root": root, "last": text.rindex("</"), "tail": len(text)}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", XML)
def test_a_large_token_changes_nothing_wherever_it_is(name: str, kind: str, size: int, tmp_path: Path) -> None:
    text = SAMPLES[name].read_text(encoding="utf-8").removeprefix("\ufeff")
    expected = version(name, SAMPLES[name])
    for place, at in places(name).items():
        if kind == "tag" and place in ("head", "tail"):
            continue
        path = tmp_path / f"{place}.xml"
        path.write_text(text[:at] + KINDS[kind](size) + text[at:], encoding="utf-8")
        assert version(name, path) == expected, place


@pytest.mark.parametrize("name", XML)
def test_many_large_comments_one_after_the_other(name: str, tmp_path: Path) -> None:
    text = SAMPLES[name].read_text(encoding="utf-8").removeprefix("\ufeff")
    for place, at in places(name).items():
        for size in (200_000, 523_000, 700_000):
            path = tmp_path / f"{place}.xml"
            path.write_text(text[:at] + KINDS["comment"](size) * 5 + text[at:], encoding="utf-8")
            assert version(name, path) == version(name, SAMPLES[name]), (place, size)


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_over_the_limit_is_refused(kind: str, tmp_path: Path) -> None:
    name = "un-xml"
    text = SAMPLES[name].read_text(encoding="utf-8")
    at = places(name)["root"]
    for size in (LIMITS.token_bytes + list_file.BLOCK, 2_500_000):
        found = fault(name, tmp_path / "un.xml", text[:at] + KINDS[kind](size) + text[at:])
        assert found.code == "TOKEN_TOO_LARGE", size


def test_a_large_comment_before_the_root_of_another_format(tmp_path: Path) -> None:
    for size in SIZES:
        found = fault("eu-xml", tmp_path / "eu.xml", f"{KINDS['comment'](size)}<sdnList></sdnList>")
        assert found.code == "OTHER_FORMAT", size
        assert fault("eu-xml", tmp_path / "eu.xml", KINDS["comment"](size)).code == "TRUNCATED", size
        assert fault("eu-xml", tmp_path / "eu.xml", f"{KINDS['comment'](size)}<export>").code == "TRUNCATED", size
        assert fault("eu-xml", tmp_path / "eu.xml", f"{KINDS['comment'](size)}<export></b>").code == "NOT_XML", size
        assert fault("eu-xml", tmp_path / "eu.xml", f"{KINDS['comment'](size)}<!DOCTYPE a>").code == "DOCTYPE", size


@st.composite
def lists(draw: st.DrawFn) -> tuple[str, bytes, int, ListLimits]:
    """A sample with tokens put between its elements, some large beside the block, and some damaged."""
    name = draw(st.sampled_from(XML))
    text = SAMPLES[name].read_bytes().removeprefix(b"\xef\xbb\xbf")
    behind = [place + 1 for place, byte in enumerate(text) if byte == ord(">")]
    for at in sorted(draw(st.lists(st.sampled_from(behind), max_size=4)), reverse=True):
        token = KINDS[draw(st.sampled_from(list(KINDS)))](draw(st.integers(0, 5_000)))
        text = text[:at] + token.encode() + text[at:]
    if draw(st.booleans()):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.binary(max_size=4)) + text[at + draw(st.integers(0, 4)) :]
    limits = ListLimits(token_bytes=draw(st.integers(600, 9_000)))
    return name, text, draw(st.sampled_from([1, 7, 64, 500, 1024, 4096])), limits


def outcome(name: str, path: Path, limits: ListLimits) -> str:
    """The version, or that the file is refused: of two faults, the block decides which one is met first."""
    try:
        return import_list(name, [path], limits=limits).report.version
    except ListFaults as faults:
        return "too large" if faults.faults[0].code == "TOKEN_TOO_LARGE" else "refused"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=lists())
def test_the_size_of_the_blocks_decides_about_nothing_but_the_limit(
    made: tuple[str, bytes, int, ListLimits], tmp_path: Path
) -> None:
    """A token may be seen too late to be refused, but no token within the limit is, and all else is the same."""
    name, text, block, limits = made
    path = tmp_path / "list.xml"
    path.write_bytes(text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(list_file, "BLOCK", block)
        found = outcome(name, path, limits)
        patched.setattr(list_file, "BLOCK", len(text) + 1)
        unlimited = outcome(name, path, LIMITS)
    if found == "too large":
        assert len(text) > limits.token_bytes
        assert longest(text) > limits.token_bytes
    else:
        assert found == unlimited


def longest(text: bytes) -> int:
    """The longest stretch from a ``<`` to the next: no token is longer, and of text the parser holds back nothing.

    A declaration that was cut, or that lost a quote, may take in all that follows.
    """
    declaration, end, _ = text.partition(b"?>")
    if text.startswith(b"<?") and (not end or declaration.count(b'"') % 2):
        return len(text)
    return max(len(part) for part in text.split(b"<"))
