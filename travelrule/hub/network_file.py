"""The file that describes a network: hub, members, coins (contract section 5 without the sandbox's part).

Field names are those of the world file, so a file of real members serves ``travelrule hub`` and the sandbox
alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator

from schemas.text import read_time, time_text
from travelrule.crypto.errors import CryptoError
from travelrule.crypto.sealing import exchange_public
from travelrule.crypto.signing import SigningKey
from travelrule.hub.documents import Spec
from travelrule.hub.members import HUB_ALLIANCE, HUB_ENTITY, Member, MemberKey

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
Seed = Annotated[SecretStr, AfterValidator(_seed)]
Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
SomeSeconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


class KeySpec(Spec):
    """A registered public key. An expiry that is no date means that none is known (D35)."""

    pubkey: Annotated[str, AfterValidator(_public_key)]
    expires_at: Annotated[str, Field(max_length=64)] = ""

    def key(self) -> MemberKey:
        """Return the key as the directory holds it."""
        return MemberKey(self.pubkey, self.expires_at, read_time(self.expires_at))


class MemberSpec(Spec):
    """A member: who it is, its keys, and where its server is.

    Without ``baseUrl`` it is known but unreachable.
    """

    vasp_entity_id: EntityId
    vasp_legal_name: Annotated[str, Field(min_length=1, max_length=100)]
    country_of_registration: Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
    alliance_name: Annotated[str, Field(pattern=r"^[^\s:]{1,50}$")] = "code"
    pubkeys: Annotated[tuple[KeySpec, ...], Field(max_length=20)] = ()
    base_url: Annotated[str, AfterValidator(_base_url)] | None = None

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
        """Return the member as the directory holds it."""
        return Member(
            entity_id=self.vasp_entity_id,
            legal_name=self.vasp_legal_name,
            country=self.country_of_registration,
            alliance=self.alliance_name,
            pubkeys=tuple(spec.key() for spec in self.pubkeys),
            base_url=self.base_url or "",
        )


class NetworkSpec(Spec):
    """One network of a coin, as 4.A.3 lists it."""

    network: Annotated[str, Field(min_length=1, max_length=50)]
    address_example: str = ""
    tx_id_example: str = ""


class CoinSpec(Spec):
    """A coin with its networks."""

    coin: Annotated[str, Field(min_length=1, max_length=50)]
    network_list: tuple[NetworkSpec, ...]


class HubSpec(Spec):
    """The hub itself: its key is made at each start unless ``seed`` is given."""

    seed: Seed | None = None

    def own_key(self) -> SigningKey | None:
        """Return the key of the file, if there is one."""
        return SigningKey.from_base64(self.seed.get_secret_value()) if self.seed else None


class HubLimits(Spec):
    """Times and limits of a hub.

    ``lenientTime`` switches the check of ``X-Code-Req-Datetime`` off (auth.md 5). ``memberSearchSeconds`` is
    what a member gets to answer a search, ``kytRequestSeconds`` how long the report of a KYT search is served.
    ``allowHttpCallbacks`` is for tests: callback URLs may point to the hub's own machine, by plain HTTP too.
    """

    hub: HubSpec = HubSpec()
    coin_networks: tuple[CoinSpec, ...] = ()
    rate_limit_per_minute: Annotated[int, Field(ge=0)] = 40
    member_timeout_seconds: SomeSeconds = 10
    member_search_seconds: SomeSeconds = 1
    health_interval_seconds: SomeSeconds = 30
    time_tolerance_seconds: SomeSeconds = 300
    kyt_request_seconds: SomeSeconds = 86_400
    lenient_time: bool = False
    allow_http_callbacks: bool = False

    @property
    def tolerance_seconds(self) -> float | None:
        """How far a caller's clock may be off; nothing in lenient mode."""
        return None if self.lenient_time else self.time_tolerance_seconds

    def coin_network_answer(self, now: datetime) -> dict[str, Any]:
        """Return the answer of 4.A.3."""
        coins = [coin.model_dump(by_alias=True) for coin in self.coin_networks]
        return {"updatedDateTime": time_text(now), "coinNetworks": coins}


class NetworkFile(HubLimits):
    """What ``travelrule hub`` serves."""

    members: tuple[MemberSpec, ...] = ()

    @model_validator(mode="after")
    def _members_differ(self) -> Self:
        check_distinct(member.vasp_entity_id for member in self.members)
        return self


def check_distinct(entity_ids: Iterable[str]) -> None:
    """Raise ``ValueError`` if an entity id comes twice."""
    seen: set[str] = set()
    for entity_id in entity_ids:
        if entity_id in seen:
            raise ValueError(f"members name {entity_id} twice: give each member its own vaspEntityId")
        seen.add(entity_id)


def hub_member(key: SigningKey) -> Member:
    """Return the hub's own entry in the list (auth.md section 7)."""
    expires = MemberKey(key.public_base64, time_text(HUB_KEY_EXPIRES), HUB_KEY_EXPIRES)
    return Member(HUB_ENTITY, "Travel Rule hub", "KR", HUB_ALLIANCE, (expires,))
