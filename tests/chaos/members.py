"""Who takes part in a fault run besides north and south, and what stays the same when the hub is started again."""

from __future__ import annotations

import base64
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.chaos.subject import new_amount, new_txid
from travelrule.commands.demo.scenarios import ANNA, ERIK

ADDRESSES = {
    "north": "rNORTHkfTD9w2To4CQk6UCfuHM9c6GDY",
    "south": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
    "robot-eu": "rROBOT7kfTD9w2To4CQk6UCfuHM9c6GDYx",
}
TAG = "77001"
TAGS = tuple(str(88_001 + number) for number in range(40))
"""Customers of either VASP, beside the one that withdrawals go to."""
ROBOT_SENDER = "robot-payer"
"""A VASP that sends without announcing it."""
THIEF = "robot-thief"
"""A VASP that only forged callbacks name; nothing may be sent to it."""

POLICY = """
sanctions = "required"
[time_limits]
unreachable_retry = 2
status_search_after = 2
status_search_every = 2
status_search_limit = 3600
search_again = 2
search_limit = 60
data_request = 20

[searches]
attempts = 20

[assets.XRP]
"""
"""Short waits and many searches, because outages here are seconds long; a report is waited for however late it is."""


@dataclass(frozen=True, slots=True)
class Payment:
    """What a robot sent to a customer of ``vasp``."""

    txid: str
    vasp: str
    tag: str
    amount: str


def payments(rng: random.Random, count: int) -> list[Payment]:
    """What the robot will have sent."""
    return [
        Payment(new_txid(rng), rng.choice(("north", "south")), rng.choice(TAGS), new_amount(rng)) for _ in range(count)
    ]


def robots(sent: Sequence[Payment]) -> list[dict[str, Any]]:
    """The payer with its payments, and the thief. A robot without wallets would own every address."""
    wallets = [{"address": "1KzHK8WMRHRCvRjUV5PFny3v6fqT3UAY5K", "currency": "BTC", "owner": ANNA}]
    withdrawals = [
        {
            "txid": one.txid,
            "address": f"{ADDRESSES[one.vasp]}:{one.tag}",
            "currency": "XRP",
            "amount": one.amount,
            "originator": ANNA,
            "beneficiary": ERIK,
        }
        for one in sent
    ]
    return [
        _robot(ROBOT_SENDER, {"wallets": wallets, "withdrawals": withdrawals}),
        _robot(THIEF, {"wallets": wallets}),
    ]


def _robot(entity_id: str, behaviour: dict[str, Any]) -> dict[str, Any]:
    return {
        "vaspEntityId": entity_id,
        "vaspLegalName": entity_id.replace("-", " ").title(),
        "countryOfRegistration": "DE",
        "allianceName": "code",
        "robot": {"answers": "verified", **behaviour},
    }


def with_lasting_keys(world: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same world with a key for the hub and each robot, which would make new ones at each start."""
    world["hub"] = {"seed": _seed(rng)}
    for member in world["members"]:
        if "robot" in member:
            member["robot"]["seed"] = _seed(rng)
    return world


def _seed(rng: random.Random) -> str:
    return base64.b64encode(rng.randbytes(32)).decode()
