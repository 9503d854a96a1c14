"""Who may talk to the viewer: its own page only.

A page of another site could otherwise open a WebSocket to a port of this machine, since browsers allow that. So every
request is looked at before viser sees it:

    Host     must be this machine's name for the port, which stops names of others that point here
    Origin   must be the viewer itself where a browser says it, which it always does for a WebSocket
    token    where the viewer listens on other addresses than the local one, and for the studio: in the link, then in a cookie
"""

import contextlib
import hmac
import http
import http.cookies
import inspect
import json
import secrets
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

from locomote.errors import LocomoteError

LOCAL = ("127.0.0.1", "localhost", "::1")
COOKIE = "locomote"


class ViewerError(LocomoteError):
    """The viewer cannot be started. The message says why and what to do."""


class Gate:
    """Looks at each request to a viewer, refuses those of strangers, and answers those for curves.

    host : the address that the viewer listens on ; port : set when it is known
    always : the token is needed on the local address too
    pages : path -> function of the query that gives (content type, text)
    """

    def __init__(self, host: str, *, always: bool = False):
        self.always = always
        self.host, self.port, self.used = host, 0, False
        self.secret = secrets.token_urlsafe(18)
        self.is_local = host in LOCAL
        self.pages: dict[str, Callable[[dict[str, str]], tuple[str, str]]] = {}

    @property
    def hosts(self) -> set[str]:
        """What a Host header may be."""
        names = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        return names if self.is_local or self.host in ("0.0.0.0", "::", "") else names | {f"{self.host}:{self.port}"}

    def refusal(self, path: str, headers) -> str | None:
        """Why a request is refused, or None."""
        host, origin = headers.get("Host", ""), headers.get("Origin")
        if (self.is_local or self.host not in ("0.0.0.0", "::", "")) and host not in self.hosts:
            return "this viewer is called by another name"
        if origin is not None and origin != f"http://{host}":
            return "pages of other sites cannot use this viewer"
        if headers.get("Sec-Fetch-Site", "same-origin") == "cross-site" and headers.get("Sec-Fetch-Mode") != "navigate":
            return "pages of other sites cannot use this viewer"
        if (self.always or not self.is_local) and not self.knows(path, headers):
            return "this viewer needs the token that was printed with its address"
        return None

    def knows(self, path: str, headers) -> bool:
        """Whether a request has the token, in its link or in a cookie."""
        query = parse_qs(urlsplit(path).query)
        cookies = http.cookies.SimpleCookie()
        with contextlib.suppress(http.cookies.CookieError):
            cookies.load(headers.get("Cookie", ""))
        given = query.get("token", [""])[0] or (cookies[COOKIE].value if COOKIE in cookies else "")
        return hmac.compare_digest(given.encode(), self.secret.encode())

    def answer(self, path: str) -> tuple[http.HTTPStatus, str, str] | None:
        """Status, content type and text for a request of our own pages; None if it is viser's."""
        parts = urlsplit(path)
        if not parts.path.startswith("/locomote/"):
            return None
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if not hmac.compare_digest(query.get("key", "").encode(), self.secret.encode()):
            return http.HTTPStatus.FORBIDDEN, "text/plain", "wrong key"
        page = self.pages.get(parts.path)
        if page is None:
            return http.HTTPStatus.NOT_FOUND, "text/plain", "no such page"
        try:
            return http.HTTPStatus.OK, *page(query)
        except (ValueError, KeyError) as error:
            return http.HTTPStatus.BAD_REQUEST, "text/plain", str(error)

    @contextlib.contextmanager
    def in_front(self) -> Iterator[None]:
        """While this lasts, a viser server that starts asks this gate first."""
        import websockets.asyncio.server as module
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        serve, gate = module.serve, self

        def reply(status: http.HTTPStatus, kind: str, text: str) -> Response:
            body = text.encode()
            headers = Headers([("Content-Type", f"{kind}; charset=utf-8"), ("Content-Length", str(len(body)))])
            headers["Cache-Control"] = "no-store"
            headers["Connection"] = "close"
            return Response(status.value, status.phrase, headers, body)

        def guarded(handler, *args, process_request=None, **options):
            if not getattr(handler, "__module__", "").startswith("viser"):
                return serve(handler, *args, process_request=process_request, **options)
            gate.used = True

            async def asked(connection, request):
                refusal = gate.refusal(request.path, request.headers)
                if refusal is not None:
                    return reply(http.HTTPStatus.FORBIDDEN, "text/plain", refusal)
                own = gate.answer(request.path)
                if own is not None:
                    return reply(*own)
                found = process_request(connection, request) if process_request is not None else None
                if inspect.isawaitable(found):
                    found = await found
                if found is not None and not gate.is_local and "token" in parse_qs(urlsplit(request.path).query):
                    found.headers["Set-Cookie"] = f"{COOKIE}={gate.secret}; HttpOnly; SameSite=Strict; Path=/"
                return found

            return serve(handler, *args, process_request=asked, **options)

        module.serve = guarded
        try:
            yield
        finally:
            module.serve = serve


def as_json(data) -> tuple[str, str]:
    """Content type and text of data."""
    return "application/json", json.dumps(data, allow_nan=False)
