"""The hub's OpenAPI document: valid, current, complete, and what a hub answers.

Each answer of a hub in any test is compared with it (``tests.support.documented_hub``).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from schemas.operations import HUB_OPERATIONS
from tests.support.documented_hub import CONFORMED
from tests.support.hub import SOUTH, TRANSFER_ID, hub_under_test
from tests.support.screening_hub import risk_hub
from tests.support.search_hub import DATA_REQUEST, REQUEST_ID, TXID, TXID_SEARCH, WALLET_SEARCH, YES, search_hub
from travelrule.client.codes import CODES
from travelrule.gateway.openapi import openapi_document
from travelrule.hub import operation_faults
from travelrule.hub.openapi import DESCRIPTIONS, PAGE, documented_path, hub_openapi, main, rendered
from travelrule.hub.operations import OPERATIONS
from travelrule.hub.runtime.app import hub_routes

HUB = Path(operation_faults.__file__).parent
SERVED = {DESCRIPTIONS[operation].name for operation in HUB_OPERATIONS}


def faults(document: dict[str, Any]) -> list[str]:
    return [error.message for error in OpenAPIV31SpecValidator(document).iter_errors()]


def test_both_documents_are_valid() -> None:
    assert faults(json.loads(rendered())) == []
    assert faults(openapi_document()) == []


def test_the_validator_refuses_a_wrong_document() -> None:
    wrong = json.loads(rendered())
    wrong["paths"]["/v1/code/vasps"]["get"]["responses"] = {"fine": {}}
    wrong["paths"]["/v1/code/Vasp/{id}/pubkey"]["get"]["parameters"] = []
    assert len(faults(wrong)) >= 2


def test_the_committed_copy_is_current(tmp_path: Path) -> None:
    assert PAGE.read_text(encoding="utf-8") == rendered(), "run python -m travelrule.hub.openapi"
    copy = tmp_path / "copy.json"
    assert main(["--check"], copy) == 1
    assert main([], copy) == 0
    assert main(["--check"], copy) == 0


def test_it_names_exactly_the_served_routes() -> None:
    served = {
        (documented_path(route.path), method.lower())
        for route in hub_routes(hub_under_test().hub.service)
        for method in route.methods or ()
        if method != "HEAD"  # Starlette adds it to each GET
    }
    assert served == {(path, method) for path, methods in hub_openapi()["paths"].items() for method in methods}


def test_no_two_paths_differ_in_the_name_of_a_parameter_alone() -> None:
    paths = list(hub_openapi()["paths"])
    assert len({re.sub(r"\{\w+\}", "{}", path) for path in paths}) == len(paths)


def raised() -> Iterator[str]:
    """The codes that the hub's modules raise ``HubFault`` with, as far as they are written out."""
    for path in HUB.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "HubFault" and len(node.args) > 1:
                yield from (part.value for part in ast.walk(node.args[1]) if isinstance(part, ast.Constant))


def test_every_code_is_documented_and_each_is_one_that_the_client_reads() -> None:
    documented = {
        code
        for row in OPERATIONS.values()
        if row.path
        for codes in operation_faults.faults_of(row).values()
        for code in codes
    }
    assert documented == set(operation_faults.MEANINGS)
    assert set(raised()) <= documented
    assert documented <= set(CODES)


async def forwarded() -> None:
    hub = hub_under_test()
    await hub.authorize()
    hub.south.says(result="valid", beneficiaryVaspEntityId="south")
    await hub.send("POST", "/v1/code/VerifyAddress/south", {"currency": "XRP", "payload": "c2VhbGVk"}, remote=SOUTH)
    hub.south.says(result="normal", transferId=TRANSFER_ID)
    await hub.send("POST", "/v1/code/transfer/south/txid", {"transferId": TRANSFER_ID, "txid": TXID})
    await hub.send("PUT", "/v1/code/transfer/south/status", {"transferId": TRANSFER_ID, "status": "canceled"})
    hub.south.says(status="confirmed", transferId=TRANSFER_ID, txid=TXID)
    await hub.send("POST", "/v1/code/transfer/south/status", {"transferId": TRANSFER_ID})
    hub.south.says(result="normal", transferId=REQUEST_ID, payload="c2VhbGVk")
    await hub.send("PUT", "/v1/code/verification/tx/south", DATA_REQUEST, remote=SOUTH)
    hub.south.hangs = True
    await hub.authorize()


async def searched() -> None:
    hub = search_hub({"south": YES})
    await hub.search(TXID_SEARCH)
    await hub.search(WALLET_SEARCH)
    for path in ("/v1/code/vasps", "/v1/code/Vasp/south/pubkey", "/v1/code/connect/coin-network"):
        await hub.send("GET", path)
        await hub.send("GET", path, headers={"X-Request-Origin": None})
    await hub.send("GET", "/v1/code/Vasp/nobody/pubkey")


async def rated() -> None:
    hub = risk_hub()
    await hub.screen()
    await hub.send("POST", "/v1/code/partner/tx-hash", {"txid": TXID, "chain": "ETH"})
    started = await hub.search()
    await hub.finish_analyses()
    await hub.report(started.json()["requestId"])
    await hub.report("no number")
    await hub.report(4)
    session = await hub.token()
    await hub.result(session.json()["walletVerificationId"])
    await hub.result("nothing")


async def test_a_hub_answers_every_operation_as_documented() -> None:
    CONFORMED.clear()
    for calls in (forwarded, searched, rated):
        await calls()
    assert {name for name, status in CONFORMED if status == 200} == SERVED
    refused = {("publicKeys", 422), ("kytReport", 400), ("kytReport", 404), ("ownershipResult", 404)}
    assert refused | {("authorizeTransfer", 408)} <= CONFORMED


async def test_an_answer_that_differs_from_the_document_is_noticed() -> None:
    hub = hub_under_test()
    hub.south.says(result="perhaps", transferId=TRANSFER_ID)
    with pytest.raises(AssertionError, match="authorizeTransfer 200"):
        await hub.authorize()
