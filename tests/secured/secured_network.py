"""``north`` and ``south`` on a Kafka with rights and a PostgreSQL with TLS, each with its own way to prove who it is.

=============== ========================== =========================================
process         north                      south
=============== ========================== =========================================
worker          SCRAM-SHA-512 over TLS     mutual TLS
platform        PLAIN over TLS             mutual TLS
administrator   SCRAM-SHA-512 over TLS     mutual TLS
gateway         none: it needs no right    none
all of them     PostgreSQL by TLS with a   PostgreSQL by TLS with a certificate
                password, as a role that   and a password, as the owner of the
                owns nothing               database
=============== ========================== =========================================
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from pathlib import Path

from schemas.topic_access import ACCESS
from streams.connection import connect
from tests.contract.commands.authorizing_kafka import AuthorizingKafka
from tests.e2e.commands import must
from tests.e2e.member import Member, own_port
from tests.e2e.network import RealNetwork
from tests.services.password_postgres import TlsPostgres
from tests.services.process import ROOT
from tests.services.secured_kafka import PASSWORD
from travelrule.commands.demo.platform import DemoPlatform
from travelrule.commands.demo.vasp import DemoVasp
from travelrule.settings import Settings
from travelrule.store.database import Database

Given = dict[str, str]
READ = tuple(name for name, access in ACCESS.items() if "platform" in access.readers)
USERS = ("worker", "platform", "administrator")


class NamedKafka(AuthorizingKafka):
    """Its users are those of north; south shows certificates."""

    users = tuple(f"north-{name}" for name in USERS)

    def login_by_password(self, name: str, mechanism: str) -> Given:
        """Settings of a user of north."""
        return _settings(
            BROKER_URL=f"kafka://{self.sasl}",
            BROKER_TLS_CA_FILE=str(self.issuer.path),
            BROKER_SASL_MECHANISM=mechanism,
            BROKER_SASL_USERNAME=f"north-{name}",
            BROKER_SASL_PASSWORD=PASSWORD,
        )

    def login_by_certificate(self, name: str) -> Given:
        """Settings of a user of south."""
        certificate, key = self.issuer.issue(f"south-{name}")
        return _settings(
            BROKER_URL=f"kafka://{self.mutual}",
            BROKER_TLS_CA_FILE=str(self.issuer.path),
            BROKER_TLS_CERTIFICATE_FILE=str(certificate),
            BROKER_TLS_KEY_FILE=str(key),
        )


@dataclass
class SecuredMember(Member):
    """One worker and one gateway. ``logins``: the settings of each of its users at the broker."""

    gateway_ports: list[int] = field(default_factory=lambda: [own_port()])
    logins: dict[str, Given] = field(default_factory=dict)
    database: Given = field(default_factory=dict)
    migration: Given = field(default_factory=dict)
    """Settings of ``migrate``, if another role owns the tables."""

    def settings(self, *, gateway_port: int | None = None, metrics_port: int | None = None) -> Given:
        given = super().settings(gateway_port=gateway_port, metrics_port=metrics_port)
        return {**given, **self.database, **self.logins.get("worker", {})}

    def settings_of(self, name: str) -> Given:
        given = super().settings_of(name)
        if "gateway" in name:  # it has no login at the broker
            return {key: value for key, value in given.items() if "_BROKER_" not in key}
        return given

    def settings_as(self, user: str) -> Given:
        """The environment of a command that another user runs."""
        others = {key: value for key, value in self.settings().items() if "_BROKER_" not in key}
        return {**others, **self.logins[user]}

    def names(self) -> list[str]:
        return [f"{self.entity_id}-worker-0", f"{self.entity_id}-gateway-0"]


class SecuredNetwork(RealNetwork):
    """Every process and command logs in as the guide says; only the tests look in through an open door."""

    member_type = SecuredMember

    def __init__(self, folder: Path, kafka: NamedKafka, postgres: TlsPostgres) -> None:
        self._secured_kafka, self._secured_postgres = kafka, postgres
        super().__init__(folder, kafka, postgres.server)

    def _member(self, entity_id: str, legal_name: str, country: str) -> Member:
        member = super()._member(entity_id, legal_name, country)
        assert isinstance(member, SecuredMember)
        kafka, postgres = self._secured_kafka, self._secured_postgres
        role = "app" if entity_id == "north" else "certified"
        name = self.databases[entity_id]
        owner = "migrator" if entity_id == "north" else role
        postgres.execute(f"ALTER DATABASE {name} OWNER TO {owner}")
        database = {"DATABASE_URL": postgres.url(name, user=role), "DATABASE_TLS_CA_FILE": str(postgres.issuer.path)}
        if entity_id == "north":
            logins = {user: kafka.login_by_password(user, "SCRAM-SHA-512") for user in USERS}
            logins["platform"] = kafka.login_by_password("platform", "PLAIN")
            member.migration = {"TRAVELRULE_DATABASE_URL": postgres.url(name, user=owner)}
        else:
            logins = {user: kafka.login_by_certificate(user) for user in USERS}
            certificate, key = postgres.issuer.issue(role)
            database |= {"DATABASE_TLS_CERTIFICATE_FILE": str(certificate), "DATABASE_TLS_KEY_FILE": str(key)}
        member.logins, member.database = logins, _settings(**database)
        form = "{0}-{1}" if entity_id == "north" else "CN={0}-{1}"
        kafka.grant(
            prefix=member.topic_prefix,
            group=member.group,
            users={user: form.format(entity_id, user) for user in USERS},
        )
        return member

    async def _prepare(self, member: Member) -> None:
        assert isinstance(member, SecuredMember)
        administrator = member.settings_as("administrator")
        migrator = {**member.settings(), **member.migration}
        await asyncio.gather(must(administrator, "topics", "apply"), must(migrator, "migrate"))
        if member.migration:
            await _grant_rows(migrator)

    async def _platform(self, member: Member) -> DemoPlatform:
        assert isinstance(member, SecuredMember)
        connection = connect(Settings.load(member.settings_as("platform")))
        platform = DemoPlatform(self.bootstrap, member.topic_prefix, out=READ, **connection.client_options())
        await platform.start()
        return platform

    def secured(self, vasp: DemoVasp) -> SecuredMember:
        """A VASP with its logins."""
        member = self.members[vasp.entity_id]
        assert isinstance(member, SecuredMember)
        return member


def _settings(**given: str) -> Given:
    return {f"TRAVELRULE_{name}": value for name, value in given.items()}


async def _grant_rows(migrator: Given) -> None:
    """Run the statements of the guide, as the owner of the tables."""
    guide = (ROOT / "docs" / "guides" / "deploy.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```sql\n(GRANT .+?)```", guide, re.DOTALL)
    database = Database.of(Settings.load(migrator))
    try:
        async with database.begin() as connection:
            for statement in text.replace("travelrule_serve", "app").split(";"):
                if statement.strip():
                    await connection.exec_driver_sql(statement)
    finally:
        await database.dispose()
