"""The persisted and published names as the code has them now, by group.

``tests/data/persisted_names.json`` lists the same names and is written by people: what is stored or published keeps its
spelling whatever the code calls it. ``python -m tests.house.persisted_names`` appends the names that the list lacks; it
takes none out.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import typer.main
from pydantic import TypeAdapter

from schemas.export import documents, schema_of
from schemas.registry import EVENTS, SUBJECT_KINDS, TOPICS
from scripts.world_page import world_schema
from tests.house import name_sources
from tests.house.source import ROOT
from travelrule.cli import app
from travelrule.client.operations import OPERATIONS
from travelrule.engine.registry import INTERNAL_INPUTS, MACHINES
from travelrule.environment import PREFIX
from travelrule.gateway.openapi import openapi_document
from travelrule.identity.profile import VaspProfile
from travelrule.log_events import EVENTS as LOG_EVENTS
from travelrule.log_fields import FIELDS
from travelrule.machine.port import Machine
from travelrule.machine.retry_table import OTHER_FIELDS, RESULTS
from travelrule.machine.sources import InternalSource
from travelrule.metrics import METRICS
from travelrule.policy.causes import Cause
from travelrule.policy.policy import Policy
from travelrule.settings import Settings
from travelrule.store.tables import metadata

FILE = ROOT / "tests" / "data" / "persisted_names.json"

Names = dict[str, list[str]]


def present() -> Names:
    """Every group with its names, sorted."""
    groups: dict[str, Iterable[str]] = {
        "tables, columns and indexes": tables(),
        "kinds of subjects": {*SUBJECT_KINDS, *MACHINES},
        "subjects": name_sources.subjects(SUBJECT_KINDS),
        "input types": {*EVENTS, *INTERNAL_INPUTS},
        "input sources": (source.value for source in InternalSource),
        "input ids": name_sources.input_ids(),
        "fields of stored inputs": fields_of_inputs(),
        "fields of states": fields_of_states(),
        "keys of stored documents": name_sources.stored_keys(),
        "sealing uses": name_sources.sealing_uses(),
        "labels of hashes, keys and signatures": name_sources.labels(),
        "fields of the blind index": name_sources.index_fields(),
        "namespaces of uuid5": name_sources.namespaces(),
        "names in uuid5": name_sources.uuid_names(),
        "leases": name_sources.leases(),
        "jobs": name_sources.jobs(),
        "notifications": name_sources.notifications(),
        "alert codes": name_sources.alert_codes(),
        "codes": name_sources.codes({*settings(), *(name.upper() for name in Settings.model_fields)}),
        "settings": settings(),
        "metrics": metrics(),
        "log events": log_events(),
        "log fields": FIELDS,
        "topics": (topic.name for topic in TOPICS.values()),
        "titles of published schemas": schema_titles(),
        "call operations": {*OPERATIONS, *RESULTS, *OTHER_FIELDS, *name_sources.effect_literals()},
        "timers": name_sources.timers(),
        "policy": schema_names(Policy.model_json_schema()),
        "verdict causes": (cause.value for cause in Cause),
        "VASP profile": schema_names(VaspProfile.model_json_schema()),
        "world file": schema_names(world_schema()),
        "member endpoints": endpoints(),
        "commands": commands(typer.main.get_command(app), ""),
    }
    return {group: sorted(set(names)) for group, names in groups.items()}


def listed() -> Names:
    """The names of the file."""
    groups: Names = json.loads(FILE.read_bytes())
    return groups


def differences(now: Names, frozen: Names) -> tuple[list[str], list[str]]:
    """Names of the list that the code lacks, and names of the code that the list lacks; each as ``group: name``."""
    gone = [f"{group}: {name}" for group, names in frozen.items() for name in sorted({*names} - {*now.get(group, ())})]
    new = [f"{group}: {name}" for group, names in now.items() for name in sorted({*names} - {*frozen.get(group, ())})]
    return gone, new


def tables() -> Iterator[str]:
    """Tables, their columns with types, and what is named beside them."""
    for table in metadata.sorted_tables:
        yield table.name
        yield from (f"{table.name}.{column.name}" for column in table.columns)
        yield from (f"{table.name} index {index.name}" for index in table.indexes)
        yield from (f"{table.name} constraint {one.name}" for one in table.constraints if isinstance(one.name, str))


def fields_of_states() -> Iterator[str]:
    """The names and closed values in the stored state of each kind, as paths."""
    for kind, machine in MACHINES.items():
        yield from (f"{kind}{path}" for path in schema_names(state_adapter(machine).json_schema(mode="serialization")))


def state_adapter(machine: Machine) -> TypeAdapter[Any]:
    """The adapter that reads the states of a machine: ``load`` holds it."""
    (adapter,) = [
        cell.cell_contents for cell in machine.load.__closure__ or () if isinstance(cell.cell_contents, TypeAdapter)
    ]
    return adapter


def fields_of_inputs() -> Iterator[str]:
    """The names and closed values in the data of each type of input or event."""
    models = {**{name: spec.model for name, spec in EVENTS.items()}, **INTERNAL_INPUTS}
    for name, model in models.items():
        yield from (f"{name}{path}" for path in schema_names(model.model_json_schema(mode="serialization")))


def schema_names(schema: dict[str, Any]) -> Iterator[str]:
    """Every property and every closed text of a JSON Schema as a path: ``.a``, ``.a[].b``, ``.c{}``, ``.d=text``."""
    return _names(schema, schema.get("$defs", {}), "", ())


def _names(schema: Any, parts: dict[str, Any], at: str, above: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    if (reference := schema.get("$ref", "").rpartition("/")[2]) and reference not in above:
        yield from _names(parts[reference], parts, at, (*above, reference))
    for choice in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(choice, ()):
            yield from _names(one, parts, at, above)
    yield from (f"{at}={value}" for value in [*schema.get("enum", ()), schema.get("const")] if isinstance(value, str))
    for name, inner in schema.get("properties", {}).items():
        yield f"{at}.{name}"
        yield from _names(inner, parts, f"{at}.{name}", above)
    for inner in [schema.get("items"), *schema.get("prefixItems", ())]:
        yield from _names(inner, parts, f"{at}[]", above)
    for inner in (schema.get("additionalProperties"), schema.get("propertyNames")):
        yield from _names(inner, parts, f"{at}{{}}", above)


def schema_titles() -> Iterator[str]:
    """The titles of the exported JSON Schemas and of their parts, and of the gateway's bodies."""
    for name, model in documents().items():
        schema = schema_of(name, model)
        yield from (f"{name} {title}" for title in [schema.get("title", ""), *schema.get("$defs", {})])
    yield from (f"openapi {name}" for name in openapi_document()["components"].get("schemas", {}))


def settings() -> Iterator[str]:
    """The names of the environment."""
    return (f"{PREFIX}{name.upper()}" for name in Settings.model_fields)


def metrics() -> Iterator[str]:
    """Metrics, their labels, and the label values that are written out."""
    for spec in METRICS:
        yield f"{spec.name} ({spec.type}, {spec.unit})"
        yield from (f"{spec.name} label {label}" for label in spec.labels)
    yield from name_sources.label_values()


def log_events() -> Iterator[str]:
    """Events of log lines with their fields."""
    for name, event in LOG_EVENTS.items():
        yield name
        yield from (f"{name}.{field}" for field in event.fields)


def endpoints() -> Iterator[str]:
    """What members may call: method and path."""
    for path, methods in openapi_document()["paths"].items():
        yield from (f"{method.upper()} {path}" for method in methods if re.fullmatch("get|post|put|delete", method))


def commands(command: Any, path: str) -> Iterator[str]:
    """Commands with their arguments and options."""
    for name, inner in getattr(command, "commands", {}).items():
        yield f"{path} {name}".strip()
        yield from commands(inner, f"{path} {name}".strip())
    for parameter in command.params:
        options = [text for text in (*parameter.opts, *parameter.secondary_opts) if text.startswith("-")]
        yield from (f"{path} {text}".strip() for text in (options or [f"<{parameter.name}>"]))


def _append() -> int:
    now, frozen = present(), listed() if FILE.exists() else {}
    gone, new = differences(now, frozen)
    merged = {group: sorted({*frozen.get(group, ()), *now.get(group, ())}) for group in {**now, **frozen}}
    FILE.write_text(json.dumps(merged, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for line in new:
        sys.stdout.write(f"appended {line}\n")
    for line in gone:
        sys.stdout.write(f"the code lacks {line}\n")
    return 1 if gone else 0


if __name__ == "__main__":
    raise SystemExit(_append())
