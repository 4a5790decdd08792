"""Two VASPs, `north` and `south`: their profiles, their policies, the time and the salts of their tests."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from travelrule.identity.profile import VaspProfile
from travelrule.policy.policy import OwnVasp, Policy

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
SALTS = UUID("7a0f4c1e-0000-4000-8000-000000000001")
PROFILE = VaspProfile.from_toml(
    'legal_name = "North Exchange Ltd."\ncountry_of_registration = "SG"\n[address]\ntown = "Singapore"\ncountry = "SG"'
)
SOUTH_PROFILE = PROFILE.model_copy(update={"legal_name": "South Exchange Ltd."})
NORTH = OwnVasp("north", "code:north", PROFILE)
SOUTH = OwnVasp("south", "code:south", SOUTH_PROFILE)


def policy(text: str = "", own: OwnVasp = NORTH) -> Policy:
    """The rules of a test; without the lists unless it names them."""
    return Policy.from_toml(text if "sanctions" in text else f'sanctions = "off"\n{text}').with_own(own)
