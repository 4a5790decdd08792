"""The engine of a VASP inside the benchmark: fills its store through the path of every input."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from schemas.hub.bodies import VaspEntry
from streams.codec import reader
from tests.benchmarks.platform import event
from travelrule.bootstrap.installation import Installation, open_installation, open_lists
from travelrule.bootstrap.list_import import load_first_lists
from travelrule.commands.demo.vasp import DemoVasp
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.lists.owner_screening import OwnerScreeningJob
from travelrule.machine.input import Input, RawMessage, Rejected
from travelrule.settings import Settings
from travelrule.store.owner_screenings import OwnerScreeningRepository

BATCH = 100


@dataclass
class FilledInstallation:
    """One installation, opened here."""

    opened: Installation

    def inputs(self, kind: str, topic: str, key: str, contents: Sequence[dict[str, Any]]) -> list[Input | Rejected]:
        """The events as the codec returns them; ``key`` names the field of the data that is the record's key."""
        read = reader(self.opened.clock)
        return [
            read(RawMessage(topic, 0, place, data[key].encode(), event(kind, data[key], data), ()))
            for place, data in enumerate(contents)
        ]

    async def apply(self, inputs: Sequence[Input | Rejected]) -> None:
        """Apply in batches of ``BATCH``; AssertionError if one is not applied."""
        for start in range(0, len(inputs), BATCH):
            outcomes = await self.opened.engine.apply(inputs[start : start + BATCH])
            assert {outcome.status for outcome in outcomes} == {"applied"}, outcomes[0]

    async def screen_owners(self) -> int:
        """Put the lists of the VASP's folder in force and screen the owners, as a worker does; return how many."""
        opened = self.opened
        await load_first_lists(opened)
        lists = open_lists(opened)
        await lists.start()
        owners = OwnerScreeningRepository(opened.database, opened.entity_id, opened.vault.unwrap, opened.vault.open)
        screening = OwnerScreeningJob(
            owners, lists, opened.leases, opened.policy, self._apply_one, asyncio.Event(), opened.clock
        )
        screened = 0
        while done := await screening.round():
            screened += done
        return screened

    async def _apply_one(self, item: Input) -> InputOutcome:
        return (await self.opened.engine.apply([item]))[0]

    async def list_members(self, members: Sequence[dict[str, Any]]) -> None:
        """Put members (``surroundings.member``) into the stored directory, as a refresh would."""
        entries = [VaspEntry.model_validate({"health": "up", **listed}) for listed in members]
        now = self.opened.clock()
        await self.opened.directory.store({entry.vasp_entity_id: entry for entry in entries}, {}, now)


@asynccontextmanager
async def open_filled(vasp: DemoVasp) -> AsyncIterator[FilledInstallation]:
    """Open the installation of ``vasp``; its database exists and has the tables."""
    opened = await open_installation(Settings.load(vasp.environment()))
    try:
        yield FilledInstallation(opened)
    finally:
        await opened.close()


def wallet_of(number: int) -> dict[str, Any]:
    """The data of a wallet registration, as the contract's example has it."""
    return {
        "walletId": f"wal-xrp-{number}",
        "address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
        "tag": f"{number}",
        "currencies": ["XRP"],
        "networks": ["XRP"],
        "customerId": f"c-{number}",
        "kyc": True,
        "owner": {"natural": {"lastName": "Lind", "firstName": "Erik", "dateOfBirth": "1975-05-12"}},
    }
