"""``compose.yaml`` as Compose loads it, and the broker that it describes, started with Apache Kafka of that version."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, ConfigResource

from tests.deploy.compose_file import ROOT, compose, mounted, own_services
from tests.deploy.compose_program import ComposeRefusedError, loaded
from tests.services import run
from tests.services.kafka import admin_client, new_cluster_id
from tests.services.kafka_jars import POM, java, kafka_classpath
from tests.services.ports import free_port
from tests.services.process import ServiceProcess

pytestmark = [pytest.mark.operations, pytest.mark.services]


def test_compose_loads_it() -> None:
    project = loaded(ROOT / "compose.yaml", {})
    services = project["services"]
    assert set(services) == set(compose()["services"]) - {"init"}  # a service of a profile, which is not on
    assert {services[name]["image"] for name in own_services() if name != "init"} == {"travelrule:local"}
    assert services["north"]["build"] == {"context": str(ROOT), "dockerfile": "Containerfile"}
    assert services["north"]["environment"]["TRAVELRULE_BROKER_URL"] == "kafka://kafka:9092"
    conditions = {name: one["condition"] for name, one in services["north"]["depends_on"].items()}
    assert conditions == {
        "migrate": "service_completed_successfully",
        "topics": "service_completed_successfully",
        "sandbox": "service_started",
    }
    binds = [
        one["source"]
        for name in ("prometheus", "grafana")
        for one in services[name]["volumes"]
        if one["type"] == "bind"
    ]
    assert len(binds) == 5
    assert [source for source in binds if not Path(source).exists()] == []


def test_another_image_is_taken_by_all_of_our_services() -> None:
    services = loaded(ROOT / "compose.yaml", {"TRAVELRULE_IMAGE": "registry.example/travelrule:1"})["services"]
    images = {services[name]["image"] for name in own_services() if name != "init"}
    assert images == {"registry.example/travelrule:1"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("depends_on: [prometheus]", "depends_on: [promteheus]"),
        ("- kafka:/var/lib/kafka/data", "- kafca:/var/lib/kafka/data"),
        ("${TRAVELRULE_IMAGE:-travelrule:local}", "${TRAVELRULE_IMAGE:?}"),
    ],
)
def test_compose_refuses_a_planted_fault(before: str, after: str, tmp_path: Path) -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert before in text
    (tmp_path / "compose.yaml").write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(ComposeRefusedError):
        loaded(tmp_path / "compose.yaml", {})


def test_the_broker_starts_with_its_environment(own_directory: Callable[[str], Path]) -> None:
    service = compose()["services"]["kafka"]
    assert service["image"].rpartition(":")[2] in POM.read_text(encoding="utf-8"), (
        "the suite's Kafka is another version"
    )
    folder = own_directory("compose-kafka")
    folder.mkdir()
    client, controller = free_port(), free_port()
    properties = _properties(service["environment"], client, controller, folder / "data")
    file = folder / "server.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in properties.items()), encoding="utf-8")
    assert mounted(service) == {service["environment"]["KAFKA_LOG_DIRS"]: "kafka"}
    jvm = [java(), "-Xmx320m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", kafka_classpath()]
    formatted = [*jvm, "kafka.tools.StorageTool", "format", "--cluster-id", new_cluster_id(), "--config", str(file)]
    done = subprocess.run(formatted, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    process = ServiceProcess(folder, "kafka", run.run_owner())
    admin = admin_client(f"127.0.0.1:{client}")
    process.start([*jvm, "kafka.Kafka", str(file)], lambda: _answers(admin))
    try:
        found = admin.describe_configs([ConfigResource(ConfigResource.Type.BROKER, properties["node.id"])])
        values = {name: one.value for future in found.values() for name, one in future.result(timeout=20).items()}
        assert {name: values[name] for name in properties if name in values} == {
            name: value for name, value in properties.items() if name in values
        }
        assert {name for name in properties if name not in values} == set()  # a name that Kafka does not know
    finally:
        process.kill()


def _properties(environment: dict[str, str], client: int, controller: int, data: Path) -> dict[str, str]:
    """As the image makes them: the rest of the name in lower case, with dots for underscores. Addresses are ours."""
    named = {
        name.removeprefix("KAFKA_").lower().replace("_", "."): value
        for name, value in environment.items()
        if name.startswith("KAFKA_")
    }
    text = {name: value.replace("kafka:9092", f"127.0.0.1:{client}") for name, value in named.items()}
    text = {name: value.replace("kafka:9093", f"127.0.0.1:{controller}") for name, value in text.items()}
    text["listeners"] = re.sub(r"://:9092", f"://127.0.0.1:{client}", text["listeners"])
    text["listeners"] = re.sub(r"://:9093", f"://127.0.0.1:{controller}", text["listeners"])
    return text | {"log.dirs": str(data)}


def _answers(admin: AdminClient) -> bool:
    try:
        return bool(admin.list_topics(timeout=1).brokers)
    except KafkaException:
        return False
