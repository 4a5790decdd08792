"""The machine of each kind of subject, and the model of each input that the platform does not send."""

from __future__ import annotations

from schemas.wire_model import Wire
from travelrule.assessments import machine as assessment
from travelrule.customers import owner, wallet
from travelrule.deposits import machine as deposit
from travelrule.deposits.rendezvous import machine as rendezvous
from travelrule.deposits.served_requests import machine as data_request
from travelrule.deposits.served_requests.received_request import DATA_REQUEST_INPUTS
from travelrule.directory import vasp
from travelrule.disclosures import disclosure
from travelrule.disclosures.disclosure import DISCLOSURE_INPUTS
from travelrule.exchange.beneficiary import machine as beneficiary
from travelrule.exchange.originator import machine as originator
from travelrule.exchange.originator.refused_request import REFUSED_REQUEST_INPUTS
from travelrule.machine.internal_inputs import CALL_AND_TIMER_INPUTS
from travelrule.machine.port import Machine
from travelrule.messages.arrival import ARRIVAL_MESSAGES
from travelrule.messages.assessment import ASSESSMENT_MESSAGES
from travelrule.messages.directory import DIRECTORY_INPUTS
from travelrule.messages.inbound_request import INBOUND_REQUEST_INPUTS
from travelrule.messages.owner import OWNER_MESSAGES

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

INTERNAL_INPUTS: dict[str, type[Wire]] = {
    **CALL_AND_TIMER_INPUTS,
    **INBOUND_REQUEST_INPUTS,
    **DIRECTORY_INPUTS,
    **ARRIVAL_MESSAGES,
    **DATA_REQUEST_INPUTS,
    **ASSESSMENT_MESSAGES,
    **OWNER_MESSAGES,
    **REFUSED_REQUEST_INPUTS,
    **DISCLOSURE_INPUTS,
}
"""The model of each input type that the platform does not send."""
