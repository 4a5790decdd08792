"""A trading platform's client of the Travel Rule processor: sends its orders, acts on the verdicts.

    BOOTSTRAP=localhost:9092 LEDGER=ledger.jsonl python platform_client.py ../orders/*.json

SIGTERM ends it. What it must get right, and where:

- A verdict is acted on once, however often it is delivered: ``Ledger.is_passed``.
- A crash at any point loses nothing and doubles nothing: the ledger holds the action and the events that follow from it
  in one line, before anything is sent and before the offset is committed: ``Platform.handle``.
- What is sent again has the same event id and the same data, which the processor takes as a duplicate: ``event``.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer
from decisions import decide
from ledger import Ledger

TOPICS = {
    "withdrawal.requested.v1": ("withdrawals", "withdrawalId"),
    "withdrawal.amended.v1": ("withdrawals", "withdrawalId"),
    "withdrawal.broadcast.v1": ("txids", "withdrawalId"),
    "deposit.detected.v1": ("deposits", "depositId"),
    "deposit.confirmed.v1": ("deposits", "depositId"),
    "deposit.settled.v1": ("deposits", "depositId"),
}
"""Each type that this client sends: its topic, and the field of the data that is the record's key."""


def event(kind: str, data: dict, cause: str) -> dict:
    """Return a CloudEvent. Its id follows from what caused it, so that it is the same however often it is made."""
    _, key_field = TOPICS[kind]
    return {
        "specversion": "1.0",
        "id": f"{data[key_field]}/{cause}/{kind}",
        "source": "/platform-example-python",
        "type": kind,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "subject": data[key_field],
        "datacontenttype": "application/json",
        "data": data,
    }


class Platform:
    """Producer, consumer and ledger of one platform."""

    def __init__(self, bootstrap: str, prefix: str, group: str, ledger: Ledger) -> None:
        self._prefix = prefix
        self._ledger = ledger
        self._running = True
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "acks": "all",
                "enable.idempotence": True,
                "partitioner": "murmur2_random",  # as the other clients of Kafka choose the partition of a key
            }
        )
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "session.timeout.ms": 10_000,  # a killed client's partitions are free after this time
            }
        )

    def stop(self, _signal: int, _frame: FrameType | None) -> None:
        self._running = False

    def submit(self, path: Path) -> None:
        """Put an order into the ledger, once, and send its events."""
        order = json.loads(path.read_text(encoding="utf-8"))
        events = [event(one["type"], one["data"], "order") for one in order["events"]]
        if not self._ledger.has_order(events[0]["subject"]):
            self._ledger.add_order(events[0]["subject"], order.get("answers", {}), events)

    def run(self) -> None:
        """Act on verdicts until a signal arrives."""
        self.publish()
        self._consumer.subscribe([f"{self._prefix}verdicts"])
        while self._running:
            message = self._consumer.poll(0.5)
            if message is None:
                continue
            if message.error():
                raise KafkaException(message.error())
            self.handle(message)
            self._consumer.commit(message=message, asynchronous=False)
        self._consumer.close()

    def handle(self, message: Message) -> None:
        """Act on one verdict. The caller commits its offset afterwards."""
        verdict = json.loads(message.value())
        data, key = verdict["data"], message.key().decode()
        if not self._ledger.has_order(key) or self._ledger.is_passed(data["subject"], data["sequence"]):
            return
        action, follow_up = decide(data, key, self._ledger.order(key))
        events = [event(kind, content, str(data["sequence"])) for kind, content in follow_up]
        self._ledger.add_verdict(key, data, action, events)
        print(f"{data['subject']} {data['verdict']} {data['reasons']} -> {action}", flush=True)
        self.publish()

    def publish(self) -> None:
        """Send the ledger's unsent events and wait for the broker. An error ends the process."""
        unsent = self._ledger.unsent()
        failures: list[KafkaError] = []
        for one in unsent:
            topic, _ = TOPICS[one["type"]]
            self._producer.produce(
                f"{self._prefix}{topic}",
                key=one["subject"],
                value=json.dumps(one),
                headers={"content-type": "application/cloudevents+json"},
                on_delivery=lambda error, _: failures.append(error) if error else None,
            )
        if unsent:
            if self._producer.flush(30) or failures:
                raise RuntimeError(f"the broker did not confirm all events: {failures or 'no answer'}")
            self._ledger.add_sent([one["id"] for one in unsent])


def main() -> None:
    ledger = Ledger(Path(os.environ.get("LEDGER", "ledger.jsonl")))
    platform = Platform(
        os.environ.get("BOOTSTRAP", "localhost:9092"),
        os.environ.get("TOPIC_PREFIX", "travelrule."),
        os.environ.get("GROUP", "platform-example"),
        ledger,
    )
    signal.signal(signal.SIGTERM, platform.stop)
    signal.signal(signal.SIGINT, platform.stop)
    for path in sys.argv[1:]:
        platform.submit(Path(path))
    platform.run()


if __name__ == "__main__":
    main()
