"""The file that describes a network: hub, members, coins (contract section 5 without the sandbox's part).

Field names are those of the world file, so that one file of real members serves both ``travelrule hub`` and the
sandbox.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator

from schemas.moments import read_time, time_text
from travelrule.crypto.errors import CryptoError
from travelrule.crypto.sealing import exchange_public
from travelrule.crypto.signing import SigningKey
from travelrule.hub.members.member import HUB_ALLIANCE, HUB_ENTITY, Member, MemberKey
from travelrule.hub.spec_files import FileSpec

_MAKE_ONE = "make one with `travelrule keys generate`"
HUB_KEY_EXPIRES = datetime(2099, 1, 1, tzinfo=UTC)


def _public_key(text: str) -> str:
    try:
        exchange_public(text)
    except CryptoError:
        raise ValueError(f"must be an Ed25519 public key, base64: {_MAKE_ONE}") from None
    return text


def _seed(secret: SecretStr) -> SecretStr:
    try:
        SigningKey.from_base64(secret.get_secret_value())
    except CryptoError:
        raise ValueError(f"must be base64 of 32 bytes: {_MAKE_ONE}") from None
    return secret


def _base_url(text: str) -> str:
    if not text.startswith(("http://", "https://")) or not text.partition("://")[2].strip("/"):
        raise ValueError("must be the root URL of the member's server, such as http://127.0.0.1:8082")
    return text.rstrip("/")


EntityId = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,128}$")]
Seed = Annotated[SecretStr, AfterValidator(_seed), Field(examples=["kFW2RN0w/4hp/HJRRdVyzwCjxRncCnrsUn1a/7fxTRc="])]
Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
SomeSeconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


class KeySpec(FileSpec):
    """A registered public key."""

    pubkey: Annotated[
        str, AfterValidator(_public_key), Field(examples=["wR1Gtiixh2GuBQuki01oJuZ4znqwK/MgXYFwt8g+I+s="])
    ]
    """Ed25519 public key, base64 of 32 bytes, as `travelrule keys show` prints it on the member's machine."""
    expires_at: Annotated[str, Field(max_length=64, examples=["2031-01-01T00:00:00Z"])] = ""
    """Until when the key is valid, ISO 8601. A text that is no time means that no expiry is known."""

    def key(self) -> MemberKey:
        """Return the key for the directory."""
        return MemberKey(self.pubkey, self.expires_at, read_time(self.expires_at))


class MemberSpec(FileSpec):
    """A member of the network: who it is, its keys, and where its server is."""

    vasp_entity_id: Annotated[EntityId, Field(examples=["south"])]
    """Its entity id; each member has its own. It is the member's `TRAVELRULE_VASP_ENTITY_ID`."""
    vasp_legal_name: Annotated[str, Field(min_length=1, max_length=100, examples=["South Exchange Ltd."])]
    """Its legal name in the VASP list."""
    country_of_registration: Annotated[str, Field(pattern=r"^[A-Z]{2}$", examples=["SG"])]
    """Where it is registered, ISO 3166-1 alpha-2."""
    alliance_name: Annotated[str, Field(pattern=r"^[^\s:]{1,50}$", examples=["code"])] = "code"
    """The network that it belongs to; `code` is the hub's own. Before the colon of its `TRAVELRULE_VASP_ORIGIN`."""
    pubkeys: Annotated[tuple[KeySpec, ...], Field(max_length=20)] = ()
    """Its registered public keys. A real member needs one that it signs with."""
    base_url: Annotated[str, AfterValidator(_base_url), Field(examples=["http://127.0.0.1:8082"])] | None = None
    """Root under which the hub reaches the member's gateway: its `TRAVELRULE_GATEWAY_LISTEN`, or the proxy before it.
    Without it the member is listed and unreachable."""

    @model_validator(mode="after")
    def _is_not_the_hub(self) -> Self:
        if self.vasp_entity_id == HUB_ENTITY:
            raise ValueError(f"{HUB_ENTITY} is the hub itself: give the member another vaspEntityId")
        return self

    @model_validator(mode="after")
    def _has_keys(self) -> Self:
        if not self.pubkeys and self._needs_keys():
            raise ValueError("has no pubkeys: add the public key that `travelrule keys generate` printed")
        return self

    def _needs_keys(self) -> bool:
        return True

    def member(self) -> Member:
        """Return the member for the directory."""
        return Member(
            entity_id=self.vasp_entity_id,
            legal_name=self.vasp_legal_name,
            country=self.country_of_registration,
            alliance=self.alliance_name,
            pubkeys=tuple(spec.key() for spec in self.pubkeys),
            base_url=self.base_url or "",
        )


class NetworkSpec(FileSpec):
    """One network of a coin, as 4.A.3 lists it."""

    network: Annotated[str, Field(min_length=1, max_length=50, examples=["XRP"])]
    """The network's name, as events and requests give it."""
    address_example: Annotated[str, Field(examples=["r..."])] = ""
    """What an address looks like; only passed on."""
    tx_id_example: Annotated[str, Field(examples=["9F1C..."])] = ""
    """What a transaction id looks like; only passed on."""


class CoinSpec(FileSpec):
    """A coin with its networks."""

    coin: Annotated[str, Field(min_length=1, max_length=50, examples=["XRP"])]
    """The currency's symbol."""
    network_list: tuple[NetworkSpec, ...]
    """The networks that it is sent on."""


class HubSpec(FileSpec):
    """The hub itself, the entity `codevasp`."""

    seed: Seed | None = None
    """Seed of its own key, base64 of 32 bytes. Without it the key is another one at each start."""

    def own_key(self) -> SigningKey | None:
        """Return the key of ``seed``, if there is one."""
        return SigningKey.from_base64(self.seed.get_secret_value()) if self.seed else None


class HubLimits(FileSpec):
    """Times and limits of a hub."""

    hub: HubSpec = HubSpec()
    """The hub itself."""
    coin_networks: tuple[CoinSpec, ...] = ()
    """The table of coins and their networks. Without a row for it, a coin is not sent; an empty table decides
    nothing."""
    rate_limit_per_minute: Annotated[int, Field(ge=0, examples=[40])] = 40
    """Requests of the limited operations that one source address may make in a minute; 0: no limit."""
    member_timeout_seconds: Annotated[SomeSeconds, Field(examples=[10])] = 10
    """How long a member may take to answer what the hub forwards; afterwards the caller reads 408."""
    member_search_seconds: Annotated[SomeSeconds, Field(examples=[1])] = 1
    """How long a member may take to answer a search."""
    health_interval_seconds: Annotated[SomeSeconds, Field(examples=[30])] = 30
    """How often each member's health is asked for: how soon the VASP list says `up` or `down`."""
    time_tolerance_seconds: Annotated[SomeSeconds, Field(examples=[300])] = 300
    """How far a caller's clock may be off."""
    kyt_request_seconds: Annotated[SomeSeconds, Field(examples=[86400])] = 86_400
    """How long the report of a KYT search is served."""
    lenient_time: bool = False
    """Whether the time of requests is not checked at all."""
    allow_http_callbacks: bool = False
    """For tests: whether callback URLs (`TRAVELRULE_PUBLIC_URL` of members) may be plain HTTP, and lead to the machine
    of the hub or to private networks."""

    @property
    def tolerance_seconds(self) -> float | None:
        """How far a caller's clock may be off; None in lenient mode."""
        return None if self.lenient_time else self.time_tolerance_seconds

    def coin_network_answer(self, now: datetime) -> dict[str, Any]:
        """Return the answer of 4.A.3."""
        coins = [coin.model_dump(by_alias=True) for coin in self.coin_networks]
        return {"updatedDateTime": time_text(now), "coinNetworks": coins}


class NetworkFile(HubLimits):
    """What ``travelrule hub`` serves."""

    members: tuple[MemberSpec, ...] = ()
    """The members of the network, besides the hub itself."""

    @model_validator(mode="after")
    def _members_differ(self) -> Self:
        check_distinct(member.vasp_entity_id for member in self.members)
        return self


def check_distinct(entity_ids: Iterable[str]) -> None:
    """Raise ``ValueError`` if an entity id is listed twice."""
    seen: set[str] = set()
    for entity_id in entity_ids:
        if entity_id in seen:
            raise ValueError(f"members name {entity_id} twice: give each member its own vaspEntityId")
        seen.add(entity_id)


def hub_member(key: SigningKey) -> Member:
    """Return the hub's entry in the list (auth.md section 7)."""
    expires = MemberKey(key.public_base64, time_text(HUB_KEY_EXPIRES), HUB_KEY_EXPIRES)
    return Member(HUB_ENTITY, "Travel Rule hub", "KR", HUB_ALLIANCE, (expires,))
