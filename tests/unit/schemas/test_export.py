from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from schemas import export


def test_the_committed_schemas_are_what_the_models_say() -> None:
    assert export.main(["--check"]) == 0


@pytest.mark.parametrize("name", sorted(export.documents()))
def test_every_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(export.schema_of(name, export.documents()[name]))


def test_drift_is_found_and_repaired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "jsonschema"
    assert export.main([], folder) == 0
    assert export.main(["--check"], folder) == 0
    (folder / "withdrawal.mined.v1.json").write_text("{}", encoding="utf-8")
    (folder / "leftover.json").write_text("{}", encoding="utf-8")
    (folder / "cloudevent.json").unlink()
    assert export.main(["--check"], folder) == 1
    named = capsys.readouterr().err
    assert all(name in named for name in ("withdrawal.mined.v1", "leftover", "cloudevent"))
    assert export.main([], folder) == 0
    assert export.drift(folder) == []


def test_a_field_that_must_be_sent_is_required_in_the_schema_and_an_optional_one_is_not() -> None:
    schema = export.schema_of("withdrawal.requested.v1", export.documents()["withdrawal.requested.v1"])
    assert set(schema["required"]) == {
        "withdrawalId", "currency", "amount", "tradePrice", "tradeCurrency", "isExceedingThreshold", "destination",
        "originator", "beneficiary",
    }  # fmt: skip
    assert schema["properties"]["amount"]["type"] == "string"
