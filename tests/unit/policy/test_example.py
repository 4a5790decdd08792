"""The policy that users begin from."""

from __future__ import annotations

import tomllib
from pathlib import Path

from travelrule.policy.policy import Policy
from travelrule.policy.sections import TimeLimits

EXAMPLE = Path(__file__).parents[3] / "examples" / "policy.toml"


def test_the_example_is_a_policy_and_shows_every_rule():
    text = EXAMPLE.read_text(encoding="utf-8")
    policy = Policy.from_toml(text)
    written = tomllib.loads(text)
    assert set(written) == set(Policy.model_fields)
    for table in ("decisions", "exemptions", "names", "searches", "screening", "retention"):
        assert set(written[table]) == set(type(getattr(policy, table)).model_fields), table
    assert set(written["time_limits"]) < set(TimeLimits.model_fields)
