"""The world file: what the sandbox's network consists of (contract section 5)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator

from schemas.faults import field_faults
from schemas.persons import Person
from schemas.text import TradeCurrency
from travelrule.crypto.signing import SigningKey
from travelrule.hub.documents import Spec, parse, read_document
from travelrule.hub.network_file import HubLimits, MemberSpec, Seed, SomeSeconds, check_distinct
from travelrule.sandbox.screening_spec import ScreeningSpec

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
    # The schemas room words its own faults; here they become one sentence at the person's place in the file.
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


PersonSpec = Annotated[Any, AfterValidator(_person)]
MaybePersonSpec = Annotated[Any, AfterValidator(_maybe_person)]
Amount = Annotated[str, AfterValidator(_amount)]
Name = Annotated[str, Field(min_length=1, max_length=300)]


class WalletSpec(Spec):
    """A deposit address of a robot's customer."""

    address: Name
    tag: str = ""
    currency: Name
    network: str = ""
    kyc: bool = True
    owner: PersonSpec

    @property
    def person(self) -> Person:
        """The customer, as the schemas room models persons."""
        assert isinstance(self.owner, Person)  # noqa: S101 -- made so by the validator
        return self.owner


class WithdrawalSpec(Spec):
    """A withdrawal that a robot's customer made; TXID searches and data requests find it.

    ``address`` may end in ``:tag``. ``beneficiary`` is whom the customer meant to pay, if the robot knows: a
    data request for anybody else is refused. A customer without KYC (``kyc`` false) may have no identity data
    at all: ``originator`` is null then.
    """

    txid: Name
    address: Name
    currency: Name
    network: str = ""
    amount: Amount
    trade_price: Amount = "1"
    trade_currency: TradeCurrency = "USD"
    exceeds_threshold: bool = True
    account_number: Name = "robot-customer"
    kyc: bool = True
    originator: MaybePersonSpec
    beneficiary: MaybePersonSpec = None

    @model_validator(mode="after")
    def _somebody_sent_it(self) -> Self:
        if self.originator is None and self.kyc:
            raise ValueError("a withdrawal without originator needs kyc false: who has KYC has a name")
        return self

    @property
    def sender(self) -> Person | None:
        """The customer who sent, as the schemas room models persons."""
        return self.originator if isinstance(self.originator, Person) else None

    @property
    def payee(self) -> Person | None:
        """The person that the customer meant to pay, if known."""
        return self.beneficiary if isinstance(self.beneficiary, Person) else None


class RobotSpec(Spec):
    """A member that the sandbox plays.

    ``answers`` says how it answers an authorization (M2): ``verified`` and ``denied`` (with ``reasonType``)
    after an honest examination, ``late`` the same after ``delaySeconds``, ``garbage`` acts and answers what
    cannot be read, ``never`` neither acts nor answers.

    ``dataRequest`` says how it answers a data request (M7): ``answer`` and ``late`` honestly (``late`` after
    ``delaySeconds``), ``refuse`` with ``reasonType`` what it could answer, ``lie-amount`` with another amount,
    ``lie-name`` with another beneficiary. ``claims`` are txids that it says it sent, to whatever address,
    although it did not (M6); ``searchDelaySeconds`` is how long it takes to answer a TXID search. A robot of an
    affiliated network (``allianceName`` not ``code``) does not tell originator data but verifies what the
    request says of the originator; one whose ``allianceName`` begins with GTR wants what GTR wants
    (ivms101.md section 7).

    All other endpoints are answered as a real VASP would; faults disturb them. Without ``wallets`` it owns
    every address and accepts every name, but no wallet search finds it. ``creditsAtOnce`` makes it credit a
    customer when the txid is reported, after which a finish is ``ILLEGAL_STATEFLOW``. ``health`` is what it
    tells of itself.
    """

    seed: Seed | None = None
    answers: Answers = "verified"
    reason_type: Reason = ""
    delay_seconds: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 0
    wallets: tuple[WalletSpec, ...] = ()
    withdrawals: tuple[WithdrawalSpec, ...] = ()
    data_request: DataBehaviour = "answer"
    claims: tuple[Name, ...] = ()
    search_delay_seconds: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 0
    credits_at_once: bool = False
    health: Literal["up", "down"] = "up"

    @model_validator(mode="after")
    def _answers_fit(self) -> Self:
        if self.answers == "denied" and not self.reason_type:
            raise ValueError("a robot that answers denied needs a reasonType, such as NOT_KYC_USER")
        if self.data_request == "refuse" and self.reason_type not in _DATA_REASONS:
            raise ValueError(f"a robot that refuses data requests needs a reasonType of {', '.join(_DATA_REASONS)}")
        if "late" in (self.answers, self.data_request) and not self.delay_seconds:
            raise ValueError("a robot that answers late needs delaySeconds above 0")
        return self


class WorldMember(MemberSpec):
    """A member of the sandbox: real (``baseUrl``), a robot, or neither and then unreachable."""

    seed: Seed | None = None
    robot: RobotSpec | None = None

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        if self.robot is not None and self.base_url is not None:
            raise ValueError("has both baseUrl and robot: keep one")
        if self.robot is None and self.seed is not None:
            raise ValueError("only robots have a seed here: give the pubkeys of a real member")
        if self.robot is not None and self.pubkeys and self.robot_seed is None:
            raise ValueError("a robot with pubkeys needs the seed they belong to: add it, or remove pubkeys")
        if self.pubkeys and self.robot_seed is not None:
            own = SigningKey.from_base64(self.robot_seed.get_secret_value()).public_base64
            if own not in {key.pubkey for key in self.pubkeys}:
                raise ValueError("pubkeys do not hold the public key of the seed: add it, or remove pubkeys")
        return self

    def _needs_keys(self) -> bool:
        return self.robot is None and self.base_url is not None

    @property
    def robot_seed(self) -> SecretStr | None:
        """The seed of a robot, wherever the file gives it."""
        return self.seed or (self.robot.seed if self.robot else None)


class World(HubLimits):
    """A whole world."""

    members: tuple[WorldMember, ...] = ()
    screening: ScreeningSpec = ScreeningSpec()
    rate_limit_per_minute: Annotated[int, Field(ge=0)] = 0
    health_interval_seconds: SomeSeconds = 30
    kyt_request_seconds: SomeSeconds = 300

    @model_validator(mode="after")
    def _members_differ(self) -> Self:
        check_distinct(member.vasp_entity_id for member in self.members)
        return self

    @model_validator(mode="after")
    def _unregistered_are_members(self) -> Self:
        strangers = set(self.screening.kyt_unregistered) - {member.vasp_entity_id for member in self.members}
        if strangers:
            raise ValueError(f"screening.kytUnregistered names {min(strangers)}, which is no member: add it to members")
        return self


def parse_world(content: Any, name: str = "world") -> World:
    """Read a parsed world file. Raises ``ConfigurationError`` with every fault at once."""
    return parse(World, content, name)


def load_world(path: Path) -> World:
    """Read a world file, JSON or TOML. Raises ``ConfigurationError`` with every fault at once."""
    return parse_world(read_document(path), path.name)
