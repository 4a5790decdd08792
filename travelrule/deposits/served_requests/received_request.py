"""The input of the ``data-request`` machine: a transaction data request (M7) with the facts that its decision needs.

The gateway looks the facts up (the requester's entry, the withdrawals with this txid and address). They are no part of
the request, by which a repetition is recognised, but they are stored with the input, so that the decision can be
computed again.
"""

from __future__ import annotations

from typing import Any

from schemas.events.persons import Person
from schemas.events.withdrawals import WithdrawalRequested
from schemas.wire_model import Wire
from travelrule.messages.inbound_request import SenderFacts


class WithdrawalFacts(Wire):
    """A withdrawal of ours in the transaction to the address.

    ``request`` is None if the withdrawal's data were erased: that it was sent is still known, the sender is not.
    ``kyc``: whether its customer has finished KYC, None without a registered wallet; ``owner`` is the person that the
    wallet's registration names for that customer.
    """

    subject: str
    request: WithdrawalRequested | None = None
    vout: str | None = None
    kyc: bool | None = None
    owner: Person | None = None


class DataRequestReceived(Wire):
    """M7: a request that passed order 1 (well-formed, decrypted) of member-api.md section 8.

    ``origin`` is ``X-Request-Origin``, ``entity_id`` the requester's entity id in it. ``ivms101`` is the opened inner
    object, untouched. ``requester`` is None for an unverified sender. ``withdrawals`` are all our
    withdrawals of the transaction to that address, the oldest first.
    """

    origin: str
    entity_id: str
    transfer_id: str
    txid: str
    beneficiary_address: str
    currency: str | None = None
    network: str | None = None
    ivms101: dict[str, Any]
    requester: SenderFacts | None = None
    withdrawals: tuple[WithdrawalFacts, ...] = ()


DATA_REQUEST_INPUTS: dict[str, type[Wire]] = {"data-request.received": DataRequestReceived}
"""The model of each internal input's data."""
