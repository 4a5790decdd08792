"""``travelrule policy``: the operator's rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from travelrule.commands.invocation import (
    Output,
    OutputOption,
    fail,
    installation,
    run,
    since_time,
    write_json,
    write_text,
)
from travelrule.commands.policy.trial_output import write_trial
from travelrule.engine.audit.history import HistoryReader
from travelrule.engine.policy.trial import PolicyTrial
from travelrule.engine.registry import MACHINES
from travelrule.errors import UsageError
from travelrule.given_files import UnreadableError, read_text
from travelrule.policy.policy import Policy
from travelrule.policy.policy_file import PolicyFault, PolicyFaults

app = typer.Typer(help="The operator's rules", no_args_is_help=True)
FileArgument = Annotated[Path, typer.Argument(help="a policy in TOML")]


@app.command()
def check(file: FileArgument, output: OutputOption = Output.TEXT) -> None:
    """Report every fault of a policy file; exit 1 if there is one."""
    policy, _ = _policy(file, output)
    _say({"ok": True, "version": policy.version, "faults": []}, output)


@app.command()
def apply(file: FileArgument, output: OutputOption = Output.TEXT) -> None:
    """Put a policy in force; running processes take it up within seconds."""
    policy, content = _policy(file, output)
    run(_apply(policy, content, output))


@app.command("try")
def try_(
    file: FileArgument,
    since: Annotated[str, typer.Option(help="ISO 8601 time; without a zone it is UTC")],
    output: OutputOption = Output.TEXT,
) -> None:
    """Show which verdicts would differ under another policy: stored inputs are decided again, nothing is changed.

    Judged is everything that anything happened to since that time.
    """
    policy, _ = _policy(file, output)
    run(_try(policy, since, output))


async def _apply(policy: Policy, content: str, output: Output) -> None:
    async with installation() as opened:
        changed = await opened.policies.activate(policy.version, content, opened.clock())
    _say({"ok": True, "version": policy.version, "changed": changed, "faults": []}, output)


async def _try(policy: Policy, since: str, output: Output) -> None:
    moment = since_time(since)
    async with installation() as opened:
        own = opened.policy().own
        histories = HistoryReader(opened.database, opened.entity_id, opened.vault, opened.policies, own)
        trial = PolicyTrial(histories, opened.vault, MACHINES, policy.with_own(own), opened.clock())
        await write_trial(trial.judge(moment), policy.version, output)


def _policy(file: Path, output: Output) -> tuple[Policy, str]:
    """The policy of a file and its text. If it has faults, write them and exit 1."""
    try:
        content = read_text(file)
    except UnreadableError as error:
        fail(UsageError(f"{file}: {error.reason}"))
    try:
        return Policy.from_toml(content), content
    except PolicyFaults as error:
        _tell_faults(error.faults, output)
    raise typer.Exit(1)


def _tell_faults(faults: Sequence[PolicyFault], output: Output) -> None:
    if output is Output.JSON:
        told = [{"field": fault.field, "code": fault.code, "fix": fault.fix} for fault in faults]
        write_json({"ok": False, "faults": told})
        return
    for fault in faults:
        write_text(f"{fault.field or 'the file'}: {fault.code}: {fault.fix}")


def _say(answer: dict[str, object], output: Output) -> None:
    if output is Output.JSON:
        write_json(answer)
        return
    for name, value in answer.items():
        write_text(f"{name:<8} {value}")
