"""What strangers wrote is shown on an operator's terminal, and must not command it."""

from __future__ import annotations

import re

import pytest

from tests.support.command_line import Cli, dead_letter
from travelrule.bootstrap.installation import Installation
from travelrule.commands.terminal_text import one_line, printable
from travelrule.machine.input import RawMessage, Rejected

COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Everything a terminal obeys, or that turns the direction of text, but tabs and line breaks."""
VALUE = b'{"a":"\x1b]0;owned\x07\xc2\x9b31m\xe2\x80\xae"}\r\n\x1b[8mhidden'


def planted(cli: Cli, key: bytes = b"w-9\x1b[2J\ncode        NONE") -> str:
    async def make(opened: Installation) -> None:
        raw = RawMessage("withdrawals", 3, 41, key, VALUE)
        await opened.engine.apply([Rejected(raw, "MISSING_FIELD", "data.amount", "add the field")])

    cli.within(make)
    letter: str = cli.ask("dead-letters", "list").lines[0]["id"]
    return letter


def test_a_dead_letter_does_not_command_the_terminal_of_who_reads_it(installed: Cli) -> None:
    answer = installed.run("dead-letters", "show", planted(installed))
    assert answer.code == 0
    assert not COMMANDS.search(answer.out)
    assert "\\u001b]0;owned\\u0007" in answer.out, "it is shown that something is there"
    assert "hidden" in answer.out
    keys = [line for line in answer.out.splitlines() if line.startswith("key ")]
    assert keys == ["key         w-9\\u001b[2J\\u000acode        NONE"], "a key does not make lines of its own"


def test_a_program_gets_the_content_as_it_is(installed: Cli) -> None:
    assert installed.ask("dead-letters", "show", planted(installed)).json["value"] == VALUE.decode()


@pytest.mark.parametrize("actor", ["\x1b[2Jme", "two\nlines", "\udce4", "x" * 201, "\u202eem"])
def test_who_reads_a_dead_letter_has_a_name_like_who_decides(installed: Cli, actor: str) -> None:
    installed.within(dead_letter)
    letter = installed.ask("dead-letters", "list").lines[0]["id"]
    answer = installed.run("dead-letters", "show", letter, "--actor", actor)
    if actor.startswith("\u202e"):  # a name that the decisions take as well: recorded, and shown without its effect
        assert answer.code == 0
        assert not COMMANDS.search(installed.run("dead-letters", "show", letter).out)
        assert not COMMANDS.search(installed.run("explain", f"disclosure:{letter}").out)
        return
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("travelrule: --actor must be 1 to 200 characters on one line")
    assert installed.run("explain", f"disclosure:{letter}").code == 2, "nothing was shown, nothing is recorded"


def test_text_that_a_terminal_obeys_is_written_out() -> None:
    assert printable("a\x1b[2J\tb\nc\x9b1m\r\u202ed\udce4") == "a\\u001b[2J\tb\nc\\u009b1m\\u000d\\u202ed\\udce4"
    assert one_line("a\tb\nc\u2028d") == "a\\u0009b\\u000ac\\u2028d"
    assert printable("Müller, 李 → ok ├──") == "Müller, 李 → ok ├──"
