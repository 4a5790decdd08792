"""Our VASP profile, as the policy carries it."""

from __future__ import annotations

from pydantic import BaseModel

from travelrule.identity.profile import VaspProfile
from travelrule.policy.policy import Policy

KOREA = "KR"


def own_profile(policy: Policy) -> VaspProfile | None:
    """Return our profile for payloads; None if it is not set."""
    profile: BaseModel | None = policy.own.profile
    return profile if isinstance(profile, VaspProfile) else None
