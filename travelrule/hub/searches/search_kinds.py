"""The two kinds of search, TXID and wallet, and their differences (hub-api.md 4.A.9, P.1 and section 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from schemas.operations import Operation
from travelrule.crypto.fingerprint import json_fingerprint
from travelrule.hub.body_shapes import absent
from travelrule.hub.members.member import Member
from travelrule.hub.searches.records import SearchOutcome
from travelrule.identity.account_numbers import split_tag
from travelrule.identity.payloads import address_payload

FOUND = "FOUND"
UNAVAILABLE = "SYSTEM_NOT_AVAILABLE"
NON_UNIQUE = "ALLIANCE_DATA_NON_UNIQUE_RESULT"
EVERY_NETWORK = "all"

Fields = Mapping[str, Any]
Seal = Callable[[dict[str, Any]], str]
"""Seals an IVMS101 object into a payload for one member."""


@dataclass(frozen=True, slots=True)
class MemberResult:
    """The result of one member: ``FOUND``, the kind's ``not_found``, or ``SYSTEM_NOT_AVAILABLE``."""

    entity_id: str
    result: str


@dataclass(frozen=True, slots=True)
class MemberSearchKind:
    """A kind of search.

    ``content`` are the fields in which two equal requests agree. ``finder`` is the field that names the VASP found,
    ``not_found`` the reason otherwise. ``question`` returns the body for a member.
    """

    search: Operation
    result: Operation
    check: Operation
    finder: str
    not_found: str
    content: tuple[str, ...]
    question: Callable[[Fields, Member, Seal], dict[str, Any]]

    def fingerprint(self, fields: Fields) -> str:
        """Return a digest that is equal for equal requests only; the case of a currency does not count."""
        asked = {name: fields[name] for name in self.content if not absent(fields.get(name))}
        if "currency" in asked:
            asked["currency"] = asked["currency"].upper()
        return json_fingerprint(asked)

    def concerns(self, member: Member, fields: Fields) -> bool:
        """Whether a member is called: one of an affiliated network only with currency and network."""
        return not member.affiliated or not (absent(fields.get("currency")) or absent(fields.get("network")))

    def running(self, request_id: str) -> SearchOutcome:
        """Return the outcome of a search that still runs."""
        return self._refusal(request_id, "PROCESSING", "members are being asked: ask again after 10 seconds", ())

    def unknown(self, request_id: str) -> SearchOutcome:
        """Return the outcome of a search that the caller never made."""
        return self._refusal(request_id, "LACK_OF_INFORMATION", "no such requestId is known of you", ())

    def conclude(self, request_id: str, rows: Sequence[MemberResult]) -> SearchOutcome:
        """Return the outcome of a search from the results of all members."""
        finders = [row.entity_id for row in rows if row.result == FOUND]
        if not finders:
            return self._refusal(request_id, self.not_found, "no member said yes", rows)
        if len(finders) > 1:
            return self._refusal(request_id, NON_UNIQUE, "more than one member said yes", rows)
        return self._outcome(request_id, rows, {"result": "valid", self.finder: finders[0]})

    def _refusal(self, request_id: str, reason_type: str, message: str, rows: Sequence[MemberResult]) -> SearchOutcome:
        told = {"result": "invalid", "reasonType": reason_type, "reasonMsg": message}
        return self._outcome(request_id, rows, told)

    def _outcome(self, request_id: str, rows: Sequence[MemberResult], told: dict[str, str]) -> SearchOutcome:
        listed = [{"entityId": row.entity_id, "result": row.result} for row in rows]
        body = orjson.dumps({**told, "requestId": request_id, "analysisResult": listed})
        return SearchOutcome(told["result"], told.get("reasonType", ""), body)


def _ask_for_txid(fields: Fields, member: Member, _: Seal) -> dict[str, Any]:
    # Members of our network search withdrawals of all currencies (M6). No member receives the caller or its
    # callback URL.
    body = {name: fields[name] for name in ("txid", "beneficiaryAddress")}
    if member.affiliated:
        body |= {name: fields[name] for name in ("currency", "network")}
    return body


def _ask_for_wallet(fields: Fields, member: Member, seal: Seal) -> dict[str, Any]:
    account, network = fields["addressNumber"], fields.get("network") or ""
    body = {"currency": fields["currency"], "payload": seal(address_payload(account, None))}
    if member.affiliated:
        address, tag = split_tag(account)
        body |= {"address": address, "tag": tag or "", "network": network}
    elif network and network.lower() != EVERY_NETWORK:
        body["network"] = network
    return body


TXID = MemberSearchKind(
    search=Operation.TXID_SEARCH,
    result=Operation.TXID_SEARCH_RESULT,
    check=Operation.TXID_CHECK,
    finder="vaspEntityId",
    not_found="NOT_FOUND_TXID",
    content=("txid", "beneficiaryAddress", "currency", "network", "callbackUrl"),
    question=_ask_for_txid,
)
WALLET = MemberSearchKind(
    search=Operation.WALLET_SEARCH,
    result=Operation.WALLET_SEARCH_RESULT,
    check=Operation.WALLET_CHECK,
    finder="beneficiaryVaspEntityId",
    not_found="NOT_FOUND_ADDRESS",
    content=("addressNumber", "currency", "network", "callbackUrl"),
    question=_ask_for_wallet,
)
KINDS = (TXID, WALLET)
