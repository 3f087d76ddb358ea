// Puts everything together once.
function summary() {
  const shown = state.shown.reduce((sum, one) => sum + one, 0);
  const active = map.entries.filter((entry) => entry.active).length;
  const communities = map.communities.filter((community) => community.names.length > 0).length;
  const whole = `${many(active, "entry", "entries")} in memory, ${map.entries.length - active} left it · ${many(communities, "community", "communities")} · ${many(map.links.length, "link", "links")}`;
  return narrowed() ? `${shown.toLocaleString("en")} shown · ${whole}` : whole;
}

function buildHead() {
  el("title").textContent = map.title;
  el("title").title = `made ${time(map.made)}`;
  for (const kind of KINDS) {
    const toggle = (event) => {
      const on = event.currentTarget.getAttribute("aria-pressed") !== "true";
      event.currentTarget.setAttribute("aria-pressed", String(on));
      if (on) state.kinds.add(kind);
      else state.kinds.delete(kind);
      refresh();
    };
    el("kinds").append(make("button", { type: "button", "aria-pressed": "true", text: kind, onclick: toggle }));
  }
  const SHAPES = [
    ["solid-dot", "holds; larger: more important, paler: said long ago", {}],
    ["", "left memory", { r: "4.5" }],
    ["stale", "stale", { r: "6" }],
    ["against", "contradiction", { r: "6", "stroke-dasharray": "4 2" }],
    ["waits", "waits for you", { r: "6", "stroke-dasharray": "1.6 2.4" }],
  ];
  for (const [name, words, shape] of SHAPES) {
    const dot = el("dot").content.firstElementChild.cloneNode(true);
    for (const [key, value] of Object.entries(shape)) dot.firstElementChild.setAttribute(key, value);
    el("legend").append(make("li", { class: name }, dot, words));
  }
  const KEYS = [
    ["/", "search"], ["m", "to the map"], ["← ↑ → ↓", "from entry to entry, on the map"], ["Enter", "open the entry"], ["Esc", "back; then show everything"],
    ["+ − 0", "closer, farther, the whole map"], ["[ ]", "one dream back, one dream on"], ["t", "light or dark"],
  ];
  for (const [key, words] of KEYS) el("keys-list").append(make("dt", {}, make("kbd", { text: key })), make("dd", { text: words }));
}

function wire() {
  let waiting = 0;
  el("search").addEventListener("input", (event) => {
    clearTimeout(waiting);
    const words = fold(event.target.value).split(/\s+/).filter(Boolean);
    waiting = setTimeout(() => {
      state.words = words;
      close();
      refresh();
    }, 60);
  });
  el("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter") el("list").querySelector(".group:not([hidden]) li:not([hidden]) > .row")?.focus();
  });
  el("show").addEventListener("change", (event) => {
    state.show = event.target.value;
    close();
    refresh();
  });
  el("theme").addEventListener("click", changeTheme);
  el("help").addEventListener("click", () => el("keys").showModal());
  el("closer").addEventListener("click", () => zoom(1.35));
  el("farther").addEventListener("click", () => zoom(1 / 1.35));
  el("whole").addEventListener("click", () => { fit(); ask(); });
  el("before").addEventListener("click", () => moveTo(state.step - 1));
  el("after").addEventListener("click", () => moveTo(state.step + 1));
  el("step").addEventListener("input", (event) => moveTo(Number(event.target.value)));
  for (const name of TABS) {
    el(`tab-${name}`).addEventListener("click", () => {
      state.open = -1;
      tab(name);
      ask();
    });
  }
  new ResizeObserver(() => { resize(); drawBars(); }).observe(canvas);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => {
    document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
    themed();
  });
}

const began = performance.now();
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
canvas.setAttribute("aria-label", `Map of ${many(map.entries.length, "entry", "entries")}. Arrow keys go from entry to entry, Enter opens one. The list beside it holds the same entries.`);
buildHead();
choose();
buildList();
buildThings();
buildLoops();
el("step").max = String(map.runs.length);
el("step").value = String(map.runs.length);
document.querySelector(".time").classList.toggle("still", map.runs.length === 0);
pointer();
keys();
wire();
resize();
refresh();
const wanted = map.entries.findIndex((entry) => location.hash === `#${entry.id}`);
if (wanted >= 0) open(wanted);
draw();
document.documentElement.dataset.ready = (performance.now() - began).toFixed(1);
