"""The second process of the two-process test: sends its inputs to the same subjects."""

from __future__ import annotations

import asyncio
import base64
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from tests.support.toy_machine import TOY, dead_letter_headers, told
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.engine.apply.engine import Engine
from travelrule.engine.vault import Vault
from travelrule.policy.policy import Policy
from travelrule.store.database import Database


async def main(url: str, name: str, count: int) -> None:
    database = Database(url)
    vault = Vault("north", KeyEncryptionKeys([base64.b64encode(b"k" * 32).decode()]), BlindIndex(b"i" * 32))
    engine = Engine("north", database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers)
    for number in range(count):
        await engine.apply([told(f"o{number}", "w-2"), told(f"{name}-{number}", input_id=f"{name}-{number}")])
    await database.dispose()


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
