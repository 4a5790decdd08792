"""The chain codes that each operation of risk takes (screening.md section 1); compared without case."""

from __future__ import annotations

SCREENING = frozenset(
    {
        *("BTC", "ETH", "SOL", "LTC", "TRX", "EOS", "XLM", "ADA", "BNB", "BCH"),
        *("XRP", "BSC", "KLAY", "DASH", "DOGE", "ZEC", "FTM", "MATIC", "AVAX"),
    }
)
KYT = frozenset(
    {
        *("ETH", "BTC", "TRX", "SOL", "MATIC", "BSC", "BNB", "BASE", "ARBITRUM", "OPTIMISM", "SCROLL", "LINEA"),
        *("AVAXC", "AVAX", "OPBNB", "BCH", "SEI", "SEIEVM", "SONIC", "ADA", "XRP", "XLM", "LTC", "EOS", "KAIA"),
        *("KLAY", "CELO", "GLMR", "MOVR", "WLD", "BERA", "FTM", "ORDIBTC", "SEGWITBTC", "PLASMA", "STABLE"),
        *("FRAXTAL", "KATANA"),
    }
)
UNHOSTED = frozenset({"ETH", "ARBITRUM", "BASE", "KAIA", "MATIC", "SOL", "BSC"})
