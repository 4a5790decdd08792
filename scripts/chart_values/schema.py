"""JSON Schema of the chart's values."""

from __future__ import annotations

from scripts.chart_values.parts import (
    COUNT_OR_PERCENT,
    FLAG,
    JOB,
    LABELS,
    NAMED,
    OBJECT,
    OBJECTS,
    PORT,
    QUANTITY,
    SECRET_KEY,
    SECRET_NAME,
    SECRET_PLACE,
    SERVED,
    SERVICE_TYPE,
    TEXT,
    Schema,
    closed,
    one_of,
    optional,
    whole,
)
from scripts.chart_values.settings_part import settings_schema
from travelrule.screening.lists.formats.registry import FORMATS

SECRETS = ("DATABASE_URL", "SIGNING_KEY", "STORAGE_KEYS", "INDEX_KEY", "AUDIT_KEY", "BROKER_SASL_PASSWORD")
_SECRET_PLACES = closed(dict.fromkeys(SECRETS, SECRET_PLACE))
_SERVICE = {"type": SERVICE_TYPE, "port": PORT, "annotations": LABELS}
_BUDGET = closed({"enabled": FLAG, "minAvailable": COUNT_OR_PERCENT, "maxUnavailable": COUNT_OR_PERCENT})
_TLS = closed({"existingSecret": SECRET_NAME, "ca": SECRET_KEY, "certificate": SECRET_KEY, "key": SECRET_KEY})
_NAME: Schema = {"type": "string", "pattern": r"^([a-z]([-a-z0-9]*[a-z0-9])?)?$"}
_HOST: Schema = {"type": "string", "pattern": r"^([-a-z0-9]+(\.[-a-z0-9]+)*)?$"}
_SETTINGS: Schema = {"$ref": "#/$defs/settings"}


def values_schema() -> Schema:
    """The whole schema, closed at every level that is the chart's own."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Values of the chart travelrule",
        "$defs": {"settings": settings_schema()},
        **closed(_general() | _components() | _around()),
    }


def _general() -> dict[str, Schema]:
    return {
        "global": OBJECT,  # helm itself adds it
        "nameOverride": _NAME,
        "fullnameOverride": _NAME,
        "commonLabels": LABELS,
        "commonAnnotations": LABELS,
        "image": closed(
            {
                "repository": TEXT,
                "tag": TEXT,
                "digest": {"type": "string", "pattern": r"^(sha256:[0-9a-f]{64})?$"},
                "pullPolicy": one_of("Always", "IfNotPresent", "Never"),
                "pullSecrets": NAMED,
            }
        ),
        "settings": _SETTINGS,
        "profile": TEXT,
        "policy": TEXT,
        "existingConfigMap": closed({"name": SECRET_NAME, "profileKey": SECRET_KEY, "policyKey": SECRET_KEY}),
        "secrets": closed({"existingSecret": SECRET_NAME, "keys": _SECRET_PLACES, "lookup": FLAG, "revision": TEXT}),
        "tls": closed(
            {
                "broker": _TLS,
                "gateway": closed(
                    {
                        "existingSecret": SECRET_NAME,
                        "certificate": SECRET_KEY,
                        "key": SECRET_KEY,
                        "clientCa": SECRET_KEY,
                    }
                ),
                "database": _TLS,
            }
        ),
        "serviceAccount": closed({"create": FLAG, "name": SECRET_NAME, "annotations": LABELS, "automountToken": FLAG}),
        "podSecurityContext": OBJECT,
        "securityContext": OBJECT,
        "temporarySizeLimit": QUANTITY,
        "priorityClassName": TEXT,
        "nodeSelector": LABELS,
        "tolerations": OBJECTS,
        "revisionHistoryLimit": whole(0),
    }


def _components() -> dict[str, Schema]:
    role = SERVED | {"replicas": whole(1), "settings": _SETTINGS, "podDisruptionBudget": _BUDGET}
    member = SERVED | {
        "file": closed({"existingSecret": SECRET_NAME, "existingConfigMap": SECRET_NAME, "key": SECRET_KEY}),
        "service": closed(_SERVICE),
    }
    job = JOB | {"settings": _SETTINGS, "secrets": _SECRET_PLACES}
    return {
        "worker": closed(
            role | {"kind": one_of("Deployment", "StatefulSet"), "autoscaling": _autoscaling("none", "cpu", "lag")}
        ),
        "gateway": closed(
            role
            | {
                "preStopSeconds": whole(0),
                "service": closed(
                    _SERVICE
                    | {
                        "externalTrafficPolicy": one_of("", "Cluster", "Local"),
                        "loadBalancerSourceRanges": {"type": "array", "items": TEXT},
                    }
                ),
                "ingress": closed(
                    {"enabled": FLAG, "className": TEXT, "annotations": LABELS, "host": _HOST, "tlsSecret": SECRET_NAME}
                ),
                "autoscaling": _autoscaling("none", "cpu"),
            }
        ),
        "hub": closed(member),
        "sandbox": closed(member),
        "migrate": closed(job | {"tls": closed({"database": _TLS})}),
        "topics": closed(job | {"alter": FLAG, "tls": closed({"broker": _TLS})}),
        "lists": closed(
            JOB
            | {
                "schedule": _schedule(),
                "timeZone": TEXT,
                "imports": {"type": "array", "items": _import()},
                "settings": _SETTINGS,
                "sizeLimit": QUANTITY,
            }
        ),
        "doctor": closed(
            {name: form for name, form in JOB.items() if name not in ("backoffLimit", "activeDeadlineSeconds")}
        ),
    }


def _autoscaling(*kinds: str) -> Schema:
    parts: dict[str, Schema] = {
        "kind": one_of(*kinds),
        "minReplicas": whole(1),
        "maxReplicas": whole(1),
        "cpuPercent": whole(1, 100),
        "behavior": OBJECT,
    }
    if "lag" in kinds:
        parts["lag"] = closed(
            {
                "threshold": optional(whole(1)),
                "pollingInterval": whole(1),
                "cooldownPeriod": whole(0),
                "excludePersistentLag": FLAG,
                "limitToPartitionsWithLag": FLAG,
                "authenticationRef": closed(
                    {"name": TEXT, "kind": one_of("TriggerAuthentication", "ClusterTriggerAuthentication")}
                ),
            }
        )
    return closed(parts)


def _schedule() -> Schema:
    return {"type": "string", "pattern": r"^(@[a-z]+|\S+ \S+ \S+ \S+ \S+)?$"}


def _import() -> Schema:
    return closed(
        {
            "format": one_of(*FORMATS),
            "code": {"type": "string", "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},
            "path": {"type": "string", "pattern": r"^[^/].*$|^$"},
            "schedule": _schedule(),
            "allowShrink": FLAG,
            "volume": OBJECT,
            "initContainers": OBJECTS,
        },
        "format",
        "code",
        "path",
    )


def _around() -> dict[str, Schema]:
    rules = {"type": "array", "items": closed({"to": OBJECTS, "ports": OBJECTS})}
    destinations = ("dns", "broker", "database", "hub", "listSources", "members")
    return {
        "networkPolicy": closed(
            {
                "enabled": FLAG,
                "ingress": closed(dict.fromkeys(("gateway", "metrics", "hub"), OBJECTS)),
                "egress": closed(dict.fromkeys(destinations, rules)),
            }
        ),
        "monitoring": closed(
            {
                "monitor": closed(
                    {
                        "kind": one_of("PodMonitor", "ServiceMonitor", "none"),
                        "interval": _duration(),
                        "scrapeTimeout": _duration(),
                        "additionalLabels": LABELS,
                        "relabelings": OBJECTS,
                        "metricRelabelings": OBJECTS,
                    }
                ),
                "prometheusRule": closed(
                    {"enabled": FLAG, "additionalLabels": LABELS, "alertLabels": LABELS, "runbookUrl": TEXT}
                ),
                "dashboards": closed({"enabled": FLAG, "labels": LABELS, "annotations": LABELS}),
            }
        ),
        "extraObjects": OBJECTS,
    }


def _duration() -> Schema:
    return {"type": "string", "pattern": r"^[0-9]+(ms|s|m|h)$"}
