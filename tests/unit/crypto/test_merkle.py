"""Roots against the recursive definition of RFC 6962 and its published tree."""

from collections.abc import Iterable
from hashlib import sha256

from travelrule.crypto.merkle import Frontier, leaf_hash, node_hash

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


def merkle_root(leaves: Iterable[bytes]) -> bytes:
    return Frontier().appended(leaves).root()


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


def test_a_node_is_not_taken_for_a_leaf() -> None:
    leaves = leaves_of(4)
    nodes = [leaf_hash(one) + leaf_hash(other) for one, other in (leaves[:2], leaves[2:])]
    assert merkle_root(nodes) != merkle_root(leaves)
