"""Look through the built site in a browser: `python docs/browse_site.py build/docs [PAGE ...]`; all pages if none is named.

Chromium opens every page, as wide as a desk and as narrow as a phone. A fault is a page that complains, that is wider than the
phone, that has a picture which does not load, or that asks for anything outside of the folder. Then a search is typed, a
result opened, and from the front page each part of the site is reached by clicks.
"""

import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))
chromium = importlib.import_module("chromium")

WIDTHS = {"desk": (1280, 900), "phone": (390, 844)}  # pixels
PARTS = ("Learn", "Do", "Know", "Look up")
WORDS = {
    "snakeboard": "systems/snakeboard.html",
    "inverse_dynamics": "api/dynamics.html",
}  # what is looked for -> what is found
WIDER = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
BROKEN = """return Array.from(document.images)
    .filter(i => i.complete && !i.naturalWidth && i.getAttribute("loading") !== "lazy").map(i => i.getAttribute("src"))"""


def seen_as(browser, width: int, height: int) -> None:
    """Let the page be as large as a window of this kind, pixels."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def faults_of(browser, page: Path, site: Path) -> list[str]:
    """What is wrong with a page at a width."""
    browser.get(page.as_uri())
    found = [f"complains: {line[:160]}" for line in chromium.faults(browser)]
    if (wider := browser.execute_script(WIDER)) > 0:
        found.append(f"is {wider} pixels wider than the window")
    found += [f"lacks {source}" for source in browser.execute_script(BROKEN)]
    inside = (site.as_uri(), "data:", "blob:", "about:")
    return found + [f"asks for {url}" for url in chromium.requests(browser) if not url.startswith(inside)]


def walks(browser, site: Path) -> list[str]:
    """Searches and clicks from the front page: what does not lead where it should."""
    found = []
    seen_as(browser, *WIDTHS["desk"])
    for part in PARTS:
        browser.get((site / "index.html").as_uri())
        browser.find_element("link text", part).click()
        if not chromium.until(lambda part=part: browser.find_element("tag name", "h1").text.startswith(part), 10):
            found.append(f"the front page does not lead to {part}")
    for word, target in WORDS.items():
        browser.get((site / "search.html").as_uri() + f"?q={word}")

        def links() -> list[str]:
            return [link.get_attribute("href") for link in browser.find_elements("css selector", "ul.search li a")]

        if not chromium.until(lambda target=target: any(target in href for href in links()), 20):
            found.append(f"a search for {word} does not find {target}")
    return found


def main() -> int:
    """All faults, one a line; how many there are."""
    site = Path(sys.argv[1]).resolve()
    every = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]  # templates of the theme
    pages = [site / name for name in sys.argv[2:]] or every
    browser, found = chromium.start(), []
    try:
        for width, size in WIDTHS.items():
            seen_as(browser, *size)
            for page in pages:
                found += [f"{page.relative_to(site)} ({width}) {fault}" for fault in faults_of(browser, page, site)]
        found += walks(browser, site)
    finally:
        browser.quit()
    print(*found, f"{len(pages)} pages looked through at {len(WIDTHS)} widths, {len(found)} faults", sep="\n")
    return len(found)


if __name__ == "__main__":
    sys.exit(bool(main()))
