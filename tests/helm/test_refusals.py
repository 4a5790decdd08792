"""Each wrong value is refused by ``helm template`` with a sentence that names it."""

from __future__ import annotations

import pytest

from tests.helm.chart import ChartRefusedError, Values, render


def test_the_least_values_are_enough() -> None:
    assert {one["kind"] for one in render()} == {
        "ConfigMap",
        "Deployment",
        "Job",
        "Pod",
        "PodDisruptionBudget",
        "Service",
        "ServiceAccount",
    }


def test_all_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(ChartRefusedError) as refused:
        render(base={})
    text = str(refused.value)
    for name in (
        "image.repository",
        "settings.HUB_URL",
        "settings.GATEWAY_SOURCES",
        "secrets.existingSecret",
        "profile",
    ):
        assert f"- {name}: is required" in text


def lag(**more: object) -> Values:
    return {"worker": {"autoscaling": {"kind": "lag", "lag": more}}}


IMPORT = {"format": "un-xml", "code": "un", "path": "un.xml", "volume": {"emptyDir": {}}}

WRONG: dict[str, tuple[Values, str]] = {
    "a secret in values": (
        {"settings": {"SIGNING_KEY": "c2VjcmV0"}},
        "settings.SIGNING_KEY: is a secret: put it into a Secret",
    ),
    "a secret's file": ({"settings": {"DATABASE_URL_FILE": "/x"}}, "settings.DATABASE_URL_FILE: is a secret"),
    "a secret of one role": ({"worker": {"settings": {"AUDIT_KEY": "x"}}}, "worker.settings.AUDIT_KEY: is a secret"),
    "the chart's own": ({"settings": {"GATEWAY_LISTEN": "0.0.0.0:1"}}, "settings.GATEWAY_LISTEN: is set by the chart"),
    "a setting that is a file": ({"settings": {"POLICY_FILE": "x"}}, "settings.POLICY_FILE: is set by policy"),
    "an unknown setting": ({"settings": {"HUB_URI": "x"}}, "additional properties 'HUB_URI' not allowed"),
    "nothing in place of a table": ({"monitoring": None}, "missing property 'monitoring'"),
    "nothing in place of a role's table": ({"worker": {"autoscaling": None}}, "missing property 'autoscaling'"),
    "nothing in place of labels": ({"commonLabels": None}, "missing property 'commonLabels'"),
    "nothing in place of hardening": ({"securityContext": None}, "missing property 'securityContext'"),
    "nothing in place of a number": ({"worker": {"replicas": None}}, "missing property 'replicas'"),
    "an upper-case name": ({"nameOverride": "TravelRule"}, "/nameOverride"),
    "a name of an account": ({"serviceAccount": {"name": "Bad_Name"}}, "/serviceAccount/name"),
    "a URL as host": ({"gateway": {"ingress": {"enabled": True, "host": "https://a.example/"}}}, "ingress/host"),
    "all pods at once": (
        {"worker": {"podDisruptionBudget": {"minAvailable": "100%", "maxUnavailable": None}}},
        "worker.podDisruptionBudget.minAvailable: 100%: no node could be drained",
    ),
    "sources of lists behind a network policy": (
        {
            "lists": {"enabled": True, "imports": [IMPORT | {"initContainers": [{"name": "fetch", "image": "x"}]}]},
            "networkPolicy": {"enabled": True},
        },
        "networkPolicy.egress.listSources: is required: without it the pods reach no listSources",
    ),
    "an unknown value": ({"worker": {"replica": 3}}, "additional properties 'replica' not allowed"),
    "a URL": ({"settings": {"HUB_URL": "hub.example"}}, "/settings/HUB_URL"),
    "a number": ({"settings": {"HEALTH_REFRESH_SECONDS": 0}}, "/settings/HEALTH_REFRESH_SECONDS"),
    "a network": ({"settings": {"GATEWAY_SOURCES": ["the hub"]}}, "/settings/GATEWAY_SOURCES"),
    "a choice": ({"settings": {"LOG_LEVEL": "loud"}}, "/settings/LOG_LEVEL"),
    "the embedded broker": (
        {"settings": {"BROKER_URL": "embedded://"}},
        "settings.BROKER_URL: embedded:// is one process's own broker",
    ),
    "half a login": (
        {"settings": {"BROKER_SASL_MECHANISM": "PLAIN"}},
        "settings.BROKER_SASL_USERNAME: is required with BROKER_SASL_MECHANISM",
    ),
    "half an administrator's login": (
        {"topics": {"settings": {"BROKER_SASL_USERNAME": "administrator"}}},
        "topics.settings.BROKER_SASL_MECHANISM: is required with BROKER_SASL_USERNAME",
    ),
    "no sources": ({"settings": {"GATEWAY_SOURCES": []}}, "settings.GATEWAY_SOURCES: is required"),
    "a setting in extraEnv": (
        {"gateway": {"extraEnv": [{"name": "TRAVELRULE_LOG_LEVEL", "value": "debug"}]}},
        "gateway.extraEnv: TRAVELRULE_LOG_LEVEL is a setting",
    ),
    "two profiles": ({"existingConfigMap": {"name": "north"}}, "profile: is given here and existingConfigMap.name"),
    "half a certificate": (
        {"tls": {"broker": {"existingSecret": "kafka", "certificate": "tls.crt"}}},
        "tls.broker: certificate and key are needed together",
    ),
    "a client CA alone": (
        {"tls": {"gateway": {"existingSecret": "gw", "certificate": "", "key": "", "clientCa": "ca.crt"}}},
        "tls.gateway.clientCa: needs certificate and key",
    ),
    "root": ({"podSecurityContext": {"runAsUser": 0}}, "podSecurityContext.runAsUser: 0 is root"),
    "a label of the chart": (
        {"commonLabels": {"app.kubernetes.io/name": "x"}},
        "commonLabels: app.kubernetes.io/name is set by the chart",
    ),
    "a label of the chart on a pod": (
        {"gateway": {"podLabels": {"app.kubernetes.io/component": "worker"}}},
        "gateway.podLabels: app.kubernetes.io/component is set by the chart",
    ),
    "a worker that is killed": (
        {"worker": {"terminationGracePeriodSeconds": 45}},
        "worker.terminationGracePeriodSeconds: 45 is too short: more than 45",
    ),
    "a gateway that is killed": (
        {"gateway": {"preStopSeconds": 15}},
        "gateway.terminationGracePeriodSeconds: 60 is too short: more than 60, the limit of a regular shutdown and",
    ),
    "two limits of disruption": (
        {"worker": {"podDisruptionBudget": {"minAvailable": 1}}},
        "worker.podDisruptionBudget: minAvailable and maxUnavailable are both given",
    ),
    "no pod may go": (
        {"gateway": {"podDisruptionBudget": {"minAvailable": 2, "maxUnavailable": None}}},
        "gateway.podDisruptionBudget.minAvailable: 2 of 2 pods: no node could be drained",
    ),
    "no pod may go, said otherwise": (
        {"worker": {"podDisruptionBudget": {"maxUnavailable": 0}}},
        "worker.podDisruptionBudget.maxUnavailable: 0: no node could be drained",
    ),
    "no limit of disruption": (
        {"worker": {"podDisruptionBudget": {"maxUnavailable": None}}},
        "worker.podDisruptionBudget.maxUnavailable: is required, or minAvailable",
    ),
    "scaling downwards": (
        {"gateway": {"autoscaling": {"kind": "cpu", "maxReplicas": 1}}},
        "gateway.autoscaling.maxReplicas: 1 is less than minReplicas 2",
    ),
    "scaling to zero": ({"worker": {"autoscaling": {"minReplicas": 0}}}, "/worker/autoscaling/minReplicas"),
    "CPU without a request": (
        {"worker": {"autoscaling": {"kind": "cpu"}, "resources": {"requests": {"cpu": None}}}},
        "worker.resources.requests.cpu: is required with autoscaling.kind cpu",
    ),
    "lag without a threshold": (lag(), "worker.autoscaling.lag.threshold: is required"),
    "lag without a login": (
        lag(threshold=100) | {"tls": {"broker": {"existingSecret": "kafka"}}},
        "worker.autoscaling.lag.authenticationRef.name: is required",
    ),
    "lag of the gateway": ({"gateway": {"autoscaling": {"kind": "lag"}}}, "/gateway/autoscaling/kind"),
    "no lists": ({"lists": {"enabled": True}}, "lists.imports: is required"),
    "two lists of one code": (
        {"lists": {"enabled": True, "imports": [IMPORT, IMPORT]}},
        'lists.imports[1].code: "un" is another entry\'s',
    ),
    "a list from nowhere": (
        {"lists": {"enabled": True, "imports": [IMPORT | {"volume": {}}]}},
        "lists.imports[0].volume: is required",
    ),
    "an unknown format": (
        {"lists": {"enabled": True, "imports": [IMPORT | {"format": "un-csv"}]}},
        "/lists/imports/0/format",
    ),
    "a list's long code": (
        {"lists": {"enabled": True, "imports": [IMPORT | {"code": "u" * 40}]}},
        "lists.imports[0].code: the CronJob's name",
    ),
    "a hub without members": ({"hub": {"enabled": True}}, "hub.file.existingSecret: is required"),
    "a sandbox of two worlds": (
        {"sandbox": {"enabled": True, "file": {"existingSecret": "a", "existingConfigMap": "b"}}},
        "sandbox.file: existingSecret and existingConfigMap are both given",
    ),
    "an ingress without host": ({"gateway": {"ingress": {"enabled": True}}}, "gateway.ingress.host: is required"),
    "no way out": ({"networkPolicy": {"enabled": True}}, "networkPolicy.egress.broker: is required"),
    "no way in": ({"networkPolicy": {"enabled": True}}, "networkPolicy.ingress.gateway: is required"),
    "no way for Prometheus": (
        {"networkPolicy": {"enabled": True}, "monitoring": {"monitor": {"kind": "PodMonitor"}}},
        "networkPolicy.ingress.metrics: is required with monitoring.monitor",
    ),
    "no runbooks": (
        {"monitoring": {"prometheusRule": {"enabled": True, "runbookUrl": ""}}},
        "monitoring.prometheusRule.runbookUrl: is required",
    ),
    "nothing": ({"worker": {"enabled": False}, "gateway": {"enabled": False}}, "worker.enabled: nothing is enabled"),
    "a long name": ({"fullnameOverride": "n" * 41}, "has 41 characters: set it to at most 40"),
    "a digest": ({"image": {"digest": "latest"}}, "/image/digest"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_value_is_named(case: str) -> None:
    values, sentence = WRONG[case]
    with pytest.raises(ChartRefusedError) as refused:
        render(values)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("release", ["1north", "my.north"])
def test_a_release_whose_name_no_service_may_have_is_refused(release: str) -> None:
    with pytest.raises(ChartRefusedError) as refused:
        render(release=release)
    assert f'fullnameOverride: "{release}-travelrule", from the release name, is no name of a Service' in str(
        refused.value
    )
    assert render({"fullnameOverride": "north"}, release=release)


def test_no_secret_is_repeated() -> None:
    with pytest.raises(ChartRefusedError) as refused:
        render({"settings": {"STORAGE_KEYS": "a2V5LWVuY3J5cHRpb24"}})
    assert "a2V5" not in str(refused.value)
