"""Callbacks: the outcome of a search, sent to the URL that its caller named (member-api.md section 11)."""

from __future__ import annotations

import time
from typing import Any

from yarl import URL

from schemas.operations import Operation
from travelrule import logs
from travelrule.hub.body_shapes import absent
from travelrule.hub.callback_addresses import has_userinfo, is_disguised, is_public, literal_address
from travelrule.hub.hub_answer import HubFault
from travelrule.hub.members.member import HUB_ENTITY
from travelrule.hub.ports import CallbackCall, CallbackTransport, Clock, Journal, NoMemberAnswer
from travelrule.hub.records import CallRecord
from travelrule.hub.searches.records import SearchKey, SearchOutcome

log = logs.get("hub")

URL_CHARACTERS_MAX = 2000


class UnreachableCallbacks:
    """``CallbackTransport`` of a hub without network access: every callback is lost."""

    async def post_callback(self, _: CallbackCall) -> int:
        """Lose the callback."""
        raise NoMemberAnswer(reached=False)


class CallbackSender:
    """Checks callback URLs and sends outcomes to them: one POST each, no retry.

    ``allow_http`` is for tests: URLs of the hub's own machine are accepted, also with plain HTTP. ``timeout_seconds``
    is the limit for one POST.
    """

    def __init__(
        self,
        transport: CallbackTransport,
        clock: Clock,
        *,
        timeout_seconds: float,
        allow_http: bool,
        journal: Journal | None = None,
    ) -> None:
        self._transport = transport
        self._clock = clock
        self._timeout_seconds = timeout_seconds
        self._allow_http = allow_http
        self._journal = journal

    def accepted_url(self, given: Any) -> str:
        """Return the URL to call, empty if none is given. Raises ``HubFault`` 422 for a URL that is not allowed."""
        if absent(given):
            return ""
        if isinstance(given, str) and len(given) <= URL_CHARACTERS_MAX and self._may_be_called(given):
            return given
        raise HubFault(422, "INVALID_MSG_FIELD_VALUE", "callbackUrl must be an https:// URL of a public host")

    def _may_be_called(self, given: str) -> bool:
        try:
            url = URL(given)
        except ValueError:
            return False
        if not url.host or not given.isprintable() or has_userinfo(given):
            return False
        if self._allow_http and _is_loopback(url.host):
            return url.scheme in ("http", "https")
        address = literal_address(url.host)
        if is_disguised(url.host):
            return False
        # A name is checked when it is resolved for the connection.
        return url.scheme == "https" and (address is None or is_public(address))

    async def send(self, search: Operation, key: SearchKey, url: str, outcome: SearchOutcome) -> None:
        """Send the outcome of a search once, and record the call."""
        began = time.perf_counter()
        record = CallRecord(
            at=self._clock(),
            operation=Operation.CALLBACK,
            caller=HUB_ENTITY,
            target=key.caller,
            request_id=key.request_id,
            result=outcome.result,
            reason_type=outcome.reason_type,
            reached=True,
        )
        try:
            call = CallbackCall(search, key.caller, url, outcome.body, self._timeout_seconds, record)
            record.status = record.member_status = await self._transport.post_callback(call)
        except NoMemberAnswer as silence:
            record.reached = silence.reached
            record.error_type = "BENEFICIARY_VASP_REQUEST_TIMEOUT"
        except Exception as error:  # noqa: BLE001 -- the edge to a transport: the search has ended anyway
            log.error("callback-failed", member=key.caller, error=error)  # noqa: TRY400 -- no texts in logs
        finally:
            record.seconds = time.perf_counter() - began
            if self._journal is not None:
                self._journal.record(record)


def _is_loopback(host: str) -> bool:
    address = literal_address(host)
    return address.is_loopback if address is not None else host == "localhost"
