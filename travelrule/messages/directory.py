"""Changes of the directory."""

from __future__ import annotations

from datetime import datetime

from schemas.wire_model import Wire


class DirectoryKey(Wire):
    """A public key as listed."""

    pubkey: str
    expires_at: datetime | None = None


class DirectoryEntry(Wire):
    """A VASP as the directory lists it."""

    entity_id: str
    alliance: str = ""
    country: str | None = None
    legal_name: str | None = None
    health: str = "up"
    pubkeys: tuple[DirectoryKey, ...] = ()


class DirectoryChanged(Wire):
    """A refresh found a VASP changed, new (``old`` None) or gone (``new`` None).

    ``first_load``: nothing was known of the whole directory before, so being new raises no alert.
    """

    entity_id: str
    old: DirectoryEntry | None = None
    new: DirectoryEntry | None = None
    first_load: bool = False


DIRECTORY_INPUTS: dict[str, type[Wire]] = {"directory.changed": DirectoryChanged}
"""The model of each directory input."""
