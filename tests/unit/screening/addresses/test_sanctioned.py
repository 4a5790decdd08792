"""Every digital currency address of the real OFAC list is recognised and valid where its form belongs."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from travelrule.screening.addresses import address_keys, check_address
from travelrule.screening.addresses.recognition import recognise

pytestmark = pytest.mark.shared

ENTRY = re.compile(r"Digital Currency Address - ([A-Z0-9]+)\s+([^;\"\s]+)")
CHAIN_OF = {"XBT": "BTC", "ETH": "ETH", "XRP": "XRP", "USDT": "BTC"}
"""Of this copy: its one USDT entry is an Omni address."""


@pytest.fixture
def entries() -> list[tuple[str, str]]:
    root = os.environ.get("TRAVELRULE_TEST_SHARED")
    if not root:
        pytest.fail("set TRAVELRULE_TEST_SHARED to the folder that holds data/sanctions")
    texts = [
        (Path(root) / "data" / "sanctions" / name).read_text(encoding="utf-8", errors="replace")
        for name in ("sdn.csv", "sdn_comments.csv")
    ]
    return [(symbol, address.rstrip(".")) for text in texts for symbol, address in ENTRY.findall(text)]


def test_every_listed_address_is_recognised(
    entries: list[tuple[str, str]], record_property: pytest.RecordProperty
) -> None:
    kinds = Counter(form.kind for _, address in entries for form in recognise(address))
    record_property("addresses by form", dict(kinds))
    assert [address for _, address in entries if not recognise(address)] == []
    assert kinds.total() == len(entries) > 200
    assert {*kinds} == {"evm", "segwit/bc", "base58check/00", "base58check/05", "xrp"}


def test_every_listed_address_is_valid_and_found_again_in_its_other_spellings(entries: list[tuple[str, str]]) -> None:
    for symbol, address in entries:
        assert check_address(address, CHAIN_OF[symbol]).verdict == "valid", address
        assert check_address(address, CHAIN_OF[symbol]).warnings == (), address
    evm = [address for symbol, address in entries if symbol == "ETH"]
    assert all(address_keys(address) == address_keys(address.lower()) for address in evm)
    assert len({address_keys(address) for _, address in entries}) == len({address.lower() for _, address in entries})
