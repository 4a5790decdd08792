"""The values that the scenario installs: one release with everything on, another VASP beside it."""

from __future__ import annotations

from typing import Any

PROFILE = """\
legal_name = "North Exchange Ltd. (invented)"
country_of_registration = "SG"

[address]
lines = ["1 Example Road"]
town = "Singapore"
country = "SG"
"""
POLICY, STRICTER_POLICY = 'sanctions = "required"\n', 'sanctions = "required"\noperator_override = false\n'
SECRET_KEYS = ("database-url", "signing-key", "storage-keys", "index-key", "audit-key", "broker-sasl-password")
ANYWHERE = [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]
ANYONE = [{"ipBlock": {"cidr": "10.0.0.0/8"}}]

Values = dict[str, Any]


def secret(name: str, namespace: str, text: str = "c3ludGhldGlj") -> Values:
    """A Secret with every key that the chart reads; its values are no real keys (no container runs here)."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "data": {**dict.fromkeys(SECRET_KEYS, text), "world.json": "e30=", "ca.crt": text},
    }


def north() -> Values:
    """Everything that can be on at once: sandbox, network policies, monitors, rules, dashboards, lag, lists."""
    return {
        "image": {"repository": "registry.example/travelrule", "tag": "1.0.0"},
        "settings": {
            "VASP_ENTITY_ID": "north",
            "HUB_URL": "https://hub.example",
            "BROKER_URL": "kafka://kafka-1:9093,kafka-2:9093",
            "BROKER_SASL_MECHANISM": "SCRAM-SHA-512",
            "BROKER_SASL_USERNAME": "north",
            "GATEWAY_SOURCES": ["10.20.0.0/16"],
            "TOPIC_PREFIX": "north.travelrule.",
            "CONSUMER_GROUP": "north.travelrule",
        },
        "profile": PROFILE,
        "policy": POLICY,
        "secrets": {"existingSecret": "north"},
        "tls": {"broker": {"existingSecret": "north"}},
        "worker": {"replicas": 3, "topologySpread": "DoNotSchedule"},
        "gateway": {"replicas": 3, "topologySpread": "DoNotSchedule"},
        "sandbox": {"enabled": True, "file": {"existingSecret": "north"}},
        "lists": {
            "enabled": True,
            "imports": [{"format": "own-csv", "code": "blocked", "path": "own.csv", "volume": {"emptyDir": {}}}],
        },
        "networkPolicy": {
            "enabled": True,
            "ingress": {"gateway": ANYONE, "metrics": ANYONE, "hub": ANYONE},
            "egress": dict.fromkeys(("broker", "database", "hub", "members"), ANYWHERE),
        },
        "monitoring": {
            "monitor": {"kind": "ServiceMonitor", "additionalLabels": {"release": "kube-prometheus-stack"}},
            "prometheusRule": {"enabled": True, "additionalLabels": {"release": "kube-prometheus-stack"}},
            "dashboards": {"enabled": True},
        },
    }


def south() -> Values:
    """Another VASP in the same namespace: static membership, autoscaling, a monitor of the other kind."""
    values = north()
    values["settings"] |= {
        "VASP_ENTITY_ID": "south",
        "TOPIC_PREFIX": "south.travelrule.",
        "CONSUMER_GROUP": "south.travelrule",
    }
    values["secrets"] = {"existingSecret": "south"}
    values["tls"] = {}
    del values["settings"]["BROKER_SASL_MECHANISM"], values["settings"]["BROKER_SASL_USERNAME"]
    lag = {"kind": "lag", "minReplicas": 2, "maxReplicas": 4, "lag": {"threshold": 500}}
    values["worker"] = {"kind": "StatefulSet", "autoscaling": lag}
    values["gateway"] = {"autoscaling": {"kind": "cpu"}}
    values["sandbox"] = {"enabled": False}
    values["lists"] = {"enabled": False}
    values["monitoring"] = {"monitor": {"kind": "PodMonitor"}}
    return values


def minimal() -> Values:
    """Only what is required."""
    values = north()
    needed = {name: values[name] for name in ("image", "settings", "profile")}
    del needed["settings"]["BROKER_SASL_MECHANISM"], needed["settings"]["BROKER_SASL_USERNAME"]
    return needed | {"secrets": {"existingSecret": "north"}}


def own_hub() -> Values:
    """A hub of one's own beside the VASP, and an ingress in front of the gateway."""
    ingress = {"enabled": True, "className": "nginx", "host": "vasp.example", "tlsSecret": "north"}
    hub = {"enabled": True, "file": {"existingSecret": "north", "key": "world.json"}}
    return minimal() | {"hub": hub, "gateway": {"ingress": ingress}}


def changed(values: Values, path: str, value: object) -> Values:
    """A copy with one value replaced; ``path`` is dotted."""
    first, _, rest = path.partition(".")
    inner = changed(values.get(first, {}), rest, value) if rest else value
    return {**values, first: inner}
