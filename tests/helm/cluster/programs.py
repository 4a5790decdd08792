"""The programs of the control plane, built once from their Go modules; each module and each hash is in ``modules``."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.services.cache import cached
from tests.services.helm import go
from tests.services.process import ServiceError

MODULES = Path(__file__).with_name("modules")
KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
DEFINITIONS = {
    "github.com/prometheus-operator/prometheus-operator": (
        "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
        "example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml",
        "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
    ),
    "github.com/kedacore/keda/v2": (
        "config/crd/bases/keda.sh_scaledobjects.yaml",
        "config/crd/bases/keda.sh_triggerauthentications.yaml",
    ),
}
_VERSION = "k8s.io/component-base/version"


@dataclass(frozen=True, slots=True)
class Programs:
    """Where the programs are, and the files that define the resources of the operators."""

    etcd: Path
    kubernetes: Path
    kwok: Path
    definitions: tuple[Path, ...]


def programs() -> Programs:
    """Find all of them; what is missing is built or installed first, which takes minutes.

    Raises:
        ServiceError: the text names what is missing and how to install it.
    """
    version = required_version("kubernetes", "k8s.io/kubernetes")
    return Programs(
        etcd=_built("etcd", ["."], ""),
        kubernetes=_built("kubernetes", [f"k8s.io/kubernetes/cmd/{name}" for name in KUBERNETES], _linked(version)),
        kwok=_built("kwok", ["sigs.k8s.io/kwok/cmd/kwok"], ""),
        definitions=tuple(_definitions()),
    )


def required_version(module: str, path: str) -> str:
    """The version of a Go module that ``go.mod`` of one of ours requires."""
    text = (MODULES / module / "go.mod").read_text(encoding="utf-8")
    found = re.search(rf"^(?:require )?\s*{re.escape(path)} (v\S+)", text, re.MULTILINE)
    if found is None:
        raise ServiceError(f"modules/{module}/go.mod does not require {path}")
    return found[1]


def _linked(version: str) -> str:
    """Linker flags that set the version, which charts compare; a plain build reports none."""
    major, minor = version.removeprefix("v").split(".")[:2]
    values = {"gitVersion": version, "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    return " ".join(f"-X {_VERSION}.{name}={value}" for name, value in values.items())


def _built(module: str, packages: list[str], linked: str) -> Path:
    """The directory of the programs; the name of its cache changes with the hashes of the modules and the flags."""
    pinned = (MODULES / module / "go.sum").read_bytes() + "\n".join([*packages, linked]).encode()
    return cached(f"{module}-{hashlib.sha256(pinned).hexdigest()[:16]}", partial(_build, module, packages, linked))


def _build(module: str, packages: list[str], linked: str, place: Path) -> None:
    sys.stderr.write(f"building {', '.join(packages)}: minutes, once\n")
    flags = ["-mod=readonly", "-trimpath", "-ldflags", f"-s -w {linked}", "-o", f"{place}/"]
    _go(module, "build", *flags, *packages)


def _definitions() -> list[Path]:
    files = []
    for line in _go("definitions", "mod", "download", "-json", *DEFINITIONS).split("\n}\n"):
        if line.strip():
            module = json.loads(f"{line.rstrip().removesuffix('}')}}}")
            files += [Path(module["Dir"]) / name for name in DEFINITIONS[module["Path"]]]
    if missing := [str(path) for path in files if not path.is_file()]:
        raise ServiceError(f"the modules of the operators have other files than expected: {', '.join(missing)}")
    return files


def _go(module: str, *arguments: str) -> str:
    environment = os.environ | {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false"}
    command = [go(), *arguments]
    done = subprocess.run(command, cwd=MODULES / module, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServiceError(f"go {arguments[0]} in modules/{module} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout
