"""Pictures for the README: runs the demo and saves the output of a terminal as SVG."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from travelrule.commands.demo.network import DemoNetwork
from travelrule.commands.demo.scenarios import SCENARIOS
from travelrule.commands.demo.session import scenarios
from travelrule.commands.demo.view import ScenarioView

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDTH = 150


async def explained(network: DemoNetwork, subject: str) -> str:
    """Return the output of ``travelrule explain`` for a withdrawal of ``north``."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "travelrule",
        "explain",
        subject,
        env={**os.environ, **network.north.environment(), "COLUMNS": str(WIDTH), "FORCE_COLOR": "1"},
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    return output.decode()


def save(name: str, title: str, content: object) -> None:
    """Write one picture."""
    console = Console(record=True, width=WIDTH, file=Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    console.print(content)
    PICTURES.mkdir(parents=True, exist_ok=True)
    console.save_svg(str(PICTURES / f"{name}.svg"), title=title)


async def main() -> None:
    """Run the demo once and save its pictures."""
    network = DemoNetwork(Path(tempfile.mkdtemp(prefix="travelrule-pictures-")))
    view = ScenarioView(list(SCENARIOS))
    try:
        await scenarios(network, view)
        held = next(
            record.key
            for record in network.platforms["north"].seen
            if record.topic == "verdicts"
            and record.data["verdict"] == "hold"
            and "beneficiary-name" in record.data["needs"]
        )
        story = await explained(network, held)
    finally:
        await network.stop()
    save("demo", "make demo", view.table())
    save("explain", "travelrule explain", Text.from_ansi(story))


if __name__ == "__main__":
    asyncio.run(main())
