"""All kinds of subjects and all types of inputs that the engine knows: what the machine rooms offer, put together."""

from __future__ import annotations

from schemas.base import Wire
from travelrule.assessments.machines import MACHINES as ASSESSMENT_MACHINES
from travelrule.deposits.data_request_reports import INTERNAL as DATA_REQUESTS
from travelrule.deposits.machines import MACHINES as DEPOSIT_MACHINES
from travelrule.exchange.assessing import ASSESSING
from travelrule.exchange.disclosures import DISCLOSURES
from travelrule.exchange.machine import Machine
from travelrule.exchange.machines import MACHINES as EXCHANGE_MACHINES
from travelrule.exchange.meeting import MEETING
from travelrule.exchange.owning import OWNING
from travelrule.exchange.refused_request import REFUSED
from travelrule.exchange.reports import INTERNAL as EXCHANGES

MACHINES: dict[str, Machine] = {**EXCHANGE_MACHINES, **DEPOSIT_MACHINES, **ASSESSMENT_MACHINES}
"""The machine of each kind of subject."""

INTERNAL: dict[str, type[Wire]] = {
    **EXCHANGES,
    **MEETING,
    **DATA_REQUESTS,
    **ASSESSING,
    **OWNING,
    **REFUSED,
    **DISCLOSURES,
}
"""Which model an input's data are that no platform sends."""
