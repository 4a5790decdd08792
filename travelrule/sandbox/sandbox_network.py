"""The network of a sandbox: a hub whose members are real servers, robots, or unreachable, with faults in between."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime

from travelrule.crypto.signing import KeyRing, SigningKey
from travelrule.hub.callback_sender import UnreachableCallbacks
from travelrule.hub.members.member import Member, MemberKey
from travelrule.hub.ports import CallbackTransport, Clock, Journal, MemberAnswer, MemberCall, MemberTransport
from travelrule.hub.risk.ports import Providers
from travelrule.hub.runtime.assembly import Randomness, assemble, fresh_key, utc_now
from travelrule.sandbox.faults.fault_book import FaultBook
from travelrule.sandbox.faults.fault_spec import Pause
from travelrule.sandbox.faults.faulty_network import FaultyAnswers, FaultyCallbacks, FaultyService, FaultyTransport
from travelrule.sandbox.robots.robot import Robot
from travelrule.sandbox.world.sandbox_wallet import SandboxWallet
from travelrule.sandbox.world.world_file import World, WorldMember
from travelrule.sandbox.world.world_risk import WorldKyt, WorldScreening

_ROBOT_KEY_EXPIRES = datetime(2099, 1, 1, tzinfo=UTC)


class MemberRouter:
    """``MemberTransport`` of the sandbox: robots answer in the process, other members over ``http``."""

    def __init__(self, http: MemberTransport, randomness: Randomness, pause: Pause) -> None:
        self._http = http
        self._pause = pause
        self._randomness = randomness
        self._robots: dict[str, Robot] = {}

    async def forward(self, member: Member, call: MemberCall) -> MemberAnswer:
        """Deliver the call. Raises ``NoMemberAnswer``."""
        robot = self._robots.get(member.entity_id)
        return await (self._http.forward(member, call) if robot is None else robot.answer(call))

    def robot(self, entity_id: str) -> Robot | None:
        """Return the robot of that id, if it is one."""
        return self._robots.get(entity_id)

    def enrol(self, spec: WorldMember) -> Member:
        """Register a member of the world file; a robot that is registered already keeps its memory."""
        if spec.robot is None:
            self._robots.pop(spec.vasp_entity_id, None)
            return spec.member()
        seed = spec.robot_seed
        key = SigningKey.from_base64(seed.get_secret_value()) if seed else fresh_key(self._randomness)
        before = self._robots.get(spec.vasp_entity_id)
        self._robots[spec.vasp_entity_id] = Robot(
            spec, spec.robot, KeyRing([key]), self._randomness, before.memory if before else None, self._pause
        )
        keys = tuple(listed.key() for listed in spec.pubkeys) or (_key_of(key),)
        return Member(
            spec.vasp_entity_id,
            spec.vasp_legal_name,
            spec.country_of_registration,
            spec.alliance_name,
            keys,
        )


class Sandbox:
    """A hub with its world.

    ``http`` sends to real members, ``callbacks`` to callback URLs; without the latter all callbacks are lost. Tests
    replace ``clock``, ``randomness`` and ``pause``.
    """

    def __init__(
        self,
        world: World,
        http: MemberTransport,
        *,
        journal: Journal,
        callbacks: CallbackTransport | None = None,
        clock: Clock = utc_now,
        randomness: Randomness = secrets.token_bytes,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.faults = FaultBook()
        self.members = MemberRouter(http, randomness, pause)
        enrolled = [self.members.enrol(spec) for spec in world.members]
        self._hub = assemble(
            world,
            enrolled,
            FaultyTransport(self.members, self.faults, pause),
            down={spec.vasp_entity_id for spec in world.members if not is_up(spec)},
            clock=clock,
            journal=journal,
            randomness=randomness,
            callbacks=FaultyCallbacks(callbacks or UnreachableCallbacks(), self.faults, pause),
            providers=Providers(WorldScreening(world.screening), WorldKyt(world.screening, pause), SandboxWallet()),
            around_own_answers=lambda inner: FaultyAnswers(inner, self.faults, world.member_timeout_seconds, pause),
        )
        self.service = FaultyService(self._hub.service)
        self.state = self._hub.state
        self.polling = self._hub.polling
        self.tasks = self._hub.tasks
        self.widget = self._hub.widget

    async def put_member(self, spec: WorldMember) -> Member:
        """Add a member, or replace its address and keys by those of ``spec``, and poll its health at once."""
        member = self.members.enrol(spec)
        await self.state.put_member(member, up=is_up(spec))
        self.polling.wake()
        return member


def is_up(spec: WorldMember) -> bool:
    """Whether a member counts as up before its first poll."""
    return spec.base_url is not None if spec.robot is None else spec.robot.health == "up"


def _key_of(key: SigningKey) -> MemberKey:
    expires_at = _ROBOT_KEY_EXPIRES.isoformat().replace("+00:00", "Z")
    return MemberKey(key.public_base64, expires_at, _ROBOT_KEY_EXPIRES)
