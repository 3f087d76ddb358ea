// What the page knows, and what of it is shown now.
const map = JSON.parse(document.getElementById("data").textContent);
const el = (id) => document.getElementById(id);
const now = Date.parse(map.made);
const DAY = 86_400_000;
const KINDS = ["user", "feedback", "project", "reference"];

const state = {
  step: map.runs.length,
  words: [],
  show: "all",
  kinds: new Set([...KINDS, null]),
  only: null, // the entries of a thing
  open: -1,
  near: -1, // under the pointer or the keys
  shown: new Uint8Array(map.entries.length),
};

// Words are compared without regard to case, width and accents.
const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const haystack = map.entries.map((entry) =>
  fold([entry.text, entry.path, entry.topic, entry.id, entry.kind ?? "", ...entry.evidence.flatMap((quote) => [quote.words, quote.session])].join("\n")));
const saidAt = map.entries.map((entry) => (entry.said ? Date.parse(entry.said) : NaN));
const links = map.entries.map(() => []);
map.links.forEach((link, number) => {
  links[link.from].push(number);
  links[link.to].push(number);
});
const things = map.entries.map(() => []);
map.entities.forEach((entity, number) => entity.entries.forEach((entry) => things[entry].push(number)));
const followers = map.entries.map(() => []);
map.entries.forEach((entry, number) => entry.took_the_place_of.forEach((old) => followers[old].push(number)));

// Whether memory held an entry after the dream of a step, had lost it, or did not know it yet.
const heldAt = (entry, step) => entry.since <= step && (entry.until === null || entry.until > step);
const goneAt = (entry, step) => entry.since <= step && entry.until !== null && entry.until <= step;
const isLast = () => state.step === map.runs.length;
const holds = (entry) => (isLast() ? entry.active : heldAt(entry, state.step));
const gone = (entry) => (isLast() ? !entry.active : goneAt(entry, state.step));

const TESTS = {
  all: () => true,
  holds,
  strong: (entry) => holds(entry) && entry.importance >= 0.5,
  weak: (entry) => holds(entry) && entry.importance < 0.25,
  stale: (entry) => entry.drift !== null,
  contradicts: (entry) => entry.contradicts.length > 0,
  waits: (entry) => entry.waits !== null,
  left: gone,
};

function choose() {
  const test = TESTS[state.show];
  map.entries.forEach((entry, number) => {
    const there = holds(entry) || gone(entry);
    const fits = there && test(entry) && state.kinds.has(KINDS.includes(entry.kind) ? entry.kind : null)
      && (state.only === null || state.only.has(number))
      && state.words.every((word) => haystack[number].includes(word));
    state.shown[number] = fits ? 1 : 0;
  });
}

const narrowed = () => state.words.length > 0 || state.only !== null || state.show !== "all" || state.kinds.size <= KINDS.length;

const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const times = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
const day = (moment) => dates.format(new Date(moment));
const time = (moment) => times.format(new Date(moment));
const many = (count, one, several) => `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
const isHan = (text) => /\p{Script=Han}/u.test(text);
const nameOf = (community) => {
  const names = map.communities[community]?.names ?? [];
  return names.length > 0 ? names.join(" · ") : "on their own";
};

// An element with text alone: what memory says is never markup.
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") made.textContent = value;
    else if (key === "tint") made.style.setProperty("--tint", value);
    else if (key === "width") made.style.width = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Words of memory, each in the direction and language that they have, with what was searched for marked.
function spoken(name, text, attributes = {}) {
  const made = make(name, { dir: "auto", lang: isHan(text) ? "zh" : null, ...attributes });
  if (state.words.length === 0) {
    made.textContent = text;
    return made;
  }
  const folded = [...text].map((letter) => fold(letter));
  const letters = [...text];
  const marked = new Uint8Array(letters.length);
  const whole = folded.join("");
  const starts = [];
  folded.forEach((part, at) => { for (let n = 0; n < part.length; n += 1) starts.push(at); });
  for (const word of state.words) {
    for (let at = whole.indexOf(word); at >= 0; at = whole.indexOf(word, at + 1)) {
      for (let n = at; n < at + word.length; n += 1) marked[starts[n]] = 1;
    }
  }
  let run = "";
  letters.forEach((letter, at) => {
    if (at > 0 && marked[at] !== marked[at - 1]) {
      made.append(marked[at - 1] ? make("mark", { text: run }) : run);
      run = "";
    }
    run += letter;
  });
  made.append(marked[letters.length - 1] ? make("mark", { text: run }) : run);
  return made;
}
