"""Every table of operations has a row for each operation that it is about, and no other."""

from collections.abc import Collection

import pytest

from schemas.operations import (
    CALLED_BACK,
    DIRECTORY_READS,
    HUB_CALLS,
    HUB_OPERATIONS,
    MEMBER_ROUTES,
    SUBJECT_OPERATIONS,
    MemberOperation,
    Operation,
)
from travelrule.client.codes import CODES
from travelrule.client.operations import OPERATIONS as SENT
from travelrule.gateway.endpoint_table import ENDPOINTS
from travelrule.gateway.openapi import CALLBACKS, DESCRIPTIONS
from travelrule.gateway.rates import SEALED
from travelrule.hub.openapi import DESCRIPTIONS as HUB_DESCRIPTIONS
from travelrule.hub.operations import OPERATIONS as SERVED
from travelrule.machine.retry_table import BY_CODE, OTHER_FIELDS, RESULTS

TABLES: dict[str, tuple[Collection[str], Collection[str]]] = {
    "the hub's table (hub.operations)": (SERVED, Operation),
    "the client's table (client.operations)": (SENT, HUB_OPERATIONS),
    "the answers that end a call (machine.retry_table)": ([*RESULTS, *OTHER_FIELDS], SUBJECT_OPERATIONS),
    "the routes of members (schemas.operations)": (MEMBER_ROUTES, MemberOperation),
    "the gateway's endpoints (gateway.endpoint_table)": (ENDPOINTS, MemberOperation),
    "the gateway's OpenAPI document (gateway.openapi)": (DESCRIPTIONS, MemberOperation),
    "the hub's OpenAPI document (hub.openapi)": (HUB_DESCRIPTIONS, HUB_OPERATIONS),
    "the callbacks of the OpenAPI document (gateway.openapi)": (CALLBACKS, CALLED_BACK),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_one_row_per_operation(name: str) -> None:
    rows, operations = TABLES[name]
    assert {*map(str, operations)} - {*map(str, rows)} == set(), f"{name} lacks these rows"
    assert {*map(str, rows)} - {*map(str, operations)} == set(), f"{name} has rows that are none of its operations"
    assert len([*rows]) == len({*rows}), f"{name} has two rows for one operation"


def test_the_groups_of_operations_are_disjoint_and_complete() -> None:
    assert {*HUB_OPERATIONS} | HUB_CALLS == {*Operation}
    assert {*SUBJECT_OPERATIONS} | DIRECTORY_READS == {*HUB_OPERATIONS}
    assert HUB_CALLS.isdisjoint(HUB_OPERATIONS)
    assert DIRECTORY_READS.isdisjoint(SUBJECT_OPERATIONS)


@pytest.mark.parametrize("operation", HUB_OPERATIONS)
def test_client_and_hub_agree_on_an_operation(operation: Operation) -> None:
    sent, served = SENT[operation], SERVED[operation]
    assert (sent.method, sent.sealed) == (served.method, served.remote_key)


def test_hub_and_members_agree_on_an_operation() -> None:
    for row in SERVED.values():
        if row.member is not None:
            assert MEMBER_ROUTES[row.member].method == row.method
            assert ENDPOINTS[row.member].sealed == row.remote_key


@pytest.mark.parametrize("operation", SUBJECT_OPERATIONS)
def test_client_and_retry_table_agree_on_answers(operation: Operation) -> None:
    sent = SENT[operation]
    if operation in RESULTS:
        assert (sent.field, sent.values) == ("result", frozenset().union(*RESULTS[operation]))
    else:
        assert (sent.field, sent.values) == OTHER_FIELDS[operation]


def test_every_error_code_of_the_hub_has_a_retry_rule() -> None:
    assert {*CODES} - {*BY_CODE} == set(), "machine.retry_table.BY_CODE lacks these codes of client.codes"


def test_the_rates_of_sealed_requests_apply_to_sealed_endpoints() -> None:
    assert {operation for operation, row in ENDPOINTS.items() if row.sealed} == SEALED
