"""The world file: the members, coins and risks of a sandbox (contract section 5)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, SecretStr, model_validator

from travelrule.crypto.signing import SigningKey
from travelrule.hub.members.network_file import HubLimits, MemberSpec, Seed, SomeSeconds, check_distinct
from travelrule.hub.spec_files import parse_spec, read_document
from travelrule.sandbox.robots.robot_spec import RobotSpec
from travelrule.sandbox.world.risk_spec import ScreeningSpec


class WorldMember(MemberSpec):
    """A member of the sandbox: a real one (`baseUrl`), a robot (`robot`), or neither, then it is unreachable."""

    seed: Seed | None = None
    """Seed of a robot's key, base64 of 32 bytes; the same as `robot.seed`."""
    robot: RobotSpec | None = None
    """How the sandbox plays this member. Without it and without `baseUrl` the member is listed and unreachable."""

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
        """The seed of a robot, from either place in the file."""
        return self.seed or (self.robot.seed if self.robot else None)


class World(HubLimits):
    """A sandbox's network: hub, members, coins, risks."""

    members: tuple[WorldMember, ...] = ()
    """The members of the network, besides the hub itself."""
    screening: ScreeningSpec = ScreeningSpec()
    """What screening says of addresses and transactions."""
    rate_limit_per_minute: Annotated[int, Field(ge=0, examples=[40])] = 0
    """Requests of the limited operations that one source address may make in a minute; 0: no limit."""
    health_interval_seconds: Annotated[SomeSeconds, Field(examples=[1])] = 30
    """How often each member's health is asked for: how soon the VASP list says `up` or `down`."""
    kyt_request_seconds: Annotated[SomeSeconds, Field(examples=[300])] = 300
    """How long the report of a KYT search is served."""

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
    return parse_spec(World, content, name)


def load_world(path: Path) -> World:
    """Read a world file, JSON or TOML. Raises ``ConfigurationError`` with every fault at once."""
    return parse_world(read_document(path), path.name)
