"""Calls that are right elsewhere and wrong here, each with the places that may make them and why."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.house.source import WHEEL_ROOTS, calls, dotted, keyword, python, tree
from travelrule.log_fields import FIELDS
from travelrule.logs import EVENT

PURE = (
    *("exchange", "deposits", "assessments", "customers", "directory", "disclosures", "messages", "machine"),
    *("screening", "identity", "policy", "text", "crypto"),
)
MONEY = ("schemas", *(f"travelrule.{room}" for room in (*PURE, "store", "engine")))

PRINTING = ("print", "pprint", "traceback.print_exc", "traceback.print_exception")
SLEEPING = ("asyncio.sleep", "time.sleep", "sleep")
SLEEPS = {
    "streams/admin.py": "between two questions whether a new topic is known",
    "streams/rights.py": "between two questions to a broker that still loads the group",
    "streams/embedded.py": "between two looks at a file that another process writes",
    "travelrule/bootstrap/process_metrics.py": "the sleep is what is measured",
    "travelrule/bootstrap/worker_role.py": "interval between two samples of the lag",
    "travelrule/commands/decisions/outcome.py": "between two looks for what a worker of another process wrote",
    "travelrule/commands/demo/network.py": "the hub notices a member by polling; nothing tells us when",
    "travelrule/commands/demo/processes.py": "a process that starts has no way to say that it listens",
    "travelrule/engine/apply/engine.py": "back-off before a transaction that lost a conflict is repeated",
    "travelrule/engine/periodic_job.py": "interval between two steps; the database is down: wait before the next one",
    "travelrule/engine/directory/refresher.py": "the least time between two fetches of the directory",
}
RANDOM = {
    "travelrule/engine/calls/call_dispatcher.py": "jitter of retries",
    "travelrule/engine/directory/refresher.py": "spreads the calls that go on when the hub is back",
    "travelrule/sandbox/faults/fault_book.py": "faults that can be repeated from a seed",
}
FLOATS = {
    "schemas/hub/kyt_patterns.py": "scores of a provider's report, which are no amounts",
    "travelrule/commands/lists.py": "scores of names, as JSON has them",
    "travelrule/screening/list_snapshot.py": "scores of names, which are no amounts",
    "travelrule/machine/retry_policy.py": "seconds of a back-off",
}
INPUTS = {
    "streams/codec.py": "events of platforms, under a source that was checked",
    "travelrule/engine/input_envelope.py": "inputs that are read back from the store",
    "travelrule/machine/sources.py": "internal inputs, each under the source of its part",
}
PRINTS = {"travelrule/gateway/openapi.py": "what it says when it is run as a script"}
STDLIB_LOGGING = {
    "travelrule/logs.py": "the one place that knows the logging module",
    "travelrule/log_output.py": "its handler",
    "travelrule/library_messages.py": "the records of libraries",
}


def rooms() -> Iterator[tuple[Path, str, ast.Call]]:
    for path in python(*WHEEL_ROOTS):
        for call in calls(path):
            yield path, dotted(call.func), call


def users(*names: str) -> set[str]:
    return {str(path) for path, name, _ in rooms() if name in names}


def importers(module: str) -> set[str]:
    return {
        str(path)
        for path in python(*WHEEL_ROOTS)
        for node in ast.walk(tree(path))
        if (isinstance(node, ast.Import) and any(alias.name == module for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == module)
    }


def is_zero(call: ast.Call) -> bool:
    """``sleep(0)`` gives way to other tasks and waits for nothing."""
    return bool(call.args) and isinstance(call.args[0], ast.Constant) and call.args[0].value == 0


def test_nothing_sleeps_in_place_of_a_condition() -> None:
    sleepers = {str(path) for path, name, call in rooms() if name in SLEEPING and not is_zero(call)}
    assert sleepers <= SLEEPS.keys()


def test_randomness_that_matters_comes_from_secrets() -> None:
    assert importers("random") <= RANDOM.keys()


def test_time_is_aware_and_an_argument_in_pure_rooms() -> None:
    naive = [
        f"{path}:{call.lineno}"
        for path, name, call in rooms()
        if name.endswith(("datetime.utcnow", "datetime.utcfromtimestamp", "datetime.today", "date.today"))
        or (name.endswith("datetime.now") and not call.args and not call.keywords)
    ]
    assert naive == []
    clocks = (
        "datetime.now",
        "time.time",
        "time.monotonic",
        "uuid.uuid4",
        "uuid4",
        "os.urandom",
        "secrets.token_bytes",
    )
    impure = [f"{path}:{call.lineno} {name}" for path, name, call in rooms() if _room(path) in PURE and name in clocks]
    assert impure == []


def _room(path: Path) -> str:
    return path.parts[1] if path.parts[0] == "travelrule" and len(path.parts) > 2 else ""


def test_amounts_never_become_floats() -> None:
    near_money = [path for path in python(*WHEEL_ROOTS) if ".".join(path.parts).startswith(MONEY)]
    floats = {str(path) for path in near_money for call in calls(path) if dotted(call.func) == "float"}
    assert floats <= FLOATS.keys()


def test_inputs_are_made_where_their_source_is_known() -> None:
    assert users("Input", "inputs.Input") == INPUTS.keys()
    assert users("Source", "inputs.Source", "sources.Source") == INPUTS.keys() - {"streams/codec.py"}


def test_library_code_does_not_print() -> None:
    assert users(*PRINTING) <= PRINTS.keys()


def test_logging_goes_through_our_logger() -> None:
    assert importers("logging") <= STDLIB_LOGGING.keys()


LEVELS = ("debug", "info", "warning", "error")


def log_calls() -> Iterator[tuple[str, ast.Call]]:
    for path, name, call in rooms():
        owner, _, level = name.rpartition(".")
        if level in LEVELS and owner.split(".")[-1].strip("_").lower() in ("log", "logger"):
            yield f"{path}:{call.lineno}", call


def events(written: ast.expr) -> list[str]:
    """The texts that an event may be: one, or the two of a choice."""
    if isinstance(written, ast.IfExp):
        return [*events(written.body), *events(written.orelse)]
    return [written.value] if isinstance(written, ast.Constant) and isinstance(written.value, str) else [""]


def test_log_lines_have_plain_events_and_known_fields() -> None:
    wrong = []
    for place, call in log_calls():
        if len(call.args) != 1 or not all(EVENT.fullmatch(event) for event in events(call.args[0])):
            wrong.append(f"{place}: the event must be one plain-name, written out")
        wrong += [f"{place}: {part.arg}" for part in call.keywords if part.arg not in FIELDS]
    assert wrong == []


def test_database_errors_do_not_quote_their_parameters() -> None:
    engines = [(path, call) for path, name, call in rooms() if name.endswith(("create_engine", "create_async_engine"))]
    assert engines, "the store makes an engine somewhere"
    for path, call in engines:
        hidden = keyword(call, "hide_parameters")
        assert isinstance(hidden, ast.Constant), f"{path}:{call.lineno}"
        assert hidden.value is True, f"{path}:{call.lineno}"


def test_every_connection_to_postgresql_has_limits() -> None:
    """Without them a process that is frozen inside a transaction stops all others (ADR 0021)."""
    opening = ("create_engine", "create_async_engine", "asyncpg.connect", "create_pool")
    calls = [(path, call) for path, name, call in rooms() if name.endswith(opening)]
    assert len(calls) >= 3, "the engines of both databases, and the listener"
    for path, call in calls:
        arguments = "".join(ast.unparse(part.value) for part in call.keywords if part.arg in {None, "connect_args"})
        sqlite = "async_creator_fn" in path.read_text() and arguments == "arguments"
        assert sqlite or "connect_arguments()" in arguments, f"{path}:{call.lineno}"


@pytest.mark.parametrize(
    ("allowed", "doing"),
    [
        (SLEEPS, lambda: users(*SLEEPING)),
        (RANDOM, lambda: importers("random")),
        (FLOATS, lambda: users("float")),
        (PRINTS, lambda: users(*PRINTING)),
        (STDLIB_LOGGING, lambda: importers("logging")),
    ],
    ids=["sleep", "random", "float", "print", "logging"],
)
def test_exceptions_to_the_rules_are_still_needed(allowed: dict[str, str], doing: Callable[[], set[str]]) -> None:
    assert all(allowed.values()), "each says why"
    assert allowed.keys() - doing() == set(), "these no longer do it: take them off the list"
