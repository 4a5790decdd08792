"""Providers of risk of a sandbox: the entries of its world file, and the published presets (screening.md section 8)."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from travelrule.hub.risk.ports import NotServed, ProviderFailed
from travelrule.hub.risk.records import Analysis, KytSubject, RatedTransaction, RatedWallet, Rating, canonical_hash
from travelrule.sandbox.faults.fault_spec import Pause
from travelrule.sandbox.world.kyt_reports import report_on
from travelrule.sandbox.world.risk_spec import KnownTransaction, ScreenedTransaction, ScreenedWallet, ScreeningSpec

PRESET_SECONDS = 3
_TAGS = {"BLACK": ("Hack",), "GRAY": ("Gambling",)}
_DESCRIPTIONS = {"BLACK": "listed in the world file", "GRAY": "listed in the world file"}
_ANY_ENDING = "..."
_UNLISTED = {
    "Clean": KnownTransaction(verdict="Clean"),
    "not-found": KnownTransaction(error="Tx hash not found", pending_seconds=PRESET_SECONDS),
}

PRESETS = {
    "5028a06f62bd79cd44d96779c5d1db68882ede90c3cbf62b6cc11a6218984063": KnownTransaction(
        verdict="Clean", pending_seconds=PRESET_SECONDS
    ),
    "6db6a29832732e9c6f19ea8f85150ffe1deafa8412654b0be4f4a532a876fff6": KnownTransaction(
        verdict="Suspicious", pending_seconds=PRESET_SECONDS
    ),
    "091d6e123c64e8ce9c0f39a9085d6adcf29cf8f49c888a95c128566550765298": KnownTransaction(
        verdict="Malicious", pending_seconds=PRESET_SECONDS
    ),
}
"""By canonical hash. The network has analysed them already: only a search with ``force`` waits."""


class WorldScreening:
    """``ScreeningProvider`` over the world file; its entries apply to every chain."""

    def __init__(self, spec: ScreeningSpec) -> None:
        self._wallets = {canonical_hash(address): wallet for address, wallet in spec.wallets.items()}
        self._endings = {
            address.removeprefix(_ANY_ENDING).lower(): wallet
            for address, wallet in spec.wallets.items()
            if address.startswith(_ANY_ENDING)
        }
        self._transactions = {canonical_hash(txid): listed for txid, listed in spec.transactions.items()}

    async def wallet(self, _chain: str, address: str) -> Rating:
        """Rate a wallet: ``WHITE`` unless the file lists it."""
        listed = self._wallets.get(canonical_hash(address)) or self._by_ending(address.lower())
        if listed is None:
            return Rating("WHITE")
        if listed.category == "ERROR":
            raise ProviderFailed("the world file says that this wallet cannot be rated now")
        return _rating(listed.category, listed.tags)

    async def transaction(self, _chain: str, txid: str) -> RatedTransaction:
        """Rate both sides of a transaction: ``WHITE`` unless the file lists it."""
        listed = self._transactions.get(canonical_hash(txid), ScreenedTransaction())
        return RatedTransaction(
            senders=(RatedWallet(listed.sender_address, _rating(listed.sender)),),
            receivers=(RatedWallet(listed.receiver_address, _rating(listed.receiver)),),
        )

    def _by_ending(self, address: str) -> ScreenedWallet | None:
        return next((wallet for ending, wallet in self._endings.items() if address.endswith(ending)), None)


class WorldKyt:
    """``KytProvider`` over the world file; its entries and the presets apply to every chain."""

    def __init__(self, spec: ScreeningSpec, pause: Pause) -> None:
        self._listed = {canonical_hash(tx_hash): known for tx_hash, known in spec.kyt.items()}
        self._unlisted = _UNLISTED[spec.unlisted_transactions]
        self._unregistered = frozenset(spec.kyt_unregistered)
        self._quota = spec.kyt_quota
        self._used: Counter[str] = Counter()
        self._pause = pause

    async def admit(self, caller: str, *, analysis: bool) -> None:
        """Admit a VASP that is registered and has quota left. Raises ``NotServed``."""
        if caller in self._unregistered:
            raise NotServed
        if analysis and self._quota is not None and self._used[caller] >= self._quota:
            raise NotServed
        self._used[caller] += analysis

    async def known(self, subject: KytSubject, now: datetime) -> Analysis | None:
        """Return the analysis of a preset, or of a transaction without ``pendingSeconds``."""
        listed = self._listed.get(subject.tx_hash)
        if listed is None and (preset := PRESETS.get(subject.tx_hash)) is not None:
            return _ended(preset, subject, now)
        known = listed or self._unlisted
        return None if known.pending_seconds or known.error else _ended(known, subject, now)

    async def analyse(self, subject: KytSubject, now: datetime) -> Analysis:
        """Return the analysis after the time that the file gives."""
        known = self._listed.get(subject.tx_hash) or PRESETS.get(subject.tx_hash) or self._unlisted
        await self._pause(known.pending_seconds)
        return _ended(known, subject, now)


def _rating(category: str, tags: tuple[str, ...] = ()) -> Rating:
    return Rating(category, tags or _TAGS.get(category, ()), _DESCRIPTIONS.get(category, ""))


def _ended(known: KnownTransaction, subject: KytSubject, now: datetime) -> Analysis:
    if known.verdict is None:
        return Analysis(error=known.error or "")
    return Analysis(report_on(subject, known.verdict, now))
