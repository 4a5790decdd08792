from __future__ import annotations

from decimal import Decimal

import pytest

from tests.support.events import TAG, TXID, WITHDRAWAL_ID, cancelled, requested
from tests.support.exchange_scenes import allowed, asking, reporting, waiting
from travelrule.engine.registry import MACHINES
from travelrule.exchange.originator.projection import FIAT_MINOR_MAX, fiat_minor


def project(scene):
    return MACHINES["withdrawal"].project(scene.state)


def test_before_the_authorization_there_is_no_exchange_to_find():
    projection = project(asking())
    (row,) = projection.rows
    assert (row.withdrawal_id, row.amount, row.customer_id) == (WITHDRAWAL_ID, Decimal("250.50"), "c-1001")
    assert TAG not in row.address
    assert (projection.status, projection.verdict, projection.due_at) == ("", "open", None)


def test_a_reported_withdrawal_can_be_found_by_its_txid_and_its_transfer_id():
    scene = reporting()
    projection = project(scene)
    withdrawal, exchange = projection.rows
    assert (withdrawal.txid, exchange.txid, exchange.transfer_id) == (TXID, TXID, WITHDRAWAL_ID)
    assert (exchange.side, exchange.status, exchange.chain, exchange.counterparty) == (
        "originating", "processing", "broadcast", "south",
    )  # fmt: skip
    assert projection.due_timer == "conclude"
    assert projection.due_at == scene.state.timers["conclude"]


def test_the_status_search_finds_a_canceled_exchange_as_canceled():
    scene = allowed()
    scene.submit(cancelled())
    assert project(scene).rows[1].status == "canceled"


@pytest.mark.parametrize(
    ("price", "currency", "minor"),
    [
        ("150.30", "USD", 15030),
        ("0", "EUR", 0),
        ("1.005", "EUR", 100),
        ("1.015", "EUR", 102),
        ("85416.5", "KRW", 85416),
        ("999", "JPY", 999),
        ("1e29", "USD", FIAT_MINOR_MAX),
    ],
)
def test_fiat_in_minor_units(price, currency, minor):
    assert fiat_minor(Decimal(price), currency) == minor


def test_nothing_personal_stands_in_a_repr():
    scene = waiting()
    for shown in (repr(scene.state), repr(scene.last), repr(project(scene)), repr(scene.input(requested()))):
        for secret in ("Berg", "Lind", "c-1001", "rPEPPER", TAG, "1990"):
            assert secret not in shown
