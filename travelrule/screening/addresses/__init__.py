"""Blockchain addresses: which texts are the same address, and whether a text is an address on a chain.

One reader per address family; none contacts a chain. Start at ``recognition``.
"""

from travelrule.screening.addresses.address_check import AddressCheck, CheckVerdict, check_address
from travelrule.screening.addresses.recognition import address_keys

__all__ = ["AddressCheck", "CheckVerdict", "address_keys", "check_address"]
