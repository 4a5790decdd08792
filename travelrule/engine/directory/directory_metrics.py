"""Metrics of the directory in use: which VASPs are up, and when their keys expire."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from schemas.hub.bodies import PublicKey
from travelrule import metrics
from travelrule.store.directory import StoredVasp


@dataclass(frozen=True, slots=True)
class DirectoryMetrics:
    """``own`` is our entity id, ``own_keys`` are the public keys of ``SIGNING_KEY``, base64."""

    own: str = ""
    own_keys: Collection[str] = ()

    def show(self, directory: Mapping[str, StoredVasp], now: datetime) -> None:
        """Serve the state of a directory."""
        for metric in (metrics.COUNTERPARTY_UP, metrics.KEY_EXPIRY_TIMESTAMP_SECONDS):
            metric.clear()
        for entity_id, stored in directory.items():
            metrics.COUNTERPARTY_UP.labels(vasp=entity_id).set(1 if stored.up else 0)
            is_own = entity_id == self.own
            keys = [key for key in stored.entry.pubkeys if not is_own or key.pubkey in self.own_keys]
            expiry = last_expiry(keys)
            if stored.listed and expiry is not None:
                labels = {"vasp": entity_id, "owner": "own" if is_own else "counterparty"}
                metrics.KEY_EXPIRY_TIMESTAMP_SECONDS.labels(**labels).set(expiry.timestamp())
        if self.own and directory:
            own = directory.get(self.own)
            metrics.OWN_UP.set(1 if own is not None and own.up else 0)
            metrics.OWN_KEY_LISTED.set(1 if self._is_listed(own, now) else 0)

    def _is_listed(self, own: StoredVasp | None, now: datetime) -> bool:
        return (
            own is not None
            and own.listed
            and any(
                key.pubkey in self.own_keys and (key.expires_at is None or key.expires_at > now)
                for key in own.entry.pubkeys
            )
        )


def last_expiry(keys: Collection[PublicKey]) -> datetime | None:
    """Return when the last of these keys expires; None without keys, and if one states no expiry."""
    ends = [key.expires_at for key in keys]
    stated = [end for end in ends if end is not None]
    return max(stated) if stated and len(stated) == len(ends) else None
