"""Dead letters as lines for a terminal of any width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

PREFIX = 8
"""Characters of an id that are shown; usually enough to identify it."""
_INDENT = " " * (PREFIX + 2)
_TIME = "%Y-%m-%d %H:%M:%S"


def page(rows: Sequence[Any], counts: Mapping[str, int], width: int) -> str:
    """One paragraph per dead letter, and a last line with the counts of all matching ones by code."""
    total = sum(counts.values())
    if not total:
        return "no dead letters"
    lines = [f"{'ID':<{PREFIX}}  {'FAILED (UTC)':<19}  CODE  TOPIC/PARTITION@OFFSET"]
    for row in rows:
        lines += _letter(row, width)
    by_code = ", ".join(f"{number} {code}" for code, number in counts.items())
    shown = f"the newest {len(rows)} of " if len(rows) < total else ""
    more = "; see --limit" if shown else ""
    lines += ["", *_wrapped(f"{shown}{total} dead letter{'s' * (total != 1)}: {by_code}{more}", width, "", "  ")]
    return "\n".join(lines)


def _letter(row: Any, width: int) -> Iterable[str]:
    failed = row.failed_at.strftime(_TIME)
    place = f"{row.topic}/{row.partition}@{row.offset}" if row.kind == "record" else "(message)"
    yield from _wrapped(f"{row.id[:PREFIX]}  {failed}  {row.code}  {place}", width, "", _INDENT)
    about = f"{row.subject} from {row.sender}" if row.sender else row.subject
    said = f"{row.field}: {row.fix}" if row.field and row.fix else row.field or row.fix
    done = f"replayed {row.replayed_at.strftime(_TIME)}" if row.replayed_at is not None else ""
    for line in (about, said, done):
        yield from _wrapped(line, width, _INDENT, _INDENT) if line else ()


def _wrapped(line: str, width: int, first: str, indent: str) -> list[str]:
    """Wrap a line; columns keep their two blanks."""
    wrapper = textwrap.TextWrapper(
        width=max(width, 2 * len(_INDENT)),
        initial_indent=first,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    return wrapper.wrap(line)
