"""The Kubernetes API, as much of it as the scenario asks."""

from __future__ import annotations

import ssl
from typing import Any

import httpx

Resource = dict[str, Any]

# The plural of each kind that is created here; names of resources are part of the URL.
PLURALS = {
    "Namespace": "namespaces",
    "Node": "nodes",
    "Secret": "secrets",
    "CustomResourceDefinition": "customresourcedefinitions",
}


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

    def create(self, resource: Resource) -> Resource:
        """Create a resource; an unknown field is an error.

        Raises:
            ApiError: the server refused it.
        """
        namespace = resource["metadata"].get("namespace", "")
        path = self._path(resource["apiVersion"], PLURALS[resource["kind"]], namespace)
        return self._asked("POST", f"{path}?fieldValidation=Strict", json=resource)

    def list(self, version: str, plural: str, namespace: str = "", selector: str = "") -> list[Resource]:
        """The resources of a kind, in one namespace or in all; ``selector`` is a label selector."""
        path = self._path(version, plural, namespace)
        answer = self._asked("GET", path, params={"labelSelector": selector} if selector else {})
        items: list[Resource] = answer["items"]
        return items

    def get(self, version: str, plural: str, namespace: str, name: str) -> Resource:
        """One resource."""
        return self._asked("GET", f"{self._path(version, plural, namespace)}/{name}")

    def delete_all(self, version: str, plural: str, namespace: str) -> None:
        """Remove all resources of a kind from a namespace."""
        self._asked("DELETE", self._path(version, plural, namespace))

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

    @staticmethod
    def _path(version: str, plural: str, namespace: str) -> str:
        root = "/api/v1" if version == "v1" else f"/apis/{version}"
        return f"{root}/namespaces/{namespace}/{plural}" if namespace else f"{root}/{plural}"

    def _asked(self, method: str, path: str, **more: Any) -> Resource:
        answer = self._client.request(method, path, **more)
        if answer.is_error:
            body = answer.json() if "json" in answer.headers.get("content-type", "") else {}
            raise ApiError(f"{method} {path}: {body.get('message', answer.text)}")
        found: Resource = answer.json()
        return found
