"""Who may talk to the viewer: over real sockets, with the headers that browsers send for pages of other sites."""

import asyncio
import http.client
import socket

import pytest

import locomote as lo
from locomote.view.gate import Gate, ViewerError
from locomote.view.viewer import view_model

pytest.importorskip("viser")
websockets = pytest.importorskip("websockets")


@pytest.fixture(scope="module")
def viewer():
    with view_model(lo.systems.load("simple_pendulum").model, browser=False, wait=False, port=0) as running:
        yield running


def asked(viewer, path="/", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=300)
    connection.request("GET", path, headers={"Host": f"127.0.0.1:{viewer.port}"} | headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def connected(viewer, **headers):
    """Whether a WebSocket with these headers is taken."""

    async def go():
        address, protocol = f"ws://127.0.0.1:{viewer.port}", [f"viser-v{__import__('viser').__version__}"]
        origin = headers.pop("Origin", None)
        async with websockets.connect(
            address, origin=origin, subprotocols=protocol, additional_headers=headers, open_timeout=300
        ):
            return True

    try:
        return asyncio.run(go())
    except websockets.exceptions.InvalidStatus as refused:
        assert refused.response.status_code == 403
        return False


def test_its_own_page(viewer):
    status, body = asked(viewer)
    assert status == 200 and b"<html" in body.lower()
    assert connected(viewer, Origin=f"http://127.0.0.1:{viewer.port}")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1", "null", "http://127.0.0.1:1", "http://localhost.evil.example"]
)
def test_pages_of_other_sites_are_refused(viewer, origin):
    assert not connected(viewer, Origin=origin)
    assert asked(viewer, Origin=origin)[0] == 403


def test_a_name_that_points_here_is_refused(viewer):
    """As when the name of another site is made to mean this machine."""
    assert asked(viewer, Host=f"evil.example:{viewer.port}")[0] == 403
    assert asked(viewer, Host=f"localhost:{viewer.port}")[0] == 200


def test_scripts_of_other_sites_are_refused(viewer):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert asked(viewer, **headers)[0] == 403


def test_our_own_pages_need_their_key(viewer):
    assert asked(viewer, "/locomote/time?key=wrong")[0] == 403
    assert asked(viewer, f"/locomote/nothing?key={viewer.gate.secret}")[0] == 404


def test_it_listens_on_the_local_address_only(viewer):
    listening = [line.split()[1] for line in open("/proc/net/tcp") if line.split()[3] == "0A"]
    own = [place for place in listening if place.endswith(f":{viewer.port:04X}")]
    assert own == [f"0100007F:{viewer.port:04X}"]


def test_other_addresses_need_the_token():
    with view_model(lo.systems.load("simple_pendulum").model, browser=False, wait=False, port=0, host="0.0.0.0") as viewer:
        assert "?token=" in viewer.url
        assert asked(viewer)[0] == 403 and asked(viewer, "/?token=wrong")[0] == 403
        assert asked(viewer, f"/?token={viewer.gate.secret}")[0] == 200
        assert asked(viewer, Cookie=f"locomote={viewer.gate.secret}")[0] == 200
        own = f"http://127.0.0.1:{viewer.port}"
        assert not connected(viewer, Origin=own)
        assert connected(viewer, Origin=own, Cookie=f"locomote={viewer.gate.secret}")
        assert not connected(viewer, Origin="http://evil.example", Cookie=f"locomote={viewer.gate.secret}")


def test_a_taken_port_is_replaced_and_said(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with view_model(lo.systems.load("simple_pendulum").model, browser=False, wait=False, port=port) as viewer:
            assert viewer.port != port
    assert f"port {port} is taken; the viewer is at port {viewer.port}" in capsys.readouterr().err


def test_an_address_of_somebody_else():
    with pytest.raises(ViewerError, match="cannot listen on address '203.0.113.7'"):
        view_model(lo.systems.load("simple_pendulum").model, browser=False, wait=False, port=0, host="203.0.113.7")


def test_closing_leaves_nothing(viewer):
    import threading

    before = set(threading.enumerate())
    one = view_model(lo.systems.load("simple_pendulum").model, browser=False, wait=False, port=0)
    one.close()
    one.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
    left = [thread for thread in set(threading.enumerate()) - before if not thread.daemon and "ThreadPool" not in thread.name]
    assert not left and "closed" in repr(one)
    with socket.socket() as free:
        assert free.connect_ex(("127.0.0.1", one.port)) != 0


def test_a_viser_that_cannot_be_guarded_is_not_started(monkeypatch):
    import contextlib

    monkeypatch.setattr(Gate, "in_front", lambda self: contextlib.nullcontext())
    with pytest.raises(ViewerError, match="cannot be guarded"):
        view_model(lo.systems.load("simple_pendulum").model, browser=False, wait=False, port=0)
