"""Why the hub cannot be called, for an operator: what is wrong, the setting, and what to do."""

from __future__ import annotations

import socket
from dataclasses import dataclass

import aiohttp

from travelrule.client.errors import BadAnswer, HubError, HubUnavailable, NoAnswer
from travelrule.client_tls import ClientTls
from travelrule.environment import PREFIX

URL, KEY = f"{PREFIX}HUB_URL", f"{PREFIX}SIGNING_KEY"
NOT_FOUND = 404
_REGISTER = f"have the hub's operator register the public key of {KEY} (`travelrule keys show`), or give the right key"


@dataclass(frozen=True, slots=True)
class HubDiagnosis:
    """What is wrong, and what to do."""

    problem: str
    fix: str


def diagnosis_of(error: HubError) -> HubDiagnosis:
    """Diagnose the failure of a signed request without a body to the hub itself."""
    if isinstance(error, NoAnswer):
        return unreached(error)
    code = error.error_code
    if isinstance(error, BadAnswer) or (error.status == NOT_FOUND and not code):
        return HubDiagnosis(f"what answers is no hub (HTTP {error.status})", f"correct host and path of {URL}")
    match code:
        case "INVALID_HEADER_SIGNATURE":
            return HubDiagnosis(f"refuses our key or signature ({code})", _REGISTER)
        case "INVALID_MSG_FIELD_VALUE":
            # The time is the only field of such a request that depends on the machine.
            return HubDiagnosis(f"refuses our time ({code})", "see the check of the clock: set it by NTP")
        case "INVALID_ORIGIN" | "ILLEGAL_FORMAT_OF_ORIGIN":
            fix = f"correct {PREFIX}VASP_ORIGIN and {PREFIX}VASP_ENTITY_ID, or have the hub's operator list us"
            return HubDiagnosis(f"does not know us ({code})", fix)
        case "TOO_MANY_REQUESTS":
            return HubDiagnosis(f"limits our requests ({code})", "try again in a minute")
    if isinstance(error, HubUnavailable):
        return HubDiagnosis(
            f"cannot serve now ({code or f'HTTP {error.status}'})", "try again; tell the hub's operator"
        )
    return HubDiagnosis(
        f"refuses the request ({code or f'HTTP {error.status}'})", f"check {URL}, and ask the hub's operator"
    )


def unreached(error: BaseException) -> HubDiagnosis:
    """Diagnose the failure of a connection to the hub, or of ``NoAnswer``, which has it as its cause."""
    cause = error.__cause__ or error
    inner = getattr(cause, "os_error", None) or cause.__cause__ or cause
    if isinstance(cause, aiohttp.ClientConnectorCertificateError | aiohttp.ClientConnectorSSLError):
        fault = ClientTls("", URL).fault(cause)
        fix = fault.fix if fault else f"check {URL}, and whether the hub's certificate is one that we trust"
        return HubDiagnosis("not reachable: TLS fails", fix)
    if isinstance(cause, aiohttp.ClientConnectorDNSError) or isinstance(inner, socket.gaierror):
        return HubDiagnosis("not reachable: no such host name", f"correct {URL}, check the name service")
    if isinstance(inner, ConnectionRefusedError):
        return HubDiagnosis("not reachable: nothing listens there", f"check {URL}, and that the hub runs")
    if isinstance(error, NoAnswer) and error.sent_maybe and not isinstance(cause, TimeoutError):
        return HubDiagnosis("not reachable: the connection broke", f"check {URL}, and what stands before the hub")
    return HubDiagnosis("not reachable: no answer in time", f"check {URL}, and that no firewall is between")
