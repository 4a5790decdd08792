"""Documents that must keep up with the code: generated tables, runbooks, decisions, the lock."""

import ast
import os
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from textwrap import dedent

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from scripts import generate_docs, lock
from scripts.alert_rules import rule_files
from tests.house.source import ROOT, WHEEL_ROOTS, dotted, files, keyword, python, text, tree
from travelrule.cli import app
from travelrule.environment import FILE_SUFFIX, PREFIX
from travelrule.identity.profile import VaspProfile
from travelrule.metrics import METRICS
from travelrule.settings import Settings

RUNBOOKS = Path("docs/runbooks")
ADRS = Path("docs/adr")
SECTIONS = ("## What it means", "## What the program already did", "## What to check", "## What to do")


def test_generated_tables_are_what_the_code_says() -> None:
    assert generate_docs.drift() == []


def test_drift_is_noticed(tmp_path: Path) -> None:
    assert len(generate_docs.PAGES) > 8
    (tmp_path / "metrics.md").write_text("old", encoding="utf-8")
    (tmp_path / "world.md").write_text(generate_docs.PAGES["world.md"](), encoding="utf-8")
    assert generate_docs.drift(tmp_path) == [name for name in generate_docs.PAGES if name != "world.md"]


def alert_codes() -> Iterator[tuple[str, str]]:
    """Every code that an ``Alert`` is made with, and the members of ``AlertCode``, each with its place."""
    for path in python(*WHEEL_ROOTS):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] == "Alert":
                code = keyword(node, "code") or (node.args[0] if node.args else None)
                yield from ((name, f"{path}:{node.lineno}") for name in _constants(code))
            elif isinstance(node, ast.ClassDef) and node.name == "AlertCode":
                values = [each.value for each in node.body if isinstance(each, ast.Assign)]
                yield from ((name, str(path)) for value in values for name in _constants(value))


def _constants(code: ast.expr | None) -> Iterator[str]:
    for node in ast.walk(code) if code is not None else ():
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and re.fullmatch("[A-Z][A-Z0-9_]+", text):
            yield text


def runbooks() -> set[str]:
    """The pages of codes of ``operator.alert.v1``."""
    return {path.stem for path in files() if path.parent == RUNBOOKS and path.stem.isupper()}


def pages_of_rules() -> set[str]:
    """The pages of the alerts of Prometheus."""
    return {path.stem for path in files() if path.parent == RUNBOOKS} - runbooks() - {"index"}


def test_every_alert_has_a_runbook() -> None:
    missing = {code: place for code, place in alert_codes() if code not in runbooks()}
    assert missing == {}


def test_every_runbook_has_an_alert() -> None:
    assert runbooks() <= {code for code, _ in alert_codes()}


def test_each_alert_of_prometheus_has_a_runbook_and_a_row_of_the_index() -> None:
    alerts = {alert.name: alert.summary for alert in reversed(rule_files.alerts())}
    assert pages_of_rules() == set(alerts)
    _, _, rows = text(RUNBOOKS / "index.md").partition("| Alert | Severity | Says |\n|---|---|---|\n")
    severities = {name: [one.severity for one in rule_files.alerts() if one.name == name] for name in alerts}
    assert rows.splitlines() == [
        f"| [{name}]({name}.md) | {', '.join(severities[name])} | {summary} |"
        for name, summary in sorted(alerts.items())
    ]


@pytest.mark.parametrize("code", sorted(runbooks() | pages_of_rules()))
def test_a_runbook_says_what_to_do(code: str) -> None:
    page = text(RUNBOOKS / f"{code}.md")
    assert page.startswith(f"# {code}\n")
    assert [page.count(section) for section in SECTIONS] == [1] * len(SECTIONS)
    assert f"({code}.md)" in text(RUNBOOKS / "index.md")


def test_the_index_of_runbooks_lists_each_page_once_and_its_text_names_each_subject_once() -> None:
    codes, _, _ = text(RUNBOOKS / "index.md").partition("\n\n## ")
    before, _, rows = codes.partition("| Code | Says |\n|---|---|\n")
    listed = re.findall(r"^\| \[([A-Z_]+)\]\((\1)\.md\) \| [^|]+ \|$", rows, re.MULTILINE)
    assert [code for code, _ in listed] == [line.split("](")[0].lstrip("| [") for line in rows.splitlines()]
    assert sorted(code for code, _ in listed) == sorted(runbooks())
    title, paragraph = before.strip().split("\n\n")
    assert title == "# Runbooks"
    named = re.findall(r"`([a-z]+:[A-Z/]+)`", paragraph)
    assert sorted(named) == sorted(set(named))
    assert all(sentence[0] in "ABCDEFGHIJKLMNOPQRSTUVWXYZ`" for sentence in paragraph.replace("\n", " ").split(". "))


def adrs() -> list[Path]:
    return [path for path in files() if path.parent == ADRS and path.name != "index.md"]


def test_decisions_are_numbered_without_gaps_and_listed() -> None:
    index = text(ADRS / "index.md")
    assert [int(path.name[:4]) for path in adrs()] == list(range(1, len(adrs()) + 1))
    for path in adrs():
        title = text(path).splitlines()[0].removeprefix("# ")
        assert f"[{title}]({path.name})" in index
        for part in ("Status: ", "## Context", "## Decision", "## Consequences"):
            assert part in text(path), f"{path} lacks {part}"


def test_the_readme_gives_the_two_commands_and_the_changelog_this_version() -> None:
    readme = text(Path("README.md"))
    assert "make demo" in readme
    assert "make test" in readme
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"## [{version}]" in text(Path("CHANGELOG.md"))


def test_the_profile_of_the_first_hour_is_a_profile() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", text(Path("docs/guides/first-hour.md")), re.DOTALL)
    assert VaspProfile.from_toml(dedent(example)).legal_name == "North Exchange Ltd."


def test_the_readme_is_right_about_what_is_not_built() -> None:
    said = text(Path("README.md")).partition("**Not there yet**")[2].partition("\n\n")[0]
    named = set(re.findall(r"`travelrule ([a-z -]+)`", said))
    assert {one.name for one in app.registered_commands if str(one.help).startswith("Not built")} <= named
    for name in named:
        outcome = CliRunner().invoke(app, [*name.split(), "x"])
        assert (outcome.exit_code, "is not built yet" in outcome.stderr) == (2, True), name


@pytest.mark.parametrize("page", [str(path) for path in files() if path.suffix == ".md"])
def test_pages_name_settings_that_exist(page: str) -> None:
    named = set(re.findall(r"TRAVELRULE_[A-Z_]*[A-Z]\b(?!_?\*)", text(Path(page))))
    settings = {PREFIX + name.upper() for name in Settings.model_fields}
    settings |= {f"{PREFIX}{name}{FILE_SUFFIX}" for name in Settings.secret_names()}
    assert named - settings == set()


LATER_METRICS: set[str] = set()
LATER_SETTINGS = {"builder_url", "console_listen"}
"""Declared by the contract, used by parts that are not built yet; remove the name when its part is built."""


def attributes() -> set[str]:
    """Names that product code reads as ``something.name``, or imports."""
    nodes = [node for path in python(*WHEEL_ROOTS) for node in ast.walk(tree(path))]
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return read | {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_every_metric_is_counted_and_every_setting_is_read() -> None:
    used = attributes()
    metrics = {spec.name.removeprefix("travelrule_").upper() for spec in METRICS}
    settings = set(Settings.model_fields)
    assert metrics - used == LATER_METRICS
    assert settings - used == LATER_SETTINGS


LOCKS = (lock.RUNTIME.name, lock.DEVELOPMENT.name)
HASHED = re.compile(r"([a-z0-9-]+==[0-9][0-9a-z.!]*( ; [^\\/]+)? \\\n(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+)+")


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_holds_versions_and_hashes_only(name: str) -> None:
    content = text(Path(name))
    assert content.startswith("# Generated")
    assert [entry for entry in lock.entries(content).values() if not HASHED.fullmatch(entry)] == []


def test_the_lock_is_what_the_tests_run_with() -> None:
    pins = [pin for name in LOCKS for entry in lock.entries(text(Path(name))).values() for pin in lock.pins(entry)]
    here = [one for one in pins if one.marker is None or one.marker.evaluate()]
    assert [str(one) for one in here if not one.specifier.contains(version(one.name))] == []


def test_the_lock_has_all_that_is_asked_for() -> None:
    for wanted, name in zip(lock.roots(ROOT / "pyproject.toml"), LOCKS, strict=True):
        pins = lock.entries(text(Path(LOCKS[0])) + (text(Path(name)) if name != LOCKS[0] else ""))
        for one in map(Requirement, wanted):
            for pin in lock.pins(pins[canonicalize_name(one.name)]):
                (exact,) = pin.specifier
                assert one.specifier.contains(exact.version, prereleases=True), one


def test_make_targets_are_short_and_ci_stops_at_the_first_failure() -> None:
    recipes: list[int] = []
    for line in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines():
        if line.startswith("\t"):
            recipes[-1] += 1
        else:
            recipes.append(0)
    assert max(recipes) <= 10
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "set -euo pipefail" in ci
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
