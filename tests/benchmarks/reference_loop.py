"""The reference of a withdrawal: a loop written by hand for this one purpose, which stores nothing.

It consumes ``withdrawals`` and ``txids``, makes the same three signed calls with the same payloads, writes the verdict,
and
keeps its transfers in a dict. No validation, no retries, no audit, no recovery: the least that the exchange can cost.
"""

from __future__ import annotations

import asyncio
import base64
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import orjson
import uvloop
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from nacl import bindings

CONCURRENCY = 64


class Keys:
    """Our key and the agreed key of each counterparty."""

    def __init__(self, seed: str) -> None:
        public, self._secret = bindings.crypto_sign_seed_keypair(base64.b64decode(seed))
        self.public = base64.b64encode(public).decode()
        self._exchange = bindings.crypto_sign_ed25519_sk_to_curve25519(self._secret)
        self._agreed: dict[str, bytes] = {}
        self._nonce = int.from_bytes(os.urandom(3), "big")

    def headers(self, body: bytes, remote: str | None) -> dict[str, str]:
        """The signature headers of one request."""
        self._nonce += 1
        moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        message = moment.encode() + body + self._nonce.to_bytes(4, "big")
        headers = {
            "Content-Type": "application/json",
            "X-Code-Req-Datetime": moment,
            "X-Code-Req-Nonce": str(self._nonce),
            "X-Code-Req-PubKey": self.public,
            "X-Code-Req-Signature": base64.b64encode(bindings.crypto_sign(message, self._secret)[:64]).decode(),
            "X-Request-Origin": "code:reference",
        }
        if remote:
            headers["X-Code-Req-Remote-PubKey"] = remote
        return headers

    def seal(self, remote: str, plain: bytes) -> str:
        """Seal a payload."""
        nonce = os.urandom(24)
        return base64.b64encode(nonce + bindings.crypto_box_afternm(plain, nonce, self._key(remote))).decode()

    def open(self, remote: str, payload: str) -> bytes:
        """Open a payload."""
        sealed = base64.b64decode(payload)
        return bindings.crypto_box_open_afternm(sealed[24:], sealed[:24], self._key(remote))

    def _key(self, remote: str) -> bytes:
        key = self._agreed.get(remote)
        if key is None:
            peer = bindings.crypto_sign_ed25519_pk_to_curve25519(base64.b64decode(remote))
            key = self._agreed[remote] = bindings.crypto_box_beforenm(peer, self._exchange)
        return key


class Loop:
    """Everything that is asked and answered."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._prefix = options["prefix"]
        self._url = options["hub_url"]
        self._profile = options["profile"]
        self._keys = Keys(options["seed"])
        self._bootstrap = options["bootstrap"]
        self._ready = Path(options["ready"])
        self._peers: dict[str, str] = {}
        self._transfers: dict[str, tuple[str, str]] = {}
        self._free = asyncio.Semaphore(CONCURRENCY)
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Serve until killed."""
        topics = [f"{self._prefix}withdrawals", f"{self._prefix}txids"]
        consumer = AIOKafkaConsumer(
            *topics, bootstrap_servers=self._bootstrap, group_id="reference", auto_offset_reset="earliest"
        )
        self._producer = AIOKafkaProducer(bootstrap_servers=self._bootstrap, acks="all", linger_ms=2)
        connector = aiohttp.TCPConnector(limit=CONCURRENCY, keepalive_timeout=4)
        async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as self._session:
            await self._load_peers()
            await self._producer.start()
            await consumer.start()
            while not consumer.assignment():
                await consumer.getmany(timeout_ms=100)
            self._ready.write_bytes(b"{}")
            while True:
                for records in (await consumer.getmany(timeout_ms=500)).values():
                    for record in records:
                        await self._free.acquire()
                        task = asyncio.create_task(self._hear(orjson.loads(record.value), record.key))
                        self._tasks.add(task)
                        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._free.release()
        self._tasks.discard(task)
        task.result()

    async def _hear(self, event: dict[str, Any], key: bytes) -> None:
        if event["type"] == "withdrawal.requested.v1":
            await self._requested(event["data"], key)
        else:
            data = event["data"]
            target, transfer_id = self._transfers.pop(data["withdrawalId"])
            report = {"transferId": transfer_id, "txid": data["txid"]}
            answer = await self._call("POST", f"/v1/code/transfer/{target}/txid", report, None)
            assert answer["result"] == "normal"

    async def _requested(self, data: dict[str, Any], key: bytes) -> None:
        target = data["destination"]["vaspEntityId"]
        remote = self._peers[target]
        account = f"{data['destination']['address']}:{data['destination']['tag']}"
        place = {
            "address": data["destination"]["address"],
            "tag": data["destination"]["tag"],
            "network": data["network"],
        }
        search = {"Beneficiary": {"beneficiaryPersons": [], "accountNumber": [account]}}
        body = {"currency": data["currency"], **place, "payload": self._sealed(remote, search)}
        answer = await self._call("POST", f"/v1/code/VerifyAddress/{target}", body, remote)
        assert answer["result"] == "valid"
        transfer_id = str(uuid4())
        body = {
            "transferId": transfer_id,
            "currency": data["currency"],
            "amount": data["amount"],
            "historicalCost": data["historicalCost"],
            "tradePrice": data["tradePrice"],
            "tradeCurrency": data["tradeCurrency"],
            "isExceedingThreshold": "true" if data["isExceedingThreshold"] else "false",
            **place,
            "payload": self._sealed(remote, self._persons(data, account)),
        }
        answer = await self._call("POST", f"/v1/code/transfer/{target}", body, remote)
        assert answer["result"] == "verified"
        assert orjson.loads(self._keys.open(remote, answer["payload"]))["ivms101"]["BeneficiaryVASP"]
        self._transfers[data["withdrawalId"]] = (target, transfer_id)
        await self._verdict(data["withdrawalId"], key, target, transfer_id)

    async def _verdict(self, withdrawal_id: str, key: bytes, target: str, transfer_id: str) -> None:
        verdict = {
            "specversion": "1.0",
            "id": str(uuid4()),
            "source": "/travelrule/reference",
            "type": "withdrawal.verdict.v1",
            "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "subject": withdrawal_id,
            "datacontenttype": "application/json",
            "data": {
                "subject": f"withdrawal:{withdrawal_id}",
                "verdict": "allow",
                "reasons": ["VERIFIED"],
                "needs": [],
                "final": True,
                "counterparty": target,
                "transferId": transfer_id,
                "exchangeStatus": "pending",
                "policyVersion": "0123456789abcdef",
                "sequence": 1,
            },
        }
        await (await self._producer.send(f"{self._prefix}verdicts", orjson.dumps(verdict), key))

    def _persons(self, data: dict[str, Any], account: str) -> dict[str, Any]:
        sender, receiver = data["originator"]["natural"], data["beneficiary"]["natural"]
        originator = {
            "naturalPerson": {
                "name": {"nameIdentifier": [_name(sender)]},
                "customerIdentification": data["originator"]["customerId"],
                "dateAndPlaceOfBirth": {"dateOfBirth": sender["dateOfBirth"]},
            }
        }
        return {
            "Originator": {
                "originatorPersons": [originator],
                "accountNumber": [data["originator"]["walletAddress"]],
            },
            "Beneficiary": {
                "beneficiaryPersons": [{"naturalPerson": {"name": {"nameIdentifier": [_name(receiver)]}}}],
                "accountNumber": [account],
            },
            "OriginatingVASP": {"originatingVASP": {"legalPerson": self._profile}},
        }

    def _sealed(self, remote: str, ivms101: dict[str, Any]) -> str:
        return self._keys.seal(remote, orjson.dumps({"ivms101": ivms101}))

    async def _load_peers(self) -> None:
        listed = await self._call("GET", "/v1/code/vasps", None, None)
        self._peers = {
            vasp["vaspEntityId"]: vasp["pubkeys"][0]["pubkey"] for vasp in listed["vasps"] if vasp["pubkeys"]
        }

    async def _call(self, method: str, path: str, body: dict[str, Any] | None, remote: str | None) -> dict[str, Any]:
        content = orjson.dumps(body) if body is not None else b""
        async with self._session.request(
            method, self._url + path, data=content or None, headers=self._keys.headers(content, remote)
        ) as answer:
            read = await answer.read()
            assert answer.status == 200, read
            return dict(orjson.loads(read))


def _name(person: dict[str, str]) -> dict[str, str]:
    return {
        "primaryIdentifier": person["lastName"],
        "secondaryIdentifier": person["firstName"],
        "nameIdentifierType": "LEGL",
    }


if __name__ == "__main__":
    uvloop.run(Loop(orjson.loads(sys.argv[1])).run())
