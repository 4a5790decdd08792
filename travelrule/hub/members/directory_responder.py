"""Operations that the hub answers itself: VASP list, public key, coin networks (hub-api.md section 2)."""

from __future__ import annotations

import orjson

from schemas.operations import Operation
from travelrule.hub.hub_answer import HubAnswer
from travelrule.hub.hub_call import HubCall
from travelrule.hub.ports import HubState


class DirectoryResponder:
    """Answers 4.A.1, 4.A.2 and 4.A.3. The list is serialized once per change; 4.A.2 is read with every call."""

    names = (Operation.VASP_LIST, Operation.PUBLIC_KEY, Operation.COIN_NETWORKS)

    def __init__(self, state: HubState) -> None:
        self._state = state
        self._list = b""
        self._list_revision: int | None = None
        self._answers = {
            Operation.VASP_LIST: self._vasp_list,
            Operation.PUBLIC_KEY: self._public_key,
            Operation.COIN_NETWORKS: self._coin_network,
        }

    async def answer(self, call: HubCall) -> HubAnswer:
        """Return the answer to a checked call."""
        return HubAnswer(200, await self._answers[call.operation.name](call))

    async def _vasp_list(self, _: HubCall) -> bytes:
        revision = await self._state.revision()
        if revision != self._list_revision:
            members = await self._state.members()
            self._list = orjson.dumps({"vasps": [member.listed(up=up) for member, up in members]})
            self._list_revision = revision
        return self._list

    async def _public_key(self, call: HubCall) -> bytes:
        return orjson.dumps({"pubkeys": call.target.public_keys()})

    async def _coin_network(self, _: HubCall) -> bytes:
        return orjson.dumps(await self._state.coin_networks())
