"""The memory of a robot, which outlives a change of its keys and behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field

from travelrule.sandbox.robots.robot_data_requests import DataAnswerStore
from travelrule.sandbox.robots.robot_transfers import TransferStore


@dataclass(frozen=True, slots=True)
class RobotMemory:
    """Transfers that were sent to the robot, and its answers about transfers that it sent."""

    transfers: TransferStore = field(default_factory=TransferStore)
    data_answers: DataAnswerStore = field(default_factory=DataAnswerStore)
