from __future__ import annotations

import pytest
from faust.types.enums import ProcessingGuarantee

import agents
from schemas.registry import TOPICS
from streams.app import EMBEDDED_TIMING, create_app
from streams.connection import Connection
from streams.delivery import Inlet
from streams.progress import CommitProgress
from streams.topics import Topics
from travelrule.settings import Settings

CONNECTION = Connection(("127.0.0.1:1",))


def test_the_settings_that_the_guarantees_rest_on() -> None:
    app = create_app(Settings(consumer_group="north"), CONNECTION)
    conf = app.conf
    assert conf.id == "north"
    assert str(conf.processing_guarantee) == str(ProcessingGuarantee.AT_LEAST_ONCE)
    assert not conf.topic_allow_declare
    assert conf.topic_disable_leader
    assert conf.table_standby_replicas == 0
    assert conf.stream_wait_empty
    assert not any((conf.web_enabled, conf.web_tables_enabled, conf.web_router_enabled))
    assert conf.broker_session_timeout < conf.broker_request_timeout
    assert conf.consumer_group_instance_id is None


def test_static_membership_takes_the_name_of_the_setting() -> None:
    app = create_app(Settings(consumer_instance_id="north-travelrule-worker-0"), CONNECTION)
    assert app.conf.consumer_group_instance_id == "north-travelrule-worker-0"


def test_the_environment_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # What Kubernetes sets for services named ``web`` and ``broker``, and Faust's own names.
    for name, value in {
        "WEB_PORT": "tcp://10.0.0.1:80",
        "BROKER_URL": "kafka://elsewhere",
        "WEB_ENABLED": "yes",
        "PROCESSING_GUARANTEE": "exactly_once",
        "STREAM_BUFFER_MAXSIZE": "1",
    }.items():
        monkeypatch.setenv(name, value)
    conf = create_app(Settings(), CONNECTION).conf
    assert [url.host for url in conf.broker] == ["127.0.0.1"]
    assert not conf.web_enabled
    assert conf.stream_buffer_maxsize > 1
    assert str(conf.processing_guarantee) == str(ProcessingGuarantee.AT_LEAST_ONCE)


def test_a_mock_cluster_needs_short_sessions() -> None:
    app = create_app(Settings(), Connection(("127.0.0.1:1",), embedded=True))
    assert app.conf.broker_session_timeout == EMBEDDED_TIMING.session_s


def test_each_agent_reads_raw_bytes_of_one_input_topic_one_at_a_time() -> None:
    app, topics = create_app(Settings(), CONNECTION), Topics("north.")

    async def put(_: object) -> None:
        return

    agents.register_all(app, topics, Inlet(topics, put, CommitProgress(), lambda _: None))
    app.finalize()
    consumed = [name for agent in app.agents.values() for name in agent.channel.topics]
    assert sorted(consumed) == sorted(topics.physical(name) for name in agents.AGENTS)
    assert all(TOPICS[name].direction == "in" for name in agents.AGENTS)
    for name, agent in app.agents.items():
        assert topics.physical(name) in agent.channel.topics
        assert agent.concurrency == 1
        assert (agent.channel.key_serializer, agent.channel.value_serializer) == ("raw", "raw")


def test_names_with_and_without_prefix() -> None:
    topics = Topics("north.travelrule.")
    assert topics.logical(topics.physical("txids")) == "txids"
    assert len(topics.specs()) == len(TOPICS)
    assert all(name.startswith("north.travelrule.") for name in topics.inputs())
    for foreign in ("txids", "south.travelrule.txids", "north.travelrule.nothing"):
        with pytest.raises(KeyError):
            topics.logical(foreign)
