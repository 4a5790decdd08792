"""Whether the hub can be reached, accepts our key, and lists us; and the time of its clock."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import aiohttp

from travelrule.bootstrap import installation
from travelrule.client.diagnosis import KEY, diagnosis_of
from travelrule.client.errors import HubError
from travelrule.commands.doctor import check
from travelrule.commands.doctor.check import Check
from travelrule.crypto.request_nonces import NONCE_LIMIT, NonceBlock
from travelrule.settings import Settings

HUB = "hub"
_HALF_SECOND = timedelta(seconds=0.5)
"""The header ``Date`` has no fractions."""


async def hub(settings: Settings) -> Check:
    """Request the VASP list with a signed request. A random nonce makes the database unnecessary."""
    settings.require("hub_url", "vasp_entity_id", "signing_key")
    keys = installation.keyring(settings)
    client = installation.hub_client(settings, keys, _any_nonce)
    try:
        listed = {entry.vasp_entity_id: entry for entry in (await client.vasp_list()).vasps}
    except HubError as error:
        diagnosis = diagnosis_of(error)
        return Check(HUB, ok=False, detail=diagnosis.problem, fix=diagnosis.fix)
    finally:
        await client.aclose()
    own = listed.get(settings.vasp_entity_id or "")
    if own is None:
        return Check(HUB, ok=False, detail="we are not in the VASP list", fix="ask the hub's operator to list us")
    if keys.signing.public_base64 not in {key.pubkey for key in own.pubkeys}:
        fix = f"register the public key of {KEY} (`travelrule keys show`) before signing with it"
        return Check(HUB, ok=False, detail="our signing key is not registered", fix=fix)
    return Check(HUB, ok=True, detail=f"{len(listed)} VASPs listed, our key is registered")


async def hub_time(settings: Settings) -> timedelta | None:
    """How far the hub's clock is ahead of ours, by the header ``Date``; None if there is no answer or no header."""
    if settings.hub_url is None:
        return None
    try:
        async with asyncio.timeout(check.LIMIT_SECONDS), aiohttp.ClientSession(trust_env=False) as session:
            before = installation.utc_now()
            async with session.get(settings.hub_url, allow_redirects=False) as answer:
                after = installation.utc_now()
                told = parsedate_to_datetime(answer.headers.get("Date", ""))
    except (aiohttp.ClientError, OSError, TimeoutError, ValueError):
        return None
    return _aware(told) + _HALF_SECOND - (before + (after - before) / 2)


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


async def _any_nonce() -> NonceBlock:
    return NonceBlock(secrets.randbelow(NONCE_LIMIT), 1)
