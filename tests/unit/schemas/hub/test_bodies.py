from __future__ import annotations

from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from schemas.field_faults import field_faults
from schemas.hub import bodies
from schemas.hub.search import asked_in
from schemas.wire_model import Wire

AUTHORIZATION: dict[str, Any] = {
    "transferId": "t-1",
    "currency": "xrp",
    "amount": "250.5",
    "historicalCost": "",
    "tradePrice": "150.30",
    "tradeCurrency": "USD",
    "isExceedingThreshold": "true",
    "payload": "bm9uY2U=",
    "address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
    "tag": "77001",
    "network": "XRP",
}
ABSENT: list[Any] = ["", None, {}]


def codes(model: type[Wire], data: Any) -> set[tuple[str, str]]:
    with pytest.raises(ValidationError) as refused:
        model.model_validate(data)
    return {(fault.code, fault.path) for fault in field_faults(refused.value)}


def test_an_authorization_request_is_written_in_the_form_of_the_protocol() -> None:
    request = bodies.TransferAuthorizationRequest.model_validate(AUTHORIZATION)
    assert request.is_exceeding_threshold is True
    written = request.to_wire()
    assert written == {name: AUTHORIZATION[name] for name in AUTHORIZATION if name != "historicalCost"} | {
        "currency": "XRP"
    }


@pytest.mark.parametrize(("sent", "read"), [(True, True), (False, False), ("TRUE", True), ("False", False)])
def test_the_threshold_flag_comes_as_text_or_boolean_and_leaves_as_text(sent: object, read: bool) -> None:
    request = bodies.TransferAuthorizationRequest.model_validate({**AUTHORIZATION, "isExceedingThreshold": sent})
    assert request.is_exceeding_threshold is read
    assert request.to_wire()["isExceedingThreshold"] == ("true" if read else "false")


@pytest.mark.parametrize("absent", ABSENT)
def test_an_empty_originating_vasp_outside_the_payload_overwrites_nothing(absent: Any) -> None:
    request = bodies.TransferAuthorizationRequest.model_validate({**AUTHORIZATION, "originatingVasp": absent})
    assert request.originating_vasp is None


def test_a_full_originating_vasp_is_kept_whole_with_fields_we_do_not_know() -> None:
    outside = {"originatingVASP": {"legalPerson": {"name": {}, "odd": 1}}}
    request = bodies.TransferAuthorizationRequest.model_validate({**AUTHORIZATION, "originatingVasp": outside})
    assert request.originating_vasp == outside


@pytest.mark.parametrize("absent", ABSENT)
@pytest.mark.parametrize("field", ["address", "tag", "network", "historicalCost"])
def test_absent_clear_fields_are_none(field: str, absent: Any) -> None:
    request = bodies.TransferAuthorizationRequest.model_validate({**AUTHORIZATION, field: absent})
    assert field not in request.to_wire()


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("amount", "0", "INVALID_AMOUNT"),
        ("amount", 250.5, "WRONG_TYPE"),
        ("tradePrice", "", "INVALID_AMOUNT"),
        ("tradeCurrency", "SEK", "INVALID_VALUE"),
        ("isExceedingThreshold", "maybe", "INVALID_VALUE"),
        ("payload", "", "EMPTY_VALUE"),
        ("transferId", "", "EMPTY_VALUE"),
        ("transferId", "t\x00", "INVALID_TEXT"),
    ],
)
def test_a_bad_field_of_an_authorization_is_named(field: str, value: object, code: str) -> None:
    assert codes(bodies.TransferAuthorizationRequest, {**AUTHORIZATION, field: value}) == {(code, field)}


@pytest.mark.parametrize("field", ["transferId", "currency", "amount", "tradePrice", "tradeCurrency", "payload"])
def test_a_missing_field_of_an_authorization_is_named(field: str) -> None:
    data = {name: value for name, value in AUTHORIZATION.items() if name != field}
    assert codes(bodies.TransferAuthorizationRequest, data) == {("MISSING_FIELD", field)}


def test_the_trade_currency_of_a_peer_is_read_without_case() -> None:
    request = bodies.TransferAuthorizationRequest.model_validate({**AUTHORIZATION, "tradeCurrency": "krw"})
    assert request.trade_currency == "KRW"


def test_results_and_reasons_are_read_without_case() -> None:
    answer = bodies.TransferAuthorizationResponse.model_validate({"result": "DENIED", "reasonType": "not_kyc_user"})
    assert (answer.result, answer.reason_type, answer.payload) == ("denied", "NOT_KYC_USER", None)
    assert bodies.FinishRequest.model_validate({"transferId": "t", "status": "Canceled"}).status == "canceled"


def test_a_reason_nobody_listed_is_kept_and_a_result_nobody_listed_is_refused() -> None:
    assert bodies.AddressSearchResponse.model_validate({"result": "invalid", "reasonType": "NEW"}).reason_type == "NEW"
    assert codes(bodies.AddressSearchResponse, {"result": "perhaps"}) == {("INVALID_VALUE", "result")}
    assert codes(bodies.AddressSearchResponse, {}) == {("MISSING_FIELD", "result")}


def test_finish_knows_only_canceled() -> None:
    assert codes(bodies.FinishRequest, {"transferId": "t", "status": "confirmed"}) == {("INVALID_VALUE", "status")}


@pytest.mark.parametrize("spelling", ["wait-confirm", "wait-confirmed", "WAIT-CONFIRMED"])
def test_both_spellings_of_wait_confirm_are_one_status(spelling: str) -> None:
    answer = bodies.StatusSearchResponse.model_validate({"transferId": "t", "status": spelling, "txid": ""})
    assert (answer.status, answer.txid) == ("wait-confirm", None)
    assert answer.to_wire()["status"] == "wait-confirm"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"vaspEntityId": "north", "beneficiaryVaspEntityId": "south"}, "north"),
        ({"beneficiaryVaspEntityId": "south"}, "south"),
        ({"vaspEntityId": "", "beneficiaryVaspEntityId": "south"}, "south"),
        ({"vaspEntityId": None}, None),
    ],
)
def test_the_vasp_of_a_txid_search_stands_under_either_name(body: dict[str, Any], found: str | None) -> None:
    result = bodies.TxidSearchResult.model_validate({"result": "valid", "requestId": "r", **body})
    assert result.vasp_entity_id == found
    read_again = bodies.TxidSearchResult.model_validate_json(orjson.dumps(result.to_wire()))
    assert read_again.vasp_entity_id == found


def test_the_vasp_of_a_wallet_search_stands_under_either_name() -> None:
    result = bodies.WalletSearchResult.model_validate({"result": "valid", "vaspEntityId": "north"})
    assert result.beneficiary_vasp_entity_id == "north"
    assert result.to_wire()["beneficiaryVaspEntityId"] == "north"


def test_every_row_but_found_is_not_found_and_one_kind_is_worth_asking_again() -> None:
    rows = [
        {"entityId": "a", "result": "FOUND"},
        {"entityId": "b", "result": "NOT_FOUND_ADDRESS"},
        {"entityId": "c", "result": "SYSTEM_NOT_AVAILABLE"},
        {"entityId": "d", "result": "SOMETHING_NEW"},
        {"nonsense": 1},
    ]
    result = bodies.TxidSearchResult.model_validate({"result": "valid", "analysisResult": rows})
    assert [(row.entity_id, row.found, row.unreachable) for row in result.analysis_result] == [
        ("a", True, False),
        ("b", False, False),
        ("c", False, True),
        ("d", False, False),
    ]


def test_a_search_still_runs_only_while_the_hub_says_so() -> None:
    running = {"result": "invalid", "reasonType": "processing", "analysisResult": None}
    assert bodies.TxidSearchResult.model_validate(running).is_processing
    assert not bodies.TxidSearchResult.model_validate({**running, "reasonType": "NOT_FOUND_TXID"}).is_processing


def test_a_search_that_was_not_accepted_is_no_answer() -> None:
    assert bodies.TxidSearchAccepted.model_validate({"result": "success", "requestId": "other"}).request_id == "other"
    assert codes(bodies.WalletSearchAccepted, {"result": "FAILURE"}) == {("INVALID_VALUE", "result")}


def test_a_data_answer_may_be_nothing_but_an_error() -> None:
    empty = dict.fromkeys(("amount", "tradePrice", "tradeCurrency", "isExceedingThreshold", "payload", "currency"), "")
    answer = bodies.DataResponse.model_validate({"result": "error", "reasonType": "NOT_FOUND_TXID", **empty})
    assert answer.to_wire() == {"result": "error", "reasonType": "NOT_FOUND_TXID"}


def test_a_data_answer_echoes_numbers_and_flag_as_text() -> None:
    answer = bodies.DataResponse.model_validate(
        {"result": "normal", "amount": "1.50", "tradePrice": "0", "isExceedingThreshold": False, "payload": "eA=="}
    )
    assert answer.to_wire() == {
        "result": "normal",
        "amount": "1.50",
        "tradePrice": "0",
        "isExceedingThreshold": "false",
        "payload": "eA==",
    }


def test_the_vasp_list_survives_bad_entries_odd_dates_and_unknown_words() -> None:
    listed = bodies.VaspList.model_validate(
        {
            "vasps": [
                {"vaspEntityId": "south", "health": "sleepy", "pubkeys": [{"pubkey": "k1", "expiresAt": "2022-06-31"}]},
                {"vaspName": "east", "health": "DOWN", "pubkeys": None, "allianceName": "GTR"},
                {"vaspEntityId": "west", "pubkeys": [{"expiresAt": "2031-01-01T00:00:00Z"}, {"pubkey": "k2"}]},
                {"vaspLegalName": "nobody knows the id"},
                None,
            ]
        }
    )
    assert [(vasp.vasp_entity_id, vasp.is_up, len(vasp.pubkeys)) for vasp in listed.vasps] == [
        ("south", True, 1),
        ("east", False, 0),
        ("west", True, 1),
    ]
    assert listed.vasps[0].pubkeys[0].expires_at is None
    assert listed.vasps[2].to_wire() == {"vaspEntityId": "west", "health": "up", "pubkeys": [{"pubkey": "k2"}]}


def test_a_vasp_list_without_a_list_is_no_directory() -> None:
    assert codes(bodies.VaspList, {}) == {("MISSING_FIELD", "vasps")}
    assert codes(bodies.VaspList, {"vasps": "none"}) == {("WRONG_TYPE", "vasps")}


def test_networks_are_read_with_their_examples() -> None:
    networks = bodies.CoinNetworks.model_validate(
        {
            "updatedDateTime": "2026-02-01T00:00:00",
            "coinNetworks": [{"coin": "USDT", "networkList": [{"network": "TRX", "txIdExample": "9f", "x": 1}, {}]}],
        }
    )
    assert networks.coin_networks[0].network_list[0].tx_id_example == "9f"
    assert len(networks.coin_networks[0].network_list) == 1


def test_screening_answers_are_read_with_open_words_and_extra_fields() -> None:
    wallet = bodies.WalletScreeningResponse.model_validate(
        {"result": "normal", "securityCategory": "black", "securityTags": None, "statusCode": 200}
    )
    assert (wallet.result, wallet.security_category, wallet.security_tags) == ("NORMAL", "BLACK", ())
    found = bodies.TransactionScreeningResponse.model_validate(
        {"result": "NORMAL", "senderWallets": [{"walletAddress": "a", "securityCategory": "GRAY"}]}
    )
    assert found.sender_wallets[0].security_category == "GRAY"
    assert found.receiver_wallets == ()


def test_unhosted_answers() -> None:
    token = bodies.UnhostedTokenResponse.model_validate({"token": "t", "walletVerificationId": "v"})
    assert token.wallet_verification_id == "v"
    result = bodies.UnhostedResult.model_validate({"status": "verified", "verifiedAt": "2026-02-01T00:00:00"})
    assert result.status == "VERIFIED"
    assert result.to_wire()["verifiedAt"] == "2026-02-01T00:00:00Z"


def test_an_error_body_may_say_nothing() -> None:
    assert bodies.ErrorBody.model_validate({}).error_type == "UNKNOWN"
    body = bodies.ErrorBody.model_validate({"errorType": "INVALID_ORIGIN", "errorMsg": None})
    assert body.to_wire() == {"errorType": "INVALID_ORIGIN"}


@pytest.mark.parametrize("status", [5, None, ["confirmed"], "unknown"])
def test_a_status_nobody_listed_is_refused(status: Any) -> None:
    assert codes(bodies.StatusSearchResponse, {"transferId": "t", "status": status}) == {("INVALID_VALUE", "status")}


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ({"analysisResult": [{"entityId": "south", "result": "NOT_FOUND_TXID"}]}, {"south"}),
        ({"analysisResult": []}, set[str]()),
        ({"analysisResult": None}, None),
        ({}, None),
        ({"analysisResult": [], "result": "perhaps"}, None),
    ],
    ids=["one", "nobody", "null", "not said", "unreadable"],
)
def test_whom_a_search_asked(said: dict[str, Any], asked: set[str] | None) -> None:
    """A hub whose other members are all down searches none and reports it; without a report it may have searched."""
    assert asked_in({"result": "invalid", "reasonType": "NOT_FOUND_TXID", **said}) == asked
