"""The rules for an inbound authorization (M2): orders 4 to 13 of member-api.md section 3, as a pure function.

Orders 1 and 2 (well-formed, decrypted) come before the input, order 3 (known before) is in the machine. The nine rules
apply in these orders: rule 2 in 4 and 5, rule 3 in 6 and 7, rules 4 and 9 in 10, rule 5 in 9. Rule 8 is the structure:
every step needs a reason to pass, and only the last one returns ``verified``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from schemas.events.persons import Person
from schemas.ivms101 import Ivms101
from travelrule.identity.name_comparison import (
    NamedParty,
    birth_date_differs,
    compare_party,
    is_first_party,
    named_party,
    party_kind,
)
from travelrule.identity.person_objects import Ivms
from travelrule.identity.required_data import lacking
from travelrule.messages.inbound_request import AuthorizationReceived, WalletFacts
from travelrule.policy.policy import HUB_ENTITY, Policy


@dataclass(frozen=True, slots=True)
class Examined:
    """The outcome. ``reason`` is empty for ``verified``; ``message`` contains nothing about the owner.

    ``payload`` is the request's inner object after the overwrite of ``OriginatingVASP`` (D8); ``wallets`` are our
    addresses that the request names.
    """

    reason: str
    message: str
    payload: Ivms = field(repr=False)
    wallets: tuple[WalletFacts, ...] = field(default=(), repr=False)

    @property
    def verified(self) -> bool:
        """Whether nothing failed."""
        return not self.reason


def examine(request: AuthorizationReceived, policy: Policy) -> Examined:
    """Evaluate the orders; the first failure is the answer."""
    payload = request.payload
    if not _sender_accepted(request, policy):
        return Examined("UNKNOWN", "transfers of this sender are not accepted", payload)
    ivms = request.read.ivms101
    if ivms is not None and (message := _combination(ivms, policy)):
        return Examined("UNKNOWN", message, payload)
    if lacking(payload, "authorization-request"):
        return Examined("LACK_OF_INFORMATION", _lacks(payload), payload)
    if ivms is None:
        return Examined("LACK_OF_INFORMATION", "the payload holds values of another type than IVMS101 says", payload)
    if not policy.serves(request.currency, request.network):
        return Examined("NOT_SUPPORTED_SYMBOL", "the currency is not open for deposits", payload)
    wallets = _wallets(request, ivms)
    if not wallets and _asset_unknown(request, ivms, policy):
        return Examined("NOT_SUPPORTED_SYMBOL", "the currency is not open for deposits there", payload)
    if not wallets:
        return Examined("NOT_FOUND_ADDRESS", "no such deposit address", payload)
    reason, message = _owners(request, ivms, wallets, policy)
    return Examined(reason, message, payload, wallets)


def _sender_accepted(request: AuthorizationReceived, policy: Policy) -> bool:
    """Order 4, first half: an outsider, or a VASP that the policy does not accept. The hub itself always is."""
    if request.entity_id == HUB_ENTITY:
        return True
    sender = request.sender
    return sender is not None and policy.accepts(request.entity_id, request.origin, sender.origin)


def _combination(ivms: Ivms101, policy: Policy) -> str:
    """Order 4, second half: natural or legal to natural or legal. Unknown while the beneficiary is not named."""
    sender = party_kind(ivms.originator.originator_persons) if ivms.originator else None
    receiver = party_kind(ivms.beneficiary.beneficiary_persons) if ivms.beneficiary else None
    if sender is None or receiver is None or f"{sender}-to-{receiver}" in policy.names.accept_combinations:
        return ""
    return f"transfers from {sender} to {receiver} persons are not accepted"


def _lacks(payload: Ivms) -> str:
    """Return which fields are missing: paths of the IVMS101 model, no values."""
    paths = [fault.path for fault in lacking(payload, "authorization-request")[:5]]
    return f"missing or incomplete: {', '.join(paths)}"


def _wallets(request: AuthorizationReceived, ivms: Ivms101) -> tuple[WalletFacts, ...]:
    """Order 7: return our addresses if every account number is one for this currency; else none."""
    numbers = [number for number in ivms.beneficiary.account_number if number.strip()] if ivms.beneficiary else []
    found: list[WalletFacts] = []
    for number in numbers:
        own = [wallet for wallet in request.wallets if wallet.account_number == number and _takes(wallet, request)]
        if not own:
            return ()
        found += own
    return tuple(found)


def _asset_unknown(request: AuthorizationReceived, ivms: Ivms101, policy: Policy) -> bool:
    """Order 6: the wallets at the account numbers do not take the currency, and ``[assets]`` does not list it either.

    The hub's table of networks does not limit what our customers can receive.
    """
    numbers = [number for number in ivms.beneficiary.account_number if number.strip()] if ivms.beneficiary else []
    owned = {wallet.account_number for wallet in request.wallets}
    return owned.issuperset(numbers) and bool(numbers) and not policy.names_asset(request.currency, request.network)


def _takes(wallet: WalletFacts, request: AuthorizationReceived) -> bool:
    if request.currency.upper() not in {currency.upper() for currency in wallet.currencies}:
        return False
    networks = {network.upper() for network in wallet.networks}
    return not request.network or not networks or request.network.upper() in networks


def _owners(
    request: AuthorizationReceived, ivms: Ivms101, wallets: tuple[WalletFacts, ...], policy: Policy
) -> tuple[str, str]:
    """Orders 8 to 12: the checks of the owners of the addresses."""
    if not all(wallet.kyc for wallet in wallets):
        return "NOT_KYC_USER", "the owner has not finished KYC"
    if request.originator_sanctioned or any(wallet.sanctioned for wallet in wallets):
        return "SANCTION_LIST", "a party or the address is on a list"
    if policy.sanctions == "required" and request.originator_sanctioned is None:
        return "UNKNOWN", "the parties could not be screened"
    reason, message = _names(request, ivms, wallets, policy)
    if reason:
        return reason, message
    sent = ivms.beneficiary.beneficiary_persons if ivms.beneficiary else ()
    if policy.names.check_date_of_birth and any(birth_date_differs(sent, one) for one in _distinct(wallets) if one):
        return "DOB_MISMATCHED", "the date of birth differs"
    if policy.names.first_party_only and not _first_party(ivms, wallets, policy):
        return "INPUT_NAME_MISMATCHED", "only self-transfers are accepted"
    return "", ""


def _names(
    request: AuthorizationReceived, ivms: Ivms101, wallets: tuple[WalletFacts, ...], policy: Policy
) -> tuple[str, str]:
    """Order 10, rules 4, 8 and 9: a name that was sent must match every owner; one may be required."""
    sent = ivms.beneficiary.beneficiary_persons if ivms.beneficiary else ()
    price = Decimal(request.trade_price)
    exceeding = policy.exceeds(price, request.trade_currency, flagged=request.is_exceeding_threshold)
    required = exceeding or policy.names.apply_to == "all"
    party = named_party(sent)
    results = {_compared(party, owner, policy, named=bool(sent)) for owner in _distinct(wallets)}
    if results == {"match"}:
        return "", ""
    if "different" in results:
        return "INPUT_NAME_MISMATCHED", "the beneficiary's name differs from the owner's"
    if required:
        return "LACK_OF_INFORMATION", "the beneficiary's name is missing"
    return "", ""


def _distinct(wallets: tuple[WalletFacts, ...]) -> list[Person | None]:
    """Return each owner once: several addresses of a request usually belong to one customer."""
    owners: list[Person | None] = []
    for wallet in wallets:
        if wallet.owner not in owners:
            owners.append(wallet.owner)
    return owners


def _compared(party: NamedParty, owner: Person | None, policy: Policy, *, named: bool) -> str:
    if owner is None:
        # Nothing proves a match, and a name that was not sent cannot differ.
        return "different" if named else "missing"
    return compare_party(party, owner, policy.names.representatives)


def _first_party(ivms: Ivms101, wallets: tuple[WalletFacts, ...], policy: Policy) -> bool:
    sender = ivms.originator.originator_persons if ivms.originator else ()
    receiver = ivms.beneficiary.beneficiary_persons if ivms.beneficiary else ()
    return all(
        owner is not None and is_first_party(sender, receiver, owner, policy.names.representatives)
        for owner in _distinct(wallets)
    )
