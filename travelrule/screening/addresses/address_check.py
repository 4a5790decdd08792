"""Whether a text is an address on a chain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from travelrule.screening.addresses import eos, near
from travelrule.screening.addresses.address_form import AddressForm
from travelrule.screening.addresses.chain_kinds import CHAIN_KINDS
from travelrule.screening.addresses.hexadecimal import checksum_warning
from travelrule.screening.addresses.recognition import recognise
from travelrule.screening.chains import folded

CheckVerdict = Literal["valid", "invalid", "unknown"]

_BY_CHAIN_ONLY: Mapping[str, Callable[[str], AddressForm | None]] = MappingProxyType(
    {"EOS": eos.read, "VAULTA": eos.read, "NEAR": near.read_any}
)
"""Account names look like words, so they are read only for their chain."""


@dataclass(frozen=True, slots=True)
class AddressCheck:
    """The validity of an address on a chain.

    ``form`` names the family of the text, even that of another chain; empty if it has none. ``flaws`` are the reasons
    why an address of the right family is invalid. ``warnings`` are irregularities of a valid one, which is screened
    nevertheless. ``tag`` is part of the text (X-address, muxed account).
    """

    verdict: CheckVerdict
    form: str = ""
    flaws: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    tag: str | None = field(default=None, repr=False)


def check_address(address: str, chain: str) -> AddressCheck:
    """Check an address, without the tag or memo behind it, for the main network of a chain.

    ``chain`` is a screening chain or the network's name for a coin network, in any spelling. On a chain that is not in
    the table every address is ``unknown``, and the caller must not treat it as valid.
    """
    name = folded(chain)
    kinds = CHAIN_KINDS.get(name)
    forms = recognise(address)
    if kinds is None:
        return _answer("unknown", forms[0], address) if forms else AddressCheck("unknown")
    read = _BY_CHAIN_ONLY.get(name)
    by_chain = read(address) if read and address.isascii() else None
    forms = (*forms, by_chain) if by_chain else forms
    fitting = [form for form in forms if form.kind in kinds]
    if fitting:
        best = min(fitting, key=lambda form: len(form.flaws))
        return _answer("invalid" if best.flaws else "valid", best, address)
    return AddressCheck("invalid", forms[0].name) if forms else AddressCheck("invalid")


def _answer(verdict: CheckVerdict, form: AddressForm, address: str) -> AddressCheck:
    warnings = form.warnings
    if form.kind in ("evm", "xdc"):
        warnings += checksum_warning(address)
    return AddressCheck(verdict, form.name, form.flaws, warnings, form.tag)
