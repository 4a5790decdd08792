"""What the tests of the wallet search share: messages, calls, and answers of the hub."""

from __future__ import annotations

from typing import Any

from schemas.events.callbacks import SearchResultBody
from schemas.events.verdicts import VerdictBody
from tests.support.events import ADDRESS, TAG, WITHDRAWAL_ID
from tests.support.exchange_scenes import search_result
from tests.support.scene import Scene

ACCEPTING = "accept_found_vasp = true"
FOUND = ("hold", ["COUNTERPARTY_FOUND"], ["counterparty-confirmation"], False)
NOBODY = ("hold", ["COUNTERPARTY_UNKNOWN"], ["counterparty"], False)
AMBIGUOUS = ("hold", ["COUNTERPARTY_AMBIGUOUS"], ["counterparty"], False)
SOUTH = {"kind": "vasp", "vaspEntityId": "south", "address": ADDRESS, "tag": TAG}


def verdict_of(scene: Scene) -> tuple[str, list[str], list[str], bool]:
    (data,) = scene.verdicts
    VerdictBody.model_validate(data)
    return data["verdict"], data["reasons"], data["needs"], data["final"]


def told(scene: Scene) -> tuple[str, Any, list[dict[str, str]]]:
    """The one result that the last decision put on ``callbacks``."""
    (data,) = scene.callbacks
    SearchResultBody.model_validate(data)
    assert data["subject"] == f"withdrawal:{WITHDRAWAL_ID}"
    return data["outcome"], data.get("counterparty"), data["asked"]


def asked_in(scene: Scene) -> list[tuple[str, float]]:
    """The calls of the last decision, each with the seconds until it is made."""
    return [(call.operation, (call.due_at - scene.now).total_seconds() if call.due_at else 0) for call in scene.calls]


def processing(scene: Scene):
    return search_result(scene, "PROCESSING")


def nobody(scene: Scene, **rows: str):
    return search_result(scene, "NOT_FOUND_ADDRESS", **(rows or {"south": "NOT_FOUND_ADDRESS"}))


def away(scene: Scene):
    return nobody(scene, south="NOT_FOUND_ADDRESS", east="SYSTEM_NOT_AVAILABLE")
