"""The machines of this room by kind of subject: what the engine asks."""

from __future__ import annotations

from travelrule.assessments.assessment import decide_assessment, decide_screening, dump, load, project
from travelrule.assessments.table import VERSION
from travelrule.exchange.machine import Machine

MACHINES: dict[str, Machine] = {
    "screening": Machine("screening", decide_screening, dump, load, project, VERSION),
    "assessment": Machine("assessment", decide_assessment, dump, load, project, VERSION),
}
