"""The names of machines, topics and groups in the settings: libraries' log lines may show them."""

from __future__ import annotations

from urllib.parse import urlsplit

from streams.topics import Topics
from travelrule.library_messages import LibraryMessages
from travelrule.settings import Settings


def library_messages(settings: Settings) -> LibraryMessages:
    """What lines of libraries may name in this installation."""
    names = {settings.consumer_group, *Topics(settings.topic_prefix).specs()}
    urls = (settings.hub_url, settings.database_url, settings.public_url)
    hosts = {urlsplit(str(url)).hostname or "" for url in urls if url is not None}
    hosts |= {urlsplit(f"//{address}").hostname or "" for address in settings.broker_addresses}
    hosts |= {settings.metrics_listen.host, settings.gateway_listen.host, "localhost"}
    return LibraryMessages(names, hosts - {""})
