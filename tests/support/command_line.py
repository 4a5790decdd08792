"""The command line on a temporary installation: SQLite in a folder, and a history made by the real engine."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from schemas.wire_model import Wire
from tests.support.call_results import HONEST, answered
from tests.support.events import requested
from travelrule import logs
from travelrule.bootstrap.installation import Installation, open_installation
from travelrule.cli import app
from travelrule.crypto.signing import SigningKey
from travelrule.machine.input import Input, RawMessage, Rejected
from travelrule.machine.internal_inputs import CallResult
from travelrule.settings import Settings
from travelrule.store import tables

SEED = base64.b64encode(b"n" * 32).decode()
OLD_SEED = base64.b64encode(b"o" * 32).decode()
PERSONAL = ("Berg", "Anna", "Lind", "Erik", "1990-02-03", "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", "c-1001", "77001")

FIRST_POLICY = 'sanctions = "off"\n'
"""These tests are about something else; what is required of lists has its own."""
PROFILE = """
legal_name = "North Exchange Ltd."
country_of_registration = "SG"

[address]
type = "GEOG"
lines = ["1 Example Road"]
town = "Singapore"
country = "SG"
"""


def key(letter: str) -> str:
    """A base64 key of 32 bytes."""
    return base64.b64encode(letter.encode() * 32).decode()


def environment(folder: Path, **more: str | None) -> dict[str, str]:
    """The settings of an installation in ``folder``; None leaves one out."""
    profile = folder / "profile.toml"
    profile.write_text(PROFILE, encoding="utf-8")
    policy = folder / "first-policy.toml"
    policy.write_text(FIRST_POLICY, encoding="utf-8")
    settings: dict[str, str | None] = {
        "VASP_ENTITY_ID": "north",
        "VASP_PROFILE_FILE": str(profile),
        "POLICY_FILE": str(policy),
        "HUB_URL": "http://127.0.0.1:9",
        "SIGNING_KEY": f"{SEED},{OLD_SEED}",
        "STORAGE_KEYS": key("k"),
        "INDEX_KEY": key("i"),
        "AUDIT_KEY": key("a"),
        "DATA_DIR": str(folder / "data"),
        "LOG_FORMAT": "json",
        "METRICS_LISTEN": "127.0.0.1:0",  # the default may be in use: tests run beside one another
        "GATEWAY_LISTEN": "127.0.0.1:0",
        **more,
    }
    return {f"TRAVELRULE_{name}": value for name, value in settings.items() if value is not None}


@dataclass(frozen=True)
class Answer:
    """What a command wrote and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        (line,) = self.lines
        return line

    @property
    def lines(self) -> list[Any]:
        """One object per line of standard output, and nothing else."""
        return [json.loads(line) for line in self.out.splitlines()]


class Cli:
    """Runs commands in this process, in an environment that holds nothing but the given settings."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, **settings: str | None) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        monkeypatch.chdir(folder)
        # The log set-up is the process's, which other tests share; that it writes to stderr is tested with a process.
        monkeypatch.setattr(logs, "configure", lambda *_args, **_more: None)
        self.set(**settings)

    def set(self, **settings: str | None) -> None:
        """Change settings."""
        import os

        for name in [name for name in os.environ if name.startswith("TRAVELRULE_")]:
            self._monkeypatch.delenv(name)
        for name, value in environment(self.folder, **settings).items():
            self._monkeypatch.setenv(name, value)

    def run(self, *words: str, stdin: str | None = None, columns: int = 200) -> Answer:
        """Run ``travelrule`` with these words."""
        result = CliRunner().invoke(app, list(words), input=stdin, env={"COLUMNS": str(columns)})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    def ask(self, *words: str) -> Answer:
        """Run with ``--output json``."""
        return self.run(*words, "--output", "json")

    def within(self, work: Callable[[Installation], Awaitable[Any]]) -> Any:
        """Do something with the opened installation."""

        async def opened() -> Any:
            installation = await open_installation(Settings.load())
            try:
                return await work(installation)
            finally:
                await installation.close()

        return asyncio.run(opened())


def an_input(kind: str, subject: str, data: Wire, *, source: str = "/platform", input_id: str = "") -> Input:
    content = data.model_dump_json(by_alias=True).encode()
    raw = RawMessage("withdrawals", 1, 7, subject.partition(":")[2].encode(), content)
    from datetime import UTC, datetime

    return Input(source, input_id or str(uuid4()), kind, subject, datetime.now(UTC), data, content, uuid4(), raw=raw)


async def withdraw(opened: Installation, name: str = "w-1") -> None:
    """A withdrawal is requested; its address search waits as a call."""
    await opened.policy.load()
    data = requested(withdrawalId=name)
    outcome = (await opened.engine.apply([an_input("withdrawal.requested.v1", f"withdrawal:{name}", data)]))[0]
    assert outcome.status == "applied", outcome


async def answer_calls(opened: Installation, name: str = "w-1") -> None:
    """The counterparty finds the address and verifies."""
    for _ in range(2):
        async with opened.database.read() as connection:
            query = select(tables.calls).where(tables.calls.c.subject == f"withdrawal:{name}")
            (call,) = (await connection.execute(query)).all()
        body: dict[str, Any] = {"result": "valid"}
        if call.operation == "transfer-authorization":
            body = {"result": "verified", "payload": HONEST}
        report: CallResult = answered(call.operation, call.transfer_id, **body)
        item = an_input("call.answered", f"withdrawal:{name}", report, source="/hub", input_id=call.id)
        assert (await opened.engine.apply([item]))[0].status == "applied"


async def verified(opened: Installation) -> None:
    """One verified withdrawal."""
    await withdraw(opened)
    await answer_calls(opened)


async def dead_letter(opened: Installation, value: bytes = b'{"Planted":"Lind"}', offset: int = 41) -> None:
    """One message that could not be processed."""
    raw = RawMessage("withdrawals", 3, offset, b"w-9", value, (("traceparent", b"x"),))
    await opened.engine.apply([Rejected(raw, "MISSING_FIELD", "data.amount", "add the field")])


NORTH_PUBLIC = SigningKey.from_base64(SEED).public_base64
OLD_PUBLIC = SigningKey.from_base64(OLD_SEED).public_base64
