"""Rights on topics as data: the page of rights and the ACL lines are generated from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from schemas.registry import TOPICS

TopicOperation = Literal["Read", "Write", "Describe", "DescribeConfigs", "Create", "Alter", "AlterConfigs"]


@dataclass(frozen=True, slots=True)
class TopicAccess:
    """Writers and readers of a topic, and the worst that each right allows."""

    writers: tuple[str, ...]
    readers: tuple[str, ...]
    worst_write: str
    worst_read: str


PRINCIPALS: dict[str, str] = {
    "worker": "the processes of `serve worker`",
    "gateway": "the processes of `serve gateway`: they speak with the database and the hub, and need no right here",
    "platform": "the trading platform",
    "operator": "who decides: `travelrule decide`, or a tool of yours",
    "support": "who sends refused events again: `travelrule dead-letters replay`",
    "monitoring": "what turns alerts into calls",
    "auditor": "who keeps the signed audit roots outside",
    "administrator": "who runs `travelrule topics apply`",
}
"""Every principal, with what it is."""

_PERSONAL = "names, addresses, birth data and account numbers of customers and of whom they pay, in the clear"

ACCESS: dict[str, TopicAccess] = {
    "withdrawals": TopicAccess(
        ("platform", "support"),
        ("worker",),
        "begins, amends and cancels withdrawals: data of a made-up customer go to a VASP of the writer's choice, a "
        "real withdrawal is denied; `isExceedingThreshold` false exempts where the policy exempts. No `allow` without "
        "the counterparty's answer, an exemption or an operator",
        _PERSONAL,
    ),
    "txids": TopicAccess(
        ("platform", "support"),
        ("worker",),
        "tells a counterparty a transaction that is not the transfer's, or that it failed; a txid is never replaced",
        "which transaction belongs to which withdrawal",
    ),
    "deposits": TopicAccess(
        ("platform", "support"),
        ("worker",),
        "gets a verdict for coins that never came, or for another amount; ends open deposits as settled or retracted",
        "addresses, amounts and transactions of deposits",
    ),
    "wallets": TopicAccess(
        ("platform", "support"),
        ("worker",),
        "makes an address a customer's: transfers to it are answered `verified` under that name; removes wallets, so "
        "that transfers to customers are denied",
        _PERSONAL,
    ),
    "screenings": TopicAccess(
        ("platform", "support"),
        ("worker",),
        "uses up the paid quota of the screening providers; opens proofs of ownership",
        "which addresses and transactions are looked at",
    ),
    "decisions": TopicAccess(
        ("operator",),
        ("worker",),
        "`open`: allows what is on hold (a withdrawal only with `operator_override`) and denies what is not final, in "
        "any name. `signed`, `off`: fills the dead letters and raises alerts",
        "who decided what, and why; a signed decision serves its reader for nothing",
    ),
    "verdicts": TopicAccess(
        ("worker",),
        ("platform",),
        "makes the platform send or credit what was not allowed",
        "state, reasons and counterparties of all transfers; no names",
    ),
    "callbacks": TopicAccess(
        ("worker",),
        ("platform",),
        "gives the platform a false proof of ownership, or another search result",
        "tokens that open a customer's proof of ownership, once; results of searches and reports",
    ),
    "exchanges": TopicAccess(
        ("worker",),
        ("platform",),
        "shows the platform an exchange in another state",
        "counterparties, states and transactions of all exchanges",
    ),
    "alerts": TopicAccess(
        ("worker",),
        ("monitoring", "operator"),
        "calls operators for nothing, until they look at no alert any more",
        "subjects and counterparties with troubles",
    ),
    "deadletters": TopicAccess(
        ("worker",),
        ("support", "monitoring"),
        "shows refused events that never were; nothing is sent again from here: `dead-letters replay` reads the "
        "database",
        "codes, fields and keys; the content is sealed, unless `DEADLETTER_PLAIN` is on: then what the input topics "
        "hold",
    ),
    "audit": TopicAccess(
        ("worker",),
        ("auditor",),
        "adds roots that fail the check of their signature",
        "hashes and counts",
    ),
}
"""The rights on every topic, by its name without prefix."""


def rights(principal: str) -> Iterator[tuple[str, tuple[TopicOperation, ...]]]:
    """Yield the topics that a principal needs, each with its operations."""
    for name in TOPICS:
        if principal == "administrator":
            yield name, ("Create", "Describe", "DescribeConfigs", "Alter", "AlterConfigs")
            continue
        access = ACCESS[name]
        operations: list[TopicOperation] = []
        if principal in access.writers:
            operations.append("Write")
        if principal in access.readers:
            operations.append("Read")
        if principal == "worker":
            operations += ["Describe", "DescribeConfigs"]
        if operations:
            yield name, tuple(operations)


def reads_in_a_group(principal: str) -> bool:
    """Whether a principal needs the right to read as a consumer group."""
    return any("Read" in operations for _, operations in rights(principal))
