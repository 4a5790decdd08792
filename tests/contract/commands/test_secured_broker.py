"""A broker with encryption and logins: the right settings are taken, and each wrong one is named by every command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.commands.test_broker_faults import COMMANDS, refused
from tests.services.secured_kafka import PASSWORD, SecuredKafka
from tests.support.authority import Authority
from tests.support.command_line import Cli, withdraw
from tests.unit.commands.test_doctor import checks

pytestmark = pytest.mark.services

Given = dict[str, str]
PREFIX = "TRAVELRULE_BROKER_"


def sasl(kafka: SecuredKafka, mechanism: str, password: str = PASSWORD) -> Given:
    """A login over TLS."""
    return {
        "BROKER_URL": f"kafka://{kafka.sasl}",
        "BROKER_TLS_CA_FILE": str(kafka.issuer.path),
        "BROKER_SASL_MECHANISM": mechanism,
        "BROKER_SASL_USERNAME": "app",
        "BROKER_SASL_PASSWORD": password,
    }


def mutual(kafka: SecuredKafka, pair: tuple[Path, Path] | None) -> Given:
    """A certificate in place of a login."""
    given = {"BROKER_URL": f"kafka://{kafka.mutual}", "BROKER_TLS_CA_FILE": str(kafka.issuer.path)}
    if pair is not None:
        given |= {"BROKER_TLS_CERTIFICATE_FILE": str(pair[0]), "BROKER_TLS_KEY_FILE": str(pair[1])}
    return given


def of_localhost(given: Given) -> Given:
    """The same broker by a name that its certificate does not have."""
    return given | {"BROKER_URL": given["BROKER_URL"].replace("127.0.0.1", "localhost")}


RIGHT: dict[str, Callable[[SecuredKafka], Given]] = {
    "SCRAM over TLS": lambda kafka: sasl(kafka, "SCRAM-SHA-512"),
    "PLAIN over TLS": lambda kafka: sasl(kafka, "PLAIN"),
    "mutual TLS": lambda kafka: mutual(kafka, kafka.issuer.issue("app")),
}

WRONG: dict[str, tuple[Callable[[SecuredKafka], Given], tuple[str, ...]]] = {
    "password of SCRAM": (
        lambda kafka: sasl(kafka, "SCRAM-SHA-512", "Wrong-Planted"),
        ("refuses the login", f"{PREFIX}SASL_USERNAME", f"{PREFIX}SASL_PASSWORD"),
    ),
    "password of PLAIN": (
        lambda kafka: sasl(kafka, "PLAIN", "Wrong-Planted"),
        ("refuses the login", f"{PREFIX}SASL_USERNAME", f"{PREFIX}SASL_PASSWORD"),
    ),
    "authority": (
        lambda kafka: sasl(kafka, "PLAIN") | {"BROKER_TLS_CA_FILE": str(kafka.stranger)},
        ("is not trusted", "no authority that we trust", f"{PREFIX}TLS_CA_FILE"),
    ),
    "expired certificate of the broker": (
        lambda kafka: mutual(kafka, None) | {"BROKER_URL": f"kafka://{kafka.expired}"},
        ("is not trusted", "has expired", f"{PREFIX}URL"),
    ),
    "name": (
        lambda kafka: of_localhost(sasl(kafka, "PLAIN")),
        ("is not trusted", "another name", f"{PREFIX}URL"),
    ),
    "no certificate": (
        lambda kafka: mutual(kafka, None),
        ("wants a certificate", f"{PREFIX}TLS_CERTIFICATE_FILE", f"{PREFIX}TLS_KEY_FILE"),
    ),
    "expired certificate": (
        lambda kafka: mutual(kafka, kafka.issuer.issue("late-app", expired=True)),
        ("refuses our certificate", f"{PREFIX}TLS_CERTIFICATE_FILE expired on", "renew"),
    ),
    "certificate of a stranger": (
        lambda kafka: mutual(kafka, Authority(kafka.issuer.folder, "other-issuer").issue("other-app")),
        ("refuses our certificate", "no authority that it trusts", f"{PREFIX}TLS_CERTIFICATE_FILE"),
    ),
    "login over plain text": (
        lambda kafka: {name: value for name, value in sasl(kafka, "PLAIN").items() if "TLS" not in name},
        ("perhaps it wants TLS", f"{PREFIX}TLS_ENABLED"),
    ),
}


@pytest.mark.parametrize("given", RIGHT.values(), ids=RIGHT)
def test_each_way_to_prove_who_one_is(
    installed: Cli, secured_kafka: SecuredKafka, given: Callable[[SecuredKafka], Given]
) -> None:
    installed.set(TOPIC_PREFIX="ways.", **given(secured_kafka))
    assert installed.ask("topics", "apply").code == 0
    assert checks(installed, 1)["broker and topics"]["ok"]


@pytest.mark.parametrize(("given", "told"), WRONG.values(), ids=WRONG)
def test_each_fault_is_named_by_every_command(
    installed: Cli,
    secured_kafka: SecuredKafka,
    given: Callable[[SecuredKafka], Given],
    told: tuple[str, ...],
) -> None:
    installed.within(withdraw)
    installed.set(**given(secured_kafka))
    for words in COMMANDS:
        refused(installed.run(*words), "broker ", *told)
    found = checks(installed, 1)["broker"]
    for text in told:
        assert text in found["detail"] + found["fix"], found
    assert "Planted" not in str(found)
