"""Closed schemas of the objects of other operators, as far as the chart writes them.

The published definitions accept fields that they do not know, so that a misspelt one would be ignored in silence. The
fields are those of prometheus-operator's ``monitoring.coreos.com/v1``, and of KEDA's ``keda.sh/v1alpha1`` with its
Kafka scaler.
"""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

Schema = dict[str, Any]

TEXT: Schema = {"type": "string", "minLength": 1}
LABELS: Schema = {"type": "object", "additionalProperties": TEXT}
DURATION: Schema = {"type": "string", "pattern": r"^[0-9]+(ms|s|m|h|d|w)$"}
NUMBER_TEXT: Schema = {"type": "string", "pattern": r"^[1-9][0-9]*$"}
FLAG_TEXT: Schema = {"enum": ["true", "false"]}


def _closed(properties: dict[str, Schema], *required: str) -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(required or properties),
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "minItems": 1, "items": items}


_METADATA = _closed(
    {"name": TEXT, "namespace": TEXT, "labels": LABELS, "annotations": LABELS}, "name", "namespace", "labels"
)
_SELECTOR = _closed({"matchLabels": LABELS})
_RELABELING = _closed(
    {
        "action": {"enum": ["replace", "keep", "drop", "labeldrop", "labelkeep", "labelmap"]},
        "sourceLabels": _list(TEXT),
        "separator": TEXT,
        "targetLabel": TEXT,
        "replacement": TEXT,
        "regex": TEXT,
    },
    *(),
)
_RELABELING["required"] = []
_ENDPOINT = _closed(
    {
        "port": {"const": "metrics"},
        "path": {"const": "/metrics"},
        "interval": DURATION,
        "scrapeTimeout": DURATION,
        "relabelings": _list(_RELABELING),
        "metricRelabelings": _list(_RELABELING),
    },
    "port",
    "path",
    "interval",
    "scrapeTimeout",
)
_RULE: Schema = {
    "oneOf": [
        _closed({"record": TEXT, "expr": TEXT, "labels": LABELS}, "record", "expr"),
        _closed(
            {
                "alert": TEXT,
                "expr": TEXT,
                "for": DURATION,
                "keep_firing_for": DURATION,
                "labels": LABELS,
                "annotations": LABELS,
            },
            "alert",
            "expr",
            "labels",
            "annotations",
        ),
    ]
}
_TRIGGER = _closed(
    {
        "type": {"const": "kafka"},
        "name": TEXT,
        "metadata": _closed(
            {
                "bootstrapServers": {"type": "string", "pattern": r"^[^/,]+:[0-9]+(,[^/,]+:[0-9]+)*$"},
                "consumerGroup": TEXT,
                "topic": TEXT,
                "lagThreshold": NUMBER_TEXT,
                "offsetResetPolicy": {"const": "earliest"},
                "excludePersistentLag": FLAG_TEXT,
                "limitToPartitionsWithLag": FLAG_TEXT,
            }
        ),
        "authenticationRef": _closed(
            {"name": TEXT, "kind": {"enum": ["TriggerAuthentication", "ClusterTriggerAuthentication"]}}
        ),
    },
    "type",
    "name",
    "metadata",
)


def _object(version: str, kind: str, spec: Schema) -> Schema:
    return _closed({"apiVersion": {"const": version}, "kind": {"const": kind}, "metadata": _METADATA, "spec": spec})


CUSTOM: dict[str, Schema] = {
    "PodMonitor": _object(
        "monitoring.coreos.com/v1",
        "PodMonitor",
        _closed({"selector": _SELECTOR, "podMetricsEndpoints": _list(_ENDPOINT)}),
    ),
    "ServiceMonitor": _object(
        "monitoring.coreos.com/v1", "ServiceMonitor", _closed({"selector": _SELECTOR, "endpoints": _list(_ENDPOINT)})
    ),
    "PrometheusRule": _object(
        "monitoring.coreos.com/v1",
        "PrometheusRule",
        _closed(
            {"groups": _list(_closed({"name": TEXT, "interval": DURATION, "rules": _list(_RULE)}, "name", "rules"))}
        ),
    ),
    "ScaledObject": _object(
        "keda.sh/v1alpha1",
        "ScaledObject",
        _closed(
            {
                "scaleTargetRef": _closed({"apiVersion": TEXT, "kind": TEXT, "name": TEXT}),
                "pollingInterval": {"type": "integer"},
                "cooldownPeriod": {"type": "integer"},
                "minReplicaCount": {"type": "integer", "minimum": 1},
                "maxReplicaCount": {"type": "integer", "minimum": 1},
                "advanced": _closed({"horizontalPodAutoscalerConfig": _closed({"behavior": {"type": "object"}})}),
                "triggers": _list(_TRIGGER),
            },
            "scaleTargetRef",
            "minReplicaCount",
            "maxReplicaCount",
            "triggers",
        ),
    ),
}


def custom_faults(one: dict[str, Any]) -> list[str]:
    """What the schema of the object's kind does not accept."""
    return [error.message for error in Draft202012Validator(CUSTOM[one["kind"]]).iter_errors(one)]
