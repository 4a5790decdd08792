"""Files that an operator names in a setting or on the command line: their text, or why they cannot be read."""

from __future__ import annotations

from pathlib import Path

from travelrule.errors import ConfigurationError


class UnreadableError(Exception):
    """A file cannot be read; ``reason`` does not repeat its path."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def read_text(path: Path) -> str:
    """Return the text of a file. Raises ``UnreadableError``."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(reason_of(error)) from error


def require_file(setting: str, path: Path) -> None:
    """Raise ``ConfigurationError``, which names setting and path, for a file that cannot be read."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise ConfigurationError(setting, f"{reason_of(error)}: {path}") from None


def reason_of(error: Exception) -> str:
    """Return why a file cannot be read, from the exception that reading it raised."""
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return "no such file"
        case IsADirectoryError():
            return "is a folder, not a file"
        case PermissionError():
            return "may not be read by this user: check its rights"
        case UnicodeDecodeError():
            return "is no UTF-8 text"
        case _:
            return "cannot be read"
