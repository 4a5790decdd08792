"""Roots against the recursive definition of RFC 6962 and its published tree; proofs against tampering."""

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from travelrule.crypto.audit_chain import (
    Frontier,
    consistency_proof,
    inclusion_proof,
    merkle_root,
    verify_consistency,
    verify_inclusion,
)
from travelrule.crypto.merkle import leaf_hash, node_hash

# The tree of the certificate-transparency reference tests: leaves and the roots after each append.
CT_LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
CT_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def defined_root(leaves: list[bytes]) -> bytes:
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaf_hash(leaves[0])
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(defined_root(leaves[:split]), defined_root(leaves[split:]))


def leaves_of(size: int) -> list[bytes]:
    return [f"head {number}".encode() for number in range(size)]


def test_published_roots() -> None:
    assert [merkle_root(CT_LEAVES[: size + 1]).hex() for size in range(8)] == CT_ROOTS


def test_roots_follow_the_definition_and_appending_in_steps_is_the_same() -> None:
    for size in range(40):
        leaves = leaves_of(size)
        assert merkle_root(leaves) == defined_root(leaves)
        cut = size // 3
        frontier = Frontier().appended(leaves[:cut]).appended(leaves[cut:])
        assert (frontier.size, frontier.root()) == (size, defined_root(leaves))
        assert len(frontier.peaks) == size.bit_count()


def test_every_inclusion_proof_verifies_and_only_at_its_place() -> None:
    for size in range(1, 34):
        leaves, root = leaves_of(size), merkle_root(leaves_of(size))
        for index in range(size):
            proof = inclusion_proof(leaves, index)
            assert verify_inclusion(leaves[index], index, size, proof, root)
            assert not verify_inclusion(leaves[index], (index + 1) % size, size, proof, root) or size == 1
            assert not verify_inclusion(b"other", index, size, proof, root)
            assert not verify_inclusion(leaves[index], index, size, [*proof, root], root)
            assert not proof or not verify_inclusion(leaves[index], index, size, proof[:-1], root)


def test_every_consistency_proof_verifies() -> None:
    for new in range(20):
        leaves = leaves_of(new)
        for old in range(new + 1):
            proof = consistency_proof(leaves, old)
            old_root, new_root = merkle_root(leaves[:old]), merkle_root(leaves)
            assert verify_consistency(old, new, old_root, new_root, proof)
            assert not verify_consistency(old, new, bytes(32), new_root, proof)
            if old:
                assert not verify_consistency(old, new, old_root, bytes(32), proof)
                assert not verify_consistency(old, new, old_root, new_root, [*proof, bytes(32)])
            if proof:
                assert not verify_consistency(old, new, old_root, new_root, proof[:-1])


@settings(max_examples=80, deadline=None)
@given(size=st.integers(2, 70), where=st.integers(0, 10**6), at=st.integers(0, 10**6), change=st.integers(1, 255))
def test_changing_any_proof_byte_fails(size: int, where: int, at: int, change: int) -> None:
    leaves, root = leaves_of(size), merkle_root(leaves_of(size))
    index, old = where % size, 1 + where % (size - 1)

    def tampered(proof: list[bytes]) -> list[bytes]:
        raw = bytearray(b"".join(proof))
        raw[at % len(raw)] ^= change
        return [bytes(raw[start : start + 32]) for start in range(0, len(raw), 32)]

    assert not verify_inclusion(leaves[index], index, size, tampered(inclusion_proof(leaves, index)), root)
    proof = consistency_proof(leaves, old)
    assert not verify_consistency(old, size, merkle_root(leaves[:old]), root, tampered(proof))


def test_a_rewritten_history_is_not_consistent() -> None:
    leaves = leaves_of(13)
    rewritten = [b"changed", *leaves[1:]]
    proof = consistency_proof(rewritten, 6)
    assert not verify_consistency(6, 13, merkle_root(leaves[:6]), merkle_root(rewritten), proof)


def test_a_node_is_not_accepted_as_a_leaf() -> None:
    leaves = leaves_of(4)
    left = leaf_hash(leaves[0]) + leaf_hash(leaves[1])
    right = node_hash(leaf_hash(leaves[2]), leaf_hash(leaves[3]))
    assert not verify_inclusion(left, 0, 2, [right], merkle_root(leaves))


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_places_outside_the_tree(index: int, size: int) -> None:
    assert not verify_inclusion(b"x", index, size, [], leaf_hash(b"x"))
    with pytest.raises(IndexError):
        inclusion_proof(leaves_of(size), index)


def test_old_tree_larger_than_new() -> None:
    assert not verify_consistency(3, 2, bytes(32), bytes(32), [])
    assert not verify_consistency(3, 5, bytes(32), bytes(32), [])
    assert not verify_consistency(4, 5, merkle_root(leaves_of(4)), merkle_root(leaves_of(4)), [])
    with pytest.raises(IndexError):
        consistency_proof(leaves_of(2), 3)
