"""Writers of addresses, made from the specifications and sharing nothing with the readers that they judge."""

from __future__ import annotations

import base64
import hashlib
from binascii import crc_hqx
from collections.abc import Callable

BITCOIN = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
RIPPLE = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def base58(raw: bytes, letters: str = BITCOIN) -> str:
    number, text = int.from_bytes(raw, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = letters[digit] + text
    return letters[0] * (len(raw) - len(raw.lstrip(b"\0"))) + text


def base58check(payload: bytes, letters: str = BITCOIN) -> str:
    return base58(payload + hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4], letters)


def fives(raw: bytes) -> list[int]:
    bits = "".join(f"{byte:08b}" for byte in raw)
    bits += "0" * (-len(bits) % 5)
    return [int(bits[at : at + 5], 2) for at in range(0, len(bits), 5)]


def polymod(values: list[int], generators: list[int], width: int) -> int:
    total = 1
    for value in values:
        top = total >> width
        total = (total & ((1 << width) - 1)) << 5 ^ value
        for bit in range(5):
            total ^= generators[bit] if top >> bit & 1 else 0
    return total


def bech32(prefix: str, values: list[int], constant: int = 1) -> str:
    generators = [0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]
    head = [ord(x) >> 5 for x in prefix] + [0] + [ord(x) & 31 for x in prefix]
    total = polymod(head + values + [0] * 6, generators, 25) ^ constant
    values = values + [total >> 5 * (5 - at) & 31 for at in range(6)]
    return prefix + "1" + "".join(CHARSET[value] for value in values)


def cashaddr(version: int, hashed: bytes) -> str:
    generators = [0x98F2BC8E61, 0x79B76D99E2, 0xF33E5FB3C4, 0xAE2EABE2A8, 0x1E4F43E470]
    values = fives(bytes([version]) + hashed)
    head = [ord(x) & 31 for x in "bitcoincash"] + [0]
    total = polymod(head + values + [0] * 8, generators, 35) ^ 1
    values += [total >> 5 * (7 - at) & 31 for at in range(8)]
    return "bitcoincash:" + "".join(CHARSET[value] for value in values)


def any_case(text: str) -> list[str]:
    return [text, text.lower(), text.upper()]


def evm_and_tron(raw: bytes) -> list[str]:
    digits = raw[:20].hex()
    upper = digits.upper()
    evm = [f"0x{digits}", f"0X{upper}", f"0x{upper}", digits, f"xdc{digits}", f"XDC{upper}"]
    return [*evm, base58check(b"\x41" + raw[:20]), f"41{digits}", f"41{upper}", f"0x41{digits}"]


def pay_to_key(raw: bytes) -> list[str]:
    cash = [cashaddr(version, raw[:20]) for version in (0x00, 0x10)]
    bare = [text.partition(":")[2] for text in cash]
    return [base58check(b"\x00" + raw[:20]), *cash, *bare, cash[0].upper(), bare[0].upper()]


def pay_to_script(raw: bytes) -> list[str]:
    cash = [cashaddr(version, raw[:20]) for version in (0x08, 0x18)]
    return [*(base58check(version + raw[:20]) for version in (b"\x05", b"\x32")), *cash, cash[0].upper()]


def version_of_one(version: bytes) -> Callable[[bytes], list[str]]:
    return lambda raw: [base58check(version + raw[:20])]


def segwit(prefix: str, version: int, size: int) -> Callable[[bytes], list[str]]:
    constant = 0x2BC830A3 if version else 1

    def spell(raw: bytes) -> list[str]:
        text = bech32(prefix, [version, *fives(raw[:size])], constant)
        return [text, text.upper(), text[:8].upper() + text[8:]]

    return spell


def account(prefix: str, chain: str = "") -> Callable[[bytes], list[str]]:
    return lambda raw: [chain + text for text in any_case(bech32(prefix, fives(raw[:20])))]


def xrp(raw: bytes) -> list[str]:
    tagged = [b"\x00" + bytes(8), b"\x01" + (77001).to_bytes(8, "little"), b"\x01" + bytes(8)]
    return [
        base58check(b"\x00" + raw[:20], RIPPLE),
        *(base58check(b"\x05\x44" + raw[:20] + tag, RIPPLE) for tag in tagged),
    ]


def stellar(raw: bytes) -> list[str]:
    def strkey(body: bytes) -> str:
        return base64.b32encode(body + crc_hqx(body, 0).to_bytes(2, "little")).decode().rstrip("=")

    one = strkey(b"\x30" + raw)
    return [one, one.lower(), *(strkey(b"\x60" + raw + number.to_bytes(8, "big")) for number in (0, 7, 1 << 63))]


def ton(raw: bytes) -> list[str]:
    spelled = [f"0:{raw.hex()}", f"0:{raw.hex().upper()}"]
    for flags in (0x11, 0x51, 0x91, 0xD1):
        body = bytes([flags, 0]) + raw
        full = body + crc_hqx(body, 0).to_bytes(2, "big")
        spelled += [base64.b64encode(full).decode(), base64.urlsafe_b64encode(full).decode()]
    return spelled


def polkadot(raw: bytes) -> list[str]:
    prefixes = [b"\x00", b"\x02", b"\x2a", bytes([0b01000001, 0b00000101])]
    return [base58(p + raw + hashlib.blake2b(b"SS58PRE" + p + raw).digest()[:2]) for p in prefixes]


def algorand(raw: bytes) -> list[str]:
    text = base64.b32encode(raw + hashlib.new("sha512_256", raw).digest()[-4:]).decode().rstrip("=")
    return [text, text.lower()]


def cardano(raw: bytes) -> list[str]:
    return any_case(bech32("addr", fives(b"\x61" + raw[:28])))


FAMILIES: dict[str, Callable[[bytes], list[str]]] = {
    "EVM and TRON": evm_and_tron,
    "pay to key": pay_to_key,
    "pay to script": pay_to_script,
    "LTC key": version_of_one(b"\x30"),
    "DOGE key": version_of_one(b"\x1e"),
    "DASH key": version_of_one(b"\x4c"),
    "ZEC key": lambda raw: [
        base58check(b"\x1c\xb8" + raw[:20]),
        *any_case(bech32("tex", fives(raw[:20]), 0x2BC830A3)),
    ],
    "ZEC script": version_of_one(b"\x1c\xbd"),
    "BTC segwit": segwit("bc", 0, 20),
    "BTC segwit script": segwit("bc", 0, 32),
    "BTC taproot": segwit("bc", 1, 32),
    "LTC segwit": segwit("ltc", 0, 20),
    "Cosmos": account("cosmos"),
    "Osmosis": account("osmo"),
    "Avalanche": lambda raw: account("avax", "X-")(raw) + account("avax", "P-")(raw) + account("avax")(raw),
    "XRP": xrp,
    "Stellar": stellar,
    "TON": ton,
    "Polkadot": polkadot,
    "Algorand": algorand,
    "Cardano": cardano,
    "Solana": lambda raw: [base58(raw)],
    "NEAR": lambda raw: [raw.hex(), raw.hex().upper()],
    "Sui": lambda raw: [f"0x{raw.hex()}", f"0X{raw.hex().upper()}"],
}
"""Family to every spelling of the address that 32 bytes (or the first of them) give."""
