"""Descriptors that a test leaves open, found at its end instead of in the test that collects them.

A socket in a reference cycle is closed by the collector, with a warning, in whatever test that runs. A collection after
each test costs too much, so there is one only after a test that leaves descriptors which were not open before.
"""

from __future__ import annotations

import gc
import os
import warnings
from pathlib import Path

_STANDARD = frozenset({"0", "1", "2"})  # pytest redirects them between the phases of a test
_DESCRIPTORS = next((folder for folder in (Path("/proc/self/fd"), Path("/dev/fd")) if folder.is_dir()), None)


def open_descriptors() -> frozenset[tuple[str, str]]:
    """Number and target of each descriptor of this process: a number that is used again has another target."""
    if _DESCRIPTORS is None:
        return frozenset()
    found = []
    for name in {*os.listdir(_DESCRIPTORS)} - _STANDARD:
        try:
            found.append((name, os.readlink(_DESCRIPTORS / name)))
        except OSError:  # closed meanwhile, as the one of the listing itself
            continue
    return frozenset(found)


def leaked_since(before: frozenset[tuple[str, str]]) -> list[str]:
    """What the collector had to close of what was opened since; what fixtures of a wider scope hold is not garbage."""
    if open_descriptors() <= before:
        return []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gc.collect()
    return [str(warning.message) for warning in caught if issubclass(warning.category, ResourceWarning)]
