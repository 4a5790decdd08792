"""The pictures of the dashboards in the docs: ``python -m tests.e2e.dashboard_pictures [--seconds N] [FOLDER]``.

Starts the network of the end-to-end tests, plays the demo's scenarios beside a steady load of withdrawals, and draws
each dashboard from the Prometheus that scraped all of its processes. All data are synthetic.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path
from uuid import uuid4

from scripts.dashboards.__main__ import FOLDER as DASHBOARDS
from scripts.dashboards.picture.answers import PictureTime
from scripts.dashboards.picture.page import draw_dashboard
from tests.e2e.network import RealNetwork
from tests.e2e.scrape_targets import scrape_targets
from tests.e2e.transfers import whole_way
from tests.services import PrometheusServer, run
from tests.services.process import ROOT
from travelrule.commands.demo.lists import LISTED_OWNER
from travelrule.commands.demo.risks import BLACK_WALLET
from travelrule.commands.demo.scenarios import LISTED_TAG, SCENARIOS, WRONG, DemoStage, register_wallets, withdrawal
from travelrule.commands.demo.session import outcome_of

PICTURES = ROOT / "docs" / "pictures"
LOAD_SECONDS = 480.0
WAVE_SECONDS = 150.0
POINTS = 120
SCRAPE_SECONDS = 2
NOWHERE = "rLHzPsX6oXkzU2qL12kHCH8G8cnZv1rBJh"


KINDS = (
    *("whole", "whole", "wrong name", "whole", "screening", "whole", "no address", "whole", "whole", "listed owner"),
    *("whole", "whole", "ownership", "whole", "whole", "broken"),
)
"""What is sent in turn."""


async def load(stage: DemoStage, seconds: float) -> None:
    """Send withdrawals for so long, more and fewer in turn; some are held, some denied, some are broken."""
    begun, waiting = time.monotonic(), set[asyncio.Task[object]]()
    for kind in cycle(KINDS):
        elapsed = time.monotonic() - begun
        if elapsed > seconds:
            break
        waiting.add(asyncio.create_task(_one(stage, kind)))
        await asyncio.sleep(1 / (3 + 2 * math.sin(2 * math.pi * elapsed / WAVE_SECONDS)))
    await asyncio.gather(*waiting)


async def _one(stage: DemoStage, kind: str) -> None:
    one, north = str(uuid4()), stage.north
    if kind == "whole":
        await outcome_of(_whole(stage, one))
    elif kind == "wrong name":
        await stage.request(one, beneficiary=WRONG)
    elif kind == "no address":
        await stage.request(one, address=NOWHERE)
    elif kind == "screening":
        data = {"requestId": one, "kind": "wallet", "chain": "XRP", "address": BLACK_WALLET}
        await north.send("screenings", "screening.requested.v1", one, data)
    elif kind == "ownership":
        await outcome_of(SCENARIOS["unhosted wallet proven"](stage))
    elif kind == "listed owner":
        listed = withdrawal(one, LISTED_OWNER)
        listed["destination"]["tag"] = LISTED_TAG
        await north.send("withdrawals", "withdrawal.requested.v1", one, listed)
    else:
        broken = {**withdrawal(one), "amount": "1,5"}
        await north.send("withdrawals", "withdrawal.requested.v1", one, broken)


async def _whole(stage: DemoStage, one: str) -> None:
    await whole_way(stage, stage.north, one)


async def scenarios(stage: DemoStage) -> dict[str, str]:
    """Play every scenario once; return how each ended."""
    return {title: await outcome_of(story(stage)) for title, story in SCENARIOS.items()}


async def traffic(prometheus: PrometheusServer, folder: Path, seconds: float) -> PictureTime:
    """Run the network with its load; return the time that the pictures show."""
    network = RealNetwork(folder, run.shared_kafka(), run.shared_postgres())
    prometheus.reload(scrape_targets(network))
    try:
        await network.start()
        stage = DemoStage(network)
        await register_wallets(stage)
        await network.until_screened(network.south)
        start = time.time()
        results, _ = await asyncio.gather(scenarios(stage), load(stage, seconds))
        sys.stdout.write("".join(f"{title}: {result}\n" for title, result in results.items()))
        end = time.time()
        return PictureTime(start, end, max(math.ceil((end - start) / POINTS), 2 * SCRAPE_SECONDS))
    finally:
        await network.stop()


def main() -> int:
    """Draw the pictures; print the panels that are empty."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.dashboard_pictures", description=__doc__)
    parser.add_argument("--seconds", type=float, default=LOAD_SECONDS, help="length of the load")
    parser.add_argument("folder", type=Path, nargs="?", default=PICTURES)
    given = parser.parse_args()
    run.open_run()
    try:
        rules = sorted(ROOT.glob("helm/travelrule/rules/*.yaml"))
        prometheus = PrometheusServer(
            run.run_directory() / "prometheus", run.run_owner(), rules=rules, interval=f"{SCRAPE_SECONDS}s"
        )
        prometheus.start()
        with tempfile.TemporaryDirectory(prefix="travelrule-pictures-") as folder:
            shown = asyncio.run(traffic(prometheus, Path(folder), given.seconds))
        for path in sorted(DASHBOARDS.glob("*.json")):
            dashboard = json.loads(path.read_text(encoding="utf-8"))
            empty = draw_dashboard(dashboard, prometheus, shown, given.folder / f"dashboard-{path.stem}.png")
            sys.stdout.write(f"{path.stem}: without data: {', '.join(empty) or '-'}\n")
    finally:
        run.close_run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
