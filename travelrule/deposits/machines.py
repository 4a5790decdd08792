"""The machines of this room by kind of subject: what the engine asks."""

from __future__ import annotations

from travelrule.deposits import arrivals, data_requests, deposit
from travelrule.exchange.machine import Machine

MACHINES: dict[str, Machine] = {
    machine.kind: machine for machine in (deposit.MACHINE, arrivals.MACHINE, data_requests.MACHINE)
}
