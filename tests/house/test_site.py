"""The documentation site before it is built: every link and anchor exists, every page has its place."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from scripts.reference_page import reference_page
from scripts.site import navigation as sections
from scripts.site.build import SiteError, write_source
from scripts.site.built_pages import faults
from scripts.site.markdown import anchors, link_targets, resolved, site_markdown
from scripts.site.navigation import navigation
from scripts.site.pages import pages, place_of, title_of
from tests.house.source import ROOT, files, text

README = PurePosixPath("README.md")
GUIDE = PurePosixPath("docs/adr/index.md")


@pytest.mark.parametrize("page", [str(path) for path in files() if path.suffix == ".md"])
def test_links_lead_to_files_and_headings_that_exist(page: str) -> None:
    broken = []
    for target in link_targets(text(Path(page))):
        found = resolved(PurePosixPath(page), target)
        if found is None:
            continue
        wanted, anchor = found
        if not (ROOT / wanted).exists():
            broken.append(f"{target}: no such file")
        elif anchor and anchor not in anchors(text(Path(wanted))):
            broken.append(f"{target}: no such heading")
    assert broken == []


def test_every_page_is_in_the_navigation_once() -> None:
    listed = [
        place for section in navigation() for entries in section.values() for each in entries for place in each.values()
    ]
    assert sorted(listed) == sorted(str(place) for place in pages().values())
    assert next(iter(navigation()[0]["Start"][0].values())) == "index.md"
    assert list(navigation()[-1]["Decisions"][0].values()) == ["adr/index.md"]


def test_the_reference_lists_every_generated_page_and_document(tmp_path: Path) -> None:
    index = text(Path("docs/generated/index.md"))
    assert index == reference_page(), "run make docs"
    generated = {path.name for path in files() if path.parent == Path("docs/generated")}
    assert generated - {"index.md"} <= set(link_targets(index))
    (reference,) = [section["Reference"] for section in navigation() if "Reference" in section]
    assert list(reference[0].items()) == [("Reference", "generated/index.md")]
    (tmp_path / "one.md").write_text("<!-- x -->\n# One\n\nWhat a | b is. `More` of\nit.\n")
    (tmp_path / "two.json").write_text('{"openapi": "3.1.0", "info": {"title": "Two"}}')
    page = reference_page(tmp_path)
    assert "| [One](one.md) | What a \\| b is. |\n" in page
    assert "| [two.json](two.json) | OpenAPI 3.1.0 | Two |\n" in page


def test_a_page_without_a_section_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "SECTIONS", sections.SECTIONS[:-1])
    with pytest.raises(ValueError, match="docs/adr/0001"):
        navigation()


def test_places_and_titles() -> None:
    assert pages()[README] == PurePosixPath("index.md")
    assert place_of(PurePosixPath("docs/runbooks/index.md")) == PurePosixPath("runbooks/index.md")
    assert place_of(PurePosixPath("examples/policy.toml")) == PurePosixPath("files/examples/policy.toml")
    assert title_of(PurePosixPath("docs/generated/own-csv.md")) == "Own list (own-csv)"


def staged(source: PurePosixPath, content: str) -> tuple[str, list[str]]:
    linked: list[PurePosixPath] = []
    return site_markdown(source, content, linked.append), [str(path) for path in linked]


def test_links_are_those_of_the_site_and_files_that_are_no_pages_come_along() -> None:
    content = (
        "[a](docs/topics.md) [b](examples/policy.toml) [c](#try-it) [d](https://example.org) `[e](docs/keys.md)`\n"
        "[![f](docs/pictures/demo.svg)](docs/runbooks/index.md#runbooks)\n```sh\n[g](docs/keys.md)\n```\n"
    )
    expected = (
        "[a](topics.md) [b](files/examples/policy.toml) [c](#try-it) [d](https://example.org) `[e](docs/keys.md)`\n"
        "[![f](pictures/demo.svg)](runbooks/index.md#runbooks)\n```sh\n[g](docs/keys.md)\n```\n"
    )
    assert staged(README, content) == (expected, ["examples/policy.toml", "docs/pictures/demo.svg"])
    assert staged(GUIDE, "[up](../../README.md#try-it)\n")[0] == "[up](../index.md#try-it)\n"


def test_lists_tables_and_fences_are_written_as_the_reader_of_the_site_needs_them() -> None:
    content = "Text:\n- one\n  - two\n  ```sh\n  x\n  ```\n- three\n\nText:\n| a |\n|---|\n| b |\n1. one\n   2. two\n"
    assert staged(README, content)[0] == (
        "Text:\n\n- one\n    - two\n    ```sh\n    x\n    ```\n- three\n\n"
        "Text:\n\n| a |\n|---|\n| b |\n\n1. one\n    2. two\n"
    )


def test_anchors_are_those_of_github() -> None:
    content = '# A `b.c`: d, E\n## Same\n## Same\n<a id="own"></a>\n```\n# no\n```\n### [Linked](x.md) to\n'
    assert anchors(content) == {"a-bc-d-e", "same", "same-1", "own", "linked-to"}


def test_a_link_to_what_is_no_file_ends_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "scripts.site.build.site_markdown", lambda _, __, linked: linked(PurePosixPath("docs/none.txt")) or ""
    )
    with pytest.raises(SiteError, match=r"docs/none\.txt"):
        write_source(tmp_path)


def test_every_page_is_written_with_what_it_links_to(tmp_path: Path) -> None:
    write_source(tmp_path)
    assert {str(place) for place in pages().values()} <= {
        str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.md")
    }
    assert (tmp_path / "files/examples/policy.toml").is_file()


def test_a_folder_is_a_page_that_lists_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = PurePosixPath("tests/data/asyncapi")
    monkeypatch.setattr("scripts.site.build.site_markdown", lambda _, __, linked: linked(folder) or "")
    write_source(tmp_path)
    listed = (tmp_path / "files/tests/data/asyncapi/index.md").read_text()
    assert listed.startswith("# tests/data/asyncapi\n")
    assert "- [LICENSE](LICENSE)\n" in listed
    assert (tmp_path / "files/tests/data/asyncapi/LICENSE").is_file()


def test_faults_of_built_pages_are_found(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text('<h2 id="here">x</h2><a href="../#no">x</a><a href="../none/">x</a>')
    (tmp_path / "index.html").write_text(
        '<a href="sub/#here">x</a><a href="sub/#gone">x</a><a href="https://example.org/">x</a>'
        '<script src="https://cdn.example.org/x.js"></script><link rel="canonical" href="https://example.org/">'
        '<img src="sub/picture.png">'
    )
    assert faults(tmp_path) == [
        "index.html: loads https://cdn.example.org/x.js",
        "index.html: sub/#gone names a heading that is not there",
        "index.html: sub/picture.png leads nowhere",
        "sub/index.html: ../#no names a heading that is not there",
        "sub/index.html: ../none/ leads nowhere",
    ]
