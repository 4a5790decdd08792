"""Which drills there are, and which alerts each raises."""

from __future__ import annotations

from tests.drills import outages
from tests.drills.drill import Drill

_ALL = (
    Drill(
        "hub-killed",
        outages.hub_killed,
        ("TravelRuleHubDown", "TravelRuleDirectoryStale", "TravelRuleCallsFail"),
        {"travelrule doctor": r"(?m)^.*hub.*$"},
    ),
    Drill(
        "broker-frozen",
        outages.broker_frozen,
        ("TravelRuleOutboxOld",),
        {"travelrule topics apply --check": "broker"},
    ),
    Drill("gateway-killed", outages.gateway_killed, ("TravelRuleTargetDown",)),
)

DRILLS = {drill.name: drill for drill in _ALL}
