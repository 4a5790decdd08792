"""Answers to ``LookUp`` effects from the local store and the lists in force."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from travelrule.engine.lists.active_lists import ActiveLists
from travelrule.engine.queries.authorizations import AuthorizationReader
from travelrule.identity.account_numbers import join
from travelrule.messages.assessment import Party
from travelrule.store.search_rows import SearchRepository, WalletRecord


class LocalAnswers:
    """Answers the questions of ``machine.effects.LookUp``."""

    def __init__(self, reads: SearchRepository, authorizations: AuthorizationReader, lists: ActiveLists) -> None:
        self._reads = reads
        self._authorizations = authorizations
        self._lists = lists

    async def answer(self, question: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the answer as JSON-able data. Raise KeyError for an unknown question."""
        questions = {"deposit-context": self._deposit_context, "screening": self._screening}
        return await questions[question](parameters)

    async def _screening(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Screen ``parties`` and ``address`` (None: there is none) with ``threshold``, a decimal as text."""
        parties = [Party.model_validate(party) for party in parameters["parties"]]
        addresses = [parameters["address"]] if parameters["address"] else []
        screened = await self._lists.screen(parties, addresses, threshold=Decimal(parameters["threshold"]))
        hits = [
            {"list": hit.list, "entry": hit.entry, "score": str(hit.score), "reason": hit.reason, "what": hit.what}
            for hit in screened.hits
        ]
        return {"checked": screened.checked, "hits": hits, "lists": dict(screened.versions)}

    async def _deposit_context(self, parameters: dict[str, Any]) -> dict[str, Any]:
        asked = join(parameters["address"], parameters.get("tag") or None)
        found = await self._reads.wallets_at([asked])
        fitting = [wallet for wallet in found if not wallet.tag or wallet.tag == wallet.found_tag]
        authorizations = await self._authorizations.announcing(
            asked, parameters["currency"], Decimal(parameters["amount"])
        )
        return {
            "wallet": _wallet(fitting[0]) if fitting else None,
            "authorizations": [
                {
                    "subject": record.subject,
                    "origin": record.counterparty,
                    "transferId": record.transfer_id,
                    "status": record.status,
                    "txid": record.txid,
                }
                for record in authorizations
            ],
        }


def _wallet(wallet: WalletRecord) -> dict[str, Any]:
    owner = wallet.owner.model_dump(mode="json", by_alias=True, exclude_none=True) if wallet.owner is not None else None
    return {
        "walletId": wallet.wallet_id,
        "customerId": wallet.customer_id,
        "kyc": wallet.kyc,
        "currencies": list(wallet.currencies),
        "networks": list(wallet.networks),
        "tag": wallet.tag,
        "owner": owner,
    }
