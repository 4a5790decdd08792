"""Colours and sizes of the pictures."""

from __future__ import annotations

PAGE = "#f4f5f7"
CARD = "#ffffff"
BORDER = "#d9dce1"
GRID = "#e8eaee"
TEXT = "#24292e"
FAINT = "#6b7280"

NAMED = {
    "green": "#3f9e4d", "orange": "#e8871a", "red": "#d13b40", "blue": "#3274d9",
    "light-green": "#a6d3a0", "yellow": "#e0b400", "purple": "#8f5fc4",
}  # fmt: skip
SERIES = (
    "#3f9e4d", "#e0b400", "#3274d9", "#e8871a", "#d13b40", "#8f5fc4", "#1aa3a3", "#c4578f",
    "#7a8b3a", "#5b7ca8", "#a8683a", "#4f5b66",
)  # fmt: skip

COLUMNS = 24
COLUMN_INCHES = 0.62
ROW_INCHES = 0.36
GAP_INCHES = 0.05
DPI = 100

TITLE_SIZE = 9.5
LABEL_SIZE = 7.5
LEGEND_SIZE = 7.0


def color(name: str) -> str:
    """Return the colour that a dashboard names."""
    return NAMED.get(name, name)
