"""An inbound authorization is validated once, and what was read of it is no part of what is stored."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.ivms101 import Ivms101
from tests.support.inbound_messages import authorization
from travelrule.messages.inbound_request import AuthorizationReceived, ReadPayload


@pytest.fixture
def validated(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    seen: list[Any] = []
    read = Ivms101.from_wire.__func__  # type: ignore[attr-defined]

    def counting(cls: type[Ivms101], content: Any) -> Ivms101:
        seen.append(content)
        return read(cls, content)  # type: ignore[no-any-return]

    monkeypatch.setattr(Ivms101, "from_wire", classmethod(counting))
    return seen


def test_facts_are_added_without_another_validation(validated: list[Any]) -> None:
    request = authorization()
    first = request.read
    later = request.model_copy(update={"wallets": (), "originator_sanctioned": True})
    assert later.read is first
    assert len(validated) == 1


def test_what_was_read_is_not_stored_and_is_read_again() -> None:
    request = authorization()
    stored = request.to_wire()
    assert request.read.ivms101 is not None
    assert request.to_wire() == stored
    assert "read" not in stored
    rebuilt = AuthorizationReceived.from_wire(stored)
    assert rebuilt == request
    assert rebuilt.read == request.read


def test_the_clear_vasp_counts() -> None:
    clear = {"legalPerson": {"name": {"nameIdentifier": [{"legalPersonName": "Clear AG"}]}}}
    request = authorization(originating_vasp=clear)
    assert request.payload["OriginatingVASP"] == {"originatingVASP": clear}
    assert request.ivms101 == authorization().ivms101


def test_an_unreadable_part_leaves_the_other_parts() -> None:
    payload = {**authorization().ivms101, "OriginatingVASP": 7}
    whole = ReadPayload.of(authorization().ivms101)
    read = ReadPayload.of(payload)
    assert read.ivms101 is None
    assert (read.beneficiary, read.originator) == (whole.beneficiary, whole.originator)
    assert not ReadPayload.of({"Beneficiary": 7, "Originator": 7}).beneficiary.account_number
