"""``travelrule keys``: key pairs in the form of the settings and the sandbox."""

from __future__ import annotations

import base64
import secrets
from typing import Annotated

import typer

from travelrule.commands.invocation import Output, OutputOption, fail, load_settings, write_json, write_text
from travelrule.crypto.signing import KeyRing, SigningKey
from travelrule.environment import PREFIX
from travelrule.errors import ConfigurationError

app = typer.Typer(help="Ed25519 seeds and public keys, base64", no_args_is_help=True)
SEED_BYTES = 32


def new_seed() -> str:
    """A fresh key of 32 bytes, base64: an Ed25519 seed, or a key for AES-256 or the blind index."""
    return base64.b64encode(secrets.token_bytes(SEED_BYTES)).decode()


@app.command()
def generate(
    seed_only: Annotated[  # noqa: FBT002 - a command-line switch
        bool, typer.Option("--seed-only", help="print the seed alone, as a key file holds it")
    ] = False,
    output: OutputOption = Output.TEXT,
) -> None:
    """Make a new key pair: the seed goes into TRAVELRULE_SIGNING_KEY, the public key to the hub's operator.

    `travelrule keys generate --seed-only > FILE` makes the file of TRAVELRULE_SIGNING_KEY_FILE or
    TRAVELRULE_AUDIT_KEY_FILE; `travelrule keys show` prints the public key of the former.
    """
    seed = new_seed()
    if seed_only:
        if output is Output.JSON:
            write_json({"seed": seed})
        else:
            write_text(seed)
        return
    public = SigningKey.from_base64(seed).public_base64
    if output is Output.JSON:
        write_json({"seed": seed, "publicKey": public})
        return
    write_text(f"seed       {seed}\npublic key {public}")


@app.command()
def show(
    decision: Annotated[  # noqa: FBT002 - a command-line switch
        bool, typer.Option("--decision", help="the key of TRAVELRULE_DECISION_KEY, for the policy's [decisions]")
    ] = False,
    output: OutputOption = Output.TEXT,
) -> None:
    """Show the public keys of TRAVELRULE_SIGNING_KEY; the first one signs. Seeds are never shown."""
    settings = load_settings()
    name, secret = "SIGNING_KEY", settings.signing_key
    if decision:
        name, secret = "DECISION_KEY", settings.decision_key
    if secret is None:
        fail(ConfigurationError(f"{PREFIX}{name}", "set it; `travelrule keys generate` makes one"))
    publics = KeyRing.from_text(secret.get_secret_value()).publics
    if output is Output.JSON:
        write_json({"publicKey": publics[0], "publicKeys": list(publics)})
        return
    for number, public in enumerate(publics):
        write_text(f"{'signs' if number == 0 else 'opens'} {public}")
