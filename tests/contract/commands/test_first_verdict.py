"""The README's way from a clone to a first verdict, and the commands that ``travelrule init`` prints."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import orjson
import pytest

from schemas.registry import TOPICS
from tests.house.source import ROOT
from tests.services import KafkaNode
from tests.services.kafka import admin_client
from tests.services.ports import free_port

pytestmark = [pytest.mark.services, pytest.mark.operations]

SCRIPT = ROOT / "examples" / "first-verdict" / "run.sh"
LIMIT_SECONDS = 120
ALLOWED = "verdict      allow VERIFIED (final)"


def bash(script: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script with no setting of ours, and end whatever it leaves running."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TRAVELRULE_")}
    process = subprocess.Popen(
        ["bash", "-c", script, "bash", *arguments],
        cwd=folder,
        env=clean,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            out, err = process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(script, process.returncode, out, err)


def ports() -> list[str]:
    return [f"127.0.0.1:{free_port()}" for _ in range(3)]


def listen_options(gateway: str, metrics: str, sandbox: str) -> list[str]:
    return ["--gateway-listen", gateway, "--metrics-listen", metrics, "--sandbox-listen", sandbox]


def test_the_script_of_the_readme_ends_with_a_verdict_and_leaves_nothing_running(
    kafka: KafkaNode, tmp_path: Path
) -> None:
    prefix, addresses = f"first-{uuid4().hex[:8]}.", ports()
    options = ["--broker", f"kafka://{kafka.bootstrap}", "--topic-prefix", prefix, *listen_options(*addresses)]
    ended = bash('exec "$@"', str(SCRIPT), "my first", *options, folder=tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ALLOWED in ended.stdout
    assert re.search(r"sent +synthetic example withdrawal\.requested\.v1 for withdrawal:example-", ended.stdout)
    made = {name for name in admin_client(kafka.bootstrap).list_topics(timeout=10).topics if name.startswith(prefix)}
    assert made == {prefix + name for name in TOPICS}
    for address in addresses:
        host, _, port = address.partition(":")
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # closed connections may remain, no listener
            probe.bind((host, int(port)))
    again = bash('exec "$@"', str(SCRIPT), "my first", *options, folder=tmp_path)
    assert (again.returncode, again.stdout.count(ALLOWED)) == (0, 1), again.stdout + again.stderr


@pytest.mark.parametrize("option", [["--broker", "kafka://127.0.0.1:9"], ["--broker=kafka://127.0.0.1:9"]])
def test_the_script_refuses_another_broker_for_a_folder_that_has_one(tmp_path: Path, option: list[str]) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "travelrule.env").write_text("TRAVELRULE_BROKER_URL=kafka://127.0.0.1:8\n")
    ended = bash('exec "$@"', str(SCRIPT), "first", *option, folder=tmp_path)
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert "TRAVELRULE_BROKER_URL in first/travelrule.env" in ended.stderr


def test_the_script_says_how_it_is_used_and_what_did_not_start(tmp_path: Path) -> None:
    assert bash('exec "$@"', str(SCRIPT), folder=tmp_path).returncode == 2
    addresses = ports()
    with socket.socket() as taken:
        host, _, port = addresses[2].partition(":")
        taken.bind((host, int(port)))
        taken.listen()
        ended = bash('exec "$@"', str(SCRIPT), "first", *listen_options(*addresses), folder=tmp_path)
    assert ended.returncode == 3
    assert "sandbox did not start" in ended.stderr
    assert f"cannot listen on {addresses[2]}" in ended.stderr


def test_the_printed_commands_work_as_they_are_pasted(tmp_path: Path) -> None:
    travelrule = f"{sys.executable} -m travelrule"
    words = ["init", "first", *listen_options(*ports()), "--output", "json"]
    said = orjson.loads(bash(f'{travelrule} "$@"', *words, folder=tmp_path).stdout)
    once = [one["command"] for one in said["commands"] if not one["stays"]]
    stays = [one["command"] for one in said["commands"] if one["stays"]]
    assert once[-1].endswith("send --example withdrawal.requested.v1")
    terminals = "".join(f"({command} >terminal-{number} 2>&1) & " for number, command in enumerate(stays))
    answered = 'until (exec 3<>"/dev/tcp/${TRAVELRULE_METRICS_LISTEN/://}") 2>/dev/null; do sleep 0.2; done'
    ready = "until grep -q started terminal-1; do sleep 0.2; done"
    script = "; ".join([said["load"], *once[:-1], f"{terminals}{answered}", ready, once[-1], "kill $(jobs -p)"])
    ended = bash(script, folder=tmp_path)
    assert ALLOWED in ended.stdout, ended.stdout + ended.stderr
