"""Values that together switch on everything the chart has; each entry is one installation."""

from __future__ import annotations

from tests.helm.chart import Values

HUB_ONLY: Values = {
    "image": {"repository": "registry.example/travelrule"},
    "worker": {"enabled": False},
    "gateway": {"enabled": False},
    "hub": {"enabled": True, "file": {"existingSecret": "network"}},
}

SECURED: Values = {
    "settings": {"BROKER_SASL_MECHANISM": "SCRAM-SHA-512", "BROKER_SASL_USERNAME": "worker"},
    "tls": {
        "broker": {"existingSecret": "kafka", "certificate": "tls.crt", "key": "tls.key"},
        "gateway": {"existingSecret": "gateway", "clientCa": "ca.crt"},
        "database": {"existingSecret": "postgres"},
    },
    "secrets": {"keys": {"DATABASE_URL": {"name": "north-database", "key": "uri"}}},
    "topics": {
        "settings": {"BROKER_SASL_USERNAME": "administrator"},
        "secrets": {"BROKER_SASL_PASSWORD": {"name": "kafka-administrator", "key": "password"}},
        "tls": {"broker": {"existingSecret": "kafka-administrator"}},
        "alter": True,
    },
    "migrate": {"secrets": {"DATABASE_URL": {"name": "north-database-owner"}}},
}

LISTS: Values = {
    "lists": {
        "enabled": True,
        "imports": [
            {
                "format": "ofac-csv",
                "code": "ofac-sdn",
                "path": "ofac-csv",
                "volume": {"persistentVolumeClaim": {"claimName": "sanctions-lists", "readOnly": True}},
            },
            {
                "format": "un-xml",
                "code": "un",
                "path": "un.xml",
                "schedule": "7 5 * * 1-5",
                "allowShrink": True,
                "initContainers": [
                    {
                        "name": "fetch",
                        "image": "registry.example/fetch:1",
                        "volumeMounts": [{"name": "lists", "mountPath": "/lists"}],
                    }
                ],
            },
        ],
    }
}

_PEER = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress"}}}
_NETWORK = [{"to": [{"ipBlock": {"cidr": "10.30.0.0/16"}}], "ports": [{"port": 9093, "protocol": "TCP"}]}]

GUARDED: Values = {
    "networkPolicy": {
        "enabled": True,
        "ingress": {"gateway": [_PEER], "metrics": [_PEER], "hub": [_PEER]},
        "egress": {"broker": _NETWORK, "database": _NETWORK, "hub": _NETWORK, "members": _NETWORK},
    },
    "hub": {"enabled": True, "file": {"existingSecret": "network"}},
    "sandbox": {"enabled": True, "file": {"existingConfigMap": "world"}},
}

WATCHED: Values = {
    "monitoring": {
        "monitor": {
            "kind": "ServiceMonitor",
            "additionalLabels": {"release": "kube-prometheus-stack"},
            "relabelings": [{"targetLabel": "vasp", "replacement": "north"}],
            "metricRelabelings": [{"action": "labeldrop", "regex": "pod"}],
        },
        "prometheusRule": {
            "enabled": True,
            "additionalLabels": {"release": "kube-prometheus-stack"},
            "alertLabels": {"team": "compliance"},
            "runbookUrl": "https://runbooks.example/travelrule/",
        },
        "dashboards": {"enabled": True, "annotations": {"grafana_folder": "Travel Rule"}},
    }
}

SCALED: Values = {
    "worker": {
        "kind": "StatefulSet",
        "autoscaling": {
            "kind": "lag",
            "lag": {"threshold": 200, "authenticationRef": {"name": "kafka"}},
            "behavior": {"scaleDown": {"stabilizationWindowSeconds": 600}},
        },
    },
    "gateway": {"autoscaling": {"kind": "cpu", "behavior": {"scaleUp": {"stabilizationWindowSeconds": 0}}}},
    "settings": {"TOPIC_PREFIX": "north.travelrule.", "CONSUMER_GROUP": "north.travelrule"},
}

_POD: Values = {
    "podLabels": {"cost-centre": "compliance"},
    "podAnnotations": {"example.com/note": "synthetic"},
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "tolerations": [{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}],
    "priorityClassName": "high",
    "extraEnv": [{"name": "TZ", "value": "UTC"}],
    "extraEnvFrom": [{"configMapRef": {"name": "proxy"}}],
    "extraVolumes": [{"name": "ca", "configMap": {"name": "ca"}}],
    "extraVolumeMounts": [{"name": "ca", "mountPath": "/etc/ssl/own", "readOnly": True}],
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]}]}}},
}  # fmt: skip

EXTENDED: Values = {
    "nameOverride": "tr",
    "fullnameOverride": "exchange-north",
    "commonLabels": {"team": "compliance"},
    "commonAnnotations": {"example.com/owner": "compliance"},
    "image": {"digest": "sha256:" + "0" * 64, "pullSecrets": [{"name": "registry"}]},
    "serviceAccount": {"annotations": {"example.com/role": "travelrule"}},
    "worker": _POD
    | {
        "extraContainers": [{"name": "sidecar", "image": "registry.example/sidecar:1"}],
        "initContainers": [{"name": "wait", "image": "registry.example/wait:1"}],
        "probes": {"liveness": {"periodSeconds": 20}},
        "topologySpread": "",
    },
    "gateway": _POD
    | {
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}
        ],
        "service": {
            "type": "LoadBalancer",
            "externalTrafficPolicy": "Local",
            "loadBalancerSourceRanges": ["10.0.0.0/8"],
        },
        "ingress": {
            "enabled": True,
            "className": "nginx",
            "host": "travelrule.north.example",
            "tlsSecret": "north-tls",
        },
        "podDisruptionBudget": {"minAvailable": "50%", "maxUnavailable": None},
    },
    "extraObjects": [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": '{{ include "travelrule.fullname" . }}-extra'},
            "data": {"release": "{{ .Release.Name }}"},
        }
    ],
}

EVERY_SETTING: Values = {
    "settings": {
        "VASP_ORIGIN": "code:north",
        "HUB_SCREENING_PREFIX": "uppsala",
        "PUBLIC_URL": "https://travelrule.north.example",
        "BROKER_TLS_ENABLED": True,
        "GATEWAY_REQUEST_RATE": 12_000_000,
        "GATEWAY_SEARCH_RATE": 0,
        "DIRECTORY_REFRESH_SECONDS": 1800,
        "HEALTH_REFRESH_SECONDS": 10,
        "DEADLETTER_PLAIN": False,
        "LOG_LEVEL": "warning",
    },
    "policy": 'sanctions = "required"\n',
    "worker": {"settings": {"LOG_LEVEL": "debug"}},
}

OPENSHIFT: Values = {
    "podSecurityContext": {"runAsUser": None, "runAsGroup": None, "fsGroup": None},
    "serviceAccount": {"create": False, "name": "travelrule"},
    "profile": "",
    "existingConfigMap": {"name": "north-files", "profileKey": "own.toml", "policyKey": "rules.toml"},
}

MATRIX: dict[str, Values] = {
    "least": {},
    "secured": SECURED,
    "lists": LISTS,
    "guarded": GUARDED,
    "watched": WATCHED,
    "watched by pod": {"monitoring": {"monitor": {"kind": "PodMonitor"}}},
    "scaled": SCALED,
    "worker by cpu": {"worker": {"autoscaling": {"kind": "cpu"}}},
    "static": {"worker": {"kind": "StatefulSet", "replicas": 3}},
    "extended": EXTENDED,
    "every setting": EVERY_SETTING,
    "openshift": OPENSHIFT,
    "gateway only": {"worker": {"enabled": False}},
    "worker only": {"gateway": {"enabled": False}, "settings": {"GATEWAY_SOURCES": ""}},
    "hub only": HUB_ONLY,
}
"""Laid over ``MINIMAL``; the hub needs nothing of it."""
