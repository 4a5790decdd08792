"""Runs one service process and ends it when its owner dies.

The warden starts the command, writes its process id to a file and waits for two things at once: the end
of the command and the end of the owner (the pytest controller). The command itself dies with the warden
(``PR_SET_PDEATHSIG``), so no service outlives a test run, whichever process is killed first.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_TERM_SECONDS = 5


def _die_with_parent() -> None:
    """In the child, after the change of user (which would clear the setting) and before exec."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.services.warden")
    parser.add_argument("--owner", type=int, default=0, help="process to follow into death; 0: nobody")
    parser.add_argument("--pid-file", type=Path, required=True)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--user", default=None, help="run the command as this user")
    parser.add_argument("command", nargs="+")
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    """Run the command; the exit status is the command's."""
    given = _arguments(argv)
    with given.log.open("ab") as log:
        child = subprocess.Popen(
            given.command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=given.pid_file.parent,
            user=given.user,
            group=given.user,
            extra_groups=[] if given.user else None,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - one thread here, so it is safe
        )
    temporary = given.pid_file.with_suffix(".new")
    temporary.write_text(str(child.pid))
    temporary.replace(given.pid_file)
    watched = select.poll()
    watched.register(os.pidfd_open(child.pid), select.POLLIN)
    if given.owner:
        try:
            watched.register(os.pidfd_open(given.owner), select.POLLIN)
        except ProcessLookupError:  # the owner died while we were starting
            child.kill()
    watched.poll()
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(_TERM_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
    return child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
