"""The count of failures of each endpoint begins at 0, so that the first one is an increase."""

from __future__ import annotations

import pytest

from schemas.operations import MemberOperation
from travelrule.gateway.endpoint import Call, Endpoint
from travelrule.metrics import REGISTRY


async def _answered(_: Call) -> dict[str, str]:
    return {}


@pytest.mark.parametrize("operation", list(MemberOperation))
def test_an_endpoint_shows_no_failures_before_it_had_one(operation: MemberOperation) -> None:
    Endpoint(operation, _answered, 1.0)
    labels = {"operation": str(operation), "result": "VASP_BACKEND_INTERNAL_ERROR"}
    assert REGISTRY.get_sample_value("travelrule_gateway_request_duration_seconds_count", labels) is not None
