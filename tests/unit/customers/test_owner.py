"""Owners against the lists: a result counts only for its own owner data, an entry raises one alert per owner."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events.wallets import WalletRemoved
from tests.support.events import requested
from tests.support.scene import Scene
from tests.unit.customers.test_wallet import registered, rows
from travelrule.machine.effects import Alert, SendMessage
from travelrule.messages.owner import ListedAs, OwnerHits, OwnerListed, OwnerScreened, keys_of

KEY, OTHER_KEY = "aa" * 16, "bb" * 16
OTHER_OWNER = {"natural": {"lastName": "Petrov", "firstName": "Ivan"}}


def hit(entry: str = "7", score: str = "1") -> ListedAs:
    return ListedAs(list_code="un", entry=entry, score=score, reason="same name")


def screened(scene: Scene, *hits: ListedAs, revision: int | None = None, owner: str = KEY, lists: str = "L1"):
    number = scene.state.revision if revision is None else revision
    return OwnerScreened(revision=number, owner=owner, lists=lists, hits=hits)


def wallet(**changes) -> Scene:
    scene = Scene(subject="wallet:w-1")
    scene.submit(registered(**changes))
    return scene


def known(scene: Scene) -> tuple[str, bool | None]:
    (row,) = rows(scene)
    return row.screened_lists, row.sanctioned


def told(scene: Scene) -> list[tuple[str, int]]:
    """The receivers of messages, and the number of entries."""
    return [(effect.subject, len(effect.data.hits)) for effect in scene.last.effects if isinstance(effect, SendMessage)]


def test_a_new_wallet_s_owner_is_not_known_until_he_was_screened():
    scene = wallet()
    assert known(scene) == ("", None)
    scene.submit(screened(scene))
    assert known(scene) == ("L1", False)
    assert told(scene) == []


def test_a_hit_is_told_to_the_owner_once_and_taken_back_when_it_is_gone():
    scene = wallet()
    scene.submit(screened(scene, hit()))
    assert known(scene) == ("L1", True)
    assert told(scene) == [(f"owner:{KEY}", 1)]
    assert "un 7" in scene.last.rule
    scene.submit(screened(scene, hit(score="0.93"), lists="L2"))
    assert (known(scene), told(scene)) == (("L2", True), []), "the same entry with another score is no news"
    scene.submit(screened(scene, lists="L3"))
    assert (known(scene), told(scene)) == (("L3", False), [(f"owner:{KEY}", 0)])
    scene.submit(screened(scene, lists="L4"))
    assert told(scene) == []


def test_a_result_for_an_earlier_owner_is_no_result_for_this_one():
    scene = wallet()
    late = screened(scene)
    scene.submit(registered(owner=OTHER_OWNER))
    assert scene.submit(late).status == "duplicate"
    assert known(scene) == ("", None)
    scene.submit(screened(scene, hit()))
    assert scene.submit(late).status == "duplicate"
    assert known(scene) == ("L1", True)


def test_of_two_results_for_one_revision_the_first_counts():
    scene = wallet()
    first, second = screened(scene, lists="L2"), screened(scene, hit())
    scene.submit(first)
    assert scene.submit(second).status == "duplicate"
    assert known(scene) == ("L2", False)


def test_other_data_of_the_wallet_leave_the_result_as_it_is_another_owner_does_not():
    scene = wallet()
    scene.submit(screened(scene, hit()), registered(kyc=False, currencies=["btc"]))
    assert known(scene) == ("L1", True)
    scene.submit(registered(owner=OTHER_OWNER))
    assert known(scene) == ("", None)
    assert told(scene) == [], "the customer is the same: what lists say of him is known when he is screened"
    scene.submit(screened(scene))
    assert told(scene) == [(f"owner:{KEY}", 0)]


def test_a_wallet_that_goes_to_another_customer_says_nothing_about_the_first_any_more():
    scene = wallet()
    scene.submit(screened(scene, hit()), registered(customerId="c-78"))
    assert (known(scene), told(scene)) == (("", None), [(f"owner:{KEY}", 0)])
    scene.submit(screened(scene, hit(), owner=OTHER_KEY))
    assert told(scene) == [(f"owner:{OTHER_KEY}", 1)]


def test_a_removed_wallet_takes_back_what_it_said_and_ignores_what_comes_late():
    scene = wallet()
    late = screened(scene)
    scene.submit(screened(scene, hit()), WalletRemoved(wallet_id="w-1"))
    assert told(scene) == [(f"owner:{KEY}", 0)]
    assert scene.submit(late).status == "duplicate"
    scene.submit(registered())
    assert known(scene) == ("", None)
    assert scene.submit(late).status == "duplicate"
    scene.submit(WalletRemoved(wallet_id="w-1"))
    assert told(scene) == []


def test_each_new_entry_is_one_alert():
    scene = wallet()
    scene.submit(OwnerListed(hits=(hit("7"), hit("8"))))
    assert scene.last.effects == (Alert("OWNER_LISTED", "critical"),) * 2
    assert "un 7, un 8" in scene.last.rule


def test_nobody_screens_a_wallet_that_was_never_there_and_an_owner_is_told_of_hits_only():
    message = OwnerScreened(revision=0, owner=KEY, lists="L1")
    assert Scene(subject="wallet:w-1").submit(message).code == "UNKNOWN_TYPE"
    assert Scene(subject=f"owner:{KEY}").submit(requested()).code == "UNKNOWN_TYPE"


def test_nothing_about_the_owner_is_in_a_repr():
    scene = wallet()
    scene.submit(screened(scene, hit()))
    assert "un" not in repr(scene.state.told)
    assert KEY not in repr(scene.state.screened)


WALLETS, ENTRIES = ("wallet:w-1", "wallet:w-2", "wallet:w-3"), ("7", "8")
SAYINGS = st.lists(st.tuples(st.sampled_from(WALLETS), st.sets(st.sampled_from(ENTRIES))), max_size=12)


@settings(max_examples=60, deadline=None)
@given(SAYINGS)
def test_an_owner_is_told_of_exactly_when_the_first_of_his_wallets_has_it(sayings):
    """The law, said another way: an entry is news if and only if no wallet had it just before."""
    owner = Scene(subject=f"owner:{KEY}")
    has: dict[str, set[str]] = {}
    for subject, entries in sayings:
        before = set[str]().union(*has.values())
        owner.submit(OwnerHits(wallet=subject, hits=tuple(hit(entry) for entry in sorted(entries))))
        has[subject] = entries
        news = Counter(
            (effect.subject, each.entry)
            for effect in owner.last.effects
            if isinstance(effect, SendMessage)
            for each in effect.data.hits
        )
        assert news == Counter((subject, entry) for entry in entries - before)
        listed = {entry for one in owner.state.wallets for _, entry in keys_of(one.hits)}
        assert listed == set[str]().union(*has.values())


STEPS = st.lists(
    st.tuples(
        st.sampled_from(("register", "remove", "screen")),
        st.sampled_from(("w-1", "w-2", "w-3")),
        st.sampled_from(("c-1", "c-2")),
        st.sets(st.sampled_from(ENTRIES)),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_wallets_and_owners_together_alert_once_per_customer_and_entry(steps):
    """Against a plain model: which entries each wallet carries for its customer, and what is new by any of them."""
    machines = {f"wallet:{name}": Scene(subject=f"wallet:{name}") for name in ("w-1", "w-2", "w-3")}
    carried: dict[str, tuple[str, set[str]]] = {}
    registered_for: dict[str, str] = {}
    alerts = expected = 0

    def deliver(scene: Scene) -> int:
        """Deliver the messages to their receivers; return how many alerts were raised."""
        count = sum(isinstance(effect, Alert) for effect in scene.last.effects)
        for effect in [effect for effect in scene.last.effects if isinstance(effect, SendMessage)]:
            receiver = machines.setdefault(effect.subject, Scene(subject=effect.subject))
            receiver.submit(effect.data)
            count += deliver(receiver)
        return count

    for action, name, customer, entries in steps:
        wallet = machines[f"wallet:{name}"]
        if action == "register":
            if registered_for.get(name) != customer:
                carried.pop(name, None)
            registered_for[name] = customer
            wallet.submit(registered(walletId=name, customerId=customer))
        elif action == "remove":
            carried.pop(name, None)
            registered_for.pop(name, None)
            wallet.submit(WalletRemoved(wallet_id=name))
        elif name in registered_for:
            owner = registered_for[name]
            listed = set[str]().union(*(found for by, found in carried.values() if by == owner))
            expected += len(entries - listed)
            carried[name] = (owner, entries)
            wallet.submit(screened(wallet, *(hit(entry) for entry in sorted(entries)), owner=owner))
        alerts += deliver(wallet)
        assert alerts == expected
