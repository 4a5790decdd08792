"""``travelrule lists``: the sanctions lists that this installation screens with."""

from __future__ import annotations

import gc
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from travelrule.bootstrap.installation import open_lists
from travelrule.bootstrap.list_import import put_in_force
from travelrule.commands.invocation import Output, OutputOption, fail, installation, run, write_json, write_text
from travelrule.errors import TravelRuleError
from travelrule.machine.effects import Alert
from travelrule.screening.lists.formats.registry import FORMATS
from travelrule.screening.lists.import_report import ListFaults
from travelrule.screening.lists.list_importer import ImportedList, import_list
from travelrule.screening.names import NameKind, is_comparable

app = typer.Typer(help="Sanctions lists", no_args_is_help=True)


@app.command("import")
def import_(
    format_: Annotated[str, typer.Argument(metavar="FORMAT", help=", ".join(FORMATS))],
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="the files of the list, or their folder")],
    code: Annotated[str | None, typer.Option(help="what the list is called here; a format has a usual code")] = None,
    allow_shrink: Annotated[  # noqa: FBT002 - a command-line switch
        bool, typer.Option("--allow-shrink", help="take it even if it has far fewer entries than the version in force")
    ] = False,
    output: OutputOption = Output.TEXT,
) -> None:
    """Read a list and put it in force for all processes of the installation.

    A file that is cut, broken or of another format changes nothing: every fault is reported, exit 1.
    """
    try:
        imported = _read(format_, paths, code)
    except ListFaults as faults:
        run(_refuse(faults, output))
    except TravelRuleError as error:
        fail(error)
    else:
        run(_activate(imported, output, allow_shrink=allow_shrink))


class SearchKind(StrEnum):
    """What a search looks for."""

    PERSON = "person"
    ORGANISATION = "organisation"
    ADDRESS = "address"


NAME_KINDS: dict[SearchKind | None, NameKind | None] = {
    None: None,
    SearchKind.PERSON: "person",
    SearchKind.ORGANISATION: "organisation",
}


@app.command()
def search(
    text: Annotated[str, typer.Argument(help="a name or an address")],
    kind: Annotated[SearchKind | None, typer.Option(help="look for this only")] = None,
    output: OutputOption = Output.TEXT,
) -> None:
    """Look for a name or an address in the lists in force, as screening does.

    Exit 1: no list is in force, or one cannot be read, so that nothing found does not mean not listed.
    """
    run(_search(text, kind, output))


async def _search(text: str, kind: SearchKind | None, output: Output) -> None:
    if not is_comparable(text, None):
        raise typer.BadParameter("a name or an address has at least one letter or digit", param_hint="TEXT")
    async with installation() as opened:
        lists = open_lists(opened)
        await lists.start()
        threshold = opened.policy().screening.name_threshold
        asked = (text,) if kind in (None, SearchKind.ADDRESS) else ()
        screened = await lists.screen((), asked, threshold=threshold)
        hits = list(screened.hits)
        if kind is not SearchKind.ADDRESS:
            names = await lists.search(text, NAME_KINDS[kind], threshold=threshold)
            hits += names.hits
    rows = [
        {"list": hit.list, "entry": hit.entry, "name": hit.name, "score": float(hit.score), "reason": hit.reason}
        for hit in hits
    ]
    if output is Output.JSON:
        write_json({"matches": rows})
    else:
        for row in rows:
            write_text(f"{row['list']} {row['entry']}  {row['score']:.3f}  {row['name']}: {row['reason']}")
        if not rows:
            write_text(f"nothing in {len(screened.versions)} list(s)")
    if not screened.checked:
        sys.stderr.write("travelrule: no list is in force, or one cannot be read: see `travelrule doctor`\n")
        raise typer.Exit(1)


def _read(format_: str, paths: list[Path], code: str | None) -> ImportedList:
    """Read a list. Parsing creates millions of objects: the collector is kept from scanning the program each time."""
    gc.freeze()
    try:
        return import_list(format_, paths, code)
    finally:
        gc.unfreeze()


async def _activate(imported: ImportedList, output: Output, *, allow_shrink: bool) -> None:
    try:
        async with installation() as opened:
            changed = await put_in_force(opened, imported, allow_shrink=allow_shrink)
    except ListFaults as faults:
        await _refuse(faults, output)
    report = imported.report
    if output is Output.JSON:
        write_json({"ok": True, "changed": changed, **report.as_dict(), "faults": []})
        return
    write_text(f"list      {report.code} ({report.format}), {'now in force' if changed else 'was in force already'}")
    write_text(f"version   {report.version}")
    write_text(f"read      {report.entries} entries, {report.names} names, {report.addresses} addresses on chain")
    if report.skipped:
        write_text(f"skipped   {report.skipped} elements that are no entries of a list")
    for file in report.files:
        write_text(f"file      {file.name}, {file.size} bytes, sha256 {file.sha256}")
    for unread in report.unread:
        write_text(f"unread    {unread.file} {unread.place}: {unread.code}: {unread.reason}")
    if report.unread_total > len(report.unread):
        write_text(f"unread    and {report.unread_total - len(report.unread)} more")


async def _refuse(faults: ListFaults, output: Output) -> None:
    """Write the faults, raise an alert, and exit 1; the list in force stays."""
    if output is Output.JSON:
        rows = [{"file": f.file, "place": f.place, "code": f.code, "fix": f.fix} for f in faults.faults]
        write_json({"ok": False, "list": faults.code, "faults": rows})
    else:
        for fault in faults.faults:
            write_text(str(fault))
    try:
        async with installation() as opened:
            await opened.engine.alert(f"list:{faults.code}", Alert("LIST_NOT_IMPORTED"))
    except TravelRuleError as error:
        sys.stderr.write(f"travelrule: no alert was raised: {error}\n")
    raise typer.Exit(1)
