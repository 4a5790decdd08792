from __future__ import annotations

import pytest

from tests.support.events import requested
from tests.support.scene import Scene
from travelrule.engine.registry import MACHINES
from travelrule.messages.directory import DirectoryChanged, DirectoryEntry, DirectoryKey


def entry(**changes) -> DirectoryEntry:
    facts = {"alliance": "code", "country": "SG", "legal_name": "South", "pubkeys": (DirectoryKey(pubkey="k1"),)}
    return DirectoryEntry(entity_id="south", **{**facts, **changes})


def changed(old, new, **more) -> DirectoryChanged:
    return DirectoryChanged(entity_id="south", old=old, new=new, **more)


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        (None, entry(), ["DIRECTORY_VASP_NEW"]),
        (entry(), None, ["DIRECTORY_VASP_GONE"]),
        (entry(), entry(health="down"), ["DIRECTORY_VASP_DOWN"]),
        (entry(health="down"), entry(health="UP"), ["DIRECTORY_VASP_UP"]),
        (entry(), entry(pubkeys=(DirectoryKey(pubkey="k2"),)), ["DIRECTORY_KEY_CHANGED"]),
        (entry(), entry(pubkeys=(DirectoryKey(pubkey="k1"), DirectoryKey(pubkey="k2"))), ["DIRECTORY_KEY_CHANGED"]),
        (entry(), entry(legal_name="Other"), ["DIRECTORY_ENTRY_CHANGED"]),
        (entry(), entry(country="MT", health="down"), ["DIRECTORY_VASP_DOWN", "DIRECTORY_ENTRY_CHANGED"]),
        (entry(), entry(), []),
        (None, None, []),
    ],
)
def test_what_changed_is_told(old, new, codes):
    scene = Scene(subject="vasp:south")
    scene.submit(changed(old, new))
    assert scene.alerts == codes
    assert all(effect.counterparty == "south" for effect in scene.last.effects)


def test_a_changed_key_is_critical():
    scene = Scene(subject="vasp:south")
    scene.submit(changed(entry(), entry(pubkeys=())))
    assert [effect.severity for effect in scene.last.effects] == ["critical"]


def test_the_first_load_is_no_news():
    scene = Scene(subject="vasp:south")
    scene.submit(changed(None, entry(), first_load=True))
    assert not scene.alerts
    scene.submit(changed(None, entry(health="down")))
    assert scene.alerts == ["DIRECTORY_VASP_DOWN"]


def test_the_same_news_twice_alerts_once():
    scene = Scene(subject="vasp:south")
    for _ in range(2):
        scene.submit(changed(entry(), entry(health="down")))
    assert scene.last.status == "duplicate"
    assert not scene.alerts
    assert MACHINES["vasp"].project(scene.state).status == "down"
    scene.submit(changed(entry(), None))
    assert MACHINES["vasp"].project(scene.state).status == "gone"


def test_other_types_are_refused():
    assert Scene(subject="vasp:south").submit(requested()).code == "UNKNOWN_TYPE"
