"""Searches over all members: accepted at once, concluded later (hub-api.md 4.A.9, P.1 to P.3; states.md 7)."""

from __future__ import annotations

import orjson

from travelrule import logs
from travelrule.hub.background_tasks import BackgroundTasks
from travelrule.hub.callback_sender import CallbackSender
from travelrule.hub.hub_answer import HubAnswer, HubFault
from travelrule.hub.hub_call import HubCall
from travelrule.hub.ports import Clock, HubState
from travelrule.hub.searches.fanout import SearchFanout
from travelrule.hub.searches.records import HubSearch, SearchKey
from travelrule.hub.searches.search_kinds import KINDS, MemberSearchKind

log = logs.get("hub")

_OK = 200


class SearchResponder:
    """Answers TXID and wallet searches and requests for their results; each search runs as a task of its own."""

    names = tuple(operation for kind in KINDS for operation in (kind.search, kind.result))

    def __init__(
        self, state: HubState, fanout: SearchFanout, callbacks: CallbackSender, clock: Clock, tasks: BackgroundTasks
    ) -> None:
        self._state = state
        self._fanout = fanout
        self._callbacks = callbacks
        self._clock = clock
        self._tasks = tasks
        self._by_search = {kind.search: kind for kind in KINDS}
        self._by_result = {kind.result: kind for kind in KINDS}

    async def answer(self, call: HubCall) -> HubAnswer:
        """Start a search, or return the outcome of one.

        Raises ``HubFault`` 422 for a URL that is not allowed or a ``requestId`` that was used with other content.
        """
        kind = self._by_search.get(call.operation.name)
        if kind is None:
            return await self._result(self._by_result[call.operation.name], call)
        return await self._begin(kind, call)

    async def _begin(self, kind: MemberSearchKind, call: HubCall) -> HubAnswer:
        request_id = call.fields["requestId"]
        url = self._callbacks.accepted_url(call.fields.get("callbackUrl"))
        key = SearchKey(kind.search, call.caller.entity_id, request_id)
        search = HubSearch(key, kind.fingerprint(call.fields))
        known = await self._state.open_search(search, self._clock())
        if known is None:
            self._tasks.start(self._run(kind, call, key, url), kind.search)
        elif known.fingerprint != search.fingerprint:
            raise HubFault(422, "INVALID_MSG_FIELD_VALUE", "requestId was used for another search: take a new one")
        call.record.result = "SUCCESS"
        return HubAnswer(_OK, orjson.dumps({"result": "SUCCESS", "requestId": request_id}))

    async def _result(self, kind: MemberSearchKind, call: HubCall) -> HubAnswer:
        key = SearchKey(kind.search, call.caller.entity_id, call.request_id)
        search = await self._state.search(key, self._clock())
        ended = search.outcome if search is not None else kind.unknown(call.request_id)
        outcome = ended or kind.running(call.request_id)
        call.record.result, call.record.reason_type = outcome.result, outcome.reason_type
        return HubAnswer(_OK, outcome.body)

    async def _run(self, kind: MemberSearchKind, call: HubCall, key: SearchKey, url: str) -> None:
        try:
            outcome = kind.conclude(key.request_id, await self._fanout.results(kind, call))
            # The receiver of a callback may request the result at once, so the outcome is stored first.
            await self._state.end_search(key, outcome, self._clock())
            if url:
                await self._callbacks.send(kind.search, key, url, outcome)
        except Exception as error:  # noqa: BLE001 -- the end of a task: the error would be lost
            log.error("search-failed", operation=kind.search, error=error)  # noqa: TRY400 -- no texts in logs
