from __future__ import annotations

from schemas.events.wallets import WalletRegistered, WalletRemoved
from tests.support.events import requested
from tests.support.inbound_messages import OWNER
from tests.support.scene import Scene
from travelrule.engine.registry import MACHINES


def registered(**changes) -> WalletRegistered:
    data = {
        "walletId": "w-1",
        "address": "0xABcdefABcdefABcdefABcdefABcdefABcdefABcd",
        "currencies": ["eth"],
        "networks": ["ETH"],
        "customerId": "c-77",
        "kyc": True,
        "owner": OWNER,
        **changes,
    }
    return WalletRegistered.model_validate(data)


def rows(scene: Scene):
    return MACHINES["wallet"].project(scene.state).rows


def test_a_registered_wallet_can_be_found_by_its_canonical_address():
    scene = Scene(subject="wallet:w-1")
    scene.submit(registered())
    (row,) = rows(scene)
    assert row.address == "0x" + "abcdef" * 6 + "abcd"
    assert (row.tag, row.currencies, row.kyc, row.removed) == ("", ("ETH",), True, False)
    assert row.owner == OWNER
    assert "Lind" not in repr(row)
    assert row in set(rows(scene))


def test_a_tag_is_kept_apart_however_it_was_registered():
    for data in (registered(address="rPEP:7"), registered(address="rPEP", tag="7")):
        scene = Scene(subject="wallet:w-1")
        scene.submit(data)
        (row,) = rows(scene)
        assert (row.address, row.tag) == ("rPEP", "7")


def test_the_newest_record_counts():
    scene = Scene(subject="wallet:w-1")
    scene.submit(registered(kyc=False))
    assert scene.submit(registered(kyc=False)).status == "duplicate"
    assert scene.submit(registered()).status == "applied"
    assert rows(scene)[0].kyc


def test_a_tombstone_removes_it_and_it_may_come_back():
    scene = Scene(subject="wallet:w-1")
    assert scene.submit(WalletRemoved(wallet_id="w-1")).status == "duplicate"
    scene.submit(registered(), WalletRemoved(wallet_id="w-1"))
    (row,) = rows(scene)
    assert (row.wallet_id, row.removed, row.owner) == ("w-1", True, None)
    assert scene.submit(WalletRemoved(wallet_id="w-1")).status == "duplicate"
    assert scene.submit(registered()).status == "applied"
    assert not rows(scene)[0].removed


def test_other_types_are_refused():
    assert Scene(subject="wallet:w-1").submit(requested()).code == "UNKNOWN_TYPE"
