"""Failures of the database in the operator's terms: the problem, the setting, and the fix.

An error's own text is never repeated, because it quotes statements and rows. Of the URL only host and database name are
shown.
"""

from __future__ import annotations

import socket
import sqlite3
import ssl

import asyncpg
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from travelrule.client_tls import ClientTls
from travelrule.errors import ServiceUnavailable
from travelrule.store.limits import CONNECT_SECONDS

SETTING = "TRAVELRULE_DATABASE_URL"
SERVICE = "database"
CHECK_SETTING = f"check {SETTING} and that the server runs"

Told = tuple[str, str]
"""The problem, and the fix."""

_LOGIN: Told = ("refuses the login", f"check user and password in {SETTING}, and the rules of the server (pg_hba.conf)")
_BROKEN: Told = ("cannot be read", f"{SETTING} names a file that is no SQLite database, or a damaged one")
_DISK: Told = ("cannot write", f"the disk of {SETTING} is full or fails: make room, check it")
_NO_CHANGES: Told = ("takes no changes", f"{SETTING} names a standby or something that is read-only")

WRONG_PASSWORD, NO_RULE = "28P01", "28000"
"""A wrong password, or the certificate of another user with it; no rule of the server that admits the connection."""
_STATES: dict[str, Told] = {
    WRONG_PASSWORD: _LOGIN,
    NO_RULE: _LOGIN,
    "3D000": ("is not on the server", f"create it (CREATE DATABASE), or correct its name in {SETTING}"),
    "3F000": ("has no schema to work in", f"give the user of {SETTING} a search_path with a schema that it may use"),
    "42501": (
        "denies its user",
        f"GRANT the user of {SETTING} the rights on schema and tables: to make and own them for `migrate`, else DML",
    ),
    "25006": _NO_CHANGES,
    "53100": _DISK,
    "53300": ("takes no more connections", f"raise max_connections of the server of {SETTING}, or run fewer processes"),
    "57P03": ("is not ready", f"the server of {SETTING} starts, stops or recovers: try again later"),
}

_SQLITE: dict[str, Told] = {
    "SQLITE_FULL": _DISK,
    "SQLITE_IOERR": _DISK,
    "SQLITE_READONLY": ("takes no changes", f"let this user write the file of {SETTING} and its folder"),
    "SQLITE_CANTOPEN": ("cannot be opened", f"let this user write the file of {SETTING} and its folder"),
    "SQLITE_PERM": ("cannot be opened", f"let this user write the file of {SETTING} and its folder"),
    "SQLITE_NOTADB": _BROKEN,
    "SQLITE_CORRUPT": _BROKEN,
    "SQLITE_BUSY": ("is locked", f"another process holds the file of {SETTING}: end it, or wait"),
}


def place(url: URL) -> str:
    """Where the database is, without user and password."""
    if url.get_backend_name() != "postgresql":
        return url.database or "memory"
    return f"{url.host or 'the local socket'}:{url.port or 5432}/{url.database}"


def unavailable(error: BaseException, url: URL, tls: ClientTls) -> ServiceUnavailable:
    """The failure of a connection or a statement in the operator's terms."""
    problem, fix = _told(error, tls)
    return ServiceUnavailable(SERVICE, fix, problem, place(url))


def _told(error: BaseException, tls: ClientTls) -> Told:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    state = str(getattr(cause, "sqlstate", None) or "")
    if state in _STATES:
        problem, fix = _STATES[state]
        certified = state == WRONG_PASSWORD and tls.certificate is not None
        return problem, fix + (_perhaps(tls) if certified or state == NO_RULE else "")
    if (fault := tls.fault(error)) is not None:
        return fault.problem, fault.fix
    if isinstance(error, DBAPIError) and (name := _sqlite_name(cause)):
        return next((told for prefix, told in _SQLITE.items() if name.startswith(prefix)), _BROKEN)
    return _of_connection(cause)


def _perhaps(tls: ClientTls) -> str:
    """What a server whose rules do not admit the connection may require."""
    if tls.authority is None:
        return f"; perhaps it wants TLS ({tls.prefix}CA_FILE)"
    if tls.certificate is None:
        return f"; perhaps it wants a certificate ({tls.prefix}CERTIFICATE_FILE)"
    dated = tls.certificate_age()
    name = f"{tls.prefix}CERTIFICATE_FILE"
    return f"; {name} {dated}: renew it" if dated else f"; perhaps {name} is of another user"


def _sqlite_name(error: BaseException) -> str:
    """``SQLITE_...`` as the SQLite library names the failure."""
    return str(getattr(error, "sqlite_errorname", "")) if isinstance(error, sqlite3.Error) else ""


def _of_connection(error: BaseException) -> Told:
    away = "could not be reached"
    if isinstance(error, socket.gaierror):
        return away, f"no such host name: correct {SETTING}, check the name service"
    if isinstance(error, ssl.SSLError):
        return away, f"TLS fails: check ssl=... in {SETTING} and the certificate of the server"
    if isinstance(error, ConnectionRefusedError):
        return away, f"nothing listens there: {CHECK_SETTING}"
    if isinstance(error, TimeoutError | PoolTimeoutError):
        return away, f"no answer within {CONNECT_SECONDS:.0f} s: {CHECK_SETTING}, and that no firewall is between"
    if isinstance(error, ConnectionError) and "SSL" in str(error):
        return away, f"the server has no TLS: correct ssl=... in {SETTING}, or turn TLS on there"
    if isinstance(error, asyncpg.exceptions.ClientConfigurationError):
        return away, f"what stands behind the ? of {SETTING} cannot be used: correct it"
    return away, CHECK_SETTING
