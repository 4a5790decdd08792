"""One attempt of one call: check, seal, send, open, and return the next step."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from http import HTTPStatus
from typing import Any

import orjson

from schemas.hub.bodies import TxidSearchResult
from schemas.hub.search import asked_in
from schemas.operations import Operation
from travelrule.client.attempt import attempt
from travelrule.client.errors import HubError
from travelrule.client.hub import HubClient
from travelrule.client.operations import OPERATIONS
from travelrule.crypto.errors import InvalidPeerKey
from travelrule.crypto.nonce_marks import RANDOM_BYTES, marked_nonce
from travelrule.crypto.peer_keys import choose_key
from travelrule.crypto.sealing import seal
from travelrule.crypto.signing import KeyRing
from travelrule.engine.callback_urls import CallbackUrls
from travelrule.engine.calls.answer_seals import binding_facts, bound
from travelrule.engine.calls.coin_check import is_settled, unlisted_coin
from travelrule.engine.calls.hub_watch import HubWatch
from travelrule.engine.calls.wallet_ratings import WalletRatingCache
from travelrule.engine.directory.counterparties import CounterpartyDirectory
from travelrule.engine.ports import CallContent
from travelrule.engine.sealed_content import open_content
from travelrule.engine.vault import Vault
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.retry_policy import Complete, RawResult, Retry, hub_wait, may_have_acted, next_action
from travelrule.machine.retry_table import WAITING_FOR_HUB, is_of_hub, names_member
from travelrule.policy.policy import Policy
from travelrule.store.call_rows import CallItem
from travelrule.store.directory import StoredVasp

DOWN_RETRY_SECONDS = 10.0
UNKNOWN_RETRY_SECONDS = 2.0
OUTDATED_RETRY_SECONDS = 5.0
REQUEST_SECONDS = 20.0
ASSET_NOT_LISTED = "ASSET_NOT_LISTED"
CALL_ENDED = "CALL_ENDED"
WALLET_SCREENING = Operation.WALLET_SCREENING
SEARCH_RESULTS = {Operation.TXID_SEARCH_RESULT, Operation.WALLET_SEARCH_RESULT}


@dataclass(frozen=True, slots=True)
class Postpone:
    """The call is tried again at ``due_at``. ``tries`` None: nothing was sent (the counterparty is down).
    ``hub_held``: the call waits for the hub and comes due earlier after the outage.
    """

    due_at: datetime
    tries: int | None = None
    key_refreshed: bool = False
    deferred: bool = False
    note: str | None = None
    hub_held: bool = False


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The result of one attempt. ``next_step`` is the final result or a postponement; ``notice`` is a further input
    (troubled or deferred). ``reached`` False counts against the counterparty's circuit, None does not count.
    ``hub_back``: a hub outage is over. ``status`` and ``code`` are the cause of a retry. ``exhausted``: the call failed
    because its tries are used up.
    """

    next_step: CallResult | Postpone
    notice: CallResult | None = None
    reached: bool | None = True
    outcome: str = "not-sent"
    hub_back: bool = False
    status: int = 0
    code: str = ""
    exhausted: bool = False


class CallExecutor:
    """Makes attempts. The rules of retries are in ``machine.retry_policy``."""

    def __init__(
        self,
        vault: Vault,
        hub: HubClient,
        counterparties: CounterpartyDirectory,
        keyring: KeyRing,
        policy: Callable[[], Policy],
        clock: Callable[[], datetime],
        randomness: Callable[[int], bytes] = os.urandom,
        *,
        searches: CallbackUrls | None = None,
        watch: HubWatch | None = None,
    ) -> None:
        self._vault = vault
        self._hub = hub
        self._counterparties = counterparties
        self._keyring = keyring
        self._policy = policy
        self._clock = clock
        self._randomness = randomness
        self._searches = searches
        self._watch = watch or HubWatch()
        self._ratings = WalletRatingCache(clock)

    async def attempt(self, call: CallItem, jitter: float, content: CallContent | None = None) -> AttemptResult:
        """Try the call once. ``jitter`` in 0..1 spreads repeats; without ``content`` it is read from the store."""
        if call.ends_unsent and not may_have_acted(call.note, call.tries, call.first_at):
            # A process may have died while it sent the first try, so the counterparty is sent the finish in any case.
            return AttemptResult(self._report(call, None, "failed", code=CALL_ENDED, maybe_acted=True), reached=None)
        # The process that fetched a changed key is not always the one that repeats the call.
        target = await self._counterparties.get(call.target, fresh=call.key_refreshed)
        # A call that the hub answers itself has no counterparty to check.
        if not OPERATIONS[call.operation].to_hub and (obstacle := self._obstacle(call, target, jitter)) is not None:
            return obstacle
        if not self._watch.up and (put_off := self._put_off(call, target, jitter)) is not None:
            return put_off
        if content is None:
            content = open_content(self._vault, call)
        if content is None:
            return AttemptResult(self._report(call, target, "failed", code="ERASED"))
        if (unlisted := self._unlisted(call, content, target)) is not None:
            return unlisted
        attempted = bound(
            self._vault.index, call.operation, call.correlation_id, await self._send(call, content, target)
        )
        return await self._judge(call, content, target, attempted, jitter)

    def _obstacle(self, call: CallItem, target: StoredVasp | None, jitter: float) -> AttemptResult | None:
        """Return why this VASP cannot be called now; None if it can."""
        if self._counterparties.outdated():
            # Which VASPs are down is unknown (invariant 7). Nothing is sent until the list is fetched.
            later = Postpone(self._clock() + timedelta(seconds=OUTDATED_RETRY_SECONDS), hub_held=True)
            return self._held(call, target, jitter) or AttemptResult(later, reached=None)
        if (target is None or not target.listed) and not self._counterparties.fetched_since(call.first_at):
            # The VASP may be newer than the stored list: a fresh list is requested before the call is refused.
            self._counterparties.wanted.set()
            return AttemptResult(Postpone(self._clock() + timedelta(seconds=UNKNOWN_RETRY_SECONDS)))
        refusal = self._refusal(call, target)
        if refusal is not None:
            # An earlier try may have reached the counterparty, which then requires a finish.
            report = self._report(call, target, "failed", code=refusal, maybe_acted=call.tries > 0)
            return AttemptResult(report)
        if target is None or not target.up:
            return self._deferred(call, target)
        return None

    def _unlisted(self, call: CallItem, content: CallContent, target: StoredVasp | None) -> AttemptResult | None:
        """Return the refusal of a coin that the hub's table of networks lacks, if the policy has no ``[assets]``."""
        coin = unlisted_coin(self._counterparties, call.operation, content.clear)
        if coin is None or self._policy().assets:
            return None
        if not is_settled(coin, call.first_at, self._clock()):
            self._counterparties.want_networks()
            return AttemptResult(Postpone(self._clock() + timedelta(seconds=UNKNOWN_RETRY_SECONDS)))
        report = self._report(call, target, "failed", code=ASSET_NOT_LISTED, maybe_acted=call.tries > 0)
        return AttemptResult(report.model_copy(update={"coin": coin}))

    def _put_off(self, call: CallItem, target: StoredVasp | None, jitter: float) -> AttemptResult | None:
        """Delay a call that can wait during a hub outage, unless it is the next probe."""
        if call.operation not in WAITING_FOR_HUB:
            return None
        held = self._held(call, target, jitter)
        return None if held is not None and self._watch.may_try(self._clock()) else held

    def _held(self, call: CallItem, target: StoredVasp | None, jitter: float) -> AttemptResult | None:
        """Delay a call until the hub is back. None: this call must not wait."""
        wait = hub_wait(call.operation, call.tries, call.first_at, self._clock(), jitter=jitter, note=call.note)
        if wait is None:
            return None
        step = Postpone(wait.at, note=wait.note, hub_held=True)
        return AttemptResult(step, notice=self._hub_notice(call, target), reached=None, outcome="hub-held")

    def _hub_notice(self, call: CallItem, target: StoredVasp | None) -> CallResult | None:
        """Return the notice, once per call, that it waits for the hub."""
        if call.hub_held or call.operation not in WAITING_FOR_HUB:
            return None
        return self._report(call, target, "deferred", code="HUB_UNREACHABLE")

    def _refusal(self, call: CallItem, target: StoredVasp | None) -> str | None:
        if target is None or not target.listed:
            return "INVALID_TARGET_VASP_ID"
        if OPERATIONS[call.operation].sealed and not self._policy().may_send_to(call.target):
            return "COUNTERPARTY_NOT_ALLOWED"
        return None

    def _deferred(self, call: CallItem, target: StoredVasp | None) -> AttemptResult:
        due_at = self._clock() + timedelta(seconds=DOWN_RETRY_SECONDS)
        notice = None if call.deferred else self._report(call, target, "deferred", code="COUNTERPARTY_DOWN")
        return AttemptResult(Postpone(due_at, deferred=True), notice=notice, outcome="deferred")

    async def _send(self, call: CallItem, content: CallContent, target: StoredVasp | None) -> RawResult:
        own = self._keyring.signing
        remote_key = None
        body = self._named(dict(content.clear))
        if content.payload is not None:
            chosen = choose_key(target.entry.pubkeys, self._clock()) if target is not None else None
            if chosen is None:
                return RawResult("error", code="INVALID_RECEIVER_PUBLIC_KEY")
            remote_key = chosen.pubkey
            try:
                plain = orjson.dumps({"ivms101": content.payload})
                nonce = marked_nonce(self._vault.index, self._randomness(RANDOM_BYTES))
                body["payload"] = seal(own, remote_key, plain, nonce)
            except InvalidPeerKey:
                return RawResult("error", code="INVALID_RECEIVER_PUBLIC_KEY")
        place, sent = await self._written(call, body)
        ask = partial(self._ask, call, place, sent, remote_key)
        if call.operation == WALLET_SCREENING:
            return await self._ratings.rate(sent, self._policy().screening.cache_seconds, ask)
        return replace(await ask(), request_payload=body.get("payload") or "")

    async def _ask(self, call: CallItem, place: str, sent: bytes, remote_key: str | None) -> RawResult:
        request = self._hub.call(call.operation, place, sent, remote_key, traceparent=call.traceparent)
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                return await attempt(request, self._keyring.signing, remote_key)
        except TimeoutError:
            return RawResult("no-answer", code="NO_ANSWER")

    async def _written(self, call: CallItem, body: dict[str, Any]) -> tuple[str, bytes]:
        """Return path parameter and body. The result of a search is requested by its id alone, without a body."""
        if OPERATIONS[call.operation].of_search:
            return str(body.get("requestId") or call.correlation_id), b""
        if self._searches is not None:
            # An operation without a requestId is identified by the correlation id.
            request_id = str(body.get("requestId") or call.correlation_id)
            if url := await self._searches.expect_callback(call.operation, request_id, call.subject):
                body["callbackUrl"] = url
        return call.target, orjson.dumps(body)

    def _named(self, body: dict[str, Any]) -> dict[str, Any]:
        """Replace the network of a body with the hub's name for it."""
        if "currency" in body:
            network = self._counterparties.network_name(str(body["currency"]), body.get("network"))
            if network:
                body["network"] = network
        return body

    async def _judge(
        self, call: CallItem, content: CallContent, target: StoredVasp | None, attempted: RawResult, jitter: float
    ) -> AttemptResult:
        tries = call.tries + 1
        now = self._clock()
        if attempted.kind == "error" and names_member(attempted.status, attempted.code):
            self._counterparties.wanted.set()  # its health may have changed
        hub_back = self._watched(call, attempted, now)
        reached = self._was_reached(call.operation, attempted)
        reaction = next_action(
            call.operation,
            attempted,
            tries=tries,
            first_at=call.first_at,
            now=now,
            key_refreshed=call.key_refreshed,
            jitter=jitter,
            note=call.note,
        )
        if isinstance(reaction, Complete):
            if call.operation == Operation.TXID_SEARCH_RESULT:
                # The VASP that was found is called next, and members of affiliated networks differently (D48).
                target = await self._counterparties.get(TxidSearchResult.found_in(attempted.body))
            report = self._report(
                call,
                target,
                reaction.outcome,
                status=attempted.status,
                code=reaction.code,
                attempted=attempted,
                maybe_acted=reaction.maybe_acted,
                attempts=tries,
            )
            if facts := binding_facts(self._vault.index, call.operation, content, attempted):
                report = report.model_copy(update=facts)
            if call.operation in SEARCH_RESULTS:
                report = report.model_copy(update={"unasked": await self._left_out(attempted.body)})
            return AttemptResult(
                report, reached=reached, outcome=attempted.kind, hub_back=hub_back, exhausted=reaction.exhausted
            )
        again = await self._again(call, target, attempted, reaction, tries, reached=reached)
        return replace(again, hub_back=hub_back)

    def _watched(self, call: CallItem, attempted: RawResult, now: datetime) -> bool:
        """Note whether the hub answered; return True if that ends an outage."""
        if attempted.kind == "answer" or not is_of_hub(attempted.status, attempted.code):
            # A wallet rating may come from the cache.
            return call.operation != WALLET_SCREENING and self._watch.record_answer()
        if attempted.status != HTTPStatus.TOO_MANY_REQUESTS:
            self._watch.record_failure(now)
        return False

    @staticmethod
    def _was_reached(operation: str, attempted: RawResult) -> bool | None:
        """Whether the counterparty answered; None if the hub failed. A failing risk provider must not open the circuit
        of the hub's other calls: an error about it counts as an answer.
        """
        if attempted.kind == "answer":
            return True
        if is_of_hub(attempted.status, attempted.code):
            return None
        status = attempted.status
        if OPERATIONS[operation].provider:
            return status > 0
        return 0 < status < HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.REQUEST_TIMEOUT

    async def _left_out(self, body: Any) -> bool:
        return await self._counterparties.left_out(asked_in(body), self._policy().own.entity_id)

    async def _again(
        self,
        call: CallItem,
        target: StoredVasp | None,
        attempted: RawResult,
        again: Retry,
        tries: int,
        *,
        reached: bool | None,
    ) -> AttemptResult:
        if again.refresh_key and target is not None:
            used = choose_key(target.entry.pubkeys, self._clock())
            try:
                await self._counterparties.refresh_keys(call.target, refused=used.pubkey if used else None)
            except HubError:
                # The retry uses the old key and is refused again, which ends the call with an alert.
                reached = False
        notice = None
        if again.trouble:
            notice = self._report(call, target, "troubled", code=again.code, attempts=tries)
        elif again.held:
            notice = self._hub_notice(call, target)
        step = Postpone(again.at, tries=tries, key_refreshed=again.refresh_key, note=again.note, hub_held=again.held)
        code = attempted.code or again.code
        return AttemptResult(
            step, notice=notice, reached=reached, outcome=attempted.kind, status=attempted.status, code=code
        )

    def _report(
        self,
        call: CallItem,
        target: StoredVasp | None,
        outcome: Any,
        *,
        status: int = 0,
        code: str = "",
        attempted: RawResult | None = None,
        maybe_acted: bool = False,
        attempts: int = 0,
    ) -> CallResult:
        body = attempted.body if attempted is not None else None
        return CallResult(
            operation=call.operation,
            correlation_id=call.correlation_id,
            target=call.target,
            outcome=outcome,
            status=status,
            code=code,
            message_code=str((body or {}).get("reasonType") or ""),
            body=None if body is None else {name: value for name, value in body.items() if name != "payload"},
            payload=attempted.payload if attempted is not None else None,
            attempts=attempts,
            maybe_acted=maybe_acted,
            counterparty_country=target.entry.country_of_registration if target is not None else None,
            counterparty_alliance=target.entry.alliance_name if target is not None else None,
        )
