"""A call that passed every check, and the interface of what answers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from travelrule.hub.hub_answer import HubAnswer
from travelrule.hub.members.member import Member
from travelrule.hub.operations import HubOperation
from travelrule.hub.records import CallRecord


@dataclass(frozen=True, slots=True)
class HubCall:
    """An admitted call.

    ``target`` is the member that the path names, else the hub's entry. ``request_id`` is the search that the path
    names, ``fields`` the parsed body.
    """

    operation: HubOperation
    caller: Member
    target: Member
    headers: Mapping[str, str]
    body: bytes
    record: CallRecord
    fields: Mapping[str, Any] = field(default_factory=dict, repr=False)
    request_id: str = ""


class Responder(Protocol):
    """Answers calls."""

    async def answer(self, call: HubCall) -> HubAnswer:
        """Return the answer to a checked call, or raise ``HubFault``."""


class OperationResponder(Responder, Protocol):
    """Answers the operations that ``names`` lists."""

    @property
    def names(self) -> tuple[str, ...]:
        """The operations that this responder answers."""


class LocalResponder:
    """``Responder`` for every operation that the hub itself answers: one responder per operation."""

    def __init__(self, parts: Mapping[str, Responder]) -> None:
        self._parts = parts

    async def answer(self, call: HubCall) -> HubAnswer:
        """Return the answer of the operation's responder."""
        return await self._parts[call.operation.name].answer(call)
