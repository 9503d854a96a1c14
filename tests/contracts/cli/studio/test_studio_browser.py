"""The studio in a real browser: pick, slide, run, play, compare, save, wrong values, two tabs, other sites, closing."""

import json
import threading
import time

import chromium
import pytest
from chromium import needs_chromium, picture, until

from locomote.cli.studio.server import Studio
from locomote.view import page_server

pytestmark = needs_chromium
pytest.importorskip("selenium")
HOSTILE = """<robot name="&lt;img src=x onerror='window.hacked=1'&gt;">
<link name="&lt;script&gt;window.hacked=1&lt;/script&gt;">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="base"/>
<joint name="hinge" type="continuous"><child link="&lt;script&gt;window.hacked=1&lt;/script&gt;"/><parent link="base"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def browser():
    running = chromium.start()
    running.set_window_size(1300, 850)
    yield running
    running.quit()


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with Studio(tmp_path_factory.mktemp("work")) as running:
        yield running


def opened(browser, studio):
    browser.get(studio.url)
    assert until(lambda: browser.execute_script("return document.querySelectorAll('.card').length > 70"))
    return browser


def js(browser, text):
    return browser.execute_script(f"return {text}")


def test_pick_slide_run_play_compare_and_save(browser, studio, tmp_path):
    chromium.requests(browser)
    page = opened(browser, studio)
    page.find_element("id", "find").send_keys("pumped")
    shown = [card for card in page.find_elements("css selector", ".card") if card.is_displayed()]
    assert [card.get_attribute("data-name") for card in shown] == ["pumped_pendulum"]
    page.find_element("id", "find").clear()
    page.find_element("id", "find").send_keys("snakeboard")
    next(c for c in page.find_elements("css selector", ".card") if c.get_attribute("data-name") == "snakeboard").click()
    assert until(lambda: page.find_element("id", "run").is_displayed())
    number = page.find_element("css selector", "[data-name=duration] input[type=number]")
    number.clear()
    number.send_keys("5")
    page.find_element("id", "run").click()
    assert until(lambda: js(page, "studio.state.runs.length") == 1)
    assert until(lambda: js(page, "studio.state.time") > 0.2), "it plays at once"
    slider = page.find_element("css selector", "[data-name=rotor_amplitude] input[type=range]")
    slider.send_keys("\ue014" * 10)  # arrow right
    value = js(page, "studio.values().rotor_amplitude")
    assert value > 0.7
    page.find_element("id", "run").click()
    assert until(lambda: js(page, "studio.state.runs.length") == 2)
    first, second = (js(page, f"studio.state.runs[{k}].found.summary") for k in (0, 1))
    assert first != second and js(page, "document.getElementById('light').className") == "dot ok"
    page.find_element("id", "play").click()
    page.execute_script("studio.go(4.0)")
    alone = picture(page, tmp_path / "a.png", page.find_element("id", "scene"))
    page.find_elements("css selector", "#runs input")[0].click()
    assert js(page, "studio.scene.others.length") == 1
    assert any(name.startswith("1: ") for name in js(page, "studio.curves.panels[0].series.map(s => s.name)"))
    both = picture(page, tmp_path / "b.png", page.find_element("id", "scene"))
    assert (abs(alone - both).max(axis=2) > 40).sum() > 50
    for kind in ("report", "python"):
        page.find_element("css selector", f"[data-kind={kind}]").click()
        assert until(lambda: page.find_element("id", "saved").text.startswith("runs/"))
        assert (studio.folder / page.find_element("id", "saved").text).stat().st_size > 100
    page.find_element("css selector", "[data-name=rotor_amplitude] .back").click()
    assert js(page, "studio.values()") == {"duration": 5}
    assert not chromium.asked_elsewhere(page, studio)
    assert not chromium.faults(page)


def test_wrong_values_say_what_is_expected(browser, studio):
    page = opened(browser, studio)
    page.execute_script("studio.pick({system: 'snakeboard'})")
    assert until(lambda: page.find_element("id", "run").is_displayed())
    number = page.find_element("css selector", "[data-name=board_mass] input[type=number]")
    number.clear()
    page.find_element("id", "run").click()
    assert "expected a finite number above 0" in page.find_element("id", "message").text
    number.send_keys("-3")
    page.find_element("id", "run").click()
    assert until(lambda: "'board_mass' is -3" in page.find_element("id", "message").text)
    assert js(page, "studio.state.runs.length") == 0 and page.find_element("id", "run").is_enabled()


def test_a_hostile_file_is_text_and_nothing_else(browser, studio):
    page = opened(browser, studio)
    page.execute_script("studio.pick({dropped: '<b>bad<script>.urdf', text: arguments[0]})", HOSTILE)
    assert until(lambda: page.find_element("id", "run").is_displayed())
    page.execute_script("studio.state.form.fields[0].value = 0.1")
    page.find_element("id", "run").click()
    assert until(lambda: not page.find_element("id", "stop").is_enabled())
    assert js(page, "studio.state.runs.length") == 1, page.find_element("id", "message").text
    assert "<script>" in page.find_element("id", "fields").text
    assert js(page, "window.hacked") is None and not js(page, "document.querySelectorAll('#desk script, #desk img').length")


DROP = """
const carried = new DataTransfer(); carried.items.add(new File([arguments[1]], arguments[0]));
window.dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true}));
"""
ARM = """<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="1"/><origin xyz="0 0 -0.5"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""


def test_a_file_is_dropped_and_the_python_is_copied(browser, studio):
    """What lies in the clipboard is the program on the page, and a program; a file that is too large is refused in words."""
    page = opened(browser, studio)
    page.execute_script(DROP, "big.urdf", "x" * 6_000_001)
    assert until(lambda: "6 MB" in page.find_element("id", "sorry").text)
    page.execute_script(DROP, "arm.urdf", ARM)
    assert until(lambda: page.find_element("id", "run").is_displayed())
    assert "rod" in page.find_element("id", "fields").text
    page.execute_script("studio.state.form.fields.find(f => f.name === 'duration').value = 0.2")
    page.find_element("id", "run").click()
    assert until(lambda: js(page, "studio.state.runs.length") == 1)
    assert until(lambda: not js(page, "studio.state.busy"))
    page.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    page.find_element("xpath", "//summary[contains(., 'Python')]").click()
    page.find_element("id", "copy").click()
    assert until(lambda: page.find_element("id", "copied").text == "copied")
    copied = page.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert copied == js(page, "studio.state.main.found.python") and "lo.load('arm.urdf'" in copied
    compile(copied, "copied", "exec")
    assert not chromium.asked_elsewhere(page, studio)


STRANGER = """
const note = (name, promise) => promise.then(() => found[name] = 'read').catch(() => found[name] = 'refused');
note('page', fetch('OWN/').then(r => r.text()));
note('list', fetch('OWN/catalogue?token=guess').then(r => r.json()));
const json = {'Content-Type': 'application/json'};
note('run', fetch('OWN/run?token=guess', {method: 'POST', body: '{}', headers: json}).then(r => r.text()));
fetch('OWN/look?token=guess', {method: 'POST', mode: 'no-cors', body: '{"system": "chain"}'})
  .finally(() => found.blind = 'sent');
const line = new EventSource('OWN/here?token=guess&tab=stranger'); line.onerror = () => found.line = 'refused';
line.onopen = () => found.line = 'read';
const frame = document.createElement('iframe'); frame.src = 'OWN/'; document.body.append(frame);
frame.onload = () => { try { found.frame = frame.contentDocument.body.textContent ? 'read' : 'refused'; }
  catch { found.frame = 'refused'; } };
const image = new Image(); image.onload = () => found.image = 'read'; image.onerror = () => found.image = 'refused';
image.src = 'OWN/picture?name=fish';
"""


def test_a_page_of_another_site_can_do_nothing(browser, studio):
    """It knows the port, and tries everything without the token, and with a guessed one."""
    jobs = studio.jobs._next
    script = STRANGER.replace("OWN", f"http://127.0.0.1:{studio.port}")
    found = chromium.found_by_a_stranger(browser, script, 7)
    assert found and found.pop("blind") == "sent" and set(found.values()) == {"refused"}, json.dumps(found)
    assert studio.jobs._next == jobs and "stranger" not in studio.tabs


def test_two_tabs_have_runs_of_their_own_and_closing_them_ends_it(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(page_server, "GONE", 0.5)
    with Studio(tmp_path) as running:
        waiting = threading.Thread(target=running.wait, daemon=True)
        waiting.start()
        first = browser.current_window_handle
        browser.switch_to.new_window("tab")
        a = browser.current_window_handle
        opened(browser, running)
        browser.execute_script("studio.pick({system: 'simple_pendulum'})")
        assert until(lambda: browser.find_element("id", "run").is_displayed())
        browser.switch_to.new_window("tab")
        opened(browser, running)
        assert until(lambda: len(running.tabs) == 2)
        browser.execute_script("studio.pick({system: 'simple_pendulum'})")
        assert until(lambda: browser.find_element("id", "run").is_displayed())
        browser.find_element("id", "run").click()
        assert until(lambda: js(browser, "studio.state.runs.length") == 1)
        browser.close()
        browser.switch_to.window(a)
        assert until(lambda: len(running.tabs) == 1), "the line of a closed tab breaks"
        assert js(browser, "studio.state.runs.length") == 0
        time.sleep(1.0)
        assert waiting.is_alive(), "a tab is still open"
        browser.close()
        browser.switch_to.window(first)
        waiting.join(60.0)
        assert not waiting.is_alive() and running.is_closed
