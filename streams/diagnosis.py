"""Why no broker can be used, for an operator: the problem, the setting, and the fix.

The client library only reports that it reached none of the brokers, and logs the reasons. Here each address is tried by
itself in the same steps: name, port, TLS, login, first answer. A refusal by one broker is reported before a failure to
reach another.
"""

from __future__ import annotations

import asyncio
import socket
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

from streams.connection import LOGIN, TLS, URL, Connection
from travelrule.errors import ServiceUnavailable
from travelrule.setting_types import HostPort

TRY_SECONDS = 8.0
SERVICE = "broker"
AWAY = "could not be reached"


@dataclass(frozen=True, slots=True)
class BrokerFault:
    """The fault of one address. A refusal is more specific than an unreachable broker."""

    problem: str
    fix: str
    refuses: bool = True


async def require_broker(connection: Connection) -> None:
    """Raise ``ServiceUnavailable``, with setting and fix, if no broker accepts this connection."""
    given = await _tried(connection, connection.addresses)
    if all(isinstance(one, BrokerFault) for one in given.values()):
        raise _unavailable(given)
    # A broker advertises the addresses of all brokers: clients use those from then on.
    named = {address for one in given.values() if isinstance(one, list) for address in one}
    advertised = await _tried(connection, named - given.keys())
    if named and not any(isinstance((given | advertised).get(address), list) for address in named):
        fix = f"it names itself {', '.join(sorted(named))}, which does not answer from here: check advertised.listeners"
        raise ServiceUnavailable(SERVICE, fix)


def _unavailable(given: dict[str, Any]) -> ServiceUnavailable:
    address, fault = max(given.items(), key=lambda item: item[1].refuses)
    return ServiceUnavailable(SERVICE, fault.fix, fault.problem, address)


async def _tried(connection: Connection, addresses: Iterable[str]) -> dict[str, list[str] | BrokerFault]:
    """Return, by address, the addresses that the broker advertises, or its fault."""
    wanted = list(addresses)
    answers = await asyncio.gather(*(_try(connection, address) for address in wanted))
    return dict(zip(wanted, answers, strict=True))


async def _try(connection: Connection, address: str) -> list[str] | BrokerFault:
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
        return _fault(error, connection)
    finally:
        if opened is not None:
            opened.close()


def _fault(error: BaseException, connection: Connection) -> BrokerFault:
    if isinstance(error, UnsupportedSaslMechanismError):
        return BrokerFault("refuses the login", f"it does not take this mechanism: correct {LOGIN}MECHANISM")
    if isinstance(error, IllegalSaslStateError):
        return BrokerFault(
            "refuses the login", f"it takes none on this port: correct {URL}, or remove {LOGIN}MECHANISM"
        )
    if isinstance(error, AuthenticationFailedError | SaslAuthenticationFailed):
        return BrokerFault("refuses the login", f"check {LOGIN}USERNAME and {LOGIN}PASSWORD")
    if isinstance(error, socket.gaierror):
        return BrokerFault(AWAY, f"no such host name: correct {URL}, check the name service", refuses=False)
    if connection.tls is not None and (tls := connection.files.fault(error)) is not None:
        return BrokerFault(tls.problem, tls.fix)
    if isinstance(error, ConnectionRefusedError):
        return BrokerFault(AWAY, f"nothing listens there: check {URL} and that it runs", refuses=False)
    if isinstance(error, TimeoutError):
        fix = f"no answer within {TRY_SECONDS:.0f} s: check {URL}, and that no firewall is between"
        return BrokerFault(AWAY, fix + _missing(connection), refuses=False)
    return BrokerFault("closes the connection", f"check {URL}{_missing(connection)}")


def _missing(connection: Connection) -> str:
    """Return what a broker that closes the connection may require, or may not support."""
    wants = []
    if connection.tls is None:
        wants.append(f"it wants TLS ({TLS}ENABLED)")
    elif dated := connection.files.certificate_age():
        wants.append(f"it refuses our certificate: {TLS}CERTIFICATE_FILE {dated}")
    elif connection.files.certificate is None:
        wants.append(f"it has no TLS on this port (remove {TLS}*), or wants a certificate ({TLS}CERTIFICATE_FILE)")
    if connection.sasl is None:
        wants.append(f"it wants a login ({LOGIN}MECHANISM)")
    return f"; perhaps {', or '.join(wants)}" if wants else ""
