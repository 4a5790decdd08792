"""The blockchain: transactions that are mined and final, dropped, or taken back by a re-organisation."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from tests.simulation.clock import Clock
from tests.simulation.customers import CustomerWallet

Moment = Literal["mined", "final", "failed", "retracted", "back"]
MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


@dataclass(frozen=True, slots=True)
class Output:
    """Value for one wallet."""

    wallet: CustomerWallet
    amount: str
    vout: str | None = None


@dataclass(slots=True)
class Transaction:
    """One transaction; ``sender`` is notified of its progress."""

    txid: str
    outputs: list[Output]
    sender: Callable[[Moment], None] = field(default=lambda moment: None)


class Chain:
    """The receiver of value is notified by ``receivers[vasp]``."""

    def __init__(self, clock: Clock, dice: random.Random, ends: float) -> None:
        self.receivers: dict[str, Callable[[str, Output, Moment], None]] = {}
        self._clock = clock
        self._dice = dice
        self._ends = ends

    def txid(self) -> str:
        return f"{self._dice.getrandbits(256):064X}"

    def pay(self, transaction: Transaction) -> None:
        """A node accepted it."""
        for seconds, moment in self._fate():
            self._clock.after(seconds, self._happen(transaction, moment))

    def _fate(self) -> list[tuple[float, Moment]]:
        mined = self._dice.uniform(20.0, 20 * MINUTE)
        final = mined + self._dice.uniform(5 * MINUTE, 2 * HOUR)
        taken_back = self._dice.uniform(mined, final)
        match self._dice.choices(
            ("fine", "slow", "dropped", "gone", "back", "late-gone", "revived"), (82, 3, 5, 3, 3, 2, 2)
        )[0]:
            case "slow":
                return [(mined + 2 * DAY, "mined"), (final + 2 * DAY, "final")]
            case "dropped":
                return [(self._dice.uniform(HOUR, DAY), "failed")]
            case "gone":
                return [(mined, "mined"), (taken_back, "retracted"), (taken_back + HOUR, "failed")]
            case "revived":
                return [(mined, "failed"), (mined + HOUR, "mined"), (final + HOUR, "final")]
            case "back":
                return [
                    (mined, "mined"),
                    (taken_back, "retracted"),
                    (final + HOUR, "back"),
                    (final + 2 * HOUR, "final"),
                ]
            case "late-gone":
                return [(mined, "mined"), (final, "final"), (final + HOUR, "retracted"), (final + 2 * HOUR, "failed")]
        return [(mined, "mined"), (final, "final")]

    def _happen(self, transaction: Transaction, moment: Moment) -> Callable[[], None]:
        def happen() -> None:
            transaction.sender(moment)
            for output in transaction.outputs:
                receive = self.receivers.get(output.wallet.vasp)
                if receive is not None:
                    receive(transaction.txid, output, moment)

        return happen
