"""Apache Kafka itself, from Maven Central, into ``.cache/kafka/lib`` of the checkout."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

from tests.services.process import ROOT, ServiceError

POM = Path(__file__).with_name("kafka-pom.xml")
CACHE = ROOT / ".cache" / "kafka"


def _program(name: str, package: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise ServiceError(f"{name} is missing: install it (Debian: apt-get install {package})")
    return found


def java() -> str:
    """The Java program (17 or later)."""
    return _program("java", "openjdk-17-jre-headless")


def kafka_classpath() -> str:
    """The class path of a Kafka broker; fetched once, fetched again when the pom changes."""
    wanted = hashlib.sha256(POM.read_bytes()).hexdigest()
    library, mark = CACHE / "lib", CACHE / "fetched"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists() or mark.read_text() != wanted:
            _fetch(library)
            mark.write_text(wanted)
    return f"{library}/*"


def _fetch(library: Path) -> None:
    shutil.rmtree(library, ignore_errors=True)
    command = [_program("mvn", "maven"), "-q", "-B", "-f", str(POM), "dependency:copy-dependencies"]
    done = subprocess.run(
        [*command, "-DincludeScope=runtime", f"-DoutputDirectory={library}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ServiceError(f"Kafka could not be fetched from Maven Central:\n{done.stdout}\n{done.stderr}")
