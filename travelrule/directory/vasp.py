"""The vasp machine: changes of a counterparty that raise an alert. Pure.

The law
-------
1. The state is the entry as last seen, so a refresh that is applied twice raises one alert.
2. A changed key is critical: its holder reads the personal data sent to it. All other changes are warnings.
3. The first load of a directory raises no alerts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.machine.serialization import codec
from travelrule.messages.directory import DirectoryChanged, DirectoryEntry
from travelrule.policy.policy import Policy

UP = "up"


@dataclass(frozen=True, slots=True)
class VaspState:
    """A counterparty as the directory last listed it; ``entry`` None: no longer listed."""

    entity_id: str
    entry: DirectoryEntry | None = None


def decide(state: VaspState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one change of one directory entry."""
    del policy, now
    data = item.data
    if not isinstance(data, DirectoryChanged):
        return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about a directory entry")
    before = state.entry if state is not None else data.old
    if state is not None and before == data.new:
        return ignored(state, "seen before")
    alerts = () if data.first_load else tuple(_alerts(before, data.new))
    effects = tuple(Alert(code.value, severity, data.entity_id) for code, severity in alerts)
    return Decision(VaspState(data.entity_id, data.new), effects, rule="directory entry changed")


def _alerts(old: DirectoryEntry | None, new: DirectoryEntry | None) -> Iterator[tuple[AlertCode, Any]]:
    """Yield an alert for each change."""
    if new is None:
        if old is not None:
            yield AlertCode.DIRECTORY_VASP_GONE, "warning"
        return
    if old is None:
        yield AlertCode.DIRECTORY_VASP_NEW, "warning"
        return
    if {key.pubkey for key in old.pubkeys} != {key.pubkey for key in new.pubkeys}:
        yield AlertCode.DIRECTORY_KEY_CHANGED, "critical"
    if _is_up(old) and not _is_up(new):
        yield AlertCode.DIRECTORY_VASP_DOWN, "warning"
    if _is_up(new) and not _is_up(old):
        yield AlertCode.DIRECTORY_VASP_UP, "warning"
    if (old.alliance, old.country, old.legal_name) != (new.alliance, new.country, new.legal_name):
        yield AlertCode.DIRECTORY_ENTRY_CHANGED, "warning"


def _is_up(entry: DirectoryEntry) -> bool:
    return entry.health.lower() == UP


def project(state: VaspState) -> Projection:
    """Project a counterparty: whether it is listed, and its health."""
    if state.entry is None:
        return Projection(status="gone", counterparty=state.entity_id)
    return Projection(status=state.entry.health, counterparty=state.entity_id)


_dump, _load = codec(VaspState)

VERSION = 2
"""See ``Machine.version``."""

MACHINE = Machine("vasp", decide, _dump, _load, project, VERSION)
