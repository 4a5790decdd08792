"""``travelrule doctor``: is this installation fit to run, and if not, what to do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import packages_distributions

import typer
from sqlalchemy import select

from streams.admin import compare_topics
from streams.connection import connect
from streams.topics import Topics
from travelrule.bootstrap.installation import Installation, audit_key, open_hub, open_installation, verify_keys
from travelrule.client.errors import HubError
from travelrule.commands.edge import Output, OutputOption, load_settings, run, write_json, write_text
from travelrule.crypto.audit_chain import verify_root
from travelrule.engine.active_lists import ActiveLists
from travelrule.errors import TravelRuleError
from travelrule.exchange.decision import Alert
from travelrule.settings import Settings
from travelrule.store import migrate, tables

ROOTS = ("streams", "agents", "schemas", "travelrule")


@dataclass(frozen=True, slots=True)
class Check:
    """One question: its answer, what was seen, and what to do if the answer is no."""

    name: str
    ok: bool
    detail: str = ""
    fix: str = ""


def command(output: OutputOption = Output.TEXT) -> None:
    """Check settings, keys, broker, topics, database, lists, hub and clock; exit 1 if something is wrong."""
    run(_doctor(output))


async def _doctor(output: Output) -> None:
    settings = load_settings()
    checks = [_roots(), await _guard("broker", lambda: _broker(settings))]
    try:
        opened = await open_installation(settings, require_schema=False)
    except TravelRuleError as error:
        checks.append(_failed("settings and database", error))
    else:
        try:
            checks += await _installation_checks(opened)
        finally:
            await opened.close()
    ok = all(check.ok for check in checks)
    if output is Output.JSON:
        rows = [{"name": c.name, "ok": c.ok, "detail": c.detail, "fix": c.fix} for c in checks]
        write_json({"ok": ok, "checks": rows})
    else:
        for check in checks:
            write_text(f"{'ok  ' if check.ok else 'FAIL'} {check.name}: {check.detail}")
            if not check.ok:
                write_text(f"     → {check.fix}")
    if not ok:
        raise typer.Exit(1)


async def _installation_checks(opened: Installation) -> list[Check]:
    schema = await _guard("database", lambda: _schema(opened))
    keys = await _guard("storage and index keys", lambda: _keys(opened))
    needed = schema if not schema.ok else keys
    return [
        Check("settings and keys", ok=True, detail=f"{opened.entity_id}, {len(opened.keyring.publics)} signing key(s)"),
        keys,
        await _guard("audit key", lambda: _audit(opened, roots=schema.ok)),
        schema,
        await _guard("lists", lambda: _lists(opened)) if needed.ok else _unasked("lists", needed),
        await _guard("hub", lambda: _hub(opened)) if needed.ok else _unasked("hub", needed),
    ]


def _unasked(name: str, needed: Check) -> Check:
    """Lists are in the database, a request to the hub is signed with a nonce from it, and with wrong keys nothing is
    done.
    """
    return Check(name, ok=False, detail=f"not asked, because this needs the {needed.name}", fix=needed.fix)


def _failed(name: str, error: TravelRuleError) -> Check:
    """``fix`` says what to do, where the error knows it (``ConfigurationError``, ``ServiceUnavailable``)."""
    return Check(name, ok=False, detail=str(error), fix=getattr(error, "fix", "") or "see the detail")


async def _guard(name: str, check: Callable[[], Awaitable[Check]]) -> Check:
    try:
        return await check()
    except TravelRuleError as error:
        return _failed(name, error)


def _roots() -> Check:
    owners = packages_distributions()
    foreign = [root for root in ROOTS if set(owners.get(root, ["travelrule"])) - {"travelrule"}]
    if foreign:
        fix = "install travelrule in an environment of its own"
        return Check("packages", ok=False, detail=f"another distribution owns {', '.join(foreign)}", fix=fix)
    return Check("packages", ok=True, detail="the four roots are ours alone")


async def _broker(settings: Settings) -> Check:
    connection = connect(settings)
    rows = await compare_topics(connection, Topics(settings.topic_prefix))
    wrong = [row.topic for row in rows if row.action != "unchanged"]
    if wrong:
        return Check(
            "topics", ok=False, detail=f"missing or different: {', '.join(wrong)}", fix="travelrule topics apply"
        )
    return Check("broker and topics", ok=True, detail=f"{len(rows)} topics")


async def _keys(opened: Installation) -> Check:
    await verify_keys(opened.settings, opened.database)
    count = len(opened.vault.keys.ids)
    return Check("storage and index keys", ok=True, detail=f"those of the database, {count} storage key(s)")


async def _audit(opened: Installation, *, roots: bool) -> Check:
    key = audit_key(opened.settings)
    if roots and await _another_signed(opened, key.public_base64):
        fix = "give the key that signed it; after a rotation this passes with the next root (docs/keys.md)"
        return Check("audit key", ok=False, detail="another key than AUDIT_KEY signed the newest root", fix=fix)
    return Check("audit key", ok=True, detail=f"signs as {key.public_base64}")


async def _another_signed(opened: Installation, public: str) -> bool:
    table = tables.audit_roots
    query = select(table).where(table.c.vasp == opened.entity_id).order_by(table.c.size.desc()).limit(1)
    async with opened.database.read() as connection:
        root = (await connection.execute(query)).first()
    return root is not None and not verify_root(public, root.size, bytes(root.root), root.at, root.signature)


async def _schema(opened: Installation) -> Check:
    current, newest = await migrate.current(opened.database), migrate.newest()
    return Check("database", current == newest, f"at {current or 'nothing'}, needs {newest}", "travelrule migrate")


async def _lists(opened: Installation) -> Check:
    """Whether there is what the policy asks for, all of it can be read, and none is older than it may be."""
    await opened.policy.load()
    policy = opened.policy()
    active = await opened.lists.active()
    if not active and policy.sanctions == "required":
        fix = "`travelrule lists import FORMAT PATH`; until then nothing is taken for clean"
        return Check("lists", ok=False, detail="none is in force, and the policy requires them", fix=fix)
    unreadable: list[str] = []

    async def unread(subject: str, _: Alert) -> None:
        unreadable.append(subject.partition(":")[2])

    await ActiveLists(opened.lists, unread, opened.clock).start()
    if unreadable:
        fix = "import it again: `travelrule lists import FORMAT PATH`"
        return Check("lists", ok=False, detail=f"cannot be read: {', '.join(unreadable)}", fix=fix)
    limit = timedelta(seconds=policy.time_limits.list_age)
    old = [code for code, version in active.items() if opened.clock() - version.dated > limit]
    if old:
        fix = "import what the publisher offers now: `travelrule lists import FORMAT PATH`"
        return Check("lists", ok=False, detail=f"older than {limit.days} days: {', '.join(old)}", fix=fix)
    detail = ", ".join(f"{code} ({version.entries} entries)" for code, version in active.items())
    return Check("lists", ok=True, detail=detail or "none; the policy does not ask for them")


async def _hub(opened: Installation) -> Check:
    hub = open_hub(opened)
    try:
        listed = {entry.vasp_entity_id: entry for entry in (await hub.vasp_list()).vasps}
    except HubError as error:
        fix = "check HUB_URL, the registered key and the clock (the hub refuses requests that are minutes off)"
        return Check("hub", ok=False, detail=error.error_code or str(error), fix=fix)
    finally:
        await hub.aclose()
    own = listed.get(opened.entity_id)
    if own is None:
        return Check("hub", ok=False, detail="we are not in the VASP list", fix="ask the hub's operator to list us")
    keys = {key.pubkey for key in own.pubkeys}
    if opened.keyring.signing.public_base64 not in keys:
        fix = "register the public key (`travelrule keys show`) before signing with it"
        return Check("hub", ok=False, detail="our signing key is not registered", fix=fix)
    return Check("hub", ok=True, detail=f"{len(listed)} VASPs listed, our key is registered")
