"""The Merkle tree of RFC 6962 section 2.1: leaves hash as ``00 || leaf``, nodes as ``01 || left || right``.

The two prefixes make a node's hash differ from every leaf's. Sizes count leaves.
`Frontier` appends and returns the root in O(log n) without keeping the leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

HASH_BYTES = 32


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of one leaf."""
    return sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node."""
    return sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """What an append needs of a tree: its size and the roots of its complete subtrees, largest first."""

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def appended(self, leaves: Iterable[bytes]) -> Frontier:
        """Return the frontier after these leaves."""
        size, peaks = self.size, list(self.peaks)
        for leaf in leaves:
            node, full = leaf_hash(leaf), size
            while full & 1:
                node, full = node_hash(peaks.pop(), node), full >> 1
            peaks.append(node)
            size += 1
        return Frontier(size, tuple(peaks))

    def root(self) -> bytes:
        """Return the root; that of the empty tree is SHA-256 of nothing."""
        if not self.peaks:
            return sha256(b"").digest()
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = node_hash(peak, root)
        return root
