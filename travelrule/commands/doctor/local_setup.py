"""The checks without a network: the packages, the settings, and the files that they name."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import packages_distributions

from travelrule.bootstrap.installation import INSTALLATION_SETTINGS, keyring, load_profile
from travelrule.commands.doctor.check import SETTINGS, Check
from travelrule.errors import ConfigurationError, ConfigurationFault
from travelrule.settings import Settings

ROOTS = ("streams", "agents", "schemas", "travelrule")


async def packages(_: Settings) -> Check:
    """Whether the import names of the wheel are ours alone."""
    owners = packages_distributions()
    foreign = [root for root in ROOTS if set(owners.get(root, ["travelrule"])) - {"travelrule"}]
    if foreign:
        fix = "install travelrule in an environment of its own"
        return Check("packages", ok=False, detail=f"another distribution owns {', '.join(foreign)}", fix=fix)
    return Check("packages", ok=True, detail="no other distribution owns an import name of this program")


async def settings_and_keys(settings: Settings, faults: Sequence[ConfigurationFault]) -> Check:
    """Whether every setting is right, and everything is set that each role needs."""
    if faults:
        raise ConfigurationError.of(faults)
    settings.require(*INSTALLATION_SETTINGS)
    detail = f"{settings.vasp_entity_id}, {len(keyring(settings).publics)} signing key(s)"
    return Check(SETTINGS, ok=True, detail=detail)


async def profile(settings: Settings) -> Check:
    """Whether the profile file of our VASP exists and is complete."""
    own = load_profile(settings)
    return Check("profile", ok=True, detail=f"{own.legal_name}, {own.country_of_registration}")
