"""The image of this checkout, built step by step as the Containerfile says, and its program run as a runtime would."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.image.base_image import NAME
from tests.image.buildah import Buildah
from tests.image.conftest import ROOT, TAG
from tests.image.running_image import TEMPORARY, RunningImage

pytestmark = [pytest.mark.operations, pytest.mark.services, pytest.mark.timeout(1200)]

MEGABYTE = 1024 * 1024
# 260 MB are the program with its packages and their bytecode, 40 MB Debian's Python.
ADDED_MEGABYTES_MAX = 330
BUILD_TOOLS = ("pip", "setuptools", "wheel", "hatchling", "ensurepip", "gcc", "cc", "make", "ld")


def size(root: Path) -> int:
    return sum(path.lstat().st_size for path in root.rglob("*") if path.is_file() and not path.is_symlink())


def digests(root: Path) -> dict[str, str]:
    """What each file of the program is: content, mode, or where a link leads."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            found[name] = f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return found


def test_its_configuration_is_what_the_chart_assumes(buildah: Buildah) -> None:
    configuration = buildah.configuration(TAG)
    assert configuration["User"] == "10001:10001"
    assert configuration["Entrypoint"] == ["travelrule"]
    assert configuration["WorkingDir"] == "/var/lib/travelrule"
    assert set(configuration["ExposedPorts"]) == {"8080/tcp", "8090/tcp", "9100/tcp"}
    labels = configuration["Labels"]
    assert labels["org.opencontainers.image.title"] == "travelrule"
    assert labels["org.opencontainers.image.version"] == "0.0.0"
    assert labels["org.opencontainers.image.revision"] == "abc"


def test_it_has_the_program_and_nothing_that_builds(buildah: Buildah, image: RunningImage) -> None:
    assert (image.root / "opt/travelrule/bin/travelrule").is_file()
    names = {path.name for path in image.root.rglob("*") if "share" not in path.parts and path.suffix != ".list"}
    assert names & set(BUILD_TOOLS) == set()
    assert not (image.root / "build").exists()
    with buildah.files(NAME) as base:
        assert (size(image.root) - size(base)) / MEGABYTE < ADDED_MEGABYTES_MAX


def test_its_user_can_write_nowhere_but_where_it_should(image: RunningImage) -> None:
    places = f"/ /opt/travelrule /etc /usr /run {TEMPORARY} /var/lib/travelrule"
    attempts = f"for place in {places}; do touch $place/x 2>/dev/null && echo $place; done; id"
    ran = image.run(["-c", attempts], {}, ["sh"])
    *written, identity = ran.stdout.splitlines()
    assert written == [TEMPORARY, "/var/lib/travelrule"]
    assert identity == "uid=10001 gid=10001 groups=10001"


def test_every_module_is_compiled(image: RunningImage) -> None:
    packages = next((image.root / "opt/travelrule/lib").glob("python3.*")) / "site-packages"
    modules = list((packages / "travelrule").rglob("*.py"))
    assert modules
    compiled = {path.name.partition(".cpython-")[0] for path in (packages / "travelrule").rglob("*.pyc")}
    assert {path.stem for path in modules} - compiled == set()


def test_a_file_that_is_not_the_locked_one_ends_the_build(buildah: Buildah, tmp_path: Path) -> None:
    for name in ("Containerfile", ".dockerignore", "pyproject.toml", "README.md"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "constraints.txt").write_text(f"iniconfig==2.3.1 --hash=sha256:{64 * '0'}\n", encoding="utf-8")
    with pytest.raises(Exception, match="DO NOT MATCH THE HASHES"):
        buildah.build(tmp_path, "localhost/other:test")


def test_built_again_it_has_the_same_program(buildah: Buildah, image: RunningImage) -> None:
    buildah.build(ROOT, "localhost/again:test", "--target=build")  # what comes after copies the program
    with buildah.files("localhost/again:test") as again:
        first, second = digests(image.root / "opt/travelrule"), digests(again / "opt/travelrule")
    assert len(first) > 1000
    assert [name for name in sorted(first | second) if first.get(name) != second.get(name)] == []


def test_an_argument_of_a_command_is_the_programs(image: RunningImage) -> None:
    ran = image.run(["--version"], {})
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Usage: travelrule" in image.run(image.configuration["Cmd"], {}).stdout
