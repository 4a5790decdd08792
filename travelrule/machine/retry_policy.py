"""The retry policy: whether a call is complete after a try, or when it is tried again. Pure.

The tables are in ``retry_table``. Every repeat carries the same content with a new nonce, time and signature. The
dispatcher stores ``Retry.note`` with the call and passes it to the next decision, which depends on the tries before:
how many of each schedule are used, whether an alert was raised, and whether any try may have reached the counterparty.
Failures of the hub use up no schedule where the operation waits for the hub.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from schemas.operations import Operation
from travelrule.machine.retry_table import (
    CONCLUDING,
    CONCLUDING_BY_CODE,
    OTHER_FIELDS,
    RESULTS,
    WAITING_FOR_HUB,
    RetryPlan,
    RetryRule,
    rule_for,
)

QUICK_SECONDS = (1.0, 2.0, 4.0)
AUTHORIZATION_SECONDS = (2.0, 8.0)
AUTHORIZATION_WINDOW_SECONDS = 60.0
SHORT_SECONDS = 30.0
SHORT_TRIES = 2
FULL_FIRST_SECONDS = 5.0
FULL_MAX_SECONDS = 300.0
FULL_TRIES = 10
DOUBLINGS_MAX = 10
HOURLY_SECONDS = 3600.0
NONCE_TRIES = 5
HUB_FIRST_SECONDS = 1.0
HUB_MAX_SECONDS = 60.0
HUB_TOLD_TRIES = 3
"""The failures of the hub in a row after which the call is reported as deferred to its subject."""
JITTER_SHARE = 0.5
HTTP_UNPROCESSABLE = 422
HTTP_TOO_MANY = 429


@dataclass(frozen=True, slots=True)
class RawResult:
    """One try. ``answer``: HTTP 200 with ``body``; ``error``: any other status, ``code`` its ``errorType``;
    ``no-answer``: ``code`` ``NO_ANSWER`` or ``NOT_SENT``. ``retry_after`` in seconds. ``request_payload`` and
    ``answer_payload`` are the sealed texts that were sent and received; ``payload`` is the opened answer.
    """

    kind: Literal["answer", "error", "no-answer"]
    status: int = 0
    code: str = ""
    body: dict[str, Any] | None = field(default=None, repr=False)
    payload: dict[str, Any] | None = field(default=None, repr=False)
    retry_after: float | None = None
    request_payload: str = field(default="", repr=False)
    answer_payload: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Complete:
    """The call is complete. ``maybe_acted`` covers all tries, not only the last one. ``exhausted``: it failed because
    its tries are used up, not because of an answer that repeating does not change.
    """

    outcome: Literal["answered", "failed"]
    code: str = ""
    maybe_acted: bool = False
    exhausted: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Retry:
    """The call is tried again.

    ``trouble``: ``call.troubled`` is reported now as well. ``hub``: the hub failed, so the call may be tried as soon as
    it is back. ``held``: the subject is informed that its call waits for the hub.
    """

    at: datetime
    refresh_key: bool = False
    trouble: bool = False
    note: str = ""
    code: str = ""
    hub: bool = False
    held: bool = False


@dataclass(frozen=True, slots=True)
class RetryState:
    """What the policy keeps of the tries before, as a note in the call's row.

    ``repeats`` counts the tries that use up a schedule, ``began`` is the time stamp of the first of them (0: none yet).
    ``hubs`` counts failures of the hub in a row. ``told``: an alert was raised.
    """

    shorts: int = 0
    nonces: int = 0
    told: bool = False
    acted: bool = False
    repeats: int = 0
    hubs: int = 0
    began: int = 0

    def to_note(self) -> str:
        """Return the text for the call's row."""
        told, acted = int(self.told), int(self.acted)
        return f"{self.shorts},{self.nonces},{told},{acted},{self.repeats},{self.hubs},{self.began}"

    @classmethod
    def from_note(cls, note: str, tries: int, first_at: datetime) -> RetryState:
        """Read a note. Without one every earlier try counts and may have acted."""
        began = int(first_at.timestamp())
        if not note:
            return cls(tries - 1, tries - 1, told=tries > FULL_TRIES, acted=tries > 1, repeats=tries - 1, began=began)
        shorts, nonces, told, acted, *newer = (int(part) for part in note.split(","))
        repeats, hubs, began = newer or (tries - 1, 0, began)  # a row of an earlier version holds four numbers
        return cls(shorts, nonces, bool(told), bool(acted), repeats, hubs, began)

    def counted(self, now: datetime) -> RetryState:
        """Return the state after one more try that uses up the schedule."""
        return replace(self, repeats=self.repeats + 1, hubs=0, began=self.began or int(now.timestamp()))

    def failed_at_hub(self) -> RetryState:
        """Return the state after one more failure of the hub. No time limit runs before the first try that counts."""
        return replace(self, hubs=self.hubs + 1, began=self.began if self.repeats else 0)


def may_have_acted(note: str, tries: int, first_at: datetime) -> bool:
    """Whether one of the ``tries`` that were made may have reached the counterparty."""
    return RetryState.from_note(note, tries + 1, first_at).acted


def next_action(
    operation: str,
    attempted: RawResult,
    tries: int,
    first_at: datetime,
    now: datetime,
    *,
    key_refreshed: bool,
    jitter: float,
    note: str = "",
) -> Complete | Retry:
    """Return the action after the ``tries``-th try of a call (1 is the first). ``jitter`` is a number in 0..1."""
    code, fine = read_answer(operation, attempted)
    state = RetryState.from_note(note, tries, first_at)
    if fine:
        return Complete("answered", "", state.acted)
    rule = rule_for(attempted.status, code)
    state = replace(state, acted=state.acted or rule.acted)
    if rule.failed == "hub" and _waits_for_hub(operation, state):
        return _hub_again(state, now, jitter, attempted, code)
    state = state.counted(now)
    failed = _FailedTry(operation, attempted, code, rule, tries, now, key_refreshed, jitter, state)
    return failed.repeat_conclusion() if operation in CONCLUDING else failed.repeat_question()


def hub_wait(
    operation: str, tries: int, first_at: datetime, now: datetime, *, jitter: float, note: str
) -> Retry | None:
    """Return when to send a call that is held because the hub is away; None: this call is sent regardless."""
    state = RetryState.from_note(note, tries + 1, first_at)
    if not _waits_for_hub(operation, state):
        return None
    return replace(_hub_again(state, now, jitter, RawResult("no-answer"), "HUB_UNREACHABLE"), held=True)


def _waits_for_hub(operation: str, state: RetryState) -> bool:
    return operation in WAITING_FOR_HUB and not (operation == Operation.TRANSFER_AUTHORIZATION and state.acted)


def _hub_again(state: RetryState, now: datetime, jitter: float, attempted: RawResult, code: str) -> Retry:
    """Wait from a second upward; longer after 429, and at least the seconds of ``Retry-After``."""
    state = state.failed_at_hub()
    limited = attempted.status == HTTP_TOO_MANY
    first, most = (FULL_FIRST_SECONDS, FULL_MAX_SECONDS) if limited else (HUB_FIRST_SECONDS, HUB_MAX_SECONDS)
    doubled = first * float(2 ** min(state.hubs - 1, DOUBLINGS_MAX))
    seconds = min(most, doubled) * (1 + JITTER_SHARE * jitter)
    at = now + timedelta(seconds=max(seconds, attempted.retry_after or 0.0))
    return Retry(at, note=state.to_note(), code=code, hub=True, held=state.hubs >= HUB_TOLD_TRIES)


def read_answer(operation: str, attempted: RawResult) -> tuple[str, bool]:
    """Return the code of a try and whether it completes the call as ``answered``.

    A bad result is an answer like a good one, except for a txid report and a finish: these accept only ``normal``.
    ``reasonType`` counts only when the result is bad (D42).
    """
    if attempted.kind == "no-answer":
        return attempted.code or "NO_ANSWER", False
    if attempted.kind == "error":
        return attempted.code, False
    body = attempted.body or {}
    if operation in OTHER_FIELDS:
        name, words = OTHER_FIELDS[operation]
        said = str(body.get(name) or "").strip().lower()
        return ("", True) if said and (said in words or not words) else ("BAD_ANSWER", False)
    good, bad = RESULTS[operation]
    result = str(body.get("result") or "").strip().lower()
    if result in good:
        return "", True
    if result not in bad:
        return "BAD_ANSWER", False
    if operation in CONCLUDING:
        return str(body.get("reasonType") or "UNKNOWN").strip().upper(), False
    return "", True


@dataclass(frozen=True, slots=True)
class _FailedTry:
    """A try that failed, with everything that the next action depends on."""

    operation: str
    attempted: RawResult
    code: str
    rule: RetryRule
    tries: int
    now: datetime
    key_refreshed: bool
    jitter: float
    state: RetryState

    def repeat_question(self) -> Complete | Retry:
        """Repeat a question; it may be given up."""
        plan = self.rule.plan
        if plan is RetryPlan.NONCE:
            return self._at_once() if self.state.nonces < NONCE_TRIES else self._failed()
        if plan is RetryPlan.KEY:
            return self._failed() if self.key_refreshed else self._again(0, refresh_key=True)
        if plan is RetryPlan.WAIT and not (self.operation == Operation.TRANSFER_AUTHORIZATION and self.state.acted):
            return self._failed() if self.tries >= FULL_TRIES else self._again(self._full_seconds())
        if plan in (RetryPlan.REPEAT, RetryPlan.WAIT):
            return self._repeat()
        return self._failed(exhausted=False)

    def repeat_conclusion(self) -> Complete | Retry:
        """Repeat a txid report or a finish after every answer but ``normal`` (D47)."""
        if CONCLUDING_BY_CODE.get((self.operation, self.code)) is RetryPlan.SHORT:
            if self.state.shorts >= SHORT_TRIES:
                return self._failed()
            return self._again(SHORT_SECONDS, state=replace(self.state, shorts=self.state.shorts + 1))
        if self.rule.plan is RetryPlan.NONCE and self.state.nonces < NONCE_TRIES:
            return self._at_once()
        if self.tries >= FULL_TRIES:
            return (
                self._failed() if self.operation == Operation.TXID_REPORT else self._again(HOURLY_SECONDS, alert=True)
            )
        return self._again(self._full_seconds(), alert=self.attempted.status == HTTP_UNPROCESSABLE)

    def _repeat(self) -> Complete | Retry:
        waits: tuple[float, ...] = QUICK_SECONDS
        if self.operation in (Operation.TRANSFER_AUTHORIZATION, Operation.DATA_REQUEST):
            waits = AUTHORIZATION_SECONDS
        if self.state.repeats > len(waits):
            return self._failed()
        named = self.attempted.retry_after if self.rule.plan is RetryPlan.WAIT else None
        wait = max(waits[self.state.repeats - 1], named or 0.0)
        ends = datetime.fromtimestamp(self.state.began, UTC) + timedelta(seconds=AUTHORIZATION_WINDOW_SECONDS)
        if self.operation == Operation.TRANSFER_AUTHORIZATION and self.now + timedelta(seconds=wait) > ends:
            return self._failed()
        return self._again(wait)

    def _full_seconds(self) -> float:
        doubled = FULL_FIRST_SECONDS * float(2 ** min(self.tries - 1, DOUBLINGS_MAX))
        spread = min(FULL_MAX_SECONDS, doubled * (1 + JITTER_SHARE * self.jitter))
        return max(spread, self.attempted.retry_after or 0.0)

    def _at_once(self) -> Retry:
        return self._again(0, state=replace(self.state, nonces=self.state.nonces + 1))

    def _again(
        self, seconds: float, *, refresh_key: bool = False, alert: bool = False, state: RetryState | None = None
    ) -> Retry:
        state = state or self.state
        trouble = (alert or self.rule.alerts) and not state.told
        note = replace(state, told=state.told or trouble).to_note()
        # A conclusion is sent as soon as the hub is back.
        hub = self.rule.failed == "hub" and self.operation in CONCLUDING
        return Retry(self.now + timedelta(seconds=seconds), refresh_key, trouble, note, self.code, hub, held=hub)

    def _failed(self, *, exhausted: bool = True) -> Complete:
        code = self.code or f"HTTP_{self.attempted.status}"
        return Complete("failed", code, self.state.acted, exhausted=exhausted)
