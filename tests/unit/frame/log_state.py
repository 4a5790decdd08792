"""The process's logging, left as it was."""

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from travelrule import logs


@contextmanager
def logging_kept() -> Iterator[None]:
    """Undo what ``logs.configure`` does to the process."""
    root, ours = logging.getLogger(), logging.getLogger("travelrule")
    kept = (root.handlers[:], sys.excepthook, threading.excepthook, sys.unraisablehook)
    levels, raising = (root.level, ours.level), logging.raiseExceptions
    yield
    root.handlers[:], sys.excepthook, threading.excepthook, sys.unraisablehook = kept
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    logging.captureWarnings(capture=False)
    logging.raiseExceptions = raising
    logs._Mode.strict = True
