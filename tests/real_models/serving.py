"""`transformers serve` on a folder of weights: a real server with the API of OpenAI, on a loopback port."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

START_S = 180


class Server(NamedTuple):
    """A running server: its address for `--base-url`, and the name that its model goes by."""

    base_url: str
    model: str


@contextmanager
def serving(model: Path, log: Path) -> Iterator[Server]:
    """Serve a model until the block ends.

    Args:
        model: Folder of the model, whose name the server gives it.
        log: File for what the server says.
    """
    port = _free_port()
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", model.name, "--device", "cpu"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    with open(log, "wb") as output:
        server = subprocess.Popen(command, cwd=model.parent, stdout=output, stderr=subprocess.STDOUT)
        try:
            _wait(server, f"http://127.0.0.1:{port}/health", log)
            yield Server(f"http://127.0.0.1:{port}/v1", model.name)
        finally:
            server.terminate()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _wait(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.2)
    raise RuntimeError(f"the server did not start:\n{log.read_text(errors='replace')}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
