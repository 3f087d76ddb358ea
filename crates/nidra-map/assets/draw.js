// The map itself: discs, links, entries and names on a canvas.
const canvas = el("map");
const pen = canvas.getContext("2d");
const view = { scale: 1, x: 0, y: 0, width: 0, height: 0, fit: 1 };
const HUES = [188, 24, 262, 142, 338, 48, 216, 84, 300, 6];
const GOLDEN_ANGLE = 137.508;
const cache = { colours: new Map(), css: null };
const theme = () => document.documentElement.dataset.theme;

function colours() {
  if (cache.css?.theme !== theme()) {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim();
    cache.css = {
      theme: theme(), paper: read("--paper"), ink: read("--ink"), soft: read("--soft"), faint: read("--faint"), line: read("--line"),
      accent: read("--accent"), stale: read("--stale"), against: read("--against"), waits: read("--waits"), serif: read("--serif"), sans: read("--sans"),
    };
    cache.colours.clear();
  }
  return cache.css;
}

function tint(community, alpha = 1) {
  const alone = (map.communities[community]?.names.length ?? 0) === 0;
  const hue = community < HUES.length ? HUES[community] : (HUES[0] + community * GOLDEN_ANGLE) % 360;
  const dark = theme() === "dark";
  const saturation = alone ? 4 : dark ? 46 : 50;
  const lightness = dark ? 70 : 36;
  return `hsl(${hue.toFixed(0)} ${saturation}% ${lightness}% / ${alpha})`;
}

// How present an entry is: what was said long ago fades, and never below what can be seen.
function presence(number) {
  const moment = isLast() ? now : Date.parse(map.runs[state.step - 1]?.at ?? map.made);
  const days = Math.max(0, (moment - saidAt[number]) / DAY);
  return Number.isNaN(days) ? 0.7 : 0.42 + 0.58 * 0.5 ** (days / 60);
}

const radius = (entry) => 2.6 + 5.2 * Math.sqrt(Math.min(1, Math.max(0, entry.importance)));
const px = (x) => x * view.scale + view.x;
const py = (y) => y * view.scale + view.y;
const growth = () => Math.min(2.2, Math.max(0.55, Math.sqrt(view.scale)));

function bounds() {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const disc of map.communities) {
    left = Math.min(left, disc.x - disc.radius);
    right = Math.max(right, disc.x + disc.radius);
    top = Math.min(top, disc.y - disc.radius - 24);
    bottom = Math.max(bottom, disc.y + disc.radius);
  }
  return left === Infinity ? [-1, -1, 1, 1] : [left, top, right, bottom];
}

function fit() {
  const [left, top, right, bottom] = bounds();
  const [edge, foot] = [34, 44];
  const scale = Math.min((view.width - 2 * edge) / (right - left), (view.height - edge - foot) / (bottom - top));
  view.fit = Math.min(1.9, Math.max(0.02, scale));
  view.scale = view.fit;
  view.x = view.width / 2 - ((left + right) / 2) * view.scale;
  view.y = (view.height - foot + edge / 2) / 2 - ((top + bottom) / 2) * view.scale;
}

function resize() {
  const box = canvas.getBoundingClientRect();
  const density = Math.min(3, window.devicePixelRatio || 1);
  const moved = view.width > 0 && view.scale !== view.fit;
  view.width = box.width;
  view.height = box.height;
  canvas.width = Math.round(box.width * density);
  canvas.height = Math.round(box.height * density);
  pen.setTransform(density, 0, 0, density, 0, 0);
  if (!moved) fit();
  ask();
}

let asked = false;
function ask() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    draw();
  });
}

function curve(one, other) {
  const [ax, ay, bx, by] = [px(one.x), py(one.y), px(other.x), py(other.y)];
  const bend = 0.1;
  pen.moveTo(ax, ay);
  pen.quadraticCurveTo((ax + bx) / 2 + (by - ay) * bend, (ay + by) / 2 - (bx - ax) * bend, bx, by);
}

function drawDiscs(css) {
  map.communities.forEach((disc, number) => {
    const size = disc.radius * view.scale;
    pen.beginPath();
    pen.arc(px(disc.x), py(disc.y), size, 0, 7);
    pen.fillStyle = tint(number, theme() === "dark" ? 0.07 : 0.055);
    pen.fill();
    pen.strokeStyle = tint(number, 0.28);
    pen.lineWidth = 1;
    pen.setLineDash([1.5, 3.5]);
    pen.stroke();
    pen.setLineDash([]);
  });
}

function drawLinks(css) {
  const quiet = narrowed() || state.open >= 0;
  const classes = [[], [], []];
  // The strongest come first; of a crowd the rest would only be a fog.
  let room = 2_500;
  for (const link of map.links) {
    if (!state.shown[link.from] || !state.shown[link.to]) continue;
    if (!onScreen(map.entries[link.from]) && !onScreen(map.entries[link.to])) continue;
    if ((room -= 1) < 0) break;
    classes[link.strength >= 0.85 ? 2 : link.strength >= 0.62 ? 1 : 0].push(link);
  }
  const crowd = room < 0 ? 0.5 : 1;
  classes.forEach((group, level) => {
    pen.beginPath();
    for (const link of group) curve(map.entries[link.from], map.entries[link.to]);
    pen.strokeStyle = css.soft;
    pen.globalAlpha = [0.28, 0.4, 0.55][level] * (quiet ? 0.6 : 1) * crowd;
    pen.lineWidth = [0.8, 1, 1.2][level];
    pen.stroke();
  });
  pen.globalAlpha = 1;
  const centre = state.open >= 0 ? state.open : state.near;
  if (centre >= 0) {
    pen.beginPath();
    for (const number of links[centre]) {
      const link = map.links[number];
      if (visible(link.from) && visible(link.to)) curve(map.entries[link.from], map.entries[link.to]);
    }
    pen.strokeStyle = css.accent;
    pen.lineWidth = 1.8;
    pen.stroke();
  }
  pen.beginPath();
  map.entries.forEach((entry, number) => {
    for (const other of entry.contradicts) {
      if (other.entry > number && state.shown[number] && state.shown[other.entry]) curve(entry, map.entries[other.entry]);
    }
  });
  pen.strokeStyle = css.against;
  pen.lineWidth = 1.6;
  pen.setLineDash([5, 3]);
  pen.stroke();
  pen.setLineDash([]);
}

const onScreen = (entry) => px(entry.x) > -20 && py(entry.y) > -20 && px(entry.x) < view.width + 20 && py(entry.y) < view.height + 20;
const visible = (number) => holds(map.entries[number]) || gone(map.entries[number]);

function drawEntry(css, number, grow) {
  const entry = map.entries[number];
  const [x, y, size] = [px(entry.x), py(entry.y), radius(entry) * grow];
  if (!onScreen(entry)) return;
  const lit = state.shown[number] === 1;
  pen.globalAlpha = lit ? 1 : 0.1;
  pen.beginPath();
  pen.arc(x, y, size, 0, 7);
  if (gone(entry)) {
    pen.fillStyle = css.paper;
    pen.fill();
    pen.strokeStyle = tint(entry.community, 0.75);
    pen.lineWidth = 1.2;
    pen.stroke();
  } else {
    pen.fillStyle = css.paper;
    pen.fill();
    pen.fillStyle = tint(entry.community, presence(number));
    pen.fill();
  }
  if (!lit || !isLast()) return;
  let further = 0;
  const ring = (colour, dash) => {
    further += 3;
    pen.beginPath();
    pen.arc(x, y, size + further, 0, 7);
    pen.strokeStyle = colour;
    pen.lineWidth = 1.6;
    pen.setLineDash(dash);
    pen.stroke();
    pen.setLineDash([]);
  };
  if (entry.drift) ring(css.stale, []);
  if (entry.waits) ring(css.waits, [1.6, 2.4]);
  if (entry.contradicts.length > 0) ring(css.against, [4, 2]);
}

// What stands over the canvas takes its room first.
function furniture() {
  const own = canvas.getBoundingClientRect();
  return [el("legend"), document.querySelector(".zoom")].map((element) => {
    const box = element.getBoundingClientRect();
    return [box.left - own.left, box.top - own.top, box.right - own.left, box.bottom - own.top];
  });
}

const apartOf = (box, other) => box[2] < other[0] || other[2] < box[0] || box[3] < other[1] || other[3] < box[1];
const touches = (box, x, y, size) => (Math.max(box[0], Math.min(x, box[2])) - x) ** 2 + (Math.max(box[1], Math.min(y, box[3])) - y) ** 2 < size ** 2;

// Names stand only where nothing else stands: above their disc, else below, with as many words as there is room for. The
// larger community chooses first.
function drawNames(css) {
  const taken = furniture();
  const free = (box) => taken.every((other) => apartOf(box, other));
  const discs = map.communities.map((disc) => [px(disc.x), py(disc.y), disc.radius * view.scale]);
  const clear = (box, own) => discs.every(([x, y, size], number) => number === own || !touches(box, x, y, size - 3));
  pen.textAlign = "center";
  pen.textBaseline = "alphabetic";
  pen.lineJoin = "round";
  map.communities.forEach((disc, number) => {
    const [x, middle, edge] = discs[number];
    if (x < -edge || x > view.width + edge || middle < -edge - 30 || middle > view.height + edge + 30) return;
    const size = Math.round(Math.min(17, Math.max(12, 9.5 + Math.sqrt(disc.size) * 1.2)));
    const names = disc.names.length > 0 ? disc.names : ["on their own"];
    const places = [];
    for (let count = names.length; count > 0; count -= 1) {
      const text = names.slice(0, count).map((name) => (name.length > 28 ? `${name.slice(0, 27)}…` : name)).join(" · ");
      for (const y of [middle - edge - 7, middle + edge + size + 2]) places.push([text, y]);
    }
    // Where discs crowd, a name stands in its own.
    for (let count = names.length; count > 0; count -= 1) places.push([names.slice(0, count).join(" · "), middle + size / 3, 2 * edge - 8]);
    const boxOf = ([text, y]) => {
      // Chinese is never slanted.
      pen.font = `${isHan(text) ? "" : "italic "}600 ${size}px ${css.serif}`;
      const half = pen.measureText(text).width / 2;
      return [x - half - 5, y - size, x + half + 5, y + 5];
    };
    const fits = (place) => {
      const box = boxOf(place);
      if (place[2] !== undefined && box[2] - box[0] > place[2]) return false;
      return box[0] > 4 && box[2] < view.width - 4 && free(box) && clear(box, number);
    };
    const place = places.find(fits);
    if (!place) return;
    taken.push(boxOf(place));
    const [text, y] = place;
    pen.strokeStyle = css.paper;
    pen.lineWidth = 4;
    pen.strokeText(text, x, y);
    pen.fillStyle = tint(number);
    pen.fillText(text, x, y);
  });
  if (view.scale > 1.5 * Math.min(1, view.fit) + 0.35) drawWords(css, taken, free);
}

// Close by, the weightier entries say their words.
function drawWords(css, taken, free) {
  pen.textAlign = "left";
  pen.font = `12.5px ${css.sans}`;
  const near = map.entries
    .map((entry, number) => [entry, number])
    .filter(([entry, number]) => state.shown[number] && px(entry.x) > -200 && px(entry.x) < view.width && py(entry.y) > 0 && py(entry.y) < view.height)
    .sort((left, right) => right[0].importance - left[0].importance)
    .slice(0, 400);
  for (const [entry] of near) {
    const words = [...entry.text.replace(/\s+/g, " ")];
    const limit = isHan(entry.text) ? 16 : 34;
    const text = words.length > limit ? `${words.slice(0, limit - 1).join("")}…` : words.join("");
    const [x, y] = [px(entry.x) + radius(entry) * growth() + 5, py(entry.y) + 4];
    const box = [x - 2, y - 12, x + pen.measureText(text).width + 4, y + 4];
    if (!free(box)) continue;
    taken.push(box);
    pen.strokeStyle = css.paper;
    pen.lineWidth = 3;
    pen.strokeText(text, x, y);
    pen.fillStyle = css.ink;
    pen.fillText(text, x, y);
  }
}

function draw() {
  const css = colours();
  pen.globalAlpha = 1;
  pen.fillStyle = css.paper;
  pen.fillRect(0, 0, view.width, view.height);
  drawDiscs(css);
  drawLinks(css);
  const grow = growth();
  for (let number = map.entries.length - 1; number >= 0; number -= 1) {
    if (visible(number)) drawEntry(css, number, grow);
  }
  pen.globalAlpha = 1;
  for (const [number, width] of [[state.near, 1.6], [state.open, 2.4]]) {
    if (number < 0 || !visible(number)) continue;
    const entry = map.entries[number];
    pen.beginPath();
    pen.arc(px(entry.x), py(entry.y), radius(entry) * grow + 5.5, 0, 7);
    pen.strokeStyle = css.ink;
    pen.lineWidth = width;
    pen.stroke();
  }
  drawNames(css);
}

// The entry at a place of the canvas.
function at(x, y) {
  let [best, least] = [-1, 16 ** 2];
  for (let number = 0; number < map.entries.length; number += 1) {
    if (!state.shown[number]) continue;
    const entry = map.entries[number];
    const far = (px(entry.x) - x) ** 2 + (py(entry.y) - y) ** 2;
    if (far < least) [best, least] = [number, far];
  }
  return best;
}

function zoom(factor, x = view.width / 2, y = view.height / 2) {
  const scale = Math.min(6, Math.max(view.fit * 0.6, view.scale * factor));
  view.x = x - (x - view.x) * (scale / view.scale);
  view.y = y - (y - view.y) * (scale / view.scale);
  view.scale = scale;
  ask();
}

// Moves the map so far that an entry can be seen.
function reveal(number) {
  const [x, y, edge] = [px(map.entries[number].x), py(map.entries[number].y), 60];
  view.x += Math.max(0, edge - x) - Math.max(0, x - (view.width - edge));
  view.y += Math.max(0, edge - y) - Math.max(0, y - (view.height - edge));
  ask();
}
