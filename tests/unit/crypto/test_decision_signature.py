"""The signed form of a decision, written a second time with nothing but the standard library and PyNaCl."""

import base64
import json
from dataclasses import fields, replace
from pathlib import Path

import pytest
from nacl.signing import SigningKey as NaclKey

from travelrule.crypto.decision_signature import SignedDecision
from travelrule.crypto.signing import SigningKey

EXAMPLES = Path(__file__).parents[3] / "schemas" / "examples" / "decision.recorded.v1"
CONTENT = SignedDecision(
    vasp="north",
    source="/console",
    id="d-1",
    time="2026-11-20T09:00:00Z",
    subject="withdrawal:w-1",
    decision="allow",
    actor="alice",
    reason='said "yes",\r\n\tÅsa \u2028\x08\x0c\x1f\x7f \U0001f600',
    key_id="alice-1",
)
KEY = SigningKey(b"A" * 32)


def test_a_signer_needs_nothing_of_ours() -> None:
    said = {
        "vasp": "north",
        "source": "/console",
        "id": "d-1",
        "time": "2026-11-20T09:00:00Z",
        "subject": "withdrawal:w-1",
        "decision": "allow",
        "actor": "alice",
        "reason": CONTENT.reason,
        "keyId": "alice-1",
    }
    form = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    signature = NaclKey(b"A" * 32).sign(b"travelrule/decision/1\x00" + form.encode()).signature
    assert CONTENT.sign(KEY) == base64.b64encode(signature).decode()
    assert CONTENT.is_signed(KEY.public_base64, base64.b64encode(signature).decode())


@pytest.mark.parametrize("name", [field.name for field in fields(SignedDecision)])
def test_everything_is_under_the_signature(name: str) -> None:
    other = replace(CONTENT, **{name: getattr(CONTENT, name) + "x"})
    assert not other.is_signed(KEY.public_base64, CONTENT.sign(KEY))


def test_what_moves_from_one_field_to_the_next_is_another_decision() -> None:
    one, two = replace(CONTENT, actor="ab", reason="c"), replace(CONTENT, actor="a", reason="bc")
    assert not two.is_signed(KEY.public_base64, one.sign(KEY))


@pytest.mark.parametrize("signature", ["", "AAAA", "é", "=" * 88, "A" * 88])
def test_what_is_no_signature_signs_nothing(signature: str) -> None:
    assert not CONTENT.is_signed(KEY.public_base64, signature)


def test_the_published_example_is_signed() -> None:
    """A vector for tools of others: the key is the one of 32 bytes `A`, the VASP is `north`."""
    event = json.loads((EXAMPLES / "valid-signed.json").read_text(encoding="utf-8"))
    data = event["data"]
    signature = data.pop("signature")
    names = {name: event[name] for name in ("source", "id", "time")}
    content = SignedDecision(vasp="north", key_id=signature["keyId"], **names, **data)
    assert content.is_signed(KEY.public_base64, signature["value"])
