//! The page of the map in a real browser: it draws, finds, opens, goes back in time, and can be used by keys alone; it
//! asks for nothing outside of itself, whatever memory says.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::used_underscore_binding,
    clippy::format_push_string,
    reason = "helpers of tests fail like tests"
)]

mod driver;
mod large;
mod scene;

use driver::Browser;
use nidra_map::{Entry, Map, page};
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// The words of the entries that the list shows, in its order.
const LISTED: &str =
    "return [...document.querySelectorAll('#list .group:not([hidden]) li:not([hidden]) .words')]
    .map((words) => words.textContent)";
/// The words of the entry that is open.
const OPEN: &str = "return document.getElementById('entry').hidden ? '' : document.getElementById('entry-words').textContent";
/// Names that were drawn last, each with its box.
const RECORD_NAMES: &str = "
    window.drawn = [];
    const draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const half = this.textAlign === 'center' ? this.measureText(text).width / 2 : 0;
        const size = parseFloat(this.font.match(/([\\d.]+)px/)[1]);
        window.drawn.push({ text, box: [x - half, y - size * 0.8, x + half, y + size * 0.2], size });
        return draw.apply(this, arguments);
    };
    const fill = CanvasRenderingContext2D.prototype.fillRect;
    CanvasRenderingContext2D.prototype.fillRect = function (x, y, width, height) {
        if (this.canvas.id === 'map' && x === 0 && y === 0) window.drawn = [];
        return fill.apply(this, arguments);
    };";

/// A page in a folder of its own.
struct Page {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Page {
    fn of(map: &Map) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.html");
        fs::write(&path, page::page(map).unwrap()).unwrap();
        Self { _folder: folder, path }
    }
}

fn opened(map: &Map) -> (Browser, Page) {
    let browser = Browser::start();
    let page = Page::of(map);
    browser.command("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": RECORD_NAMES }));
    browser.open(&page.path);
    (browser, page)
}

/// Saves a picture where cargo lets tests write; `docs/images` holds some of them.
fn save(browser: &Browser, name: &str) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("map");
    fs::create_dir_all(&folder).unwrap();
    let picture = browser.picture();
    assert!(picture.starts_with(b"\x89PNG"), "a picture");
    fs::write(folder.join(format!("{name}.png")), picture).unwrap();
}

/// Nothing went wrong and nothing was asked for.
#[track_caller]
fn quiet(browser: &Browser) {
    assert_eq!(browser.complaints(), Vec::<String>::new());
    assert_eq!(browser.requests(), Vec::<String>::new());
}

fn texts<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<&'a str> {
    let mut texts: Vec<&str> = entries.map(|entry| entry.text.as_str()).collect();
    texts.sort_unstable();
    texts
}

/// Waits until the list shows these entries and no others.
#[track_caller]
fn lists(browser: &Browser, expected: &[&str]) {
    browser.wait(&format!(
        "const shown = (() => {{ {LISTED} }})(), expected = {};
         return JSON.stringify(shown.sort()) === JSON.stringify(expected.sort())",
        json!(expected)
    ));
    assert_eq!(
        browser.text("return document.getElementById('count-list').textContent"),
        expected.len().to_string()
    );
}

#[test]
fn the_page_draws_lists_finds_and_opens_entries_with_their_evidence() {
    let map = scene::scene();
    let (browser, _page) = opened(&map);
    save(&browser, "light");
    lists(&browser, &texts(map.entries.iter()));
    let names = browser.run("return window.drawn.map((one) => one.text)");
    assert!(names.as_array().unwrap().len() >= map.communities.len() * 3 / 4, "{names}");

    // Search finds words of entries and of what they rest on, in both languages.
    for asked in ["kafka", "对账", "stop with the bullet"] {
        browser.run(&format!(
            "const box = document.getElementById('search'); box.value = {}; box.dispatchEvent(new Event('input'))",
            json!(asked)
        ));
        let held = |entry: &&Entry| {
            let said = entry.evidence.iter().any(|quote| quote.words.to_lowercase().contains(asked));
            said || format!("{} {}", entry.text, entry.path).to_lowercase().contains(asked)
        };
        let expected = texts(map.entries.iter().filter(held));
        assert!(!expected.is_empty() && expected.len() < map.entries.len());
        lists(&browser, &expected);
    }
    // Of the last one, the word that the entry itself holds is marked.
    assert_eq!(
        browser.text(
            "return document.querySelector('#list .group:not([hidden]) li:not([hidden]) mark').textContent"
        ),
        "bullet"
    );

    // What is stale, contradicts, waits or left is found by its sign.
    browser.press(&["Escape"]);
    for (choice, fits) in [
        ("stale", (|entry| entry.drift.is_some()) as fn(&Entry) -> bool),
        ("contradicts", |entry| !entry.contradicts.is_empty()),
        ("waits", |entry| entry.waits.is_some()),
        ("left", |entry| !entry.active),
    ] {
        browser.run(&format!(
            "const box = document.getElementById('search'); box.value = ''; box.dispatchEvent(new Event('input'));
             const pick = document.getElementById('show'); pick.value = '{choice}'; pick.dispatchEvent(new Event('change'))"
        ));
        let expected = texts(map.entries.iter().filter(|entry| fits(entry)));
        assert!(!expected.is_empty(), "{choice}");
        lists(&browser, &expected);
    }
    browser.run("const pick = document.getElementById('show'); pick.value = 'all'; pick.dispatchEvent(new Event('change'))");
    lists(&browser, &texts(map.entries.iter()));

    // An entry says who said it, when and where, and what it has to do with.
    let decided =
        map.entries.iter().find(|entry| entry.text.starts_with("We decided to move berth")).unwrap();
    browser.run(
        "[...document.querySelectorAll('.row')].find((row) => row.textContent.includes('We decided to move berth')).click()",
    );
    assert_eq!(browser.text(OPEN), decided.text);
    browser.command(
        "Emulation.setEmulatedMedia",
        &json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }),
    );
    browser.wait("return document.documentElement.dataset.theme === 'dark'");
    save(&browser, "entry");
    let told = browser.text("return document.getElementById('entry').innerText");
    for quote in &decided.evidence {
        for words in [&quote.words, &quote.session, &quote.record] {
            assert!(told.contains(words.as_str()), "{words}: {told}");
        }
    }
    assert!(told.contains(&format!("{}:{}", decided.path, decided.line)), "{told}");
    let number = map.entries.iter().position(|entry| entry.id == decided.id).unwrap();
    let links: Vec<_> = map.links.iter().filter(|link| link.from == number || link.to == number).collect();
    assert!(!links.is_empty());
    for link in links {
        assert!(told.contains(&link.reason), "{}: {told}", link.reason);
    }
    browser.press(&["Escape"]);
    assert_eq!(browser.text(OPEN), "");

    // What is open stands behind its tab.
    browser.run("document.getElementById('tab-loops').click()");
    let told = browser.text("return document.getElementById('loops').innerText");
    for open in &map.loops {
        assert!(told.contains(&open.text) && told.contains(&open.detail), "{}: {told}", open.text);
    }
    browser.run("document.getElementById('tab-things').click()");
    save(&browser, "things");
    quiet(&browser);
}

#[test]
fn names_do_not_overlap_at_rest_and_texts_can_be_read_in_both_themes() {
    let map = scene::scene();
    let (browser, _page) = opened(&map);
    for theme in ["light", "dark"] {
        browser.command(
            "Emulation.setEmulatedMedia",
            &json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] }),
        );
        browser.wait(&format!("return document.documentElement.dataset.theme === '{theme}'"));
        browser.run_until_told("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))");
        let overlaps = browser.run(
            "return window.drawn.flatMap((one, at) => window.drawn.slice(at + 1)
                .filter((other) => one.box[0] < other.box[2] && other.box[0] < one.box[2] && one.box[1] < other.box[3] && other.box[1] < one.box[3])
                .map((other) => `${one.text} / ${other.text}`))",
        );
        assert_eq!(overlaps, json!([]), "{theme}");
        // The contrast of each text with what lies behind it, as WCAG counts it.
        let pale = browser.run(
            "const light = (colour) => {
                const parts = colour.match(/[\\d.]+/g).map(Number);
                const [r, g, b] = parts.slice(0, 3).map((part) => part / 255).map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const behind = (element) => {
                for (let at = element; at; at = at.parentElement) {
                    const colour = getComputedStyle(at).backgroundColor;
                    if (!/, 0\\)$/.test(colour) && colour !== 'transparent') return colour;
                }
                return 'rgb(255, 255, 255)';
            };
            const parts = ['h1', '#summary', '.row .words', '.group h2', '.tabs button', '#moment', '#moment b', '.legend li', '.sign.stale', '.sign.against', '.sign.waits', '.row .weight'];
            return parts.flatMap((part) => {
                const element = document.querySelector(part);
                if (!element) return [`${part} is not there`];
                const [one, other] = [light(getComputedStyle(element).color), light(behind(element))];
                const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
                return contrast < 4.5 ? [`${part} ${contrast.toFixed(2)}`] : [];
            })",
        );
        assert_eq!(pale, json!([]), "{theme}");
        save(&browser, theme);
    }
    quiet(&browser);
}

#[test]
fn keys_alone_reach_everything() {
    let map = scene::scene();
    let (browser, _page) = opened(&map);
    browser.press(&["/", "k", "a", "f", "k", "a"]);
    browser.wait("return Number(document.getElementById('count-list').textContent) < 20");
    // From the search into the list, down, and into an entry.
    browser.press(&["Enter", "Down", "Enter"]);
    let open = browser.text(OPEN);
    assert!(map.entries.iter().any(|entry| entry.text == open), "{open}");
    browser.press(&["Escape"]);
    assert_eq!(browser.text(OPEN), "");
    assert!(browser.text("return document.activeElement.className").contains("row"));
    browser.press(&["Escape"]);
    browser.wait(&format!(
        "return document.getElementById('count-list').textContent === '{}'",
        map.entries.len()
    ));

    // On the map from entry to entry; what is reached is spoken.
    browser.run("document.activeElement.blur()");
    browser.press(&["m", "Right", "Right", "Down"]);
    let spoken = browser.text("return document.getElementById('spoken').textContent");
    assert!(map.entries.iter().any(|entry| entry.text == spoken), "{spoken}");
    browser.press(&["Enter"]);
    assert_eq!(browser.text(OPEN), spoken);
    browser.press(&["Escape"]);

    // Under the pointer an entry says its words, and a click opens it.
    let found = browser.run(
        "const map = document.getElementById('map'), box = map.getBoundingClientRect(), tip = document.getElementById('tip');
         for (let y = box.top + 40; y < box.bottom - 60; y += 7) {
            for (let x = box.left + 40; x < box.right - 60; x += 7) {
                map.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y }));
                if (!tip.hidden) return [x, y, tip.querySelector('p').textContent];
            }
         }",
    );
    browser.click(found[0].as_f64().unwrap(), found[1].as_f64().unwrap());
    assert_eq!(browser.text(OPEN), found[2].as_str().unwrap());
    browser.press(&["Escape", "t"]);
    browser.wait("return document.documentElement.dataset.theme === 'dark'");
    browser.press(&["?"]);
    assert_eq!(browser.run("return document.getElementById('keys').open"), json!(true));
    browser.press(&["Escape"]);
    quiet(&browser);
}

#[test]
fn the_slider_shows_what_memory_held_after_each_dream() {
    let map = scene::scene();
    let (browser, _page) = opened(&map);
    let last = map.runs.len();
    for step in (0..last).rev() {
        browser.run("document.activeElement.blur()");
        browser.press(&["["]);
        let held = |entry: &&Entry| entry.since <= step && entry.until.is_none_or(|until| until > step);
        let count = map.entries.iter().filter(held).count();
        let told = browser.text("return document.getElementById('moment').textContent");
        let word = if count == 1 { "entry" } else { "entries" };
        assert!(told.contains(&format!("{count} {word}")), "{step}: {told}, not {count}");
        if step == 6 {
            save(&browser, "then");
            let there = |entry: &&Entry| entry.since <= step;
            lists(&browser, &texts(map.entries.iter().filter(there)));
            let gone = |entry: &&Entry| entry.since <= step && entry.until.is_some_and(|until| until <= step);
            let struck =
                browser.run("return document.querySelectorAll('li:not([hidden]) > .row.gone').length");
            assert_eq!(struck, json!(map.entries.iter().filter(gone).count()));
        }
    }
    assert!(
        browser.text("return document.getElementById('moment').textContent").starts_with("Before the first")
    );
    // The same by the slider itself.
    browser.run("document.getElementById('step').focus()");
    browser.press(&["Right"]);
    assert!(
        browser
            .text("return document.getElementById('moment').textContent")
            .starts_with("After the dream of")
    );
    quiet(&browser);
}

#[test]
fn nothing_that_memory_says_runs_or_reaches_out() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut map = scene::scene();
    let hostile = [
        "</script><script>window.ran = 1</script>".to_owned(),
        "<!-- <script> --> \u{2028} window.ran = 2 \u{2029}".to_owned(),
        format!("<img src=http://127.0.0.1:{port}/x onerror='window.ran = 3'>"),
        "javascript:window.ran = 4 \u{202e}txet desrever".to_owned(),
    ];
    for (entry, words) in map.entries.iter_mut().zip(&hostile) {
        entry.text.clone_from(words);
        for quote in &mut entry.evidence {
            quote.words.clone_from(words);
            quote.session.clone_from(words);
        }
    }
    map.title = hostile.concat();
    map.communities[0].names = vec![hostile[0].clone()];
    map.loops[0].text.clone_from(&hostile[2]);
    let (browser, _page) = opened(&map);
    for words in &hostile {
        browser.run(&format!(
            "[...document.querySelectorAll('.row')].find((row) => row.textContent.includes({})).click()",
            json!(words)
        ));
        assert_eq!(&browser.text(OPEN), words);
    }
    assert_eq!(browser.run("return [typeof window.ran, document.images.length]"), json!(["undefined", 0]));
    quiet(&browser);
    // Even if something got in, the policy would not let it run or call.
    let called = browser.run_until_told(&format!(
        "const done = arguments[0];
         const script = document.createElement('script'); script.textContent = 'window.ran = 5'; document.body.append(script);
         const image = new Image(); image.src = 'http://127.0.0.1:{port}/y'; document.body.append(image);
         fetch('http://127.0.0.1:{port}/z').then(() => done('called'), () => done('refused'))"
    ));
    assert_eq!(called, json!("refused"));
    assert_eq!(browser.text("return typeof window.ran"), "undefined");
    assert!(listener.accept().is_err(), "nobody came");
}

#[test]
fn five_thousand_entries_are_no_burden() {
    let began = std::time::Instant::now();
    let map = large::memory(5_000);
    let made = began.elapsed().as_millis();
    assert_eq!(map.active().count(), 5_000);
    let (browser, page) = opened(&map);
    let bytes = fs::metadata(&page.path).unwrap().len();
    let ready: f64 = browser.text("return document.documentElement.dataset.ready").parse().unwrap();
    let paint = browser
        .run("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
        .as_f64()
        .unwrap();
    save(&browser, "large");
    // Drawing while the map is moved and enlarged.
    let frame = browser
        .run_until_told(
            "const done = arguments[0], map = document.getElementById('map'), times = [];
             const turn = (left) => {
                const began = performance.now();
                map.dispatchEvent(new WheelEvent('wheel', { deltaY: left % 2 ? -90 : 60, clientX: 400, clientY: 400, cancelable: true }));
                requestAnimationFrame(() => { times.push(performance.now() - began); left > 0 ? turn(left - 1) : done(times.sort((a, b) => a - b)[times.length >> 1]) });
             };
             turn(20)",
        )
        .as_f64()
        .unwrap();
    // What the same browser needs at the same moment to draw as many discs and lines and nothing else.
    let bare = browser
        .run(
            "const sheet = document.createElement('canvas'), map = document.getElementById('map'), times = [];
             [sheet.width, sheet.height] = [map.width, map.height];
             const pen = sheet.getContext('2d', { willReadFrequently: true });
             for (let round = 0; round < 7; round++) {
                const began = performance.now();
                for (let line = 0; line < 27000; line++) { pen.beginPath(); pen.moveTo(line % 900, line % 700); pen.lineTo(line % 700, line % 900); pen.stroke() }
                for (let disc = 0; disc < 5000; disc++) { pen.beginPath(); pen.arc(disc % 900, disc % 700, 4, 0, 7); pen.fill() }
                pen.getImageData(0, 0, 1, 1);
                times.push(performance.now() - began);
             }
             return times.sort((a, b) => a - b)[3]",
        )
        .as_f64()
        .unwrap();
    let search = browser
        .run_until_told(
            "const done = arguments[0], box = document.getElementById('search'), count = document.getElementById('count-list');
             const [before, began] = [count.textContent, performance.now()];
             new MutationObserver(() => { if (count.textContent !== before) requestAnimationFrame(() => done(performance.now() - began)) })
                .observe(count, { childList: true, characterData: true, subtree: true });
             box.value = 'berth 17'; box.dispatchEvent(new Event('input'))",
        )
        .as_f64()
        .unwrap();
    eprintln!(
        "5000 entries: {} links, made in {made} ms, page {} kB, first paint {paint:.0} ms, ready after {ready:.0} ms, a frame {frame:.0} ms (bare drawing {bare:.0} ms), a search {search:.0} ms",
        map.links.len(),
        bytes / 1_000
    );
    browser.press(&["Escape"]);
    browser.run("document.querySelector('.row').click()");
    assert_ne!(browser.text(OPEN), "");
    quiet(&browser);
    // A quiet machine of two cores and no graphics card needs a tenth of the times; a busy one says little in them, so
    // moving is held against bare drawing.
    assert!(paint < 12_000.0 && ready < 12_000.0, "it takes too long to come up");
    assert!(frame < 2.0 * bare + 50.0, "it moves too slowly");
    assert!(search < 5_000.0, "a search takes too long");
}
