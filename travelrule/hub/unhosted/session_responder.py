"""Sessions of unhosted wallets: the token and the result, 4.B.5 and P.4 (hub-api.md section 7)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from datetime import timedelta

import orjson
from yarl import URL

from schemas.operations import Operation
from travelrule.hub.callback_addresses import has_userinfo
from travelrule.hub.callback_sender import CallbackSender
from travelrule.hub.hub_answer import HubAnswer, HubFault
from travelrule.hub.hub_call import HubCall
from travelrule.hub.ports import Clock
from travelrule.hub.risk.ports import RiskState
from travelrule.hub.risk.records import SESSION_SECONDS, Session, new_secret, token_hash
from travelrule.screening.addresses.hexadecimal import eip55
from travelrule.screening.chains import UNHOSTED_BLOCKCHAINS
from travelrule.screening.ownership.proof_message import ProofBinding, ProofMessage

_OK = 200
_CHAIN_IDS = {"ETH": "1", "BSC": "56", "MATIC": "137", "KAIA": "8217", "BASE": "8453", "ARBITRUM": "42161"}
_SOLANA = "SOL"
_EVM_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{40}")


class SessionResponder:
    """Creates sessions in which a customer proves ownership of a wallet, and returns their results."""

    names = (Operation.UNHOSTED_TOKEN, Operation.UNHOSTED_RESULT)

    def __init__(
        self, state: RiskState, callbacks: CallbackSender, clock: Clock, randomness: Callable[[int], bytes]
    ) -> None:
        self._state = state
        self._callbacks = callbacks
        self._clock = clock
        self._randomness = randomness

    async def answer(self, call: HubCall) -> HubAnswer:
        """Create a session, or return the result of one.

        Raises ``HubFault`` 422 for a field that does not fit, 404 if the caller has no such session.
        """
        if call.operation.name is Operation.UNHOSTED_RESULT:
            return await self._result(call)
        session = self._session(call)
        token = new_secret(self._randomness)
        await self._state.add_session(session, token_hash(token), session.created_at)
        call.record.request_id, call.record.result = session.id, "PENDING"
        return HubAnswer(_OK, orjson.dumps({"token": token, "walletVerificationId": session.id}))

    async def _result(self, call: HubCall) -> HubAnswer:
        now = self._clock()
        session = await self._state.session(call.request_id, now)
        # A session of another caller is not disclosed.
        if session is None or session.caller != call.caller.entity_id:
            raise HubFault(404, "NOT_FOUND", "no such verification is known of you")
        call.record.result = session.status(now)
        return HubAnswer(_OK, orjson.dumps(session.to_wire(now)))

    def _session(self, call: HubCall) -> Session:
        fields, now = call.fields, self._clock()
        blockchain = fields["blockchain"].upper()
        if blockchain not in UNHOSTED_BLOCKCHAINS:
            raise HubFault(422, "INVALID_MSG_FIELD_VALUE", "blockchain has no proof of ownership here")
        origin = origin_of(fields["widgetRenderingOrigin"])
        if not origin:
            raise HubFault(422, "INVALID_MSG_FIELD_VALUE", "widgetRenderingOrigin must be protocol, domain and port")
        url = self._callbacks.accepted_url(fields.get("callbackUrl"))
        session_id = str(uuid.UUID(bytes=self._randomness(16), version=4))
        domain = origin.partition("://")[2]
        bound = ProofBinding(domain, _written(fields["address"]), session_id, self._randomness(16).hex())
        expires_at = now + timedelta(seconds=SESSION_SECONDS)
        message = ProofMessage(
            bound=bound,
            chain="Solana" if blockchain == _SOLANA else "Ethereum",
            uri=origin,
            statement=f"I confirm to {call.caller.legal_name} that this wallet is mine.",
            issued_at=now,
            expires_at=expires_at,
            chain_id=_CHAIN_IDS.get(blockchain, "mainnet"),
        )
        return Session(
            id=session_id,
            caller=call.caller.entity_id,
            blockchain=blockchain,
            asset=fields["asset"],
            address=fields["address"],
            customer=fields["customerIdentification"],
            origin=origin,
            message=message.text(),
            nonce=bound.nonce,
            domain=domain,
            callback_url=url,
            created_at=now,
            expires_at=expires_at,
        )


def _written(address: str) -> str:
    """Return an address in the form of EIP-4361: wallets warn of a foreign page only in messages of this form."""
    return f"0x{eip55(address[2:].lower())}" if _EVM_ADDRESS.fullmatch(address) else address


def origin_of(text: str) -> str:
    """Return a browser's origin in one form, without the default port; empty if the text is no origin."""
    try:
        url = URL(text)
    except ValueError:
        return ""
    wrong = not url.host or url.scheme not in ("http", "https") or url.path not in ("", "/") or has_userinfo(text)
    return "" if wrong or url.query_string or url.fragment or not text.isprintable() else str(url.origin())
