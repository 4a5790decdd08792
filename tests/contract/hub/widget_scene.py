"""A sandbox, a platform's site whose page embeds the sandbox's widget, and what both were asked for."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from schemas.hub.screening import UnhostedResult, UnhostedTokenResponse
from schemas.operations import Operation
from tests.contract.hub.servers import running
from tests.contract.hub.test_client_and_hub import Counter
from tests.support.hub import NORTH, HandClock
from tests.support.sandbox import real
from travelrule.client.hub import HubClient
from travelrule.client.signer import LocalSigner
from travelrule.crypto.signing import KeyRing
from travelrule.hub.runtime.assembly import hub_lifespan
from travelrule.hub.runtime.http_transport import HttpTransport
from travelrule.hub.runtime.server import serve
from travelrule.sandbox.app import create_sandbox
from travelrule.sandbox.journal import SandboxJournal
from travelrule.sandbox.sandbox_network import Sandbox
from travelrule.sandbox.world.sandbox_wallet import SandboxWallet
from travelrule.sandbox.world.world_file import parse_world

CUSTOMER = "customer-4711"
ADDRESS = SandboxWallet().addresses()["ETH"]
STRANGER = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"

# The styles are those of a page that was not made for the widget; they must not reach into it.
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Withdrawal</title>
<link rel="icon" href="data:,">
<style nonce="once">body { font: 16px/1.5 sans-serif; margin: 1rem } p { color: #ccc } pre { white-space: pre }</style>
<script nonce="once">
const told = [];
for (const name of ["verification-complete", "verification-error"])
  document.addEventListener(name, (event) => told.push({ name, ...event.detail }));
</script>
<script type="module" src="%s/widget/wallet-verifier.js"></script>
</head>
<body>
<h1>Withdraw to your own wallet</h1>
<wallet-verifier data-token="%s"></wallet-verifier>
</body>
<script nonce="once">%s</script>
</html>"""

# As strict as a platform may be that lets the hub in.
POLICY = (
    "default-src 'none'; script-src %s 'nonce-once'; style-src 'nonce-once'; connect-src 'self' %s; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

BROWSER_WALLET = """
globalThis.ethereum = {
  async request({ method, params }) {
    if (method !== "personal_sign") return [];
    const response = await fetch("/wallet", { method: "POST", body: JSON.stringify(params) });
    const { signature } = await response.json();
    if (!signature) throw Object.assign(new Error("User rejected the request."), { code: 4001 });
    return signature;
  },
};"""


@dataclass
class Recorded:
    """An application that keeps of every request what logs and other sites come to see: address and referrer."""

    app: ASGIApp
    seen: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            request = Request(scope)
            self.seen += [unquote(str(request.url)), unquote(request.headers.get("referer", ""))]
        await self.app(scope, receive, send)


class Platform:
    """A platform's own site. Its page is for one token; a wallet in the browser, if there is one, signs or refuses."""

    def __init__(self, hub: str) -> None:
        self.token = ""
        self.wallet = False
        self.wallet_signs = True
        self._hub = hub

    def app(self) -> Starlette:
        """What the site serves."""
        return Starlette(routes=[Route("/withdraw", self._page), Route("/wallet", self._sign, methods=["POST"])])

    async def _page(self, _: Request) -> Response:
        headers = {"Content-Security-Policy": POLICY % (self._hub, self._hub)}
        wallet = BROWSER_WALLET if self.wallet else ""
        return HTMLResponse(PAGE % (self._hub, self.token, wallet), headers=headers)

    async def _sign(self, request: Request) -> Response:
        message, address = json.loads(await request.body())
        told = {}
        if self.wallet_signs and address.lower() == ADDRESS.lower():
            told["signature"] = SandboxWallet().sign("ETH", bytes.fromhex(message[2:]).decode())
        return Response(json.dumps(told), media_type="application/json")


@dataclass
class Scene:
    """``url`` is the platform's origin, ``hub_url`` the sandbox's."""

    url: str
    hub_url: str
    platform: Platform
    clock: HandClock
    client: HubClient
    servers: tuple[Recorded, Recorded]

    async def begin(self, address: str = ADDRESS) -> str:
        """Start a session at the hub for the platform's page; its id."""
        body = {
            "blockchain": "ETH",
            "asset": "USDT",
            "address": address,
            "customerIdentification": CUSTOMER,
            "widgetRenderingOrigin": self.url,
        }
        answer = await self.client.call(Operation.UNHOSTED_TOKEN, "", json.dumps(body).encode())
        told = UnhostedTokenResponse.from_wire(answer.body)
        self.platform.token = told.token
        return told.wallet_verification_id

    async def status(self, session_id: str) -> str:
        """The hub's answer about a session, which alone counts."""
        return (await self.result(session_id)).status

    async def result(self, session_id: str) -> UnhostedResult:
        """The session as the hub reports it."""
        answer = await self.client.call(Operation.UNHOSTED_RESULT, session_id, b"")
        return UnhostedResult.from_wire(answer.body)

    def asked(self) -> list[str]:
        """The addresses and referrers of all requests to both servers."""
        return [text for server in self.servers for text in server.seen]


@asynccontextmanager
async def widget_scene() -> AsyncIterator[Scene]:
    """Serve both sites; the clock is the hub's and the platform's, and is moved by hand."""
    clock = HandClock()
    http = HttpTransport(inside_callbacks=True)
    with SandboxJournal() as journal:
        sandbox = Sandbox(parse_world({"members": [real("north", NORTH)]}), http, journal=journal, clock=clock)
        lifespan = hub_lifespan(sandbox.polling, sandbox.tasks, http)
        hub = Recorded(create_sandbox(sandbox, journal, lifespan=lifespan))
        async with running(lambda told: serve(hub, "127.0.0.1:0", on_started=told, grace_seconds=1)) as hub_url:
            platform = Platform(hub_url)
            site = Recorded(platform.app())
            async with running(lambda told: serve(site, "127.0.0.1:0", on_started=told, grace_seconds=1)) as url:
                client = HubClient(hub_url, "code:north", LocalSigner(KeyRing([NORTH]), Counter(), clock), "aiohttp")
                try:
                    yield Scene(url, hub_url, platform, clock, client, (hub, site))
                finally:
                    await client.aclose()
