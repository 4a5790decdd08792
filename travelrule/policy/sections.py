"""The tables of the policy file: what an operator may choose, with the defaults."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from schemas.texts import TradeCurrency

ReportMoment = Literal["broadcast", "mined", "final"]
Combination = Literal["natural-to-natural", "natural-to-legal", "legal-to-natural", "legal-to-legal"]
ALL_COMBINATIONS: tuple[Combination, ...] = (
    "natural-to-natural",
    "natural-to-legal",
    "legal-to-natural",
    "legal-to-legal",
)

Seconds = Annotated[int, Field(ge=1, le=31_536_000)]


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _upper_keys(value: object) -> object:
    return {_upper(key): item for key, item in value.items()} if isinstance(value, dict) else value


Symbol = Annotated[str, Field(min_length=1, max_length=40), BeforeValidator(_upper)]
BySymbol = BeforeValidator(_upper_keys)


class PolicyTable(BaseModel):
    """A frozen table that refuses unknown names: a misspelt rule must not be without effect silently."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, use_attribute_docstrings=True)


class Asset(PolicyTable):
    """One served currency. Names are compared without case."""

    enabled: bool = True
    """Whether it is sent and received at all."""
    networks: tuple[Symbol, ...] = ()
    """On which networks; empty: on every one."""


class Exemptions(PolicyTable):
    """Rules that allow a withdrawal without an exchange: the verdict is ``EXEMPT_<RULE>``. Nothing is exempt from the
    sanctions lists.
    """

    below_threshold: bool = False
    """``isExceedingThreshold`` of the event is false, and the value is below our threshold for its currency
    (``[thresholds]``), if there is one."""
    own_entity: bool = True
    """The destination is this VASP."""


class NameRules(PolicyTable):
    """How names are compared for an inbound authorization and for received data (member-api.md section 3, ivms101.md
    section 5).
    """

    apply_to: Literal["flagged", "all"] = "flagged"
    """``flagged`` requires a beneficiary name only where ``isExceedingThreshold`` is true or our threshold is
    reached; ``all`` requires it on every transfer."""
    check_date_of_birth: bool = False
    """Whether a date of birth that was sent must be the owner's."""
    first_party_only: bool = False
    """Only transfers between accounts of one and the same person are accepted."""
    first_party_withdrawals: bool = False
    """Only withdrawals whose originator and beneficiary are one and the same person are sent; for an unhosted wallet
    the proof of ownership shows it."""
    representatives: Literal["all", "any"] = "all"
    """Whether all registered representatives of a company must be named, or any."""
    accept_combinations: tuple[Combination, ...] = ALL_COMBINATIONS
    """From which to which kind of person transfers are accepted."""


class AnswerChecks(PolicyTable):
    """Checks of the answer to an authorization besides the accounts of the request and its ``transferId``, which are
    always compared.
    """

    complete: bool = True
    """Whether a verified answer holds all four IVMS101 objects (``BeneficiaryVASP`` inside the payload or outside)."""
    names: bool = True
    """Whether the originator's names and the originating VASP's name are the ones that were sent."""


class Answers(PolicyTable):
    """Exceptions for counterparties whose answers leave out what binds them to a request (``[answers]``)."""

    vasps: dict[str, AnswerChecks] = Field(default_factory=dict)
    """By entity id; takes precedence over the network's."""
    alliances: Annotated[dict[Symbol, AnswerChecks], BySymbol] = Field(default_factory=dict)
    """By network (``allianceName``), compared without case."""

    def checks(self, entity_id: str, alliance: str | None) -> AnswerChecks:
        """Return the checks of a counterparty's answers."""
        return self.vasps.get(entity_id) or self.alliances.get((alliance or "").upper()) or AnswerChecks()


class SearchLimits(PolicyTable):
    """The search for the VASP behind an anonymous deposit."""

    attempts: Annotated[int, Field(ge=1, le=20)] = 3
    """How many searches are made for one deposit, the first one included (errors.md section 2: again once or twice).
    Searches that the hub did not accept are not counted."""


class PolicyChainCodes(PolicyTable):
    """The codes of one network name, in place of the built-in ones (screening.md 11); empty: it has no such code."""

    screening: str = ""
    """For wallet and transaction screening (4.B.1, 4.B.2)."""
    kyt: str = ""
    """For KYT (4.B.3)."""
    unhosted: str = ""
    """For the proof of ownership (4.B.5)."""


class Screening(PolicyTable):
    """What is screened by the hub's providers, and how names are compared with the lists."""

    withdrawals: Literal["off", "wallet"] = "off"
    """Whether the destination's wallet is rated before personal data leaves."""
    deposits: tuple[Literal["transaction", "kyt"], ...] = ()
    """What a final deposit is rated by before it is allowed."""
    name_threshold: Annotated[Decimal, Field(ge=Decimal("0.5"), le=1)] = Decimal("0.9")
    """From which score on a listed name is a hit."""
    cache_seconds: Annotated[int, Field(ge=0, le=3_600)] = 300
    """How long one process uses a wallet's rating again."""
    chains: Annotated[dict[Symbol, PolicyChainCodes], BySymbol] = Field(default_factory=dict)
    """Other codes for a network name."""


class TimeLimits(PolicyTable):
    """Seconds. Defaults: states.md section 5; the ones that no source gives are marked as own choice."""

    verdict: Seconds = 60
    """Within which time a withdrawal or a deposit gets its first verdict; own choice. It decides nothing: verdicts are
    counted by whether they came in time."""
    status_search_after: Seconds = 600
    """Beneficiary: a deposit is on chain and no txid report came."""
    status_search_every: Seconds = 600
    """Beneficiary: between two questions to the originators that may have sent it."""
    status_search_limit: Seconds = 3_600
    """Beneficiary: how long originators are asked before the sender is searched; own choice."""
    search_poll: Annotated[int, Field(ge=11, le=3_600)] = 12
    """Between two questions for the result of a TXID or wallet search; more than 10 (hub-api.md P.1)."""
    search_limit: Seconds = 600
    """How long one search is waited for (flows.md 4)."""
    search_again: Seconds = 600
    """After a search without result in which a VASP did not answer; own choice."""
    data_request: Seconds = 600
    """Beneficiary: how long a data request is waited for before it is sent again; own choice."""
    settlement: Seconds = 86_400
    """Beneficiary: a deposit was allowed and the platform does not settle it; own choice."""
    authorization_open: Seconds = 86_400
    """Beneficiary: an authorization has neither txid nor finish; then the originator is asked, then an alert."""
    conclusion: Seconds = 86_400
    """Originator: a verified exchange has neither an accepted report nor a finish; own choice. A report that was not
    accepted for a transient reason is made again after at most half of it."""
    unreachable_retry: Seconds = 300
    """How long after a counterparty could not be reached it is tried again; own choice."""
    unreachable_limit: Seconds = 86_400
    """How long that goes on before an operator must decide; own choice."""
    held_reminder: Seconds = 86_400
    """Between two alerts about a case on hold; own choice. The verdict on a withdrawal is repeated to the platform at
    half of it."""
    screening: Seconds = 60
    """A wallet or a transaction is to be rated: until then it is tried again; own choice."""
    kyt_poll: Annotated[int, Field(ge=5, le=3_600)] = 7
    """Between two questions for a KYT report; 5 to 10 (screening.md 6)."""
    kyt_limit: Seconds = 600
    """How long a KYT report is waited for (screening.md 6)."""
    ownership: Seconds = 86_400
    """How long a customer has for the proof of ownership: the life of the token (hub-api.md 4.B.5)."""
    ownership_poll: Annotated[int, Field(ge=5, le=3_600)] = 30
    """Between two questions for the result of a proof; own choice."""
    parked: Seconds = 3_600
    """An input waits for its subject: then an alert; own choice."""
    list_age: Seconds = 604_800
    """How old a sanctions list may be (since its publication, or since its import where it is not dated): then an
    alert; own choice."""


FiatAmounts = Annotated[dict[TradeCurrency, Annotated[Decimal, Field(ge=0)]], BySymbol]
"""An amount for some of the currencies that ``tradePrice`` may be in (hub-api.md 4.A.5)."""
Days = Annotated[int, Field(strict=True, ge=0, le=36_500)]


class RetentionDays(PolicyTable):
    """Days for which concluded content is kept; 0: indefinitely."""

    subjects: Days = 0
    """Concluded withdrawals, exchanges, deposits and so on, after the last thing that happened to them: then their
    content is erased. Most laws want it for at least 5 years (1825 days; FATF Recommendation 11)."""
    searches: Days = 0
    """The callback addresses of searches."""
    events: Days = 0
    """Outgoing events that Kafka confirmed."""
    dead_letters: Days = 0
    """Dead letters, after they were replayed, or failed."""


SUBJECT_DAYS_MIN = 30
"""Re-organisations, late reports and repeated deliveries are over by then; own choice."""

Assets = Annotated[dict[Symbol, Asset], BySymbol]
Omission = Literal["date-of-birth", "representative"]
"""Data that a transfer may lack by the operator's choice: the originator's date of birth, a company's
representative."""
ReportMoments = Annotated[dict[Symbol, ReportMoment], BySymbol]
