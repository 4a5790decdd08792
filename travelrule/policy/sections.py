"""The tables of the policy file: what an operator may choose, with the defaults."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

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


class Section(BaseModel):
    """A frozen table that refuses names it does not know: a misspelt rule must never be silently without effect."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Asset(Section):
    """One served currency. ``networks`` empty: every network. Names are compared without case."""

    enabled: bool = True
    networks: tuple[Symbol, ...] = ()


class Exemptions(Section):
    """Rules that allow a withdrawal without an exchange: the verdict is ``EXEMPT_<RULE>``.

    ``below_threshold``: the platform says ``isExceedingThreshold`` false. ``own_entity``: the destination is this VASP.
    """

    below_threshold: bool = False
    own_entity: bool = True


class Names(Section):
    """How names are compared for an inbound authorization (member-api.md section 3, ivms101.md section 5).

    ``apply_to``: ``flagged`` requires a beneficiary name only where the sender says ``isExceedingThreshold``; ``all``
    requires it on every transfer. ``representatives``: whether all registered representatives must be named.
    """

    apply_to: Literal["flagged", "all"] = "flagged"
    check_date_of_birth: bool = False
    first_party_only: bool = False
    representatives: Literal["all", "any"] = "all"
    accept_combinations: tuple[Combination, ...] = ALL_COMBINATIONS


class Searches(Section):
    """The search for the VASP behind an anonymous deposit.

    ``attempts``: how many searches are made for one deposit, the first one included (errors.md section 2: again once or
    twice). What the hub did not take is not counted.
    """

    attempts: Annotated[int, Field(ge=1, le=20)] = 3


class ChainCodes(Section):
    """The codes of one network name, in place of the built-in ones (screening.md 11); empty: it has no such code."""

    screening: str = ""
    kyt: str = ""
    unhosted: str = ""


class Screening(Section):
    """What is screened by the hub's providers, and how names are compared with the lists.

    ``withdrawals``: rate the destination's wallet before personal data leaves. ``deposits``: what a final deposit is
    rated by before it is allowed. ``name_threshold``: from which score on a listed name is a hit. ``cache_seconds``:
    how long one process uses a wallet's rating again. ``chains``: other codes for a network name.
    """

    withdrawals: Literal["off", "wallet"] = "off"
    deposits: tuple[Literal["transaction", "kyt"], ...] = ()
    name_threshold: Annotated[Decimal, Field(ge=Decimal("0.5"), le=1)] = Decimal("0.9")
    cache_seconds: Annotated[int, Field(ge=0, le=3_600)] = 300
    chains: Annotated[dict[Symbol, ChainCodes], BySymbol] = Field(default_factory=dict)


class TimeLimits(Section):
    """Seconds. Defaults: states.md section 5; the ones that no source gives are marked in their comment."""

    status_search_after: Seconds = 600
    """Beneficiary: a deposit is on chain and no txid report came."""
    status_search_every: Seconds = 600
    status_search_limit: Seconds = 3_600
    """Beneficiary: how long originators are asked before the sender is searched all the same; own choice."""
    search_poll: Annotated[int, Field(ge=11, le=3_600)] = 12
    """Between two questions for the result of a TXID or wallet search; more than 10 (hub-api.md P.1)."""
    search_limit: Seconds = 600
    """How long one search is waited for (flows.md 4)."""
    search_again: Seconds = 600
    """After a search that found nobody, while somebody could not be asked; own choice."""
    data_request: Seconds = 600
    """Beneficiary: how long a data request is waited for before it is sent again; own choice."""
    settlement: Seconds = 86_400
    """Beneficiary: a deposit was allowed and the platform does not say what became of it; own choice."""
    authorization_open: Seconds = 86_400
    """Beneficiary: an authorization has neither txid nor finish; then the originator is asked, then an alert."""
    conclusion: Seconds = 86_400
    """Originator: a verified exchange has neither an accepted report nor a finish; own choice. A report that was not
    accepted for a reason that may pass is made again after at most half of it."""
    unreachable_retry: Seconds = 300
    """How long after a counterparty could not be reached it is tried again; own choice."""
    unreachable_limit: Seconds = 86_400
    """How long that goes on before an operator must decide; own choice."""
    held_reminder: Seconds = 86_400
    """A case stands on hold: an alert every so often; own choice. The platform is reminded of a withdrawal at half of
    it, by the same verdict again."""
    screening: Seconds = 60
    """A wallet or a transaction is to be rated: until then it is tried again; own choice."""
    kyt_poll: Annotated[int, Field(ge=5, le=3_600)] = 7
    """Between two questions for a KYT report; 5 to 10 (screening.md 6)."""
    kyt_limit: Seconds = 600
    """How long a KYT report is waited for (screening.md 6)."""
    ownership: Seconds = 86_400
    """How long a customer has for the proof that a wallet is his own: the life of the token (hub-api.md 4.B.5)."""
    ownership_poll: Annotated[int, Field(ge=5, le=3_600)] = 30
    """Between two questions for the result of a proof; own choice."""
    parked: Seconds = 3_600
    """An input waits for its subject: then an alert; own choice."""
    list_age: Seconds = 604_800
    """How old a sanctions list may be (since its publication, or since its import where it is not dated): then an
    alert; own choice."""


Days = Annotated[int, Field(strict=True, ge=0, le=36_500)]


class Retention(Section):
    """For how many days what was dealt with is kept; 0: for ever.

    ``subjects``: after the last thing that happened to a concluded withdrawal, exchange, deposit and so on, its content
    is erased; most laws want it for at least 5 years (1825 days; FATF Recommendation 11). ``searches``: callback
    addresses of searches. ``events``: outgoing events that Kafka confirmed. ``dead_letters``: after they were replayed,
    or failed.
    """

    subjects: Days = 0
    searches: Days = 0
    events: Days = 0
    dead_letters: Days = 0


SUBJECT_DAYS_MIN = 30
"""Re-organisations, late reports and repeated deliveries are over by then; own choice."""

OperatorLimits = Annotated[dict[Symbol, Annotated[Decimal, Field(ge=0)]], BySymbol]
Assets = Annotated[dict[Symbol, Asset], BySymbol]
ReportMoments = Annotated[dict[Symbol, ReportMoment], BySymbol]
