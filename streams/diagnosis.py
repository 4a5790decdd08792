"""What keeps us from a broker, as an operator reads it: what is wrong, the setting, and what to do.

The client library reports that it reached none of the brokers and logs the reasons. So each address is tried by itself,
the way the client would: name, port, TLS, login, first answer. The worst that can be said of one is what counts.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from aiokafka.conn import create_conn
from aiokafka.errors import (
    AuthenticationFailedError,
    IllegalSaslStateError,
    KafkaError,
    SaslAuthenticationFailed,
    UnsupportedSaslMechanismError,
)
from aiokafka.protocol.metadata import MetadataRequest

from streams.connection import Connection
from travelrule.environment import PREFIX
from travelrule.errors import ServiceUnavailable
from travelrule.setting_types import HostPort

TRY_SECONDS = 8.0
SERVICE = "broker"
URL, LOGIN, TLS = f"{PREFIX}BROKER_URL", f"{PREFIX}BROKER_SASL_", f"{PREFIX}BROKER_TLS_"
AWAY = "could not be reached"


@dataclass(frozen=True, slots=True)
class Told:
    """What is wrong with one address. A broker that answers and refuses tells more than one that is away."""

    problem: str
    fix: str
    refuses: bool = True


async def require_broker(connection: Connection) -> None:
    """Raise ``ServiceUnavailable``, with setting and fix, if no broker takes this connection."""
    given = await _tried(connection, connection.addresses)
    if all(isinstance(one, Told) for one in given.values()):
        raise _unavailable(given)
    # A broker that answers names the addresses of all: clients use those from then on.
    named = {address for one in given.values() if isinstance(one, list) for address in one}
    advertised = await _tried(connection, named - given.keys())
    if named and not any(isinstance((given | advertised).get(address), list) for address in named):
        fix = f"it names itself {', '.join(sorted(named))}, which does not answer from here: check advertised.listeners"
        raise ServiceUnavailable(SERVICE, fix)


def _unavailable(given: dict[str, Any]) -> ServiceUnavailable:
    address, told = max(given.items(), key=lambda item: item[1].refuses)
    return ServiceUnavailable(SERVICE, told.fix, told.problem, address)


async def _tried(connection: Connection, addresses: Iterable[str]) -> dict[str, list[str] | Told]:
    """By address, the addresses that the broker names, or what is wrong with it."""
    wanted = list(addresses)
    answers = await asyncio.gather(*(_try(connection, address) for address in wanted))
    return dict(zip(wanted, answers, strict=True))


async def _try(connection: Connection, address: str) -> list[str] | Told:
    options = connection.client_options()
    del options["bootstrap_servers"]
    where = HostPort.parse(address)
    opened = None
    try:
        async with asyncio.timeout(TRY_SECONDS):
            opened = await create_conn(where.host, where.port, **options)
            answer: Any = await opened.send(MetadataRequest([]))
        return [str(HostPort(broker[1], broker[2])) for broker in answer.brokers]
    except (OSError, KafkaError, TimeoutError) as error:
        return _told(error, connection)
    finally:
        if opened is not None:
            opened.close()


def _told(error: BaseException, connection: Connection) -> Told:
    if isinstance(error, UnsupportedSaslMechanismError):
        return Told("refuses the login", f"it does not take this mechanism: correct {LOGIN}MECHANISM")
    if isinstance(error, IllegalSaslStateError):
        return Told("refuses the login", f"it takes none on this port: correct {URL}, or remove {LOGIN}MECHANISM")
    if isinstance(error, AuthenticationFailedError | SaslAuthenticationFailed):
        return Told("refuses the login", f"check {LOGIN}USERNAME and {LOGIN}PASSWORD")
    if isinstance(error, socket.gaierror):
        return Told(AWAY, f"no such host name: correct {URL}, check the name service", refuses=False)
    if isinstance(error, ssl.SSLCertVerificationError):
        fix = f"its certificate is of no authority that we trust, or of another name: check {TLS}CA_FILE and {URL}"
        return Told("is not trusted", fix)
    if isinstance(error, ConnectionRefusedError):
        return Told(AWAY, f"nothing listens there: check {URL} and that it runs", refuses=False)
    if isinstance(error, TimeoutError):
        fix = f"no answer within {TRY_SECONDS:.0f} s: check {URL}, and that no firewall is between"
        return Told(AWAY, fix + _missing(connection), refuses=False)
    return Told("closes the connection", f"check {URL}{_missing(connection)}")


def _missing(connection: Connection) -> str:
    """What a broker that hangs up without a word may want, or may not want."""
    wants = []
    if connection.tls is None:
        wants.append(f"it wants TLS ({TLS}ENABLED)")
    elif not connection.certificate:
        wants.append(f"it has no TLS on this port (remove {TLS}*), or wants a certificate ({TLS}CERTIFICATE_FILE)")
    if connection.sasl is None:
        wants.append(f"it wants a login ({LOGIN}MECHANISM)")
    return f"; perhaps {', or '.join(wants)}" if wants else ""
