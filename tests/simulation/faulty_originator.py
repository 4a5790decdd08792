"""An originating VASP that follows no order: authorizations twice or changed, reports first, finishes at any time."""

from __future__ import annotations

import random
from typing import Any

from tests.simulation.chain import Chain, Output, Transaction
from tests.simulation.clock import Clock
from tests.simulation.customers import NETWORKS, Customer, CustomerWallet, name
from tests.simulation.robots import VASP_PARTY, Robot
from travelrule.identity.account_numbers import join

DAY = 86_400.0


class FaultyOriginator:
    """Plays one robot's mischief against a VASP's customers."""

    def __init__(self, robot: Robot, rival: Robot | None, clock: Clock, chain: Chain, dice: random.Random) -> None:
        self._robot = robot
        self._rival = rival
        self._clock = clock
        self._chain = chain
        self._dice = dice
        self._ids: list[str] = []

    def act(self, target: str, owner: Customer) -> None:
        """One transaction for one customer, with one or two transfers and everything that can be wrong with them."""
        dice = self._dice
        wallet = owner.wallets[dice.choice(("XRP", "ETH", "BTC"))]
        txid = self._chain.txid()
        count = dice.choice((0, 1, 1, 1, 2, 3))
        outputs = []
        for number in range(max(count, 1)):
            amount = f"{dice.randint(1, 6)}.5"
            vout = str(number) if count > 1 else None
            outputs.append(Output(wallet, amount, vout))
            if number < count:
                self._transfer(target, owner, wallet, amount, txid, vout)
        if dice.random() < 0.4:
            self._robot.pays(txid, outputs[0].amount)
            if self._rival is not None and dice.random() < 0.2:
                self._rival.pays(txid, outputs[0].amount)
        if dice.random() < 0.9:
            self._clock.after(dice.uniform(0, 4000), lambda: self._chain.pay(Transaction(txid, outputs)))

    def _transfer(
        self, target: str, owner: Customer, wallet: CustomerWallet, amount: str, txid: str, vout: str | None
    ) -> None:
        dice = self._dice
        again = self._ids and dice.random() < 0.05
        transfer_id = dice.choice(self._ids) if again else self._robot.transfer_id()
        self._ids.append(transfer_id)
        person = owner.last if dice.random() < 0.85 else name(dice)
        body = {
            "transferId": transfer_id,
            "currency": wallet.currency,
            "network": NETWORKS[wallet.currency],
            "amount": amount if dice.random() < 0.9 else "7.7",
            "tradePrice": "100",
            "tradeCurrency": "USD",
            "isExceedingThreshold": "true",
        }
        inner = _ivms(person, owner.first, join(wallet.address, wallet.tag))
        first = dice.uniform(0, 600)
        for _ in range(dice.choice((1, 1, 2, 3))):
            self._later(first, target, "transfer-authorization", body, inner)
            first += dice.choice((0.2, 60.0, DAY))
        report: dict[str, Any] = {"transferId": transfer_id, "txid": txid}
        if vout is not None and dice.random() < 0.7:
            report["vout"] = vout
        for _ in range(dice.choice((0, 1, 1, 2))):
            seconds = dice.choice((5.0, 700.0, 5000.0, 2 * DAY))
            self._later(dice.uniform(0, seconds), target, "txid-report", report)
        if dice.random() < 0.1:
            self._later(dice.uniform(0, DAY), target, "txid-report", {**report, "txid": self._chain.txid()})
        if dice.random() < 0.15:
            self._later(dice.uniform(0, 3000), target, "txid-report", {**report, "vout": "0"})
        for _ in range(dice.choice((0, 0, 0, 1, 2))):
            finish = {"transferId": transfer_id, "status": "canceled", "reasonType": "UNKNOWN"}
            self._later(dice.uniform(0, dice.choice((900.0, 9000.0, 3 * DAY))), target, "finish", finish)

    def _later(
        self, seconds: float, target: str, operation: str, body: dict[str, Any], inner: dict[str, Any] | None = None
    ) -> None:
        self._clock.after(seconds, lambda: self._robot.asks(target, operation, body, inner))


def _ivms(last: str, first: str, account: str) -> dict[str, Any]:
    def person(one: str, two: str) -> dict[str, Any]:
        entry = {"primaryIdentifier": one, "secondaryIdentifier": two, "nameIdentifierType": "LEGL"}
        return {"naturalPerson": {"name": {"nameIdentifier": [entry]}}}

    return {
        "Originator": {"originatorPersons": [person("Roboter", "Rita")], "accountNumber": ["robot-1"]},
        "Beneficiary": {"beneficiaryPersons": [person(last, first)], "accountNumber": [account]},
        "OriginatingVASP": {"originatingVASP": VASP_PARTY},
    }
