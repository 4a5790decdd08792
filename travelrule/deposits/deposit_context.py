"""The answer of the local look-up ``deposit-context``: the wallet at the address and its open authorizations."""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError

from schemas.events.persons import Person
from schemas.wire_model import Wire
from travelrule.machine.look_up import LookUpResult

QUESTION: Final = "deposit-context"


class ContextWallet(Wire):
    """The registered wallet at the deposit's address and tag. ``tag`` None: an appended tag is ignored."""

    customer_id: str = ""
    tag: str | None = None
    owner: Person | None = None


class ContextAuthorization(Wire):
    """A ``verified`` inbound exchange for the address without txid. ``origin`` is the sender, with or without its
    network in front.
    """

    subject: str
    origin: str
    transfer_id: str
    txid: str | None = None

    @property
    def entity_id(self) -> str:
        """The sender's entity id."""
        return self.origin.rpartition(":")[2]


class DepositContext(Wire):
    """The whole answer."""

    wallet: ContextWallet | None = None
    authorizations: tuple[ContextAuthorization, ...] = ()


def read_context(result: LookUpResult) -> DepositContext | None:
    """Return the answer; None if it is missing or unreadable."""
    if result.found is None:
        return None
    try:
        return DepositContext.model_validate(result.found)
    except ValidationError:
        return None
