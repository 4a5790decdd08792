"""What each container is given: settings that exist, values that the program accepts, and no more than it reads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from schemas.registry import TOPICS
from scripts.chart_values.pages import pages
from scripts.chart_values.schema import SECRETS, values_schema
from tests.helm.chart import CHART, KUBERNETES, MINIMAL, ChartRefusedError, Rendered, lint, merged, pick, pod_of, render
from tests.helm.installed_secrets import EXISTING
from tests.helm.matrix import EVERY_SETTING, MATRIX, SCALED, SECURED
from tests.helm.pod_files import ContainerFiles
from travelrule.bootstrap.shutdown import DRAIN_SECONDS
from travelrule.environment import PREFIX
from travelrule.settings import Settings

NOT_IN_THE_CHART = {"CONSOLE_LISTEN", "LISTS_DIR", "DECISION_KEY"}
"""A role that is not built; lists come by a CronJob; the key of a person who decides."""


def test_every_rendered_setting_is_accepted(installation: list[Rendered], tmp_path: Path) -> None:
    for number, one in enumerate(one for one in installation if pod_of(one)):
        found = ContainerFiles(one, installation, EXISTING, tmp_path / str(number))
        found.prepare()
        assert {name for name in found.environment() if not name.startswith(PREFIX)} <= {"TZ"}
        settings, faults = Settings.examine(found.environment())
        assert faults == []
        for name, value in found.environment().items():
            if value.startswith(str(tmp_path)):
                assert Path(value).exists(), name
        assert settings.log_format == "json"


def test_every_setting_of_the_program_can_be_given() -> None:
    """A new setting needs a component that reads it, or a row of what the chart sets itself."""
    needs = (CHART / "templates" / "_settings.tpl").read_text()
    prefixes = {name for row in re.findall(r"settings: \[(.*)\]", needs) for name in row.split(", ")}
    own = (CHART / "templates" / "_faults.tpl").read_text().partition('"travelrule.ownSettings"')[2].partition("end")[0]
    for name in (field.upper() for field in Settings.model_fields):
        by_value = any(name.startswith(prefix) for prefix in prefixes)
        assert by_value or name in SECRETS or f"{name}: " in own or name in NOT_IN_THE_CHART, name


def test_each_value_reaches_the_component_that_reads_it() -> None:
    objects = render(EVERY_SETTING)
    worker = _environment(objects, "worker")
    assert worker["TRAVELRULE_LOG_LEVEL"] == "debug"
    assert worker["TRAVELRULE_BROKER_TLS_ENABLED"] == "true"
    assert "TRAVELRULE_GATEWAY_REQUEST_RATE" not in worker
    gateway = _environment(objects, "gateway")
    assert gateway["TRAVELRULE_GATEWAY_REQUEST_RATE"] == "12000000"
    assert gateway["TRAVELRULE_GATEWAY_SEARCH_RATE"] == "0"
    assert gateway["TRAVELRULE_LOG_LEVEL"] == "warning"
    assert gateway["TRAVELRULE_POLICY_FILE"] == "/etc/travelrule/policy.toml"
    assert not [name for name in gateway if "BROKER" in name or "AUDIT" in name]


def _environment(objects: list[Rendered], component: str, kind: str = "Deployment") -> dict[str, str]:
    pod = pod_of(pick(objects, kind, f"north-travelrule-{component}"))
    assert pod is not None
    return {variable["name"]: variable.get("value", "") for variable in pod["containers"][0]["env"]}


def test_the_jobs_have_logins_of_their_own() -> None:
    objects = render(SECURED)
    topics = pod_of(pick(objects, "Job", "north-travelrule-topics"))
    assert topics is not None
    assert _environment(objects, "topics", "Job")["TRAVELRULE_BROKER_SASL_USERNAME"] == "administrator"
    assert _environment(objects, "worker")["TRAVELRULE_BROKER_SASL_USERNAME"] == "worker"
    (volume,) = [volume for volume in topics["volumes"] if volume["name"] == "secrets"]
    assert {source["secret"]["name"] for source in volume["projected"]["sources"]} == {"kafka-administrator"}
    assert topics["containers"][0]["args"] == ["topics", "apply", "--alter"]
    migrate = pod_of(pick(objects, "Job", "north-travelrule-migrate"))
    assert migrate is not None
    (volume,) = [volume for volume in migrate["volumes"] if volume["name"] == "secrets"]
    owner = next(source["secret"] for source in volume["projected"]["sources"])
    assert owner == {"name": "north-database-owner", "items": [{"key": "uri", "path": "database-url"}]}


def test_what_the_chart_repeats_of_the_code_is_what_the_code_has() -> None:
    templates = "".join(path.read_text() for path in (CHART / "templates").glob("*.tpl"))
    assert re.search(r'"travelrule.drainSeconds" -}}(\d+)\{', templates)[1] == str(DRAIN_SECONDS)  # type: ignore[index]
    triggers = pick(render(SCALED), "ScaledObject", "north-travelrule-worker")["spec"]["triggers"]
    inputs = {f"north.travelrule.{topic.name}" for topic in TOPICS.values() if topic.direction == "in"}
    assert {trigger["metadata"]["topic"] for trigger in triggers} == inputs
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert f'\nversion = "{chart["appVersion"]}"\n' in (CHART.parents[1] / "pyproject.toml").read_text()


def test_the_generated_files_are_those_of_the_code() -> None:
    stale = [path.name for path, text in pages().items() if path.read_text() != text]
    assert stale == [], "run `make docs`"


def test_every_value_has_a_default_and_every_default_a_schema() -> None:
    given = yaml.safe_load((CHART / "values.yaml").read_text())
    schema = values_schema()
    assert given.keys() == schema["properties"].keys() - {"global"}
    assert given["secrets"]["keys"].keys() == set(SECRETS)
    assert set(SECRETS) == set(Settings.secret_names()) - {"DECISION_KEY"}
    for name in ("worker", "gateway"):
        assert given[name].keys() == schema["properties"][name]["properties"].keys()


@pytest.mark.parametrize("case", [name for name in MATRIX if name in {"secured", "lists", "watched", "scaled"}])
def test_lint_accepts_it(case: str, tmp_path: Path) -> None:
    values = tmp_path / "values.yaml"
    values.write_text(json.dumps(merged(MINIMAL, MATRIX[case])))
    done = lint(values)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_older_kubernetes_is_refused() -> None:
    assert KUBERNETES > "1.30"
    with pytest.raises(ChartRefusedError, match=r"incompatible with Kubernetes v1\.29"):
        render(kubernetes="1.29.0")
