"""Witness programs (BIP-141, BIP-173, BIP-350)."""

from __future__ import annotations

from travelrule.crypto.encodings.bech32 import Bech32
from travelrule.crypto.encodings.polynomial import LETTERS

SEGWIT_PREFIXES = frozenset({"bc", "tb", "bcrt", "ltc", "tltc", "rltc", "btg", "dgb"})
"""Prefixes of addresses that contain a witness version and program."""

_VERSION_MAX = 16
_PROGRAM_MIN, _PROGRAM_MAX = 2, 40
_PROGRAMS_OF_0 = (20, 32)
_LETTERS_MAX = 90


def segwit_flaws(decoded: Bech32) -> tuple[str, ...]:
    """Return why a text with a correct checksum is no address; empty if it is one."""
    if not decoded.letters:
        return ("no witness version",)
    version = LETTERS.index(decoded.letters[0])
    if version > _VERSION_MAX:
        return ("witness version above 16",)
    wanted = "bech32m" if version else "bech32"
    if decoded.variant != wanted:
        return (f"witness version {version} needs {wanted}",)
    program = decoded.payload(1)
    if program is None:
        return ("wrong padding",)
    fits = len(program) in _PROGRAMS_OF_0 if version == 0 else _PROGRAM_MIN <= len(program) <= _PROGRAM_MAX
    if not fits or len(decoded.prefix) + len(decoded.letters) + 7 > _LETTERS_MAX:
        return ("witness program of a wrong length",)
    return ()
