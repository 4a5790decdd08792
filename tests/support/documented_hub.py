"""Answers of a hub compared with its OpenAPI document: every test of the hub is one of the document too."""

from __future__ import annotations

from functools import cache
from typing import Any

import httpx
from jsonschema import Draft202012Validator
from starlette.routing import Match, Route

from travelrule.hub.openapi import hub_openapi

CONFORMED: set[tuple[str, int]] = set()
"""The operations, each with a status, that were compared in this process."""
_OF_MEMBER = 503
"""The status of a member's own failure, which the hub passes on with any body."""


def conform(response: httpx.Response) -> httpx.Response:
    """Return the response of a documented path; fail if the document says otherwise about its status or body."""
    request = response.request
    operation = _operation(request.method, request.url.path)
    if operation is None:
        return response
    name, status = operation["operationId"], response.status_code
    assert str(status) in operation["responses"], f"{name} {status} is not in the document: {response.text}"
    if status != _OF_MEMBER:
        body = response.json()
        assert [error.message for error in _validator(name, status).iter_errors(body)] == [], f"{name} {status}"
    if status not in (200, _OF_MEMBER):
        codes = operation["responses"][str(status)]["content"]["application/json"]["examples"]
        assert body["errorType"] in codes, f"{name} {status}: {body['errorType']}"
    CONFORMED.add((name, status))
    return response


def _operation(method: str, path: str) -> dict[str, Any] | None:
    """The operation of the document; None for a path or method that the hub does not serve."""
    for route, methods in _routes():
        if route.matches({"type": "http", "method": "GET", "path": path})[0] is not Match.NONE:
            return methods.get(method.lower())
    return None


@cache
def _routes() -> list[tuple[Route, dict[str, Any]]]:
    """The paths of the document, those without parameter first; an id may hold a slash, so the longer path is first."""
    paths = sorted(hub_openapi()["paths"].items(), key=lambda one: ("{" in one[0], -len(one[0])))
    return [(Route(path.replace("{id}", "{id:path}"), _nothing, methods=["GET"]), methods) for path, methods in paths]


def _nothing() -> None: ...


@cache
def _validator(name: str, status: int) -> Draft202012Validator:
    document = hub_openapi()
    (operation,) = [
        one for methods in document["paths"].values() for one in methods.values() if one["operationId"] == name
    ]
    schema = operation["responses"][str(status)]["content"]["application/json"]["schema"]
    return Draft202012Validator({**schema, "components": document["components"]})
