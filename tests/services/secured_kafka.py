"""A real Kafka that requires a login or TLS: the brokers of other tests accept every client on loopback."""

from __future__ import annotations

import subprocess
from pathlib import Path

from confluent_kafka.admin import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion

from tests.services.kafka import KafkaNode, admin_client
from tests.services.ports import free_port
from tests.support.authority import Authority

PASSWORD = "Right-Planted"
_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
_ROUNDS = 4096


class SecuredKafka(KafkaNode):
    """One broker. ``bootstrap`` is open to the tests; the other listeners are what an operator may have:

    ========== ========= ============== ====================================================================
    attribute  login     encryption     certificate of the broker, for ``127.0.0.1``
    ========== ========= ============== ====================================================================
    ``login``  PLAIN     none
    ``tls``    none      TLS            signed by itself: ``authority``; ``stranger`` signed nothing here
    ``sasl``   PLAIN,    TLS            of ``issuer``
               SCRAM
    ``mutual`` none      mutual TLS     of ``issuer``, which signed the certificates of the clients too
    ``expired``  none    TLS            of ``issuer``, expired yesterday
    ========== ========= ============== ====================================================================
    """

    users: tuple[str, ...] = ("app",)
    """The users with a login, all with ``PASSWORD``."""

    def __init__(self, directory: Path, owner: int) -> None:
        super().__init__(directory, owner)
        names = ("login", "tls", "sasl", "mutual", "expired")
        self._addresses = {name: f"127.0.0.1:{free_port()}" for name in names}
        self.login, self.tls, self.sasl, self.mutual, self.expired = self._addresses.values()
        self.authority, self.stranger = directory / "authority.pem", directory / "stranger.pem"
        make_certificate(self.authority, directory / "authority.key")
        make_certificate(self.stranger, directory / "stranger.key")
        self.issuer = Authority(directory, "issuer")
        own = (self.authority, directory / "authority.key")
        issued, late = self.issuer.issue("kafka"), self.issuer.issue("late-kafka", expired=True)
        file = directory / "server.properties"
        lines = [self._extended(line) for line in file.read_text().splitlines()]
        lines += [
            "listener.name.login.sasl.enabled.mechanisms=PLAIN",
            f"listener.name.login.plain.sasl.jaas.config={self._plain_users()}",
            "listener.name.sasl.sasl.enabled.mechanisms=SCRAM-SHA-512,PLAIN",
            f"listener.name.sasl.plain.sasl.jaas.config={self._plain_users()}",
            f"listener.name.sasl.scram-sha-512.sasl.jaas.config={_SCRAM} required;",
            "listener.name.mutual.ssl.client.auth=required",
            "listener.name.mutual.ssl.truststore.type=PEM",
            f"listener.name.mutual.ssl.truststore.location={self.issuer.path}",
        ]
        for name, pair in {"tls": own, "sasl": issued, "mutual": issued, "expired": late}.items():
            lines += _key_store(name, directory / f"{name}-pair.pem", *pair)
        file.write_text("\n".join(lines) + "\n")

    def start(self) -> None:
        """Start it; returns when every user can log in by SCRAM too."""
        super().start()
        credential = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, _ROUNDS)
        made = [UserScramCredentialUpsertion(name, credential, PASSWORD.encode()) for name in self.users]
        admin = admin_client(self.bootstrap)  # held until the answers are there
        for future in admin.alter_user_scram_credentials(made).values():
            future.result(timeout=30)

    def _plain_users(self) -> str:
        users = " ".join(f'user_{name}="{PASSWORD}"' for name in self.users)
        return f'{_PLAIN} required username="admin" password="x" user_admin="x" {users};'

    def _extended(self, line: str) -> str:
        if line.startswith(("listeners=", "advertised.listeners=")):
            return ",".join([line, *(f"{name.upper()}://{address}" for name, address in self._addresses.items())])
        if line.startswith("listener.security.protocol.map="):
            return f"{line},LOGIN:SASL_PLAINTEXT,TLS:SSL,SASL:SASL_SSL,MUTUAL:SSL,EXPIRED:SSL"
        return line


def _key_store(listener: str, file: Path, certificate: Path, key: Path) -> list[str]:
    """The properties of a listener with this certificate; Kafka reads key and certificate from one file."""
    file.write_text(key.read_text() + certificate.read_text())
    name = f"listener.name.{listener}.ssl.keystore"
    return [f"{name}.type=PEM", f"{name}.location={file}"]


def make_certificate(file: Path, key: Path) -> None:
    """A certificate that signed itself, with its key, as an operator makes one."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=kafka", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(file)], check=True, capture_output=True)
