"""The folder of the setting ``LISTS_DIR``: one sub-folder for each list, named ``FORMAT`` or ``FORMAT@CODE``.

``ofac-csv/sdn.csv``, ``ofac-csv/alt.csv`` ..., ``un-xml/consolidated.xml``, ``own-csv@blocked/anything.csv``. Names
that begin with a dot or with ``README`` are ignored. Anything else that is no list is reported, because a misspelt list
would silently be missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from travelrule.errors import UsageError
from travelrule.screening.lists.formats.registry import FORMATS
from travelrule.screening.lists.import_report import FileFault, ListFaults
from travelrule.screening.lists.list_importer import CODE, default_code, files_of


@dataclass(frozen=True, slots=True)
class NamedList:
    """A list in the folder: its format, its code, its files."""

    format: str
    code: str
    paths: tuple[Path, ...]


def named_lists(folder: Path) -> tuple[NamedList, ...]:
    """Return the lists of the folder. Raises ``ListFaults`` for everything in it that is no list."""
    try:
        inside = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "README")))
    except OSError as error:
        fix = f"no such folder: {folder}" if not folder.exists() else "the folder cannot be read"
        raise ListFaults([FileFault(folder.name, "", "UNREADABLE", fix)]) from error
    found: dict[str, NamedList] = {}
    faults = []
    for path in inside:
        name, _, code = path.name.partition("@")
        if name not in FORMATS or not path.is_dir() or (code and not CODE.fullmatch(code)):
            fix = f"call a folder FORMAT or FORMAT@CODE, FORMAT one of {', '.join(FORMATS)}, CODE small letters"
            faults.append(FileFault(path.name, "", "FOLDER_NAME", fix))
            continue
        try:
            paths = files_of(name, path)
        except UsageError:
            faults.append(FileFault(path.name, "", "NO_FILES", f"the folder has no files of the format {name}"))
            continue
        code = code or default_code(name, paths)
        if code in found:
            faults.append(FileFault(path.name, "", "TWICE", f"two folders are the list {code}: write FORMAT@CODE"))
        found[code] = NamedList(name, code, tuple(paths))
    if faults:
        raise ListFaults(faults)
    return tuple(found.values())
