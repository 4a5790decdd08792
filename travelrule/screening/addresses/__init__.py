"""Blockchain addresses for screening: what is the same address, and what is one at all."""

from travelrule.screening.addresses.check import AddressCheck, CheckVerdict, check_address
from travelrule.screening.addresses.recognise import address_keys

__all__ = ["AddressCheck", "CheckVerdict", "address_keys", "check_address"]
