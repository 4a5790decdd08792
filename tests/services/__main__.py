"""Standing services for a person at a terminal: ``python -m tests.services up|down|status``."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.services.kafka import KafkaNode
from tests.services.postgres import open_postgres
from tests.services.process import ServiceError
from tests.services.run import end_services

_NOBODY = 0


def _directory() -> Path:
    directory = Path(tempfile.gettempdir()) / f"travelrule-standing-{os.geteuid()}"
    directory.mkdir(mode=0o755, exist_ok=True)
    return directory


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def up() -> int:
    """Start both; they stay until ``down``."""
    kafka = KafkaNode(_directory() / "kafka", _NOBODY)
    kafka.start()
    _say(f"TRAVELRULE_BROKER_URL=kafka://{kafka.bootstrap}")
    postgres = open_postgres(_directory() / "postgres", _NOBODY)
    postgres.start()
    _say(f"TRAVELRULE_DATABASE_URL={postgres.dsn('postgres')}")
    return 0


def down() -> int:
    """End both and remove their data."""
    end_services(_directory())
    shutil.rmtree(_directory())
    return 0


def status() -> int:
    """One line per service; 1 unless both answer."""
    answers = []
    if (_directory() / "kafka").exists():
        kafka = KafkaNode(_directory() / "kafka", _NOBODY)
        answers.append(kafka.answers())
        _say(f"kafka {kafka.bootstrap} {'answers' if answers[-1] else 'is down'}")
    if (_directory() / "postgres").exists():
        postgres = open_postgres(_directory() / "postgres", _NOBODY)
        answers.append(postgres.answers())
        _say(f"postgres {postgres.dsn('postgres')} {'answers' if answers[-1] else 'is down'}")
    if not answers:
        _say("nothing is up")
    return 0 if answers and all(answers) else 1


def main() -> int:
    """Carry out the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.services", description=__doc__)
    parser.add_argument("command", choices=["up", "down", "status"])
    command = parser.parse_args().command
    try:
        return {"up": up, "down": down, "status": status}[command]()
    except ServiceError as failed:
        sys.stderr.write(f"{failed}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
