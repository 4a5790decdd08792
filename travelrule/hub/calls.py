"""A call that passed every check, and whoever answers such calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from travelrule.hub.answers import HubAnswer
from travelrule.hub.members import Member
from travelrule.hub.operations import Operation
from travelrule.hub.records import CallRecord


@dataclass(frozen=True, slots=True)
class Call:
    """Who asks whom for what. ``target`` is the hub's own entry where the operation's path names nobody."""

    operation: Operation
    caller: Member
    target: Member
    headers: Mapping[str, str]
    body: bytes
    record: CallRecord


class Answering(Protocol):
    """One kind of answer: the directory's, a member's."""

    async def answer(self, call: Call) -> HubAnswer:
        """Answer a checked call, or raise ``HubFault``."""
