// What a person does: pointer, keys, search, and the slider of dreams.
function refresh() {
  choose();
  document.body.classList.toggle("past", !isLast());
  if (state.near >= 0 && !visible(state.near)) state.near = -1;
  showList();
  showMoment();
  el("summary").textContent = summary();
  ask();
}

function near(number, tell = false) {
  if (state.near === number) return;
  if (rows[state.near]) rows[state.near].classList.remove("near");
  state.near = number;
  if (number >= 0) {
    rows[number].classList.add("near");
    if (tell) say(map.entries[number].text);
  }
  ask();
}

function showTip(number) {
  const tip = el("tip");
  tip.hidden = number < 0;
  if (number < 0) return;
  const entry = map.entries[number];
  const about = [nameOf(entry.community), entry.said ? `said ${day(entry.said)}` : null, `importance ${Math.round(entry.importance * 100)}`];
  tip.replaceChildren(spoken("p", entry.text), make("small", { text: about.filter(Boolean).join(" · ") }));
  const [x, y] = [px(entry.x), py(entry.y)];
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(x + 14, view.width - box.width - 8))}px`;
  tip.style.top = `${y + 18 + box.height > view.height ? y - box.height - 14 : y + 16}px`;
}

const pointers = new Map();
let held = null;
let spread = 0;
function pointer() {
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, place(event));
    held = { at: place(event), moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (held && pointers.size === 2) {
      pointers.set(event.pointerId, [x, y]);
      const [one, other] = [...pointers.values()];
      const apart = Math.hypot(one[0] - other[0], one[1] - other[1]);
      if (spread > 0) zoom(apart / spread, (one[0] + other[0]) / 2, (one[1] + other[1]) / 2);
      spread = apart;
      held.moved = true;
      return;
    }
    if (held) {
      const [dx, dy] = [x - held.at[0], y - held.at[1]];
      if (!held.moved && Math.hypot(dx, dy) < 4) return;
      held.moved = true;
      held.at = [x, y];
      view.x += dx;
      view.y += dy;
      canvas.classList.add("held");
      showTip(-1);
      ask();
      return;
    }
    const number = at(x, y);
    canvas.classList.toggle("over", number >= 0);
    near(number);
    showTip(number);
  });
  const release = (event) => {
    const [x, y] = place(event);
    pointers.delete(event.pointerId);
    spread = 0;
    canvas.classList.remove("held");
    if (held && !held.moved && event.type === "pointerup") {
      const number = at(x, y);
      if (number >= 0) open(number);
      else close();
    }
    if (pointers.size === 0) held = null;
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => { if (!held) { near(-1); showTip(-1); } });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [x, y] = place(event);
    showTip(-1);
    zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), x, y);
  }, { passive: false });
}

// The nearest entry in a direction.
function step(dx, dy) {
  const from = state.near >= 0 && state.shown[state.near] ? map.entries[state.near] : null;
  let [best, least] = [-1, Infinity];
  map.entries.forEach((entry, number) => {
    if (!state.shown[number] || number === state.near) return;
    const [x, y] = from ? [entry.x - from.x, entry.y - from.y] : [px(entry.x) - view.width / 2, py(entry.y) - view.height / 2];
    const along = from ? x * dx + y * dy : 0;
    if (from && along <= 0) return;
    const aside = from ? Math.abs(x * dy) + Math.abs(y * dx) : Math.hypot(x, y);
    const cost = along + aside * 2.2;
    if (cost < least) [best, least] = [number, cost];
  });
  if (best < 0) return;
  near(best, true);
  reveal(best);
  showTip(best);
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
function keys() {
  canvas.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (ARROWS[event.key]) step(...ARROWS[event.key]);
    else if (event.key === "Enter" || event.key === " ") open(state.near, true);
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (el("keys").open || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") return escape(event);
    if (typing) return;
    const does = {
      "/": () => el("search").focus(), "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: () => { fit(); ask(); },
      "[": () => moveTo(state.step - 1), "]": () => moveTo(state.step + 1), m: () => canvas.focus(), t: changeTheme, "?": () => el("keys").showModal(),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });
  el("list").addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const seen = [...el("list").querySelectorAll(".group:not([hidden]) li:not([hidden]) > .row")];
    const next = seen[seen.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  });
  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const next = (TABS.indexOf(currentTab()) + (event.key === "ArrowRight" ? 1 : TABS.length - 1)) % TABS.length;
    state.open = -1;
    tab(TABS[next], true);
    ask();
  });
}

// One thing after the other: the entry, then what narrows the view.
function escape(event) {
  if (state.open >= 0) {
    close(true);
  } else if (narrowed()) {
    el("search").value = "";
    el("show").value = "all";
    Object.assign(state, { words: [], show: "all", only: null, kinds: new Set([...KINDS, null]) });
    for (const button of el("kinds").children) button.setAttribute("aria-pressed", "true");
    refresh();
    say("Everything is shown.");
  } else {
    event.target.blur?.();
    return;
  }
  event.preventDefault();
}

function changeTheme() {
  document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark";
  themed();
}

function themed() {
  for (const { group, community } of groups) group.style.setProperty("--tint", tint(community));
  if (state.open >= 0) el("entry").style.setProperty("--tint", tint(map.entries[state.open].community));
  drawBars();
  ask();
}

function moveTo(next) {
  const step = Math.min(map.runs.length, Math.max(0, next));
  if (step === state.step) return;
  state.step = step;
  el("step").value = String(step);
  refresh();
}

function showMoment() {
  let [held, came, went] = [0, 0, 0];
  for (const entry of map.entries) {
    if (holds(entry)) held += 1;
    if (entry.since === state.step) came += 1;
    if (entry.until === state.step) went += 1;
  }
  const run = map.runs[state.step - 1];
  const title = isLast() ? "Memory as it is" : run ? `After the dream of ${day(run.at)}` : "Before the first dream";
  const project = run && map.projects.length > 1 ? ` · ${map.projects[run.project]}` : "";
  const words = `${many(held, "entry", "entries")}${run ? `, ${came} came, ${went} left` : ""}${project}`;
  el("moment").replaceChildren(make("b", { text: title }), words);
  el("step").setAttribute("aria-valuetext", `${title}, ${words}`);
  drawBars();
}

// What each dream brought stands up, what it took hangs down.
function drawBars() {
  const bars = el("bars");
  const box = bars.getBoundingClientRect();
  if (box.width === 0) return;
  const density = window.devicePixelRatio || 1;
  bars.width = Math.round(box.width * density);
  bars.height = Math.round(box.height * density);
  const brush = bars.getContext("2d");
  brush.scale(density, density);
  const steps = map.runs.length;
  const came = new Array(steps + 1).fill(0);
  const went = new Array(steps + 1).fill(0);
  for (const entry of map.entries) {
    came[entry.since] += 1;
    if (entry.until !== null) went[entry.until] += 1;
  }
  came[0] = 0;
  const most = Math.max(1, ...came, ...went);
  const css = colours();
  const slot = steps > 0 ? box.width / steps : box.width;
  const width = Math.max(1, Math.min(9, slot - 2));
  for (let step = 1; step <= steps; step += 1) {
    const x = slot * step - width / 2;
    const left = Math.min(Math.max(0, x), box.width - width);
    brush.globalAlpha = step <= state.step ? 1 : 0.35;
    brush.fillStyle = css.accent;
    const up = came[step] === 0 ? 0 : 2 + 13 * Math.sqrt(came[step] / most);
    brush.fillRect(left, 16 - up, width, up);
    brush.fillStyle = css.faint;
    const down = went[step] === 0 ? 0 : 2 + 7 * Math.sqrt(went[step] / most);
    brush.fillRect(left, 17, width, down);
  }
}
