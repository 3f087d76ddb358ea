use super::*;

fn found(text: &str) -> Vec<(AnchorKind, String)> {
    find(text).into_iter().map(|anchor| (anchor.kind, anchor.text)).collect()
}

fn one(text: &str) -> Option<Target> {
    find(text).into_iter().next().map(|anchor| anchor.target)
}

#[test]
fn paths_come_with_and_without_code_and_keep_their_line() {
    let path = |path: &str, line| Some(Target::Path { path: path.to_owned(), line, weak: false });
    for text in ["It breaks in src/a.rs:186.", "见 `src/a.rs:186`，会崩。", "（src/a.rs#L186）"] {
        assert_eq!(one(text), path("src/a.rs", Some(186)), "{text}");
    }
    assert_eq!(one("see ./scripts/ship.sh"), path("scripts/ship.sh", None));
    assert_eq!(one("脚本在 scripts/ship.sh 里"), path("scripts/ship.sh", None));
    assert_eq!(one(r"in `src\win\pipe.rs`"), path("src/win/pipe.rs", None));
}

#[test]
fn prose_with_slashes_and_stops_names_no_file() {
    for text in [
        "Frontend and/or backend, 24/7, TCP/IP.",
        "Node.js 22 and e.g. Vue.js",
        "version v1.4.2 of 2026/05/01",
        "每周一/周三发布",
        "the .rs files",
    ] {
        let named: Vec<_> = find(text)
            .into_iter()
            .filter(|anchor| !matches!(anchor.target, Target::Path { weak: true, .. }))
            .collect();
        assert_eq!(named, [], "{text}");
    }
}

#[test]
fn what_lies_outside_is_known_by_its_start() {
    for text in ["`~/.config/tool/a.toml`", "../lantern/src/lib.rs", "$HOME/bin/x.sh", r"`C:\tools\x.exe`"] {
        assert_eq!(one(text), Some(Target::Outside("it lies outside the checkout")), "{text}");
    }
    assert_eq!(one("/opt/x/bin"), Some(Target::Absolute("/opt/x/bin".to_owned())));
    assert_eq!(one("`src/**/*.ts`"), Some(Target::Pattern("src/**/*.ts".to_owned())));
    assert_eq!(below("/home/x/harbour/src/a.rs", "/home/x/harbour"), Some("src/a.rs".to_owned()));
    assert_eq!(below("/home/x/harbourmaster/a.rs", "/home/x/harbour"), None);
}

#[test]
fn names_in_code_are_symbols_and_quoted_code_is_none() {
    let symbol = |name: &str, weak| Some(Target::Symbol { name: name.to_owned(), weak });
    assert_eq!(one("call `retry_later()` first"), symbol("retry_later", false));
    assert_eq!(one("调用 `Ledger::settle` 即可"), symbol("settle", false));
    assert_eq!(one("use `PriceTable`"), symbol("PriceTable", false));
    assert_eq!(one("脱敏用 MaskUtil"), symbol("MaskUtil", true));
    assert_eq!(one("`fn foo()` is the one"), None);
    assert_eq!(one("`let total = 3;`"), None);
    assert_eq!(one("set `QUEUE_DEPTH`"), Some(Target::Key { name: "QUEUE_DEPTH".to_owned(), weak: false }));
    assert_eq!(one("hosted on GitHub"), None);
}

#[test]
fn branches_stand_beside_the_word() {
    let branch = |name: &str| Some(Target::Branch(name.to_owned()));
    assert_eq!(one("Work goes to the `develop` branch."), branch("develop"));
    assert_eq!(one("branch release/2.x is frozen"), branch("release/2.x"));
    assert_eq!(one("发布分支是 `release/2026-05`"), branch("release/2026-05"));
    assert_eq!(one("never push to the release branch"), None);
    let path = Target::Path { path: "feature".to_owned(), line: None, weak: true };
    assert_eq!(one("name branches feature/ plus the ticket"), Some(path));
}

#[test]
fn addresses_and_commands_are_told_apart() {
    assert_eq!(
        found("Run `make dist` and open https://grafana.example.com/d/a.json"),
        [
            (AnchorKind::Script, "make dist".to_owned()),
            (AnchorKind::Address, "https://grafana.example.com/d/a.json".to_owned())
        ]
    );
    assert_eq!(found("make sure that just one runs"), []);
}

#[test]
fn any_text_is_read_without_a_fault() {
    for text in [
        "`",
        "``",
        "`/`",
        "`\\`",
        "a:1",
        "::",
        "`::`",
        "`.()`",
        "分支",
        "`分支是`",
        "/",
        "//",
        "`#L1`",
        "é/è.rs:9",
    ] {
        find(text);
    }
}
