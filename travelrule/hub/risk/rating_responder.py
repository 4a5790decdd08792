"""Wallet and transaction screening: 4.B.1 and 4.B.2 (screening.md sections 2 and 3)."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import orjson

from schemas.operations import Operation
from travelrule import logs
from travelrule.hub.hub_answer import HubAnswer
from travelrule.hub.hub_call import HubCall
from travelrule.hub.risk.ports import ProviderFailed, ScreeningProvider
from travelrule.hub.risk.records import RatedWallet, Rating
from travelrule.screening.chains import SCREENING_CHAINS

log = logs.get("hub")

_OK = 200


class RatingResponder:
    """Answers both screenings. The failure of a provider is answered with HTTP 200 and ``result`` ``ERROR``."""

    names = (Operation.WALLET_SCREENING, Operation.TRANSACTION_SCREENING)

    def __init__(self, provider: ScreeningProvider | None, randomness: Callable[[int], bytes]) -> None:
        self._provider = provider
        self._randomness = randomness

    async def answer(self, call: HubCall) -> HubAnswer:
        """Return the ratings."""
        traffic_id = str(uuid.UUID(bytes=self._randomness(16), version=4))
        try:
            told = await self._rated(call)
        except ProviderFailed as failure:
            told = {"result": "ERROR", "reasonMsg": failure.reason}
        except Exception as error:  # noqa: BLE001 -- the edge to a provider: the caller did nothing wrong
            log.error("screening-failed", operation=call.operation.name, error=error)  # noqa: TRY400 -- no texts in logs
            told = {"result": "ERROR", "reasonMsg": "the provider failed; the same call may be repeated"}
        call.record.result = told["result"]
        return HubAnswer(_OK, orjson.dumps({**told, "id": traffic_id}))

    async def _rated(self, call: HubCall) -> dict[str, Any]:
        chain = call.fields["chain"].upper()
        if self._provider is None:
            raise ProviderFailed("no provider of screening is arranged here")
        if chain not in SCREENING_CHAINS:
            raise ProviderFailed("chain is none of those that can be screened")
        if call.operation.name is Operation.WALLET_SCREENING:
            address = call.fields["walletAddress"]
            return {"result": "NORMAL", **_wallet(address, await self._provider.wallet(chain, address))}
        rated = await self._provider.transaction(chain, call.fields["txid"])
        return {
            "result": "NORMAL",
            "senderWallets": [_described(wallet) for wallet in rated.senders],
            "receiverWallets": [_described(wallet) for wallet in rated.receivers],
        }


def _wallet(address: str, rating: Rating) -> dict[str, Any]:
    return {"walletAddress": address, "securityCategory": rating.category, "securityTags": list(rating.tags)}


def _described(wallet: RatedWallet) -> dict[str, Any]:
    return {**_wallet(wallet.address, wallet.rating), "detailedDescription": wallet.rating.description}
