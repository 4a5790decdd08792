"""A real Kafka that grants no right but by the lines of ``docs/generated/access.md``."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)

from schemas.topic_access import PRINCIPALS
from scripts.access import acl_lines
from streams.connection import Connection, Sasl
from tests.services.kafka import admin_client
from tests.services.secured_kafka import PASSWORD, SecuredKafka

OPERATIONS = {
    "Read": AclOperation.READ,
    "Write": AclOperation.WRITE,
    "Describe": AclOperation.DESCRIBE,
    "DescribeConfigs": AclOperation.DESCRIBE_CONFIGS,
    "Create": AclOperation.CREATE,
    "Alter": AclOperation.ALTER,
    "AlterConfigs": AclOperation.ALTER_CONFIGS,
}


class AuthorizingKafka(SecuredKafka):
    """``bootstrap`` is the tests' own way in; every principal has a login with ``PASSWORD``."""

    users = tuple(PRINCIPALS)

    def __init__(self, directory: Path, owner: int) -> None:
        super().__init__(directory, owner)
        file = directory / "server.properties"
        authorizer = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
        file.write_text(f"{file.read_text()}authorizer.class.name={authorizer}\nsuper.users=User:ANONYMOUS\n")

    def grant(
        self, prefix: str = "travelrule.", group: str = "travelrule", users: Mapping[str, str] | None = None
    ) -> None:
        """Run the lines, with the replacements that the page asks for; ``users``: a name at the broker by principal."""
        granted = bindings(prefix, group, users or {})
        admin = admin_client(self.bootstrap)
        for future in admin.create_acls(list(granted)).values():
            future.result(timeout=30)
        self._until(lambda in_force: granted <= in_force)

    def revoke(self, principal: str, operation: str, kind: ResourceType, name: str) -> None:
        """Take one right away; ``grant`` gives it back."""
        right = (f"User:{principal}", "*", OPERATIONS[operation], AclPermissionType.ALLOW)
        taken = AclBindingFilter(kind, name, ResourcePatternType.LITERAL, *right)
        admin = admin_client(self.bootstrap)
        (future,) = admin.delete_acls([taken]).values()
        removed = set(future.result(timeout=30))
        assert len(removed) == 1, "it had this right"
        self._until(lambda in_force: not removed & in_force)

    def _until(self, settled: Callable[[set[AclBinding]], bool]) -> None:
        """Return when the authorizer decides by what was changed: the controller answers earlier."""
        every = (ResourceType.ANY, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY)
        admin, deadline = admin_client(self.bootstrap), time.monotonic() + 60
        while not settled(set(admin.describe_acls(AclBindingFilter(*every)).result(timeout=30))):
            assert time.monotonic() < deadline, "the change of rights is not in force"
            time.sleep(0.05)

    def connection(self, principal: str) -> Connection:
        """A connection as this principal."""
        return Connection((self.login,), sasl=Sasl("PLAIN", principal, PASSWORD))

    def settings(self, principal: str) -> dict[str, str]:
        """The settings of one of our processes that logs in as this principal."""
        return {
            "BROKER_URL": f"kafka://{self.login}",
            "BROKER_SASL_MECHANISM": "PLAIN",
            "BROKER_SASL_USERNAME": principal,
            "BROKER_SASL_PASSWORD": PASSWORD,
            "TOPIC_PREFIX": "travelrule.",
            "CONSUMER_GROUP": "travelrule",
        }


def bindings(prefix: str, group: str, users: Mapping[str, str]) -> set[AclBinding]:
    """What the lines of the page say, for one installation."""
    found = set()
    for given in acl_lines():
        line = given.replace("--topic travelrule.", f"--topic {prefix}")
        line = re.sub(r"--group travelrule$", f"--group {group}", line)
        line = re.sub(r"User:(\S+)", lambda user: f"User:{users.get(user[1], user[1])}", line)
        (principal,) = re.findall(r"--allow-principal (\S+)", line)
        for operation in re.findall(r"--operation (\S+)", line):
            for kind, name in re.findall(r"--(topic|group) (\S+)", line):
                found.add(
                    AclBinding(
                        ResourceType.TOPIC if kind == "topic" else ResourceType.GROUP,
                        name,
                        ResourcePatternType.LITERAL,
                        principal,
                        "*",
                        OPERATIONS[operation],
                        AclPermissionType.ALLOW,
                    )
                )
    return found
