"""What the network of a robot requires beyond the common rules (ivms101.md section 7).

Written from the table and not shared with the program's checks, which robots serve to test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from travelrule.hub.body_shapes import absent
from travelrule.hub.members.member import HUB_ALLIANCE
from travelrule.identity.account_numbers import split_tag
from travelrule.sandbox.robots.robot_objects import accounts_of, object_of, persons_of
from travelrule.sandbox.robots.robot_requests import RobotFault

_STRICT = "gtr"


@dataclass(frozen=True, slots=True)
class RobotAlliance:
    """The network of a robot.

    ``affiliated``: it is not the hub's. ``strict``: its name begins with GTR, so it requires dates of birth of natural
    persons on both sides, and the address outside the payload.
    """

    affiliated: bool
    strict: bool

    @classmethod
    def named(cls, name: str) -> RobotAlliance:
        """Return the network of that ``allianceName``."""
        folded = name.casefold()
        return cls(affiliated=folded != HUB_ALLIANCE, strict=folded.startswith(_STRICT))

    def check_clear(self, body: dict[str, Any], ivms101: dict[str, Any]) -> None:
        """Check the clear fields of an address search or authorization. Raises ``RobotFault``."""
        if not self.strict:
            return
        tagged = any(split_tag(account)[1] for account in accounts_of(object_of(ivms101, "Beneficiary")))
        for name in ("address", "tag", "network") if tagged else ("address", "network"):
            if absent(body.get(name)):
                raise RobotFault("MISSING_REQUIRED_MSG_FIELD", f"{name} is missing")

    def lacks_birth(self, ivms101: dict[str, Any]) -> bool:
        """Whether a date of birth is missing that this network requires."""
        return self.strict and (
            _is_unborn(persons_of(object_of(ivms101, "Originator"), "originatorPersons"))
            or _is_unborn(persons_of(object_of(ivms101, "Beneficiary"), "beneficiaryPersons"))
        )


def _is_unborn(persons: list[dict[str, Any]]) -> bool:
    if any(person.get("legalPerson") for person in persons):
        return False
    births = (object_of(object_of(person, "naturalPerson"), "dateAndPlaceOfBirth") for person in persons)
    return any(absent(birth.get("dateOfBirth")) for birth in births)
