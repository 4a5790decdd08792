"""Two VASPs, robots and a hub between them, customers, chains and faults: everything drawn from one seed."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from tests.simulation.chain import Chain
from tests.simulation.clock import START, Clock
from tests.simulation.customers import Customer, CustomerWallet, customers
from tests.simulation.engine_jobs import EngineJobs
from tests.simulation.engine_model import EngineModel
from tests.simulation.faults import NetworkFaults
from tests.simulation.faulty_originator import FaultyOriginator
from tests.simulation.liveness_laws import deferred_calls_are_watched, everything_is_settled, timers_are_kept
from tests.simulation.member_endpoints import Member
from tests.simulation.network import Answer, Hub, Request
from tests.simulation.operator import CallOperator
from tests.simulation.oracle import Oracle
from tests.simulation.platform import Platform
from tests.simulation.robots import Robot
from tests.support.vasps import PROFILE
from travelrule.engine.registry import MACHINES
from travelrule.machine.port import Machine
from travelrule.policy.policy import OwnVasp, Policy

VASPS = ("north", "south")
ROBOTS = {"east": "code", "west": "code", "gate": "GTR"}
TRAFFIC_DAYS = 10
CLEAR_DAY = 14
"""When all faults end and every process runs: pending obligations must be settled after that."""
END_DAY = 28
SEEDS_VARIABLE, WITHDRAWALS_VARIABLE = "SIMULATION_SEEDS", "SIMULATION_WITHDRAWALS"
PEOPLE = 40
FLAPS = 25
"""How often each member is down for a short while."""


@dataclass(slots=True)
class Figures:
    """What a run was."""

    seed: int
    withdrawals: int = 0
    exchanges: int = 0
    deposits: int = 0
    decisions: int = 0
    recomputed: int = 0
    requests: int = 0
    doubles: int = 0
    steps: int = 0
    days: int = END_DAY
    seconds: float = 0.0
    seen: Counter[str] = field(default_factory=Counter)


class SimulationFailed(AssertionError):
    """A run that an invariant ended, with the seed that makes it again."""


def repeated_by(seed: int, withdrawals: int) -> str:
    """The command that makes a run again."""
    command = "pytest tests/simulation/test_weeks.py -k seeds_of_choice"
    return f"again: {SEEDS_VARIABLE}={seed} {WITHDRAWALS_VARIABLE}={withdrawals} {command}"


class Simulation:
    """One run. ``machines`` can be other ones than the real ones, to see whether the oracle notices."""

    def __init__(self, seed: int, machines: dict[str, Machine] | None = None) -> None:
        self.seed = seed
        self.clock = Clock()
        self.hub = Hub(self.clock, self._weather(), self.dice("hub"), self)
        self.oracles: dict[str, Oracle] = {}
        self.processes: dict[str, EngineJobs] = {}
        self.platforms: dict[str, Platform] = {}
        self.chain = Chain(self.clock, self.dice("chain"), END_DAY)
        self.people: dict[str, list[Customer]] = {}
        self.policies = {name: self._policy(name) for name in VASPS}
        self._traffic = self.dice("traffic")
        for name in VASPS:
            self._open(name, machines or MACHINES)
        self.rogues: list[FaultyOriginator] = []
        rival: Robot | None = None
        for name, alliance in ROBOTS.items():
            self.people[name] = customers(name, PEOPLE // 4, self.dice(name))
            # Some people have an address at two VASPs, or a VASP claims so.
            shared = self.dice(f"{name}/shared").sample(self.people["south"], 2)
            robot = Robot(
                name, self.hub, self.clock, self.dice(f"{name}/mood"), [*self.people[name], *shared], alliance
            )
            self.hub.members[name] = robot
            self.rogues.append(FaultyOriginator(robot, rival, self.clock, self.chain, self.dice(f"{name}/rogue")))
            rival = robot
        for name in VASPS:
            texts = [one.last.encode() for people in self.people.values() for one in people]
            self.oracles[name].secrecy.names = texts
            self.oracles[name].secrecy.claims = self.hub.searches.claims
            self.oracles[name].secrecy.senders = self.hub.searches.senders
            self.processes[name].operator.look_at_directory()
            for customer in self.people[name]:
                self._register(name, customer)

    def dice(self, what: str) -> random.Random:
        return random.Random(f"{self.seed}/{what}")

    def _weather(self) -> NetworkFaults:
        return NetworkFaults(self.dice("weather"), START, START + timedelta(days=CLEAR_DAY))

    def _policy(self, name: str) -> Policy:
        dice = self.dice(f"{name}/policy")
        word = {True: "true", False: "false"}
        lines = [
            'sanctions = "off"',
            f"operator_override = {word[dice.random() < 0.5]}",
            f"accept_found_vasp = {word[dice.random() < 0.5]}",
            f'report_moment = "{dice.choice(("broadcast", "broadcast", "mined", "final"))}"',
            "[exemptions]",
            f"below_threshold = {word[dice.random() < 0.5]}",
            "[names]",
            f'apply_to = "{dice.choice(("flagged", "all"))}"',
            f"first_party_only = {word[dice.random() < 0.05]}",
        ]
        if dice.random() < 0.25:
            lines += ["[verdicts]", f'COUNTERPARTY_UNREACHABLE = "{dice.choice(("hold", "deny"))}"']
        profile = PROFILE.model_copy(update={"legal_name": f"{name.title()} Exchange Ltd."})
        return Policy.from_toml("\n".join(lines)).with_own(OwnVasp(name, f"code:{name}", profile))

    def _open(self, name: str, machines: dict[str, Machine]) -> None:
        engine_model = EngineModel(name, machines, lambda: self.policies[name], self.clock)
        member = Member(engine_model, self.clock, self.dice(f"{name}/member"))
        operator = CallOperator(engine_model, self.hub, self.clock, member.keys, self.dice(f"{name}/desk"))
        process = EngineJobs(engine_model, member, operator, self.clock, self.dice(f"{name}/process"))
        self.hub.members[name] = member
        self.people[name] = customers(name, PEOPLE, self.dice(f"{name}/people"))
        engine_model.watcher = self.oracles[name] = Oracle(
            engine_model, self.clock, operator.vasp_directory, operator.crashed, self.dice(f"{name}/oracle")
        )
        self.hub.searches.call_back[name] = self._called_back(engine_model, member)
        self.processes[name] = process
        self.platforms[name] = Platform(process, self.chain, self.clock, self.dice(f"{name}/platform"))

    def _called_back(self, engine_model: EngineModel, member: Member) -> Any:
        """A callback reaches the requesting subject; some are forged."""

        def call_back(operation: str, request_id: str) -> None:
            for row in engine_model.slots.values():
                search = getattr(row.state, "search", None)
                if search is not None and search.request_id == request_id:
                    member.called_back(operation, request_id, row.subject)
                    if self._traffic.random() < 0.1:
                        member.called_back(operation, "forged", row.subject)
                    return

        return call_back

    # What the hub shows to an observer

    def sent(self, request: Request) -> None:
        self.oracles[request.origin].sent(request)

    def answered(self, request: Request, status: int, body: dict[str, Any]) -> None:
        self.oracles[request.origin].answered(request, status, body)

    def served(self, member: str, origin: str, operation: str, body: dict[str, Any], answer: Answer) -> None:
        if member in self.oracles:
            self.oracles[member].served(origin, operation, body, answer)
        if operation == "transfer-authorization" and origin in self.oracles and answer[1].get("result") == "verified":
            self.oracles[origin].truly_verified.add(body["transferId"])

    # A run

    async def play(self, withdrawals: int) -> Figures:
        """Run, and say by which seed and what story a failure can be had again."""
        try:
            return await self.run(withdrawals)
        except Exception as error:
            story = "\n".join(self._told(str(error)))
            again = repeated_by(self.seed, withdrawals)
            raise SimulationFailed(f"seed {self.seed}, {self.clock.now}: {error}\n{again}\n{story}") from error

    def _told(self, text: str) -> list[str]:
        """The last steps of the subject that a failure names."""
        for name, oracle in self.oracles.items():
            for subject, story in oracle.stories.items():
                if subject in text:
                    return [f"{name}: {subject}", *story.trace[-20:]]
        return []

    async def run(self, withdrawals: int) -> Figures:
        started = time.process_time()
        await self.run_until(END_DAY, withdrawals)
        figures = self._figures(withdrawals)
        for process in self.processes.values():
            everything_is_settled(process.engine_model)
        figures.recomputed = sum(oracle.recompute() for oracle in self.oracles.values())
        figures.seconds = time.process_time() - started
        return figures

    async def run_until(self, day: int, withdrawals: int) -> None:
        """The first days of a run; what is under way then stays so."""
        self._plan(withdrawals)
        for quarter in range(1, 4 * day + 1):
            await self.clock.run(START + timedelta(hours=6 * quarter))
            for process in self.processes.values():
                deferred_calls_are_watched(process.engine_model)
                timers_are_kept(process.engine_model, self.clock.now)

    def _plan(self, withdrawals: int) -> None:
        dice = self._traffic
        for _ in range(withdrawals):
            self.clock.after(dice.uniform(5, TRAFFIC_DAYS * 86_400), self._withdraw)
        for _ in range(withdrawals // 6):
            self.clock.after(dice.uniform(60, TRAFFIC_DAYS * 86_400), self._mischief)
        self._plan_own_trouble()
        self._plan_trouble_of_members()

    def _plan_own_trouble(self) -> None:
        dice = self._traffic
        for name in VASPS:
            for _ in range(2):
                self.clock.after(dice.uniform(0, TRAFFIC_DAYS * 86_400), partial(self._change_policy, name))
            for _ in range(6):
                seconds = dice.choice((20.0, 600.0, 4000.0))
                self.clock.after(dice.uniform(0, TRAFFIC_DAYS * 86_400), partial(self.processes[name].sleep, seconds))
            operator = self.processes[name].operator
            operator.crash_share, operator.repeat_share = 0.01, 0.02
            self.clock.after(CLEAR_DAY * 86_400, partial(setattr, operator, "crash_share", 0.0))

    def _plan_trouble_of_members(self) -> None:
        dice = self._traffic
        for name in (*VASPS, *ROBOTS):
            for _ in range(3):
                self.clock.after(dice.uniform(3600, CLEAR_DAY * 86_400), self._rotation(name))
            for _ in range(2):
                begins = dice.uniform(3600, TRAFFIC_DAYS * 86_400)
                lasts = dice.choice((600.0, 20_000.0, 200_000.0))
                self.clock.after(begins, partial(self.hub.set_health, name, up=False))
                self.clock.after(begins + lasts, partial(self.hub.set_health, name, up=True))
            for _ in range(FLAPS):
                begins = dice.uniform(3600, TRAFFIC_DAYS * 86_400)
                self.clock.after(begins, partial(self.hub.set_health, name, up=False))
                self.clock.after(begins + dice.uniform(5, 7200), partial(self.hub.set_health, name, up=True))
        for name in (*VASPS, *ROBOTS):
            self.clock.after(CLEAR_DAY * 86_400, partial(self.hub.set_health, name, up=True))

    def _rotation(self, name: str) -> Any:
        return lambda: self.hub.members[name].keys.rotate(self.clock.now)  # type: ignore[attr-defined]

    def _withdraw(self) -> None:
        dice = self._traffic
        name = dice.choice(VASPS)
        sender = dice.choice(self.people[name])
        other = dice.choices(("peer", "robot", "self"), (80, 17, 3))[0]
        where = {"peer": next(one for one in VASPS if one != name), "robot": dice.choice(list(ROBOTS)), "self": name}[
            other
        ]
        owner: Customer | None = dice.choice(self.people[where])
        assert owner is not None
        wallet = owner.wallets[dice.choice(("XRP", "ETH", "BTC"))]
        if dice.random() < 0.06:
            owner, wallet = (
                None,
                CustomerWallet("nobody", "none", wallet.currency, f"0x{dice.getrandbits(160):040x}", None),
            )
        kind = "unknown" if dice.random() < 0.12 else "vasp"
        destination: dict[str, Any] = {"kind": kind, "address": wallet.address}
        if wallet.tag:
            destination["tag"] = wallet.tag
        if kind == "vasp":
            destination["vaspEntityId"] = where if dice.random() < 0.97 else dice.choice((*ROBOTS, "nobody"))
        self.platforms[name].withdraw(sender, wallet, owner, destination)

    def _mischief(self) -> None:
        name = self._traffic.choice(VASPS)
        self._traffic.choice(self.rogues).act(name, self._traffic.choice(self.people[name]))

    def _register(self, name: str, customer: Customer) -> None:
        """Most addresses are known from the beginning, some late, a few never."""
        when = self._traffic.choices(("at once", "late", "never"), (92, 5, 3))[0]
        if when == "at once":
            self.platforms[name].register(customer)
        elif when == "late":
            days = self._traffic.uniform(0.5, TRAFFIC_DAYS)
            self.clock.after(days * 86_400, lambda: self.platforms[name].register(customer))

    def _change_policy(self, name: str) -> None:
        """The operator forbids a VASP, or takes it back."""
        policy = self.policies[name]
        denied = () if policy.deny_list else (self._traffic.choice(list(ROBOTS)),)
        self.policies[name] = Policy.model_validate({**policy.model_dump(), "deny_list": denied}).with_own(policy.own)

    def _figures(self, withdrawals: int) -> Figures:
        figures = Figures(self.seed, withdrawals, requests=self.hub.requests, steps=self.clock.steps)
        for name, oracle in self.oracles.items():
            slots = self.processes[name].engine_model.slots
            figures.decisions += oracle.decisions
            figures.doubles += self.processes[name].doubles
            figures.exchanges += sum(subject.startswith("exchange:") for subject in slots)
            states = [slot.state for subject, slot in slots.items() if subject.startswith("withdrawal:")]
            figures.exchanges += sum(len(getattr(state, "attempts", ())) for state in states)
            figures.deposits += sum(subject.startswith("deposit:") for subject in slots)
            figures.seen += oracle.counts
        return figures
