"""``policy try`` after an upgrade: a difference that only the program makes is no difference of the policy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import update

from tests.contract.engine.audit.test_machine_versions import NEXT, RUNNING, upgraded
from tests.contract.engine.policy.test_trial import W2, judged, words
from tests.contract.engine.recorded_history import SUBJECT, Record
from travelrule.engine.policy.trial import OF_ANOTHER_VERSION
from travelrule.engine.registry import MACHINES
from travelrule.machine.port import Machine
from travelrule.store import tables


def stricter(version: int) -> dict[str, Machine]:
    """A version that denies every withdrawal to south, whatever the policy."""
    machine = MACHINES["withdrawal"]

    def decide(state: Any, item: Any, policy: Any, now: Any) -> Any:
        denying = policy.model_copy(update={"deny_list": ("south",)}).with_own(policy.own)
        return machine.decide(state, item, denying, now)

    return {**MACHINES, "withdrawal": replace(machine, decide=decide, version=version)}


async def test_another_form_of_the_state_makes_no_difference(record: Record) -> None:
    for _ in range(2):
        found = await judged(record, "", machines=NEXT)
        assert not any(one.differs or one.undetermined for one in found.values())
        found = await judged(record, 'deny_list = ["south"]', machines=NEXT)
        assert words(found[SUBJECT].was) == ("allow", ["VERIFIED"])
        assert words(found[SUBJECT].would) == ("deny", ["COUNTERPARTY_NOT_ALLOWED"])
        assert not found[W2].differs
        await upgraded(record)


async def test_what_the_program_decides_otherwise_is_not_put_down_to_the_policy(record: Record) -> None:
    found = await judged(record, "", machines=stricter(RUNNING + 1))
    assert not any(one.differs for one in found.values())
    assert found[SUBJECT].undetermined == OF_ANOTHER_VERSION
    assert found[SUBJECT].was == {"verdict": "allow"}
    assert found[W2].undetermined == ""


async def test_the_same_under_the_running_version_is_tampering(record: Record) -> None:
    found = await judged(record, "", machines=stricter(RUNNING))
    assert found[SUBJECT].undetermined.endswith("gives another result: see audit verify")


async def test_a_version_that_cannot_take_an_input_says_so(record: Record) -> None:
    def decide(*_: Any) -> Any:
        raise RuntimeError("no such transition")

    machines = {**MACHINES, "withdrawal": replace(MACHINES["withdrawal"], decide=decide, version=RUNNING + 1)}
    found = await judged(record, "", machines=machines)
    assert {one.undetermined for one in found.values()} == {OF_ANOTHER_VERSION}


async def test_an_input_of_a_type_that_this_version_does_not_know(record: Record) -> None:
    """Sealed by a later version, before the installation was rolled back."""
    inputs = tables.inputs
    vault = record.north.vault
    key = vault.unwrap(
        SUBJECT, bytes((await record.one(tables.data_keys, tables.data_keys.c.subject == SUBJECT)).wrapped)
    )
    row = await record.one(inputs, inputs.c.subject == SUBJECT, inputs.c.record == 1)
    packed = vault.open(key, "input", SUBJECT, bytes(row.sealed)).replace(
        b"withdrawal.requested.v1", b"withdrawal.requested.v9"
    )
    where = (inputs.c.subject == SUBJECT, inputs.c.record == 1)
    await record.change(update(inputs).where(*where).values(sealed=vault.seal(key, "input", SUBJECT, packed)))
    found = (await judged(record, ""))[SUBJECT]
    assert found.undetermined == "another version of the program took an input that this one cannot read"
