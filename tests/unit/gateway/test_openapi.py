"""The OpenAPI document: the committed copy is current, complete, and its examples are true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from tests.support.gateway_scene import GatewayScene
from travelrule.gateway import openapi
from travelrule.gateway.app import create_gateway
from travelrule.gateway.openapi import main, openapi_document, rendered

ROOT = Path(__file__).parents[3]
METHODS = {"get", "post", "put"}


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, methods in openapi_document()["paths"].items()
        for method, operation in methods.items()
    ]


def test_the_committed_copy_is_current() -> None:
    assert (ROOT / openapi.PATH).read_bytes() == rendered(), "run python -m travelrule.gateway.openapi"


def test_check_and_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--check"]) == 1
    assert main([]) == 0
    assert main(["--check"]) == 0
    (tmp_path / openapi.PATH).write_text("{}")
    assert main(["--check"]) == 1
    assert "differs" in capsys.readouterr().out


def test_it_names_exactly_the_served_routes(scene: GatewayScene) -> None:
    served = {
        (route.path, method.lower())  # type: ignore[attr-defined]
        for route in create_gateway(scene.deps()).routes
        for method in route.methods or ()  # type: ignore[attr-defined]
        if method != "HEAD"  # Starlette adds it to each GET
    }
    assert served == {(path, method) for path, method, _ in operations()}


def test_every_reference_leads_somewhere() -> None:
    document = openapi_document()
    names = document["components"]["schemas"]
    text = orjson.dumps(document).decode()
    for reference in set(text.split('"$ref":"')[1:]):
        assert reference.split('"')[0].removeprefix("#/components/schemas/") in names


@pytest.mark.parametrize(("path", "method", "operation"), operations())
def test_examples_fit_their_schemas(path: str, method: str, operation: dict[str, Any]) -> None:
    called_back = {"404", "413", "415"} if path.startswith("/callbacks/") else set()
    assert set(operation["responses"]) == {"200", "503"} | called_back
    document = openapi_document()
    bodies = [response["content"] for response in operation["responses"].values() if "content" in response]
    bodies += [operation["requestBody"]["content"]] if method != "get" else []
    seen = 0
    for body in bodies:
        content = body["application/json"]
        validator = Draft202012Validator({**content["schema"], "components": document["components"]})
        for example in content.get("examples", {}).values():
            validator.validate(example["value"])
            seen += 1
    assert seen >= (1 if method == "get" else 2)
