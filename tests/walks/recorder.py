"""Which files of the program run, in the order in which they are entered, per transaction."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from travelrule.engine.apply.engine import Engine
from travelrule.engine.input_outcome import InputOutcome
from travelrule.machine.input import Input, Rejected

ROOT = Path(__file__).parents[2]
ROOMS = ("travelrule/", "streams/", "agents/", "schemas/")
OTHER_SIDE = ("travelrule/hub/", "travelrule/sandbox/", "travelrule/listener/")
"""The hub and the counterparty run in the same process; they are no part of our walk."""


@dataclass
class Step:
    """One transaction, named by its inputs; or what runs between two transactions (no inputs)."""

    inputs: tuple[str, ...] = ()
    files: dict[str, None] = field(default_factory=dict)


class Recorder:
    """Records the steps of everything that an engine applies while it is installed."""

    def __init__(self) -> None:
        self.steps: list[Step] = [Step()]

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record until the block ends. Only functions count: importing a module is no step of a walk."""
        apply = Engine.apply
        recorder = self

        async def recorded(engine: Engine, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
            recorder.steps.append(Step(tuple(item.type for item in items)))
            try:
                return await apply(engine, items)
            finally:
                recorder.steps.append(Step())

        Engine.apply = recorded  # type: ignore[method-assign]
        sys.setprofile(self._entered)
        try:
            yield
        finally:
            sys.setprofile(None)
            Engine.apply = apply  # type: ignore[method-assign]

    def _entered(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code.co_name == "<module>":
            return
        path = Path(code.co_filename)
        if not path.is_relative_to(ROOT):
            return
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(ROOMS) and not name.startswith(OTHER_SIDE):
            self.steps[-1].files.setdefault(name)
