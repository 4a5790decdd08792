"""What a robot remembers: it outlives a change of the robot's keys and behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field

from travelrule.sandbox.robots.robot_data_requests import DataAnswerStore
from travelrule.sandbox.robots.robot_transfers import TransferStore


@dataclass(frozen=True, slots=True)
class RobotMemory:
    """Transfers that were sent to the robot, and answers it gave about what it sent itself."""

    transfers: TransferStore = field(default_factory=TransferStore)
    data_answers: DataAnswerStore = field(default_factory=DataAnswerStore)
