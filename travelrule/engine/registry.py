"""The machine of each kind of subject, and the model of each input that the platform does not send."""

from __future__ import annotations

from schemas.wire_model import Wire
from travelrule.assessments import machine as assessment
from travelrule.customers import owner, wallet
from travelrule.deposits import machine as deposit
from travelrule.deposits.rendezvous import machine as rendezvous
from travelrule.deposits.served_requests import machine as data_request
from travelrule.deposits.served_requests.received_request import INTERNAL as DATA_REQUESTS
from travelrule.directory import vasp
from travelrule.disclosures import disclosure
from travelrule.disclosures.disclosure import DISCLOSURES
from travelrule.exchange.beneficiary import machine as beneficiary
from travelrule.exchange.originator import machine as originator
from travelrule.exchange.originator.refused_request import REFUSED
from travelrule.machine.internal_inputs import INTERNAL as CALLS_AND_TIMERS
from travelrule.machine.port import Machine
from travelrule.messages.arrival import MEETING
from travelrule.messages.assessment import ASSESSING
from travelrule.messages.directory import INTERNAL as DIRECTORY
from travelrule.messages.inbound_request import INTERNAL as INBOUND_REQUESTS
from travelrule.messages.owner import OWNING

MACHINES: dict[str, Machine] = {
    machine.kind: machine
    for machine in (
        originator.MACHINE,
        beneficiary.MACHINE,
        wallet.MACHINE,
        owner.MACHINE,
        vasp.MACHINE,
        disclosure.MACHINE,
        deposit.MACHINE,
        rendezvous.MACHINE,
        data_request.MACHINE,
        *assessment.MACHINES,
    )
}
"""The machine of each kind of subject."""

INTERNAL: dict[str, type[Wire]] = {
    **CALLS_AND_TIMERS,
    **INBOUND_REQUESTS,
    **DIRECTORY,
    **MEETING,
    **DATA_REQUESTS,
    **ASSESSING,
    **OWNING,
    **REFUSED,
    **DISCLOSURES,
}
"""The model of each input type that the platform does not send."""
