"""The arrival machine: matches the deposits and the reports of one transaction and one address. Pure.

It pairs them and notifies both sides; it decides nothing about money. A repeated message changes nothing; a deposit
that registers again is answered again. The state stays when every side has left: the subject's name is a digest, and
new arrivals find it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from travelrule.deposits.rendezvous.report_pairs import Pairs, pair
from travelrule.machine.decision import Decision
from travelrule.machine.effects import SendMessage
from travelrule.machine.input import Input
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.machine.serialization import codec
from travelrule.messages.arrival import (
    ArrivalReported,
    ArrivalRetracted,
    ArrivalSeen,
    ArrivalWithdrawn,
    DepositMatched,
    DepositUnannounced,
    DepositUnmatched,
    ExchangeArrived,
)
from travelrule.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class ArrivalState:
    """The reports and deposits present, in order of arrival, and their pairs."""

    reports: tuple[ArrivalReported, ...] = ()
    deposits: tuple[ArrivalSeen, ...] = ()
    pairs: Pairs = ()


def decide(state: ArrivalState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one message; neither time nor policy matters."""
    del policy, now
    before = state or ArrivalState()
    match item.data:
        case ArrivalReported() as report:
            after = replace(before, reports=_with(before.reports, "exchange", report))
        case ArrivalWithdrawn(exchange=exchange):
            after = replace(before, reports=tuple(one for one in before.reports if one.exchange != exchange))
        case ArrivalSeen() as seen:
            after = replace(before, deposits=_with(before.deposits, "deposit_id", seen))
        case ArrivalRetracted(deposit_id=deposit_id):
            after = replace(before, deposits=tuple(one for one in before.deposits if one.deposit_id != deposit_id))
        case _:
            return Decision(
                state,
                status="rejected",
                code="UNKNOWN_TYPE",
                field="type",
                fix="this type says nothing about an arrival",
                rule="UNKNOWN_TYPE",
            )
    return _settled(before, after, item)


def _with(there: tuple[Any, ...], key: str, new: Any) -> tuple[Any, ...]:
    """Return the entries with ``new``, which replaces the one of its key."""
    known = [getattr(one, key) for one in there]
    if getattr(new, key) not in known:
        return (*there, new)
    return tuple(new if getattr(one, key) == getattr(new, key) else one for one in there)


def _settled(before: ArrivalState, after: ArrivalState, item: Input) -> Decision[ArrivalState]:
    after = replace(after, pairs=pair(after.reports, after.deposits, before.pairs))
    asked = item.data.deposit_id if isinstance(item.data, ArrivalSeen) else ""
    messages = tuple(_messages(before, after, asked))
    if after == before:
        return Decision(after, messages, status="duplicate", rule="said before")
    paired = len(after.pairs) - len(before.pairs)
    return Decision(after, messages, rule="paired" if paired > 0 else "unpaired" if paired < 0 else "nothing to pair")


def _messages(before: ArrivalState, after: ArrivalState, asked: str) -> Iterator[SendMessage]:
    """Yield the messages: to deposits that lost their pair, then to new pairs; ``asked`` always gets one."""
    old = {deposit: exchange for exchange, deposit in before.pairs}
    new = {deposit: exchange for exchange, deposit in after.pairs}
    reports = {report.exchange: report for report in after.reports}
    for seen in after.deposits:
        lost = old.get(seen.deposit_id)
        if seen.deposit_id in new:
            continue
        if lost is not None:
            told = DepositUnmatched(exchange=lost, sighting=seen.sighting)
            yield SendMessage(f"deposit:{seen.deposit_id}", "deposit.unmatched", told)
        elif seen.deposit_id == asked:
            yield SendMessage(f"deposit:{asked}", "deposit.unannounced", DepositUnannounced(sighting=seen.sighting))
    for seen in after.deposits:
        exchange = new.get(seen.deposit_id)
        if exchange is None or (old.get(seen.deposit_id) == exchange and seen.deposit_id != asked):
            continue
        yield SendMessage(f"deposit:{seen.deposit_id}", "deposit.matched", _matched(reports[exchange], seen))
        if old.get(seen.deposit_id) != exchange:
            yield SendMessage(exchange, "exchange.arrived", ExchangeArrived(deposit_id=seen.deposit_id))


def _matched(report: ArrivalReported, seen: ArrivalSeen) -> DepositMatched:
    return DepositMatched(
        exchange=report.exchange,
        counterparty=report.counterparty,
        transfer_id=report.transfer_id,
        currency=report.currency,
        network=report.network,
        amount=report.amount,
        vout=report.vout,
        sighting=seen.sighting,
    )


def project(state: ArrivalState) -> Projection:
    """Project a rendezvous: whether a report or a deposit has no pair yet."""
    waiting = len(state.reports) + len(state.deposits) > 2 * len(state.pairs)
    return Projection(status="waiting" if waiting else "paired" if state.pairs else "empty")


_dump, _load = codec(ArrivalState)

VERSION = 2
"""See ``Machine.version``."""

MACHINE = Machine("arrival", decide, _dump, _load, project, VERSION)
