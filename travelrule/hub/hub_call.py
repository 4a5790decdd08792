"""A call that passed every check, and whoever answers such calls."""

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
    """Who asks whom for what.

    ``target`` is the hub's own entry where the operation's path names nobody, ``request_id`` the search that
    the path names, ``fields`` the parsed body.
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
    """One kind of answer: the directory's, a search's, a member's."""

    async def answer(self, call: HubCall) -> HubAnswer:
        """Answer a checked call, or raise ``HubFault``."""


class OperationResponder(Responder, Protocol):
    """A part of the hub that answers operations itself."""

    @property
    def names(self) -> tuple[str, ...]:
        """The operations that it answers."""


class LocalResponder:
    """``Answering`` for the operations that no member answers: each by the part of the hub that knows it."""

    def __init__(self, parts: Mapping[str, Responder]) -> None:
        self._parts = parts

    async def answer(self, call: HubCall) -> HubAnswer:
        """Let the part that knows the operation answer."""
        return await self._parts[call.operation.name].answer(call)
