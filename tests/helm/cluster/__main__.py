"""``python -m tests.helm.cluster``: one JSON line for each step; exit 1 if one failed, 3 if a program is missing."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from tests.helm.cluster.control_plane import ControlPlane
from tests.helm.cluster.programs import Programs, programs
from tests.helm.cluster.scenario import STEPS, play
from tests.helm.cluster.stage import Stage
from tests.services.helm import helm
from tests.services.process import ServiceError


def main() -> int:
    """Install, upgrade, roll back and uninstall the chart on a control plane of its own."""
    argparse.ArgumentParser(prog="python -m tests.helm.cluster", description=__doc__).parse_args()
    try:
        found, program = programs(), helm()
        with tempfile.TemporaryDirectory(prefix="travelrule-cluster-") as folder:
            return _play(found, program, Path(folder))
    except ServiceError as failed:
        sys.stderr.write(f"{failed}\n")
        return 3


def _play(found: Programs, program: str, folder: Path) -> int:
    begun = time.monotonic()
    plane = ControlPlane(found, folder / "plane", os.getpid())
    passed = 0
    try:
        api = plane.start()
        _write({"step": "start", "ok": True, "detail": f"Kubernetes {api.server_version()}, {program}",
                "seconds": round(time.monotonic() - begun, 1)})  # fmt: skip
        for result in play(Stage(api, program, plane.kubeconfig, found.definitions, folder)):
            _write(asdict(result))
            passed += result.ok
        api.close()
    finally:
        if passed < len(STEPS):
            sys.stderr.write(plane.log_tails() + "\n")
        plane.stop()
    _write({"steps": len(STEPS), "passed": passed, "seconds": round(time.monotonic() - begun, 1)})
    return 0 if passed == len(STEPS) else 1


def _write(row: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
