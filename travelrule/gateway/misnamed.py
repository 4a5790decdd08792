"""Alerts about a sender that names another alliance than the directory, under a key of its own; nothing is refused."""

from __future__ import annotations

from travelrule.gateway.member_alerts import TOLD_AGAIN_S, MemberAlerts
from travelrule.gateway.ports import Clock, RaiseAlert
from travelrule.machine.alert_codes import AlertCode

__all__ = ["TOLD_AGAIN_S", "MisnamedAlerts"]


class MisnamedAlerts(MemberAlerts):
    """One alert per entity and hour of this process."""

    def __init__(self, alert: RaiseAlert, clock: Clock) -> None:
        super().__init__(alert, AlertCode.ORIGIN_ALLIANCE_MISMATCH, clock)
