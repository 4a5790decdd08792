"""Activation of sanctions lists, by ``lists import`` and at the first start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import orjson

from travelrule import logs
from travelrule.bootstrap.installation import Installation
from travelrule.errors import ConfigurationError, ConfigurationFault
from travelrule.screening.list_snapshot import ListSnapshot, load_in_steps
from travelrule.screening.lists.import_report import FileFault, ListFaults
from travelrule.screening.lists.list_content import unpack
from travelrule.screening.lists.list_importer import ImportedList, import_list
from travelrule.screening.lists.lists_folder import NamedList, named_lists
from travelrule.screening.stepwise import run_steps
from travelrule.store.list_versions import ListVersion

SETTING = "LISTS_DIR"
SHRINK_FROM = 100
"""Smaller lists may lose any number of entries: they are edited by hand."""
SHRINK_PERCENT = 80
"""A new version with a smaller share of the old one's entries, names or addresses is treated as a truncated file."""

log = logs.get("lists")


async def put_in_force(opened: Installation, imported: ImportedList, *, allow_shrink: bool = False) -> bool:
    """Store a list and put it in force for all processes. Return False if this version already is.

    Raise ``ListFaults`` if it has far fewer entries than the version in force, unless ``allow_shrink``.
    """
    report = imported.report
    before = (await opened.lists.active()).get(report.code)
    if before is not None and not allow_shrink and _shrinks(before, imported):
        fix = "it has far fewer entries than the version in force: fetch it again, or say --allow-shrink if it is right"
        faults = ListFaults([FileFault(file.name, "", "SHRUNK", fix) for file in report.files[:1]])
        faults.code = report.code
        raise faults
    version = ListVersion(
        code=report.code,
        version=report.version,
        format=report.format,
        entries=report.entries,
        names=report.names,
        addresses=report.addresses,
        report=orjson.dumps(report.as_dict()).decode(),
        published_at=report.published,
        imported_at=opened.clock(),
    )
    changed = await opened.lists.activate(version, imported.content)
    log.info("list-active", list=report.code, version=report.version, entries=report.entries)
    return changed


async def load_first_lists(opened: Installation) -> None:
    """Import the lists of ``LISTS_DIR`` that the database has in no version.

    Raise ``ConfigurationError`` with all faults: an installation does not start without a list of its settings.
    """
    folder = opened.settings.lists_dir
    if folder is None:
        return
    try:
        known = await opened.lists.active()
        for named in await asyncio.to_thread(named_lists, folder):
            if named.code not in known:
                await put_in_force(opened, await asyncio.to_thread(_import, named))
    except ListFaults as error:
        raise _configuration(error) from None


def addresses_of_folder(folder: Path) -> Callable[[str], bool]:
    """A predicate for addresses on the lists of a folder: for a hub, which has no database.

    Raise ``ConfigurationError`` with all faults.
    """
    try:
        loaded = {}
        for named in named_lists(folder):
            imported = _import(named)
            code, version = imported.report.code, imported.report.version
            loaded[code] = run_steps(load_in_steps(code, version, unpack(code, version, imported.content)))
    except ListFaults as error:
        raise _configuration(error) from None
    snapshot = run_steps(ListSnapshot.build_in_steps(loaded))
    return lambda address: bool(snapshot.addresses((address,)))


def _configuration(error: ListFaults) -> ConfigurationError:
    return ConfigurationError.of(
        ConfigurationFault(f"{SETTING} {fault.file} {fault.place}".rstrip(), fault.fix) for fault in error.faults
    )


def _import(named: NamedList) -> ImportedList:
    return import_list(named.format, named.paths, named.code)


def _shrinks(before: ListVersion, imported: ImportedList) -> bool:
    now = imported.report
    pairs = ((before.entries, now.entries), (before.names, now.names), (before.addresses, now.addresses))
    return any(old >= SHRINK_FROM and new * 100 < old * SHRINK_PERCENT for old, new in pairs)
