"""The machines by kind of subject: what the engine asks."""

from __future__ import annotations

from travelrule.exchange import beneficiary, directory, disclosures, owners, wallets, withdrawal
from travelrule.exchange.machine import Machine

MACHINES: dict[str, Machine] = {
    machine.kind: machine
    for machine in (
        withdrawal.MACHINE,
        beneficiary.MACHINE,
        wallets.MACHINE,
        owners.MACHINE,
        directory.MACHINE,
        disclosures.MACHINE,
    )
}
