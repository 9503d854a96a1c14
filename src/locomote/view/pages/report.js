// The page: scene, time line and curves together.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent), id = name => document.getElementById(name);
  const template = id("view"), after = document.getElementById("verdict");
  after.parentNode.insertBefore(template.content.cloneNode(true), after.nextSibling);
  id("sight").replaceWith(...document.querySelectorAll(".sight, .compared"));
  const others = data.others || [], end = Math.max(...[data.scene, ...others].map(s => { const t = floats(s.t); return t[t.length - 1]; })), state = { time: 0, playing: false, last: 0, drawn: 0 };
  let scene = null;
  try { scene = new SceneView(id("scene"), others.length ? tinted(data.scene, data.tints[0]) : data.scene); others.forEach((other, k) => new SceneView(id("scene"), tinted(other, data.tints[k + 1]), scene)); } catch (error) {
    const word = document.createElement("p"); word.textContent = `This browser cannot show the scene (${error.message}); the curves are below.`;
    id("stage").replaceChildren(word);
  }
  const slider = id("time"); slider.max = end || 1;
  const curves = new Curves(id("curves"), data.curves, time => go(time));
  function show() {
    slider.value = state.time; id("clock").textContent = `${(state.time + data.scene.start).toFixed(end < 1 ? 4 : 2)} s`;
    if (scene) scene.render(state.time);
    curves.cursor(state.time); state.drawn++;
  }
  function go(time) { state.time = Math.max(0, Math.min(end, time)); show(); }
  function play(on) { state.playing = on; id("play").textContent = on ? "pause" : "play"; state.last = performance.now(); if (on) requestAnimationFrame(step); }
  function step(now) {
    if (!state.playing) return;
    if (state.auto && now - state.last > 1000) return play(false);  // too slow here to go on unasked
    const time = state.time + (now - state.last) / 1000 * Number(id("speed").value); state.last = now;
    go(time > end ? 0 : time); requestAnimationFrame(step);
  }
  id("play").onclick = () => { state.auto = false; play(!state.playing); };
  slider.oninput = () => go(Number(slider.value));
  if (scene) {
    scene.changed = () => { if (!state.playing) show(); };
    id("layers").append(...scene.boxes(show));
  }
  window.addEventListener("resize", show);
  window.locomote = { state, scene, curves, go, play, data };
  id("speed").value = pace(end);
  show();
  if (scene && end > 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches) { state.auto = true; play(true); }
})();
