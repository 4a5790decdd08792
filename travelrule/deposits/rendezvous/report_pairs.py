"""Which report means which deposit, of one transaction to one address. Pure, and whatever came first.

A report and a deposit that both name an output index are pairs by it and by nothing else. Where one of them names none,
equal currency and amount make a pair. Where of one currency a single report and a single deposit are left over, they
are a pair whose amounts differ, which the deposit then says. Among equals the one that came first is taken.

A pair by output or amount stays until one side goes away, because an ``allow`` may rest on it. A left-over pair cannot
lead to an automatic ``allow``; it yields when a side finds the partner that fits, so that the outcome does not depend
on which output of a batch was seen first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import IntEnum

from travelrule.messages.arrival import ArrivalReported, ArrivalSeen

Pairs = tuple[tuple[str, str], ...]
"""(exchange's subject, deposit's id)."""


class Fit(IntEnum):
    """How well a report and a deposit fit."""

    NEVER = 0
    LEFT_OVER = 1
    AMOUNT = 2
    OUTPUT = 3


def fit(report: ArrivalReported, deposit: ArrivalSeen) -> Fit:
    """How well these two fit."""
    if report.vout is not None and deposit.vout is not None:
        return Fit.OUTPUT if report.vout == deposit.vout else Fit.NEVER
    if report.currency.upper() != deposit.currency.upper():
        return Fit.NEVER
    return Fit.AMOUNT if report.amount == deposit.amount else Fit.LEFT_OVER


def pair(reports: Sequence[ArrivalReported], deposits: Sequence[ArrivalSeen], before: Pairs) -> Pairs:
    """Give the pairs of what is there now, ``before`` being those of what was there."""
    by_exchange = {report.exchange: report for report in reports}
    by_deposit = {deposit.deposit_id: deposit for deposit in deposits}
    there = [(one, two) for one, two in before if one in by_exchange and two in by_deposit]
    loose = [(one, two) for one, two in there if fit(by_exchange[one], by_deposit[two]) is Fit.LEFT_OVER]
    pairs = [each for each in there if each not in loose]
    for wanted in (Fit.OUTPUT, Fit.AMOUNT):
        for report in _free(reports, pairs):
            partner = next((each for each in _open(deposits, pairs) if fit(report, each) is wanted), None)
            if partner is not None:
                pairs.append((report.exchange, partner.deposit_id))
    pairs += [each for each in loose if not _taken(each, pairs)]
    return (*pairs, *_left_over(_free(reports, pairs), _open(deposits, pairs)))


def _left_over(reports: list[ArrivalReported], deposits: list[ArrivalSeen]) -> Pairs:
    """The pairs of which there is but one of each currency."""
    counted = Counter(report.currency.upper() for report in reports)
    seen = Counter(deposit.currency.upper() for deposit in deposits)
    return tuple(
        (report.exchange, deposit.deposit_id)
        for report in reports
        for deposit in deposits
        if fit(report, deposit) is Fit.LEFT_OVER
        and counted[report.currency.upper()] == seen[deposit.currency.upper()] == 1
    )


def _free(reports: Sequence[ArrivalReported], pairs: list[tuple[str, str]]) -> list[ArrivalReported]:
    taken = {exchange for exchange, _ in pairs}
    return [report for report in reports if report.exchange not in taken]


def _open(deposits: Sequence[ArrivalSeen], pairs: list[tuple[str, str]]) -> list[ArrivalSeen]:
    taken = {deposit for _, deposit in pairs}
    return [deposit for deposit in deposits if deposit.deposit_id not in taken]


def _taken(one: tuple[str, str], pairs: list[tuple[str, str]]) -> bool:
    return any(one[0] == exchange or one[1] == deposit for exchange, deposit in pairs)
