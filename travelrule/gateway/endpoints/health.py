"""M8 GET /v1/vasp/health: 200 only if M1 and M2 could be served now (member-api.md 10)."""

from __future__ import annotations

from dataclasses import dataclass

from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Answer, Call
from travelrule.gateway.refusals import internal


@dataclass(frozen=True, slots=True)
class Health:
    """The operation; one instance per gateway. A gateway has keys; the database may be down."""

    deps: GatewayDeps

    async def __call__(self, call: Call) -> Answer:  # noqa: ARG002 -- no header is required
        """Answer one request."""
        if not await self.deps.reads.ready():
            raise internal()
        return {"status": "up"}
