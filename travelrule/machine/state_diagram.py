"""What the generated pages of all machines share: the diagram and table of a transition table, the table of alerts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.transition_table import NEW, TransitionTable
from travelrule.pages import table


def state_diagram(transitions: TransitionTable) -> str:
    """Return the Mermaid diagram of a table."""
    lines = ["```mermaid", "stateDiagram-v2"]
    lines += [f'  state "{status}" as {_name(status)}' for status in transitions.transitions if "-" in status]
    for status, triggers in transitions.transitions.items():
        start = "[*]" if status == NEW else _name(status)
        lines += [f"  {start} --> {_name(after)}: {trigger}" for trigger, after in triggers.items()]
        if status in transitions.terminal:
            lines.append(f"  {_name(status)} --> [*]")
    return "\n".join([*lines, "```\n"])


def state_rows(transitions: TransitionTable) -> str:
    """Return the changes of a table as rows."""
    return table(("From", "Trigger", "To"), (tuple(f"`{cell}`" for cell in row) for row in transitions.rows()))


def alert_section(codes: Iterable[AlertCode]) -> Iterator[str]:
    """Yield the section that lists alert codes with their runbooks."""
    yield "## Alerts\n"
    yield table(("Code", "Runbook"), ((f"`{code}`", f"`docs/runbooks/{code}.md`") for code in codes))


def _name(status: str) -> str:
    return status.replace("-", "_")
