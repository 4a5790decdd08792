"""What a robot remembers: it outlives a change of the robot's keys and behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field

from travelrule.sandbox.robot_data import DataAnswers
from travelrule.sandbox.transfers import Transfers


@dataclass(frozen=True, slots=True)
class RobotMemory:
    """Transfers that were sent to the robot, and answers it gave about what it sent itself."""

    transfers: Transfers = field(default_factory=Transfers)
    data_answers: DataAnswers = field(default_factory=DataAnswers)
