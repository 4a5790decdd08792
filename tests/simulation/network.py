"""The simulated network between VASPs: the hub's answers, and everything that can happen to a request on its way."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

import orjson

from schemas.hub.bodies import PublicKey, VaspEntry
from tests.simulation.clock import Clock
from tests.simulation.engine_model import CallRow
from tests.simulation.faults import NetworkFaults
from tests.simulation.hub_searches import HubSearches
from travelrule.client.errors import NoAnswer
from travelrule.client.hub_transport import RawAnswer
from travelrule.engine.directory.counterparties import HEALTH_SECONDS

Back = Callable[[Any], None]
Answer = tuple[int, dict[str, Any]]

ERRORS: dict[str, tuple[int, str]] = {
    "408": (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT"),
    "429": (429, "TOO_MANY_REQUESTS"),
    "500": (500, "CODE_SERVER_INTERNAL_ERROR"),
    "503": (503, "VASP_BACKEND_INTERNAL_ERROR"),
    "field-missing": (500, "RECEIVED_MSG_MISSING_FIELD"),
    "nonce": (422, "DUPLICATED_HEADER_NONCE"),
    "key-refused": (422, "INVALID_RECEIVER_PUBLIC_KEY"),
    "stop": (400, "BAD_REQUEST"),
}
NO_ANSWER_SECONDS = 20.0
DELAYS = (1.0, 25.0, 60.0, 600.0, 7200.0, 90_000.0)
"""How late a request may still arrive that counted as lost."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it leaves a VASP; ``row`` is the call it was made for, for the oracle's eyes only."""

    origin: str
    operation: str
    place: str
    body: bytes = field(repr=False)
    remote_key: str | None
    own_key: str
    row: CallRow


class Served(Protocol):
    """A member as the hub sees it."""

    name: str

    def entry(self) -> VaspEntry:
        """How it is listed."""

    def serve(self, operation: str, origin: str, body: dict[str, Any], own_key: str, remote_key: str | None) -> Answer:
        """Answer one request; raises ``MemberSilent`` if the process is down."""

    def sent(self, txid: str, account: str) -> bool:
        """M6."""

    def owns(self, account: str, currency: str) -> bool:
        """M1 without a name, as the hub's own wallet search asks it."""


class MemberSilent(Exception):
    """The member does not answer."""


class NetworkWatcher(Protocol):
    """Sees what leaves a VASP and what comes back to it."""

    def sent(self, request: Request) -> None:
        """Called when the request leaves."""

    def answered(self, request: Request, status: int, body: dict[str, Any]) -> None:
        """Called with the answer that the caller will read, unless it is lost."""

    def served(self, member: str, origin: str, operation: str, body: dict[str, Any], answer: Answer) -> None:
        """Called each time a member has served a request."""


class Hub:
    """Forwards, loses, doubles, delays and refuses."""

    def __init__(self, clock: Clock, faults: NetworkFaults, dice: random.Random, watcher: NetworkWatcher) -> None:
        self.faults = faults
        self.members: dict[str, Served] = {}
        self.down: dict[str, datetime] = {}
        """Since when a member is listed as down."""
        self.health_changed: list[Callable[[], None]] = []
        self.requests = 0
        self._answers: dict[tuple[str, str], dict[str, Any]] = {}
        self._clock = clock
        self._dice = dice
        self.watcher = watcher
        self.searches = HubSearches(self, clock, dice)

    def entries(self) -> dict[str, VaspEntry]:
        listed = {name: member.entry() for name, member in self.members.items()}
        return {
            name: entry.model_copy(update={"health": "down"}) if name in self.down else entry
            for name, entry in listed.items()
        }

    def keys(self, name: str) -> list[PublicKey]:
        return list(self.members[name].entry().pubkeys)

    def set_health(self, name: str, *, up: bool) -> None:
        if up:
            self.down.pop(name, None)
        else:
            self.down.setdefault(name, self._clock.now)
        # Directories notice within their interval, each in its own time.
        for look in self.health_changed:
            self._clock.after(self._dice.uniform(0.5, HEALTH_SECONDS), look)

    def take(self, request: Request, back: Back) -> None:
        """A request leaves its VASP; ``back`` gets its result."""
        self.requests += 1
        assert not self._must_be_known_down(request.place), (
            f"{request.operation} was sent to {request.place}, which is down for the hub"
        )
        self.watcher.sent(request)
        fate = self.faults.fate(self._clock.now)
        if fate == "not-sent":
            self._clock.after(0.1, lambda: back(NoAnswer(request.operation, sent_maybe=False)))
        elif fate == "lost-before":
            self._lose(request, back)
        elif fate in ("lost-after", "late", "408-after"):
            self._deliver_in(request, self._dice.choice(DELAYS if fate == "late" else DELAYS[:1]))
            self._error(request, back, "408") if fate == "408-after" else self._lose(request, back)
        elif fate == "408-before":
            self._error(request, back, "408")
        elif fate in ERRORS and (fate != "key-refused" or request.remote_key):
            if fate == "field-missing":
                self._deliver_in(request, 0.5)
            self._error(request, back, fate)
        else:
            if fate == "double":
                self._deliver_in(request, self._dice.uniform(0.1, 5.0))
            self._clock.after(self._dice.uniform(0.02, 1.0), lambda: self._forward(request, back, fate))

    def _must_be_known_down(self, name: str) -> bool:
        """Invariant 7: listed as down for longer than the interval, and the hub gave the list all that time."""
        now = self._clock.now
        interval = timedelta(seconds=HEALTH_SECONDS)
        since = self.down.get(name)
        return since is not None and now - since > interval and not self.faults.away_lately(now, 2 * interval)

    def _lose(self, request: Request, back: Back) -> None:
        self._clock.after(NO_ANSWER_SECONDS, lambda: back(NoAnswer(request.operation, sent_maybe=True)))

    def _error(self, request: Request, back: Back, fate: str) -> None:
        status, code = ERRORS[fate]
        retry_after = str(self._dice.randint(1, 90)) if fate == "429" else ""
        seconds = 10.0 if status == 408 else 0.2
        self._answer(request, back, status, {"errorType": code}, seconds, retry_after)

    def _deliver_in(self, request: Request, seconds: float) -> None:
        """The request arrives, and its answer reaches nobody."""
        self._clock.after(seconds, lambda: self._serve(request))

    def _serve(self, request: Request) -> Answer:
        if request.operation in ("txid-search", "wallet-search"):
            return self.searches.begin(request.origin, request.operation, orjson.loads(request.body))
        if request.operation in ("txid-search-result", "wallet-search-result"):
            return self.searches.result(request.origin, request.operation, request.place)
        member = self.members.get(request.place)
        if member is None:
            return 422, {"errorType": "INVALID_TARGET_VASP_ID"}
        if request.remote_key and request.remote_key not in {key.pubkey for key in member.entry().pubkeys}:
            return ERRORS["key-refused"][0], {"errorType": ERRORS["key-refused"][1]}
        body = orjson.loads(request.body)
        try:
            answer = member.serve(request.operation, request.origin, body, request.own_key, request.remote_key)
        except MemberSilent:
            return ERRORS["408"][0], {"errorType": ERRORS["408"][1]}
        self.watcher.served(member.name, request.origin, request.operation, body, answer)
        return answer

    def _forward(self, request: Request, back: Back, fate: str) -> None:
        status, body = self._serve(request)
        if fate == "payload-missing" and status == 200 and "payload" in body:
            body = {**body, "payload": ""}
        if request.operation == "transfer-authorization" and status == 200:
            body = self._mixed_up(request, body, fate)
        if fate == "garbage" and status == 200:
            body = self._dice.choice(({}, {"result": "perhaps"}, {"result": None, "status": 7}))
        self._answer(request, back, status, body, self._dice.uniform(0.01, 2.0))

    def _mixed_up(self, request: Request, body: dict[str, Any], fate: str) -> dict[str, Any]:
        """The answer to another transfer of the same two, or what was asked as if it were the answer."""
        asked = orjson.loads(request.body)
        before = self._answers.get((request.origin, request.place))
        self._answers[request.origin, request.place] = body
        if fate == "crossed" and before is not None:
            return before
        if fate == "echoed":
            named = self._dice.choice((asked["transferId"], None))
            return {"result": "verified", "reasonType": "", "transferId": named, "payload": asked["payload"]}
        return body

    def _answer(
        self, request: Request, back: Back, status: int, body: dict[str, Any], seconds: float, retry_after: str = ""
    ) -> None:
        raw = RawAnswer(status, orjson.dumps(body), retry_after)

        def arrive() -> None:
            self.watcher.answered(request, status, body)
            back(raw)

        self._clock.after(seconds, arrive)
