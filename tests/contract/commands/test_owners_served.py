"""A running worker, and `lists import` beside it: an owner becomes known, then listed, without a restart."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import select

from schemas.events.wallets import WalletRegistered
from tests.contract.commands.test_processes import ended, start, until_ready
from tests.services.ports import free_port
from tests.support.command_line import Cli, an_input
from travelrule.bootstrap.installation import Installation
from travelrule.store import tables

ADDRESS = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
OWNER = {"natural": {"lastName": "Lind", "firstName": "Erik"}}
HEADER = "id,kind,name\n"


async def register(opened: Installation) -> None:
    data = WalletRegistered.model_validate(
        {"walletId": "w-1", "address": ADDRESS, "currencies": ["XRP"], "customerId": "c-1", "kyc": True, "owner": OWNER}
    )
    outcome = (await opened.engine.apply([an_input("wallet.registered.v1", "wallet:w-1", data)]))[0]
    assert outcome.status == "applied", outcome


async def sanctioned(opened: Installation) -> bool | None:
    (wallet,) = await opened.reads.wallets_at([ADDRESS])
    return wallet.sanctioned


async def alerts(opened: Installation) -> list[tuple[str, str]]:
    query = select(tables.outbox.c.value).where(tables.outbox.c.topic == "alerts")
    async with opened.database.read() as connection:
        events = [json.loads(value)["data"] for value in (await connection.execute(query)).scalars()]
    return [(event["subject"], event["code"]) for event in events]


def import_list(cli: Cli, *names: str) -> None:
    file = cli.folder / "own.csv"
    rows = "".join(f"{number},person,{name}\n" for number, name in enumerate(names))
    file.write_text(HEADER + rows, encoding="utf-8")
    answer = cli.ask("lists", "import", "own-csv", str(file))
    assert answer.code == 0, answer.err


def until(condition: Callable[[], Any], wanted: Any) -> None:
    deadline = time.monotonic() + 60
    while condition() != wanted:
        assert time.monotonic() < deadline, condition()
        time.sleep(0.1)


def test_a_list_that_is_imported_while_the_worker_runs_changes_what_is_known(installed: Cli) -> None:
    rules = installed.folder / "policy.toml"
    rules.write_text('sanctions = "required"\n', encoding="utf-8")
    assert installed.ask("policy", "apply", str(rules)).code == 0
    import_list(installed, "Somebody Else")
    installed.within(register)
    process = start(installed.folder, "serve", "worker", METRICS_LISTEN=(listen := f"127.0.0.1:{free_port()}"))
    try:
        until_ready(f"http://{listen}/readyz", process)
        until(lambda: installed.within(sanctioned), wanted=False)
        import_list(installed, "Somebody Else", "Erik Lind")
        until(lambda: installed.within(sanctioned), wanted=True)
        until(lambda: installed.within(alerts), wanted=[("wallet:w-1", "OWNER_LISTED")])
        process.terminate()
        code, _, err = ended(process)
    finally:
        process.kill()
    assert code == 0, err
    for word in ("Lind", "Erik", "c-1"):
        assert word not in err
    assert "own 1" in installed.run("explain", "wallet:w-1").out, "where the entry stands"
