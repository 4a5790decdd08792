"""Execution of a queued look-up: it reads the local store, and always ends with a result."""

from __future__ import annotations

from travelrule.engine.local_lookups.local_answers import LocalAnswers
from travelrule.engine.ports import CallContent
from travelrule.engine.sealed_content import open_content
from travelrule.engine.vault import Vault
from travelrule.machine.look_up import LookUpResult
from travelrule.store.call_rows import CallItem


class LookUpExecutor:
    """Executes look-ups. It makes no request, so it waits neither for the hub nor for a counterparty."""

    def __init__(self, vault: Vault, answers: LocalAnswers) -> None:
        self._vault = vault
        self._answers = answers

    async def execute(self, item: CallItem, content: CallContent | None = None) -> LookUpResult:
        """Answer the question of ``item``. Without ``content`` it is read from the store. ``code`` of the result is
        ``ERASED`` if its subject was erased.
        """
        question = item.correlation_id
        if content is None:
            content = open_content(self._vault, item)
        if content is None:
            return LookUpResult(question, None, code="ERASED")
        return LookUpResult(question, await self._answers.answer(question, content.clear))
