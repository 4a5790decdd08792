"""TXID and wallet searches of the simulated hub: members that cannot be asked, callbacks that are lost or forged."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.simulation.clock import Clock

if TYPE_CHECKING:
    from tests.simulation.network import Answer, Hub

OWN_NETWORK = "code"
FORGOTTEN_AFTER = timedelta(hours=1)
CallBack = Callable[[str, str], None]
"""(operation, request id): called when a search is called back."""


class HubSearches:
    """Searches by (who asked, operation, request id)."""

    def __init__(self, hub: Hub, clock: Clock, dice: random.Random) -> None:
        self.call_back: dict[str, CallBack] = {}
        self.claims: dict[tuple[str, str], set[str]] = {}
        """Which members a search named as the one: (who asked, request id) to entity ids."""
        self.senders: dict[tuple[str, str], set[str]] = {}
        """Which members of our network sent it, asked or not, when a search ended: the same key."""
        self.lists_who_is_down = dice.random() < 0.5
        self._hub = hub
        self._clock = clock
        self._dice = dice
        self._running: dict[tuple[str, str, str], tuple[datetime, dict[str, Any]]] = {}
        self._results: dict[tuple[str, str, str], dict[str, Any]] = {}

    def begin(self, origin: str, operation: str, body: dict[str, Any]) -> Answer:
        key = (origin, operation, body["requestId"])
        if key not in self._running:
            ends = self._clock.now + timedelta(seconds=self._dice.choice((0.5, 3, 15, 70, 400, 900)))
            self._running[key] = (ends, body)
            self._clock.at(ends, lambda: self._finish(key, body))
        return 200, {"result": "SUCCESS", "requestId": body["requestId"]}

    def _finish(self, key: tuple[str, str, str], body: dict[str, Any]) -> None:
        origin, operation, request_id = key
        rows = []
        for name, member in self._hub.members.items():
            if name == origin or (name in self._hub.down and not self.lists_who_is_down):
                continue
            rows.append({"entityId": name, "result": self._ask(name, member, operation, body)})
        finders = [row["entityId"] for row in rows if row["result"] == "FOUND"]
        missing = "NOT_FOUND_TXID" if operation == "txid-search" else "NOT_FOUND_ADDRESS"
        result: dict[str, Any] = {"result": "invalid", "requestId": request_id, "analysisResult": rows}
        if len(finders) == 1:
            finder = "vaspEntityId" if operation == "txid-search" else "beneficiaryVaspEntityId"
            result |= {"result": "valid", finder: finders[0]}
        else:
            result["reasonType"] = "ALLIANCE_DATA_NON_UNIQUE_RESULT" if finders else missing
        self._results[key] = result
        self.claims.setdefault((origin, request_id), set()).update(finders)
        if operation == "txid-search":
            self.senders[origin, request_id] = self._senders(origin, body)
        for _ in range(self._dice.choice((0, 1, 1, 1, 2))):
            self._clock.after(self._dice.uniform(0, 30), lambda: self.call_back[origin](operation, request_id))

    def _senders(self, origin: str, body: dict[str, Any]) -> set[str]:
        """Who could have said that it sent this, if everybody had been asked."""
        return {
            name
            for name, member in self._hub.members.items()
            if name != origin
            and member.entry().alliance_name == OWN_NETWORK
            and member.sent(body["txid"], body["beneficiaryAddress"])
        }

    def _ask(self, name: str, member: Any, operation: str, body: dict[str, Any]) -> str:
        calm = self._clock.now >= self._hub.faults.clears
        if name in self._hub.down or (not calm and self._dice.random() < 0.03):
            return "SYSTEM_NOT_AVAILABLE"
        if operation == "txid-search":
            found = member.sent(body["txid"], body["beneficiaryAddress"])
            return "FOUND" if found else "NOT_FOUND_TXID"
        found = member.owns(body["addressNumber"], body["currency"])
        return "FOUND" if found else "NOT_FOUND_ADDRESS"

    def result(self, origin: str, operation: str, request_id: str) -> Answer:
        kind = operation.removesuffix("-result")
        key = (origin, kind, request_id)
        began = self._running.get(key)
        lost = began is not None and self._clock.now - began[0] > FORGOTTEN_AFTER
        if began is None or lost:
            return 200, self._refusal(request_id, "LACK_OF_INFORMATION")
        return 200, self._results.get(key) or self._refusal(request_id, "PROCESSING")

    @staticmethod
    def _refusal(request_id: str, reason: str) -> dict[str, Any]:
        return {"result": "invalid", "reasonType": reason, "requestId": request_id, "analysisResult": []}
