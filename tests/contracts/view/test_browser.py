"""Viewer and report in a real browser: what is seen, what moves, what a click does, and that nothing leaves the machine."""

import chromium
import numpy as np
import pytest
from chromium import needs_chromium, picture, settled, until

import locomote as lo

pytestmark = needs_chromium
BOARD = (228, 155, 75)  # roughly: the colour of the rear axle
pytest.importorskip("selenium")


@pytest.fixture(scope="module")
def browser():
    running = chromium.start()
    yield running
    running.quit()


@pytest.fixture(scope="module")
def run():
    system = lo.systems.load("snakeboard")
    q, v = system.initial
    return system.problem().simulate(20.0, q=q, v=v, progress=False)


def places(image, hue):
    """Rows and columns of pixels about as red, green and blue as a colour, whatever its brightness."""
    size = np.maximum(image.sum(axis=2, keepdims=True), 1)
    near = abs(image / size - np.array(hue) / sum(hue)).max(axis=2) < 0.035
    return np.nonzero(near & (image.max(axis=2) > 60) & (np.ptp(image, axis=2) > 40))


# report


@pytest.fixture
def report(browser, run, tmp_path):
    run.report(tmp_path / "run.html")
    browser.set_window_size(1280, 1000)
    chromium.requests(browser)
    browser.get((tmp_path / "run.html").as_uri())
    assert until(lambda: browser.execute_script("return window.locomote && locomote.state.drawn > 0"))
    assert browser.execute_script("return locomote.state.auto"), "it plays at once"
    browser.execute_script("locomote.play(false); locomote.go(0)")
    return browser


def test_a_report_shows_the_mechanism(report, tmp_path):
    """Board, axles and rotor in their colours, on a ground of light fields; nothing asked of the network."""
    from selenium.webdriver.common.by import By

    image = picture(report, tmp_path / "a.png", report.find_element(By.ID, "scene"))
    for color in ((74, 109, 140), (217, 146, 79), (95, 158, 143)):
        assert len(places(image, color)[0]) > 40, color
    assert np.median(image) > 200
    urls = [url for url in chromium.requests(report) if not url.startswith(("file:", "data:", "blob:"))]
    assert not urls and not chromium.faults(report)


def test_its_animation_moves_and_its_axle_goes_where_the_run_goes(report, run, tmp_path):
    from selenium.webdriver.common.by import By

    scene = report.find_element(By.ID, "scene")
    report.execute_script("locomote.go(0)")
    first = picture(report, tmp_path / "a.png", scene)
    report.find_element(By.ID, "play").click()
    assert until(lambda: report.execute_script("return locomote.state.time") > 1.0)
    report.find_element(By.ID, "play").click()
    assert report.execute_script("return locomote.state.playing") is False
    later = picture(report, tmp_path / "b.png", scene)
    assert (abs(first - later).max(axis=2) > 40).mean() > 0.001
    time_ = report.execute_script("return locomote.state.time")
    body = run.model.body_index("rear_axle")
    place = report.execute_script(
        "return Array.from(locomote.scene.poses(arguments[0])[arguments[1]]).slice(12, 15)", time_, body
    )
    exact = lo.forward_kinematics(run.model, run.at(time_).q)[body, :3, 3]
    assert np.allclose(place, exact, atol=1e-3)


def test_layers_drag_and_zoom(report, tmp_path):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    scene = report.find_element(By.ID, "scene")
    report.execute_script("locomote.go(15)")
    seen = [picture(report, tmp_path / "a.png", scene)]
    for name in ("layer-forces", "layer-ground"):
        report.find_element(By.ID, name).click()
        seen.append(picture(report, tmp_path / "a.png", scene))
    ActionChains(report).drag_and_drop_by_offset(scene, 120, 40).perform()
    seen.append(picture(report, tmp_path / "a.png", scene))
    report.execute_script(
        "arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -400, bubbles: true, cancelable: true}))", scene
    )
    seen.append(picture(report, tmp_path / "a.png", scene))
    assert all((a != b).any() for a, b in zip(seen[:-1], seen[1:], strict=True))
    assert len(places(seen[1], (213, 94, 0))[0]) > len(places(seen[0], (213, 94, 0))[0])  # reactions


def test_a_click_in_a_curve_moves_the_time_and_the_wheel_zooms(report):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    canvas = report.find_elements(By.CSS_SELECTOR, ".panel canvas")[0]
    report.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    wide = canvas.size["width"]
    part = 0.75
    ActionChains(report).move_to_element_with_offset(canvas, 62 + part * (wide - 70) - wide / 2, 0).click().perform()
    assert abs(report.execute_script("return locomote.state.time") - part * 20.0) < 0.1
    before = report.execute_script("return locomote.curves.range")
    report.execute_script(
        "arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -600, clientX: 600, bubbles: true, cancelable: true}))",
        canvas,
    )
    after = report.execute_script("return locomote.curves.range")
    assert after[1] - after[0] < 0.6 * (before[1] - before[0])


# viewer


@pytest.fixture(scope="module")
def viewer(run):
    from locomote.view.viewer import view

    with view(run, browser=False, wait=False, port=0, rerun=lo.systems.load("snakeboard")) as running:
        yield running


@pytest.fixture
def page(browser, viewer):
    chromium.requests(browser)
    browser.set_window_size(860, 560)  # software draws it: a small picture is enough
    browser.get(viewer.url)
    assert until(lambda: viewer.server.get_clients())
    assert until(
        lambda: browser.execute_script("return !!(document.querySelector('canvas') && document.querySelector('#curves'))")
    )
    until(lambda: browser.execute_script("return !!document.querySelector('#curves').contentWindow.locomote"))
    return browser


def test_the_viewer_shows_the_run_and_plays_it(page, viewer, tmp_path):
    viewer.panel.play(False)
    viewer.panel.go(0.0)
    colors = ((74, 109, 140), (217, 146, 79), (95, 158, 143))

    def look(name="a"):
        return picture(page, tmp_path / f"{name}.png")[:, :430]

    assert until(lambda: all(len(places(look(), color)[0]) > 30 for color in colors)), "shapes come after the page"
    image = look()
    button = next(b for b in page.find_elements("tag name", "button") if b.text.strip() == "play")
    button.click()
    assert until(lambda: viewer.panel.time > 1.0), "a click on play lets time run"
    viewer.panel.play(False)
    assert until(lambda: (abs(image - look("b")).max(axis=2) > 40).mean() > 0.0005)
    assert not chromium.asked_elsewhere(page, viewer)


def test_a_click_in_a_curve_of_the_viewer_moves_the_time(page, viewer):
    viewer.panel.play(False)
    page.execute_script(
        """const w = document.querySelector('#curves').contentWindow, c = w.document.querySelector('canvas');
        const b = c.getBoundingClientRect();
        const x = b.left + 62 + 0.5 * (b.width - 70), y = b.top + 50;
        const place = {clientX: x, clientY: y, bubbles: true};
        for (const kind of ['pointerdown', 'pointerup']) c.dispatchEvent(new w.PointerEvent(kind, place));"""
    )
    assert until(lambda: abs(viewer.panel.time - 10.0) < 0.2), viewer.panel.time
    viewer.panel.go(4.0)  # and the cursor follows
    cursor = "return document.querySelector('#curves').contentWindow.locomote.curves.time"
    assert until(lambda: abs(page.execute_script(cursor) - 4.0) < 1e-6)


def test_curves_of_each_of_several_runs_can_be_chosen(browser):
    from locomote.view.viewer import view

    problem = lo.systems.load("simple_pendulum").problem()
    runs = {"early": problem.simulate(1.0, progress=False), "late": problem.simulate(2.0, t=5.0, progress=False)}
    last = """const found = document.querySelector('#curves').contentWindow.locomote;
        return found ? found.curves.start + found.curves.t[found.curves.t.length - 1] : null"""
    with view(runs, browser=False, wait=False, port=0) as viewer:
        browser.get(viewer.url)
        assert until(lambda: browser.execute_script("return !!document.querySelector('#curves')"))
        assert until(lambda: abs((browser.execute_script(last) or 0.0) - 1.0) < 0.01)
        viewer.panel.choose_curves("late")
        assert until(lambda: abs((browser.execute_script(last) or 0.0) - 7.0) < 0.01)


def test_the_dot_of_a_gait_is_where_the_shape_of_the_run_is(browser):
    from locomote.view.viewer import view

    run = lo.systems.load("purcell_swimmer", gait="fast").problem().simulate(4.0, progress=False)
    with view(run, browser=False, wait=False, port=0) as viewer:
        viewer.panel.play(False)
        browser.get(f"{viewer.url}locomote/gait?key={viewer.gate.secret}")
        assert until(lambda: browser.execute_script("return !!(window.locomote && locomote.gait)"))
        seen = []
        for t in (0.5, 1.9, 2.6, 3.7):
            viewer.panel.go(t)
            assert until(lambda t=t: abs(browser.execute_script("return locomote.gait.time") - t) < 1e-6)
            dots = browser.execute_script(
                "return Array.from(document.querySelectorAll('circle.now'))"
                ".map(c => [+c.getAttribute('cx'), +c.getAttribute('cy')])"
            )
            assert len(dots) == 3 and dots[0] == dots[1] == dots[2]
            seen.append(dots[0])
        arrows = browser.execute_script(
            "const a = () => getComputedStyle(document.querySelector('.arrows')).display, before = a();"
            "document.getElementById('arrows').click(); return [before, a()]"
        )
    places, shapes = np.array(seen), run.at([0.5, 1.9, 2.6, 3.7]).q[:, 3:5]
    for k in range(2):  # the place is a line through the coordinate: two times say it for the others
        slope = (places[1, k] - places[0, k]) / (shapes[1, k] - shapes[0, k])
        assert slope > 0 if k == 0 else slope < 0  # a page counts downwards
        np.testing.assert_allclose(places[:, k], places[0, k] + slope * (shapes[:, k] - shapes[0, k]), atol=0.3)
    assert arrows[0] == "none" and arrows[1] != "none"


def test_a_slider_moves_a_joint(browser, tmp_path):
    from selenium.webdriver.common.keys import Keys

    model = lo.systems.load("quadruped").model
    browser.set_window_size(860, 560)
    with model.view(browser=False, wait=False, port=0) as viewer:
        browser.get(viewer.url)
        assert until(lambda: viewer.server.get_clients())
        assert until(lambda: browser.find_elements("css selector", "[role=slider]"))
        first = settled(lambda: picture(browser, tmp_path / "a.png")[:, :430])
        before = viewer.panel.q.copy()
        slider = browser.find_elements("css selector", "[role=slider]")[0]

        def one_moved():
            slider.send_keys(10 * Keys.ARROW_RIGHT)  # a busy browser loses some, and all while it still starts
            return np.count_nonzero(viewer.panel.q != before) == 1

        assert until(one_moved), "one coordinate moves"

        def moved():
            if abs(viewer.panel.q - before).max() < 0.7:  # rad; not so far that the leg is out of sight
                slider.send_keys(5 * Keys.ARROW_RIGHT)
            return (abs(first - picture(browser, tmp_path / "b.png")[:, :430]).max(axis=2) > 40).sum() > 20

        assert until(moved)


STRANGER = """
const s = new WebSocket('ws://OWN', 'viser-v1.1.1');
s.onopen = () => found.socket = 'open'; s.onerror = () => found.socket = 'refused';
fetch('http://OWN/').then(r => r.text()).then(t => found.page = 'read').catch(() => found.page = 'refused');
"""


def test_a_page_of_another_site_cannot_talk_to_the_viewer(browser, viewer):
    clients = len(viewer.server.get_clients())
    found = chromium.found_by_a_stranger(browser, STRANGER.replace("OWN", f"127.0.0.1:{viewer.port}"), 2)
    assert found == {"socket": "refused", "page": "refused"}
    assert len(viewer.server.get_clients()) <= clients
