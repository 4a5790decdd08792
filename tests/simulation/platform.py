"""The trading platform of a simulated VASP: requests, amendments, sendings, credits, omissions and mistakes."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from schemas.events.decisions import DecisionRecorded
from schemas.events.deposits import DepositConfirmed, DepositDetected, DepositRetracted, DepositSettled
from schemas.events.txids import WithdrawalBroadcast, WithdrawalMined, WithdrawalSettled
from schemas.events.withdrawals import WithdrawalAmended, WithdrawalCancelled, WithdrawalRecorded, WithdrawalRequested
from tests.simulation.chain import Chain, Moment, Output, Transaction
from tests.simulation.clock import Clock
from tests.simulation.customers import NETWORKS, Customer, CustomerWallet, name
from tests.simulation.engine_jobs import EngineJobs
from tests.simulation.engine_model import Event
from travelrule.exchange.originator.refused_request import RequestRefused

REFUSED_SHARE = 0.03
REFUSED_LATE_SHARE = 0.01
CORRECTED_SHARE = 0.8
FINISH_REASONS = ("NOT_FOUND_ADDRESS", "NOT_KYC_USER", "SANCTION_LIST", "UNKNOWN")


@dataclass(slots=True)
class Order:
    """A customer's withdrawal as the platform knows it. ``owner``: whose wallet it really goes to; None: nobody's."""

    withdrawal_id: str
    wallet: CustomerWallet
    owner: Customer | None = field(repr=False)
    request: dict[str, Any] = field(repr=False)
    heard: int = 0
    verdict: str = ""
    amended: int = 0
    sent: bool = False
    destinations: list[dict[str, Any]] = field(default_factory=list, repr=False)


@dataclass(slots=True)
class Arrival:
    """A deposit as the platform knows it."""

    deposit_id: str
    data: DepositDetected = field(repr=False)
    heard: int = 0
    settled: bool = False


class Platform:
    """Sends events and consumes verdicts. ``careful``: it never sends or credits without an allow."""

    def __init__(self, process: EngineJobs, chain: Chain, clock: Clock, dice: random.Random) -> None:
        self.vasp = process.engine_model.vasp
        self.orders: dict[str, Order] = {}
        self.arrivals: dict[str, Arrival] = {}
        self._process = process
        self._chain = chain
        self._clock = clock
        self._dice = dice
        self._at: dict[tuple[str, str, str | None, str | None], str] = {}
        chain.receivers[self.vasp] = self.sees
        process.hears(self)

    def register(self, customer: Customer) -> None:
        for wallet in customer.wallets.values():
            data = customer.registered(wallet)
            self._process.send("wallets", "wallet.registered.v1", f"wallet:{wallet.wallet_id}", data)

    # Withdrawals

    def withdraw(
        self, sender: Customer, wallet: CustomerWallet, owner: Customer | None, destination: dict[str, Any]
    ) -> None:
        """A customer wants to send."""
        dice = self._dice
        named = owner.person() if owner is not None and dice.random() < 0.85 else _stranger(dice)
        withdrawal_id = self._uuid() if dice.random() < 0.7 else f"order-{len(self.orders)}"
        request = {
            "withdrawalId": withdrawal_id,
            "currency": wallet.currency,
            "network": NETWORKS[wallet.currency],
            "amount": f"{dice.randint(1, 5000)}.{dice.randint(1, 99)}",
            "tradePrice": f"{dice.randint(10, 90_000)}",
            "tradeCurrency": "USD",
            "isExceedingThreshold": dice.random() < 0.9,
            "destination": destination,
            "originator": {"customerId": sender.customer_id, **sender.person()},
            "beneficiary": named,
        }
        order = Order(withdrawal_id, wallet, owner, request, destinations=[destination])
        self.orders[withdrawal_id] = order
        if dice.random() < 0.06:
            self._record(order)
            return
        data = WithdrawalRequested.model_validate(request)
        wrong = random.Random(f"wrong {withdrawal_id}")  # its own dice: the story of a seed stays what it was
        if wrong.random() < REFUSED_SHARE:
            self._mistake(order, data, wrong)
            return
        self._send("withdrawals", "withdrawal.requested.v1", order, data)
        if wrong.random() < REFUSED_LATE_SHARE:
            self._clock.after(wrong.uniform(0.0, 90_000.0), lambda: self._refused(order, wrong))
        if dice.random() < 0.01:
            self._send("withdrawals", "withdrawal.requested.v1", order, data)
        if dice.random() < 0.04:
            self._clock.after(dice.uniform(0.0, 30.0), lambda: self._cancel(order))
        if dice.random() < 0.03:
            self._clock.after(dice.uniform(0.0, 90_000.0), lambda: self._amend(order, []))

    def _mistake(self, order: Order, data: WithdrawalRequested, dice: random.Random) -> None:
        """The request is refused as a message, perhaps more than once; most platforms correct it."""
        for _ in range(dice.choice((1, 1, 1, 3))):
            self._refused(order, dice)
        if dice.random() < CORRECTED_SHARE:
            corrected_after = dice.choice((0.0, 30.0, 40_000.0, 200_000.0))
            self._clock.after(
                corrected_after, lambda: self._send("withdrawals", "withdrawal.requested.v1", order, data)
            )

    def _refused(self, order: Order, dice: random.Random) -> None:
        """What the engine makes of a refused request."""
        letter, code = str(UUID(int=dice.getrandbits(128), version=4)), dice.choice(("INVALID_AMOUNT", "MISSING_FIELD"))
        data = RequestRefused(dead_letter_id=letter, code=code, field="data.amount")
        self._send("withdrawals", "request.refused", order, data)

    def _record(self, order: Order) -> None:
        txid = self._chain.txid()
        order.sent = True
        data = WithdrawalRecorded.model_validate({**order.request, "txid": txid})
        self._send("withdrawals", "withdrawal.recorded.v1", order, data)
        self._chain.pay(Transaction(txid, [Output(order.wallet, order.request["amount"])], self._follow(order)))

    def hear(self, event: Event) -> None:
        """A verdict; a sequence that was passed is nothing."""
        if event.topic != "verdicts":
            return
        known: Order | Arrival | None = (
            self.orders.get(event.key) if event.type == "withdrawal.verdict.v1" else self.arrivals.get(event.key)
        )
        if known is None or event.data["sequence"] <= known.heard:
            return
        known.heard = event.data["sequence"]
        if isinstance(known, Order):
            known.verdict = event.data["verdict"]
            self._react(known, event.data)
        else:
            self._decide_deposit(known, event.data)

    def _react(self, order: Order, verdict: dict[str, Any]) -> None:
        dice, after = self._dice, self._clock.after
        if verdict["verdict"] == "allow":
            match dice.choices(("send", "late", "cancel", "forget"), (92, 3, 3, 2))[0]:
                case "send":
                    after(dice.uniform(1, 900), lambda: self._broadcast(order))
                case "late":
                    after(dice.uniform(90_000, 300_000), lambda: self._broadcast(order))
                case "cancel":
                    after(dice.uniform(1, 900), lambda: self._cancel(order))
        elif verdict["verdict"] == "hold":
            match dice.choices(("amend", "cancel", "allow", "deny", "wait"), (40, 8, 10, 6, 36))[0]:
                case "amend" if order.amended < 4:
                    after(dice.uniform(5, 20_000), lambda: self._amend(order, verdict["needs"]))
                case "cancel":
                    after(dice.uniform(5, 20_000), lambda: self._cancel(order))
                case "allow" | "deny" as word:
                    after(dice.uniform(5, 90_000), lambda: self._operate(f"withdrawal:{order.withdrawal_id}", word))
        elif dice.random() < 0.02:
            after(dice.uniform(1, 900), lambda: self._broadcast(order, careless=True))

    def _broadcast(self, order: Order, *, careless: bool = False) -> None:
        if order.sent or (order.verdict != "allow" and not careless):
            return
        order.sent = True
        txid = self._chain.txid()
        vout = self._dice.choice((None, "0", "3"))
        data = WithdrawalBroadcast(withdrawal_id=order.withdrawal_id, txid=txid, vout=vout)
        self._send("txids", "withdrawal.broadcast.v1", order, data)
        if self._dice.random() < 0.01:
            other = WithdrawalBroadcast(withdrawal_id=order.withdrawal_id, txid=self._chain.txid(), vout=vout)
            self._send("txids", "withdrawal.broadcast.v1", order, other)
        output = Output(order.wallet, order.request["amount"], vout)
        self._chain.pay(Transaction(txid, [output], self._follow(order)))

    def _follow(self, order: Order) -> Any:
        def follow(moment: Moment) -> None:
            name = order.withdrawal_id
            if moment in ("mined", "back"):
                self._send("txids", "withdrawal.mined.v1", order, WithdrawalMined(withdrawal_id=name))
            elif moment in ("final", "failed"):
                outcome = "confirmed" if moment == "final" else "failed"
                data = WithdrawalSettled(withdrawal_id=name, outcome=outcome)
                self._send("txids", "withdrawal.settled.v1", order, data)

        return follow

    def _cancel(self, order: Order) -> None:
        if order.sent and self._dice.random() < 0.9:
            return
        reason = self._dice.choice(FINISH_REASONS)
        data = WithdrawalCancelled(withdrawal_id=order.withdrawal_id, reason=reason)
        self._send("withdrawals", "withdrawal.cancelled.v1", order, data)

    def _amend(self, order: Order, needs: list[str]) -> None:
        order.amended += 1
        given: dict[str, Any] = {}
        if order.owner is not None and ("beneficiary-name" in needs or self._dice.random() < 0.5):
            given["beneficiary"] = order.owner.person()
        if {"counterparty", "counterparty-confirmation"} & set(needs) or not given:
            tag = {"tag": order.wallet.tag} if order.wallet.tag else {}
            destination = {"kind": "vasp", "vaspEntityId": order.wallet.vasp, "address": order.wallet.address, **tag}
            given["destination"] = destination
            order.destinations.append(destination)
        data = WithdrawalAmended.model_validate({"withdrawalId": order.withdrawal_id, **given})
        self._send("withdrawals", "withdrawal.amended.v1", order, data)

    def _operate(self, subject: str, word: str) -> None:
        data = DecisionRecorded(subject=subject, decision=word, actor="op-1", reason="looked at")
        self._process.send("decisions", "decision.recorded.v1", subject, data)

    def _send(self, topic: str, kind: str, order: Order, data: Any) -> None:
        self._process.send(topic, kind, f"withdrawal:{order.withdrawal_id}", data)

    # Deposits

    def sees(self, txid: str, output: Output, moment: Moment) -> None:
        """The platform's node sees value for a customer."""
        key = (txid, output.wallet.address, output.wallet.tag, output.vout)
        if moment == "mined" or (moment == "back" and key not in self._at):
            self._detect(key, output)
        if key not in self._at:
            return
        arrival = self.arrivals[self._at[key]]
        subject = f"deposit:{arrival.deposit_id}"
        if moment == "back":
            self._process.send("deposits", "deposit.detected.v1", subject, arrival.data)
        elif moment == "final":
            data = DepositConfirmed(deposit_id=arrival.deposit_id)
            self._process.send("deposits", "deposit.confirmed.v1", subject, data)
        elif moment == "retracted":
            gone = DepositRetracted(deposit_id=arrival.deposit_id)
            self._process.send("deposits", "deposit.retracted.v1", subject, gone)

    def _detect(self, key: tuple[str, str, str | None, str | None], output: Output) -> None:
        deposit_id = self._uuid()
        amount = output.amount if self._dice.random() > 0.02 else "0.5"
        vout = output.vout if self._dice.random() > 0.3 else None
        data = DepositDetected.model_validate(
            {
                "depositId": deposit_id,
                "txid": key[0],
                "vout": vout,
                "currency": output.wallet.currency,
                "network": NETWORKS[output.wallet.currency],
                "amount": amount,
                "address": output.wallet.address,
                "tag": output.wallet.tag,
            }
        )
        self._at[key] = deposit_id
        if self._dice.random() < 0.01:
            # Somebody else's confirmation, for a deposit that never comes.
            nobody = DepositConfirmed(deposit_id=self._uuid())
            self._process.send("deposits", "deposit.confirmed.v1", f"deposit:{nobody.deposit_id}", nobody)
        self.arrivals[deposit_id] = Arrival(deposit_id, data)
        self._process.send("deposits", "deposit.detected.v1", f"deposit:{deposit_id}", data)

    def _decide_deposit(self, arrival: Arrival, verdict: dict[str, Any]) -> None:
        dice, after = self._dice, self._clock.after
        if verdict["verdict"] == "allow":
            if dice.random() < 0.95:
                after(dice.choice((10.0, 3600.0, 200_000.0)), lambda: self._settle(arrival, "credited"))
        elif verdict["verdict"] == "deny":
            after(3600.0, lambda: self._settle(arrival, dice.choice(("returned", "seized"))))
        elif verdict["needs"] and dice.random() < 0.3:
            word = dice.choice(("allow", "deny"))
            after(dice.uniform(60, 200_000), lambda: self._operate(f"deposit:{arrival.deposit_id}", word))
        elif dice.random() < 0.01:
            after(dice.uniform(0, 90_000), lambda: self._settle(arrival, "credited"))

    def _settle(self, arrival: Arrival, outcome: str) -> None:
        if arrival.settled and self._dice.random() < 0.95:
            return
        arrival.settled = True
        data = DepositSettled(deposit_id=arrival.deposit_id, outcome=outcome)
        self._process.send("deposits", "deposit.settled.v1", f"deposit:{arrival.deposit_id}", data)

    def _uuid(self) -> str:
        return str(UUID(int=self._dice.getrandbits(128), version=4))


def _stranger(dice: random.Random) -> dict[str, Any]:
    return {"natural": {"lastName": name(dice), "firstName": name(dice)}}
