"""Column types that mean the same on PostgreSQL and SQLite."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import DateTime, Dialect, Numeric, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

AMOUNT_PRECISION = 78
AMOUNT_SCALE = 36


class Amount(TypeDecorator[Decimal]):
    """An exact amount: NUMERIC in PostgreSQL, text in SQLite, ``Decimal`` in Python. Never a float anywhere."""

    impl = Numeric(AMOUNT_PRECISION, AMOUNT_SCALE)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """NUMERIC where it is exact, text where it would become a float."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(Text())
        return dialect.type_descriptor(Numeric(AMOUNT_PRECISION, AMOUNT_SCALE))

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> Any:
        """Text in plain notation for SQLite, the Decimal itself for PostgreSQL."""
        if value is None or dialect.name != "sqlite":
            return value
        return format(value, "f")

    def process_result_value(self, value: Any, dialect: Dialect) -> Decimal | None:  # noqa: ARG002
        """Return a Decimal for text and for NUMERIC."""
        return None if value is None else Decimal(value)


def plain_amount(amount: Decimal) -> Decimal:
    """The amount without trailing zeros, so that equal amounts are equal as text."""
    text = format(amount, "f")
    return Decimal(text.rstrip("0").rstrip(".") if "." in text else text)


class Instant(TypeDecorator[datetime]):
    """An aware UTC time: timestamptz in PostgreSQL, ISO 8601 text with a fixed width (so it sorts) in SQLite."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """SQLite has no time zones; text keeps them."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(Text())
        return dialect.type_descriptor(DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Refuse a naive time: it would silently become local time."""
        if value is None:
            return None
        return instant_text(value) if dialect.name == "sqlite" else aware(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Return an aware UTC time."""
        if value is None:
            return None
        return datetime.fromisoformat(value) if isinstance(value, str) else value.astimezone(UTC)


def aware(value: datetime) -> datetime:
    """The time itself; ValueError for a naive one, which a driver would take for local time."""
    if value.tzinfo is None:
        raise ValueError("naive datetime given to the store")
    return value


def instant_text(value: datetime) -> str:
    """Fixed-width ISO 8601 with microseconds in UTC, so that text order is time order."""
    return aware(value).astimezone(UTC).isoformat(timespec="microseconds")
