"""What is an address of a chain, what is none, and what cannot be said."""

from __future__ import annotations

from hashlib import blake2b

import pytest

from tests.unit.screening.addresses.spellings import base58, base58check, bech32, cashaddr, fives
from tests.unit.screening.addresses.vectors import vectors
from travelrule.screening.addresses import address_keys, check_address
from travelrule.screening.addresses.chain_kinds import CHAIN_KINDS
from travelrule.screening.addresses.recognition import recognise
from travelrule.screening.chains import CHAIN_TABLE, SCREENING_CHAINS, folded

EVM = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
SEGWIT = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
EVM_CHAINS = ["ETH", "BSC", "KLAY", "FTM", "MATIC", "AVAX", "POLYGON", "Arbitrum One", "OPTIMISM", "BASE", "KAIA"]


def verdict(address: str, chain: str) -> str:
    return check_address(address, chain).verdict


@pytest.mark.parametrize(("chain", "address", "expected"), vectors()["judged"]["addresses"])
def test_addresses_of_an_independent_library(chain: str, address: str, expected: str) -> None:
    found = check_address(address, chain)
    assert (found.verdict, found.flaws, found.warnings) == (expected, (), ())
    assert found.form


@pytest.mark.parametrize("address", vectors()["segwit"]["valid"])
def test_segwit_addresses_are_valid_on_their_own_network_only(address: str) -> None:
    expected = "valid" if vectors()["segwit"]["valid"][address] == "bc" else "invalid"
    assert verdict(address, "BTC") == expected
    assert verdict(address, "LTC") == "invalid"


@pytest.mark.parametrize("address", vectors()["segwit"]["invalid"])
def test_broken_segwit_addresses(address: str) -> None:
    assert verdict(address, "BTC") == "invalid"


@pytest.mark.parametrize(
    ("address", "flaw"),
    [
        ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", "witness version 0 needs bech32"),
        ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", "witness version 1 needs bech32m"),
        (SEGWIT[:8].upper() + SEGWIT[8:], "mixed case"),
    ],
)
def test_why_a_segwit_address_is_invalid(address: str, flaw: str) -> None:
    found = check_address(address, "BTC")
    assert (found.verdict, found.form, found.flaws) == ("invalid", "segwit", (flaw,))


@pytest.mark.parametrize("address", vectors()["eip55"]["right"])
@pytest.mark.parametrize("chain", EVM_CHAINS)
def test_evm_addresses_with_the_right_checksum(address: str, chain: str) -> None:
    found = check_address(address, chain)
    assert (found.verdict, found.form, found.warnings) == ("valid", "EVM", ())


@pytest.mark.parametrize("address", vectors()["eip55"]["right"][4:])
def test_a_wrong_eip55_checksum_is_a_warning(address: str) -> None:
    swapped = "0x" + address[2:].swapcase()
    found = check_address(swapped, "ETH")
    assert (found.verdict, found.warnings) == ("valid", ("wrong EIP-55 checksum",))
    assert address_keys(swapped) == address_keys(address)
    assert check_address(address.lower(), "ETH").warnings == ()
    assert check_address("0x" + address[2:].upper(), "ETH").warnings == ()


def test_an_evm_address_without_0x_is_a_warning() -> None:
    assert check_address(EVM[2:], "ETH").warnings == ("no 0x in front",)


@pytest.mark.parametrize("chain", sorted(SCREENING_CHAINS))
@pytest.mark.parametrize("address", ["", "X!", "0x", "garbage address", EVM + "0", SEGWIT[:-1] + "5", f"{EVM}:7"])
def test_garbage_is_invalid_on_every_screening_chain(chain: str, address: str) -> None:
    assert verdict(address, chain) == "invalid"


@pytest.mark.parametrize("chain", ["", "NOWHERE", "test", "ETH2", "КЛЕЙ"])
@pytest.mark.parametrize("address", [EVM, SEGWIT, "", "x"])
def test_an_unknown_chain_is_unknown_whatever_the_address(chain: str, address: str) -> None:
    assert verdict(address, chain) == "unknown"


def test_every_network_that_has_a_chain_code_can_be_checked() -> None:
    assert {name for name in CHAIN_TABLE if name not in CHAIN_KINDS} == set()
    assert {name for name in CHAIN_KINDS if folded(name) != name} == set()


@pytest.mark.parametrize(
    ("address", "chain", "form"),
    [
        (EVM, "BTC", "EVM"),
        (SEGWIT, "ETH", "segwit"),
        ("TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC", "ETH", "TRON"),
        (EVM, "TRX", "EVM"),
        ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "BCH", "segwit"),
        ("LVuDpNCSSj6pQ7t9Pv6d6sUkLKoqDEVUnJ", "BTC", "base58check"),
        ("DFpN6QqFfUm3gKNaxN6tNcab1FArL9cZLE", "DASH", "base58check"),
        (EVM, "AVAXX", "EVM"),
        ("5C9TqVEs5Q51zUdjvp6tSsjHAfLseJKq1Dq6ULcuSLqEuRSf", "DOT", "SS58"),
    ],
)
def test_an_address_of_another_chain_is_invalid_and_named(address: str, chain: str, form: str) -> None:
    found = check_address(address, chain)
    assert (found.verdict, found.form) == ("invalid", form)


@pytest.mark.parametrize(
    ("address", "chain"),
    [
        (base58check(b"\x6f" + bytes(20)), "BTC"),
        (base58check(b"\xc4" + bytes(20)), "BTC"),
        (base58check(b"\x6f" + bytes(20)), "LTC"),
        (base58check(b"\x8c" + bytes(20)), "DASH"),
        (base58check(b"\x71" + bytes(20)), "DOGE"),
        (base58check(b"\x1d\x25" + bytes(20)), "ZEC"),
        (bech32("tltc", [0, *fives(bytes(20))]), "LTC"),
        (vectors()["xrp"]["test"], "XRP"),
        (vectors()["ton"]["test"], "TON"),
        (vectors()["cardano"]["test"], "ADA"),
        (vectors()["cardano"]["byron-test"], "ADA"),
        ("bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t", "BCH"),
    ],
)
def test_addresses_of_test_networks_are_invalid_on_the_main_network(address: str, chain: str) -> None:
    assert verdict(address, chain) == "invalid"


@pytest.mark.parametrize(
    ("address", "chain"),
    [
        ("3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN", "LTC"),  # of old
        ("1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", "BCH"),
        ("qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h", "BCH"),
        ("ltcmweb1qqdzvazxjnx3drvtrjsv9vqv3fafp3sgx84v5f8cc2yj0pysxdvmhxqacckpk5uml9020uw7d2cv4pcwcruvg36y7gktv45rphyqaxvpkgg55fax6", "LTC"),  # noqa: E501
        ("417e5f4552091a69125d5dfcb7b8c2659029395bdf", "TRX"),
        (EVM, "BNB"),
        ("bnb1w508d6qejxtdg4y5r3zarvary0c5xw7kcegkwk", "BNB"),
        ("X-avax1w508d6qejxtdg4y5r3zarvary0c5xw7k0l6nk9", "AVAX X-Chain"),
        (vectors()["ton"]["raw"], "TON"),
        *((vectors()["cardano"][name], "ADA") for name in ("stake", "base", "enterprise", "pointer", "byron")),
        *((vectors()["zcash"][name], "ZEC") for name in ("transparent", "tex", "sapling", "unified")),
        *((address, "XLM") for address in (vectors()["stellar"]["account"], vectors()["stellar"]["contract"])),
        *((address, "HBAR") for address in vectors()["hedera"]["right"]),
        ("xdc" + EVM[2:].lower(), "XDC"),
        ("eosio.token", "EOS"),
        ("binancecleos", "eos"),
        ("alice", "NEAR"),
        ("app.alice.near", "NEAR"),
        ("0x160179a1565ea7cff27ead23f54cc7f50893bf58155cd7285156e57afa31c3ac", "APTOS"),
    ],
)  # fmt: skip
def test_other_right_forms(address: str, chain: str) -> None:
    assert verdict(address, chain) == "valid"


@pytest.mark.parametrize(
    ("address", "chain"),
    [
        *((address, "XLM") for address in vectors()["stellar"]["invalid"]),
        (vectors()["stellar"]["account"].lower(), "XLM"),
        *((address, "HBAR") for address in vectors()["hedera"]["wrong"]),
        ("aoqqpp7tzyil4hlq3umoos6atft6jvrqtosq2xy53sdgiesvgg4mpfyumq", "ALGO"),
        ("AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4MPFYUMR", "ALGO"),  # bits behind the last byte
        ("BitcoinCash:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h", "BCH"),
        ("BITCOINCASH:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h", "BCH"),
        (bech32("cosmos", fives(bytes(19))), "ATOM"),
        (bech32("cosmos", fives(bytes(20)), 0x2BC830A3), "ATOM"),
        (bech32("addr", fives(b"\x01" + bytes(28))), "ADA"),
        (bech32("addr", fives(b"\x60" + bytes(28))), "ADA"),  # of a test network
        (bech32("stake", fives(b"\x61" + bytes(28))), "ADA"),
        (bech32("addr", []), "ADA"),
        ("x-avax1w508d6qejxtdg4y5r3zarvary0c5xw7k0l6nk9", "AVAX"),
        ("X-Avax1w508d6qejxtdg4y5r3zarvary0c5xw7k0l6nk9", "AVAX"),
        (vectors()["cardano"]["byron"][:-1] + "i", "ADA"),
        (base58(bytes.fromhex("82d818") + b"\x58\xff"), "ADA"),  # longer than it is
        (cashaddr(0x80, bytes(20)), "BCH"),
        (cashaddr(0x20, bytes(20)), "BCH"),
        ("9" + "z" * 94, "XMR"),  # blocks larger than eight bytes
        ("AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4MPFYUNQ", "ALGO"),
        ("Eosio.token", "EOS"),
        ("eosio6", "EOS"),
        ("eosio.tokenzz", "EOS"),
        (".eosio", "EOS"),
        ("alice..near", "NEAR"),
        ("Alice.near", "NEAR"),
        ("TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2Hc", "TRX"),
        ("FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhi", "SOL"),
        ("49HjJN4ZbLjDFqe3Mus7mPZBE6Q27cRGtPLfyuNejGdYZhvke36zj1xGq5kDCbSCXbc5TLTR7vygzVDYTcgFURLaLe4Gddt", "XMR"),
        ("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "XMR"),
    ],
)
def test_wrong_forms(address: str, chain: str) -> None:
    assert verdict(address, chain) == "invalid"


@pytest.mark.parametrize("address", vectors()["xrp"]["x"])
def test_the_tag_of_an_x_address_comes_apart(address: str) -> None:
    found = check_address(address, "XRP")
    assert (found.verdict, found.tag) == ("valid", vectors()["xrp"]["x"][address])
    assert found.tag is None or found.tag not in repr(found)


@pytest.mark.parametrize("address", vectors()["stellar"]["muxed"])
def test_the_id_of_a_muxed_account_comes_apart(address: str) -> None:
    found = check_address(address, "XLM")
    assert (found.verdict, found.tag) == ("valid", vectors()["stellar"]["muxed"][address])


@pytest.mark.parametrize(
    "tag", [b"\x02" + bytes(8), b"\x00" + (1).to_bytes(8, "little"), b"\x01" + (1 << 32).to_bytes(8, "little")]
)
def test_an_x_address_of_a_reserved_kind_is_none(tag: bytes) -> None:
    ripple = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
    assert check_address(base58check(b"\x05\x44" + bytes(20) + tag, ripple), "XRP").verdict == "invalid"


@pytest.mark.parametrize(("head", "number"), [("00", 0), ("2a", 42), ("3f", 63), ("5000", 64), ("4145", 1285)])
def test_the_number_of_a_substrate_network(head: str, number: int) -> None:
    body = bytes.fromhex(head) + bytes(range(32))
    text = base58(body + blake2b(b"SS58PRE" + body).digest()[:2])
    assert [form.kind for form in recognise(text)] == [f"ss58/{number}"]
