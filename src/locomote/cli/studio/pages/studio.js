// The studio: gallery, form, runs. Every text of a file or of the server becomes text of the page, never markup.
(() => {
  const given = JSON.parse(document.getElementById("data").textContent), id = name => document.getElementById(name);
  const RUNS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a3d9a", "#7f7f7f"], MOST = 8;
  const address = (path, more = {}) => `${path}?${new URLSearchParams({ token: given.token, tab: given.tab, ...more })}`;
  const make = (name, text = "", more = {}) => Object.assign(document.createElement(name), text ? { textContent: text } : {}, more);
  const state = { form: null, runs: [], main: null, time: 0, playing: false, last: 0, drawn: 0, busy: null, open: false };
  let scene = null, curves = null;

  async function answer(reply) {
    const type = reply.headers.get("Content-Type") || "", data = type.startsWith("application/json") ? await reply.json() : { refused: await reply.text() };
    if (data.refused !== undefined) throw new Error(data.refused);
    return data;
  }
  const lost = () => { throw new Error("the studio has ended; start it again: locomote studio"); };
  const ask = (path, more) => fetch(address(path, more)).catch(lost).then(answer);
  const tell = (path, body) => fetch(address(path), { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).catch(lost).then(answer);
  const say = (text, good = false) => { id("message").textContent = text; id("message").className = good ? "good" : ""; };

  // gallery
  async function gallery() {
    const found = await ask("/catalogue");
    for (const [group, systems] of Object.entries(found.groups)) {
      const box = make("div", "", { className: "group" }), cards = make("div", "", { className: "cards" });
      for (const [name, title] of Object.entries(systems)) {
        const card = make("button", "", { className: "card", type: "button" }); card.dataset.words = `${name} ${title} ${group} ${found.also[group] || ""}`.toLowerCase(); card.dataset.name = name;
        card.append(make("img", "", { src: address("/picture", { name }), alt: "", loading: "lazy" }), make("b", name.replaceAll("_", " ")), make("span", title));
        card.onclick = () => pick({ system: name }); cards.append(card);
      }
      box.append(make("h2", group), cards); id("groups").append(box);
    }
    if (found.files.length) id("files").append(make("p", `Model files of the folder ${found.folder}:`));
    for (const file of found.files) { const button = make("button", file, { type: "button" }); button.onclick = () => pick({ file }); id("files").append(button); }
  }
  id("find").oninput = () => {
    const word = id("find").value.trim().toLowerCase();
    for (const card of document.querySelectorAll(".card")) card.hidden = !card.dataset.words.includes(word);
    for (const group of document.querySelectorAll(".group")) group.hidden = ![...group.querySelectorAll(".card")].some(card => !card.hidden);
  };
  async function dropped(file) {
    if (!file) return;
    if (file.size > 6e6) { id("sorry").textContent = `${file.name} has ${(file.size / 1e6).toFixed(0)} MB; put it into the working folder and choose it there`; return; }
    await pick({ dropped: file.name, text: await file.text() });
  }
  id("choose").onchange = () => dropped(id("choose").files[0]);
  window.addEventListener("dragover", e => { e.preventDefault(); id("drop").className = "over"; });
  window.addEventListener("dragleave", () => { id("drop").className = ""; });
  window.addEventListener("drop", e => { e.preventDefault(); id("drop").className = ""; dropped(e.dataTransfer.files[0]); });
  async function pick(what) {
    id("sorry").textContent = "";
    try { state.form = await tell("/look", what); } catch (error) { id("sorry").textContent = error.message; home(true); return; }
    clear(); fill(); home(false); say("");
    id("still").hidden = !what.system; if (what.system) id("still").style.backgroundImage = `url("${address("/picture", { name: what.system })}")`;  // until there is a run
  }
  function home(on) { id("gallery").hidden = !on; id("desk").hidden = on; id("home").hidden = on; id("find").hidden = !on; if (on) play(false); id("title").textContent = on ? "" : `${state.form.of}: ${state.form.title}`; }
  id("home").onclick = () => home(true);

  // form
  function fill() {
    id("see").textContent = state.form.see; id("fields").replaceChildren();
    for (const field of state.form.fields) {
      const box = make("div", "", { className: "field" }), label = make("label"), row = make("div", "", { className: "row" });
      box.dataset.name = field.name; label.append(make("b", field.name.replaceAll("_", " ")), make("span", field.unit === "1" ? "" : field.unit));
      const back = make("button", "\u21ba", { type: "button", className: "back", title: `back to ${field.default}` }); back.setAttribute("aria-label", `reset ${field.name}`);
      const wrong = make("div", "", { className: "wrong" }), check = () => { box.classList.toggle("changed", field.value !== field.default); wrong.textContent = Number.isNaN(field.value) ? `expected ${field.wanted}` : ""; };
      if (field.kind === "number") {
        const slider = make("input", "", { type: "range", min: field.low, max: field.high, step: field.whole ? 1 : "any" }), number = make("input", "", { type: "number", step: "any" });
        slider.setAttribute("aria-label", `${field.name}, ${field.unit}`); number.setAttribute("aria-label", `${field.name} as a number`);
        field.show = () => { slider.value = field.value; number.value = Number.isNaN(field.value) ? "" : +Number(field.value).toPrecision(12); check(); };
        slider.oninput = () => { field.value = field.whole ? Math.round(Number(slider.value)) : +Number(slider.value).toPrecision(4); field.show(); };
        number.oninput = () => { field.value = number.value.trim() === "" ? NaN : Number(number.value); slider.value = field.value; check(); }; number.onchange = number.oninput;
        row.append(slider, number, back);
      } else if (field.kind === "choice") {
        const choice = make("select"); for (const option of field.options) choice.append(make("option", option)); choice.setAttribute("aria-label", field.name);
        field.show = () => { choice.value = field.value; check(); }; choice.onchange = () => { field.value = choice.value; check(); }; row.append(choice, back);
      } else { field.show = () => {}; row.append(make("span", String(field.default))); }
      back.onclick = () => { field.value = field.default; field.show(); };
      field.value = field.default; box.append(label, row, make("div", field.meaning, { className: "meaning" }), wrong); id("fields").append(box); field.show();
    }
  }
  id("reset").onclick = () => { for (const field of state.form.fields) { field.value = field.default; field.show(); } };
  const values = () => Object.fromEntries(state.form.fields.filter(f => f.kind !== "fixed" && f.value !== f.default).map(f => [f.name, f.value]));

  // runs
  async function run() {
    const wrong = state.form.fields.find(f => Number.isNaN(f.value));
    if (wrong) { say(`${wrong.name}: expected ${wrong.wanted}`); return; }
    const form = state.form, given = values(); let job;
    id("run").disabled = true; id("stop").disabled = false; id("progress").hidden = false; id("progress").removeAttribute("value"); say("getting ready", true);
    try {
      job = await tell("/run", { looked: form.looked, values: given }); state.busy = job.job;
      while (job.state === "waiting" || job.state === "running") {
        await new Promise(done => setTimeout(done, 150)); job = await ask("/job", { job: job.job });
        if (job.share !== null) { id("progress").value = job.share; say(`${Math.round(100 * job.share)} %`, true); }
      }
      if (job.state !== "done") throw new Error(job.message);
      const found = await ask("/result", { job: job.job });
      if (state.form !== form) return;
      const words = Object.entries(given).map(([k, v]) => `${k} ${v}`).join(", ") || "as it is";
      state.runs = [...state.runs, { job: job.job, words, found, shown: false }].slice(-MOST);
      state.runs.forEach((r, k) => { r.color = r.color || RUNS.find(c => !state.runs.some(o => o.color === c)); });
      if (state.main) state.main.shown = !!state.main.ticked;
      say(found.failed || "", !found.failed); look(state.runs[state.runs.length - 1]); play(true);
    } catch (error) { say(error.message); }
    finally { id("run").disabled = false; id("stop").disabled = true; id("progress").hidden = true; state.busy = null; }
  }
  id("run").onclick = run;
  id("stop").onclick = () => { if (state.busy !== null) tell("/stop", { job: state.busy }).catch(error => say(error.message)); };
  function clear() { play(false); if (state.busy !== null) id("stop").click(); state.runs = []; state.main = null; scene = curves = null; for (const name of ["runs", "layers", "curves"]) id(name).replaceChildren(); id("about").hidden = true; fresh(); id("clock").textContent = ""; }
  function fresh() {  // a new canvas: scenes keep theirs
    const old = id("scene"), next = old.cloneNode(); old.replaceWith(next);
    const gl = old.getContext("webgl"), lose = gl && gl.getExtension("WEBGL_lose_context"); if (lose) lose.loseContext();
  }
  function look(run) {
    const first = !state.main; state.main = run; run.shown = true; id("still").hidden = true;
    const before = scene, shown = state.runs.filter(r => r.shown && r !== run), many = shown.length > 0;
    fresh();
    try {
      scene = new SceneView(id("scene"), many ? tinted(run.found.scene, run.color) : run.found.scene);
      for (const other of shown) new SceneView(id("scene"), tinted(other.found.scene, other.color), scene);
      if (before && before.data.name === scene.data.name) Object.assign(scene, { azimuth: before.azimuth, height: before.height, shift: before.shift }, { shown: Object.assign(scene.shown, before.shown) });
      scene.changed = () => { if (!state.playing) show(); };
    } catch (error) { scene = null; say(`This browser cannot show the scene (${error.message}); the curves are beside it.`); }
    id("curves").replaceChildren(); curves = new Curves(id("curves"), together(run, shown), go);
    state.end = Math.max(...[run, ...shown].map(r => { const t = floats(r.found.scene.t); return t[t.length - 1]; })); id("time").max = state.end || 1;
    if (first) id("speed").value = pace(state.end);
    id("verdict").textContent = run.found.verdict; id("headline").textContent = run.found.audit.headline; id("light").className = `dot ${run.found.audit.ok ? "ok" : "bad"}`;
    id("audit").replaceChildren(...run.found.audit.checks.map(c => { const row = make("tr"); for (const text of [c.name, c.value, `allowed ${c.allowed}`, c.passed ? "passed" : "FAILED"]) row.append(make("td", text)); return row; }));
    id("python").textContent = run.found.python; id("about").hidden = false; id("saved").textContent = id("copied").textContent = "";
    boxes(); list(); go(Math.min(state.time, state.end));
  }
  function together(run, others) {  // curves of some runs in the same panels
    const data = run.found.curves, t = floats(data.t), text = array => { let s = ""; for (const b of new Uint8Array(array.buffer)) s += String.fromCharCode(b); return btoa(s); };
    if (!others.length) return data;
    const at = (times, y) => { let k = 0; return Float32Array.from(t, x => { while (k + 2 < times.length && times[k + 1] < x) k++; const w = (x - times[k]) / Math.max(1e-12, times[k + 1] - times[k]); return w > 1 + 1e-6 || times.length < 2 ? NaN : y[k] + w * (y[k + 1] - y[k]); }); };
    const number = r => state.runs.indexOf(r) + 1;
    return { ...data, panels: data.panels.map(panel => ({ ...panel, series: panel.series.slice(0, 3).flatMap((s, dash) => [{ ...s, name: `${number(run)}: ${s.name}`, color: run.color, dash }, ...others.flatMap(other => {
      const same = other.found.curves.panels.flatMap(p => p.series).find(o => o.name === s.name);
      return same ? [{ name: `${number(other)}: ${s.name}`, color: other.color, dash, y: text(at(floats(other.found.curves.t), floats(same.y))) }] : [];
    })]) })) };
  }
  function list() {
    id("runs").replaceChildren(...state.runs.map((r, k) => {
      const row = make("div", "", { className: r === state.main ? "run main" : "run" }), box = make("input", "", { type: "checkbox", checked: r.shown, disabled: r === state.main }), name = make("span", `${k + 1}: ${r.words}`, { className: "name" }), light = make("span", "", { className: `dot ${r.found.audit.ok ? "ok" : "bad"}`, title: r.found.audit.headline }), color = make("span", "", { className: "dot" });
      color.style.background = r.color; box.setAttribute("aria-label", `show run ${k + 1}`); name.tabIndex = 0; name.setAttribute("role", "button");
      box.onchange = () => { r.shown = r.ticked = box.checked; look(state.main); }; name.onclick = () => { state.main.shown = !!state.main.ticked; look(r); }; name.onkeydown = e => { if (e.key === "Enter") name.click(); };
      row.append(box, color, name, light); return row;
    }));
  }
  function boxes() {
    id("layers").replaceChildren(...(scene ? scene.boxes(show) : []));
  }
  for (const button of document.querySelectorAll(".save")) button.onclick = async () => {
    button.disabled = true; id("saved").textContent = "writing";
    try { id("saved").textContent = (await tell("/save", { job: state.main.job, kind: button.dataset.kind })).file; } catch (error) { id("saved").textContent = error.message; }
    button.disabled = false;
  };

  id("copy").onclick = async () => {
    const text = id("python").textContent;
    try { await navigator.clipboard.writeText(text); id("copied").textContent = "copied"; }
    catch { const range = document.createRange(); range.selectNodeContents(id("python")); getSelection().removeAllRanges(); getSelection().addRange(range); id("copied").textContent = document.execCommand("copy") ? "copied" : "press Ctrl-C to copy what is marked"; }
  };

  // time
  function show() {
    id("time").value = state.time; if (state.main) id("clock").textContent = `${(state.time + state.main.found.scene.start).toFixed(state.end < 1 ? 4 : 2)} s`;
    if (scene) scene.render(state.time); if (curves) curves.cursor(state.time); state.drawn++;
  }
  function go(time) { state.time = Math.max(0, Math.min(state.end || 0, time)); show(); }
  function play(on) { state.playing = on && !!state.main; id("play").textContent = state.playing ? "pause" : "play"; state.last = performance.now(); if (state.playing) requestAnimationFrame(step); }
  function step(now) { if (!state.playing) return; const time = state.time + (now - state.last) / 1000 * Number(id("speed").value); state.last = now; go(time > state.end ? 0 : time); requestAnimationFrame(step); }
  id("play").onclick = () => play(!state.playing); id("time").oninput = () => go(Number(id("time").value)); window.addEventListener("resize", () => { if (state.main) show(); });

  // the line to the studio: it is open as long as this tab is
  const line = new EventSource(address("/here"));
  line.onopen = () => { if (!state.open) { state.open = true; gallery().catch(error => { id("sorry").textContent = error.message; }); } };
  line.addEventListener("closed", () => { line.close(); id("sorry").textContent = "the studio has ended"; say("the studio has ended"); });
  window.studio = { state, go, play, pick, values, get scene() { return scene; }, get curves() { return curves; } };
})();
