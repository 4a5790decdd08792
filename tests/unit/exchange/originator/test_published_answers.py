"""The network's example answers fit the example requests that they belong to, and no other."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.call_results import answered
from travelrule.exchange.originator.answer_check import binding_fault
from travelrule.machine.internal_inputs import SentBody
from travelrule.policy.sections import AnswerChecks

KINDS = ("natural-2-natural", "natural-2-legal", "legal-2-natural", "legal-2-legal")
PARTS = ("originatorPersons", "beneficiaryPersons")

pytestmark = pytest.mark.shared


@pytest.fixture
def messages() -> dict[str, dict[str, Any]]:
    root = os.environ.get("TRAVELRULE_TEST_SHARED")
    if not root:
        pytest.fail("set TRAVELRULE_TEST_SHARED to the folder that holds protocol/ivms101")
    folder = Path(root) / "protocol" / "ivms101"
    name = "asset-transfer-authorization-{}-{}-example.json"
    return {
        f"{way}/{kind}": json.loads((folder / name.format(way, kind)).read_text(encoding="utf-8"))
        for way in ("request", "response")
        for kind in KINDS
    }


def fault(messages: dict[str, dict[str, Any]], request: str, response: str) -> str | None:
    made = answered("transfer-authorization", result="verified", payload=messages[f"response/{response}"])
    sent = SentBody(clear={}, payload=messages[f"request/{request}"])
    return binding_fault(made.model_copy(update={"sent": sent}), AnswerChecks(), verified=True)


@pytest.mark.parametrize("kind", KINDS)
def test_each_example_answer_fits_its_request(messages: dict[str, dict[str, Any]], kind: str) -> None:
    assert fault(messages, kind, kind) is None


@pytest.mark.parametrize("kind", KINDS)
def test_no_example_answer_fits_a_request_of_another_originator(messages: dict[str, dict[str, Any]], kind: str) -> None:
    other = [one for one in KINDS if one.partition("-")[0] != kind.partition("-")[0]]
    assert [fault(messages, kind, one) is None for one in other] == [False] * len(other)
