"""The platform's memory: a file to which lines are only added. A real platform has tables in its database instead.

Each line is complete or absent: it is flushed to the disk before anything depends on it, and a line that a crash cut
off is dropped.
"""

from __future__ import annotations

import json
import os
from pathlib import Path


class Ledger:
    """Orders, verdicts with the action taken, and events with whether they were sent."""

    def __init__(self, path: Path) -> None:
        self._orders: dict[str, dict] = {}
        self._passed: dict[str, int] = {}
        self._unsent: dict[str, dict] = {}
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        self._file = path.open("r+b" if path.exists() else "w+b")
        self._file.truncate(len(whole))
        self._file.seek(len(whole))
        for line in whole.splitlines():
            self._apply(json.loads(line))

    def has_order(self, key: str) -> bool:
        return key in self._orders

    def order(self, key: str) -> dict:
        """The customer's answers, and the actions so far."""
        return self._orders[key]

    def is_passed(self, subject: str, sequence: int) -> bool:
        """Whether this verdict, or a later one of the same subject, was acted on."""
        return sequence <= self._passed.get(subject, 0)

    def unsent(self) -> list[dict]:
        return list(self._unsent.values())

    def add_order(self, key: str, answers: dict, events: list[dict]) -> None:
        self._add({"kind": "order", "key": key, "answers": answers, "events": events})

    def add_verdict(self, key: str, data: dict, action: str, events: list[dict]) -> None:
        self._add({"kind": "verdict", "key": key, "data": data, "action": action, "events": events})

    def add_sent(self, ids: list[str]) -> None:
        self._add({"kind": "sent", "ids": ids})

    def _add(self, line: dict) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._apply(line)

    def _apply(self, line: dict) -> None:
        if line["kind"] == "order":
            self._orders[line["key"]] = {"answers": line["answers"], "actions": []}
        elif line["kind"] == "verdict":
            self._orders[line["key"]]["actions"].append(line["action"])
            self._passed[line["data"]["subject"]] = line["data"]["sequence"]
        for one in line.get("events", []):
            self._unsent[one["id"]] = one
        for sent in line.get("ids", []):
            self._unsent.pop(sent, None)
