"""A server of one page, as viewer and studio are: where it listens, its address, a browser for it, and until when it lasts."""

import abc
import contextlib
import socket
import sys
import threading
import time
import webbrowser

from locomote.view.gate import Gate, ViewerError

GONE = 3.0  # s without a page after which a server ends
EVERYWHERE = ("0.0.0.0", "", "::")


class PageServer(abc.ABC):
    """A server that is running. `url` is its address, `close()` ends it, `wait()` waits until its pages are closed."""

    def __init__(self, name: str, host: str, port: int, *, always: bool = False):
        """name : what it is called in sentences ; always : the token is needed on the local address too"""
        if not isinstance(port, int) or not 0 <= port <= 65535:
            raise ValueError(f"port is {port!r}, expected an integer from 0 (any that is free) to 65535")
        self.name, self.host, self.wanted, self.gate = name, host, port, Gate(host, always=always)
        self.port = free_port(host, port)
        self._seen, self._left, self._closed = False, 0.0, threading.Event()

    @abc.abstractmethod
    def is_seen(self) -> bool:
        """Whether a page is open."""

    @abc.abstractmethod
    def end(self) -> None:
        """End the server and everything that it started."""

    def listens(self, port: int) -> None:
        """Keep the port that it got, and say so if it is another one than was asked for."""
        self.gate.port = self.port = port
        if self.wanted not in (0, port):
            print(f"port {self.wanted} is taken; the {self.name} is at port {port}", file=sys.stderr)

    @property
    def url(self) -> str:
        """What to open in a browser."""
        shown = "127.0.0.1" if self.host in EVERYWHERE else f"[{self.host}]" if ":" in self.host else self.host
        token = "" if self.gate.is_local and not self.gate.always else f"?token={self.gate.secret}"
        return f"http://{shown}:{self.port}/{token}"

    @property
    def is_closed(self) -> bool:
        """Whether it has ended."""
        return self._closed.is_set()

    def came(self) -> None:
        """A page was opened."""
        self._seen = True

    def left(self) -> None:
        """A page was closed."""
        self._left = time.monotonic()

    def open_browser(self) -> None:
        """Open a browser, or say that there is none."""
        if not browser_opened(self.url):
            print(f"no browser could be opened; open {self.url} in one", file=sys.stderr)

    def stay(self) -> None:
        """Say where it is, and wait until its pages are closed, or Ctrl-C."""
        print(f"the {self.name} is at {self.url}; closing the page or Ctrl-C ends it", file=sys.stderr)
        with contextlib.suppress(KeyboardInterrupt):
            self.wait()
        self.close()

    def wait(self) -> None:
        """Until the page was opened and closed again, or `close` was called, or Ctrl-C."""
        try:
            while not self._closed.wait(0.2):
                if self._seen and not self.is_seen() and time.monotonic() - self._left > GONE:
                    break
        finally:
            self.close()

    def close(self) -> None:
        """End the server and everything that it started."""
        if not self._closed.is_set():
            self._closed.set()
            self.end()

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.close()


def browser_opened(url: str) -> bool:
    """Whether a browser took the address."""
    try:
        return webbrowser.open(url)
    except Exception:  # whatever a browser of the system does
        return False


def free_port(host: str, port: int) -> int:
    """The port if it is free, else 0, for any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if port == 0 or error.errno in (99, -2) or isinstance(error, socket.gaierror):
                raise ViewerError(f"this machine cannot listen on address {host!r}: {error.strerror or error}") from None
            return 0
    return port
