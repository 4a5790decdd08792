"""What a container finds: its environment and files, put under a folder as a node would put them into the container."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.helm.chart import Rendered, pod_of

Secrets = Mapping[str, Mapping[str, str]]
"""Secrets and ConfigMaps that exist in the namespace: the text of each key by name."""

WRITABLE = ("/tmp", "/var/lib/travelrule")  # noqa: S108 -- paths in a container


class ContainerFiles:
    """The first container of an object's pods, with every absolute path moved under ``root``."""

    def __init__(self, one: Rendered, objects: list[Rendered], existing: Secrets, root: Path) -> None:
        pod = pod_of(one)
        assert pod is not None
        self.pod = pod
        self.container: dict[str, Any] = pod["containers"][0]
        self.root = root
        self._name = one["metadata"]["name"]
        self._existing = dict(existing) | {
            found["metadata"]["name"]: found["data"] for found in objects if found["kind"] == "ConfigMap"
        }

    def prepare(self) -> None:
        """Make the writable folders, and a file for each key of the mounted Secrets and ConfigMaps."""
        for folder in WRITABLE:
            self._inside(folder).mkdir(parents=True, exist_ok=True)
        volumes = {volume["name"]: volume for volume in self.pod["volumes"]}
        for mount in self.container["volumeMounts"]:
            for path, text in self._files(volumes[mount["name"]]):
                target = self._inside(mount["mountPath"]) / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)

    def read_only(self) -> dict[str, str]:
        """The text of every file outside the writable folders, by its path; log files of the tests are left out."""
        found = (path for path in self.root.rglob("*") if path.is_file() and path.suffix != ".log")
        inside = {f"/{path.relative_to(self.root)}": path for path in found}
        return {name: path.read_text() for name, path in inside.items() if not name.startswith(WRITABLE)}

    def environment(self) -> dict[str, str]:
        """The variables, without what the caller's own environment has."""
        values = {}
        for variable in self.container["env"]:
            source = variable.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath")
            assert source in (None, "metadata.name"), source
            text = f"{self._name}-0" if source else variable["value"]
            values[variable["name"]] = self._moved(text)
        return values

    def arguments(self) -> list[str]:
        """The arguments behind the program's name."""
        return [self._moved(text) for text in self.container["args"]]

    def _files(self, volume: dict[str, Any]) -> list[tuple[str, str]]:
        if "projected" in volume:
            parts = [source["secret"] for source in volume["projected"]["sources"]]
        elif "configMap" in volume:
            parts = [volume["configMap"]]
        elif "secret" in volume:
            parts = [volume["secret"] | {"name": volume["secret"]["secretName"]}]
        else:
            return []
        return [
            (item["path"], self._existing[part["name"]][item["key"]])
            for part in parts
            for item in part.get("items", ())  # a volume of the operator's own names none
        ]

    def _moved(self, text: str) -> str:
        return str(self._inside(text)) if text.startswith(("/run/", "/etc/", "/var/", "/tmp", "/lists")) else text  # noqa: S108

    def _inside(self, path: str) -> Path:
        return self.root / path.lstrip("/")
