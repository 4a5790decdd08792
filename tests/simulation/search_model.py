"""What the store's read queries find, in memory: wallets, exchanges and withdrawals by what they are searched for."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from schemas.events.persons import Person
from travelrule.deposits.served_requests.received_request import WithdrawalFacts
from travelrule.exchange.wire_bodies import split_destination
from travelrule.gateway.wallet_match import wallets_of_account
from travelrule.identity.account_numbers import candidates, join, tag_fits
from travelrule.identity.txids import txid_key
from travelrule.machine.projection import ExchangeRow, Projection, WalletRow, WithdrawalRow
from travelrule.store.search_rows import OPEN_AUTHORIZATIONS, WalletRecord


class SearchModel:
    """The search rows of one VASP: ``engine.apply.projection_rows`` writes them, ``store.search_rows`` finds them."""

    def __init__(self) -> None:
        self.wallets: dict[str, WalletRow] = {}
        self.exchanges: dict[tuple[str, str, str], ExchangeRow] = {}
        self._wallets_at: dict[str, dict[str, None]] = {}
        self._inbound_at: dict[str, list[tuple[str, str, str]]] = {}
        self._subjects: dict[tuple[str, str, str], str] = {}
        self._sent: dict[tuple[str, str], dict[str, str | None]] = {}

    def keep(self, subject: str, projection: Projection) -> None:
        """Write a subject's rows."""
        for row in projection.rows:
            match row:
                case WalletRow():
                    self._keep_wallet(row)
                case ExchangeRow():
                    self._keep_exchange(subject, row)
                case WithdrawalRow() if row.txid:
                    found = self._sent.setdefault((txid_key(row.txid), row.address), {})
                    found[subject] = row.vout

    def _keep_wallet(self, row: WalletRow) -> None:
        before = self.wallets.pop(row.wallet_id, None)
        if before is not None:
            self._wallets_at[before.address].pop(row.wallet_id, None)
        if not row.removed:
            self.wallets[row.wallet_id] = row
            self._wallets_at.setdefault(row.address, {})[row.wallet_id] = None

    def _keep_exchange(self, subject: str, row: ExchangeRow) -> None:
        key = (row.side, row.counterparty, row.transfer_id)
        if key not in self.exchanges and row.side == "beneficiary":
            self._inbound_at.setdefault(row.address, []).append(key)
        self.exchanges[key] = row
        self._subjects[key] = subject

    def wallets_at(self, asked: str) -> list[WalletRecord]:
        """``SearchRepository.wallets_at`` for one text."""
        return [
            _record(self.wallets[name], asked, tag)
            for address, tag in candidates(asked)
            for name in self._wallets_at.get(address, ())
            if self.wallets[name].tag in ("", None, tag)
        ]

    def meant(self, asked: str) -> list[WalletRecord]:
        return wallets_of_account(asked, self.wallets_at(asked))

    def open_authorizations(self, asked: str, currency: str, amount: Decimal) -> list[tuple[str, ExchangeRow]]:
        """``SearchRepository.open_authorizations``: verified, of this amount, no txid, newest first."""
        found = [one for one in self.announced(asked) if (one[1].currency, one[1].amount) == (currency.upper(), amount)]
        return found[:OPEN_AUTHORIZATIONS]

    def announced(self, asked: str) -> list[tuple[str, ExchangeRow]]:
        """All that are verified and have no txid."""
        keys = [key for address, _ in candidates(asked) for key in self._inbound_at.get(address, ())]
        found = [(self._subjects[key], self.exchanges[key]) for key in reversed(keys)]
        return [one for one in found if one[1].status == "verified" and one[1].txid is None]

    def outgoing(self, transfer_id: str, counterparty: str) -> ExchangeRow | None:
        """``SearchRepository.outgoing_exchange``."""
        return self.exchanges.get(("originating", counterparty, transfer_id))

    def sent(self, states: dict[str, Any], txid: str, account: str) -> list[WithdrawalFacts]:
        """``ServedWithdrawals.facts``, without what the wallets tell of the sender's KYC."""
        for address, tag in candidates(account):
            rows = self._sent.get((txid_key(txid), address), {})
            facts = [
                WithdrawalFacts(subject=subject, request=states[subject].request, vout=vout, kyc=True)
                for subject, vout in rows.items()
                if tag_fits(tag, split_destination(states[subject].request.destination)[1])
            ]
            if facts:
                return facts
        return []

    def deposit_context(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """``LookUps``: whose address it is, and which open authorizations could mean the deposit."""
        asked = join(parameters["address"], parameters.get("tag") or None)
        fitting = [one for one in self.wallets_at(asked) if not one.tag or one.tag == one.found_tag]
        announced = [
            {
                "subject": subject,
                "origin": row.counterparty,
                "transferId": row.transfer_id,
                "status": row.status,
                "txid": row.txid,
            }
            for subject, row in self.open_authorizations(asked, parameters["currency"], Decimal(parameters["amount"]))
        ]
        return {"wallet": _context(fitting[0]) if fitting else None, "authorizations": announced}


def _record(row: WalletRow, asked: str, found_tag: str | None) -> WalletRecord:
    return WalletRecord(
        wallet_id=row.wallet_id,
        asked=asked,
        found_tag=found_tag,
        tag=row.tag,
        currencies=row.currencies,
        networks=row.networks,
        kyc=row.kyc,
        customer_id=row.customer_id,
        owner=Person.model_validate(row.owner) if row.owner is not None else None,
    )


def _context(wallet: WalletRecord) -> dict[str, Any]:
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
