"""The own profile that the policy carries."""

from __future__ import annotations

from pydantic import BaseModel

from travelrule.identity.profile import VaspProfile
from travelrule.policy.policy import Policy

KOREA = "KR"


def own_profile(policy: Policy) -> VaspProfile | None:
    """Who we are, as the payloads need it."""
    profile: BaseModel | None = policy.own.profile
    return profile if isinstance(profile, VaspProfile) else None
