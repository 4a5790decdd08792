"""One figure: ours compared with a reference, as one line of JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured figure. ``bound`` says which way is good: ``at-most`` or ``at-least`` the target.

    Without ``target`` the figure only informs. ``extra`` are further facts for the reader.
    """

    name: str
    ours: float
    reference: float
    target: float | None
    unit: str
    bound: Literal["at-most", "at-least"] = "at-most"
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """Ours over the reference."""
        return self.ours / self.reference if self.reference else float("inf")

    @property
    def ok(self) -> bool:
        """Whether the target is met."""
        if self.target is None:
            return True
        return self.ratio <= self.target if self.bound == "at-most" else self.ratio >= self.target

    @property
    def broken(self) -> bool:
        """Whether these are no measurements: a slow machine gives poor ratios, but never zero, less or no number."""
        return not all(math.isfinite(value) and value > 0 for value in (self.ours, self.reference))

    def line(self) -> str:
        """One JSON object on one line."""
        shown = {
            "figure": self.name,
            "ours": round(self.ours, 4),
            "reference": round(self.reference, 4),
            "ratio": round(self.ratio, 3),
            "target": self.target,
            "unit": self.unit,
            "ok": self.ok,
            "bound": self.bound,
            **self.extra,
        }
        return orjson.dumps(shown).decode()
