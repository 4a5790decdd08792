"""Which texts are the same address for screening, judged by published vectors and by writers of our own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.effort import lines_of
from tests.unit.screening.addresses.spellings import FAMILIES, bech32, fives
from tests.unit.screening.addresses.vectors import vectors
from travelrule.screening.addresses import address_keys, check_address

RAW = st.binary(min_size=32, max_size=32).filter(lambda raw: any(raw[:20]) and raw[0])


def same(one: str, other: str) -> bool:
    return bool({*address_keys(one)} & {*address_keys(other)})


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=15, deadline=None)
@given(raw=RAW)
def test_all_spellings_of_an_address_share_a_key(family: str, raw: bytes) -> None:
    spelled = FAMILIES[family](raw)
    assert [text for text in spelled if not same(text, spelled[0])] == []
    assert all(same(one, other) for one in spelled for other in spelled)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(FAMILIES)), st.sampled_from(sorted(FAMILIES)), RAW, RAW)
def test_different_addresses_share_no_key(one: str, other: str, first: bytes, second: bytes) -> None:
    if one == other and first[:20] == second[:20]:
        second = bytes([second[0] ^ 1]) + second[1:]
    keys = {key for text in FAMILIES[one](first) for key in address_keys(text)}
    assert keys.isdisjoint(key for text in FAMILIES[other](second) for key in address_keys(text))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FAMILIES)), st.sampled_from(sorted(FAMILIES)), RAW)
def test_the_same_hash_in_another_family_is_another_address(one: str, other: str, raw: bytes) -> None:
    if one != other:
        keys = {key for text in FAMILIES[one](raw) for key in address_keys(text)}
        assert keys.isdisjoint(key for text in FAMILIES[other](raw) for key in address_keys(text))


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(sorted(FAMILIES)), RAW)
def test_one_changed_letter_is_another_address(data: st.DataObject, family: str, raw: bytes) -> None:
    text = data.draw(st.sampled_from(FAMILIES[family](raw)))
    at = data.draw(st.integers(0, len(text) - 2))  # the last letter of Algorand holds bits of nothing
    letter = data.draw(st.sampled_from("0123456789abcdefghjkmnopqrstuvwxyzACEGHJKLMNQRTUVWXYZ"))
    if letter.lower() != text[at].lower():
        assert not same(text, text[:at] + letter + text[at + 1 :])


def test_a_plain_text_is_never_taken_for_the_key_of_an_address() -> None:
    for spell in FAMILIES.values():
        for key in address_keys(spell(bytes(range(1, 33)))[0]):
            assert {*address_keys(key)}.isdisjoint({key})


@pytest.mark.parametrize("cash", vectors()["cashaddr"]["legacy"])
def test_bitcoin_cash_is_its_legacy_form(cash: str) -> None:
    legacy = vectors()["cashaddr"]["legacy"][cash]
    for spelled in (cash, cash.upper(), cash.removeprefix("bitcoincash:")):
        assert same(spelled, legacy)


@pytest.mark.parametrize("cash", vectors()["cashaddr"]["token"])
def test_an_address_for_tokens_is_the_same_script(cash: str) -> None:
    assert address_keys(cash) == (vectors()["cashaddr"]["token"][cash],)


@pytest.mark.parametrize("cash", vectors()["cashaddr"]["hashes"])
def test_hashes_of_every_length(cash: str) -> None:
    assert address_keys(cash) == (f"p2pkh:{vectors()['cashaddr']['hashes'][cash].lower()}",)


@pytest.mark.parametrize("text", vectors()["cashaddr"]["foreign"])
def test_other_prefixes_are_not_bitcoin_cash(text: str) -> None:
    assert address_keys(text) == (f"exact:{text}",)


def test_an_x_address_is_its_classic_account_whatever_the_tag() -> None:
    xrp = vectors()["xrp"]
    assert all(address_keys(text) == address_keys(xrp["classic"]) for text in [*xrp["x"], xrp["test"]])


def test_a_muxed_account_is_its_account() -> None:
    stellar = vectors()["stellar"]
    assert all(address_keys(text) == address_keys(stellar["account"]) for text in stellar["muxed"])
    assert not same(stellar["contract"], stellar["account"])


def test_the_spellings_of_ton_are_the_raw_address() -> None:
    found = vectors()["ton"]
    for text in [*found["friendly"], found["test"]]:
        assert same(text, found["raw"])
        assert same(text.replace("_", "/").replace("-", "+"), found["raw"].upper())
    assert not same(found["raw"], "-1" + found["raw"][1:])


def test_one_public_key_is_one_address_on_every_substrate_chain() -> None:
    found = vectors()["ss58"]
    assert {address_keys(text) for text in found["addresses"]} == {(f"ss58:{found['key']}",)}


def test_cardano_addresses_of_one_wallet_share_the_stake_credential_and_nothing_else() -> None:
    found = vectors()["cardano"]
    base, stake = (address_keys(found[name]) for name in ("base", "stake"))
    assert {*base} & {*stake} == {base[1]} == {stake[1]}
    assert base[1].startswith("cardano-stake:")
    assert not same(found["base"], found["enterprise"])
    assert not same(found["base"], found["pointer"])
    assert not same(found["stake"], found["enterprise"])


def test_the_stake_credential_of_a_test_network_or_a_script_is_another() -> None:
    stake = bytes(range(28))
    spelled = {
        "key": bech32("stake", fives(b"\xe1" + stake)),
        "script": bech32("stake", fives(b"\xf1" + stake)),
        "test": bech32("stake_test", fives(b"\xe0" + stake)),
    }
    assert len({key for text in spelled.values() for key in address_keys(text)}) == 6
    by_script = bech32("addr", fives(b"\x21" + bytes(28) + stake))  # payment by key, stake by script
    assert same(by_script, spelled["script"])
    assert not same(by_script, spelled["key"])


def test_zcash_text_for_transparent_funds_is_the_transparent_address() -> None:
    assert same(vectors()["zcash"]["tex"], vectors()["zcash"]["transparent"])


def test_the_symbol_does_not_matter_the_form_does() -> None:
    listed = "0x7F367cC41522cE07553e823bf3be79A889DEbe1B"
    assert address_keys(listed) == address_keys(listed.lower()) == address_keys(listed[2:].upper())
    assert len(address_keys(listed)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (" 1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu\n", "1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu"),
        ("Alice.NEAR", "alice.near"),
        ("0.0.123-vfmkw", "0.0.123"),
    ],
)
def test_other_spellings(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("eosio.token", "Eosio.token"),
        ("kaspa:qqk", "kaspa:QQK"),
        ("no address", "no  address"),
        ("bc1Kw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
        ("1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu", "1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggU"),
        ("0.0.123", "0.0.124"),
    ],
)
def test_unknown_forms_are_compared_letter_by_letter(one: str, other: str) -> None:
    assert not same(one, other)


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.text(max_size=120),
        st.text("0123456789abcdefxX:-_.1qpzry9QPZRYBCabc \0\ud800", max_size=120),
        st.binary(min_size=1, max_size=100).map(lambda raw: FAMILIES["Solana"](b"\x82\xd8\x18" + raw)[0]),
    ),
    st.sampled_from(["BTC", "EOS", "NEAR", "avax c-chain", "nowhere", ""]),
)
def test_no_text_raises(text: str, chain: str) -> None:
    assert address_keys(text)
    assert address_keys(text) == address_keys(f" {text} ")
    assert check_address(text, chain).verdict in ("valid", "invalid", "unknown")


HOSTILE = [
    "1" * 10_000, "z" * 10_000, "0x" + "a" * 9_998, "bc1" + "q" * 9_997, "bc1" * 3_333, "1q" * 5_000, ":" * 10_000,
    "bitcoincash:" * 833, "a." * 5_000 + "near", "a-" * 5_000 + ".near", "0.0." + "1" * 9_996, "A" * 10_000,
    " " * 9_999 + "1", "é" * 10_000, "q" * 1_000, "1" * 1_000, "a-" * 498 + ".tg", "a1" * 500,
]  # fmt: skip


def test_the_work_does_not_grow_with_hostile_texts() -> None:
    """A real address takes hundreds of lines of Python; a decoder that reads all of these texts thousands for each."""
    for text in HOSTILE:
        assert address_keys(text) == (f"exact:{text.strip()}",)
        assert check_address(text, "BTC").verdict == "invalid"
        assert lines_of(lambda text=text: (address_keys(text), check_address(text, "BTC"))) < 500
