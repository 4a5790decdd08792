"""Where the cases come from: every kind of state that a machine can reach meets every input of its catalogue.

The catalogues are those of the property tests; the small machines have theirs here. Of decisions of one shape the
first is kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from schemas.events.wallets import WalletRegistered, WalletRemoved
from schemas.registry import EVENTS
from schemas.wire_model import Wire
from tests.golden.cases import Golden, case_of, decided, outcome, shape
from tests.property.assessments import test_assessment_product
from tests.property.assessments.catalogue import for_assessment
from tests.property.deposits import test_deposit_product
from tests.property.deposits.catalogue import for_deposit
from tests.property.exchange import test_product
from tests.property.exchange.catalogue import assessments, for_exchange, for_withdrawal, timers
from tests.support import deposit_scenes as deposits
from tests.support.assessment_scenes import ASSESSMENT, SCREENING
from tests.support.deposit_scenes import EXCHANGE
from tests.support.events import WITHDRAWAL_ID, requested
from tests.support.inbound_messages import OWNER, TRANSFER_ID, ivms101, legal
from tests.support.scene import Scene
from tests.support.vasps import NORTH, SOUTH
from travelrule.deposits.served_requests.received_request import DataRequestReceived, WithdrawalFacts
from travelrule.disclosures.disclosure import DeadLetterShown
from travelrule.engine.registry import INTERNAL_INPUTS, MACHINES
from travelrule.machine.internal_inputs import CallResult
from travelrule.messages.arrival import ArrivalReported, ArrivalRetracted, ArrivalSeen, ArrivalWithdrawn
from travelrule.messages.directory import DirectoryChanged, DirectoryEntry
from travelrule.messages.inbound_request import SenderFacts
from travelrule.messages.owner import ListedAs, OwnerHits, OwnerListed, OwnerScreened
from travelrule.policy.policy import OwnVasp, Policy

STATES_MAX = 150
OFF = 'sanctions = "off"\n'
HOLDING = OFF + test_product.HOLDING
DENYING = OFF + test_product.DENYING
SCREENED = 'sanctions = "required"\noperator_override = true\n'
RATED = OFF + '[screening]\ndeposits = ["transaction", "kyt"]\n'
DEPOSITS = OFF + '[searches]\nattempts = 1\n[verdicts]\nCOUNTERPARTY_UNREACHABLE = "deny"\nAMOUNT_MISMATCH = "deny"'

Catalogue = Callable[[Any], Iterator[Wire]]
TYPES = {model: name for name, model in INTERNAL_INPUTS.items()} | {one.model: name for name, one in EVENTS.items()}


def stories() -> Iterator[tuple[str, str, OwnVasp, Catalogue, Callable[[Any], object]]]:
    """Subject, policy, who we are, the catalogue, and the function that distinguishes kinds of states."""
    withdrawal = f"withdrawal:{WITHDRAWAL_ID}"
    for rules in (HOLDING, DENYING, SCREENED):
        yield withdrawal, rules, NORTH, for_withdrawal, _kind_of_exchange
    for rules in (OFF, SCREENED):
        yield f"exchange:north/{TRANSFER_ID}", rules, SOUTH, for_exchange, _kind_of_exchange
    for rules in (OFF + 'deny_list = ["banned"]', DEPOSITS):
        yield "deposit:dep-1", rules, SOUTH, for_deposit, _kind_of_deposit
    for rules in (SCREENED, RATED):
        yield "deposit:dep-1", rules, SOUTH, for_screened_deposit, _kind_of_deposit
    for subject in (SCREENING, ASSESSMENT):
        yield subject, OFF, NORTH, _assessments(subject), test_assessment_product.kind_of
    for rules in (OFF, SCREENED):
        yield "wallet:w-1", rules, NORTH, for_wallet, repr
    yield "owner:one", SCREENED, NORTH, for_owner, repr
    yield "vasp:south", OFF, NORTH, for_directory, repr
    yield "disclosure:letter-1", OFF, NORTH, for_disclosure, lambda state: state is None
    yield "arrival:one", OFF, SOUTH, for_arrival, repr
    yield f"data-request:south/{TRANSFER_ID}", OFF, NORTH, for_data_request, repr


def _assessments(subject: str) -> Catalogue:
    return lambda state: for_assessment(subject, state)


def _kind_of_deposit(state: Any) -> object:
    return test_deposit_product.kind_of(state), getattr(getattr(state, "gate", None), "kind", None)


def _kind_of_exchange(state: Any) -> object:
    return test_product.kind_of(state), getattr(getattr(state, "gate", None), "kind", None)


def made() -> dict[str, Golden]:
    """The cases of every machine as it decides now."""
    every = {kind: Golden(kind, machine.version) for kind, machine in MACHINES.items()}
    for subject, rules, own, catalogue, kind_of in stories():
        kind = subject.partition(":")[0]
        _explore(every[kind], subject, rules, own, catalogue, kind_of)
    return every


def _explore(
    golden: Golden, subject: str, rules: str, own: OwnVasp, catalogue: Catalogue, kind_of: Callable[[Any], object]
) -> None:
    machine = MACHINES[golden.kind]
    policy = Policy.from_toml(rules).with_own(own)
    scene = Scene(subject=subject, rules=policy)
    shapes: set[object] = set()
    seen = {kind_of(None)}
    waiting: deque[Any] = deque([None])
    visited = 0
    while waiting and visited < STATES_MAX:
        state = waiting.popleft()
        visited += 1
        status = None if state is None else machine.project(state).status
        for data in catalogue(state):
            item = replace(scene.input(data), type=type_of(data))
            case = case_of(machine, rules, policy, state, item, scene.now)
            decision = decided(machine, case)
            looks = (status, *_label(data), decision.status, decision.code, decision.rule, *shape(decision))
            if looks not in shapes:
                shapes.add(looks)
                golden.cases[case] = outcome(machine, case)
            after = decision.state
            if after is not None and kind_of(after) not in seen and len(getattr(after, "attempts", ())) <= 2:
                seen.add(kind_of(after))
                waiting.append(after)


def type_of(data: Wire) -> str:
    """The type under which the store keeps these data."""
    return f"call.{data.outcome}" if isinstance(data, CallResult) else TYPES[type(data)]


def _label(data: Wire) -> tuple[str, ...]:
    return type_of(data), str(getattr(data, "operation", "")), str(getattr(data, "name", ""))


def for_screened_deposit(state: Any) -> Iterator[Wire]:
    """What leads a deposit to its assessments, and what these tell it."""
    yield deposits.detected()
    yield deposits.context()
    yield deposits.matched()
    yield deposits.CONFIRMED
    yield from assessments(state.gate if state is not None else None)
    yield from timers(state)


def for_wallet(state: Any) -> Iterator[Wire]:
    """Everything that a wallet can meet."""
    facts = {"walletId": "w-1", "address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", "tag": "77001", "currencies": ["XRP"]}
    facts |= {"networks": ["XRP"], "customerId": "c-77", "kyc": True, "owner": OWNER}
    yield WalletRegistered.model_validate(facts)
    yield WalletRegistered.model_validate({**facts, "kyc": False})
    yield WalletRegistered.model_validate({**facts, "owner": {"natural": {"lastName": "Lund", "firstName": "Eva"}}})
    yield WalletRemoved(wallet_id="w-1")
    revision = getattr(state, "revision", 1)
    for number in (revision, revision - 1):
        for hits in ((), HITS):
            yield OwnerScreened(revision=number, owner="owner:one", lists="l-1", hits=hits)
    yield OwnerScreened(revision=revision, owner="owner:one", lists="l-2", hits=HITS)
    yield OwnerListed(hits=HITS)
    yield requested()


HITS = (ListedAs.model_validate({"list": "un", "entry": "1", "score": "0.97", "reason": "same name"}),)


def for_owner(_: Any) -> Iterator[Wire]:
    """Everything that an owner can meet."""
    yield OwnerHits(wallet="wallet:w-1", hits=HITS)
    yield OwnerHits(wallet="wallet:w-2", hits=HITS)
    yield OwnerHits(wallet="wallet:w-1", hits=())
    yield requested()


def for_disclosure(_: Any) -> Iterator[Wire]:
    """Everything that the record of who read a dead letter can meet."""
    yield DeadLetterShown(actor="ada@desk-1")
    yield DeadLetterShown(actor="grace")
    yield requested()


def for_directory(_: Any) -> Iterator[Wire]:
    """Everything that the entry of a VASP can meet."""
    up = DirectoryEntry(entity_id="south", alliance="code", country="SG", legal_name="South")
    down = up.model_copy(update={"health": "down"})
    moved = up.model_copy(update={"alliance": "other", "country": "DE", "legal_name": "Other"})
    for old, new in ((None, up), (up, down), (down, up), (up, moved), (up, None)):
        yield DirectoryChanged(entity_id="south", old=old, new=new)
    yield DirectoryChanged(entity_id="south", new=up, first_load=True)
    yield requested()


def for_arrival(_: Any) -> Iterator[Wire]:
    """Everything that the meeting place of a deposit and its report can meet."""
    what = {"currency": "XRP", "network": "XRP", "amount": "250.5"}
    report = {"counterparty": "north", "transfer_id": TRANSFER_ID}
    for exchange in (EXCHANGE, "exchange:east/1"):
        yield ArrivalReported.model_validate({**report, "exchange": exchange, **what})
        yield ArrivalWithdrawn(exchange=exchange)
    yield ArrivalReported.model_validate({**report, "exchange": EXCHANGE, **what, "amount": "1"})
    for deposit in ("d-1", "d-2"):
        for sighting in (1, 2):
            yield ArrivalSeen.model_validate({"deposit_id": deposit, "sighting": sighting, **what})
        yield ArrivalRetracted(deposit_id=deposit)
    yield requested()


def for_data_request(_: Any) -> Iterator[Wire]:
    """Everything that a data request can meet."""
    inner = {**ivms101(), "BeneficiaryVASP": {"beneficiaryVASP": legal("South Exchange Ltd.")}}
    asked = {name: inner[name] for name in ("Beneficiary", "BeneficiaryVASP")}
    south = SenderFacts(entity_id="south", alliance="code", country="SG")
    sent = WithdrawalFacts(subject="withdrawal:w-1", request=requested())
    base = DataRequestReceived(
        origin="code:south",
        entity_id="south",
        transfer_id=TRANSFER_ID,
        txid="AB" * 32,
        beneficiary_address="rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001",
        ivms101=asked,
        requester=south,
        withdrawals=(sent,),
    )
    yield base
    for changes in (
        {"withdrawals": ()},
        {"requester": None},
        {"ivms101": {}},
        {"withdrawals": (sent.model_copy(update={"kyc": False}),)},
        {"withdrawals": (WithdrawalFacts(subject="withdrawal:w-1"),)},
        {"withdrawals": (sent, sent.model_copy(update={"subject": "withdrawal:w-2"}))},
        {"txid": "CD" * 32},
        {"currency": "BTC"},
    ):
        yield base.model_copy(update=changes)
    yield requested()
