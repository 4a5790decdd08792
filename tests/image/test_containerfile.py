"""The Containerfile as it is written: linted, and held to what the chart and the guides rely on."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FILE = ROOT / "Containerfile"
CHART = ROOT / "helm" / "travelrule"
HADOLINT = Path(sys.executable).with_name("hadolint")
# What the wheel is built from; anything else of a checkout may hold data or keys.
SENT_TO_THE_BUILD = {
    "pyproject.toml",
    "README.md",
    "constraints.txt",
    "agents",
    "schemas",
    "streams",
    "travelrule",
}


def instructions() -> list[tuple[str, str]]:
    """Each instruction of the file with its words; continued lines are joined, comments left out."""
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in joined.splitlines() if line]


def final_stage() -> list[tuple[str, str]]:
    found = instructions()
    last = max(index for index, (name, _) in enumerate(found) if name == "FROM")
    return found[last:]


def linted(file: Path) -> subprocess.CompletedProcess[str]:
    command = [str(HADOLINT), "--failure-threshold=style", "--format=gnu", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_linter_has_no_remark() -> None:
    ran = linted(FILE)
    assert (ran.returncode, ran.stdout) == (0, "")


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("FROM ${BASE}\n", "FROM debian:latest\n", "DL3007"),
        ("USER 10001:10001", "USER root", "DL3002"),
        ('ENTRYPOINT ["travelrule"]', "ENTRYPOINT travelrule", "DL3025"),
        ("--no-install-recommends ca-certificates python3 \\\n", "ca-certificates python3 \\\n", "DL3015"),
    ],
)
def test_the_linter_finds_a_planted_fault(before: str, after: str, rule: str, tmp_path: Path) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert before in text
    (tmp_path / "Containerfile").write_text(text.replace(before, after), encoding="utf-8")
    assert rule in linted(tmp_path / "Containerfile").stdout


def test_packages_are_installed_from_the_locked_files_only() -> None:
    (build,) = [words for name, words in instructions() if name == "RUN" and "--requirement constraints.txt" in words]
    assert "--require-hashes" in build
    assert "--only-binary :all:" in build
    installs = [words for name, words in instructions() if name == "RUN" and " install --quiet" in words]
    assert installs
    for words in installs:
        assert words.count(" install --quiet") == words.count(" install --quiet --no-index ")


def test_the_image_is_what_the_chart_assumes() -> None:
    stage = final_stage()
    context = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))["podSecurityContext"]
    assert ("USER", f"{context['runAsUser']}:{context['runAsGroup']}") in stage
    pod = (CHART / "templates" / "_pod.tpl").read_text(encoding="utf-8")
    assert "workingDir: /var/lib/travelrule" in pod
    assert "command: [travelrule]" in pod
    assert ("WORKDIR", "/var/lib/travelrule") in stage
    assert ("ENTRYPOINT", '["travelrule"]') in stage
    assert ("COPY", "--from=build /opt/travelrule /opt/travelrule") in stage
    (environment,) = [words for name, words in stage if name == "ENV"]
    assert "PATH=/opt/travelrule/bin:" in environment
    assert "HOME=/var/lib/travelrule" in environment


def test_nothing_but_the_program_is_sent_to_the_build() -> None:
    rows = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [row for row in rows if row and not row.startswith("#")]
    assert rules[0] == "*"
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == SENT_TO_THE_BUILD
    copies = [words.split()[:-1] for name, words in instructions() if name == "COPY" and "--from" not in words]
    assert {source for sources in copies for source in sources} == SENT_TO_THE_BUILD
