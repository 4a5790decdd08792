"""The reference of an address verification: the same server, which opens the payload and answers a constant."""

from __future__ import annotations

import asyncio
import sys

import orjson
import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.routing import Route

from schemas.hub.bodies import AddressSearchRequest
from travelrule.crypto.signing import KeyRing
from travelrule.gateway.endpoint import Answer, Call, Endpoint
from travelrule.gateway.request_origin import caller_of
from travelrule.gateway.request_reader import request_of
from travelrule.gateway.sealed_payloads import open_payload
from travelrule.listener.bound_sockets import BACKLOG

ANSWER: Answer = {"result": "valid", "reasonType": "", "reasonMsg": "", "beneficiaryVaspEntityId": "north"}


def create(keyring: KeyRing) -> Starlette:
    """The server with its two routes."""

    async def answer(call: Call) -> Answer:
        caller = caller_of(call.headers, key_needed=True)
        open_payload(keyring, caller, request_of(AddressSearchRequest, call.body).payload)
        return ANSWER

    async def alive(_call: Call) -> Answer:
        return ANSWER

    return Starlette(
        routes=[
            Route("/v1/beneficiary/VerifyAddress", Endpoint("reference", answer, 1.0), methods=["POST"]),
            Route("/readyz", Endpoint("alive", alive, 1.0), methods=["GET"]),
        ]
    )


if __name__ == "__main__":
    options = orjson.loads(sys.argv[1])
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    server = create(KeyRing.from_text(options["seeds"]))
    uvicorn.run(server, host="127.0.0.1", port=options["port"], log_config=None, backlog=BACKLOG)
