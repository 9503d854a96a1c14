// The scene of a report: meshes, bars, arrows, tubes and ground in WebGL, without any library.
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
const WIDE = 1.15;  // width over height of a picture that is wide enough for what was framed
const floats = text => new Float32Array(bytes(text));
const V = {
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  times: (s, a) => [s * a[0], s * a[1], s * a[2]],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  length: a => Math.hypot(a[0], a[1], a[2]),
  unit: a => { const l = Math.hypot(a[0], a[1], a[2]); return l > 0 ? [a[0] / l, a[1] / l, a[2] / l] : [0, 0, 1]; },
};
// matrices are arrays of 16, column by column
function product(a, b) {
  const c = new Float32Array(16);
  for (let j = 0; j < 4; j++) for (let i = 0; i < 4; i++) {
    let s = 0;
    for (let k = 0; k < 4; k++) s += a[4 * k + i] * b[4 * j + k];
    c[4 * j + i] = s;
  }
  return c;
}
function pose(q, p) {  // quaternion x y z w and a place
  const [x, y, z, w] = q;
  return new Float32Array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, p[0], p[1], p[2], 1]);
}
const IDENTITY = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
function along(start, end, wide, long) {  // a unit shape along z from start towards end
  const d = V.sub(end, start), z = V.unit(d);
  const x = V.unit(V.cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z)), y = V.cross(z, x);
  return new Float32Array([...V.times(wide, x), 0, ...V.times(wide, y), 0, ...V.times(long, z), 0, ...start, 1]);
}
const apply = (m, p) => [0, 1, 2].map(i => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]);

const VERTEX = `attribute vec3 position; attribute vec3 normal; attribute vec3 color; uniform mat4 model, view, lens;
  varying vec3 n, c, place; void main() { vec4 w = model * vec4(position, 1.0); place = w.xyz; n = mat3(model) * normal; c = color;
  gl_Position = lens * view * w; }`;
const FRAGMENT = `precision highp float; varying vec3 n, c, place; uniform vec3 light; uniform float mode, alpha, spacing, reach, clear; uniform vec3 middle, eye, even, odd, water;
  void main() {
    if (mode > 3.5) { gl_FragColor = vec4(c, n.x); return; }
    if (mode > 2.5) {
      vec2 g = 6.2832 / spacing * place.xy; float away = length(place.xy - middle.xy) / reach; if (away >= 1.0) discard;
      float crest = sin(g.x + 1.1 * sin(0.7 * g.y + 0.4)) + sin(0.8 * g.y - 0.6 * g.x + 1.3 * sin(0.5 * g.x)), ridge = pow(1.0 - 0.5 * abs(crest), 6.0);
      gl_FragColor = vec4(1.0, 1.0, 1.0, (1.0 - away * away) * (0.03 + 0.25 * ridge)); return; }
    if (mode > 1.5) { gl_FragColor = vec4(0.8 * odd, alpha); return; }
    if (mode > 0.5) {
      float second = mod(floor(place.x / spacing) + floor(place.y / spacing), 2.0), away = length(place.xy - middle.xy) / reach;
      if (away >= 1.0) discard;
      gl_FragColor = vec4(mix(even, odd, second), pow(1.0 - away, 0.7)); return; }
    vec3 m = normalize(n); float s = dot(m, light); float l = 0.42 + 0.58 * (s > 0.0 ? s : -0.25 * s);
    float far = clear > 0.0 ? 0.75 * (1.0 - exp(-max(0.0, length(place - eye) - reach) / clear)) : 0.0;
    gl_FragColor = vec4(mix(c * min(1.1, 1.12 * l), water, far), alpha); }`;
const LIGHT = V.unit([0.35, -0.5, 0.8]);

const tinted = (data, color) => {  // the same scene in the colour of its run
  const own = [1, 3, 5].map(k => parseInt(color.slice(k, k + 2), 16) / 255), mix = c => [...c.slice(0, 3).map((x, i) => 0.35 * x + 0.65 * own[i]), c[3]];
  return { ...data, pieces: data.pieces.map(p => ["shapes", "joints", "wheels"].includes(p.layer) ? { ...p, color: mix(p.color), s: null } : p), struts: data.struts.map(s => ({ ...s, color: mix(s.color) })), tubes: data.tubes.map(t => ({ ...t, color: mix(t.color), values: null })), colors: { ...data.colors, path: [...own, 1] } };
};
class SceneView {
  scales() {  // for each kind of tube that is coloured by a value: the scale of its colours, with the ends
    const found = new Map();
    for (const u of this.tubes) if (u.values && !found.has(u.title)) found.set(u.title, u);
    return [...found.values()].map(u => {
      const mark = document.createElement("span"), bar = document.createElement("canvas"), pen = bar.getContext("2d"), colors = this.data.colors.scale;
      bar.width = 90; bar.height = 10; bar.className = "scale"; mark.style.whiteSpace = "nowrap";
      const fade = pen.createLinearGradient(0, 0, 90, 0);
      colors.forEach((c, k) => fade.addColorStop(k / (colors.length - 1), `rgb(${c.map(x => Math.round(255 * x)).join(",")})`));
      pen.fillStyle = fade; pen.fillRect(0, 0, 90, 10);
      mark.append(`${u.title || u.name} ${+u.limits[0].toPrecision(3)} `, bar, ` ${+u.limits[1].toPrecision(3)} ${u.unit}`); return mark;
    });
  }
  constructor(canvas, data, first = null) {  // first: the scene that this one is drawn into
    this.canvas = canvas; this.data = data; this.others = [];
    this.gl = first ? first.gl : canvas.getContext("webgl", { antialias: true, preserveDrawingBuffer: true, alpha: false });
    if (!this.gl) throw new Error("no WebGL");
    this.t = floats(data.t); this.positions = floats(data.positions);
    this.turns = new Int16Array(bytes(data.turns)); this.targets = floats(data.camera.targets);
    this.center = data.center && floats(data.center);
    this.path = data.path && { points: floats(data.path.points), t: floats(data.path.t) };
    this.arrows = data.arrows.map(a => ({ ...a, at: floats(a.at), vector: floats(a.vector) }));
    this.presses = data.presses.places.map(u => ({ ...u, at: floats(u.at), turns: new Int16Array(bytes(u.turns)), load: floats(u.load) }));
    this.tubes = data.tubes.map(u => ({ ...u, positions: floats(u.positions), turns: new Int16Array(bytes(u.turns)), values: u.values && floats(u.values) }));
    this.shown = Object.fromEntries(Object.entries(data.layers).map(([name, [, first]]) => [name, first]));
    const turn = data.camera.turn, d = turn.map(row => row[0] * data.camera.direction[0] + row[1] * data.camera.direction[1] + row[2] * data.camera.direction[2]);
    this.upright = a => [0, 1, 2].map(i => turn[0][i] * a[0] + turn[1][i] * a[1] + turn[2][i] * a[2]); this.whole = false;
    this.azimuth = Math.atan2(d[1], d[0]); this.height = Math.asin(d[2]); this.distance = data.camera.distance; this.shift = [0, 0, 0];
    if (first) { this.program = first.program; this.places = first.places; this.shown = first.shown; } else this.program = this.compiled();
    this.pieces = data.pieces.map(p => ({ ...p, buffers: this.mesh(p), place: new Float32Array(p.place) }));
    this.bar = this.buffers(lathe([[0, 0], [1, 0], [1, 1], [0, 1]]));
    this.cone = this.buffers(lathe([[0, 0], [1, 0], [0, 1]]));
    this.funnel = this.buffers(lathe([[0, 0], [1, 1]])); this.disc = this.buffers(lathe([[1, 0], [0, 0]]));
    this.ball = this.buffers(lathe([...Array(13).keys()].map(k => [k % 12 ? Math.cos(Math.PI * (k / 12 - 0.5)) : 0, Math.sin(Math.PI * (k / 12 - 0.5))])));
    this.specks = this.dots(floats(data.specks), 0.0022 * data.camera.distance);
    this.flow = data.flow && { ...data.flow, t: floats(data.flow.t), turns: new Int8Array(bytes(data.flow.turns)), arrows: floats(data.flow.arrows) };
    this.square = this.buffers({ p: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0], n: Array(6).fill([0, 0, 1]).flat() });
    if (first) first.others.push(this); else this.controls();
  }
  compiled() {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind); gl.shaderSource(shader, source); gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    ["position", "normal", "color"].forEach((name, k) => gl.bindAttribLocation(program, k, name));
    gl.linkProgram(program); gl.useProgram(program); this.places = {};
    for (const name of ["model", "view", "lens", "light", "mode", "alpha", "spacing", "reach", "middle", "even", "odd", "eye", "clear", "water"]) this.places[name] = gl.getUniformLocation(program, name);
    return program;
  }
  mesh(piece) {  // corners by face, with normals and shades
    const v = new Uint16Array(bytes(piece.v)), f = new (piece.wide ? Uint32Array : Uint16Array)(bytes(piece.f));
    const n = new Int8Array(bytes(piece.n)), s = piece.s && new Uint8Array(bytes(piece.s));
    const p = new Float32Array(3 * f.length), m = new Float32Array(3 * f.length), c = new Float32Array(3 * f.length);
    for (let k = 0; k < f.length; k++) for (let i = 0; i < 3; i++) {
      p[3 * k + i] = piece.low[i] + piece.span * v[3 * f[k] + i] / 65535;
      m[3 * k + i] = n[3 * k + i] / 127;
      c[3 * k + i] = piece.color[i] * (s ? s[Math.floor(k / 3)] / 200 : 1);
    }
    return this.buffers({ p, n: m, c });
  }
  buffers({ p, n, c }) {
    const gl = this.gl, make = array => { const b = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(array), gl.STATIC_DRAW); return b; };
    return { p: make(p), n: make(n), c: c ? make(c) : null, count: p.length / 3 };
  }
  draw(b, model, color, alpha = 1) {
    const gl = this.gl;
    [b.p, b.n, b.c].forEach((buffer, k) => {
      if (!buffer) { gl.disableVertexAttribArray(k); gl.vertexAttrib3f(k, ...color.slice(0, 3)); return; }
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer); gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
    });
    gl.uniformMatrix4fv(this.places.model, false, model); gl.uniform1f(this.places.alpha, alpha);
    gl.drawArrays(gl.TRIANGLES, 0, b.count);
  }
  row(time) {  // the frame before a time, and how far it is to the next
    const t = this.t; let low = 0, high = t.length - 1;
    if (high < 1 || time <= t[0]) return [0, 0];
    if (time >= t[high]) return [high - 1, 1];
    while (high - low > 1) { const k = (low + high) >> 1; if (t[k] <= time) low = k; else high = k; }
    return [low, (time - t[low]) / Math.max(1e-12, t[low + 1] - t[low])];
  }
  mixed(array, k, count, s, from = 0, size = 3) {  // numbers of an entry between two frames
    const next = Math.min(k + 1, this.t.length - 1), out = [];
    for (let i = 0; i < size; i++) out.push((1 - s) * array[size * (k * count + from) + i] + s * array[size * (next * count + from) + i]);
    return out;
  }
  mixedPose(positions, turns, k, s, count, n) {
    const p = this.mixed(positions, k, count, s, n), next = Math.min(k + 1, this.t.length - 1);
    const a = 4 * (k * count + n), b = 4 * (next * count + n);
    let dot = 0; for (let i = 0; i < 4; i++) dot += turns[a + i] * turns[b + i];
    const sign = dot < 0 ? -1 : 1, q = [0, 1, 2, 3].map(i => (1 - s) * turns[a + i] + sign * s * turns[b + i]);
    const l = Math.hypot(...q) || 1;
    return pose(q.map(x => x / l), p);
  }
  poses(time) {
    const [k, s] = this.row(time), count = this.data.bodies.length;
    return [...Array(count).keys()].map(n => this.mixedPose(this.positions, this.turns, k, s, count, n));
  }
  render(time) {
    const gl = this.gl, data = this.data, scale = window.devicePixelRatio || 1, [k, s] = this.row(time);
    const wide = Math.round(this.canvas.clientWidth * scale), high = Math.round(this.canvas.clientHeight * scale);
    if (this.canvas.width !== wide || this.canvas.height !== high) { this.canvas.width = wide; this.canvas.height = high; }
    gl.viewport(0, 0, wide, high); gl.clearColor(...data.colors.sky, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const level = [-Math.sin(this.azimuth), Math.cos(this.azimuth), 0], all = this.whole && data.camera.whole;
    const back = this.upright([Math.cos(this.height) * Math.cos(this.azimuth), Math.cos(this.height) * Math.sin(this.azimuth), Math.sin(this.height)]);
    const side = this.upright(level), up = V.cross(back, side), distance = this.distance * Math.max(1, WIDE * high / Math.max(1, wide)) * (all ? all.distance / data.camera.distance : 1);  // farther where the picture is narrow, as on a phone
    const target = V.add(all ? all.target : this.mixed(this.targets, k, 1, s), this.shift), eye = V.add(target, V.times(distance, back));
    const dot = a => -(a[0] * eye[0] + a[1] * eye[1] + a[2] * eye[2]);
    const view = new Float32Array([side[0], up[0], back[0], 0, side[1], up[1], back[1], 0, side[2], up[2], back[2], 0, dot(side), dot(up), dot(back), 1]);
    const f = 1 / Math.tan(0.279), near = 0.01 * distance, far = 60 * distance + 40 * data.size;
    const lens = new Float32Array([f * high / wide, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
    gl.uniformMatrix4fv(this.places.view, false, view); gl.uniformMatrix4fv(this.places.lens, false, lens);
    gl.uniform3f(this.places.light, ...this.upright(LIGHT)); gl.uniform3f(this.places.even, ...data.colors.fields[0]); gl.uniform3f(this.places.odd, ...data.colors.fields[1]); this.axes = { side, up };
    gl.uniform3f(this.places.eye, ...eye); gl.uniform3f(this.places.water, ...(data.water || [0, 0, 0]));
    for (const scene of [this, ...this.others]) scene.things(time, target, distance, scene === this && data.ground !== null);
    this.surface(eye, target);
  }
  dots(places, size) {  // one mesh of small bodies with eight faces
    const ends = [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]], p = [], n = [];
    for (let k = 0; k < places.length; k += 3) for (let j = 0; j < 4; j++) for (const top of [[0, 0, 1], [0, 0, -1]])
      for (const corner of [ends[j], ends[(j + 1) % 4], top]) { p.push(...corner.map((x, i) => places[k + i] + size * x)); n.push(...corner); }
    return p.length ? this.buffers({ p, n }) : null;
  }
  flowRow(time) { const f = this.flow; let k = 0; while (k + 2 < f.t.length && f.t[k + 1] <= time) k++; return [k, f.t.length > 1 ? Math.max(0, Math.min(1, (time - f.t[k]) / (f.t[k + 1] - f.t[k]))) : 0]; }
  streams(time) {  // arrows of a flow
    const f = this.flow, [k, s] = this.flowRow(time), count = f.at.length, next = Math.min(k + 1, f.t.length - 1);
    f.at.forEach((at, n) => {
      const v = [0, 1, 2].map(i => (1 - s) * f.arrows[3 * (k * count + n) + i] + s * f.arrows[3 * (next * count + n) + i]), l = V.length(v), r = Math.min(0.035 * f.wide, 0.2 * l);
      if (!(l > 0)) return;
      const head = Math.min(5.5 * r, 0.6 * l), neck = V.add(at, V.times((l - head) / l, v));
      this.draw(this.bar, along(at, neck, r, l - head), this.data.colors.stream); this.draw(this.cone, along(neck, V.add(at, v), 2.6 * r, head), this.data.colors.stream);
    });
  }
  plane(time) {  // vorticity: opacity in place of normals
    const f = this.flow, [k, s] = this.flowRow(time), rows = f.y.length, columns = f.x.length, size = rows * columns, next = Math.min(k + 1, f.t.length - 1), p = [], n = [], c = [];
    const part = (i, j) => ((1 - s) * f.turns[k * size + i * columns + j] + s * f.turns[next * size + i * columns + j]) / 127;
    for (let i = 0; i + 1 < rows; i++) for (let j = 0; j + 1 < columns; j++) for (const [a, b] of [[i, j], [i, j + 1], [i + 1, j + 1], [i, j], [i + 1, j + 1], [i + 1, j]]) {
      const value = part(a, b); p.push(f.x[b], f.y[a], f.level); n.push(f.strong * Math.abs(value) ** 0.7, 0, 0); c.push(...f.colors[value > 0 ? 1 : 0]);
    }
    const gl = this.gl, b = this.buffers({ p, n, c }); gl.uniform1f(this.places.mode, 4); this.draw(b, IDENTITY, [1, 1, 1]); gl.uniform1f(this.places.mode, 0);
    [b.p, b.n, b.c].forEach(x => gl.deleteBuffer(x));
  }
  surface(eye, target) {  // that of the water, from above
    const gl = this.gl, data = this.data, reach = 4 * Math.max(data.size, 0.6 * this.seen);
    if (data.surface === null || !this.shown.water || eye[2] <= data.surface) return;
    gl.uniform1f(this.places.mode, 3); gl.uniform1f(this.places.spacing, 0.9 * data.spacing); gl.uniform1f(this.places.reach, reach); gl.uniform3f(this.places.middle, ...target); gl.depthMask(false);
    this.draw(this.square, new Float32Array([reach, 0, 0, 0, 0, reach, 0, 0, 0, 0, 1, 0, target[0], target[1], data.surface, 1]), [1, 1, 1]);
    gl.depthMask(true); gl.uniform1f(this.places.mode, 0);
  }
  things(time, target, distance, onGround) {  // everything but the camera
    const gl = this.gl, data = this.data, [k, s] = this.row(time);
    this.seen = distance;
    const poses = this.poses(time), world = b => b < 0 ? IDENTITY : poses[b], show = this.shown;
    const solid = this.pieces.filter(p => show[p.layer]).map(p => [p, product(world(p.body), p.place)]);
    if (onGround && show.ground) {
      const reach = 4 * Math.max(data.size, 0.6 * this.seen);
      gl.uniform1f(this.places.mode, 1); gl.uniform1f(this.places.spacing, data.spacing); gl.uniform1f(this.places.reach, reach);
      gl.uniform3f(this.places.middle, ...target); gl.depthMask(false);
      this.draw(this.square, new Float32Array([reach, 0, 0, 0, 0, reach, 0, 0, 0, 0, 1, 0, target[0], target[1], data.ground, 1]), [1, 1, 1]);
      const l = LIGHT, g = data.ground, a = l[0] / l[2], b = l[1] / l[2];
      const flat = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, -a, -b, 0, 0, a * g, b * g, g + 1e-4 * this.seen, 1]);
      gl.uniform1f(this.places.mode, 2);
      for (const [p, model] of solid) if (p.body >= 0) this.draw(p.buffers, product(flat, model), [0, 0, 0]);
      gl.depthMask(true);
    }
    gl.uniform1f(this.places.mode, 0); gl.uniform1f(this.places.reach, this.seen); gl.uniform1f(this.places.clear, data.water ? data.clear * this.seen : 0);
    if (show.water && this.specks) this.draw(this.specks, IDENTITY, data.colors.speck);
    for (const [p, model] of solid) if (p.color[3] >= 1) this.draw(p.buffers, model, p.color);
    for (const u of data.struts) if (show[u.layer]) {
      const [a, b] = u.bodies.map((body, i) => apply(world(body), u.points[i]));
      this.draw(this.bar, along(a, b, u.radius, V.length(V.sub(b, a))), u.color);
    }
    for (const u of this.tubes) if (show[u.layer]) this.tube(u, k, s);
    if (show.forces) for (const a of this.arrows) {
      const at = this.mixed(a.at, k, 1, s), v = this.mixed(a.vector, k, 1, s), l = V.length(v), r = Math.min(0.011 * data.size, 0.2 * l);
      if (!(l > 0.01 * data.size)) continue;
      const head = Math.min(2.2 * 2.6 * r, 0.6 * l), neck = V.add(at, V.times((l - head) / l, v));
      this.draw(this.bar, along(at, neck, r, l - head), a.color); this.draw(this.cone, along(neck, V.add(at, v), 2.6 * r, head), a.color);
    }
    const touch = data.presses;
    if (show.pressure) for (const u of this.presses) {
      const load = this.mixed(u.load, k, 1, s, 0, 1)[0]; if (!(load > touch.seen * touch.largest)) continue;
      const m = this.mixedPose(u.at, u.turns, k, s, 1, 0), r = touch.disc * data.size * Math.sqrt(load / touch.largest), up = touch.lift * data.size;
      const raised = product(m, new Float32Array([r, 0, 0, 0, 0, r, 0, 0, 0, 0, r, 0, 0, 0, up, 1]));
      this.draw(this.disc, raised, this.scaled(load / touch.largest));
    }
    if (show.center && this.center) {
      const c = this.mixed(this.center, k, 1, s), r = 0.05 * data.size;
      this.draw(this.ball, new Float32Array([r, 0, 0, 0, 0, r, 0, 0, 0, 0, r, 0, ...c, 1]), data.colors.center);
    }
    if (show.path && this.path) this.way(time);
    if (show.stream && this.flow) this.streams(time);
    gl.depthMask(false);
    if (show.flow && this.flow && this.flow.largest > 0) this.plane(time);
    const newton = data.scales.N;
    if (show.cones && newton) for (const u of this.presses) {
      const load = this.mixed(u.load, k, 1, s, 0, 1)[0], high = load / newton, [a, b] = u.friction; if (!(load > touch.seen * touch.largest) || !(Math.min(a, b) > 0)) continue;
      const m = this.mixedPose(u.at, u.turns, k, s, 1, 0);
      this.draw(this.funnel, product(m, new Float32Array([a * high, 0, 0, 0, 0, b * high, 0, 0, 0, 0, high, 0, 0, 0, 0, 1])), data.colors.cone, data.colors.cone[3]);
    }
    for (const [p, model] of solid) if (p.color[3] < 1) this.draw(p.buffers, model, p.color, p.color[3]);
    gl.depthMask(true);
  }
  scaled(part) {  // a colour of the scale
    const scale = this.data.colors.scale, x = Math.max(0, Math.min(1, part)) * (scale.length - 1), i = Math.min(scale.length - 2, Math.floor(x));
    return scale[i].map((c, j) => c + (x - i) * (scale[i + 1][j] - c));
  }
  boxes(show) {  // a box for each layer that there is something of, then the scales of colours
    const data = this.data, largest = data.presses.largest, scales = Object.entries(data.scales).map(([unit, value]) => `1 m is ${+value.toPrecision(3)} ${unit}`).join(", ");
    const has = { water: data.water && (data.surface !== null || this.specks), flow: this.flow && this.flow.largest > 0, stream: this.flow, path: this.path, forces: this.arrows.length, center: this.center, ground: data.ground !== null, pressure: largest > 0, cones: largest > 0 && data.presses.places.some(u => Math.min(...u.friction) > 0) };
    const more = { forces: scales && ` (${scales})`, pressure: ` (to ${+largest.toPrecision(3)} N)` }, found = [];
    for (const [name, [words]] of Object.entries(data.layers)) {
      if (name in has ? !has[name] : !data.pieces.some(p => p.layer === name)) continue;
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox"; box.checked = this.shown[name]; box.id = `layer-${name}`; box.onchange = () => { this.shown[name] = box.checked; show(); };
      label.append(box, ` ${words}${more[name] || ""}`); found.push(label);
    }
    if (data.camera.whole) {
      const label = document.createElement("label"), box = document.createElement("input"); box.type = "checkbox"; box.id = "whole"; box.checked = this.whole;
      box.onchange = () => { this.whole = box.checked; show(); }; label.append(box, " the whole way"); found.push(label);
    }
    return [...found, ...this.scales()];
  }
  way(time) {
    const { points, t } = this.path, wide = 0.0022 * this.seen, step = Math.max(1, Math.floor(t.length / 400));
    let last = null;
    for (let k = 0; k < t.length && t[k] <= time; k += step) {
      const p = [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
      if (last && V.length(V.sub(p, last)) > wide) { this.draw(this.bar, along(last, p, wide, V.length(V.sub(p, last))), this.data.colors.path); last = p; }
      last = last || p;
    }
  }
  tube(u, k, s) {  // a shape that bends: corners anew in every picture
    const around = this.data.around, rings = [], colors = [];
    const [low, high] = u.limits;
    for (let n = 0; n < u.count; n++) {
      const m = this.mixedPose(u.positions, u.turns, k, s, u.count, n), [wide, tall] = u.radii[n];
      const points = u.profile.map(([y, z]) => [0, 1, 2].map(i => m[4 + i] * wide * y + m[8 + i] * tall * z + m[12 + i]));
      rings.push(points);
      if (u.values) {
        const value = this.mixed(u.values, k, u.count, s, n, 1)[0]; colors.push(this.scaled(high > low ? (value - low) / (high - low) : 0));
      } else colors.push(u.color.slice(0, 3));
    }
    const bent = rings.map((ring, n) => ring.map((at, j) => {
      const about = V.sub(ring[(j + 1) % around], ring[(j + around - 1) % around]), on = V.sub(rings[Math.min(n + 1, u.count - 1)][j], rings[Math.max(n - 1, 0)][j]);
      return V.unit(V.cross(about, on));
    }));
    const p = [], nn = [], c = [];
    for (let n = 0; n + 1 < u.count; n++) for (let j = 0; j < around; j++) {
      const l = (j + 1) % around, corners = [[n, j], [n, l], [n + 1, l], [n, j], [n + 1, l], [n + 1, j]];
      for (const [a, b] of corners) { p.push(...rings[a][b]); nn.push(...bent[a][b]); c.push(...colors[a]); }
    }
    const b = this.buffers({ p, n: nn, c }); this.draw(b, IDENTITY, u.color);
    [b.p, b.n, b.c].forEach(x => this.gl.deleteBuffer(x));
  }
  controls() {
    const canvas = this.canvas; let last = null;
    canvas.addEventListener("pointerdown", e => { last = [e.clientX, e.clientY, e.shiftKey || e.button > 0]; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener("pointerup", () => { last = null; });
    canvas.addEventListener("contextmenu", e => e.preventDefault());
    canvas.addEventListener("pointermove", e => {
      if (!last) return;
      const dx = e.clientX - last[0], dy = e.clientY - last[1]; last = [e.clientX, e.clientY, last[2]];
      if (last[2]) { const w = this.seen / canvas.clientHeight; this.shift = V.add(this.shift, V.add(V.times(-w * dx, this.axes.side), V.times(w * dy, this.axes.up))); }
      else { this.azimuth -= 0.008 * dx; this.height = Math.max(-1.5, Math.min(1.5, this.height + 0.008 * dy)); }
      if (this.changed) this.changed();
    });
    canvas.addEventListener("wheel", e => { e.preventDefault(); this.distance *= Math.exp(0.0012 * e.deltaY); if (this.changed) this.changed(); }, { passive: false });
  }
}
function lathe(profile, corners = 20) {  // what points (radius, z) sweep about z, with flat normals along the profile
  const p = [], n = [];
  for (let k = 0; k + 1 < profile.length; k++) {
    const [r0, z0] = profile[k], [r1, z1] = profile[k + 1], slope = V.unit([z1 - z0, 0, r0 - r1]);
    for (let j = 0; j < corners; j++) {
      const at = i => 2 * Math.PI * i / corners, point = (i, r, z) => [r * Math.cos(at(i)), r * Math.sin(at(i)), z];
      const normal = i => [slope[0] * Math.cos(at(i)), slope[0] * Math.sin(at(i)), slope[2]];
      for (const [i, r, z] of [[j, r0, z0], [j + 1, r0, z0], [j + 1, r1, z1], [j, r0, z0], [j + 1, r1, z1], [j, r1, z1]]) { p.push(...point(i, r, z)); n.push(...normal(i)); }
    }
  }
  return { p, n };
}
