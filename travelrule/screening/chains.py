"""Network names to the codes of chains for screening, KYT and unhosted wallets (protocol screening.md 1, 11).

Without a code the operation does not exist for the network: its risk is unknown, never clean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

SCREENING_CHAINS = frozenset(
    {
        "BTC", "ETH", "SOL", "LTC", "TRX", "EOS", "XLM", "ADA", "BNB", "BCH", "XRP", "BSC", "KLAY", "DASH", "DOGE",
        "ZEC", "FTM", "MATIC", "AVAX",
    }
)  # fmt: skip
"""Values of ``chain`` in wallet and transaction screening."""

KYT_BLOCKCHAINS = frozenset(
    {
        "ETH", "BTC", "TRX", "SOL", "MATIC", "BSC", "BNB", "BASE", "ARBITRUM", "OPTIMISM", "SCROLL", "LINEA", "AVAXC",
        "AVAX", "OPBNB", "BCH", "SEI", "SEIEVM", "SONIC", "ADA", "XRP", "XLM", "LTC", "EOS", "KAIA", "KLAY", "CELO",
        "GLMR", "MOVR", "WLD", "BERA", "FTM", "ORDIBTC", "SEGWITBTC", "PLASMA", "STABLE", "FRAXTAL", "KATANA",
    }
)  # fmt: skip
"""Values of ``blockchain`` in KYT."""

UNHOSTED_BLOCKCHAINS = frozenset({"ETH", "ARBITRUM", "BASE", "KAIA", "MATIC", "SOL", "BSC"})
"""Values of ``blockchain`` for unhosted wallets."""


@dataclass(frozen=True, slots=True)
class NetworkCodes:
    """The codes of one network; None for an operation without one."""

    screening: str | None = None
    kyt: str | None = None
    unhosted: str | None = None


NO_CODES = NetworkCodes()
"""The codes of a network that is not in the table."""

_ROWS: tuple[tuple[str, NetworkCodes], ...] = (
    ("BTC BITCOIN", NetworkCodes("BTC", "BTC")),
    ("SEGWITBTC", NetworkCodes("BTC", "SEGWITBTC")),
    ("ORDIBTC BRC20", NetworkCodes("BTC", "ORDIBTC")),
    ("ETH ERC20 ETHEREUM", NetworkCodes("ETH", "ETH", "ETH")),
    ("TRX TRC20 TRON", NetworkCodes("TRX", "TRX")),
    ("SOL SPL SOLANA", NetworkCodes("SOL", "SOL", "SOL")),
    ("XRP XRPL RIPPLE", NetworkCodes("XRP", "XRP")),
    ("XLM STELLAR", NetworkCodes("XLM", "XLM")),
    ("ADA CARDANO", NetworkCodes("ADA", "ADA")),
    ("BCH BITCOINCASH", NetworkCodes("BCH", "BCH")),
    ("LTC LITECOIN", NetworkCodes("LTC", "LTC")),
    ("DOGE DOGECOIN", NetworkCodes("DOGE")),
    ("BSC BEP20 BNBSMARTCHAIN", NetworkCodes("BSC", "BSC", "BSC")),
    ("BNB BEP2", NetworkCodes("BNB", "BNB")),
    ("OPBNB", NetworkCodes(None, "OPBNB")),
    ("MATIC POLYGON POL", NetworkCodes("MATIC", "MATIC", "MATIC")),
    ("AVAXC AVAXCCHAIN CCHAIN", NetworkCodes("AVAX", "AVAXC")),
    # No source defines which chain the code AVAX is: the X-chain in KYT, the C-chain in screening.
    ("AVAX AVAXX AVAXXCHAIN XCHAIN", NetworkCodes(None, "AVAX")),
    ("ARBITRUM ARB ARBITRUMONE", NetworkCodes(None, "ARBITRUM", "ARBITRUM")),
    ("OPTIMISM OP", NetworkCodes(None, "OPTIMISM")),
    ("BASE", NetworkCodes(None, "BASE", "BASE")),
    ("KAIA", NetworkCodes("KLAY", "KAIA", "KAIA")),
    ("KLAY KLAYTN", NetworkCodes("KLAY", "KLAY", "KAIA")),
    ("EOS VAULTA", NetworkCodes("EOS", "EOS")),
    ("DASH", NetworkCodes("DASH")),
    ("ZEC ZCASH", NetworkCodes("ZEC")),
    ("FTM FANTOM", NetworkCodes("FTM", "FTM")),
    ("SONIC", NetworkCodes(None, "SONIC")),
    ("SCROLL", NetworkCodes(None, "SCROLL")),
    ("LINEA", NetworkCodes(None, "LINEA")),
    ("SEI", NetworkCodes(None, "SEI")),
    ("SEIEVM", NetworkCodes(None, "SEIEVM")),
    ("CELO", NetworkCodes(None, "CELO")),
    ("GLMR MOONBEAM", NetworkCodes(None, "GLMR")),
    ("MOVR MOONRIVER", NetworkCodes(None, "MOVR")),
    ("WLD WORLDCHAIN", NetworkCodes(None, "WLD")),
    ("BERA BERACHAIN", NetworkCodes(None, "BERA")),
    ("PLASMA", NetworkCodes(None, "PLASMA")),
    ("STABLE", NetworkCodes(None, "STABLE")),
    ("FRAXTAL", NetworkCodes(None, "FRAXTAL")),
    ("KATANA", NetworkCodes(None, "KATANA")),
)

CHAIN_TABLE: Mapping[str, NetworkCodes] = MappingProxyType(
    {name: codes for names, codes in _ROWS for name in names.split()}
)
"""Folded network name to codes; an operator may override entries or add some."""

NO_OVERRIDES: Mapping[str, NetworkCodes] = MappingProxyType({})

_EVM_TWINS: Mapping[str, str] = MappingProxyType({"BNB": "BSC", "AVAX": "AVAXC"})
"""Names of two chains, to the name of the one whose addresses begin with ``0x``."""

_NOT_COMPARED = re.compile(r"[^A-Za-z0-9]+")


def folded(network: str) -> str:
    """Return a network's name in the form that is compared: upper case, letters and digits only.

    A name with a letter outside ASCII is unchanged: folding could turn it into another network's name.
    """
    return _NOT_COMPARED.sub("", network).upper() if network.isascii() else network


def chain_codes(
    network: str, *, address_example: str | None = None, overrides: Mapping[str, NetworkCodes] = NO_OVERRIDES
) -> NetworkCodes:
    """Return the codes of a network; ``NO_CODES`` if it is not in the table.

    ``address_example`` is the network's ``addressExample`` in the coin-network list (4.A.3): it distinguishes the two
    chains named BNB, or AVAX. ``overrides`` precede the table, name by name, in any spelling; one for BNB or AVAX
    applies whatever the example is.
    """
    own = {folded(name): codes for name, codes in overrides.items()}
    name = folded(network)
    if name not in own and name in _EVM_TWINS and (address_example or "").strip().lower().startswith("0x"):
        name = _EVM_TWINS[name]
    return own.get(name) or CHAIN_TABLE.get(name, NO_CODES)
