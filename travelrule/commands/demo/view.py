"""The live view of the demo: one line per exchange, on standard error, on a terminal only."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from travelrule.commands.demo.platform import SeenEvent

COLOURS = {"allow": "green", "hold": "yellow", "deny": "red"}
SHOWN = 8


@dataclass
class ScenarioLine:
    """The progress of one scenario."""

    title: str
    state: str = "waiting"
    steps: list[Text] = field(default_factory=list)


class ScenarioView:
    """Draws scenarios and the events that they cause. ``see`` is called for every record of either VASP."""

    def __init__(self, titles: list[str]) -> None:
        self._console = Console(stderr=True)
        self._lines = {title: ScenarioLine(title) for title in titles}
        self._current: ScenarioLine | None = None
        self._owners: dict[str, ScenarioLine] = {}
        self._live: Live | None = None

    def shown(self) -> AbstractContextManager[object]:
        """Show the view while the scenarios run, if standard error is a terminal."""
        if not self._console.is_terminal:
            return nullcontext()
        self._live = Live(self._table(), console=self._console, refresh_per_second=8)
        return self._live

    def begin(self, title: str) -> None:
        """Start a scenario; later records belong to it."""
        self._current = self._lines[title]
        self._current.state = "running"
        self._draw()

    def end(self, title: str, result: str) -> None:
        """End a scenario."""
        self._lines[title].state = result
        self._draw()

    def see(self, entity_id: str, seen: SeenEvent) -> None:
        """Add a record to the scenario in which its ids were first seen."""
        step = _step(entity_id, seen)
        ids = [seen.key, *(str(seen.data[name]) for name in ("withdrawalId", "transferId") if seen.data.get(name))]
        line = next((self._owners[one] for one in ids if one in self._owners), self._current)
        if line is None or step is None:
            return
        for one in ids:
            self._owners.setdefault(one, line)
        line.steps.append(step)
        self._draw()

    def table(self) -> Table:
        """The view as a table, for printing once."""
        return self._table()

    def _draw(self) -> None:
        if self._live is not None:
            self._live.update(self._table())

    def _table(self) -> Table:
        table = Table(title="Travel Rule exchanges between north and south", expand=True)
        table.add_column("scenario", ratio=2)
        table.add_column("what the platforms saw", ratio=6)
        table.add_column("result", ratio=1)
        for line in self._lines.values():
            arrows = Text(" → ", style="dim").join(line.steps[-SHOWN:])
            style = {"ok": "bold green", "running": "cyan", "waiting": "dim"}.get(line.state, "bold red")
            table.add_row(line.title, arrows, Text(line.state, style=style))
        return table


def _step(entity_id: str, seen: SeenEvent) -> Text | None:
    if seen.topic == "verdicts":
        word = seen.data["verdict"]
        return Text(f"{entity_id}: {word} {','.join(seen.data['reasons'])}", style=f"bold {COLOURS.get(word, 'white')}")
    if seen.topic == "exchanges":
        return Text(f"{entity_id}: {seen.data['status']}{' + txid' if seen.data.get('txid') else ''}")
    if seen.topic == "deadletters":
        code = seen.headers.get("travelrule.error.code", b"").decode()
        return Text(f"{entity_id}: dead letter {code}", style="magenta")
    if seen.topic == "alerts":
        return Text(f"{entity_id}: alert {seen.data['code']}", style="magenta")
    return None
