"""Rules that JSON Schema does not express: everything that is refused although the schema allows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnexpressedRule:
    """One rule: the code of the refusal, what it applies to, what it requires, and why the schema lacks it."""

    code: str
    where: str
    demand: str
    why: str


EVENT_RULES: tuple[UnexpressedRule, ...] = (
    UnexpressedRule(
        "INVALID_AMOUNT",
        "amounts and prices written with an exponent (`1E-5`)",
        "without the exponent at most 30 digits before the point and 36 behind it",
        "a pattern cannot compute",
    ),
    UnexpressedRule("INVALID_TIME", "moments", "a moment that exists", "a pattern does not know the calendar"),
    UnexpressedRule(
        "INVALID_DATE",
        "days",
        "a day that exists",
        "`format` says so, but many validators do not check formats unless told to",
    ),
    UnexpressedRule(
        "INVALID_NAME", "names of persons", "at least one visible letter or digit", "patterns differ over Unicode"
    ),
    UnexpressedRule(
        "INVALID_TEXT",
        "every event",
        "no U+0000 in any text, fields that are not known included; no half of a surrogate pair",
        "the schema does not look into fields that it does not list",
    ),
    UnexpressedRule(
        "KEY_MISMATCH", "every event", "record key, `subject` and the id in `data` are equal", "three places"
    ),
    UnexpressedRule(
        "RESERVED_SOURCE", "`source`", "none that belongs to a part of this program", "a list inside the program"
    ),
    UnexpressedRule("UNKNOWN_TYPE", "`type`", "a type of the table", "each type has a schema of its own"),
    UnexpressedRule(
        "WRONG_TOPIC", "`type`", "a type of the topic that the record is on", "the topic is outside the event"
    ),
    UnexpressedRule("TOO_LARGE", "every event", "at most 1 MiB", "bytes are outside the schema"),
    UnexpressedRule("TOO_DEEP", "every event", "at most 64 levels of nesting", "bytes are outside the schema"),
    UnexpressedRule(
        "CONFLICT", "every event", "the same `source` and `id` have the same content", "earlier events count"
    ),
    UnexpressedRule("UNREADABLE", "every event", "no failure of this program", "it is reported to the maintainers"),
)
"""Rules for incoming events."""

BODY_RULES: tuple[UnexpressedRule, ...] = (
    UnexpressedRule("INVALID_ENCRYPTED_BODY", "`payload`", "base64 that our key opens", "only opening shows it"),
    UnexpressedRule(
        "MISSING_REQUIRED_MSG_FIELD",
        "`currency` and `network` of a data request",
        "both, if the target belongs to an affiliated network (D48)",
        "the target is in the path",
    ),
    UnexpressedRule(
        "INVALID_MSG_FIELD_VALUE",
        "`reasonType` of a finish, at the hub",
        "one of the six codes",
        "a member takes other texts too, which it does not know",
    ),
    UnexpressedRule(
        "INVALID_MSG_FIELD_VALUE", "`callbackUrl`", "an HTTPS URL of a public host", "hosts are judged, not texts"
    ),
    UnexpressedRule(
        "INVALID_MSG_FIELD_VALUE", "every body", "at most 20,000 values, at most 64 levels", "nothing counts them"
    ),
    UnexpressedRule("INVALID_MSG_FIELD_VALUE", "moments, amounts", "as for events", "as for events"),
)
"""Rules for bodies that gateway and hub receive."""
