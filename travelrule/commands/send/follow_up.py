"""What follows of sent events on the output topics: which records are about them, and when nothing more is to come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from schemas.registry import bare_id
from streams.topic_observer import ObservedRecord
from travelrule.commands.validate.answer import WorkerAnswer
from travelrule.commands.validate.event_file import FileRecord

SILENT = frozenset(
    {
        "withdrawal.recorded.v1", "withdrawal.broadcast.v1", "withdrawal.mined.v1", "withdrawal.settled.v1",
        "deposit.settled.v1", "wallet.registered.v1", "wallet.removed.v1",
    }
)  # fmt: skip
"""Types that lead to no verdict."""
ERROR = "__streams.errors."


@dataclass(frozen=True, slots=True)
class FollowUpStep:
    """One record that is about a sent event. ``data`` of a dead letter are its code, field and fix."""

    topic: str
    type: str
    subject: str
    data: dict[str, Any]

    @property
    def is_final(self) -> bool:
        """Whether it is a verdict after which nothing automatic follows."""
        return self.topic == "verdicts" and self.data.get("final") is True

    def sentence(self) -> str:
        """The step as a line of text, without what identifies persons."""
        data = self.data
        match self.topic:
            case "verdicts":
                needs = f", needs {', '.join(data['needs'])}" if data.get("needs") else ""
                end = "final" if data.get("final") else "not final"
                return f"verdict      {data.get('verdict')} {', '.join(data.get('reasons', ()))} ({end}){needs}"
            case "exchanges":
                txid = ", txid reported" if data.get("txid") else ""
                return f"exchange     {data.get('status')} with {data.get('counterparty')}{txid}"
            case "alerts":
                return f"alert        {data.get('code')} ({data.get('severity')})"
            case "deadletters":
                place = f" {data['field']}" if data["field"] else ""
                return f"dead letter  {data['code']}{place}: {data['fix']}"
        outcome = data.get("outcome") or data.get("status") or ""
        return f"callback     {self.type} {outcome}".rstrip()


@dataclass(slots=True)
class FollowUp:
    """Collects what follows of some records. ``is_sent_here`` tells the dead letters of these records from others."""

    sent: list[tuple[FileRecord, WorkerAnswer]]
    is_sent_here: Callable[[str, int, int], bool]
    steps: list[FollowUpStep] = field(default_factory=list)
    _transfers: set[str] = field(default_factory=set)

    def add(self, record: ObservedRecord) -> FollowUpStep | None:
        """Add a record of an output topic; None if it is about something else."""
        step = self._dead_letter(record) if record.topic == "deadletters" else self._event(record)
        if step is not None:
            self.steps.append(step)
        return step

    @property
    def letters(self) -> list[FollowUpStep]:
        """The dead letters."""
        return [step for step in self.steps if step.topic == "deadletters"]

    @property
    def verdict(self) -> dict[str, Any] | None:
        """The data of the last verdict, if there is one."""
        verdicts = [step.data for step in self.steps if step.topic == "verdicts"]
        return verdicts[-1] if verdicts else None

    def is_complete(self, *, taken: bool) -> bool:
        """Whether everything that is to come has come, once the workers have taken the records."""
        letters = {step.subject for step in self.letters}
        final = {step.subject for step in self.steps if step.is_final}
        return all(self._is_concluded(record, answer, letters, final, taken=taken) for record, answer in self.sent)

    def _is_concluded(
        self, record: FileRecord, answer: WorkerAnswer, letters: set[str], final: set[str], *, taken: bool
    ) -> bool:
        if _key(record.raw.key) in letters:
            return True
        if not answer.is_accepted:
            return False
        return taken if answer.type in SILENT else bare_id(answer.subject) in final

    def _dead_letter(self, record: ObservedRecord) -> FollowUpStep | None:
        headers = {name: value.decode(errors="replace") for name, value in record.headers.items() if value is not None}
        partition, offset = headers.get(f"{ERROR}partition", ""), headers.get(f"{ERROR}offset", "")
        if not (partition.isdigit() and offset.isdigit()):
            return None
        key = _key(record.key)
        if key not in {_key(one.raw.key) for one, _ in self.sent}:
            return None
        if not self.is_sent_here(headers.get(f"{ERROR}topic", ""), int(partition), int(offset)):
            return None
        names = ("code", "field", "fix")
        data = {name: headers.get(f"travelrule.error.{name}", "") for name in names}
        return FollowUpStep("deadletters", "", key, data)

    def _event(self, record: ObservedRecord) -> FollowUpStep | None:
        try:
            event = orjson.loads(record.value or b"{}")
        except orjson.JSONDecodeError:
            return None  # no event of this program
        data, kind = event.get("data", {}), event.get("type", "")
        subjects = {answer.subject for _, answer in self.sent}
        about = str(data.get("subject", ""))
        if record.topic == "exchanges":
            ids = {bare_id(subject) for subject in subjects} | self._transfers
            if not ids & {data.get(name) for name in ("withdrawalId", "depositId", "transferId")}:
                return None
            about = str(data.get("transferId"))
        elif about not in subjects and bare_id(about) not in subjects:
            return None
        if data.get("transferId"):
            self._transfers.add(data["transferId"])
        return FollowUpStep(record.topic, kind, bare_id(about), data)


def _key(key: bytes | None) -> str:
    return (key or b"").decode(errors="replace")
