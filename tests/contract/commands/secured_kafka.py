"""A real Kafka that requires a login or TLS: the brokers of other tests accept every client on loopback."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.services import KafkaNode
from tests.services.ports import free_port

PASSWORD = "Right-Planted"
_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"


class SecuredKafka(KafkaNode):
    """One broker with three listeners: ``bootstrap`` (open), ``login`` (SASL PLAIN, user ``app``), ``tls``.

    ``authority`` is the certificate that its TLS listener shows, for ``127.0.0.1``; ``stranger`` signed nothing here.
    """

    def __init__(self, directory: Path, owner: int) -> None:
        super().__init__(directory, owner)
        self.login, self.tls = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
        self.authority, self.stranger = directory / "authority.pem", directory / "stranger.pem"
        make_certificate(self.authority, directory / "authority.key")
        make_certificate(self.stranger, directory / "stranger.key")
        pair = directory / "pair.pem"
        pair.write_text((directory / "authority.key").read_text() + self.authority.read_text())
        file = directory / "server.properties"
        lines = [self._extended(line) for line in file.read_text().splitlines()]
        jaas = f'{_MODULE} required username="admin" password="x" user_admin="x" user_app="{PASSWORD}";'
        lines += [
            "sasl.enabled.mechanisms=PLAIN",
            f"listener.name.login.plain.sasl.jaas.config={jaas}",
            "listener.name.tls.ssl.keystore.type=PEM",
            f"listener.name.tls.ssl.keystore.location={pair}",
        ]
        file.write_text("\n".join(lines) + "\n")

    def _extended(self, line: str) -> str:
        if line.startswith(("listeners=", "advertised.listeners=")):
            return f"{line},LOGIN://{self.login},TLS://{self.tls}"
        if line.startswith("listener.security.protocol.map="):
            return f"{line},LOGIN:SASL_PLAINTEXT,TLS:SSL"
        return line


def make_certificate(file: Path, key: Path) -> None:
    """A certificate that signed itself, with its key, as an operator makes one."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=kafka", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(file)], check=True, capture_output=True)
