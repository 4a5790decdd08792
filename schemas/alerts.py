"""Events of topic ``alerts``: what an operator must see."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Wire
from schemas.decisions import SubjectText
from schemas.text import MaybeId, NonEmpty
from schemas.verdicts import Sequenced

AlertCode = Annotated[NonEmpty, Field(max_length=100, pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]


class AlertBody(Wire):
    """An alert; ``runbook`` is where it is written what to do."""

    subject: SubjectText
    code: AlertCode
    severity: Literal["warning", "critical"]
    counterparty: MaybeId = None
    attempts: Annotated[int, Field(ge=0)] | None = None
    runbook: NonEmpty


class OperatorAlert(Sequenced, AlertBody):
    """``operator.alert.v1``: something needs a human."""
