"""The exception tree: exit codes are part of the contract."""

import pytest

from travelrule.errors import (
    ConfigurationError,
    ConfigurationFault,
    NotBuiltError,
    ServiceUnavailable,
    TravelRuleError,
    UsageError,
)


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (TravelRuleError("no"), 1),
        (UsageError("no such subject kind"), 2),
        (NotBuiltError("travelrule builder"), 2),
        (ConfigurationError("TRAVELRULE_HUB_URL", "is not set"), 2),
        (ServiceUnavailable("database"), 3),
    ],
)
def test_exit_codes(error: TravelRuleError, exit_code: int) -> None:
    assert error.exit_code == exit_code
    assert error.code.isupper()


def test_a_configuration_error_reads_as_a_list_of_things_to_do() -> None:
    error = ConfigurationError.of([ConfigurationFault("A", "write one"), ConfigurationFault("B", "write two")])
    assert str(error) == "A: write one\nB: write two"
    assert (error.name, error.fix) == ("A", "write one")


def test_what_could_not_be_reached_comes_with_a_fix() -> None:
    assert str(ServiceUnavailable("broker", "check TRAVELRULE_BROKER_URL")) == (
        "broker could not be reached: check TRAVELRULE_BROKER_URL"
    )
