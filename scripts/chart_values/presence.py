"""Which values may not be null: helm removes a value that is null, and templates would meet nothing in its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.chart_values.parts import Schema

REMOVABLE = frozenset({"resources", "topologySpread", "labels", "maxUnavailable"})
"""Values with a default that may be absent from an object of Kubernetes."""
MERGED = frozenset({"commonLabels", "commonAnnotations", "settings", "annotations", "alertLabels"})
"""Empty tables that templates merge with others."""


def with_presence(schema: Schema, defaults: Mapping[str, Any]) -> Schema:
    """Return the schema of a table and those below it, which require every value that templates rely on."""
    properties = dict(schema["properties"])
    for name, default in defaults.items():
        if isinstance(default, dict) and "properties" in properties.get(name, {}):
            properties[name] = with_presence(properties[name], default)
    relied_on = [name for name, default in defaults.items() if _is_relied_on(name, default)]
    required = sorted({*schema.get("required", ()), *relied_on})
    return {**schema, "properties": properties, **({"required": required} if required else {})}


def _is_relied_on(name: str, default: Any) -> bool:
    if name in MERGED:
        return True
    # A number or a truth value is relied on even if it is 0 or false; an empty text, list or table is the same as none.
    return name not in REMOVABLE and default is not None and default not in ("", [], {})
