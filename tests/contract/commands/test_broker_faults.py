"""A broker that cannot be used: each command that needs it names the setting and what to do, never the password."""

from __future__ import annotations

import pytest

from tests.services.ports import free_port
from tests.services.secured_kafka import PASSWORD, SecuredKafka
from tests.support.command_line import Answer, Cli, dead_letter, withdraw

pytestmark = pytest.mark.services

COMMANDS = [
    ("serve", "worker"),
    ("topics", "apply"),
    ("topics", "apply", "--check"),
    ("decide", "withdrawal:w-1", "deny", "--actor", "o", "--reason", "r"),
]


def refused(answer: Answer, *told: str) -> None:
    """One line with the fix, and no secret."""
    assert (answer.code, answer.out) == (3, ""), answer
    for text in told:
        assert text in answer.err, answer.err
    assert len(answer.err.splitlines()) == 1, answer.err
    assert "Planted" not in answer.err


def login(kafka: SecuredKafka, password: str = PASSWORD, mechanism: str = "PLAIN", user: str = "app") -> dict[str, str]:
    """The settings of a login."""
    return {
        "BROKER_URL": f"kafka://{kafka.login}",
        "BROKER_SASL_MECHANISM": mechanism,
        "BROKER_SASL_USERNAME": user,
        "BROKER_SASL_PASSWORD": password,
    }


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_login_that_is_refused(installed: Cli, secured_kafka: SecuredKafka, words: tuple[str, ...]) -> None:
    installed.within(withdraw)
    installed.set(**login(secured_kafka, "Wrong-Planted"))
    answer = installed.run(*words)
    refused(answer, "broker refuses the login", "TRAVELRULE_BROKER_SASL_USERNAME", "TRAVELRULE_BROKER_SASL_PASSWORD")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_port_where_nothing_listens(installed: Cli, words: tuple[str, ...]) -> None:
    installed.within(withdraw)
    port = free_port()
    installed.set(BROKER_URL=f"kafka://127.0.0.1:{port}")
    refused(
        installed.run(*words),
        "broker could not be reached",
        f"127.0.0.1:{port}: nothing listens there",
        "TRAVELRULE_BROKER_URL",
    )


def test_a_replay_of_a_dead_letter(installed: Cli) -> None:
    installed.within(dead_letter)
    (letter,) = installed.ask("dead-letters", "list").lines
    installed.set(BROKER_URL=f"kafka://127.0.0.1:{free_port()}")
    refused(installed.run("dead-letters", "replay", letter["id"]), "broker could not be reached", "nothing listens")


def test_the_right_login_and_the_right_authority_are_taken(installed: Cli, secured_kafka: SecuredKafka) -> None:
    installed.set(TOPIC_PREFIX="secured.", **login(secured_kafka))
    assert installed.ask("topics", "apply").code == 0
    tls = {"BROKER_URL": f"kafka://{secured_kafka.tls}", "BROKER_TLS_CA_FILE": str(secured_kafka.authority)}
    installed.set(TOPIC_PREFIX="secured.", **tls)
    assert installed.ask("topics", "apply", "--check").code == 0


def test_every_other_way_to_get_it_wrong(installed: Cli, secured_kafka: SecuredKafka) -> None:
    """Each with the setting that would correct it."""
    kafka = secured_kafka
    tls = {"BROKER_URL": f"kafka://{kafka.tls}"}
    cases: list[tuple[dict[str, str], tuple[str, ...]]] = [
        (
            login(kafka, mechanism="SCRAM-SHA-256"),
            ("refuses the login", "this mechanism", "TRAVELRULE_BROKER_SASL_MECHANISM"),
        ),
        ({"BROKER_URL": f"kafka://{kafka.login}"}, ("closes the connection", "TRAVELRULE_BROKER_SASL_")),
        (
            login(kafka) | {"BROKER_URL": f"kafka://{kafka.bootstrap}"},
            ("takes none on this port", "TRAVELRULE_BROKER_SASL_MECHANISM"),
        ),
        (tls | {"BROKER_TLS_ENABLED": "true"}, ("is not trusted", "certificate", "TRAVELRULE_BROKER_TLS_CA_FILE")),
        (tls | {"BROKER_TLS_CA_FILE": str(kafka.stranger)}, ("certificate", "TRAVELRULE_BROKER_TLS_CA_FILE")),
        (tls, ("TLS", "TRAVELRULE_BROKER_TLS_ENABLED")),
        ({"BROKER_URL": f"kafka://{kafka.bootstrap}", "BROKER_TLS_ENABLED": "true"}, ("no TLS", "BROKER_TLS_")),
        ({"BROKER_URL": "kafka://no-such-host.invalid:9092"}, ("host name", "TRAVELRULE_BROKER_URL")),
        ({"BROKER_TLS_CA_FILE": "none.pem", **tls}, ("no such file", "TRAVELRULE_BROKER_TLS_CA_FILE")),
    ]
    for settings, told in cases:
        installed.set(**settings)
        answer = installed.run("topics", "apply", "--check")
        if "none.pem" in settings.values():
            assert answer.code == 2
            answer = Answer(3, answer.out, answer.err)
        refused(answer, *told)


def test_one_broker_of_several_that_answers_is_enough(installed: Cli, secured_kafka: SecuredKafka) -> None:
    installed.set(BROKER_URL=f"kafka://127.0.0.1:{free_port()},{secured_kafka.bootstrap}", TOPIC_PREFIX="two.")
    assert installed.ask("topics", "apply").code == 0
