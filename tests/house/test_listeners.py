"""Sockets that listen are opened and served in one room, so that every one of them has limits (ADR 0017)."""

from __future__ import annotations

import ast

import pytest

from tests.house.source import WHEEL_ROOTS, dotted, python, tree

ROOM = "travelrule/listener/"
SERVERS = ("uvicorn", "hypercorn", "granian", "aiohttp.web", "http.server", "socketserver", "wsgiref", "xmlrpc.server")
"""Modules whose import is the first step to a server."""
OPENING = (
    "start_server",
    "start_unix_server",
    "create_server",
    "create_unix_server",
    "create_datagram_endpoint",
    "start_http_server",
    "start_wsgi_server",
)


def opened_by(module: ast.Module) -> list[str]:
    """What in a module opens or serves a listening socket."""
    found = []
    for node in ast.walk(module):
        match node:
            case ast.Import():
                found += [alias.name for alias in node.names if _serves(alias.name)]
            case ast.ImportFrom(module=str() as base):
                found += [f"{base}.{alias.name}" for alias in node.names if _serves(f"{base}.{alias.name}")]
            case ast.Call():
                name = dotted(node.func) or getattr(node.func, "attr", "")
                last = name.rpartition(".")[2]
                # A socket listens with a backlog; other things that listen take no number.
                if last in OPENING or (last == "listen" and node.args):
                    found.append(name)
    return found


def _serves(name: str) -> bool:
    return any(name == server or name.startswith(f"{server}.") for server in SERVERS)


def test_only_the_room_of_listeners_serves_sockets() -> None:
    others = {
        str(path): found
        for path in python(*WHEEL_ROOTS)
        if not str(path).startswith(ROOM) and (found := opened_by(tree(path)))
    }
    assert others == {}


def test_the_room_itself_is_found_by_the_rule() -> None:
    found = {name for path in python("travelrule") if str(path).startswith(ROOM) for name in opened_by(tree(path))}
    assert {"uvicorn", "one.listen", "self._socket.listen"} <= found


def test_other_rooms_make_no_server_of_the_room_s_parts() -> None:
    """A listener comes with limits: the class asks for them, and only servers of roles make one."""
    makers = {
        str(path)
        for path in python(*WHEEL_ROOTS)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and dotted(node.func).endswith(("ListenerServer", "Acceptor", "LimitedProtocol"))
    }
    assert makers == {
        "travelrule/gateway/server.py",
        "travelrule/health.py",
        "travelrule/hub/runtime/server.py",
        "travelrule/listener/server.py",
    }


@pytest.mark.parametrize(
    "source",
    [
        "import uvicorn",
        "from uvicorn import Config",
        "from uvicorn.server import Server",
        "from aiohttp import web",
        "from http.server import HTTPServer",
        "asyncio.start_server(serve, host, 0)",
        "asyncio.get_running_loop().create_server(make, host, 0)",
        "opened.listen(5)",
        "socket.create_server(address)",
        "prometheus_client.start_http_server(9100)",
    ],
)
def test_each_way_to_a_server_is_seen(source: str) -> None:
    assert opened_by(ast.parse(source))


@pytest.mark.parametrize("source", ["import aiohttp", "from http import HTTPStatus", "await listener.listen()"])
def test_clients_are_no_servers(source: str) -> None:
    assert opened_by(ast.parse(source)) == []
