"""What request bodies and members' answers must hold (hub-api.md 4.A.4-4.A.10, P.2, section 10 "body fields").

A body that the hub forwards is refused only if no member could process it; the member checks the rest. The checks
require no more than the specification: unknown fields, booleans for ``isExceedingThreshold`` and any case of
enumerated values pass. ``""``, ``{}`` and ``null`` count as absent. A body that the hub answers itself must fit its
schema (``schemas.hub.bodies``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import orjson
from pydantic import ValidationError

from schemas.field_faults import field_faults
from schemas.finish_reasons import FinishReason
from schemas.hub.screening import (
    KytSearchRequest,
    TransactionScreeningRequest,
    UnhostedTokenRequest,
    WalletScreeningRequest,
)
from schemas.hub.search import TxidSearchRequest, WalletSearchRequest
from schemas.numbers import EXPONENT_PATTERN
from schemas.texts import TradeCurrency
from schemas.wire_model import Wire
from travelrule.hub.hub_answer import HubFault

_DECIMAL = re.compile(rf"[0-9]{{1,38}}(\.[0-9]{{1,38}})?({EXPONENT_PATTERN})?", re.ASCII)
_CURRENCIES = frozenset(get_args(TradeCurrency))
_FINISH_REASONS = frozenset(get_args(FinishReason))

Check = Callable[[Any], bool]


def _anything(_: Any) -> bool:
    return True


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _decimal(value: Any) -> bool:
    return isinstance(value, str) and _DECIMAL.fullmatch(value) is not None


def _currency(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.upper() in _CURRENCIES


def _boolean_like(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value.lower() in {"true", "false"})


def _canceled(value: Any) -> bool:
    return isinstance(value, str) and value.lower() == "canceled"


def _finish_reason(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.upper() in _FINISH_REASONS


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def absent(value: Any) -> bool:
    """Whether a value counts as absent: ``null``, ``""`` and ``{}`` (D8)."""
    return value is None or value in ("", {})


@dataclass(frozen=True, slots=True)
class RequestShape:
    """The fields of a request body. ``required`` fields must be present; all fields that are present must fit.

    With ``model`` the body must also fit the model. ``bad_request`` (KYT) makes every fault a 400 ``BAD_REQUEST``.
    """

    required: tuple[tuple[str, Check], ...]
    optional: tuple[tuple[str, Check], ...] = ()
    bad_request: bool = False
    model: type[Wire] | None = None

    @classmethod
    def of(cls, model: type[Wire], *, bad_request: bool = False) -> RequestShape:
        """Return the shape of a body that the hub answers itself, from its schema."""
        required = tuple(
            (field.alias or name, _anything) for name, field in model.model_fields.items() if field.is_required()
        )
        return cls(required, bad_request=bad_request, model=model)

    def read(self, raw: bytes) -> dict[str, Any]:
        """Return the parsed body.

        Raises ``HubFault`` 422: ``INVALID_MSG_FIELD_VALUE`` for a body that is no JSON object or does not fit,
        ``MISSING_REQUIRED_MSG_FIELD`` for the first required field that is absent. Messages name fields, never values.
        """
        body = parse_object(raw)
        if body is None:
            raise self._fault("INVALID_MSG_FIELD_VALUE", "the body is not a JSON object")
        for name, _ in self.required:
            if absent(body.get(name)):
                raise self._fault("MISSING_REQUIRED_MSG_FIELD", f"{name} is missing")
        for name, fits in (*self.required, *self.optional):
            value = body.get(name)
            if not absent(value) and not fits(value):
                raise self._fault("INVALID_MSG_FIELD_VALUE", f"{name} has a wrong type or value")
        if self.model is not None:
            self._check(self.model, body)
        return body

    def _check(self, model: type[Wire], body: dict[str, Any]) -> None:
        try:
            model.from_wire(body)
        except ValidationError as error:
            name = field_faults(error)[0].path
            raise self._fault("INVALID_MSG_FIELD_VALUE", f"{name} has a wrong type or value") from None

    def _fault(self, error_type: str, message: str) -> HubFault:
        return HubFault(400, "BAD_REQUEST", message) if self.bad_request else HubFault(422, error_type, message)


@dataclass(frozen=True, slots=True)
class AnswerShape:
    """The required fields of a member's answer; ``also_when`` is (field, its value, one more required field)."""

    required: tuple[str, ...]
    also_when: tuple[str, str, str] | None = None

    def missing(self, answer: Mapping[str, Any]) -> str | None:
        """Return the first required field that ``answer`` lacks, if any."""
        for name in self.required:
            value = answer.get(name)
            if value is None or value == "":
                return name
        if self.also_when is not None:
            name, value, more = self.also_when
            if str(answer[name]).lower() == value and absent(answer.get(more)):
                return more
        return None


def parse_object(raw: bytes) -> dict[str, Any] | None:
    """Return the JSON object in ``raw``, None if it is not one."""
    try:
        parsed = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return parsed if isinstance(parsed, dict) else None


_CLEAR_ADDRESS = (("address", _text), ("tag", _text), ("network", _text))

ADDRESS_SEARCH = RequestShape(required=(("currency", _text), ("payload", _text)), optional=_CLEAR_ADDRESS)
TRANSFER_AUTHORIZATION = RequestShape(
    required=(
        ("transferId", _text),
        ("currency", _text),
        ("amount", _decimal),
        ("tradePrice", _decimal),
        ("tradeCurrency", _currency),
        ("isExceedingThreshold", _boolean_like),
        ("payload", _text),
    ),
    optional=(*_CLEAR_ADDRESS, ("historicalCost", _text), ("originatingVasp", _object)),
)
TXID_REPORT = RequestShape(required=(("transferId", _text), ("txid", _text)), optional=(("vout", _text),))
FINISH = RequestShape(
    required=(("transferId", _text), ("status", _canceled)), optional=(("reasonType", _finish_reason),)
)
STATUS_SEARCH = RequestShape(required=(("transferId", _text),))

_WHERE = (("currency", _text), ("network", _text))
TXID_SEARCH = RequestShape.of(TxidSearchRequest)
WALLET_SEARCH = RequestShape.of(WalletSearchRequest)
TXID_CHECK = RequestShape(required=(("txid", _text), ("beneficiaryAddress", _text)), optional=_WHERE)
_DATA_REQUEST = (("transferId", _text), ("txid", _text), ("beneficiaryAddress", _text), ("payload", _text))
DATA_REQUEST = RequestShape(required=_DATA_REQUEST, optional=_WHERE)
DATA_REQUEST_ABROAD = RequestShape(required=(*_DATA_REQUEST, *_WHERE))
"""``DATA_REQUEST`` to a VASP of an affiliated network (D48); the hub cannot read its payload."""

WALLET_SCREENING = RequestShape.of(WalletScreeningRequest)
TRANSACTION_SCREENING = RequestShape.of(TransactionScreeningRequest)
KYT_SEARCH = RequestShape.of(KytSearchRequest, bad_request=True)
UNHOSTED_TOKEN = RequestShape.of(UnhostedTokenRequest)
