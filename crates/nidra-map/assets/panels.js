// What stands beside the map: the list, the things, what is open, and one entry in full.
const rows = new Array(map.entries.length);
const groups = [];

const SIGNS = [
  [(entry) => entry.contradicts.length > 0, "against", () => "contradicts"],
  [(entry) => entry.drift !== null, "stale", (entry) => entry.drift.verdict],
  [(entry) => entry.waits !== null, "waits", () => "waits for you"],
  [(entry) => entry.left !== null, "gone", (entry) => entry.left.verb],
];

function signs(entry) {
  const found = SIGNS.filter(([test]) => test(entry));
  return found.length === 0 ? null : make("span", { class: "signs" }, ...found.map(([, name, words]) => make("span", { class: `sign ${name}`, text: words(entry) })));
}

function buildList() {
  const list = el("list");
  const members = map.communities.map(() => []);
  map.entries.forEach((entry, number) => members[entry.community]?.push(number));
  members.forEach((numbers, community) => {
    numbers.sort((left, right) => map.entries[right].active - map.entries[left].active || map.entries[right].importance - map.entries[left].importance);
    const body = make("ul", { class: "rows" });
    const count = make("span");
    for (const number of numbers) {
      const entry = map.entries[number];
      const row = make("button", { class: "row", type: "button", onclick: () => open(number, true), onmouseenter: () => near(number), onfocus: () => near(number) },
        make("span", { class: "weight", text: String(Math.round(entry.importance * 100)), "aria-label": `importance ${Math.round(entry.importance * 100)} of 100,` }),
        spoken("span", entry.text, { class: "words" }), signs(entry));
      rows[number] = row;
      body.append(make("li", {}, row));
    }
    const group = make("section", { class: "group", tint: tint(community) },
      make("h2", { lang: isHan(nameOf(community)) ? "zh" : null }, make("i", { "aria-hidden": "true" }), nameOf(community), count), body);
    groups.push({ group, count, numbers, community });
    list.append(group);
  });
  list.append(make("p", { class: "none", id: "none", text: "Nothing fits. Clear the search, or show everything.", hidden: true }));
}

let marked = "";
function showList() {
  const words = state.words.join(" ");
  let all = 0;
  for (const { group, count, numbers, community } of groups) {
    let shown = 0;
    for (const number of numbers) {
      const [entry, row] = [map.entries[number], rows[number]];
      const there = state.shown[number] === 1;
      if (row.parentElement.hidden === there) row.parentElement.hidden = !there;
      if (!there) continue;
      shown += 1;
      row.classList.toggle("gone", gone(entry));
      // Marks follow what is searched for.
      if (words !== marked || words !== "") row.querySelector(".words").replaceWith(spoken("span", entry.text, { class: "words" }));
    }
    all += shown;
    group.hidden = shown === 0;
    count.textContent = String(shown);
    group.style.setProperty("--tint", tint(community));
  }
  if (words !== marked && words === "") rows.forEach((row, number) => row.querySelector("mark") && row.querySelector(".words").replaceWith(spoken("span", map.entries[number].text, { class: "words" })));
  marked = words;
  el("none").hidden = all > 0;
  el("count-list").textContent = all.toLocaleString("en");
}

function thing(number) {
  const entity = map.entities[number];
  const chosen = () => {
    el("search").value = "";
    state.words = [];
    state.only = new Set(entity.entries);
    close();
    refresh();
    tab("list");
    say(`${entity.entries.length} entries name ${entity.name}. Escape shows all again.`);
  };
  return make("button", { class: "thing", type: "button", title: entity.kind, onclick: chosen }, spoken("b", entity.name), " ", make("span", { text: String(entity.entries.length) }));
}

function buildThings() {
  const panel = el("things");
  const kinds = [...new Set(map.entities.map((entity) => entity.kind))];
  const names = { person: "People", service: "Services", file: "Files", tool: "Tools", ticket: "Tickets", error: "Errors", name: "Names from code" };
  for (const kind of kinds) {
    const held = map.entities.map((entity, number) => [entity, number]).filter(([entity]) => entity.kind === kind);
    panel.append(make("section", { class: "group" }, make("h2", { text: names[kind] ?? kind }), make("div", { class: "things" }, ...held.map(([, number]) => thing(number)))));
  }
  if (kinds.length === 0) panel.append(make("p", { class: "none", text: "No person, service, file or ticket is named by two entries yet." }));
  el("count-things").textContent = map.entities.length.toLocaleString("en");
}

function buildLoops() {
  const panel = el("loops");
  const names = { question: "Contradiction", plan: "Waits for your word", task: "Task" };
  const commands = { question: (loop) => `nidra review --keep-first ${loop.name.slice(0, 8)}`, plan: (loop) => `nidra apply ${loop.name.slice(0, 8)}`, task: (loop) => `nidra task show ${loop.name}` };
  for (const loop of map.loops) {
    const which = loop.entries.length === 2 ? ["open the first", "open the second"] : loop.entries.map(() => "open the entry");
    const entries = loop.entries.map((number, at) => make("button", { class: "turn", type: "button", text: which[at], onclick: () => open(number, true) }));
    panel.append(make("section", { class: "loop" },
      make("span", { class: `sign ${{ question: "against", plan: "waits", task: "gone" }[loop.kind]}`, text: names[loop.kind] }),
      spoken("h3", loop.text), spoken("p", loop.detail),
      make("p", {}, `since ${day(loop.at)} · `, make("code", { text: commands[loop.kind](loop) })), ...entries));
  }
  if (map.loops.length === 0) panel.append(make("p", { class: "none", text: "Nothing is open: no task, no plan that waits, no contradiction." }));
  el("count-loops").textContent = map.loops.length.toLocaleString("en");
}

const TABS = ["list", "things", "loops"];
function tab(name, focus = false) {
  el("entry").hidden = true;
  for (const one of TABS) {
    el(one).hidden = one !== name;
    el(`tab-${one}`).setAttribute("aria-selected", String(one === name));
    el(`tab-${one}`).tabIndex = one === name ? 0 : -1;
  }
  if (focus) el(`tab-${name}`).focus();
}
const currentTab = () => TABS.find((name) => el(`tab-${name}`).getAttribute("aria-selected") === "true");

// A button that opens another entry.
function jump(number, reason) {
  const entry = map.entries[number];
  return make("button", { class: "jump", type: "button", onclick: () => open(number, true) },
    spoken("span", entry.text), reason ? make("small", { text: reason }) : null);
}

function fact(name, ...values) {
  return [make("dt", { text: name }), make("dd", {}, ...values)];
}

function notice(name, title, words) {
  return make("div", { class: `notice ${name}` }, make("p", {}, make("b", { text: title }), " ", ...words));
}

function notices(entry) {
  const found = [];
  if (entry.left) {
    found.push(notice("gone", `${entry.left.verb} on ${entry.left.date}:`, [spoken("span", entry.left.reason)]));
  }
  for (const other of entry.contradicts) {
    found.push(notice("against", "Cannot be true together with", [spoken("span", `“${map.entries[other.entry].text}”`), " ", make("code", { text: `nidra review --keep-first ${other.plan.slice(0, 8)}` })]));
  }
  if (entry.drift) {
    found.push(notice("stale", entry.drift.verdict === "moved" ? "Elsewhere in the checkout:" : "The checkout does not bear it out:", [spoken("span", entry.drift.findings.join("; "))]));
  }
  if (entry.waits) found.push(notice("waits", "A change of it waits for your word.", [make("code", { text: `nidra apply ${entry.waits.slice(0, 8)}` })]));
  return found;
}

function buildEntry(number) {
  const entry = map.entries[number];
  const panel = el("entry");
  const project = map.projects.length > 1 ? `${map.projects[entry.project]} · ` : "";
  const importance = Math.round(entry.importance * 100);
  panel.style.setProperty("--tint", tint(entry.community));
  const quotes = entry.evidence.map((quote) => make("blockquote", { class: `quote ${quote.speaker === "you" ? "you" : ""}` },
    spoken("p", quote.words),
    make("footer", {}, `${quote.speaker}${quote.at ? `, ${time(quote.at)}` : ""} · session ${quote.session} · record ${quote.record}`)));
  if (entry.more_evidence > 0) quotes.push(make("p", { class: "kicker", text: `and ${many(entry.more_evidence, "more quotation", "more quotations")}; nidra why ${entry.id.slice(0, 8)} shows them` }));
  if (quotes.length === 0) quotes.push(make("p", { class: "kicker", text: "Nothing is known: you or another tool wrote it, or nidra's state is not here any more." }));
  const chain = [
    ...entry.took_the_place_of.map((old) => jump(old, "it took the place of this")),
    ...followers[number].map((next) => jump(next, "this took its place")),
  ];
  const associated = links[number].map((at) => {
    const link = map.links[at];
    const across = link.across_projects ? " · across projects" : link.across_sessions ? " · across sessions" : "";
    return jump(link.from === number ? link.to : link.from, `${link.reason}${across}`);
  });
  const parts = [
    make("button", { class: "back", type: "button", text: "← back to the list", onclick: () => close(true) }),
    make("p", { class: "kicker", text: `${project}${nameOf(entry.community)}` }),
    spoken("h2", entry.text, { class: "words", id: "entry-words", tabindex: "-1" }),
    ...notices(entry),
    make("dl", {},
      ...fact("importance", make("span", { class: "meter" }, make("i", { width: `${importance}%` })), `${importance} of 100`),
      ...fact("trust", entry.rank ? entry.rank.replace("-", " ") : "not known"),
      ...(entry.kind ? fact("kind", entry.kind) : []),
      ...fact("last said", entry.said ? day(entry.said) : "not known"),
      ...fact("in memory", entry.since === 0 ? "from before the first dream" : `since the dream of ${day(map.runs[entry.since - 1].at)}`),
      ...fact("stands in", make("code", { text: `${entry.path}:${entry.line}` }))),
    make("h3", { text: "Rests on" }), ...quotes,
  ];
  if (chain.length > 0) parts.push(make("h3", { text: "Before and after" }), ...chain);
  if (associated.length > 0) parts.push(make("h3", { text: "Has to do with" }), ...associated);
  if (things[number].length > 0) parts.push(make("h3", { text: "Names" }), make("div", { class: "things" }, ...things[number].map(thing)));
  panel.replaceChildren(...parts);
}

let cameFrom = null;
function open(number, focus = false) {
  if (number < 0) return;
  if (state.open < 0) cameFrom = document.activeElement;
  state.open = number;
  state.near = number;
  buildEntry(number);
  for (const one of TABS) el(one).hidden = true;
  el("entry").hidden = false;
  el("entry").scrollTop = 0;
  history.replaceState(null, "", `#${map.entries[number].id}`);
  reveal(number);
  if (focus) el("entry-words").focus({ preventScroll: true });
}

function close(focus = false) {
  if (state.open < 0) return;
  const row = rows[state.open];
  state.open = -1;
  tab(currentTab());
  history.replaceState(null, "", location.pathname);
  if (focus) (cameFrom?.isConnected && cameFrom !== document.body ? cameFrom : row ?? canvas).focus();
  ask();
}

const say = (words) => { el("spoken").textContent = words; };
