"""A Kubernetes control plane on loopback: etcd, API server, controllers, scheduler, and kwok for the nodes."""

from __future__ import annotations

import json
import secrets
import ssl
import time
from pathlib import Path

import httpx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.helm.cluster.api import Api
from tests.helm.cluster.programs import Programs
from tests.services.ports import free_port
from tests.services.process import ServiceError, ServiceProcess

ZONES = ("a", "b", "c")
_READY_SECONDS = 120.0


class ControlPlane:
    """Its processes belong to ``directory``; they end with ``owner`` or by ``stop``."""

    def __init__(self, programs: Programs, directory: Path, owner: int) -> None:
        self._programs = programs
        self._directory = directory
        self._owner = owner
        self._token = secrets.token_hex(16)
        self._etcd_port, self._peer_port, self._port = free_port(), free_port(), free_port()
        self._processes: list[ServiceProcess] = []
        self.kubeconfig = directory / "kubeconfig"
        self.url = f"https://127.0.0.1:{self._port}"

    def start(self) -> Api:
        """Start everything; return when the nodes are ready."""
        self._directory.mkdir(parents=True)
        self._write_keys()
        self._start_etcd()
        self._start_api_server()
        api = Api(self.url, self._token, self._context())
        self._start_controllers()
        self._add_nodes(api)
        return api

    def stop(self) -> None:
        """End all processes, those started last first. The data are thrown away, so nothing is asked to be orderly."""
        for process in reversed(self._processes):
            process.kill()

    def log_tails(self) -> str:
        """The last lines that each process wrote."""
        return "\n".join(f"== {one.directory.name}\n{one.log_tail(4)}" for one in self._processes)

    def _write_keys(self) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        (self._directory / "accounts.key").write_bytes(private)
        (self._directory / "accounts.pub").write_bytes(public)
        (self._directory / "tokens.csv").write_text(f'{self._token},admin,admin,"system:masters"\n', encoding="utf-8")
        self.kubeconfig.write_text(json.dumps(self._client_settings()), encoding="utf-8")
        self.kubeconfig.chmod(0o600)

    def _client_settings(self) -> dict[str, object]:
        authority = str(self._directory / "certificates" / "apiserver.crt")
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": {"server": self.url, "certificate-authority": authority}}],
            "users": [{"name": "admin", "user": {"token": self._token}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin"}}],
            "current-context": "test",
        }

    def _start_etcd(self) -> None:
        client, peer = (f"http://127.0.0.1:{port}" for port in (self._etcd_port, self._peer_port))
        command = [str(self._programs.etcd / "etcd"), "--name=test", f"--data-dir={self._directory / 'etcd-data'}"]
        command += [f"--listen-client-urls={client}", f"--advertise-client-urls={client}", "--unsafe-no-fsync"]
        command += [f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}"]
        command += [f"--initial-cluster=test={peer}", "--log-level=warn"]
        self._start("etcd", command, f"{client}/health")

    def _start_api_server(self) -> None:
        certificates = self._directory / "certificates"
        options = {
            "etcd-servers": f"http://127.0.0.1:{self._etcd_port}",
            "service-account-key-file": self._directory / "accounts.pub",
            "service-account-signing-key-file": self._directory / "accounts.key",
            "service-account-issuer": "https://kubernetes.default.svc",
            "authorization-mode": "RBAC",
            "token-auth-file": self._directory / "tokens.csv",
            "cert-dir": certificates,
            "service-cluster-ip-range": "10.96.0.0/16",
            "bind-address": "127.0.0.1",
            "advertise-address": "127.0.0.1",
            "secure-port": self._port,
            "endpoint-reconciler-type": "none",
        }
        self._start("kube-apiserver", self._command("kube-apiserver", options), f"{self.url}/readyz")

    def _start_controllers(self) -> None:
        own = {"kubeconfig": self.kubeconfig, "leader-elect": "false", "secure-port": 0}
        accounts = {"service-account-private-key-file": self._directory / "accounts.key"}
        accounts["root-ca-file"] = self._directory / "certificates" / "apiserver.crt"
        self._start("kube-controller-manager", self._command("kube-controller-manager", own | accounts))
        self._start("kube-scheduler", self._command("kube-scheduler", own))
        kwok = [str(self._programs.kwok / "kwok"), f"--kubeconfig={self.kubeconfig}", "--manage-all-nodes=true"]
        kwok.append("--node-lease-duration-seconds=40")  # without leases the controllers take the nodes for lost
        self._start("kwok", kwok)

    def _command(self, name: str, options: dict[str, object]) -> list[str]:
        return [str(self._programs.kubernetes / name), *(f"--{key}={value}" for key, value in options.items())]

    def _start(self, name: str, command: list[str], url: str | None = None) -> None:
        process = ServiceProcess(self._directory / name, name, self._owner)
        process.directory.mkdir()
        self._processes.append(process)
        process.start(command, lambda: process.running() is not None and self._answers(url), _READY_SECONDS)

    def _answers(self, url: str | None) -> bool:
        """Whether the page answers 200; without a page the controllers' work shows later whether they run."""
        if url is None:
            return True
        verify = self._context() if url.startswith("https") and self._certificate().exists() else False
        try:
            with httpx.Client(verify=verify, headers={"authorization": f"Bearer {self._token}"}) as client:
                return client.get(url, timeout=2).is_success
        except (httpx.HTTPError, ssl.SSLError):
            return False

    def _certificate(self) -> Path:
        return self._directory / "certificates" / "apiserver.crt"

    def _context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self._certificate()))

    def _add_nodes(self, api: Api) -> None:
        for zone in ZONES:
            labels = {"topology.kubernetes.io/zone": zone, "kubernetes.io/hostname": f"node-{zone}"}
            labels |= {"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
            api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{zone}", "labels": labels}})
        deadline = time.monotonic() + _READY_SECONDS
        while not all(_ready(node) for node in api.list("v1", "nodes")):
            if time.monotonic() > deadline:
                raise ServiceError(f"the nodes were not ready after {_READY_SECONDS} s\n{self.log_tails()}")
            time.sleep(0.2)  # between two real questions to the server


def _ready(node: dict[str, object]) -> bool:
    conditions = node.get("status", {}).get("conditions", [])  # type: ignore[attr-defined]
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
