"""``travelrule audit``: prove the record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from travelrule.bootstrap.installation import audit_key
from travelrule.commands.invocation import Output, OutputOption, installation, not_built, run, write_json, write_text
from travelrule.engine.audit.verifier import AuditVerifier
from travelrule.engine.registry import MACHINES

app = typer.Typer(help="The audit record", no_args_is_help=True)


@app.command()
def verify(
    file: Annotated[Path | None, typer.Argument(help="an exported package to prove offline")] = None,
    output: OutputOption = Output.TEXT,
) -> None:
    """Prove chains, inputs, decisions and signed roots; exit 1 if something does not fit."""
    if file is not None:
        not_built("audit verify FILE")
    run(_verify(output))


@app.command()
def export(subject: Annotated[str, typer.Argument(help="the subject to export")]) -> None:
    """Export a subject's evidence for an offline proof."""
    not_built(f"audit export (of {subject.partition(':')[0]})")


async def _verify(output: Output) -> None:
    async with installation() as opened:
        verifier = AuditVerifier(
            opened.database,
            opened.entity_id,
            opened.vault,
            MACHINES,
            opened.policies,
            opened.policy().own,
            audit_key(opened.settings).public_base64,
        )
        report = await verifier.verify()
    answer = {
        "ok": report.ok,
        "subjects": report.subjects,
        "records": report.records,
        "recomputed": report.recomputed,
        "underPresentProfile": report.under_present_profile,
        "earlierVersion": report.earlier_version,
        "laterVersion": report.later_version,
        "notKept": report.not_kept,
        "roots": report.roots,
        "faults": report.faults,
    }
    if output is Output.JSON:
        write_json(answer)
    else:
        for name, value in answer.items():
            write_text(f"{name:<19} {value}")
    if not report.ok:
        raise typer.Exit(1)
