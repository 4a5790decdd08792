"""Network names to chain codes, as the table of the protocol has them."""

from __future__ import annotations

import pytest

from travelrule.screening.chains import (
    CHAIN_TABLE,
    KYT_BLOCKCHAINS,
    NO_CODES,
    SCREENING_CHAINS,
    UNHOSTED_BLOCKCHAINS,
    NetworkCodes,
    chain_codes,
    folded,
)


def test_the_lists_have_their_published_lengths() -> None:
    assert (len(SCREENING_CHAINS), len(KYT_BLOCKCHAINS), len(UNHOSTED_BLOCKCHAINS)) == (19, 38, 7)
    assert {"DASH", "DOGE", "ZEC"} == SCREENING_CHAINS - KYT_BLOCKCHAINS


def test_the_table_holds_codes_of_the_lists_and_reaches_every_one() -> None:
    codes = CHAIN_TABLE.values()
    assert {code.screening for code in codes} == SCREENING_CHAINS | {None}
    assert {code.kyt for code in codes} == KYT_BLOCKCHAINS | {None}
    assert {code.unhosted for code in codes} == UNHOSTED_BLOCKCHAINS | {None}


def test_names_stand_in_the_form_in_which_they_are_compared() -> None:
    assert [name for name in CHAIN_TABLE if folded(name) != name] == []


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        ("BTC", ("BTC", "BTC", None)),
        ("bitcoin", ("BTC", "BTC", None)),
        ("BRC-20", ("BTC", "ORDIBTC", None)),
        ("SegwitBTC", ("BTC", "SEGWITBTC", None)),
        ("ERC20", ("ETH", "ETH", "ETH")),
        ("AVAX C-Chain", ("AVAX", "AVAXC", None)),
        ("AVAX X-Chain", (None, "AVAX", None)),
        ("BNB Smart Chain", ("BSC", "BSC", "BSC")),
        ("Arbitrum One", (None, "ARBITRUM", "ARBITRUM")),
        ("KAIA", ("KLAY", "KAIA", "KAIA")),
        ("KLAY", ("KLAY", "KLAY", "KAIA")),
        ("DOGE", ("DOGE", None, None)),
        ("Polygon", ("MATIC", "MATIC", "MATIC")),
        ("OPBNB", (None, "OPBNB", None)),
    ],
)
def test_codes_of_networks(network: str, expected: tuple[str | None, ...]) -> None:
    codes = chain_codes(network)
    assert (codes.screening, codes.kyt, codes.unhosted) == expected


@pytest.mark.parametrize("network", ["TON", "DOT", "ATOM", "SUI", "", "-", "BTC2", "ſol", "ÉETH", "ＢＴＣ", "ЕТН"])
def test_a_network_outside_the_table_has_no_code(network: str) -> None:
    assert chain_codes(network) == NO_CODES == NetworkCodes(None, None, None)


@pytest.mark.parametrize(
    ("network", "example", "like"),
    [
        ("BNB", "0x52908400098527886E0F7030069857D2E4169EE7", "BSC"),
        ("bnb", "0X5290...", "BSC"),
        ("BNB", "bnb1...", "BEP2"),
        ("BNB", None, "BEP2"),
        ("BNB", "", "BEP2"),
        ("AVAX", "0x...", "AVAXC"),
        ("AVAX", "X-avax1...", "XCHAIN"),
        ("AVAXX", "0x...", "XCHAIN"),
        ("BEP2", "0x...", "BEP2"),
        ("OPBNB", "0x...", "OPBNB"),
    ],
)
def test_names_that_are_used_for_two_chains(network: str, example: str | None, like: str) -> None:
    assert chain_codes(network, address_example=example) == CHAIN_TABLE[like]


def test_every_entry_can_be_overridden_or_added() -> None:
    own = {
        "Sonic ": NetworkCodes("FTM", "SONIC"), "t-o-n": NetworkCodes("TON"), "AVAX": NO_CODES,
        "bsc": NetworkCodes("BSC", None, None),
    }  # fmt: skip
    assert chain_codes("SONIC", overrides=own) == NetworkCodes("FTM", "SONIC")
    assert chain_codes("TON", overrides=own) == NetworkCodes("TON")
    assert chain_codes("AVAX", address_example="0x..", overrides=own) == NO_CODES
    assert chain_codes("BNB", address_example="0x..", overrides=own) == NetworkCodes("BSC")
    assert chain_codes("ETH", overrides=own) == chain_codes("ETH")
