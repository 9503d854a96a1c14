"""A real browser for tests: Chromium without a window, drawn by software."""

import json
import os
import shutil
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest
from PIL import Image

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
)
DRIVER = os.environ.get("CHROMEDRIVER") or shutil.which("chromedriver")
needs_chromium = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="there is no Chromium with chromedriver here (Debian: chromium, chromium-driver)"
)
OPTIONS = (
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=1280,1000",
    "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def start():
    """A browser that logs what it asks the network for."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = CHROMIUM
    for option in OPTIONS:
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(DRIVER))
    browser.set_script_timeout(60)
    return browser


def requests(browser):
    """Addresses that pages asked for, and of WebSockets, since the last time."""
    found = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            found.append(message["params"]["request"]["url"])
        elif message["method"] == "Network.webSocketCreated":
            found.append(message["params"]["url"])
    return found


def faults(browser):
    """What the page complained about."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def picture(browser, path, element=None):
    """(h, w, 3) what is seen of the page, or of an element."""
    if element is not None:
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    (element.screenshot if element is not None else browser.save_screenshot)(str(path))
    with Image.open(path) as image:
        image = np.asarray(image.convert("RGB")).astype(int)
    return image[:440] if element is not None else image  # a row more or less, depending on where the page is scrolled to


def settled(look, same=3):
    """A picture that has shapes in it and did not change a few times in a row."""
    seen = [look()]

    def still():
        seen.append(look())
        return len(seen) > same and np.ptp(seen[-1]) > 0 and all((x == seen[-1]).all() for x in seen[-same:])

    assert until(still, every=0.5)
    return seen[-1]


def until(condition, seconds=300.0, every=0.1):
    """Wait until a condition holds, however slow the machine is; its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(every)


def asked_elsewhere(browser, server):
    """Addresses that pages asked for since the last time, other than those of a server that is there."""
    urls = [url for url in requests(browser) if not url.startswith(("data:", "blob:"))]
    assert urls, "nothing was asked for at all"
    return [url for url in urls if url.split("/")[2] != f"127.0.0.1:{server.port}"]


@contextmanager
def page_of_a_stranger(script):
    """The address of a page of another site that runs a script; it notes in window.found what it could do."""

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<html><body><script>window.found = {{}};{script}</script></body></html>".encode())

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Stranger)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def found_by_a_stranger(browser, script, count):
    """What the script of such a page notes, when it has noted `count` things."""
    with page_of_a_stranger(script) as url:
        browser.get(url)
        return until(lambda: (f := browser.execute_script("return window.found")) and len(f) == count and f)
