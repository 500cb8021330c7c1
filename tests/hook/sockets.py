"""Sockets of a knowledge base that others own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vouch_sidecar.surfaces.local.user_socket import socket_path

from tests.hook.conftest import Place


def socket_of(place: Place) -> Path:
    path = Path(socket_path(place.env))
    path.parent.mkdir(mode=0o700, exist_ok=True)
    return path


@contextmanager
def listening(path: Path, answer: bytes | None, hangs: bool = False) -> Iterator[None]:
    """A socket whose owner answers this and goes, or `hangs`; with None it never answers."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        over = threading.Event()

        def serve() -> None:
            try:
                connected, _ = listener.accept()
            except OSError:  # nobody came
                return
            with connected:
                connected.recv(1 << 16)
                if answer is not None:
                    connected.sendall(answer)
                if answer is None or hangs:
                    over.wait(10)
                else:
                    listener.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield
        over.set()
        with suppress(OSError):  # it is closed
            listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)
