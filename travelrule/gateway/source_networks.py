"""The peers that may connect: the hub's addresses (auth.md 7).

M3 to M5 carry no other proof of their sender.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

Network = IPv4Network | IPv6Network

_REMEMBERED_MAX = 4096


class Sources:
    """The allow-list by the peer address of the connection; forwarded-for headers are ignored."""

    def __init__(self, networks: Sequence[Network]) -> None:
        self._networks = tuple(networks)
        self._remembered: dict[str, bool] = {}

    def allow(self, host: str | None) -> bool:
        """Return whether a peer may connect; one without a valid address may not."""
        if host is None:
            return False
        allowed = self._remembered.get(host)
        if allowed is None:
            allowed = self._look(host)
            if len(self._remembered) >= _REMEMBERED_MAX:
                self._remembered.clear()
            self._remembered[host] = allowed
        return allowed

    def _look(self, host: str) -> bool:
        try:
            address = ip_address(host)
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            # A listener on both families reports IPv4 peers in this form.
            address = address.ipv4_mapped
        return any(address in network for network in self._networks)
