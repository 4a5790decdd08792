"""The chart's page: each of its examples is accepted."""

from __future__ import annotations

import re

import yaml

from tests.helm.chart import CHART, merged, render


def _examples() -> list[str]:
    return re.findall(r"```yaml\n(.*?)```", (CHART / "README.md").read_text(), re.DOTALL)


def test_the_first_example_is_a_whole_installation_but_for_its_files() -> None:
    first = yaml.safe_load(_examples()[0])
    assert [one for one in render({"profile": "x"}, base=first) if one["kind"] == "StatefulSet"] == []


def test_every_further_example_can_be_added() -> None:
    first, *others = (yaml.safe_load(text) for text in _examples())
    assert len(others) == 3
    plain = render({"profile": "x"}, base=first)
    for more in others:
        assert render({"profile": "x"}, base=merged(first, more)) != plain
