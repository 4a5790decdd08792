"""The example of docs/network.md works as it is, except for the ports."""

from __future__ import annotations

import json
import re
import shlex
import time

from tests.contract.commands.test_processes import ask, ended, start, until_ready
from tests.services.ports import free_port
from tests.services.process import ROOT
from tests.support.command_line import NORTH_PUBLIC, Cli
from tests.unit.commands.test_doctor import checks
from travelrule.settings import Settings


def blocks(language: str) -> list[str]:
    """The blocks of the page in one language, with free ports in place of its own, the same ones everywhere."""
    page = (ROOT / "docs" / "network.md").read_text(encoding="utf-8")
    for port in sorted(set(re.findall(r":(\d{4})\b", page))):
        page = page.replace(f":{port}", f":{PORTS.setdefault(port, free_port())}")
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


PORTS: dict[str, int] = {}


def test_a_sandbox_and_one_vasp_find_each_other(installed: Cli) -> None:
    world, (sandbox_line, vasp_lines, _) = blocks("json")[0], blocks("sh")
    (installed.folder / "world.json").write_text(world.replace("PUBLIC_KEY", NORTH_PUBLIC), encoding="utf-8")
    exported = dict(word.split("=", 1) for word in shlex.split(vasp_lines.replace("export ", "")) if "=" in word)
    settings = {name.removeprefix("TRAVELRULE_"): value for name, value in exported.items()}
    assert settings.keys() == {"VASP_ENTITY_ID", "HUB_URL", "GATEWAY_LISTEN", "PUBLIC_URL"}
    settings["METRICS_LISTEN"] = f"127.0.0.1:{free_port()}"
    hub = start(installed.folder, *shlex.split(sandbox_line)[1:])
    vasp = start(installed.folder, "serve", **settings)
    try:
        until_ready(f"http://{settings['METRICS_LISTEN']}/readyz", vasp)
        deadline = time.monotonic() + 120
        while not _is_up(settings["HUB_URL"]):
            assert hub.poll() is None
            assert time.monotonic() < deadline, "the hub never reached the gateway under baseUrl"
            time.sleep(0.1)
        installed.set(**settings)
        found = checks(installed, 0)
        assert "a running process" in found["gateway listener"]["detail"]
    finally:
        for process in (vasp, hub):
            process.terminate()
            ended(process)


def _is_up(hub_url: str) -> bool:
    status, listed = ask(f"{hub_url}/sandbox/members")
    return status == 200 and {"vaspEntityId": "north", "health": "up"} in listed["members"]


def test_processes_on_one_host_have_ports_of_their_own() -> None:
    lines = [shlex.split(line.removesuffix(" &")) for line in blocks("sh")[2].splitlines()]
    assert [words[-2:] for words in lines] == [["serve", "worker"]] * 2 + [["serve", "gateway"]] * 2
    listens = []
    for words in lines:
        given = dict(word.split("=", 1) for word in words if "=" in word)
        settings = Settings.load(given)
        listens.append(settings.metrics_listen)
        if words[-1] == "gateway":
            assert "TRAVELRULE_GATEWAY_LISTEN" in given
            listens.append(settings.gateway_listen)
    assert len(set(listens)) == len(listens) == 6
    assert json.loads(blocks("json")[0])["$schema"]
