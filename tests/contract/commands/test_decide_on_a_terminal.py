"""``travelrule decide`` on a terminal: it waits and prints the outcome of the decision."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

from tests.support.command_line import Cli, environment, withdraw


def test_on_a_terminal_it_waits_unless_told_otherwise(installed: Cli, broker: tuple[str, ...]) -> None:
    """No worker runs: with waiting the output states this, without waiting that the decision was sent."""
    assert broker
    installed.within(withdraw)
    words = ("decide", "w-1", "deny", "--actor", "a", "--reason", "r", "--timeout", "0")
    code, shown = on_a_terminal(installed, *words)
    assert (code, "no worker took it in time" in shown) == (3, True), shown
    code, shown = on_a_terminal(installed, *words, "--no-wait")
    assert (code, "was sent as event" in shown) == (0, True), shown
    assert installed.run(*words).code == 0, "in a pipe it does not wait"


def on_a_terminal(installed: Cli, *words: str) -> tuple[int, str]:
    """Run a command whose output is a terminal; return its exit code and what it wrote."""
    ours, theirs = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TRAVELRULE_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "travelrule", *words],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**clean, **environment(installed.folder)},
        cwd=installed.folder,
    )
    os.close(theirs)
    written = []
    while part := _read(ours):
        written.append(part)
    os.close(ours)
    return process.wait(timeout=60), b"".join(written).decode()


def _read(terminal: int) -> bytes:
    """The next bytes; none at its end, which Linux reports as an error."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""
