"""Export of JSON Schemas for other programs: ``python -m schemas.export [--check]``.

Writes ``schemas/jsonschema``: one file per event type (the ``data``), ``cloudevent.json`` (the envelope),
``ivms101.json`` and ``hub.<Body>.json``. The files depend on the models alone. ``--check`` writes nothing and exits
with 1 if a file differs, is missing or is obsolete.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schemas.events.cloudevents import CloudEvent
from schemas.hub import bodies
from schemas.ivms101 import Ivms101
from schemas.json_schema import WireJsonSchema
from schemas.registry import EVENTS
from schemas.wire_model import Wire

FOLDER = Path(__file__).parent / "jsonschema"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def documents() -> dict[str, type[Wire]]:
    """Return the exported models by the name of their file, without ``.json``."""
    by_name = {f"hub.{name}": value for name in bodies.__all__ if isinstance(value := getattr(bodies, name), type)}
    events = {spec.type: spec.model for spec in EVENTS.values()}
    return {**events, "cloudevent": CloudEvent, "ivms101": Ivms101, **by_name}


def schema_of(name: str, model: type[Wire]) -> dict[str, Any]:
    """Return the JSON Schema of what a model reads."""
    schema = model.model_json_schema(by_alias=True, mode="validation", schema_generator=WireJsonSchema)
    return {"$schema": DIALECT, "$id": f"urn:travelrule:schema:{name}", **schema}


def files() -> dict[str, str]:
    """Return the text of every file by its name."""
    return {
        f"{name}.json": json.dumps(schema_of(name, model), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        for name, model in documents().items()
    }


def drift(folder: Path) -> list[str]:
    """Return the names of the files in ``folder`` that differ from the models."""
    wanted = files()
    present = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")}
    return sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))


def write(folder: Path) -> None:
    """Write the schemas of the models to ``folder``, and delete obsolete files."""
    folder.mkdir(exist_ok=True)
    wanted = files()
    for path in folder.glob("*.json"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None, folder: Path = FOLDER) -> int:
    """Write the schemas or check them; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m schemas.export", description="JSON Schemas of all events")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is out of date")
    if not parser.parse_args(arguments).check:
        write(folder)
        return 0
    stale = drift(folder)
    for name in stale:
        sys.stderr.write(f"{folder.name}/{name} differs from the models: run python -m schemas.export\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
