"""The kinds of address of each chain on its main network.

Names are those of the screening chains and of coin networks, in the form of ``chains.folded``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_EVM_NAMES = (
    "ETH", "ERC20", "ETHEREUM", "ETC", "ETHW", "BSC", "BEP20", "BNBSMARTCHAIN", "OPBNB",
    "MATIC", "POLYGON", "POL", "AVAXC", "AVAXCCHAIN", "CCHAIN", "ARBITRUM", "ARB", "ARBITRUMONE", "ARBITRUMNOVA",
    "OPTIMISM", "OP", "BASE", "KAIA", "KLAY", "KLAYTN", "FTM", "FANTOM", "SONIC", "SCROLL", "LINEA", "SEIEVM",
    "CELO", "GLMR", "MOONBEAM", "MOVR", "MOONRIVER", "WLD", "WORLDCHAIN", "BERA", "BERACHAIN", "PLASMA", "STABLE",
    "FRAXTAL", "KATANA", "BLAST", "MANTLE", "MNT", "ZKSYNC", "ZKSYNCERA", "GNOSIS", "CRONOS", "FLR", "FLARE",
    "METIS", "UNICHAIN", "MONAD", "HYPEREVM", "VET", "VECHAIN", "THETA",
)  # fmt: skip
_COSMOS = {
    "ATOM": "cosmos", "COSMOS": "cosmos", "OSMO": "osmo", "OSMOSIS": "osmo", "INJ": "inj", "INJECTIVE": "inj",
    "SEI": "sei", "KAVA": "kava", "TIA": "celestia", "CELESTIA": "celestia", "AXL": "axelar", "AXELAR": "axelar",
    "SCRT": "secret", "DYDX": "dydx", "LUNA": "terra", "LUNC": "terra", "TERRA": "terra", "AKT": "akash",
    "AKASH": "akash", "BAND": "band", "NTRN": "neutron", "NEUTRON": "neutron", "BEP2": "bnb", "ONE": "one",
    "EGLD": "erd", "ZIL": "zil",
}  # fmt: skip

_BITCOIN = ("base58check/00", "base58check/05", "segwit/bc")
_TEZOS = ("06a19f", "06a1a1", "06a1a4", "06a1a6", "025a79")  # tz1, tz2, tz3, tz4, KT1
_TABLE: dict[tuple[str, ...], tuple[str, ...]] = {
    _EVM_NAMES: ("evm",),
    ("BTC", "BITCOIN", "SEGWITBTC", "ORDIBTC", "BRC20", "RUNES"): _BITCOIN,
    ("BCH", "BITCOINCASH"): ("cashaddr/bitcoincash", "base58check/00", "base58check/05"),
    ("BSV",): ("base58check/00", "base58check/05"),
    ("LTC", "LITECOIN"): ("base58check/30", "base58check/32", "base58check/05", "segwit/ltc", "bech32/ltcmweb"),
    ("DOGE", "DOGECOIN"): ("base58check/1e", "base58check/16"),
    ("DASH",): ("base58check/4c", "base58check/10"),
    ("ZEC", "ZCASH"): ("base58check/1cb8", "base58check/1cbd", "bech32/zs", "bech32/u", "bech32/tex"),
    ("BTG",): ("base58check/26", "base58check/17", "segwit/btg"),
    ("XVG", "VERGE"): ("base58check/1e", "base58check/21"),
    ("XTZ", "TEZOS"): tuple(f"base58check/{version}" for version in _TEZOS),
    ("TRX", "TRC20", "TRON"): ("tron", "tron/hex"),
    ("SOL", "SPL", "SOLANA"): ("solana",),
    ("XRP", "XRPL", "RIPPLE"): ("xrp", "xrp/x"),
    ("XLM", "STELLAR"): ("stellar/account", "stellar/muxed", "stellar/contract"),
    ("ADA", "CARDANO"): ("cardano/addr", "cardano/stake", "cardano/byron-main"),
    ("EOS", "VAULTA"): ("eos",),
    # Both names are used for two chains, so either form is correct.
    ("BNB",): ("bech32/bnb", "evm"),
    ("AVAX",): ("evm", "avalanche/x", "avalanche/p", "avalanche/c"),
    ("AVAXX", "AVAXXCHAIN", "XCHAIN"): ("avalanche/x", "avalanche/p"),
    ("XDC", "XDCNETWORK"): ("xdc", "evm"),
    ("DOT", "POLKADOT"): ("ss58/0",),
    ("KSM", "KUSAMA"): ("ss58/2",),
    ("TON", "TONCOIN"): ("ton/raw", "ton/main"),
    ("NEAR",): ("near", "near/implicit", "evm"),
    ("ALGO", "ALGORAND"): ("algorand",),
    ("XMR", "MONERO"): ("monero/18", "monero/19", "monero/42"),
    ("HBAR", "HEDERA"): ("hedera", "evm"),
    ("SUI", "APT", "APTOS"): ("hex32",),
}

CHAIN_KINDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {name: frozenset(kinds) for names, kinds in _TABLE.items() for name in names}
    | {name: frozenset({f"bech32/{prefix}"}) for name, prefix in _COSMOS.items()}
)
"""Chain name to the kinds of `AddressForm` that are addresses on it."""
