"""The files of a first installation: their texts, checked by the readers of the program before one is written."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from travelrule.commands.demo.lists import HEADER
from travelrule.commands.init.choices import InstallationChoices
from travelrule.environment import FILE_SUFFIX, PREFIX
from travelrule.errors import ConfigurationError, ConfigurationFault
from travelrule.identity.profile import VaspProfile
from travelrule.sandbox.world.world_file import parse_world
from travelrule.settings import HostPort, Settings

ENVIRONMENT, WORLD = "travelrule.env", "world.json"
COINS = {"XRP": ("XRP",), "BTC": ("BTC",), "ETH": ("ETH",), "USDC": ("ETH",), "USDT": ("ETH", "TRX")}
EXPIRY = "2031-01-01T00:00:00Z"

BROKER_SETTINGS = tuple(
    PREFIX + name.upper() + (FILE_SUFFIX if name.upper() in Settings.secret_names() else "")
    for name in Settings.model_fields
    if name.startswith(("broker_sasl_", "broker_tls_"))
)

DENIES = {"answers": "denied", "reasonType": "INPUT_NAME_MISMATCHED"}
EAST_WALLET = {
    "address": "1KzHK8WMRHRCvRjUV5PFny3v6fqT3UAY5K",
    "currency": "BTC",
    "owner": {"natural": {"lastName": "Okafor", "firstName": "Ngozi"}},
}
"""The only address of the second robot, so that a search finds the first one alone."""

POLICY = """\
# The rules of this VASP. This file is read at the first start only: `travelrule policy check FILE` tries a later
# version, `travelrule policy apply FILE` puts it in force.
sanctions = "required"        # without a list that was asked nothing is allowed
operator_override = false     # an operator cannot allow what no counterparty verified

[exemptions]
below_threshold = false       # also small transfers are sent to the counterparty
"""

OWN_LIST = f"""\
{HEADER}
Quentin Przykladov,example-1,person,,,1961-04-01,,invented,
"""
"""A list with one invented person."""


def contents(choices: InstallationChoices) -> dict[Path, str]:
    """Return the text of every file that is not secret, by path. Raise ``ConfigurationError`` with the faults of what
    was chosen; each names the setting, or the file and its field.
    """
    profile = _profile(choices)
    _check(choices, profile)
    files = {"profile.toml": profile, "policy.toml": POLICY, "lists/own-csv/own.csv": OWN_LIST}
    if choices.hub_url is None:
        files[WORLD] = _world(choices)
    files[ENVIRONMENT] = _environment(choices)
    return {choices.folder / name: text for name, text in files.items()}


def _check(choices: InstallationChoices, profile: str) -> None:
    """Raise one ``ConfigurationError`` for all faults."""
    _, faults = Settings.examine(choices.checked_settings())
    try:
        HostPort.parse(choices.sandbox_listen)
    except ValueError as error:
        faults.append(ConfigurationFault("--sandbox-listen", str(error)))
    try:
        VaspProfile.from_toml(profile)
    except ConfigurationError as error:
        faults.extend(error.faults)
    if faults:
        raise ConfigurationError.of(faults)


def _profile(choices: InstallationChoices) -> str:
    name, country = (json.dumps(text, ensure_ascii=False) for text in (choices.legal_name, choices.country))
    return f"""\
# What every authorization says about this VASP. Invented: write your own data before you send real transfers.
legal_name = {name}
country_of_registration = {country}

[address]
type = "GEOG"
lines = ["1 Example Road"]
town = "Example Town"
country = {country}
"""


def _environment(choices: InstallationChoices) -> str:
    lines = [
        "# The settings of this installation. In a shell: set -a; . FILE; set +a",
        "# In a systemd unit: EnvironmentFile=FILE. `travelrule doctor` checks them.",
    ]
    for name, value in choices.settings().items():
        if not value.isprintable():
            raise ConfigurationError(name, "write it on one line, without control characters")
        if "'" in value:
            raise ConfigurationError(name, "shells and systemd quote ' differently: name a path without it")
        lines.append(f"{name}={shlex.quote(value)}")
    if choices.hub_url is not None:
        lines += ["# The network that the hub calls from, and the URL under which it reaches the gateway:"]
        lines += [f"# {PREFIX}{name}=" for name in ("GATEWAY_SOURCES", "PUBLIC_URL")]
    if choices.has_kafka:
        lines += ["# A cluster with login and TLS needs some of these as well:", *map("# {}=".format, BROKER_SETTINGS)]
    return "\n".join(lines) + "\n"


def _world(choices: InstallationChoices) -> str:
    """The world of a sandbox that is this VASP's hub: two robots, named as in the examples of the events."""
    own = {
        "vaspEntityId": choices.entity_id,
        "vaspLegalName": choices.legal_name,
        "countryOfRegistration": choices.country,
        "pubkeys": [{"pubkey": choices.public_key, "expiresAt": EXPIRY}],
        "baseUrl": choices.gateway_url,
    }
    robots = [
        {"vaspEntityId": name, "vaspLegalName": legal_name, "countryOfRegistration": "DE", "robot": behaviour}
        for name, legal_name, behaviour in (
            ("south", "South Robot (invented)", {"answers": "verified"}),
            ("east", "East Robot (invented)", {**DENIES, "wallets": [EAST_WALLET]}),
        )
        if name != choices.entity_id
    ]
    networks = {coin: [{"network": network} for network in names] for coin, names in COINS.items()}
    world = {
        "members": [own, *robots],
        "coinNetworks": [{"coin": coin, "networkList": listed} for coin, listed in networks.items()],
        "healthIntervalSeconds": 1,
        "allowHttpCallbacks": True,
    }
    parse_world(world, WORLD)
    return json.dumps(world, indent=1, ensure_ascii=False) + "\n"
