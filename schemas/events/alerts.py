"""Events of topic ``alerts``: alerts for operators."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.events.decisions import SubjectText
from schemas.events.verdicts import Sequenced
from schemas.numbers import Counted
from schemas.texts import MaybeId, NonEmpty
from schemas.wire_model import Wire

AlertCode = Annotated[NonEmpty, Field(max_length=100, pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]


class AlertBody(Wire):
    """Something that needs a person."""

    subject: SubjectText
    """What the alert is about, with its kind, for example ``exchange:ORIGIN/TRANSFERID`` or ``vasp:ENTITYID``.
    Example: "exchange:north/0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
    """
    code: AlertCode
    """Stable code of the condition; the runbooks have a page for each.
    Example: "TXID_REPORT_FAILED"
    """
    severity: Literal["warning", "critical"]
    """How urgent it is: ``critical`` needs a person soon, ``warning`` is to be looked at."""
    counterparty: MaybeId = None
    """Entity id of the VASP that the condition concerns, if it is one.
    Example: "south"
    """
    attempts: Counted | None = None
    """How often the call behind the alert was tried, where there is one.
    Example: 3
    """
    runbook: NonEmpty
    """Path of the page that says what to check and what to do, relative to the project's root.
    Example: "docs/runbooks/TXID_REPORT_FAILED.md"
    """


class OperatorAlert(Sequenced, AlertBody):
    """``operator.alert.v1``: sent when something needs a person: a limit was reached, or a peer does not keep to the
    protocol.
    """
