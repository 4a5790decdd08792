"""The Kubernetes API, as much of it as the scenario asks."""

from __future__ import annotations

import ssl
from typing import Any

import httpx

Resource = dict[str, Any]


class ApiError(RuntimeError):
    """The server refused a request; the text is its message."""


class Api:
    """One server, as an administrator."""

    def __init__(self, url: str, token: str, context: ssl.SSLContext) -> None:
        headers = {"authorization": f"Bearer {token}"}
        self._client = httpx.Client(base_url=url, headers=headers, verify=context, timeout=30)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def create(self, resource: Resource, *, dry: bool = False) -> Resource:
        """Create a resource; an unknown field is an error. ``dry``: the server checks it as it would and forgets it.

        Raises:
            ApiError: the server refused it.
        """
        options = {"fieldValidation": "Strict"} | ({"dryRun": "All"} if dry else {})
        return self._asked("POST", self._path_of(resource), params=options, json=resource)

    def replace(self, resource: Resource) -> Resource:
        """Put a resource in the place of the one with its name. Raises as ``create``."""
        path = f"{self._path_of(resource)}/{resource['metadata']['name']}"
        return self._asked("PUT", path, params={"fieldValidation": "Strict"}, json=resource)

    def list(self, version: str, plural: str, namespace: str = "", selector: str = "") -> list[Resource]:
        """The resources of a kind, in one namespace or in all; ``selector`` is a label selector."""
        path = self._path(version, plural, namespace)
        answer = self._asked("GET", path, params={"labelSelector": selector} if selector else {})
        items: list[Resource] = answer["items"]
        return items

    def get(self, version: str, plural: str, namespace: str, name: str) -> Resource:
        """One resource."""
        return self._asked("GET", f"{self._path(version, plural, namespace)}/{name}")

    def server_version(self) -> str:
        """As the server reports it."""
        return str(self._asked("GET", "/version")["gitVersion"])

    def namespaced_kinds(self) -> list[tuple[str, str]]:
        """(version, plural) of every kind of object that a namespace can hold and that can be listed."""
        groups = [("v1", "/api/v1")]
        for group in self._asked("GET", "/apis")["groups"]:
            version = group["preferredVersion"]["groupVersion"]
            groups.append((version, f"/apis/{version}"))
        return [
            (version, one["name"])
            for version, path in groups
            for one in self._asked("GET", path)["resources"]
            if one["namespaced"] and "list" in one["verbs"] and "/" not in one["name"]
        ]

    def _path_of(self, resource: Resource) -> str:
        version, kind = resource["apiVersion"], resource["kind"]
        known = self._asked("GET", _root(version))["resources"]
        plural = next((one["name"] for one in known if one["kind"] == kind and "/" not in one["name"]), None)
        if plural is None:
            raise ApiError(f"the server knows no {kind} in {version}")
        return self._path(version, plural, resource["metadata"].get("namespace", ""))

    @staticmethod
    def _path(version: str, plural: str, namespace: str) -> str:
        return f"{_root(version)}/namespaces/{namespace}/{plural}" if namespace else f"{_root(version)}/{plural}"

    def _asked(self, method: str, path: str, **more: Any) -> Resource:
        answer = self._client.request(method, path, **more)
        if answer.is_error:
            body = answer.json() if "json" in answer.headers.get("content-type", "") else {}
            raise ApiError(f"{method} {path}: {body.get('message', answer.text)}")
        found: Resource = answer.json()
        return found


def _root(version: str) -> str:
    return "/api/v1" if version == "v1" else f"/apis/{version}"
