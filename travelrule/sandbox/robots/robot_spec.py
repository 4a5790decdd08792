"""Members that the sandbox plays: how they answer, whose wallets they hold, what they sent (contract section 5)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, PlainValidator, ValidationError, model_validator

from schemas.events.persons import Person
from schemas.field_faults import field_faults
from schemas.texts import TradeCurrency
from travelrule.hub.members.network_file import Seed
from travelrule.hub.spec_files import FileSpec

Answers = Literal["verified", "denied", "late", "never", "garbage"]
DataBehaviour = Literal["answer", "refuse", "lie-amount", "lie-name", "late"]
Reason = Literal[
    "",
    "NOT_FOUND_ADDRESS",
    "NOT_SUPPORTED_SYMBOL",
    "NOT_KYC_USER",
    "SANCTION_LIST",
    "LACK_OF_INFORMATION",
    "UNKNOWN",
    "INPUT_NAME_MISMATCHED",
    "DOB_MISMATCHED",
    "NOT_FOUND_TXID",
]
_DATA_REASONS = ("NOT_FOUND_TXID", "LACK_OF_INFORMATION", "UNKNOWN")


def _person(value: Any) -> Person:
    # The faults of the schema become one sentence at the person's place in the file.
    try:
        return Person.model_validate(value)
    except ValidationError as error:
        told = "; ".join(f"{fault.path or 'owner'}: {fault.fix}" for fault in field_faults(error))
        raise ValueError(told) from None


def _maybe_person(value: Any) -> Person | None:
    return None if value is None else _person(value)


def _amount(text: str) -> str:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal(0)
    if not number.is_finite() or number <= 0:
        raise ValueError('must be a decimal number in quotes, such as "250.5"')
    return text


_ANNA = {"natural": {"lastName": "Berg", "firstName": "Anna"}}
PersonSpec = Annotated[Any, PlainValidator(_person, json_schema_input_type=Person), Field(examples=[_ANNA])]
MaybePersonSpec = Annotated[
    Any, PlainValidator(_maybe_person, json_schema_input_type=Person | None), Field(examples=[_ANNA])
]
Amount = Annotated[str, AfterValidator(_amount), Field(examples=["250.5"])]
Name = Annotated[str, Field(min_length=1, max_length=300)]


class WalletSpec(FileSpec):
    """A deposit address of a robot's customer."""

    address: Annotated[Name, Field(examples=["1KzHK8WMRHRCvRjUV5PFny3v6fqT3UAY5K"])]
    """The address on chain."""
    tag: Annotated[str, Field(examples=["77001"])] = ""
    """Destination tag or memo, where the chain has one."""
    currency: Annotated[Name, Field(examples=["BTC"])]
    """The currency's symbol."""
    network: Annotated[str, Field(examples=["BTC"])] = ""
    """The network; robots do not compare it."""
    kyc: bool = True
    """Whether the robot knows who its customer is; else it answers `NOT_KYC_USER`."""
    owner: PersonSpec
    """Whose address it is: a person as in events."""

    @property
    def person(self) -> Person:
        """The customer as a person of the schema."""
        assert isinstance(self.owner, Person)  # noqa: S101 -- made so by the validator
        return self.owner


class WithdrawalSpec(FileSpec):
    """A withdrawal that a robot's customer made; TXID searches and data requests find it."""

    txid: Annotated[Name, Field(examples=["9F1C77D2A0"])]
    """The transaction."""
    address: Annotated[Name, Field(examples=["rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"])]
    """Where it went, with `:TAG` behind it where the chain has tags."""
    currency: Annotated[Name, Field(examples=["XRP"])]
    """The currency's symbol."""
    network: Annotated[str, Field(examples=["XRP"])] = ""
    """The network; empty: any that a request names."""
    amount: Amount
    """The amount on chain, a decimal number in quotes."""
    trade_price: Annotated[Amount, Field(examples=["150.30"])] = "1"
    """Its value in `tradeCurrency`, a decimal number in quotes."""
    trade_currency: Annotated[TradeCurrency, Field(examples=["USD"])] = "USD"
    """Fiat currency of `tradePrice`, ISO 4217."""
    exceeds_threshold: bool = True
    """What the robot says in `isExceedingThreshold`."""
    account_number: Annotated[Name, Field(examples=["robot-customer"])] = "robot-customer"
    """The customer's account number at the robot."""
    kyc: bool = True
    """Whether the robot knows who its customer is."""
    originator: MaybePersonSpec
    """The customer: a person as in events; null only with `kyc` false."""
    beneficiary: MaybePersonSpec = None
    """Whom the customer meant to pay, if the robot knows: a data request for anybody else is refused."""

    @model_validator(mode="after")
    def _somebody_sent_it(self) -> Self:
        if self.originator is None and self.kyc:
            raise ValueError("a withdrawal without originator needs kyc false: who has KYC has a name")
        return self

    @property
    def sender(self) -> Person | None:
        """The customer who sent, as a person of the schema."""
        return self.originator if isinstance(self.originator, Person) else None

    @property
    def payee(self) -> Person | None:
        """The person that the customer meant to pay, if known."""
        return self.beneficiary if isinstance(self.beneficiary, Person) else None


class RobotSpec(FileSpec):
    """A member that the sandbox plays. What is not said here is answered as a real VASP would; faults disturb it.

    One of an affiliated network (`allianceName` not `code`) tells no originator data but verifies what a request says
    of the originator; one whose `allianceName` begins with `GTR` wants what that network wants.
    """

    seed: Seed | None = None
    """Seed of its key, base64 of 32 bytes. Without it the key is another one at each start."""
    answers: Answers = "verified"
    """How it answers an authorization (M2): `verified` and `denied` (with `reasonType`) after an honest examination,
    `late` the same after `delaySeconds`, `garbage` acts and answers what cannot be read, `never` neither acts nor
    answers."""
    reason_type: Reason = ""
    """Why it denies an authorization or refuses a data request."""
    delay_seconds: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False, examples=[2])] = 0
    """How late `late` is."""
    wallets: tuple[WalletSpec, ...] = ()
    """Its customers' addresses. Without any it owns every address and accepts every name, but no wallet search finds
    it."""
    withdrawals: tuple[WithdrawalSpec, ...] = ()
    """What its customers sent."""
    data_request: DataBehaviour = "answer"
    """How it answers a data request (M7): `answer` and `late` (after `delaySeconds`) honestly, `refuse` with
    `reasonType`, `lie-amount` with another amount, `lie-name` with another beneficiary."""
    claims: Annotated[tuple[Name, ...], Field(examples=[["9F1C77D2A0"]])] = ()
    """Transactions that it says it sent, to any address, although it did not (M6)."""
    search_delay_seconds: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False, examples=[0.5])] = 0
    """How long it takes to answer a TXID search."""
    credits_at_once: bool = False
    """Whether it credits a customer when the txid is reported; a finish is then `ILLEGAL_STATEFLOW`."""
    health: Literal["up", "down"] = "up"
    """What it says of itself when its health is asked for."""

    @model_validator(mode="after")
    def _answers_fit(self) -> Self:
        if self.answers == "denied" and not self.reason_type:
            raise ValueError("a robot that answers denied needs a reasonType, such as NOT_KYC_USER")
        if self.data_request == "refuse" and self.reason_type not in _DATA_REASONS:
            raise ValueError(f"a robot that refuses data requests needs a reasonType of {', '.join(_DATA_REASONS)}")
        if "late" in (self.answers, self.data_request) and not self.delay_seconds:
            raise ValueError("a robot that answers late needs delaySeconds above 0")
        return self
