"""ivms101.md section 6 and member-api.md 4: which texts name the same address, wallet or transaction."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from travelrule.identity.account_numbers import candidates, canonical, join, names_wallet, split_tag, tag_fits
from travelrule.identity.txids import same_txid, txid_key

EVM = "0xde709f2102306220921060314715629080e2fb77"
SEGWIT = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"  # BIP 173
TAPROOT = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"  # BIP 350, bech32m
CASH = "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"
XRP = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"


def in_some_case(address: str, seed: int) -> str:
    chosen = random.Random(seed)
    return "".join(chosen.choice((letter.upper(), letter.lower())) for letter in address)


@pytest.mark.parametrize("address", [EVM, SEGWIT, TAPROOT])
@pytest.mark.parametrize("seed", range(5))
def test_evm_and_bech32_are_compared_without_case(address: str, seed: int) -> None:
    assert canonical(in_some_case(address, seed)) == canonical(address.upper()) == canonical(address) == address


@pytest.mark.parametrize("prefix", ["", "bitcoincash:", "BITCOINCASH:", "BitcoinCash:"])
@pytest.mark.parametrize("body", [CASH, CASH.upper()])
def test_bitcoin_cash_is_compared_with_and_without_prefix(prefix: str, body: str) -> None:
    assert canonical(prefix + body) == CASH


@pytest.mark.parametrize(
    "address",
    [
        "1KzHK8WMRHRCvRjUV5PFny3v6fqT3UAY5K",
        "3AtPZrpc4iTHLBwsWJJAkzZqeL8L3axRbX",
        XRP,
        "TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC",
        "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T",
        "GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7",
        "kaspa:qqkqkzjvr7zwxxmjxjkmxxdwju9kjs6e9u82uh59z07vgaks6gg62v8707g73",
        "0x" + "Ab" * 32,  # 32 bytes: not EVM
        "0x" + "Ab" * 19,
        SEGWIT[:-1].upper()[:20] + SEGWIT[20:-1],  # mixed case, and no valid checksum
        "bc1Kw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",  # Kelvin sign, lower-cases to a Latin k
    ],
)
def test_everything_else_is_compared_exactly(address: str) -> None:
    assert canonical(address) == address


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        st.text(max_size=60),
        st.text("0123456789abcdefxXABCDEF:bitcoincashQP1", max_size=60),
        st.integers(0, 10**6).map(lambda seed: in_some_case("bitcoincash:" * (seed % 3) + SEGWIT, seed)),
    )
)
def test_twice_is_once(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)


class Copied(str):
    """Counts the characters that are copied out of it."""

    __slots__ = ()
    copied = 0

    def __getitem__(self, place: Any) -> str:
        part = Copied(super().__getitem__(place))
        Copied.copied += len(part)
        return part


def test_a_hostile_length_is_no_problem() -> None:
    text = Copied("bitcoincash:" * 1_000 + CASH)
    assert canonical(text) == CASH
    assert Copied.copied <= 2 * len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("addr", ("addr", None)),
        (f"{XRP}:77001", (XRP, "77001")),
        (f"bitcoincash:{CASH}", (f"bitcoincash:{CASH}", None)),
        (f"bitcoincash:{CASH}:9", (f"bitcoincash:{CASH}", "9")),
        ("kaspa:qqk", ("kaspa:qqk", None)),
        ("addr:", ("addr", None)),
        (f"{XRP}:tag or memo", (XRP, "tag or memo")),
    ],
)
def test_splitting_where_nothing_can_be_looked_up(text: str, expected: tuple[str, str | None]) -> None:
    assert split_tag(text) == expected


@settings(max_examples=50, deadline=None)
@given(tag=st.one_of(st.none(), st.text("0123456789abc ", min_size=1)))
def test_join_and_split_are_inverse(tag: str | None) -> None:
    assert split_tag(join(XRP, tag)) == (XRP, tag)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (EVM.upper().replace("X", "x"), [(EVM, None)]),
        (f"{XRP}:7", [(f"{XRP}:7", None), (XRP, "7")]),
        (f"bitcoincash:{CASH}", [(CASH, None), ("bitcoincash", CASH)]),
        (f"bitcoincash:{CASH}:7", [(f"{CASH}:7", None), (CASH, "7")]),
        (f"{EVM.upper()}:7".replace("0X", "0x"), [(f"{EVM.upper()}:7".replace("0X", "0x"), None), (EVM, "7")]),
        (f"{XRP}:", [(f"{XRP}:", None), (XRP, None)]),
        (":7", [(":7", None)]),
        ("", [("", None)]),
    ],
)
def test_candidates_in_the_order_of_algorithm_a(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert candidates(text) == expected


@pytest.mark.parametrize(
    ("text", "address", "tag", "expected"),
    [
        (f"{XRP}:77001", XRP, "77001", True),
        (f"{XRP}:77002", XRP, "77001", False),
        (XRP, XRP, "77001", False),  # shared address: without the tag it is nobody's
        (f"{XRP}:", XRP, "77001", False),
        (XRP, XRP, None, True),
        (f"{EVM}:123", EVM, None, True),  # a coin without tags, one appended: accepted by the left part
        (f"{EVM}:123", EVM, "", True),
        (f"bitcoincash:{CASH}", CASH, None, True),
        (CASH, f"bitcoincash:{CASH}", None, True),
        (f"{XRP}:7", f"{XRP}:7", None, True),  # registered joined
        (XRP.lower(), XRP, None, False),
        ("", XRP, None, False),
    ],
)
def test_whose_address(text: str, address: str, tag: str | None, expected: bool) -> None:
    assert names_wallet(text, address, tag) is expected


def test_tags_are_compared_exactly() -> None:
    assert tag_fits("077", "077")
    assert not tag_fits("77", "077")
    assert not tag_fits(None, "077")
    assert tag_fits("077", None)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("9F1C", "9f1c", True),
        ("0x9f1c", "9f1c", True),
        ("0X9F1C", "9f1c", True),
        ("9f1c", "9f1d", False),
        ("9f1c", "9f1c00", False),
    ],
)
def test_txids(one: str, other: str, same: bool) -> None:
    assert same_txid(one, other) is same_txid(other, one) is same
    assert (txid_key(one) == txid_key(other)) is same


@pytest.mark.parametrize("account", ["0:" + "ed" * 32, "-1:" + "AB" * 32])
def test_the_colon_of_a_raw_ton_address_separates_no_tag(account):
    assert split_tag(account) == (account, None)
    assert split_tag(f"{account}:77") == (account, "77")
    assert split_tag("0:77") == ("0", "77")
