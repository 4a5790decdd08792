"""Repeated lines are counted: little is written, nothing is lost, memory is bounded."""

import io
import json
import logging
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.frame.log_state import logging_kept
from travelrule import logs
from travelrule.library_messages import LibraryMessages
from travelrule.log_output import LineHandler, json_line
from travelrule.repeated_lines import INTERVAL_SECONDS, KEYS_MAX, RepeatedLines, Summary

BOUND = 2 * (KEYS_MAX + 1)


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    with logging_kept():
        yield


def test_the_first_is_written_and_the_rest_is_one_line_an_interval() -> None:
    lines = RepeatedLines()
    assert [lines.admit(("a",), {"n": n}, float(n)) for n in range(5)] == [True, False, False, False, False]
    assert lines.due(59.9) == []
    assert lines.due(60.0) == [Summary({"n": 4}, 4, 60.0, mixed=False)]
    assert not lines.admit(("a",), {"n": 5}, 61.0), "it goes on: still counted"
    assert lines.due(120.0) == [Summary({"n": 5}, 1, 60.0, mixed=False)]
    assert lines.due(180.0) == [], "it was quiet for an interval"
    assert lines.admit(("a",), {}, 181.0), "so it is new"


def test_whatever_is_logged_every_line_is_written_or_counted_and_any_minute_has_few() -> None:
    draw = random.Random(7)
    lines, written, counted, total, now = RepeatedLines(), list[float](), 0, 20_000, 0.0
    for _ in range(total):
        now += draw.expovariate(20)
        summaries = lines.due(now)
        counted += sum(summary.count for summary in summaries)
        written += [now] * len(summaries)
        if lines.admit((str(int(draw.paretovariate(0.5))),), {}, now):
            written.append(now)
            counted += 1
        assert len(lines._known) <= KEYS_MAX + 1
    counted += sum(summary.count for summary in lines.rest(now))
    assert counted == total
    first = 0
    for place, at in enumerate(written):
        while written[first] <= at - INTERVAL_SECONDS:
            first += 1
        assert place - first + 1 <= BOUND


def test_a_clock_that_goes_back_ends_the_interval() -> None:
    lines = RepeatedLines()
    lines.admit(("a",), {}, 1000.0)
    lines.admit(("a",), {}, 1001.0)
    assert [summary.count for summary in lines.due(10.0)] == [1]


def test_a_library_that_repeats_itself_is_one_line_and_a_count() -> None:
    stream = io.StringIO()
    handler = LineHandler(stream, json_line, LibraryMessages())
    logging.getLogger().handlers[:] = [handler]
    log = logging.getLogger("aiokafka")
    for node in (1, 2):
        for _ in range(300):
            log.error("Unable connect to node with id %s: %s", node, ConnectionRefusedError(111, "x"))
    handler.close()
    first, second, *counts = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert (first["event"], first["level"]) == (second["event"], second["level"]) == ("library", "error")
    assert [(one["event"], one["of"], one["level"], one["times"]) for one in counts] == [
        ("repeated", "library", "warning", 299)
    ] * 2
    assert [one["message"] for one in counts] == [first["message"], second["message"]]


def test_our_facts_are_never_counted_away() -> None:
    stream = io.StringIO()
    logs.configure("json", stream=stream)
    for _ in range(5):
        logs.get("engine").info("x", subject="withdrawal:w-1")
    assert len(stream.getvalue().splitlines()) == 5


def test_counts_are_written_after_an_interval_in_which_nothing_is_logged() -> None:
    ends = os.pipe()
    with open(ends[0], encoding="utf-8") as read, open(ends[1], "w", encoding="utf-8") as write:
        handler = LineHandler(write, json_line, LibraryMessages(), interval=0.05)
        record = logging.LogRecord("aiokafka", logging.ERROR, __file__, 1, "again", None, None)
        with handler._locked():  # all three within the interval, however slow the machine is
            for _ in range(3):
                handler.handle(record)
        assert json.loads(read.readline())["event"] == "library"
        assert json.loads(read.readline())["times"] == 2
        handler.close()


def test_the_counts_are_written_when_the_process_ends(tmp_path: Path) -> None:
    script = tmp_path / "ends.py"
    script.write_text(
        "import logging\nfrom travelrule import logs\nlogs.configure('json')\n"
        "for _ in range(4):\n    logging.getLogger('aiokafka').error('again')\n",
        encoding="utf-8",
    )
    root = Path(__file__).parents[3]
    ran = subprocess.run(
        [sys.executable, script], env={"PYTHONPATH": str(root)}, capture_output=True, text=True, check=True
    )
    assert [(line["event"], line.get("times")) for line in map(json.loads, ran.stderr.splitlines())] == [
        ("library", None),
        ("repeated", 3),
    ]
