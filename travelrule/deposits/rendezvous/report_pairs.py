"""Pairs of reports and deposits of one transaction to one address. Pure; the order of arrival does not matter.

Where both name an output index, the index alone decides. Where one of them names none, equal currency and amount make a
pair. Where a single report and a single deposit of one currency are left over, they are a pair whose amounts differ,
which the deposit's verdict states. Among equals the first arrival counts.

A pair by output or amount stays until one side leaves, because an ``allow`` may rest on it. A left-over pair never
leads to an automatic ``allow``; it ends when a side finds a better partner, so the result does not depend on which
output of a batch was seen first.
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
    """Return how well these two fit."""
    if report.vout is not None and deposit.vout is not None:
        return Fit.OUTPUT if report.vout == deposit.vout else Fit.NEVER
    if report.currency.upper() != deposit.currency.upper():
        return Fit.NEVER
    return Fit.AMOUNT if report.amount == deposit.amount else Fit.LEFT_OVER


def pair(reports: Sequence[ArrivalReported], deposits: Sequence[ArrivalSeen], before: Pairs) -> Pairs:
    """Return the pairs of the entries present; ``before`` are the earlier pairs."""
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
    """Return the pairs of the only report and the only deposit left of a currency."""
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
