"""The content of a queued call or look-up, sealed under the data key of its subject."""

from __future__ import annotations

import orjson

from travelrule.engine.ports import CallContent
from travelrule.engine.vault import Vault
from travelrule.store.call_rows import CallItem


def open_content(vault: Vault, item: CallItem) -> CallContent | None:
    """Return the content of ``item``; None if its subject was erased."""
    if item.wrapped is None:
        return None
    data_key = vault.unwrap(item.subject, bytes(item.wrapped))
    plain = orjson.loads(vault.open(data_key, "call", item.subject, item.sealed))
    return CallContent(plain["clear"], plain["payload"])
