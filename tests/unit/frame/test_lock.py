"""The lock: its entries are read whole, and it is resolved for every Python, not for the one at hand."""

from pathlib import Path

from scripts import lock

TWO = """Some_Name==1.0 ; sys_platform == 'win32' \\
    --hash=sha256:aa \\
    --hash=sha256:bb
other==2 \\
    --hash=sha256:cc
"""


def test_an_entry_has_its_hashes() -> None:
    found = lock.entries("# Generated\n" + TWO)
    assert list(found) == ["some-name", "other"]
    assert "".join(found.values()) == TWO
    assert [str(pin) for pin in lock.pins(found["some-name"])] == ['Some_Name==1.0; sys_platform == "win32"']


def test_a_package_keeps_its_versions_for_several_pythons() -> None:
    both = TWO + "other==3 ; python_full_version >= '3.12' \\\n    --hash=sha256:dd\n"
    found = lock.entries(both)
    assert "".join(found.values()) == both
    assert [str(pin.specifier) for pin in lock.pins(found["other"])] == ["==2", "==3"]


def test_the_text_is_sorted_and_read_back() -> None:
    found = lock.entries(TWO)
    text = lock.text_of(found)
    assert text.startswith(lock.HEADER + "other==2")
    assert lock.entries(text) == found


def test_what_builds_belongs_to_what_runs(tmp_path: Path) -> None:
    pyproject = tmp_path / "pyproject.toml"
    pyproject.write_text(
        '[build-system]\nrequires = ["builder"]\n[project]\ndependencies = ["needed"]\n'
        '[dependency-groups]\ndev = ["tester"]\n',
        encoding="utf-8",
    )
    assert lock.roots(pyproject) == (["needed", "builder"], ["tester"])
