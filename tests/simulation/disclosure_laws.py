"""What leaves a VASP: to whom, in which form, and after which check (invariants 6, 7 and 8)."""

from __future__ import annotations

from typing import Any

import orjson

from tests.simulation.engine_model import CallRow, EngineModel
from tests.simulation.network import Request
from travelrule.client.operations import OPERATIONS
from travelrule.identity.account_numbers import join

SEALED = frozenset({"transfer-authorization", "data-request"})
KEY_ERRORS = frozenset({"INVALID_RECEIVER_PUBLIC_KEY", "INVALID_ENCRYPTED_BODY"})


class DisclosureLaws:
    """Watches the requests of one VASP. ``names``: every personal text that no request may contain in clear."""

    def __init__(self, engine_model: EngineModel, vasp_directory: Any, crashed: set[str]) -> None:
        self.names: list[bytes] = []
        self.claims: dict[tuple[str, str], set[str]] = {}
        self.senders: dict[tuple[str, str], set[str]] = {}
        self._house = engine_model
        self._phonebook = vasp_directory
        self._crashed = crashed
        self._valid: set[tuple[str, str, str]] = set()
        self._meant: dict[str, set[str]] = {}
        self._key_errors: dict[str, int] = {}
        self.sealed = 0

    def means(self, subject: str, entity_id: str) -> None:
        """The platform named this VASP, or a search found it and the policy takes it."""
        self._meant.setdefault(subject, set()).add(entity_id)

    def sent(self, request: Request) -> None:
        operation, row = request.operation, request.row
        if not OPERATIONS[operation].to_hub:
            stored = self._phonebook.copy.get(row.target)
            assert stored is not None, "sent to a VASP that nobody lists"
            assert stored.up, f"{operation} was sent to {row.target}, which is down"
        if operation == "address-search":
            assert row.payload is not None
            assert not row.payload["Beneficiary"]["beneficiaryPersons"], "an address search names nobody"
        if operation not in SEALED:
            return
        self.sealed += 1
        assert request.remote_key in {key.pubkey for key in self._phonebook.copy[row.target].entry.pubkeys}
        for name in self.names:
            assert name not in request.body, "personal data stand in a request unsealed"
        assert self._house.policy().may_send_to(row.target), "personal data to a VASP that the policy forbids"
        if operation == "transfer-authorization":
            place = _account(row)
            assert (row.subject, row.target, place) in self._valid, "personal data left before the address was checked"
            assert row.target in self._meant.get(row.subject, ()), "personal data went to a VASP that nobody meant"
        else:
            found = self.claims.get((self._house.vasp, row.transfer_id), set())
            assert row.target in found, "data were asked of a VASP that no search named"

    def answered(self, request: Request, status: int, body: dict[str, Any]) -> None:
        row = request.row
        valid = status == 200 and str(body.get("result")).lower() == "valid"
        if request.operation == "address-search" and valid:
            self._valid.add((row.subject, row.target, _account(row)))
        if body.get("errorType") in KEY_ERRORS and row.id not in self._crashed:
            seen = self._key_errors[row.id] = self._key_errors.get(row.id, 0) + 1
            assert seen <= 2, "a refused key leads to one refresh and one retry, never to a loop"


def _account(row: CallRow) -> str:
    assert row.payload is not None
    numbers = row.payload["Beneficiary"]["accountNumber"]
    return join(*_pair(numbers[0])) if isinstance(numbers, list) else str(orjson.dumps(numbers))


def _pair(text: str) -> tuple[str, str | None]:
    address, _, tag = text.partition(":")
    return address, tag or None
