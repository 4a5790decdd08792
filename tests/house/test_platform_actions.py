"""The page of what a platform does has a row for every cause, need and code that a platform can see."""

from __future__ import annotations

import ast

from schemas.field_faults import CODES
from schemas.unexpressed_rules import EVENT_RULES
from scripts.platform_actions import ACTIONS, NEEDS, REFUSALS, platform_actions_page
from tests.house.source import dotted, python, tree
from travelrule.policy.causes import CORRECTABLE, VERDICTS, Cause

REFUSING = {"rejected", "_refuse", "_Refused", "Rejected", "JsonFault"}
PLATFORM_ROOMS = ("streams", "exchange/originator", "deposits", "assessments", "customers", "engine/apply")
OF_OTHERS = {"DUPLICATED_TRANSFER_ID", "INVALID_MSG_FIELD_VALUE", "VASP_BACKEND_INTERNAL_ERROR"}
"""Refusals of what a counterparty sent: it is answered, and no platform is involved."""


def refused() -> set[str]:
    """The codes with which events are refused, as far as they are written out."""
    found = set()
    for path in python("streams", "travelrule"):
        if not any(f"/{room}/" in f"/{path}" for room in PLATFORM_ROOMS):
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and dotted(node.func) in {*REFUSING, "self._refuse"}:
                texts = [part.value for part in node.args if isinstance(part, ast.Constant)]
                found |= {text for text in texts if isinstance(text, str) and text.isupper() and text.isascii()}
    return found


def test_every_cause_and_every_need_has_an_action() -> None:
    assert set(ACTIONS) == set(Cause)
    assert set(NEEDS) == {need for row in VERDICTS.values() for need in row.needs} | set(CORRECTABLE.values())


def test_every_code_of_a_refused_event_has_an_action() -> None:
    assert len(refused()) > 15
    assert (refused() | set(CODES) | {rule.code for rule in EVENT_RULES}) - OF_OTHERS - set(REFUSALS) == set()


def test_no_action_is_for_a_code_that_does_not_exist() -> None:
    assert set(REFUSALS) - refused() - set(CODES) - {rule.code for rule in EVENT_RULES} == set()


def test_the_page_shows_each_row_once() -> None:
    lines = platform_actions_page().splitlines()
    assert len([line for line in lines if line.startswith("| ")]) == len(ACTIONS) + len(NEEDS) + len(REFUSALS) + 6
