"""The ASGI application that the hub calls: member endpoints M1 to M8 and callbacks (member-api.md)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, get_args

from starlette.applications import Starlette
from starlette.routing import Route

from travelrule.engine.callback_urls import CALLBACK_PATH
from travelrule.gateway.admission import Admission
from travelrule.gateway.bodies import BODY_BYTES_MAX, CLEAR_BODY_BYTES_MAX
from travelrule.gateway.callbacks import Callback, Operation
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Answer, Call, Endpoint
from travelrule.gateway.endpoints.authorization import Authorization
from travelrule.gateway.endpoints.data_request import DataRequests
from travelrule.gateway.endpoints.finish import Finish
from travelrule.gateway.endpoints.health import Health
from travelrule.gateway.endpoints.status_search import StatusSearch
from travelrule.gateway.endpoints.txid_report import TxidReport
from travelrule.gateway.endpoints.txid_search import TxidSearch
from travelrule.gateway.endpoints.verify_address import LATE, VerifyAddress
from travelrule.gateway.lookups import WalletLookups, WithdrawalLookups
from travelrule.gateway.senders import Senders
from travelrule.listener.route_refusals import EXCEPTION_HANDLERS

__all__ = ["GatewayDeps", "create_gateway"]

Answering = Callable[[Call], Awaitable[Answer]]


def create_gateway(deps: GatewayDeps) -> Starlette:
    """Make the gateway of one VASP. Pairs of routes that differ only by method are M4 and M5, M6 and M7."""
    senders = Senders(deps.directory, deps.refresh_keys, deps.clock, deps.alert)
    wallets = WalletLookups(deps.reads, deps.verify_deadline_s)
    withdrawals = WithdrawalLookups(deps.withdrawals, deps.verify_deadline_s)
    slow, quick = deps.deadline_s, deps.verify_deadline_s

    def serve(
        method: str, path: str, operation: str, answer: Answering, deadline_s: float, *, sealed: bool, **more: Any
    ) -> Route:
        admit = Admission(operation, deps.rates, key_needed=sealed)
        body_max = BODY_BYTES_MAX if sealed else CLEAR_BODY_BYTES_MAX
        endpoint = Endpoint(operation, answer, deadline_s, admit=admit, room=deps.bodies, body_max=body_max, **more)
        return Route(path, endpoint, methods=[method])

    status_search, finish = StatusSearch(deps, senders), Finish(deps, senders)
    verify = VerifyAddress(deps, senders, wallets)
    authorization = Authorization(deps, senders, wallets)
    txid_search = TxidSearch(deps, senders, withdrawals)
    health = Endpoint(
        "health", Health(deps), quick, result_field="status", room=deps.bodies, body_max=CLEAR_BODY_BYTES_MAX
    )
    app = Starlette(
        routes=[
            serve("POST", "/v1/beneficiary/VerifyAddress", "address-search", verify, quick, sealed=True, late=LATE),
            serve("POST", "/v1/beneficiary/transfer", "transfer-authorization", authorization, slow, sealed=True),
            serve(
                "POST", "/v1/beneficiary/transfer/txid", "txid-report", TxidReport(deps, senders), slow, sealed=False
            ),
            serve(
                "POST",
                "/v1/vasp/transfer/status",
                "status-search",
                status_search,
                slow,
                sealed=False,
                result_field="status",
            ),
            serve("PUT", "/v1/vasp/transfer/status", "finish", finish, slow, sealed=False),
            serve("POST", "/v1/verification/tx", "txid-search", txid_search, quick, sealed=False),
            serve("PUT", "/v1/verification/tx", "data-request", DataRequests(deps, senders), slow, sealed=True),
            *_callbacks(deps),
            Route("/v1/vasp/health", health, methods=["GET"]),
        ],
        exception_handlers=EXCEPTION_HANDLERS,
    )
    # Paths are exact: a redirect would be an answer that the hub cannot use.
    app.router.redirect_slashes = False
    return app


def _callbacks(deps: GatewayDeps) -> list[Route]:
    operations: tuple[Operation, ...] = get_args(Operation)
    return [
        Route(
            CALLBACK_PATH.replace("{operation}", operation),
            Callback(operation, deps),
            methods=["POST"],
        )
        for operation in operations
    ]
