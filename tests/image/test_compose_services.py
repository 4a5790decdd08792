"""``docker compose run --rm init`` and ``docker compose up``, as far as our image goes: from nothing to a verdict."""

from __future__ import annotations

import dataclasses
import json
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.image.compose_stack import VOLUME, ComposeStack, answers
from tests.image.running_image import RunningImage
from tests.services import KafkaNode, run
from tests.services.ports import free_port

pytestmark = [pytest.mark.operations, pytest.mark.services, pytest.mark.timeout(1200)]


@pytest.fixture
def stack(
    image: RunningImage, kafka: KafkaNode, pg_database: str, own_directory: Callable[[str], Path], tmp_path: Path
) -> Iterator[ComposeStack]:
    """The services, with a volume, a database and a prefix of their own."""
    gateway, sandbox, metrics, probes = (f"127.0.0.1:{free_port()}" for _ in range(4))
    addresses = {
        "kafka:9092": kafka.bootstrap,
        **dict.fromkeys(("north:8080", "0.0.0.0:8080"), gateway),
        **dict.fromkeys(("sandbox:8090", "0.0.0.0:8090"), sandbox),
        **dict.fromkeys(("127.0.0.1:9100", "0.0.0.0:9100"), metrics),
        "0.0.0.0:9101": probes,
    }
    prefix = f"compose-{secrets.token_hex(4)}"
    more = {"TRAVELRULE_TOPIC_PREFIX": f"{prefix}.", "TRAVELRULE_CONSUMER_GROUP": prefix}
    volume = tmp_path / "volume"
    volume.mkdir()
    mounted = dataclasses.replace(image, volumes={VOLUME: volume})
    folder = own_directory("compose")
    folder.mkdir()
    stack = ComposeStack(mounted, folder, run.run_owner(), pg_database, addresses, more)
    yield stack
    stack.kill()


def test_from_nothing_to_a_verdict(stack: ComposeStack) -> None:
    for service, missing in (("migrate", "TRAVELRULE_DATABASE_URL_FILE"), ("sandbox", "world.json")):
        early = stack.run(service)
        assert early.returncode == 2, early.stdout + early.stderr
        assert missing in early.stderr
    first = stack.run("init")
    assert first.returncode == 0, first.stderr
    again = stack.run("init")
    assert again.returncode == 2
    assert "secrets/signing-key" in again.stderr
    for service in ("migrate", "topics"):
        ended = stack.run(service)
        assert ended.returncode == 0, f"{service}: {ended.stdout}{ended.stderr}"

    stack.start("sandbox", f"http://{stack.here('0.0.0.0:9101')}/readyz")
    stack.start("north", f"http://{stack.here('127.0.0.1:9100')}/readyz")
    test, *words = stack.services["north"]["healthcheck"]["test"]
    assert test == "CMD"
    assert stack.run("north", *words[1:], program=words[0]).returncode == 0

    doctor = stack.run("north", "doctor", "--output=json")
    checks = json.loads(doctor.stdout)
    assert [one for one in checks["checks"] if not one["ok"]] == []
    assert (checks["ok"], doctor.returncode) == (True, 0)

    sent = stack.run("north", "send", "--example", "withdrawal.requested.v1", "--output=json")
    rows = [json.loads(line) for line in sent.stdout.splitlines()]
    assert sent.returncode == 0, sent.stdout + sent.stderr
    verdicts = [row["data"]["verdict"] for row in rows if row.get("type") == "withdrawal.verdict.v1"]
    assert verdicts[-1] == "allow"

    for process in reversed(stack.started):
        process.stop()  # SIGTERM; it fails if the process is not gone in time
    assert not answers(f"http://{stack.here('127.0.0.1:9100')}/livez")
    assert stack.run("north", *words[1:], program=words[0]).returncode != 0
