"""The studio's server: it listens on the local address, and answers its own page only.

Every request is looked at by the gate of the viewer (Host, Origin, token). What changes something is asked for by POST with
JSON, which pages of other sites cannot send. Files are those of the working folder.
"""

import contextlib
import http
import json
import os
import secrets
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from locomote.cli.studio.work import RESULT, SUFFIXES
from locomote.cli.studio.workers import Job, Jobs
from locomote.errors import LocomoteError
from locomote.formats import registry
from locomote.systems import catalogue
from locomote.view.gate import LOCAL, ViewerError
from locomote.view.page_server import PageServer
from locomote.view.page_words import as_script

BEAT = 1.0  # s between looks whether a tab is still there
LARGEST = 8_000_000  # bytes of a request
FILES, DEEP = 200, 4  # model files that are listed, and how many folders deep they are looked for
QUICK = 60.0  # s for the form of a model
TABS = 20  # at once
POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Wrong(ValueError):
    """A request that makes no sense; the page shows the sentence."""


class Studio(PageServer):
    """A studio that is running. `url` is its address, `close()` ends it, `wait()` waits until its last tab is closed."""

    def __init__(self, folder: Path, *, host: str = "127.0.0.1", port: int = 0):
        if host not in LOCAL:
            raise ViewerError(f"the studio runs and writes files, so it listens on the local address only, not on {host!r}")
        self.folder = folder.resolve()
        if not self.folder.is_dir():
            raise ViewerError(f"{folder} is no folder to work in")
        super().__init__("studio", host, port, always=True)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        server = type("Server", (ThreadingHTTPServer,), {"daemon_threads": True, "address_family": family})
        self.server = server((host, self.port), type("Page", (Page,), {"studio": self}))
        self.listens(int(self.server.server_address[1]))
        self.jobs = Jobs(self.folder)
        self.dropped = self.jobs.home / "dropped"
        self.dropped.mkdir()
        self.tabs: set[str] = set()
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.1,), daemon=True, name="studio")
        self._thread.start()

    def is_seen(self) -> bool:
        """Whether a tab is open."""
        return bool(self.tabs)

    def end(self) -> None:
        """End the server and everything that it started."""
        self.server.shutdown()
        self.server.server_close()
        self.jobs.close()

    # what the page asks for

    def catalogue(self) -> dict[str, Any]:
        """All systems by groups, and the model files of the folder."""
        groups = {group: {name: catalogue.title(name) for name in names} for group, names in catalogue.groups().items()}
        return {"groups": groups, "also": catalogue.ALSO, "files": self.files(), "folder": self.folder.name}

    def files(self) -> list[str]:
        """Model files of the working folder, as paths in it."""
        known, found = tuple(x for x in registry.suffixes() if x not in (".csv", ".json")), []
        for above, folders, names in os.walk(self.folder):
            depth = len(Path(above).relative_to(self.folder).parts)
            folders[:] = sorted(x for x in folders if not x.startswith(".") and x != "node_modules")[
                : 50 if depth < DEEP else 0
            ]
            for name in sorted(names):
                if name.lower().endswith(known):
                    found.append((Path(above) / name).relative_to(self.folder).as_posix())
                    if len(found) >= FILES:
                        return found
        return found

    def what(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What a tab means: a system, a file of the folder, or the text of a file that was dropped on the page."""
        if "system" in asked:
            catalogue.title(asked["system"])
            return {"what": {"system": asked["system"]}}
        name = asked.get("file", asked.get("dropped"))
        if not isinstance(name, str) or not name or len(name) > 300 or "\0" in name:
            raise Wrong("which file?")
        if Path(name).suffix.lower() not in registry.suffixes():
            raise Wrong(f"{name!r:.80} is no model file; expected one of {', '.join(registry.suffixes())}")
        if "file" in asked:
            path = (self.folder / name).resolve()
            if not path.is_relative_to(self.folder) or not path.is_file():
                raise Wrong(f"there is no file {name!r:.80} in the working folder")
            return {"what": {"file": str(path), "said": path.relative_to(self.folder).as_posix()}}
        text = asked.get("text")
        if not isinstance(text, str):
            raise Wrong("the file that was dropped has no text")
        plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in Path(name).name)[-80:]
        path = self.dropped / secrets.token_hex(8) / plain
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        return {"what": {"file": str(path), "said": plain}, "dropped": str(path.parent)}

    def look(self, tab: str, asked: dict[str, Any]) -> dict[str, Any]:
        """The form of what was chosen."""
        order = self.what(asked)
        job = self.jobs.add(tab, {"do": "look"} | order)
        if not job.ended.wait(QUICK):
            self.jobs.stop(job)
            raise Wrong("looking at this model takes too long; locomote info FILE says more")
        if job.state != "done":
            raise Wrong(job.message)
        return job.found | {"of": order["what"].get("said", order["what"].get("system")), "looked": job.number}

    def run(self, tab: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Start a run of what was looked at, with values."""
        seen, values = self.jobs.of(tab, asked.get("looked")), asked.get("values", {})
        if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
            raise Wrong("expected values by name")
        order = {key: seen.order[key] for key in ("what", "dropped") if key in seen.order}
        return self.jobs.add(tab, {"do": "run", "values": values} | order).told()

    def save(self, tab: str, asked: dict[str, Any]) -> dict[str, Any]:
        """A file about a run into the working folder."""
        job, kind = self.finished(tab, asked.get("job")), asked.get("kind")
        if kind not in SUFFIXES:
            raise Wrong(f"expected one of {', '.join(SUFFIXES)}")
        what = job.order["what"]
        name = what.get("system") or Path(what["said"]).stem
        kept = self.jobs.add(tab, {"do": "save", "kind": kind, "name": name}, of=job)
        kept.ended.wait(QUICK)
        if kept.state != "done":
            raise Wrong(kept.message or "writing takes too long")
        return kept.found

    def finished(self, tab: str, number: Any) -> Job:
        """A run of a tab that has a result."""
        job = self.jobs.of(tab, number)
        if job.state != "done" or job.order["do"] != "run":
            raise Wrong("this run has no result")
        return job

    def stop(self, tab: str, asked: dict[str, Any]) -> dict[str, Any]:
        """End a run."""
        job = self.jobs.of(tab, asked.get("job"))
        self.jobs.stop(job)
        return job.told()

    # tabs

    def come(self, tab: str) -> None:
        if len(self.tabs) >= TABS:
            raise Wrong(f"there are {TABS} tabs already; close some")
        self.tabs.add(tab)
        self.came()

    def go(self, tab: str) -> None:
        self.tabs.discard(tab)
        self.left()
        self.jobs.leave(tab)


class Page(BaseHTTPRequestHandler):
    """One request."""

    studio: Studio
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "locomote", ""
    timeout = 120

    def do_GET(self) -> None:
        query = self._admitted()
        if query is None:
            return
        path, tab, studio = urlsplit(self.path).path, query.get("tab", ""), self.studio
        with self._answers():
            if path == "/":
                self._page()
            elif path == "/catalogue":
                self._json(studio.catalogue())
            elif path == "/picture":
                catalogue.title(query.get("name", ""))
                picture = resources.files("locomote.cli.studio") / "pages" / "pictures" / f"{query['name']}.webp"
                self._send(picture.read_bytes() if picture.is_file() else b"", "image/webp")
            elif path == "/job":
                self._json(studio.jobs.of(tab, int(query.get("job", "0"))).told())
            elif path == "/result":
                job = studio.finished(tab, int(query.get("job", "0")))
                self._send((job.place / RESULT).read_bytes(), "application/json")
            elif path == "/here":
                self._stay(tab)
            else:
                self._send(b"no such page", "text/plain", http.HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        query = self._admitted()
        if query is None:
            return
        tab, studio = query.get("tab", ""), self.studio
        does = {"/look": studio.look, "/run": studio.run, "/save": studio.save, "/stop": studio.stop}
        with self._answers():
            size = self.headers.get("Content-Length", "")
            if self.headers.get("Origin") is None or self.headers.get_content_type() != "application/json":
                self._refuse("expected JSON from the studio's own page")
            elif not size.isdecimal() or int(size) > LARGEST:
                self._refuse(f"requests are at most {LARGEST // 1000000} MB")
            else:
                asked = json.loads(self.rfile.read(int(size)))
                does_it = does.get(urlsplit(self.path).path)
                if does_it is None or tab not in studio.tabs or not isinstance(asked, dict):
                    raise Wrong("the studio does not know this tab or this request; load the page again")
                self._json(does_it(tab, asked))

    # how it answers

    def _admitted(self) -> dict[str, str] | None:
        """The query, if the gate lets the request in; it is refused otherwise."""
        why = self.studio.gate.refusal(self.path, self.headers)
        if why is not None:
            self._refuse(why)
            return None
        return {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()}

    @contextlib.contextmanager
    def _answers(self):
        """Expected faults become sentences for the page."""
        try:
            yield
        except (BrokenPipeError, ConnectionError, TimeoutError):
            self.close_connection = True
        except (LocomoteError, ValueError, KeyError, OSError) as error:
            text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
            self._json({"refused": text}, http.HTTPStatus.BAD_REQUEST)

    def _page(self) -> None:
        nonce = secrets.token_urlsafe(12)
        own, shared = resources.files("locomote.cli.studio") / "pages", resources.files("locomote.view") / "pages"
        script = "\n".join(
            x.read_text(encoding="utf-8") for x in (shared / "scene.js", shared / "curves.js", own / "studio.js")
        )
        page = (own / "studio.html").read_text(encoding="utf-8").replace("<!--NONCE-->", nonce)
        data = as_script({"token": self.studio.gate.secret, "tab": secrets.token_urlsafe(9)})
        page = page.replace("<!--SCRIPT-->", script, 1).replace("<!--DATA-->", data, 1)
        self._send(page.encode(), "text/html", policy=POLICY.format(nonce=nonce))

    def _stay(self, tab: str) -> None:
        """A line that is open as long as the tab is; a beat now and then tells when it has gone."""
        if not 4 <= len(tab) <= 40:
            raise Wrong("which tab?")
        self.studio.come(tab)
        try:
            self._head("text/event-stream")
            while not self.studio.is_closed:
                self.wfile.write(b": here\n\n")
                self.wfile.flush()
                time.sleep(BEAT)
            self.wfile.write(b"event: closed\ndata: closed\n\n")
        finally:
            self.close_connection = True
            self.studio.go(tab)

    def _json(self, data: Any, status: http.HTTPStatus = http.HTTPStatus.OK) -> None:
        self._send(json.dumps(data, allow_nan=False).encode(), "application/json", status)

    def _refuse(self, why: str) -> None:
        self.close_connection = True
        self._send(why.encode(), "text/plain", http.HTTPStatus.FORBIDDEN)

    def _send(self, body: bytes, kind: str, status: http.HTTPStatus = http.HTTPStatus.OK, policy: str = "") -> None:
        self._head(kind, status, len(body), policy)
        self.wfile.write(body)

    def _head(self, kind: str, status: http.HTTPStatus = http.HTTPStatus.OK, size: int | None = None, policy: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind if kind.startswith("image/") else f"{kind}; charset=utf-8")
        if size is not None:
            self.send_header("Content-Length", str(size))
        else:
            self.send_header("Connection", "close")
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Content-Security-Policy", policy or "default-src 'none'; frame-ancestors 'none'")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""
