"""Why a handshake failed, in the words of an operator: each cause with its setting."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from tests.support.authority import Authority
from travelrule.client_tls import ClientTls

PREFIX, URL = "TRAVELRULE_X_TLS_", "TRAVELRULE_X_URL"


def refusal(client: ssl.SSLContext, certificate: tuple[Path, Path], name: str) -> ssl.SSLError:
    """The error of a handshake without a socket, in which the client looks for a server of this name."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(*certificate)
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(to_client, to_server, server_hostname=name),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    for end in ends * 3:
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            continue
        except ssl.SSLError as error:
            return error
    raise AssertionError("the handshake succeeded")


@pytest.mark.parametrize(
    ("name", "expired", "own", "told"),
    [
        ("127.0.0.1", True, True, ("has expired", URL)),
        ("localhost", False, True, ("of another name", URL)),
        ("127.0.0.2", False, True, ("of another name", URL)),
        ("127.0.0.1", False, False, ("no authority that we trust", f"{PREFIX}CA_FILE")),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_certificate_of_the_service(
    tmp_path: Path, name: str, expired: bool, own: bool, told: tuple[str, ...], wrapped: bool
) -> None:
    authority = Authority(tmp_path, "authority")
    trusted = authority if own else Authority(tmp_path, "stranger")
    tls = ClientTls(PREFIX, URL, trusted.path)
    error: BaseException = refusal(tls.context(), authority.issue("service", expired=expired), name)
    if wrapped:  # as drivers do
        outer = OSError("connection lost")
        outer.__cause__ = error
        error = outer
    fault = tls.fault(error)
    assert fault is not None
    assert fault.problem == "is not trusted"
    for text in told:
        assert text in fault.fix


def test_our_own_certificate(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "authority")
    files = (PREFIX, URL, authority.path)
    assert f"set {PREFIX}CERTIFICATE_FILE and {PREFIX}KEY_FILE" in ClientTls(*files).refused_certificate().fix
    good = ClientTls(*files, *authority.issue("good"))
    assert good.certificate_age() == ""
    assert "no authority that it trusts" in good.refused_certificate().fix
    late = ClientTls(*files, *authority.issue("late", expired=True))
    assert late.certificate_age().startswith("expired on ")
    assert f"{PREFIX}CERTIFICATE_FILE expired on" in late.refused_certificate().fix


def test_what_is_no_fault_of_tls() -> None:
    assert ClientTls(PREFIX, URL).fault(ConnectionRefusedError()) is None


def test_a_service_without_settings_of_its_own_names_openssls(tmp_path: Path) -> None:
    tls = ClientTls("", URL)
    fault = tls.fault(refusal(tls.context(), Authority(tmp_path, "private").issue("hub"), "127.0.0.1"))
    assert fault is not None
    assert "SSL_CERT_FILE" in fault.fix
