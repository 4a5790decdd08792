from __future__ import annotations

from travelrule.exchange import diagram
from travelrule.exchange.table import SIDES
from travelrule.machine.retry_table import BY_CODE
from travelrule.machine.transition_table import NEW


def test_the_committed_page_is_what_the_tables_say():
    assert diagram.main(["--check"]) == 0


def test_a_page_that_differs_is_found_and_written_anew(tmp_path, capsys):
    path = tmp_path / "docs" / "page.md"
    assert diagram.main(["--check"], path) == 1
    assert "differs" in capsys.readouterr().err
    assert diagram.main([], path) == 0
    assert diagram.main(["--check"], path) == 0


def test_the_page_names_every_change_and_every_code():
    page = diagram.page()
    for side in SIDES.values():
        for status, row in side.transitions.items():
            for trigger, after in row.items():
                start = "[*]" if status == NEW else status.replace("-", "_")
                assert f"{start} --> {after.replace('-', '_')}: {trigger}" in page
    assert all(f"| `{code}` |" in page for code in BY_CODE)
