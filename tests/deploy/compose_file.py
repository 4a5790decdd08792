"""``compose.yaml`` as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
OWN_IMAGE = "${TRAVELRULE_IMAGE:-travelrule:local}"


def compose() -> dict[str, Any]:
    """The file; aliases and merges are resolved."""
    content: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return content


def own_services() -> dict[str, dict[str, Any]]:
    """The services that run our image, by name."""
    return {name: one for name, one in compose()["services"].items() if one["image"] == OWN_IMAGE}


def mounted(service: dict[str, Any]) -> dict[str, str]:
    """What a service mounts: file, folder or volume by path inside."""
    return {inside: source for source, inside, *_ in (line.split(":") for line in service.get("volumes", []))}
