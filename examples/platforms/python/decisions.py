"""What the platform does on a verdict: no I/O, so that it can be read and tested on its own."""

from __future__ import annotations

from hashlib import sha256

MONEY_LEFT, CREDITED = "sign-and-broadcast", "credit"


def decide(data: dict, key: str, order: dict) -> tuple[str, list[tuple[str, dict]]]:
    """Return the action and the events, as (type, data), that follow from a verdict.

    A verdict value that is not known counts as ``hold``: money moves on ``allow`` alone.
    """
    kind = data["subject"].partition(":")[0]
    if kind == "withdrawal":
        return withdrawal(data, key, order)
    if kind == "deposit":
        return deposit(data, key, order)
    return "note", []


def withdrawal(data: dict, key: str, order: dict) -> tuple[str, list[tuple[str, dict]]]:
    if MONEY_LEFT in order["actions"]:
        return "note", []  # the coins are on their way: never send them a second time
    if data["verdict"] == "allow":
        txid = sign_and_broadcast(key)
        return MONEY_LEFT, [("withdrawal.broadcast.v1", {"withdrawalId": key, "txid": txid})]
    if data["verdict"] == "deny":
        return "release-funds", []
    for need in data["needs"]:
        action = f"amend {need}"
        if need in order["answers"] and action not in order["actions"]:  # each answer once: no endless attempts
            return action, [("withdrawal.amended.v1", {"withdrawalId": key, **order["answers"][need]})]
    return "wait", []


def deposit(data: dict, key: str, order: dict) -> tuple[str, list[tuple[str, dict]]]:
    credited = CREDITED in order["actions"]
    if data["verdict"] == "allow":
        settled = {"depositId": key, "outcome": "credited"}
        return ("note", []) if credited else (CREDITED, [("deposit.settled.v1", settled)])
    if data["verdict"] == "deny":
        return ("take-back" if credited else "do-not-credit"), []
    return "wait", []


def sign_and_broadcast(key: str) -> str:
    """Stands for the wallet. It must be idempotent: the same withdrawal gives the same transaction."""
    return sha256(key.encode()).hexdigest().upper()
