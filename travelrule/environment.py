"""Settings in the environment: their names, files with secrets, unknown names.

A name that starts with ``TRAVELRULE_`` and is no setting is an error, because a mistyped setting would otherwise
silently leave its default in force. Two families are accepted: the service-link names that Kubernetes puts into every
container, and ``TRAVELRULE_TEST_*``, the addresses of services for the test suite.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from dotenv import dotenv_values

from travelrule.errors import ConfigurationFault
from travelrule.given_files import UnreadableError, read_text

PREFIX = "TRAVELRULE_"
TEST_PREFIX = "TRAVELRULE_TEST_"
FILE_SUFFIX = "_FILE"

# For a service `travelrule-gateway`: TRAVELRULE_GATEWAY_SERVICE_HOST, ..._SERVICE_PORT_HTTP,
# ..._PORT_8080_TCP.
SERVICE_LINK = re.compile(r"TRAVELRULE_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\w+)?)")

Environment = Mapping[str, str]


def with_dotenv(environ: Environment, dotenv: Path) -> dict[str, str]:
    """Return the settings of ``dotenv``, overridden by the environment; a missing file adds nothing."""
    written = dotenv_values(dotenv) if dotenv.is_file() else {}
    return {name: value for name, value in written.items() if value is not None} | dict(environ)


def collect(
    environ: Environment, names: Collection[str], secrets: Collection[str]
) -> tuple[dict[str, str], list[ConfigurationFault]]:
    """Return the values that are set, by setting (no prefix, upper case), and the faults of the names.

    ``names`` are all settings, ``secrets`` those that may also be given as ``NAME_FILE``. An empty value counts as not
    set: charts and compose files leave a setting out so.
    """
    given = {name: value for name, value in environ.items() if name.startswith(PREFIX) and value.strip()}
    known = {PREFIX + name for name in names}
    files = {PREFIX + name + FILE_SUFFIX: PREFIX + name for name in secrets}
    values = {name.removeprefix(PREFIX): value.strip() for name, value in given.items() if name in known}
    faults = list(_unknown(given, known | files.keys()))
    for file_name, name in files.items():
        if file_name not in given:
            continue
        if name in given:
            faults.append(ConfigurationFault(name, f"is given here and as {file_name}: keep one of the two"))
            continue
        try:
            text = read_text(Path(given[file_name].strip())).strip()
        except UnreadableError as error:
            # The path is not repeated: it may be the secret itself, put there by mistake.
            faults.append(ConfigurationFault(file_name, f"cannot be read, {error.reason}: name a file with the value"))
            continue
        if not text:
            faults.append(ConfigurationFault(file_name, "names an empty file: write the value into it"))
        else:
            values[name.removeprefix(PREFIX)] = text
    return values, faults


def _unknown(given: Collection[str], known: Collection[str]) -> Iterator[ConfigurationFault]:
    for name in sorted(given):
        if name in known or name.startswith(TEST_PREFIX) or SERVICE_LINK.fullmatch(name):
            continue
        nearest = difflib.get_close_matches(name.upper(), sorted(known), n=1, cutoff=0.6)
        hint = f"did you mean {nearest[0]}?" if nearest else "see docs/generated/settings.md for all names"
        yield ConfigurationFault(name, f"is not a setting; {hint}")
