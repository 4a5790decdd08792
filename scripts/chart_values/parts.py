"""JSON Schema of the forms that several values share; every object is closed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
QUANTITY: Schema = {"type": ["string", "number"], "pattern": r"^[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$"}
LABELS: Schema = {"type": "object", "additionalProperties": TEXT}
SECRET_NAME: Schema = {"type": "string", "pattern": r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$"}
SECRET_KEY: Schema = {"type": "string", "pattern": r"^[-._a-zA-Z0-9]*$"}
OBJECTS: Schema = {"type": "array", "items": {"type": "object"}}
"""Objects of Kubernetes, whose fields the API server checks."""
OBJECT: Schema = {"type": "object"}


def closed(properties: Mapping[str, Schema], *required: str) -> Schema:
    """An object with these properties and no others."""
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": dict(properties)}
    return schema | ({"required": list(required)} if required else {})


def one_of(*values: str) -> Schema:
    """One of the texts."""
    return {"type": "string", "enum": list(values)}


def whole(least: int, most: int | None = None) -> Schema:
    """A whole number from ``least`` to ``most``."""
    schema: Schema = {"type": "integer", "minimum": least}
    return schema | ({"maximum": most} if most is not None else {})


def optional(schema: Schema) -> Schema:
    """The form, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


PORT = whole(1, 65_535)
SERVICE_TYPE = one_of("ClusterIP", "NodePort", "LoadBalancer")
COUNT_OR_PERCENT: Schema = {
    "anyOf": [whole(0), {"type": "string", "pattern": r"^(100|[0-9]{1,2})%$"}, {"type": "null"}]
}
RESOURCES = closed({name: {"type": "object", "additionalProperties": QUANTITY} for name in ("requests", "limits")})
PROBE = closed(
    {
        "httpGet": OBJECT,
        "tcpSocket": OBJECT,
        "initialDelaySeconds": whole(0),
        "periodSeconds": whole(1),
        "timeoutSeconds": whole(1),
        "failureThreshold": whole(1),
        "successThreshold": whole(1),
    }
)
SECRET_PLACE = closed({"name": SECRET_NAME, "key": SECRET_KEY})
NAMED = {"type": "array", "items": closed({"name": TEXT}, "name")}
ENV: Schema = {
    "type": "array",
    "items": closed(
        {"name": {"type": "string", "pattern": r"^[-._a-zA-Z][-._a-zA-Z0-9]*$"}, "value": TEXT, "valueFrom": OBJECT},
        "name",
    ),
}
POD: dict[str, Schema] = {
    "resources": RESOURCES,
    "podLabels": LABELS,
    "podAnnotations": LABELS,
    "extraEnv": ENV,
    "extraEnvFrom": OBJECTS,
    "extraVolumes": OBJECTS,
    "extraVolumeMounts": OBJECTS,
    "nodeSelector": LABELS,
    "tolerations": OBJECTS,
    "affinity": OBJECT,
    "priorityClassName": TEXT,
}
"""What every component may set on its pod."""
SERVED: dict[str, Schema] = POD | {
    "enabled": FLAG,
    "terminationGracePeriodSeconds": whole(1),
    "probes": closed({"startup": PROBE, "liveness": PROBE, "readiness": PROBE}),
    "extraContainers": OBJECTS,
    "initContainers": OBJECTS,
    "topologySpread": one_of("ScheduleAnyway", "DoNotSchedule", ""),
    "topologySpreadConstraints": OBJECTS,
}
"""What every component that keeps running may set."""
JOB: dict[str, Schema] = POD | {
    "enabled": FLAG,
    "backoffLimit": whole(0),
    "activeDeadlineSeconds": whole(1),
}
