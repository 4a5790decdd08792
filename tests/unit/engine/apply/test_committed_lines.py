"""The log line of a verdict."""

from __future__ import annotations

import io

import orjson
import pytest

from tests.unit.frame.log_state import logging_kept
from travelrule import logs
from travelrule.engine.committed_lines import verdict_fact

DATA = {"subject": "withdrawal:w-1", "verdict": "allow", "reasons": ["VERIFIED"], "final": True, "policyVersion": "p1"}


@pytest.mark.parametrize(
    ("needs", "written"), [([], {}), (["information", "counterparty"], {"needs": "information,counterparty"})]
)
def test_a_verdict_without_needs_has_no_needs_in_its_line(needs: list[str], written: dict[str, str]) -> None:
    out = io.StringIO()
    fact = verdict_fact({**DATA, "needs": needs}, 1, None)
    with logging_kept():
        logs.configure("json", stream=out)
        logs.get("facts").info(fact.event, **fact.fields)
    line = orjson.loads(out.getvalue())
    assert {name: line[name] for name in line if name == "needs"} == written
    assert line["reasons"] == "VERIFIED"
    assert "<withheld>" not in out.getvalue()
