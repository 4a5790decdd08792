"""The check of a request before its body is read: whether its headers name a member within its rate."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.operations import MemberOperation
from travelrule.gateway.rates import MemberRates
from travelrule.gateway.request_origin import Headers, caller_of


@dataclass(frozen=True, slots=True)
class Admission:
    """The check of one operation. ``key_needed``: it carries a payload, so the headers must name the sender's key."""

    operation: MemberOperation
    rates: MemberRates
    key_needed: bool

    async def __call__(self, headers: Headers) -> None:
        """Raise ``Refused`` for invalid headers and for a member that has used up its rate."""
        await self.rates.check(caller_of(headers, key_needed=self.key_needed), self.operation)
