"""The media type of a body: every body of hub and members is JSON in UTF-8 (auth.md 1)."""

from __future__ import annotations

JSON = "application/json"
FIX = f"send {JSON}"


def is_json(content_type: str) -> bool:
    """Whether a ``Content-Type`` is JSON in UTF-8; case and further parameters do not count (RFC 9110 8.3)."""
    media_type, *parameters = (part.strip().lower() for part in content_type.split(";"))
    return media_type == JSON and all(_is_utf8(value) for key, value in map(_pair, parameters) if key == "charset")


def _pair(parameter: str) -> tuple[str, str]:
    key, _, value = parameter.partition("=")
    return key, value.strip('"')


def _is_utf8(charset: str) -> bool:
    return charset in {"utf-8", "utf8"}
