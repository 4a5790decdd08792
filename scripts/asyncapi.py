"""The AsyncAPI 3.1 document of the topics, from the registry, the models and the committed examples.

``scripts.generate_docs`` writes it to ``docs/generated/asyncapi.json``.
"""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic.json_schema import models_json_schema

from schemas.events.cloudevents import CloudEvent
from schemas.json_schema import WireJsonSchema
from schemas.registry import EVENTS, TOMBSTONES, TOPICS, EventSpec, TopicSpec
from scripts.events_page import example_of
from scripts.record_headers import DEAD_LETTER_HEADERS, EVENT_HEADERS
from streams.admin import wanted_config
from travelrule.settings import Settings

VERSION: Final = "3.1.0"
BINDING: Final = "0.5.0"
CONTENT_TYPE: Final = "application/cloudevents+json"
REF: Final = "#/components/schemas/{model}"
DEAD_LETTER: Final = "dead-letter"

DESCRIPTION: Final = """\
A trading platform sends withdrawals, transaction ids, deposits, wallets and screenings, and receives verdicts. \
Operations are named from the side of this program: it receives what the platform sends. Topic names begin with \
`TRAVELRULE_TOPIC_PREFIX`; the default is shown. The record's key decides the partition, and so the order."""

ENVELOPE: Final = "The CloudEvent as structured JSON. Inputs are read in binary mode too, with `ce_` headers."
SEALED: Final = """\
A message that could not be processed: original key and headers, the value sealed (as it came with \
`TRAVELRULE_DEADLETTER_PLAIN`). The headers name the fault and never quote the message."""

Document = dict[str, Any]


def asyncapi_document() -> Document:
    """Return the whole document."""
    return {
        "asyncapi": VERSION,
        "id": "urn:travelrule:topics",
        "info": {"title": "Topics of the Travel Rule processor", "version": "1", "description": DESCRIPTION},
        "defaultContentType": CONTENT_TYPE,
        "channels": {name: _channel(topic) for name, topic in TOPICS.items()},
        "operations": {_operation_name(topic): _operation(topic) for topic in TOPICS.values()},
        "components": {"messages": _messages(), "schemas": _schemas()},
    }


def asyncapi_text() -> str:
    """Return the document as it is committed."""
    return json.dumps(asyncapi_document(), indent=2, ensure_ascii=False) + "\n"


def _channel(topic: TopicSpec) -> Document:
    config = wanted_config(topic, replicas=1)
    return {
        "address": _address(topic),
        "title": topic.name,
        "description": f"Key of the records: {topic.key_field}.",
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in _message_names(topic)},
        "bindings": {
            "kafka": {
                "topic": _address(topic),
                "partitions": topic.partitions_real,
                "topicConfiguration": {
                    "cleanup.policy": [config["cleanup.policy"]],
                    "max.message.bytes": int(config["max.message.bytes"]),
                },
                "bindingVersion": BINDING,
            }
        },
    }


def _operation(topic: TopicSpec) -> Document:
    channel = f"#/channels/{topic.name}"
    operation: Document = {
        "action": "receive" if topic.direction == "in" else "send",
        "channel": {"$ref": channel},
        "messages": [{"$ref": f"{channel}/messages/{name}"} for name in _message_names(topic)],
    }
    if topic.direction == "in":
        group = {"type": "string", "default": Settings.model_fields["consumer_group"].default}
        operation["bindings"] = {"kafka": {"groupId": group, "bindingVersion": BINDING}}
    return operation


def _operation_name(topic: TopicSpec) -> str:
    return f"{'receive' if topic.direction == 'in' else 'send'}{topic.name.capitalize()}"


def _message_names(topic: TopicSpec) -> list[str]:
    if not topic.types:
        return [DEAD_LETTER]
    return [*topic.types, *(["tombstone"] if topic.name in TOMBSTONES else [])]


def _messages() -> Document:
    by_type = {spec.type: _message(spec) for spec in EVENTS.values()}
    return {**by_type, "tombstone": _tombstone(TOMBSTONES["wallets"]), DEAD_LETTER: _dead_letter()}


def _message(spec: EventSpec) -> Document:
    event = json.loads(example_of(spec.type).read_text(encoding="utf-8"))
    return {
        "name": spec.type,
        "title": spec.type,
        "summary": " ".join((spec.model.__doc__ or "").split()).replace("``", "`"),
        "contentType": CONTENT_TYPE,
        "headers": _headers(EVENT_HEADERS),
        "payload": {
            "description": ENVELOPE,
            "allOf": [
                {"$ref": REF.format(model=CloudEvent.__name__)},
                {
                    "type": "object",
                    "properties": {
                        "type": {"const": spec.type},
                        "data": {"$ref": REF.format(model=spec.model.__name__)},
                    },
                },
            ],
        },
        "bindings": _key(TOPICS[spec.topic].key_field),
        "examples": [{"name": "synthetic", "payload": event}],
    }


def _tombstone(spec: EventSpec) -> Document:
    return {
        "name": "tombstone",
        "title": f"A record without value, the same as {spec.type}",
        "summary": "The key is the id of the wallet that is removed; compaction then drops its earlier records.",
        "payload": {"type": "null"},
        "bindings": _key(spec.key_field),
    }


def _dead_letter() -> Document:
    return {
        "name": DEAD_LETTER,
        "title": "A message that could not be processed",
        "summary": SEALED,
        "contentType": "application/octet-stream",
        "headers": _headers(DEAD_LETTER_HEADERS, required=list(DEAD_LETTER_HEADERS)),
        "payload": {"type": "string", "format": "binary"},
        "bindings": _key(TOPICS["deadletters"].key_field),
    }


def _headers(meanings: dict[str, str], required: list[str] | None = None) -> Document:
    properties = {name: {"type": "string", "description": meaning} for name, meaning in meanings.items()}
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _key(field: str) -> Document:
    return {"kafka": {"key": {"type": "string", "description": f"{field}, in UTF-8"}, "bindingVersion": BINDING}}


def _address(topic: TopicSpec) -> str:
    return f"{Settings.model_fields['topic_prefix'].default}{topic.name}"


def _schemas() -> Document:
    """Return the envelope, the data of every type, and what they refer to."""
    models = [CloudEvent, *(spec.model for spec in EVENTS.values())]
    _, definitions = models_json_schema(
        [(model, "validation") for model in models], by_alias=True, ref_template=REF, schema_generator=WireJsonSchema
    )
    schemas: Document = definitions["$defs"]
    return schemas
