"""The Merkle tree of RFC 6962 section 2.1: leaves hash as ``00 || leaf``, nodes as ``01 || left || right``.

The two prefixes keep a node from being passed off as a leaf. Sizes and indexes count leaves from 0.
`Frontier` appends and gives the root in O(log n) without keeping the leaves; proofs need the leaf hashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def merkle_root(leaves: Iterable[bytes]) -> bytes:
    """Return the root over the leaves in order."""
    return Frontier().appended(leaves).root()


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """Return the audit path of leaf ``index``, lowest sibling first. Raises IndexError outside the tree."""
    if not 0 <= index < len(leaves):
        raise IndexError("the leaf is not in the tree")
    level, path = [leaf_hash(leaf) for leaf in leaves], []
    while len(level) > 1:
        sibling = index ^ 1
        if sibling < len(level):
            path.append(level[sibling])
        level, index = _parents(level), index >> 1
    return path


def _parents(level: list[bytes]) -> list[bytes]:
    """Return the level above; a last node without sibling goes up unchanged."""
    pairs = [node_hash(level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
    return pairs + level[-1:] if len(level) % 2 else pairs


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Say whether ``leaf`` stands at ``index`` of the ``size`` leaves under this root (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    node, last = leaf_hash(leaf), size - 1
    for sibling in proof:
        if last == 0:
            return False
        if index & 1 or index == last:
            node = node_hash(sibling, node)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and node == root


def consistency_proof(leaves: Sequence[bytes], old_size: int) -> list[bytes]:
    """Return the proof that the first ``old_size`` leaves are a prefix of the tree (RFC 6962, 2.1.2)."""
    if not 0 <= old_size <= len(leaves):
        raise IndexError("the old tree is larger than the new one")
    if old_size in (0, len(leaves)):
        return []
    return _subproof(leaves, old_size, whole=True)


def _subproof(leaves: Sequence[bytes], old_size: int, *, whole: bool) -> list[bytes]:
    if old_size == len(leaves):
        return [] if whole else [merkle_root(leaves)]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    if old_size <= split:
        return [*_subproof(leaves[:split], old_size, whole=whole), merkle_root(leaves[split:])]
    return [*_subproof(leaves[split:], old_size - split, whole=False), merkle_root(leaves[:split])]


def verify_consistency(old_size: int, new_size: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Say whether the tree with ``new_root`` continues the one with ``old_root`` (RFC 9162, 2.1.4.2)."""
    if not 0 <= old_size <= new_size:
        return False
    if old_size == 0:
        return not proof and old_root == merkle_root(())
    if old_size == new_size:
        return not proof and old_root == new_root
    path = list(proof) if old_size & (old_size - 1) else [old_root, *proof]
    if not path:
        return False
    index, last = old_size - 1, new_size - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    old_node = new_node = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if index & 1 or index == last:
            old_node, new_node = node_hash(sibling, old_node), node_hash(sibling, new_node)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            new_node = node_hash(new_node, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and old_node == old_root and new_node == new_root
