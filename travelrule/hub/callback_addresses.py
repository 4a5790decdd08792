"""Where a callback may go: a URL that a member names must not make the hub call inside its own network.

A name is judged when it is resolved for the connection, so that it cannot change in between; an address in the URL is
judged as it stands.
"""

from __future__ import annotations

import re
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

_USERINFO = re.compile(r"[^:/?#]*:?//[^/?#]*@")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*", re.ASCII)
_NAT64 = IPv6Network("64:ff9b::/96")


def has_userinfo(url: str) -> bool:
    """Whether a URL names a user, be it an empty one: readers differ on which part is the host then."""
    return _USERINFO.match(url) is not None


def literal_address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address that ``host`` is, or None for a name."""
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None


def is_disguised(host: str) -> bool:
    """Whether ``host`` is no address in its usual form, and no name either, as its last part is a number: systems take
    such a text for an address, and a client may connect to it without asking its resolver.
    """
    last = host.removesuffix(".").rpartition(".")[2]
    return literal_address(host) is None and _NUMBER.fullmatch(last) is not None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to the public internet, an IPv4 address inside an IPv6 one included."""
    if isinstance(address, IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in _NAT64:
            inner.append(IPv4Address(int(address) & 0xFFFF_FFFF))
        if not all(is_public(one) for one in inner if one is not None):
            return False
        if address.ipv4_mapped is not None:
            return True
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


class PublicResolver(AbstractResolver):
    """Resolves names, and keeps the addresses that a callback may go to."""

    def __init__(self, inner: AbstractResolver | None = None) -> None:
        self._inner = inner or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the public addresses of ``host``; ``OSError`` if it has none."""
        found = await self._inner.resolve(host, port, family)
        public = [one for one in found if is_public(ip_address(one["host"].partition("%")[0]))]
        if not public:
            raise OSError("the name has no public address")
        return public

    async def close(self) -> None:
        """Close the resolver below."""
        await self._inner.close()
