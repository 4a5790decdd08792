"""Requests of the originator: authorization, txid report, finish (member-api.md M2, M3, M5).

The order of the branches is the order of the tables there. Every request is answered; one for an unknown transfer
leaves nothing behind.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from schemas.nesting_depth import is_nested_deeper
from travelrule.crypto.fingerprint import json_fingerprint
from travelrule.exchange.beneficiary.arrival import fill_vout, store_txid, withdraw
from travelrule.exchange.beneficiary.authorization_rules import Examined, examine
from travelrule.exchange.beneficiary.builder import OPEN, InboundExchangeBuilder
from travelrule.exchange.beneficiary.state import ExchangeState
from travelrule.exchange.table import BENEFICIARY
from travelrule.identity.payloads import answer_payload, beneficiary_vasp
from travelrule.identity.profile import VaspProfile
from travelrule.identity.txids import same_txid
from travelrule.machine.decision import Decision, ignored
from travelrule.machine.effects import Reply
from travelrule.machine.input import Input
from travelrule.machine.own_profile import own_profile
from travelrule.messages.inbound_request import AuthorizationReceived, FinishReceived, TxidReportReceived
from travelrule.policy.policy import Policy

FACTS = frozenset({"sender", "wallets", "originator_sanctioned"})
"""Facts that we looked up: no part of the request."""


def content_of(request: AuthorizationReceived) -> str:
    """Recognise a repetition: equal clear fields and equal decrypted JSON, whatever the order of names."""
    asked = request.model_dump(mode="json", exclude=set(FACTS))
    return json_fingerprint({**asked, "currency": request.currency.upper()})


def answer_again(state: ExchangeState, request: AuthorizationReceived) -> Decision[ExchangeState]:
    """M2 order 3: return the stored answer for the same content; refuse a ``transferId`` with other content."""
    if state.counterparty == request.entity_id and state.fingerprint == content_of(request):
        return ignored(state, "M2: stored answer", Reply(state.answer))
    return Decision(
        state,
        status="rejected",
        code="DUPLICATED_TRANSFER_ID",
        field="transferId",
        fix="the transferId is known with other content: use a new one",
        rule="M2: known with other content",
    )


def answer_authorization(item: Input, request: AuthorizationReceived, policy: Policy, now: datetime) -> Decision[Any]:
    """M2 orders 4 to 13: examine, store, answer."""
    profile = own_profile(policy)
    if profile is None:
        return Decision(
            None,
            status="rejected",
            code="VASP_BACKEND_INTERNAL_ERROR",
            fix="set VASP_PROFILE_FILE: an answer names the beneficiary VASP",
            rule="M2: own profile missing",
        )
    if is_nested_deeper(request.ivms101) or is_nested_deeper(request.originating_vasp):
        return Decision(
            None,
            status="rejected",
            code="INVALID_MSG_FIELD_VALUE",
            field="payload",
            fix="the payload is nested deeper than IVMS101 is",
            rule="M2: payload nested too deep",
        )
    examined = examine(request, policy)
    answer = _answer(request, examined, profile)
    state = ExchangeState(
        subject=item.subject.partition(":")[2],
        transfer_id=request.transfer_id,
        counterparty=request.entity_id,
        fingerprint=content_of(request),
        request=request.model_copy(update={"wallets": ()}),
        answer=answer,
        reason=examined.reason,
        wallet_ids=tuple(dict.fromkeys(wallet.wallet_id for wallet in examined.wallets)),
        tagged=bool(examined.wallets and examined.wallets[0].tag),
        customer_ids=tuple(dict.fromkeys(wallet.customer_id for wallet in examined.wallets)),
    )
    builder = InboundExchangeBuilder(state, item, policy, now)
    builder.move("authorization-passed" if examined.verified else "authorization-refused")
    if examined.verified:
        builder.set_timer(OPEN, policy.time_limits.authorization_open)
    builder.reply(answer)
    return builder.done(f"M2: {examined.reason or 'verified'}")


def _answer(request: AuthorizationReceived, examined: Examined, profile: VaspProfile) -> dict[str, Any]:
    """Build the plain reply; ``payload`` is sealed by the gateway. A refusal contains nothing about the owner."""
    owner = examined.wallets[0].owner if examined.verified else None
    return {
        "result": "verified" if examined.verified else "denied",
        "reasonType": examined.reason,
        "reasonMsg": examined.message,
        "transferId": request.transfer_id,
        "beneficiaryVasp": beneficiary_vasp(profile),
        "payload": answer_payload(examined.payload, profile, verified=examined.verified, owner=owner),
    }


def accept_report(builder: InboundExchangeBuilder, report: TxidReportReceived) -> Decision[ExchangeState]:
    """M3: store the transaction that carries the value."""
    state = builder.state
    if state.txid is not None:
        if not same_txid(state.txid, report.txid):
            return _refused(builder, "TXID_ALREADY_EXISTS", "M3: another txid is stored")
        if fill_vout(builder, report.vout):
            builder.reply(_closed(state.transfer_id))
            return builder.done("M3: output index filled in")
        return _same(builder, "M3: the same txid again")
    if state.chain == "failed":
        return _refused(builder, "TRANSFER_ALREADY_FAILED", "M3: the chain transaction failed")
    if not BENEFICIARY.may(state.status, "txid-reported"):
        return _refused(builder, "TRANSFER_ALREADY_FAILED", f"M3: {state.status}")
    store_txid(builder, "txid-reported", report.txid, report.vout)
    builder.reply(_closed(state.transfer_id))
    return builder.done("M3: txid stored")


def accept_finish(builder: InboundExchangeBuilder, finish: FinishReceived) -> Decision[ExchangeState]:
    """M5: cancel a transfer whose value is not sent or whose transaction failed."""
    state = builder.state
    if finish.status.strip().lower() != "canceled":
        return Decision(
            state,
            status="rejected",
            code="INVALID_MSG_FIELD_VALUE",
            field="status",
            fix="canceled is the only status a finish can carry",
            rule="M5: status other than canceled",
        )
    if state.status == "canceled":
        return _same(builder, "M5: canceled before")
    if state.chain == "final" or state.credited or not BENEFICIARY.may(state.status, "finished"):
        return _refused(builder, "ILLEGAL_STATEFLOW", "M5: final or credited")
    builder.change(finish_reason=(finish.reason_type or "")[:50])
    builder.move("finished")
    builder.stop_waiting()
    withdraw(builder)
    builder.reply(_closed(state.transfer_id))
    return builder.done("M5: canceled")


def refuse_unknown(transfer_id: str) -> Decision[Any]:
    """M3, M5 first row: refuse a transfer that is unknown or another sender's; nothing is stored."""
    return Decision(
        None,
        (Reply(_error(transfer_id, "UNKNOWN_TRANSFER_ID")),),
        status="rejected",
        code="UNKNOWN_TRANSFER_ID",
        field="transferId",
        fix="no authorization with this transferId came from this VASP",
        rule="unknown transferId",
    )


def _same(builder: InboundExchangeBuilder, rule: str) -> Decision[ExchangeState]:
    return ignored(builder.state, rule, Reply(_closed(builder.state.transfer_id)))


def _refused(builder: InboundExchangeBuilder, reason: str, rule: str) -> Decision[ExchangeState]:
    answer = Reply(_error(builder.state.transfer_id, reason))
    return Decision(builder.state, (answer,), code=reason, rule=rule)


def _closed(transfer_id: str) -> dict[str, Any]:
    return {"transferId": transfer_id, "result": "normal", "reasonType": ""}


def _error(transfer_id: str, reason: str) -> dict[str, Any]:
    return {"transferId": transfer_id, "result": "error", "reasonType": reason}
