from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from streams import embedded
from streams.connection import Connection, connect
from travelrule.errors import ServiceUnavailable
from travelrule.settings import Settings

OWNER = """
import sys, time
from pathlib import Path
from streams import embedded
broker = embedded.own_or_find(Path(sys.argv[1]), ["t.txids"])
print("owned" if broker else "found", flush=True)
time.sleep(60)
"""


def test_the_first_owns_and_writes_its_address_and_the_second_finds_it(tmp_path: Path) -> None:
    broker = embedded.own_or_find(tmp_path, ["t.txids"])
    assert broker is not None
    assert embedded.own_or_find(tmp_path, ["t.txids"]) is None
    assert embedded.find(tmp_path) == broker.addresses
    assert connect(Settings(data_dir=tmp_path)) == Connection(broker.addresses, embedded=True)
    broker.close()
    broker.close()
    with pytest.raises(ServiceUnavailable) as refused:
        embedded.find(tmp_path)
    assert refused.value.exit_code == 3
    assert not (tmp_path / "broker.json").exists()


def test_topics_have_four_partitions(tmp_path: Path) -> None:
    broker = embedded.own_or_find(tmp_path, ["t.txids"])
    assert broker is not None
    topics = broker._cluster.list_topics(timeout=5).topics
    assert {name: len(topic.partitions) for name, topic in topics.items()} == {"t.txids": 4}
    broker.close()


def test_a_killed_owner_leaves_the_place_to_the_next(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path)], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"owned\n"
        assert embedded.own_or_find(tmp_path, []) is None
        found = embedded.find(tmp_path)
        assert orjson.loads((tmp_path / "broker.json").read_bytes()) == {
            "pid": owner.pid,
            "bootstrap": list(found),
        }
        owner.kill()
        owner.wait()
    with pytest.raises(ServiceUnavailable):
        embedded.find(tmp_path)
    broker = embedded.own_or_find(tmp_path, [])
    assert broker is not None
    assert broker.addresses == embedded.find(tmp_path)
    broker.close()


def test_an_owner_that_never_gets_ready_is_told_apart(tmp_path: Path) -> None:
    import fcntl

    with (tmp_path / "broker.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ServiceUnavailable, match="does not get ready"):
            embedded.find(tmp_path, patience_s=0.1)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"pid": "x", "bootstrap": []}', b"\xff"])
def test_a_broken_file_is_no_address(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "broker.json").write_bytes(content)
    assert embedded._read(tmp_path / "broker.json") is None


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServiceUnavailable, match="DATA_DIR"):
        embedded.own_or_find(tmp_path / "file" / "below", [])
