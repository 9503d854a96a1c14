// Curves over time that zoom, with a cursor at the time of the scene.
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a3d9a", "#7f7f7f"], DASHES = [[], [7, 4], [2, 3]], MARKS = ["\u2014", "- -", "\u00b7\u00b7\u00b7"];
function ticks(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].map(k => k * power).find(x => x >= raw);
  const out = []; for (let x = Math.ceil(low / step) * step; x <= high + 1e-9 * step; x += step) out.push(Math.abs(x) < 1e-9 * step ? 0 : x);
  return out;
}
const shortly = x => Math.abs(x) >= 1e5 || (x && Math.abs(x) < 1e-3) ? x.toExponential(1) : String(+x.toPrecision(6));
const pace = end => [0.02, 0.05, 0.1, 0.25, 0.5, 1, 5, 20].find(s => s === 20 || end / s <= (s >= 1 ? 30 : end < 1.5 ? 6 : 0));  // how fast a run plays, so that it takes some seconds
class Curves {
  constructor(host, data, goTo) {
    this.t = floats(data.t); this.start = data.start; this.goTo = goTo; this.time = 0;
    this.range = [this.t[0], this.t[this.t.length - 1]]; this.panels = [];
    for (const panel of data.panels) {
      const box = document.createElement("div"), canvas = document.createElement("canvas"), legend = document.createElement("div"), heading = document.createElement("strong");
      box.className = "panel"; legend.className = "legend"; heading.textContent = `${[panel.title, ...("-1".includes(panel.unit) ? [] : [panel.unit])].join(", ")} `; legend.append(heading);
      const own = { canvas, unit: panel.unit, title: panel.title, series: panel.series.map((s, k) => ({ name: s.name, y: floats(s.y), on: true, color: s.color || COLORS[k % 8], dash: DASHES[(s.dash ?? Math.floor(k / 8)) % 3] })) };
      for (const s of own.series) {
        const word = document.createElement("span"), mark = document.createElement("b");
        mark.textContent = `${MARKS[DASHES.indexOf(s.dash)]} `; mark.style.color = s.color; word.append(mark, s.name);
        word.onclick = () => { s.on = !s.on; word.className = s.on ? "" : "off"; this.draw(); };
        legend.append(word);
      }
      box.append(legend, canvas); host.append(box); this.panels.push(own); this.listen(own);
    }
    window.addEventListener("resize", () => this.draw()); this.draw();
  }
  place(panel, e) { const box = panel.canvas.getBoundingClientRect(); return this.range[0] + (this.range[1] - this.range[0]) * Math.max(0, Math.min(1, (e.clientX - box.left - 62) / (box.width - 70))); }
  listen(panel) {
    const canvas = panel.canvas, whole = [...this.range]; let from = null;
    canvas.addEventListener("wheel", e => {
      e.preventDefault(); const at = this.place(panel, e), s = Math.exp(0.0015 * e.deltaY);
      this.range = [Math.max(whole[0], at + (this.range[0] - at) * s), Math.min(whole[1], at + (this.range[1] - at) * s)]; this.draw();
    }, { passive: false });
    canvas.addEventListener("pointerdown", e => { from = [e.clientX, this.place(panel, e)]; });
    canvas.addEventListener("pointermove", e => { if (from && Math.abs(e.clientX - from[0]) > 6) { this.chosen = [from[1], this.place(panel, e)]; this.draw(); } });
    canvas.addEventListener("pointerup", e => {
      if (!from) return;
      if (this.chosen) { const [a, b] = this.chosen.sort((x, y) => x - y); if (b - a > 1e-9 * (whole[1] - whole[0])) this.range = [a, b]; this.chosen = null; this.draw(); }
      else this.goTo(this.place(panel, e));
      from = null;
    });
    canvas.addEventListener("dblclick", () => { this.range = [...whole]; this.draw(); });
  }
  cursor(time) { this.time = time; this.draw(); }
  rows() {
    const t = this.t; let a = 0, b = t.length - 1;
    while (a + 1 < t.length && t[a + 1] < this.range[0]) a++;
    while (b > 0 && t[b - 1] > this.range[1]) b--;
    return [a, b];
  }
  draw() { if (!this.waiting) { this.waiting = true; requestAnimationFrame(() => { this.waiting = false; for (const p of this.panels) this.panel(p); }); } }
  panel(panel) {
    const canvas = panel.canvas, scale = window.devicePixelRatio || 1, wide = canvas.clientWidth, high = canvas.clientHeight;
    if (canvas.width !== Math.round(wide * scale)) { canvas.width = Math.round(wide * scale); canvas.height = Math.round(high * scale); }
    const g = canvas.getContext("2d"), [t0, t1] = this.range, [a, b] = this.rows();
    g.setTransform(scale, 0, 0, scale, 0, 0); g.clearRect(0, 0, wide, high); g.font = "12px system-ui, sans-serif";
    let low = Infinity, top = -Infinity;
    for (const s of panel.series) if (s.on) for (let k = a; k <= b; k++) { const y = s.y[k]; if (y < low) low = y; if (y > top) top = y; }
    if (!(top >= low)) { low = 0; top = 1; }
    if (top === low) { low -= 1; top += 1; }
    const pad = 0.06 * (top - low); low -= pad; top += pad;
    const left = 62, right = wide - 8, bottom = high - 24, X = t => left + (right - left) * (t - t0) / (t1 - t0 || 1), Y = y => bottom - (bottom - 8) * (y - low) / (top - low);
    panel.scale = { low, top };
    g.strokeStyle = "#ddd"; g.fillStyle = "#555"; g.lineWidth = 1; g.textAlign = "center";
    for (const t of ticks(t0 + this.start, t1 + this.start, 8)) { const x = X(t - this.start); g.beginPath(); g.moveTo(x, 8); g.lineTo(x, bottom); g.stroke(); g.fillText(`${shortly(t)} s`, x, high - 8); }
    g.textAlign = "right";
    for (const y of ticks(low, top, 5)) { g.beginPath(); g.moveTo(left, Y(y)); g.lineTo(right, Y(y)); g.stroke(); g.fillText(shortly(y), left - 6, Y(y) + 4); }
    g.save(); g.beginPath(); g.rect(left, 4, right - left, bottom - 4); g.clip(); g.lineWidth = 1.6;
    for (const s of panel.series) if (s.on) {
      g.strokeStyle = s.color; g.setLineDash(s.dash); g.beginPath(); let pen = false;
      for (let k = a; k <= b; k++) { const y = s.y[k]; if (!Number.isFinite(y)) { pen = false; continue; } if (pen) g.lineTo(X(this.t[k]), Y(y)); else g.moveTo(X(this.t[k]), Y(y)); pen = true; }
      g.stroke();
    }
    g.setLineDash([]); g.strokeStyle = "#000"; g.lineWidth = 1; g.beginPath(); g.moveTo(X(this.time), 4); g.lineTo(X(this.time), bottom); g.stroke();
    if (this.chosen) { g.fillStyle = "rgba(0, 114, 178, .15)"; g.fillRect(X(this.chosen[0]), 4, X(this.chosen[1]) - X(this.chosen[0]), bottom - 4); }
    g.restore();
  }
}
