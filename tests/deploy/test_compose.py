"""``compose.yaml`` and the files that it mounts, as they are written; ``tests/image`` runs our services for real."""

from __future__ import annotations

import ipaddress
import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.deploy.compose_file import ROOT, compose, mounted, own_services
from tests.services.prometheus import promtool
from travelrule.bootstrap.shutdown import DRAIN_SECONDS
from travelrule.settings import Settings

SCHEMA = json.loads((ROOT / "tests/data/compose-spec/compose-spec.json").read_text(encoding="utf-8"))
DEPLOY = ROOT / "deploy" / "compose"


def faults(document: dict[str, Any]) -> list[str]:
    return [error.json_path for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)]


def test_it_is_what_the_specification_allows() -> None:
    assert faults(compose()) == []


@pytest.mark.parametrize(
    ("service", "field", "value"),
    [("north", "comand", ["serve"]), ("kafka", "healthcheck", {"test": 5}), ("north", "depends_on", {"topics": {}})],
)
def test_the_schema_finds_a_planted_fault(service: str, field: str, value: object) -> None:
    document = compose()
    document["services"][service][field] = value
    assert faults(document)


@pytest.mark.parametrize("name", sorted(own_services()))
def test_every_setting_is_one_of_the_program(name: str) -> None:
    environment = own_services()[name].get("environment", {})
    _, found = Settings.examine(environment)
    # The files of the volume do not exist here; anything else would be a wrong name or value.
    assert {fault.name for fault in found} <= {key for key in environment if key.endswith("_FILE")}


def test_a_wrong_setting_would_be_found() -> None:
    _, found = Settings.examine(own_services()["north"]["environment"] | {"TRAVELRULE_HUB_ULR": "http://sandbox:8090"})
    assert "TRAVELRULE_HUB_ULR" in {fault.name for fault in found}


def test_every_role_has_a_service_and_one_of_them_builds_the_image() -> None:
    commands = {name: service["command"][0] for name, service in own_services().items()}
    assert commands == {
        "init": "init", "migrate": "migrate", "topics": "topics", "sandbox": "sandbox", "north": "serve",
    }  # fmt: skip
    assert [name for name, service in own_services().items() if "build" in service] == ["north"]


@pytest.mark.parametrize("name", sorted(own_services()))
def test_our_containers_can_write_to_their_volume_only(name: str) -> None:
    service = own_services()[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert mounted(service) == {"/var/lib/travelrule": "north"}


def test_the_process_has_longer_to_end_than_it_drains() -> None:
    grace = own_services()["north"]["stop_grace_period"]
    assert grace.endswith("s")
    assert int(grace.removesuffix("s")) > DRAIN_SECONDS


def test_the_sandbox_may_call_the_gateway() -> None:
    (network,) = compose()["networks"]["inside"]["ipam"]["config"]
    sources = own_services()["north"]["environment"]["TRAVELRULE_GATEWAY_SOURCES"].split(",")
    assert any(ipaddress.ip_network(network["subnet"]).subnet_of(ipaddress.ip_network(source)) for source in sources)


def test_ports_are_on_loopback_and_images_have_versions() -> None:
    services = compose()["services"]
    assert {port.split(":")[0] for one in services.values() for port in one.get("ports", [])} == {"127.0.0.1"}
    foreign = [one["image"] for name, one in services.items() if name not in own_services()]
    assert len(foreign) == 4
    for image in foreign:
        tag = image.rpartition(":")[2]
        assert any(character.isdigit() for character in tag), image


def test_what_it_mounts_exists() -> None:
    sources = [source for one in compose()["services"].values() for source in mounted(one).values()]
    for source in sources:
        assert (ROOT / source).exists() if source.startswith(".") else source in compose()["volumes"], source


def test_prometheus_accepts_its_configuration(tmp_path: Path) -> None:
    mounts = mounted(compose()["services"]["prometheus"])
    assert mounts["/etc/prometheus/prometheus.yml"] == "./deploy/compose/prometheus.yml"
    (tmp_path / "prometheus.yml").write_bytes((DEPLOY / "prometheus.yml").read_bytes())
    (tmp_path / "rules").symlink_to(ROOT / mounts["/etc/prometheus/rules"])
    command = [promtool(), "check", "config", str(tmp_path / "prometheus.yml")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("rules found") == len(list((ROOT / "helm/travelrule/rules").glob("*.yaml"))) > 0


def test_prometheus_scrapes_our_processes_where_they_listen() -> None:
    configuration = yaml.safe_load((DEPLOY / "prometheus.yml").read_text(encoding="utf-8"))
    targets = {
        target for job in configuration["scrape_configs"] for one in job["static_configs"] for target in one["targets"]
    }
    ports = {}
    for name, service in own_services().items():
        if service["command"][0] == "serve":
            ports[name] = service["environment"]["TRAVELRULE_METRICS_LISTEN"].rpartition(":")[2]
        if service["command"][0] == "sandbox":
            (option,) = [word for word in service["command"] if word.startswith("--metrics-listen=")]
            ports[name] = option.rpartition(":")[2]
    assert targets == {f"{name}:{port}" for name, port in ports.items()}


def test_grafana_finds_prometheus_and_the_dashboards() -> None:
    mounts = mounted(compose()["services"]["grafana"])
    (source,) = yaml.safe_load((DEPLOY / "grafana/datasources/prometheus.yaml").read_text(encoding="utf-8"))[
        "datasources"
    ]
    assert (source["type"], source["url"], source["isDefault"]) == ("prometheus", "http://prometheus:9090", True)
    (provider,) = yaml.safe_load((DEPLOY / "grafana/dashboards/travelrule.yaml").read_text(encoding="utf-8"))[
        "providers"
    ]
    folder = ROOT / mounts[provider["options"]["path"]]
    assert folder == ROOT / "helm/travelrule/dashboards"
    home = Path(compose()["services"]["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"])
    assert (folder / home.name).is_file()
    for kind in ("datasources", "dashboards"):
        assert mounts[f"/etc/grafana/provisioning/{kind}"] == f"./deploy/compose/grafana/{kind}"
