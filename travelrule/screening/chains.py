"""Network names to the codes of chains that screening, KYT and unhosted wallets use (protocol screening.md 1, 11).

No code means that the operation cannot be asked for this network: its risk is unknown, never clean.
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
class ChainCodes:
    """The codes of one network; None where an operation has none."""

    screening: str | None = None
    kyt: str | None = None
    unhosted: str | None = None


NO_CODES = ChainCodes()
"""What a network that is not in the table has."""

_ROWS: tuple[tuple[str, ChainCodes], ...] = (
    ("BTC BITCOIN", ChainCodes("BTC", "BTC")),
    ("SEGWITBTC", ChainCodes("BTC", "SEGWITBTC")),
    ("ORDIBTC BRC20", ChainCodes("BTC", "ORDIBTC")),
    ("ETH ERC20 ETHEREUM", ChainCodes("ETH", "ETH", "ETH")),
    ("TRX TRC20 TRON", ChainCodes("TRX", "TRX")),
    ("SOL SPL SOLANA", ChainCodes("SOL", "SOL", "SOL")),
    ("XRP XRPL RIPPLE", ChainCodes("XRP", "XRP")),
    ("XLM STELLAR", ChainCodes("XLM", "XLM")),
    ("ADA CARDANO", ChainCodes("ADA", "ADA")),
    ("BCH BITCOINCASH", ChainCodes("BCH", "BCH")),
    ("LTC LITECOIN", ChainCodes("LTC", "LTC")),
    ("DOGE DOGECOIN", ChainCodes("DOGE")),
    ("BSC BEP20 BNBSMARTCHAIN", ChainCodes("BSC", "BSC", "BSC")),
    ("BNB BEP2", ChainCodes("BNB", "BNB")),
    ("OPBNB", ChainCodes(None, "OPBNB")),
    ("MATIC POLYGON POL", ChainCodes("MATIC", "MATIC", "MATIC")),
    ("AVAXC AVAXCCHAIN CCHAIN", ChainCodes("AVAX", "AVAXC")),
    # No source says which chain the code AVAX means: the X-chain in KYT, the C-chain in screening.
    ("AVAX AVAXX AVAXXCHAIN XCHAIN", ChainCodes(None, "AVAX")),
    ("ARBITRUM ARB ARBITRUMONE", ChainCodes(None, "ARBITRUM", "ARBITRUM")),
    ("OPTIMISM OP", ChainCodes(None, "OPTIMISM")),
    ("BASE", ChainCodes(None, "BASE", "BASE")),
    ("KAIA", ChainCodes("KLAY", "KAIA", "KAIA")),
    ("KLAY KLAYTN", ChainCodes("KLAY", "KLAY", "KAIA")),
    ("EOS VAULTA", ChainCodes("EOS", "EOS")),
    ("DASH", ChainCodes("DASH")),
    ("ZEC ZCASH", ChainCodes("ZEC")),
    ("FTM FANTOM", ChainCodes("FTM", "FTM")),
    ("SONIC", ChainCodes(None, "SONIC")),
    ("SCROLL", ChainCodes(None, "SCROLL")),
    ("LINEA", ChainCodes(None, "LINEA")),
    ("SEI", ChainCodes(None, "SEI")),
    ("SEIEVM", ChainCodes(None, "SEIEVM")),
    ("CELO", ChainCodes(None, "CELO")),
    ("GLMR MOONBEAM", ChainCodes(None, "GLMR")),
    ("MOVR MOONRIVER", ChainCodes(None, "MOVR")),
    ("WLD WORLDCHAIN", ChainCodes(None, "WLD")),
    ("BERA BERACHAIN", ChainCodes(None, "BERA")),
    ("PLASMA", ChainCodes(None, "PLASMA")),
    ("STABLE", ChainCodes(None, "STABLE")),
    ("FRAXTAL", ChainCodes(None, "FRAXTAL")),
    ("KATANA", ChainCodes(None, "KATANA")),
)

CHAIN_TABLE: Mapping[str, ChainCodes] = MappingProxyType(
    {name: codes for names, codes in _ROWS for name in names.split()}
)
"""Folded network name to codes: the default, which an operator may override or add to."""

NO_OVERRIDES: Mapping[str, ChainCodes] = MappingProxyType({})

_EVM_TWINS: Mapping[str, str] = MappingProxyType({"BNB": "BSC", "AVAX": "AVAXC"})
"""Names that are used for two chains; the second is the one whose addresses begin with ``0x``."""

_NOT_COMPARED = re.compile(r"[^A-Za-z0-9]+")


def folded(network: str) -> str:
    """Return a network's name as it is compared: upper case, letters and digits only.

    A name with a letter that is not ASCII stays as it is: some of them would turn into another network's name.
    """
    return _NOT_COMPARED.sub("", network).upper() if network.isascii() else network


def chain_codes(
    network: str, *, address_example: str | None = None, overrides: Mapping[str, ChainCodes] = NO_OVERRIDES
) -> ChainCodes:
    """Return the codes of a network; `NO_CODES` if it is not in the table.

    ``address_example`` is the network's ``addressExample`` in the coin-network list (4.A.3): it tells the two chains
    apart that are called BNB, or AVAX. ``overrides`` go before the table, name by name, spelled in any way; one for
    BNB or AVAX itself holds whatever the example says.
    """
    own = {folded(name): codes for name, codes in overrides.items()}
    name = folded(network)
    if name not in own and name in _EVM_TWINS and (address_example or "").strip().lower().startswith("0x"):
        name = _EVM_TWINS[name]
    return own.get(name) or CHAIN_TABLE.get(name, NO_CODES)
