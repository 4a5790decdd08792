"""One service process that belongs to a directory: any test process can stop, kill or start it."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
_WARDEN = Path(__file__).with_name("warden.py")


class ServiceError(RuntimeError):
    """A service did not start or did not stop; the text ends with the tail of its log."""


class ServiceProcess:
    """The process of a service: its id is in ``<directory>/pid``, its output in ``<directory>/log``."""

    def __init__(self, directory: Path, name: str, owner: int, user: str | None = None) -> None:
        self.directory = directory
        self._name = name
        self._owner = owner
        self._user = user
        self._pid_file = directory / "pid"
        self._log = directory / "log"

    def running(self) -> psutil.Process | None:
        """The live process, or None."""
        try:
            process = psutil.Process(int(self._pid_file.read_text()))
            return process if process.status() != psutil.STATUS_ZOMBIE else None
        except (FileNotFoundError, psutil.NoSuchProcess):
            return None

    def start(self, command: list[str], ready: Callable[[], bool], timeout_s: float = 60) -> None:
        """Start the command and return when ``ready`` is true; it may raise ServiceError."""
        if self.running():
            return
        self._pid_file.unlink(missing_ok=True)
        warden = [sys.executable, "-P", str(_WARDEN), "--owner", str(self._owner)]
        warden += ["--pid-file", str(self._pid_file), "--log", str(self._log)]
        warden += ["--user", self._user] if self._user else []
        started = subprocess.Popen(
            [*warden, "--", *command], cwd=ROOT, start_new_session=True, stdin=subprocess.DEVNULL
        )
        deadline = time.monotonic() + timeout_s
        while not ready():
            if started.poll() is not None:
                raise ServiceError(f"{self._name} ended with status {started.returncode}\n{self.log_tail()}")
            if time.monotonic() > deadline:
                self.kill()
                raise ServiceError(f"{self._name} was not ready after {timeout_s} s\n{self.log_tail()}")
            time.sleep(0.05)  # between two real questions to the service
        started.returncode = 0  # not ours to wait for: it lives on, and Popen must not warn about that

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the service itself, if it runs."""
        with contextlib.suppress(psutil.NoSuchProcess):
            if process := self.running():
                process.send_signal(number)

    def stop(self, number: signal.Signals = signal.SIGTERM, timeout_s: float = 30) -> None:
        """Ask it to end in an orderly way and wait for that."""
        if process := self.running():
            self.send(number)
            try:
                process.wait(timeout_s)
            except psutil.TimeoutExpired:
                self.kill()
                raise ServiceError(f"{self._name} did not stop in {timeout_s} s\n{self.log_tail()}") from None

    def kill(self) -> None:
        """SIGKILL to it and all its children, as a lost machine would."""
        if process := self.running():
            victims = [process, *process.children(recursive=True)]
            for victim in victims:
                with contextlib.suppress(psutil.NoSuchProcess):
                    victim.kill()
            psutil.wait_procs(victims, timeout=10)

    def log_tail(self, lines: int = 30) -> str:
        """The last lines that it wrote."""
        if not self._log.exists():
            return "(no log)"
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-lines:])
