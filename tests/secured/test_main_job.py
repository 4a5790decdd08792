"""A withdrawal and a deposit to their verdicts: every connection is encrypted, every right is one of the guide's."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.commands import must, travelrule
from tests.secured.secured_network import NamedKafka, SecuredNetwork
from tests.services import run
from tests.services.password_postgres import TlsPostgres
from travelrule.commands.demo.scenarios import SCENARIOS, DemoStage, register_wallets
from travelrule.commands.demo.session import outcome_of

pytestmark = [pytest.mark.services, pytest.mark.operations, pytest.mark.asyncio(loop_scope="module")]

JSON = ("--output", "json")
JOBS = ("verified and reported", "denied by name, amended, verified", "announced deposit")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def secured(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SecuredNetwork]:
    """Both VASPs, running, with south's wallets registered."""
    kafka = NamedKafka(run.run_directory() / "secured-kafka", run.run_owner())
    postgres = TlsPostgres(run.run_directory() / "secured-postgres", run.run_owner())
    try:
        kafka.start()
        postgres.start()
        network = SecuredNetwork(tmp_path_factory.mktemp("secured"), kafka, postgres)
        try:
            await network.start()
            await register_wallets(DemoStage(network))
            await network.until_screened(network.south)
            yield network
        finally:
            await network.stop()
    finally:
        kafka.kill()
        postgres.kill()


@pytest.mark.parametrize("title", JOBS)
async def test_the_main_job(secured: SecuredNetwork, title: str) -> None:
    assert await outcome_of(SCENARIOS[title](DemoStage(secured))) == "ok"


async def test_each_login_is_enough_and_no_more_than_enough(secured: SecuredNetwork) -> None:
    for vasp in (secured.north, secured.south):
        member = secured.secured(vasp)
        found = {check["name"]: check for check in (await travelrule(member.settings(), "doctor", *JSON)).one["checks"]}
        for name in ("broker and topics", "database", "hub", "storage and index keys"):
            assert found[name]["ok"], found[name]
        assert (await must(member.settings_as("administrator"), "topics", "apply", "--check")).code == 0
        refused = await travelrule(member.settings_as("platform"), "serve", "worker")
        assert refused.code == 3
        assert "broker denies its user" in refused.errors
        assert f"Write on {member.topic_prefix}verdicts" in refused.errors
        assert (await must(member.settings(), "audit", "verify", *JSON)).one["ok"]


async def test_no_connection_of_ours_is_in_the_clear(secured: SecuredNetwork) -> None:
    """As the server reports the sessions of both VASPs, workers and gateways."""
    query = (
        "SELECT usename AS role, ssl, client_dn AS certificate FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
        "WHERE usename IN ('app', 'certified')"
    )
    sessions = await secured.tables("north").rows(query)
    assert {session["role"] for session in sessions} == {"app", "certified"}
    assert all(session["ssl"] for session in sessions)
    shown = {session["certificate"] for session in sessions if session["role"] == "certified"}
    assert shown == {"/CN=certified"}
