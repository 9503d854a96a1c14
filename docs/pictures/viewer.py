"""Pictures of systems in the real viewer, to look at: `python docs/pictures/viewer.py [NAME ...]`, in build/viewer.

Chromium without a window opens the viewer on a run of each system, goes to a share of its time, waits until the scene stands
still, and takes a picture of the page. Printed is how long the page took to show something, and what it complained about.
"""

import importlib
import sys
import time
from pathlib import Path

import locomote as lo
from locomote.systems.catalogue import pictured
from locomote.view.viewer import view

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))
chromium = importlib.import_module("chromium")

OUT = ROOT / "build" / "viewer"
SIZE, SHARE = (1100, 700), 0.55  # pixels; of the time of a run
SCENE = 700  # pixels of its width that show the scene, not the panel
SYSTEMS = (
    "snakeboard bicycle acm_snake hexapod hrp2_like compass_walker pendular_climber fish eel dead_fish jellyfish "
    "purcell_swimmer hovering_moth space_robot octopus_arm soft_quadruped ground_snake parallel_continuum puma box_stack"
).split()


def look(browser, name: str) -> tuple[float, list[str]]:
    """Take the picture of a system; seconds until its scene stood still, and complaints of the page."""
    path = OUT / f"{name}.png"
    with view(pictured(lo.systems.load(name)), browser=False, wait=False, port=0) as viewer:
        start = time.perf_counter()
        browser.get(viewer.url)
        chromium.until(lambda: viewer.server.get_clients())
        panel = viewer.panel
        panel.go(panel.first + SHARE * (panel.last - panel.first))
        chromium.until(lambda: browser.execute_script("return !!document.querySelector('#curves')"))
        for close in browser.find_elements("css selector", ".mantine-Notification-closeButton"):  # that pictures are slow here
            close.click()
        chromium.settled(lambda: chromium.picture(browser, path)[:, :SCENE])
        took, complaints = time.perf_counter() - start, chromium.faults(browser)
        browser.get("about:blank")
        return took, complaints


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    browser = chromium.start()
    try:
        browser.set_window_size(*SIZE)
        for name in sys.argv[1:] or SYSTEMS:
            seconds, complaints = look(browser, name)
            print(f"{name:20} {seconds:5.1f} s", *complaints[:2], flush=True)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
