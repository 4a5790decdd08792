"""The lock: a closure over what is installed, and a refusal to lock half an environment."""

import pytest
from packaging.requirements import Requirement

from scripts import lock


def test_requirements_of_requirements_are_followed() -> None:
    found = lock.closure([Requirement("httpx>=0.28")])
    assert {"httpx", "httpcore", "h11", "anyio", "idna", "certifi"} <= found.keys()
    assert "pytest" not in found


def test_extras_bring_their_own() -> None:
    plain = lock.closure([Requirement("sqlalchemy")])
    with_asyncio = lock.closure([Requirement("sqlalchemy[asyncio]"), Requirement("sqlalchemy")])
    assert "greenlet" in with_asyncio
    assert plain.keys() <= with_asyncio.keys()


@pytest.mark.parametrize(("text", "said"), [("no-such-thing", "is not installed"), ("httpx<0.1", "is asked for")])
def test_half_an_environment_is_not_locked(text: str, said: str) -> None:
    with pytest.raises(SystemExit, match=said):
        lock.closure([Requirement(text)])


def test_the_text_is_versions_and_nothing_else() -> None:
    assert lock.text_of({"b": "2", "a": "1.0"}) == f"{lock.HEADER}a==1.0\nb==2\n"
