"""Files that must not exist yet: all are written, or none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from travelrule.errors import UsageError

PRIVATE, READABLE = 0o600, 0o644
PRIVATE_FOLDER = 0o700


def write_new_files(folder: Path, readable: Mapping[Path, str], private: Mapping[Path, str]) -> None:
    """Write files below ``folder``, the private ones for this user alone. Raise ``UsageError``, which names the files,
    if one exists or cannot be written; nothing of this call is then left.
    """
    existing = [path for path in (*private, *readable) if os.path.lexists(path)]
    if existing:
        names = ", ".join(map(str, existing))
        raise UsageError(f"exists already and is not overwritten: {names}; name another folder, or move it away")
    made: list[Path] = []
    path = folder
    try:
        for path in _missing_folders(folder, (*private, *readable)):
            path.mkdir(mode=PRIVATE_FOLDER)
            made.append(path)
        for files, mode in ((private, PRIVATE), (readable, READABLE)):
            for path, text in files.items():
                _write(path, text, mode)
                made.append(path)
    except OSError as error:
        _remove(made)
        raise UsageError(f"cannot be written: {path}: {error.strerror or type(error).__name__}") from None
    except BaseException:
        _remove(made)
        raise


def _missing_folders(folder: Path, files: tuple[Path, ...]) -> list[Path]:
    """The folders to create, parents first."""
    wanted = {parent for path in (folder / "file", *files) for parent in path.parents}
    return sorted((path for path in wanted if not path.is_dir()), key=lambda path: len(path.parts))


def _write(path: Path, text: str, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except BaseException:
        path.unlink()
        raise


def _remove(made: list[Path]) -> None:
    for path in reversed(made):
        with suppress(OSError):  # the first error is the one to report
            path.rmdir() if path.is_dir() else path.unlink()
