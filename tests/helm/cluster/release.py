"""One release of the chart, as an operator installs it: every call is a real ``helm`` against the server."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CHART = Path(__file__).parents[3] / "helm" / "travelrule"
WAIT = ("--wait", "--wait-for-jobs", "--timeout=120s")


class HelmError(RuntimeError):
    """helm ended with an error; the text is what it printed."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release in a namespace. ``folder`` takes the files of its values."""

    helm: str
    kubeconfig: Path
    namespace: str
    name: str
    folder: Path

    def install(self, values: Mapping[str, Any], *options: str) -> None:
        """Install it; return when all pods are ready.

        Raises:
            HelmError: it was refused, or not ready in time.
        """
        self._run("install", self.name, str(CHART), f"--values={self._file(values)}", *(options or WAIT))

    def upgrade(self, values: Mapping[str, Any], *options: str) -> None:
        """Upgrade it to these values; return when all pods are ready. Raises as ``install``."""
        self._run("upgrade", self.name, str(CHART), f"--values={self._file(values)}", *(options or WAIT))

    def rollback(self, revision: int) -> None:
        """Back to an earlier revision; return when all pods are ready. Raises as ``install``."""
        self._run("rollback", self.name, str(revision), *WAIT)

    def uninstall(self) -> None:
        """Remove it; return when its objects are gone."""
        self._run("uninstall", self.name, "--wait", "--timeout=120s")

    def objects(self, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The objects of the chart with these values, hooks and tests included, rendered for the server's version."""
        rendered = self._run("template", self.name, str(CHART), f"--values={self._file(values)}", "--validate")
        return [document for document in yaml.safe_load_all(rendered) if document]

    def history(self) -> list[tuple[int, str]]:
        """(revision, status) of each revision, oldest first."""
        rows = json.loads(self._run("history", self.name, "--output=json"))
        return [(row["revision"], row["status"]) for row in rows]

    def _file(self, values: Mapping[str, Any]) -> Path:
        path = self.folder / f"{self.name}.json"
        path.write_text(json.dumps(values), encoding="utf-8")
        return path

    def _run(self, *arguments: str) -> str:
        command = [self.helm, *arguments, f"--kubeconfig={self.kubeconfig}", f"--namespace={self.namespace}"]
        places = {name: str(self.folder / name) for name in ("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | places)
        if done.returncode:
            raise HelmError(done.stderr.strip())
        return done.stdout
