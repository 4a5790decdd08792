"""Blockchain addresses for screening: what is the same address, and what is one at all."""

from travelrule.screening.addresses.address_check import AddressCheck, CheckVerdict, check_address
from travelrule.screening.addresses.recognition import address_keys

__all__ = ["AddressCheck", "CheckVerdict", "address_keys", "check_address"]
