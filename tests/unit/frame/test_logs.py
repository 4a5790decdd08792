"""Logs: what may be in a line, and that what must not be there never reaches the output."""

import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.unit.frame.log_state import logging_kept
from travelrule import logs
from travelrule.errors import ServiceUnavailable
from travelrule.library_messages import LibraryMessages
from travelrule.log_fields import FIELDS, WITHHELD, FieldShape, Line, LogFieldError, shaped
from travelrule.log_output import LineHandler

NAME = "Annabel Bergström"
ADDRESS = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    with logging_kept():
        yield


@pytest.fixture
def out() -> io.StringIO:
    stream = io.StringIO()
    logs.configure("json", stream=stream)
    return stream


def lines(out: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_an_unknown_field_raises_until_logging_is_configured() -> None:
    with pytest.raises(LogFieldError, match="beneficiary"):
        logs.get("engine").warning("x", beneficiary=NAME)
    with pytest.raises(LogFieldError, match="plain-name"):
        logs.get("engine").warning(f"no wallet for {NAME}")


def test_in_production_an_unknown_field_is_dropped_with_its_name(out: io.StringIO) -> None:
    logs.get("engine").info("batch-applied", beneficiary=NAME, count=3)
    logs.get("engine").info(f"verified {NAME}")
    first, second = lines(out)
    assert (first["event"], first["count"], first["dropped"]) == ("batch-applied", 3, ["beneficiary"])
    assert second["event"] == WITHHELD
    assert NAME not in out.getvalue()


def test_a_value_of_another_shape_is_withheld(out: io.StringIO) -> None:
    logs.get("engine").info("x", code=NAME, count=ADDRESS, reason="two words", subject="withdrawal:0b6f3c1e")
    (line,) = lines(out)
    assert line["code"] == line["count"] == line["reason"] == WITHHELD
    assert line["subject"] == "withdrawal:0b6f3c1e"


def test_a_line_cannot_be_forged_through_a_value(out: io.StringIO) -> None:
    logs.get("engine").info("x", code='A"}\n{"event":"forged', fix="a\nb")
    (line,) = lines(out)
    assert line["code"] == line["fix"] == WITHHELD


def test_no_field_is_made_for_personal_data() -> None:
    forbidden = {"address", "txid", "customer", "customer_id", "owner", "person", "originator", "beneficiary"}
    forbidden |= {"account", "wallet", "body", "payload", "data", "value", "message", "text", "url", "path"}
    assert not FIELDS.keys() & forbidden


def raise_with(local: str) -> None:
    raise ServiceUnavailable(local)


def test_an_exception_is_class_code_and_place_but_not_text(out: io.StringIO) -> None:
    with pytest.raises(ServiceUnavailable) as caught:
        raise_with(NAME)
    logs.get("engine").error("hub-call-failed", error=caught.value)
    (line,) = lines(out)
    error_said = line["error"]
    assert isinstance(error_said, dict)
    assert error_said["class"] == "travelrule.errors.ServiceUnavailable"
    assert error_said["code"] == "SERVICE_UNAVAILABLE"
    assert "test_logs.py" in error_said["at"]
    assert NAME not in out.getvalue()


def database_error() -> sa.exc.DBAPIError:
    """Make a real database error whose text quotes its parameters, the engine not hiding them."""
    engine = sa.create_engine("sqlite://", hide_parameters=False)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE t (name TEXT UNIQUE)"))
        connection.execute(sa.text("INSERT INTO t VALUES (:name)"), {"name": NAME})
        with pytest.raises(sa.exc.IntegrityError) as caught:
            connection.execute(sa.text("INSERT INTO t VALUES (:name)"), {"name": NAME})
    engine.dispose()
    return caught.value


def test_a_name_inside_a_database_error_never_reaches_the_output(out: io.StringIO) -> None:
    error = database_error()
    assert NAME in str(error), "the test is about a text that does quote the name"
    library = logging.getLogger("sqlalchemy.pool.impl")
    logs.get("engine").error("apply-failed", error=error)
    library.error("Exception terminating connection %r", NAME, exc_info=error)
    library.error(f"could not write {NAME}")
    library.error(str(error))
    library.error(error)
    library.error("row: " + NAME, exc_info=error, stack_info=True)
    assert NAME not in out.getvalue()
    assert "Bergstr" not in out.getvalue()
    first, second, *rest = lines(out)
    assert first["error"]["cause"] == "sqlite3.IntegrityError"  # type: ignore[index]
    assert second["message"] == f"Exception terminating connection {WITHHELD}"
    assert [line["message"] for line in rest] == [WITHHELD] * 4


def test_a_failing_record_does_not_print_its_arguments(out: io.StringIO, capsys: pytest.CaptureFixture[str]) -> None:
    class Broken:
        def __str__(self) -> str:
            raise RuntimeError(NAME)

    logs.get("engine").info("x", code=Broken())
    logging.getLogger("faust").error("%d events", NAME)
    captured = capsys.readouterr()
    assert NAME not in out.getvalue() + captured.err + captured.out


@pytest.mark.parametrize("error", [ValueError, RecursionError])
def test_a_failing_output_does_not_end_what_logs(
    error: type[Exception], out: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    rendered: list[object] = []

    def fail(line: Line) -> str:
        rendered.append(line["logger"])
        raise error(NAME)

    logging.getLogger().addHandler(LineHandler(io.StringIO(), fail, LibraryMessages()))
    logs.get("engine").info("x")
    logging.getLogger("faust").error("%d events", 1)
    assert rendered == ["engine", "faust"]
    assert len(lines(out)) == len(rendered)
    captured = capsys.readouterr()
    assert NAME not in captured.err + captured.out


def test_the_prefix_that_mode_puts_before_a_text_is_understood(out: io.StringIO) -> None:
    text = "Rebalance took too long"
    logging.getLogger("faust").error("[^--Consumer]: Rebalance took too long")
    logging.getLogger("faust").error(f"[^--{NAME}]: {text}")  # noqa: G004 -- this is what mode does
    assert [line["message"] for line in lines(out)] == [text, text]


def test_uncaught_exceptions_are_reported_without_text(tmp_path: Path) -> None:
    script = tmp_path / "crash.py"
    script.write_text(
        "import threading\nfrom travelrule import logs\nlogs.configure('json')\n"
        f"def fail():\n    raise ValueError({NAME!r})\n"
        "t = threading.Thread(target=fail)\nt.start()\nt.join()\n"
        f"class A:\n    def __del__(self):\n        raise ValueError({NAME!r})\nA()\n"
        "import asyncio\nasync def late():\n    asyncio.get_running_loop().create_task(other())\n"
        "    await asyncio.sleep(0)\n    await asyncio.sleep(0)\n"
        f"async def other():\n    raise KeyError({NAME!r})\nasyncio.run(late())\nfail()\n",
        encoding="utf-8",
    )
    root = Path(__file__).parents[3]
    ran = subprocess.run(
        [sys.executable, script], env={"PYTHONPATH": str(root)}, capture_output=True, text=True, check=False
    )
    said = [json.loads(line) for line in ran.stderr.splitlines()]
    assert [line["event"] for line in said] == ["uncaught-in-thread", "unraisable", "library", "uncaught"]
    assert "Annabel" not in ran.stderr
    assert ran.returncode == 1


def test_a_field_without_a_value_is_left_out(out: io.StringIO) -> None:
    logs.get("serve").info("stopped", role="worker", reason=None)
    assert "reason" not in lines(out)[0]


def test_lines_of_one_event_share_its_trace(out: io.StringIO) -> None:
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with logs.trace(parent):
        logs.get("engine").info("x")
        with logs.trace(NAME):
            logs.get("engine").info("y")
        logs.get("engine").info("z")
    logs.get("engine").info("after")
    assert [line.get("traceparent") for line in lines(out)] == [parent, None, parent, None]


def test_levels_and_quiet_libraries(out: io.StringIO) -> None:
    logs.get("engine").debug("hidden")
    logging.getLogger("aiokafka.consumer").info("also hidden")
    logging.getLogger("uvicorn.access").info('"GET /wallets/%s"', ADDRESS)
    logs.get("engine").warning("shown")
    assert [line["event"] for line in lines(out)] == ["shown"]


def test_console_form_off_a_terminal_is_plain(out: io.StringIO) -> None:
    stream = io.StringIO()
    logs.configure("console", stream=stream)
    logs.get("relay").warning("publish-failed", topic="travelrule.verdicts", error=ValueError(NAME))
    assert stream.getvalue().endswith(
        "warning relay: publish-failed topic=travelrule.verdicts error=class:ValueError\n"
    )
    assert not out.getvalue(), "the second configuration replaces the first"


def test_on_a_terminal_auto_is_the_console(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    logs.configure("auto", stream=stream)
    logs.get("relay").info("started", role="worker")
    assert "relay: started role=worker" in stream.getvalue()


@pytest.mark.parametrize(
    ("shape", "value", "written"),
    [
        (FieldShape.TOKEN, "exchange:code:north/0b6f-11", "exchange:code:north/0b6f-11"),
        (FieldShape.TOKEN, "김코드", WITHHELD),
        (FieldShape.TOKEN, "a" * 129, WITHHELD),
        (FieldShape.NUMBER, True, True),
        (FieldShape.NUMBER, 1.5, 1.5),
        (FieldShape.NUMBER, "12", WITHHELD),
        (FieldShape.PATH, Path("/etc/travelrule/policy.toml"), "/etc/travelrule/policy.toml"),
        (FieldShape.SENTENCE, "set TRAVELRULE_HUB_URL", "set TRAVELRULE_HUB_URL"),
        (FieldShape.ERROR, "a text", WITHHELD),
        (FieldShape.TOKEN, None, None),
    ],
)
def test_shapes(shape: FieldShape, value: object, written: object) -> None:
    assert shaped(shape, value) == written
