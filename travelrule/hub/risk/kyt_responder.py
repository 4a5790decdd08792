"""KYT: searches that are accepted at once, and their reports (screening.md sections 4 to 7)."""

from __future__ import annotations

import asyncio
import re

import orjson

from schemas.operations import Operation
from travelrule import logs
from travelrule.hub.background_tasks import BackgroundTasks
from travelrule.hub.callback_sender import CallbackSender
from travelrule.hub.hub_answer import HubAnswer, HubFault
from travelrule.hub.hub_call import HubCall
from travelrule.hub.ports import Clock
from travelrule.hub.risk.ports import KytProvider, NotServed, RiskState
from travelrule.hub.risk.records import ANALYSIS_FAILED, Analysis, KytRequest, KytSubject, canonical_hash
from travelrule.hub.searches.records import SearchKey, SearchOutcome
from travelrule.screening.chains import KYT_BLOCKCHAINS

log = logs.get("hub")

_OK = 200
_REQUEST_ID = re.compile(r"[0-9]{1,18}", re.ASCII)
_STARTED = "Transaction analysis started."
_LINKED = "Linked to existing report for this transaction."


class KytResponder:
    """Answers KYT searches and reports through a provider; without one KYT is disabled.

    Two searches for one transaction share one analysis, unless the second has ``force``. A search that is answered
    ``RELEASED`` is not called back (D27).
    """

    names = (Operation.KYT_SEARCH, Operation.KYT_REPORT)

    def __init__(
        self,
        provider: KytProvider | None,
        state: RiskState,
        callbacks: CallbackSender,
        clock: Clock,
        tasks: BackgroundTasks,
    ) -> None:
        self._provider = provider
        self._state = state
        self._callbacks = callbacks
        self._clock = clock
        self._tasks = tasks
        self._analysing: dict[KytSubject, asyncio.Future[Analysis]] = {}

    async def answer(self, call: HubCall) -> HubAnswer:
        """Start an analysis, or return a report. Raises ``HubFault`` for the errors of screening.md section 7."""
        if self._provider is None:
            raise _not_served()
        search = call.operation.name is Operation.KYT_SEARCH
        return await (self._search(call, self._provider) if search else self._report(call, self._provider))

    async def _search(self, call: HubCall, provider: KytProvider) -> HubAnswer:
        subject = _subject(call)
        try:
            url = self._callbacks.accepted_url(call.fields.get("callbackUrl"))
        except HubFault as fault:
            raise HubFault(400, "BAD_REQUEST", fault.message) from None
        now = self._clock()
        known = None if (force := _forced(call)) else await self._known(subject, provider)
        shared = None if force else self._analysing.get(subject)
        await _admit(provider, call, analysis=known is None and shared is None)
        request = await self._state.open_kyt(call.caller.entity_id, subject, now)
        if known is not None:
            await self._state.end_kyt(request.request_id, known, now)
        else:
            analysis = shared or self._begin(subject, provider)
            self._tasks.start(self._conclude(request, analysis, url), Operation.KYT_SEARCH)
        status = "PENDING" if known is None else "RELEASED"
        call.record.request_id, call.record.result = str(request.request_id), status
        message = _STARTED if known is None and shared is None else _LINKED
        told = {"requestId": request.request_id, "status": status, "message": message}
        return HubAnswer(_OK, orjson.dumps(told))

    async def _report(self, call: HubCall, provider: KytProvider) -> HubAnswer:
        if _REQUEST_ID.fullmatch(call.request_id) is None:
            raise HubFault(400, "BAD_REQUEST", "requestId must be a whole number in the query")
        await _admit(provider, call, analysis=False)
        request = await self._state.kyt_request(int(call.request_id), self._clock())
        if request is None:
            raise HubFault(404, "NOT_FOUND", "no such requestId is known, or it is no longer served")
        if request.caller != call.caller.entity_id:
            raise HubFault(403, "ACCESS_DENIED", "this requestId is another VASP's")
        call.record.result = request.status
        return HubAnswer(_OK, orjson.dumps(request.to_wire()))

    async def _known(self, subject: KytSubject, provider: KytProvider) -> Analysis | None:
        now = self._clock()
        return await self._state.analysis(subject, now) or await provider.known(subject, now)

    def _begin(self, subject: KytSubject, provider: KytProvider) -> asyncio.Future[Analysis]:
        analysis: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
        self._analysing[subject] = analysis
        self._tasks.start(self._analyse(subject, provider, analysis), Operation.KYT_SEARCH)
        return analysis

    async def _analyse(self, subject: KytSubject, provider: KytProvider, analysis: asyncio.Future[Analysis]) -> None:
        ended = Analysis(error=ANALYSIS_FAILED)
        try:
            ended = await provider.analyse(subject, self._clock())
        except Exception as error:  # noqa: BLE001 -- the edge to a provider: its report is FAILED
            log.error("kyt-failed", operation=Operation.KYT_SEARCH, error=error)  # noqa: TRY400 -- no texts in logs
        finally:
            # A forced analysis may have taken this place meanwhile.
            if self._analysing.get(subject) is analysis:
                del self._analysing[subject]
            analysis.set_result(ended)

    async def _conclude(self, request: KytRequest, analysis: asyncio.Future[Analysis], url: str) -> None:
        try:
            await asyncio.shield(analysis)
            # The receiver of a callback may request the report at once, so it is stored first.
            await self._state.end_kyt(request.request_id, analysis.result(), self._clock())
            if url:
                await self._send_callback(request, analysis.result(), url)
        except Exception as error:  # noqa: BLE001 -- the end of a task: the error would be lost
            log.error("kyt-failed", operation=Operation.KYT_SEARCH, error=error)  # noqa: TRY400 -- no texts in logs

    async def _send_callback(self, request: KytRequest, analysis: Analysis, url: str) -> None:
        ended = KytRequest(request.request_id, request.caller, request.subject, request.submitted_at, analysis)
        key = SearchKey(Operation.KYT_SEARCH, request.caller, str(request.request_id))
        outcome = SearchOutcome(ended.status, "", orjson.dumps(ended.to_wire()))
        await self._callbacks.send(Operation.KYT_SEARCH, key, url, outcome)


def _subject(call: HubCall) -> KytSubject:
    blockchain = call.fields["blockchain"].upper()
    if blockchain not in KYT_BLOCKCHAINS:
        raise HubFault(400, "UNSUPPORTED_BLOCKCHAIN", "blockchain is none of those that KYT analyses")
    return KytSubject(blockchain, canonical_hash(call.fields["txHash"]))


def _forced(call: HubCall) -> bool:
    return str(call.fields.get("force")).lower() == "true"


async def _admit(provider: KytProvider, call: HubCall, *, analysis: bool) -> None:
    try:
        await provider.admit(call.caller.entity_id, analysis=analysis)
    except NotServed:
        raise _not_served() from None


def _not_served() -> HubFault:
    return HubFault(422, "INVALID_ORIGIN", "KYT is not registered for this VASP, its quota is exceeded, or disabled")
