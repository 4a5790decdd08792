"""The ASGI application that the hub calls: member endpoints M1 to M8 and callbacks (member-api.md)."""

from __future__ import annotations

from typing import get_args

from starlette.applications import Starlette
from starlette.routing import Route

from travelrule.engine.searches import CALLBACK_PATH
from travelrule.gateway.authorization import Authorization
from travelrule.gateway.callbacks import Callback, Operation
from travelrule.gateway.data_request import DataRequests
from travelrule.gateway.deps import GatewayDeps
from travelrule.gateway.endpoint import Endpoint
from travelrule.gateway.finish import Finish
from travelrule.gateway.health import Health
from travelrule.gateway.lookups import WalletLookups, WithdrawalLookups
from travelrule.gateway.senders import Senders
from travelrule.gateway.status_search import StatusSearch
from travelrule.gateway.txid_report import TxidReport
from travelrule.gateway.txid_search import TxidSearch
from travelrule.gateway.verify_address import LATE, VerifyAddress
from travelrule.listener.route_refusals import EXCEPTION_HANDLERS

__all__ = ["GatewayDeps", "create_gateway"]


def create_gateway(deps: GatewayDeps) -> Starlette:
    """Make the gateway of one VASP. Pairs of routes that differ only by method are M4 and M5, M6 and M7."""
    senders = Senders(deps.directory, deps.refresh_keys, deps.clock, deps.alert)
    wallets = WalletLookups(deps.reads, deps.verify_deadline_s)
    withdrawals = WithdrawalLookups(deps.withdrawals, deps.verify_deadline_s)
    slow = deps.deadline_s
    app = Starlette(
        routes=[
            Route(
                "/v1/beneficiary/VerifyAddress",
                Endpoint(
                    "address-search",
                    VerifyAddress(deps, senders, wallets),
                    deps.verify_deadline_s,
                    late=LATE,
                ),
                methods=["POST"],
            ),
            Route(
                "/v1/beneficiary/transfer",
                Endpoint("transfer-authorization", Authorization(deps, senders, wallets), slow),
                methods=["POST"],
            ),
            Route(
                "/v1/beneficiary/transfer/txid",
                Endpoint("txid-report", TxidReport(deps, senders), slow),
                methods=["POST"],
            ),
            Route(
                "/v1/vasp/transfer/status",
                Endpoint("status-search", StatusSearch(deps, senders), slow, result_field="status"),
                methods=["POST"],
            ),
            Route(
                "/v1/vasp/transfer/status",
                Endpoint("finish", Finish(deps, senders), slow),
                methods=["PUT"],
            ),
            Route(
                "/v1/verification/tx",
                Endpoint("txid-search", TxidSearch(deps, senders, withdrawals), deps.verify_deadline_s),
                methods=["POST"],
            ),
            Route(
                "/v1/verification/tx",
                Endpoint("data-request", DataRequests(deps, senders), slow),
                methods=["PUT"],
            ),
            *_callbacks(deps),
            Route(
                "/v1/vasp/health",
                Endpoint("health", Health(deps), deps.verify_deadline_s, result_field="status"),
                methods=["GET"],
            ),
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
