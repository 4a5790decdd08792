"""The base model of everything that crosses a wire."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Wire(BaseModel):
    """A frozen model with camelCase names on the wire; unknown fields are ignored (contract section 3).

    Its ``repr`` names the class only: instances hold personal data and end up in logs and error texts.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        serialize_by_alias=True,
        alias_generator=to_camel,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )

    @classmethod
    def from_wire(cls, content: Any) -> Self:
        """Return the model of a JSON value, read by the wire's names only: a Python name is an unknown field."""
        return cls.model_validate(content, by_alias=True, by_name=False)

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON value with the wire's names, without absent fields; decimals and times are text."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def __repr__(self) -> str:
        """Return the class name, never the content."""
        return f"<{type(self).__name__}>"

    __str__ = __repr__
