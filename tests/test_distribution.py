"""What an operator installs: sdist, wheel from it, a fresh environment, a folder that is not the checkout.

An editable install puts the checkout on the import path, so only this notices a root, a data file or a
dependency that the wheel lacks.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from nacl.signing import SigningKey

ROOT = Path(__file__).parents[1]
ROOTS = {"streams", "agents", "schemas", "travelrule"}

IMPORT_ALL = """
import importlib, pkgutil, sys
roots = sys.argv[1:]
for root in roots:
    package = importlib.import_module(root)
    for module in pkgutil.walk_packages(package.__path__, f"{root}."):
        # Alembic runs env.py and the versions itself; a __main__ would start something.
        if ".migrations." not in module.name and not module.name.endswith(".__main__"):
            importlib.import_module(module.name)
    print(package.__file__)
"""


@dataclass(frozen=True)
class Installed:
    wheel: Path
    folder: Path
    elsewhere: Path

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        program = self.folder / "bin" / command[0]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TRAVELRULE_"))}
        return subprocess.run(
            [str(program), *command[1:]], cwd=self.elsewhere, env=clean, capture_output=True, text=True, check=False
        )


def must(*command: str | Path, cwd: Path = ROOT) -> None:
    words = [str(part) for part in command]
    ran = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build the sdist, the wheel from the sdist, and install it with the files of the lock and nothing of its tools."""
    made = tmp_path_factory.mktemp("distribution")
    must(sys.executable, "-m", "build", "--no-isolation", "--outdir", made / "dist")
    (wheel,) = (made / "dist").glob("*.whl")
    folder, elsewhere = made / "venv", made / "elsewhere"
    elsewhere.mkdir()
    must(sys.executable, "-m", "venv", folder)
    pip = (folder / "bin" / "python", "-m", "pip", "install", "--quiet")
    must(*pip, "--require-hashes", "--no-deps", "-r", ROOT / "constraints.txt", cwd=elsewhere)
    must(*pip, "--no-deps", wheel, cwd=elsewhere)
    must(folder / "bin" / "python", "-m", "pip", "check", cwd=elsewhere)
    return Installed(wheel, folder, elsewhere)


@pytest.fixture(scope="module")
def names(installed: Installed) -> set[str]:
    return set(zipfile.ZipFile(installed.wheel).namelist())


def test_the_wheel_owns_four_names_and_no_fifth(names: set[str]) -> None:
    top = {name.partition("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == ROOTS


def test_tests_chart_and_scripts_stay_out(names: set[str]) -> None:
    assert [name for name in names if re.match(r"(tests|helm|scripts|docs|\.)", name)] == []
    assert [name for name in names if "__pycache__" in name] == []


def test_every_file_of_the_roots_is_in_the_wheel(names: set[str]) -> None:
    wanted = {
        path.relative_to(ROOT).as_posix()
        for root in ROOTS
        for path in (ROOT / root).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted - names == set()


@pytest.mark.parametrize(
    "pattern",
    [
        r"streams/py\.typed",
        r"agents/py\.typed",
        r"schemas/py\.typed",
        r"travelrule/py\.typed",
        r"schemas/jsonschema/withdrawal\.requested\.v1\.json",
        r"schemas/examples/withdrawal\.requested\.v1/valid-.*\.json",
        r"schemas/examples/withdrawal\.requested\.v1/rejected-.*\.json",
        r"travelrule/store/migrations/versions/0001_.*\.py",
    ],
)
def test_what_is_not_code_is_there_too(names: set[str], pattern: str) -> None:
    assert [name for name in names if re.fullmatch(pattern, name)]


def test_every_module_imports_elsewhere_with_its_own_dependencies(installed: Installed) -> None:
    ran = installed.run("python", "-I", "-c", IMPORT_ALL, *sorted(ROOTS))
    assert ran.returncode == 0, ran.stderr
    places = ran.stdout.split()
    assert len(places) == len(ROOTS)
    assert all(Path(place).is_relative_to(installed.folder) for place in places)


def test_the_command_is_installed(installed: Installed) -> None:
    ran = installed.run("travelrule", "--help")
    assert ran.returncode == 0, ran.stderr
    for command in ("serve", "hub", "sandbox", "demo", "migrate", "topics", "keys", "doctor", "explain"):
        assert command in ran.stdout


def test_it_makes_keys_that_belong_together(installed: Installed) -> None:
    ran = installed.run("travelrule", "keys", "generate")
    assert ran.returncode == 0, ran.stderr
    seed, public = re.findall(r"[A-Za-z0-9+/]{43}=", ran.stdout)
    assert base64.b64encode(bytes(SigningKey(base64.b64decode(seed)).verify_key)).decode() == public


def test_nothing_is_left_in_the_folder_it_ran_in(installed: Installed) -> None:
    installed.run("travelrule", "--help")
    assert list(installed.elsewhere.iterdir()) == []


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("iniconfig==2.3.1 --hash=sha256:" + 64 * "0", "DO NOT MATCH THE HASHES"),
        ("iniconfig==2.3.1", "Hashes are required"),
    ],
)
def test_a_package_that_is_not_the_locked_file_is_not_installed(entry: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "constraints.txt").write_text(entry + "\n", encoding="utf-8")
    (tmp_path / "constraints-dev.txt").write_text("", encoding="utf-8")
    ran = subprocess.run(
        [str(ROOT / "scripts" / "install"), "venv", sys.executable],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    assert said in ran.stderr
    assert not (tmp_path / "venv" / "installed").exists()
    assert not list((tmp_path / "venv").rglob("iniconfig*"))
