"""Authority of operators: the policy's section ``[decisions]``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from nacl import bindings
from pydantic import AfterValidator, AwareDatetime, Field

from travelrule.crypto import exact_base64
from travelrule.crypto.signing import PUBLIC_BYTES
from travelrule.policy.sections import PolicyTable

VALID_SECONDS_MAX = 86_400
CLOCK_SKEW_SECONDS = 60
"""By how much an actor's clock may be ahead of ours."""


def _public_key(value: str) -> str:
    raw = exact_base64.decode(value)
    if raw is None or len(raw) != PUBLIC_BYTES or not bindings.crypto_core_ed25519_is_valid_point(raw):
        raise ValueError("must be the base64 of an Ed25519 public key: `travelrule keys generate` makes a pair")
    return value


class DecisionKey(PolicyTable):
    """The public key of one actor; the name of the table is the key's id."""

    actor: Annotated[str, Field(min_length=1, max_length=200)]
    """The `actor` of the events that this key signs."""
    public_key: Annotated[str, AfterValidator(_public_key)]
    """Ed25519 public key, base64."""
    valid_until: AwareDatetime | None = None
    """From then on its signatures are refused."""


class Decisions(PolicyTable):
    """Authority for decisions (topic ``decisions``)."""

    authority: Literal["open", "off", "signed"] = "open"
    """``open``: the ``actor`` of an event is trusted, so every writer to the topic may decide. ``off``: no decision is
    accepted. ``signed``: a decision is accepted with the signature of its actor's key."""
    valid_seconds: Annotated[int, Field(ge=1, le=VALID_SECONDS_MAX)] = 900
    """``signed``: for how long after its time a decision is accepted."""
    keys: dict[str, DecisionKey] = Field(default_factory=dict)
    """The keys of the actors, by key id; an actor may have several."""


def contradictions(decisions: Decisions) -> Iterator[tuple[str, str]]:
    """Yield contradictory fields, each with its fix."""
    if decisions.authority == "signed" and not decisions.keys:
        yield "decisions.keys", 'add the key of an actor, or set authority = "off"'
    owners: dict[str, str] = {}
    for key_id, key in decisions.keys.items():
        owner = owners.setdefault(key.public_key, key.actor)
        if owner != key.actor:
            yield f"decisions.keys.{key_id}", "another actor has the same key: give each actor its own key pair"
