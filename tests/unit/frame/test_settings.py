"""Settings: what an operator can get wrong, and that secrets stay secret."""

import base64
from ipaddress import ip_network
from pathlib import Path

import pytest
from pydantic import ValidationError

from travelrule.errors import ConfigurationError
from travelrule.settings import HostPort, Settings

SEED = base64.b64encode(bytes(range(32))).decode()
OTHER = base64.b64encode(bytes(range(1, 33))).decode()


def faults(environ: dict[str, str]) -> dict[str, str]:
    with pytest.raises(ConfigurationError) as caught:
        Settings.load(environ)
    return {fault.name: fault.fix for fault in caught.value.faults}


def test_defaults_are_those_of_the_contract() -> None:
    settings = Settings.load({})
    assert settings.broker_url == "embedded://"
    assert settings.embedded_broker
    assert settings.database_url == "sqlite+aiosqlite:///data/travelrule.sqlite3"
    assert settings.hub_screening_prefix == "partner"
    assert [str(settings.gateway_listen), str(settings.console_listen), str(settings.metrics_listen)] == [
        "127.0.0.1:8080",
        "127.0.0.1:8081",
        "127.0.0.1:9100",
    ]
    assert settings.directory_refresh_seconds == 3600
    assert settings.health_refresh_seconds == 20
    assert (settings.consumer_group, settings.topic_prefix) == ("travelrule", "travelrule.")
    assert settings.public_url is None
    assert settings.vasp_origin is None
    assert all(network.is_loopback for network in settings.gateway_sources)


def test_defaults_that_follow_other_settings() -> None:
    settings = Settings.load({"TRAVELRULE_DATA_DIR": "/var/lib/north", "TRAVELRULE_VASP_ENTITY_ID": "north"})
    assert settings.database_url == "sqlite+aiosqlite:////var/lib/north/travelrule.sqlite3"
    assert settings.vasp_origin == "code:north"
    assert Settings.load({"TRAVELRULE_VASP_ORIGIN": "verifyvasp:15"}).vasp_origin == "verifyvasp:15"


def test_every_fault_is_named_at_once_with_its_fix() -> None:
    found = faults(
        {
            "TRAVELRULE_HUB_ULR": "http://hub",
            "TRAVELRULE_METRICS_LISTEN": "9100",
            "TRAVELRULE_SIGNING_KEY": "c2hvcnQ=",
            "TRAVELRULE_LOG_FORMAT": "xml",
            "TRAVELRULE_DIRECTORY_REFRESH_SECONDS": "0",
            "TRAVELRULE_DATABASE_URL": "postgres://db/travelrule",
        }
    )
    assert found.keys() == {
        "TRAVELRULE_HUB_ULR",
        "TRAVELRULE_METRICS_LISTEN",
        "TRAVELRULE_SIGNING_KEY",
        "TRAVELRULE_LOG_FORMAT",
        "TRAVELRULE_DIRECTORY_REFRESH_SECONDS",
        "TRAVELRULE_DATABASE_URL",
    }
    assert "did you mean TRAVELRULE_HUB_URL?" in found["TRAVELRULE_HUB_ULR"]
    assert "host:port" in found["TRAVELRULE_METRICS_LISTEN"]
    assert "postgresql+asyncpg://" in found["TRAVELRULE_DATABASE_URL"]


@pytest.mark.parametrize(
    "name",
    [
        "TRAVELRULE_SERVICE_HOST",
        "TRAVELRULE_PORT",
        "TRAVELRULE_GATEWAY_PORT",
        "TRAVELRULE_GATEWAY_SERVICE_HOST",
        "TRAVELRULE_GATEWAY_SERVICE_PORT",
        "TRAVELRULE_GATEWAY_SERVICE_PORT_HTTP",
        "TRAVELRULE_GATEWAY_PORT_8080_TCP_ADDR",
        "TRAVELRULE_NORTH_CONSOLE_PORT_8081_TCP",
        "TRAVELRULE_TEST_SHARED",
    ],
)
def test_names_that_kubernetes_or_the_tests_set_are_let_through(name: str) -> None:
    assert Settings.load({name: "tcp://10.0.0.1:80"}).hub_url is None


@pytest.mark.parametrize(
    "name", ["TRAVELRULE_GATEWAY_PORTS", "TRAVELRULE_HOST", "TRAVELRULE_hub_url", "TRAVELRULE_HUB_URL_FILE"]
)
def test_other_unknown_names_are_errors(name: str) -> None:
    assert "is not a setting" in faults({name: "http://hub"})[name]


def test_names_of_other_programs_and_empty_values_are_not_ours() -> None:
    settings = Settings.load({"TRAVELRULES": "x", "PATH": "/bin", "TRAVELRULE_HUB_URL": "  "})
    assert settings.hub_url is None


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "seed"
    file.write_text(SEED + "\n", encoding="utf-8")
    settings = Settings.load({"TRAVELRULE_SIGNING_KEY_FILE": str(file)})
    assert settings.signing_key is not None
    assert settings.signing_key.get_secret_value() == SEED
    database = tmp_path / "dsn"
    database.write_text("postgresql+asyncpg://tr:secret@db/tr\n", encoding="utf-8")
    assert "secret@" in Settings.load({"TRAVELRULE_DATABASE_URL_FILE": str(database)}).database_url


def test_faults_of_secret_files(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    found = faults(
        {
            "TRAVELRULE_SIGNING_KEY": SEED,
            "TRAVELRULE_SIGNING_KEY_FILE": str(empty),
            "TRAVELRULE_STORAGE_KEYS_FILE": str(empty),
            "TRAVELRULE_INDEX_KEY_FILE": str(tmp_path / "absent"),
        }
    )
    assert "keep one of the two" in found["TRAVELRULE_SIGNING_KEY"]
    assert "empty file" in found["TRAVELRULE_STORAGE_KEYS_FILE"]
    assert "cannot be read" in found["TRAVELRULE_INDEX_KEY_FILE"]


def test_keys_have_the_right_size_and_number() -> None:
    two = Settings.load({"TRAVELRULE_SIGNING_KEY": f"{SEED},{OTHER}", "TRAVELRULE_STORAGE_KEYS": f"{SEED}, {OTHER}"})
    assert two.signing_key is not None
    found = faults(
        {
            "TRAVELRULE_STORAGE_KEYS": base64.b64encode(bytes(16)).decode(),
            "TRAVELRULE_AUDIT_KEY": f"{SEED},{OTHER}",
            "TRAVELRULE_INDEX_KEY": "not base64 at all",
        }
    )
    assert found.keys() == {"TRAVELRULE_STORAGE_KEYS", "TRAVELRULE_AUDIT_KEY", "TRAVELRULE_INDEX_KEY"}


def test_no_secret_shows_in_a_repr_or_an_error() -> None:
    secret = "postgresql+asyncpg://tr:hunter2@db/tr"
    settings = Settings.load(
        {"TRAVELRULE_SIGNING_KEY": SEED, "TRAVELRULE_STORAGE_KEYS": OTHER, "TRAVELRULE_DATABASE_URL": secret}
    )
    for shown in (repr(settings), str(settings)):
        assert SEED not in shown
        assert OTHER not in shown
        assert "hunter2" not in shown
    with pytest.raises(ConfigurationError) as caught:
        Settings.load({"TRAVELRULE_SIGNING_KEY": SEED[:-6], "TRAVELRULE_DATABASE_URL": "mysql://tr:hunter2@db"})
    assert SEED[:10] not in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_settings_are_frozen_and_hermetic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAVELRULE_HUB_URL", "http://from-the-environment")
    settings = Settings(vasp_entity_id="north")
    assert settings.hub_url is None
    with pytest.raises(ValidationError):
        settings.vasp_entity_id = "south"  # type: ignore[misc]


def test_the_environment_is_read_and_wins_over_dotenv(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "TRAVELRULE_HUB_URL=http://from-dotenv/\nTRAVELRULE_VASP_ENTITY_ID=north\nOTHER=1\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRAVELRULE_HUB_URL", "http://from-the-environment/")
    settings = Settings.load()
    assert settings.hub_url == "http://from-the-environment"
    assert settings.vasp_entity_id == "north"


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:8080", "127.0.0.1", 8080),
        (":9100", "127.0.0.1", 9100),
        ("[::1]:80", "::1", 80),
        ("0.0.0.0:0", "0.0.0.0", 0),
    ],
)
def test_listen_addresses(text: str, host: str, port: int) -> None:
    parsed = HostPort.parse(text)
    assert (parsed.host, parsed.port) == (host, port)
    assert HostPort.parse(str(parsed)) == parsed


@pytest.mark.parametrize("text", ["8080", "localhost", "::1:80", "h:65536", "h:-1", "h:８０", "", ":", "[::1:80"])
def test_wrong_listen_addresses(text: str) -> None:
    with pytest.raises(ValueError, match="host:port"):
        HostPort.parse(text)


def test_networks_and_brokers() -> None:
    settings = Settings.load(
        {
            "TRAVELRULE_GATEWAY_SOURCES": "10.1.0.0/16, ::1/128",
            "TRAVELRULE_BROKER_URL": "kafka://a:9092,b:9093",
        }
    )
    assert settings.gateway_sources == (ip_network("10.1.0.0/16"), ip_network("::1/128"))
    assert settings.broker_addresses == ("a:9092", "b:9093")
    assert faults({"TRAVELRULE_GATEWAY_SOURCES": "10.1.0.1/16", "TRAVELRULE_BROKER_URL": "kafka://:9092"}).keys() == {
        "TRAVELRULE_GATEWAY_SOURCES",
        "TRAVELRULE_BROKER_URL",
    }


def test_settings_that_need_each_other() -> None:
    found = faults({"TRAVELRULE_BROKER_SASL_MECHANISM": "PLAIN", "TRAVELRULE_GATEWAY_TLS_CLIENT_CA_FILE": "ca.pem"})
    assert found == {
        "TRAVELRULE_BROKER_SASL_USERNAME": "is needed with TRAVELRULE_BROKER_SASL_MECHANISM",
        "TRAVELRULE_GATEWAY_TLS_CERTIFICATE_FILE": "is needed with TRAVELRULE_GATEWAY_TLS_CLIENT_CA_FILE",
    }


def test_require_names_all_that_is_missing() -> None:
    settings = Settings(hub_url="http://hub")
    settings.require("hub_url")
    with pytest.raises(ConfigurationError) as caught:
        settings.require("hub_url", "signing_key", "index_key")
    assert [fault.name for fault in caught.value.faults] == ["TRAVELRULE_SIGNING_KEY", "TRAVELRULE_INDEX_KEY"]
    assert caught.value.exit_code == 2
