"""``travelrule send FILE`` or ``--example TYPE``: test events for a worker, and what follows of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from streams.connection import connect
from streams.publisher import PublishError, TopicMissingError
from streams.topic_observer import TopicObserver
from streams.topics import Topics
from travelrule.bootstrap.broker import open_publisher
from travelrule.bootstrap.installation import utc_now
from travelrule.bootstrap.setting_faults import SettingFaults
from travelrule.commands.invocation import Output, OutputOption, fail, load_settings, run, write_json, write_text
from travelrule.commands.send.example import example_record
from travelrule.commands.send.follow_up import FollowUp, FollowUpStep
from travelrule.commands.validate.answer import WorkerAnswer, answer_to
from travelrule.commands.validate.command import HeaderOption, KeyOption, TopicOption
from travelrule.commands.validate.event_file import FileRecord, RecordOptions, read_event_file
from travelrule.errors import ConfigurationError, ServiceUnavailable, UsageError
from travelrule.settings import Settings

FOLLOW_SECONDS = 60.0
LOOK_SECONDS = 0.3
QUIET_SECONDS = 1.5
"""After the last expected record: others about the same subject arrive within this time."""
EXIT_CODES = {"refused": 1, "not sent": 1, "not taken": 3}


@dataclass(frozen=True, slots=True)
class SendReport:
    """Writes what happens, as text or as one JSON object per line. ``began`` is the loop's time of the sending."""

    output: Output
    began: float
    synthetic: bool

    def sent(self, record: FileRecord, answer: WorkerAnswer, topics: Topics) -> None:
        """Report one sent record."""
        topic = topics.physical(record.topic)
        if self.output is Output.JSON:
            named = {"type": answer.type, "subject": answer.subject, "event": answer.event}
            facts = {name: text or None for name, text in named.items()}
            write_json({"sent": {"topic": topic, **facts, "synthetic": self.synthetic}})
            return
        what = f"{'synthetic example ' if self.synthetic else ''}{answer.type or 'record'}"
        write_text(f"  0.00 s  sent         {what} for {answer.subject or 'no readable subject'} to {topic}")

    def unseen(self, topics: Sequence[str]) -> None:
        """Report the output topics that are not shown."""
        if not topics:
            return
        if self.output is Output.JSON:
            write_json({"notShown": list(topics)})
        else:
            write_text(f"not shown, because this login may not see them: {', '.join(topics)}")

    def step(self, step: FollowUpStep) -> None:
        """Report one record that follows."""
        seconds = asyncio.get_running_loop().time() - self.began
        if self.output is Output.JSON:
            named = {"topic": step.topic, "type": step.type or None, "data": step.data}
            write_json({"seconds": round(seconds, 2), **named})
        else:
            write_text(f"{seconds:6.2f} s  {step.sentence()}")

    def end(self, outcome: str, verdict: dict[str, Any] | None, seconds: float) -> None:
        """Report how it ended."""
        if self.output is Output.JSON:
            word = verdict["verdict"] if verdict else None
            write_json({"outcome": outcome, "verdict": word, "reasons": verdict["reasons"] if verdict else []})
        elif outcome in ENDS:
            write_text(ENDS[outcome].format(seconds=f"{seconds:.0f}"))


ENDS = {
    "taken": "accepted: no verdict follows of this type",
    "taken without verdict": "accepted, and no verdict within {seconds} s: an event that was sent before causes nothing"
    " again, one about an unknown subject waits for it",
    "open": "no final verdict within {seconds} s: `travelrule explain SUBJECT` shows what it waits for",
    "unknown": "nothing within {seconds} s; whether a worker took it is not known, because this login may not read the"
    " offsets of TRAVELRULE_CONSUMER_GROUP",
    "not taken": "no worker took it within {seconds} s: it waits on its topic; check that `travelrule serve worker`"
    " runs with this TRAVELRULE_TOPIC_PREFIX and TRAVELRULE_CONSUMER_GROUP",
}


def send(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="one event, or one on each line; - is standard input")
    ] = None,
    example: Annotated[
        str | None, typer.Option(metavar="TYPE", help="a synthetic event of this type; TYPE/NAME for another one of it")
    ] = None,
    subject_id: Annotated[str | None, typer.Option("--id", help="the id that the example is about")] = None,
    topic: TopicOption = None,
    key: KeyOption = None,
    header: HeaderOption = None,
    force: Annotated[bool, typer.Option("--force", help="also send what a worker would refuse")] = False,  # noqa: FBT002
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="show what follows")] = True,  # noqa: FBT002
    timeout: Annotated[float, typer.Option(min=0, help="seconds that --wait waits at most")] = FOLLOW_SECONDS,
    output: OutputOption = Output.TEXT,
) -> None:
    """Put test events on their topics and show what follows: verdicts, callbacks, exchanges, alerts, dead letters.

    What `travelrule validate` refuses is not sent, unless --force: exit 1. It ends with the final verdict or at the
    time limit; exit 1 if an event was refused, 3 if no worker took it. Needs the settings of the broker only.
    """
    try:
        if (file is None) == (example is None):
            raise UsageError("give FILE or --example TYPE")  # noqa: TRY301 - all wrong uses end in one place
        if example is not None:
            records = [example_record(example, subject_id, utc_now())]
        else:
            records = read_event_file(file or Path(), RecordOptions.parse(topic, key, header or ()))
    except UsageError as error:
        fail(error)
    settings = load_settings(SettingFaults.check_broker)
    answers = [(record, answer_to(record, utc_now())) for record in records]
    refused = [answer for _, answer in answers if not answer.is_accepted]
    if refused and not force:
        _report_refused(refused, output)
        raise typer.Exit(EXIT_CODES["not sent"])
    run(_send(settings, answers, timeout if wait else None, output, synthetic=example is not None))


def _report_refused(refused: list[WorkerAnswer], output: Output) -> None:
    for answer in refused:
        if output is Output.JSON:
            write_json({"outcome": "not sent", **answer.facts()})
        else:
            write_text(f"not sent: {answer.sentence()}")


async def _send(
    settings: Settings,
    answers: Sequence[tuple[FileRecord, WorkerAnswer]],
    patience: float | None,
    output: Output,
    *,
    synthetic: bool,
) -> None:
    topics = Topics(settings.topic_prefix)
    inputs = {record.topic for record, _ in answers}
    observer = TopicObserver(connect(settings), topics, settings.consumer_group, inputs)
    try:
        await observer.start()
        report = SendReport(output, asyncio.get_running_loop().time(), synthetic)
        report.unseen(observer.unseen)
        await _publish(settings, answers, topics, report)
        await observer.note_sent()
        follow_up = FollowUp(list(answers), observer.is_sent_here)
        outcome = "sent" if patience is None else await _follow(observer, follow_up, report, patience)
    finally:
        await observer.stop()
    report.end(outcome, follow_up.verdict, patience or 0)
    if code := EXIT_CODES.get(outcome):
        raise typer.Exit(code)


async def _publish(
    settings: Settings, answers: Sequence[tuple[FileRecord, WorkerAnswer]], topics: Topics, report: SendReport
) -> None:
    async with open_publisher(settings) as publisher:
        for record, answer in answers:
            raw = record.raw
            try:
                await publisher.publish(raw.topic, raw.key or b"", raw.value, list(raw.headers))
            except TopicMissingError:
                fix = "the topic does not exist: run `travelrule topics apply`, or correct the prefix"
                raise ConfigurationError("TRAVELRULE_TOPIC_PREFIX", fix) from None
            except PublishError as error:
                raise ServiceUnavailable("broker", str(error), f"did not take line {record.line}") from error
            report.sent(record, answer, topics)


async def _follow(observer: TopicObserver, follow_up: FollowUp, report: SendReport, patience: float) -> str:
    """Report what follows until nothing more is to come, or the time limit. Return the outcome."""
    loop = asyncio.get_running_loop()
    end, quiet_until = loop.time() + patience, None
    taken: bool | None = False
    while (now := loop.time()) < end and (quiet_until is None or now < quiet_until):
        for record in await observer.records(min(LOOK_SECONDS, end - now)):
            step = follow_up.add(record)
            if step is not None:
                report.step(step)
                quiet_until = None
        taken = taken or await observer.is_taken()
        if quiet_until is None and follow_up.is_complete(taken=bool(taken)):
            quiet_until = loop.time() + QUIET_SECONDS
    return _outcome(follow_up, taken=taken)


def _outcome(follow_up: FollowUp, *, taken: bool | None) -> str:
    if follow_up.letters:
        return "refused"
    if follow_up.is_complete(taken=bool(taken)):
        return "taken" if follow_up.verdict is None else "final"
    if follow_up.steps:
        return "open"
    if taken is None:
        return "unknown"
    return "taken without verdict" if taken else "not taken"
