use super::*;
use std::collections::BTreeMap;

/// A checkout with these files; a text is read, and its names count as found in it.
fn checkout(files: &[(&str, &str)]) -> Checkout {
    let texts: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let mut words: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in &texts {
        for word in identifiers(text) {
            let places = words.entry(word.to_owned()).or_default();
            if places.last() != Some(path) {
                places.push(path.clone());
            }
        }
    }
    Checkout::new(Snapshot {
        name: "harbour".to_owned(),
        root: "/home/x/harbour".to_owned(),
        files: texts.keys().cloned().collect(),
        texts,
        words,
        branches: Some(["main", "release/2.x"].map(str::to_owned).into()),
        reading: Reading { files: 0, bytes: 0, whole_tree: true, whole_sources: true },
        ..Snapshot::default()
    })
}

fn judged(text: &str, checkout: &Checkout) -> Vec<Judgement> {
    judge(
        &Statement { text, about_person: false, memory: &BTreeSet::from(["ports.md".to_owned()]) },
        checkout,
    )
}

fn verdict(text: &str, checkout: &Checkout) -> Verdict {
    overall(&judged(text, checkout))
}

#[track_caller]
fn expect(checkout: &Checkout, samples: &[(&str, Verdict)]) {
    let wrong: Vec<_> = samples
        .iter()
        .filter(|(text, expected)| verdict(text, checkout) != *expected)
        .map(|(text, expected)| (text, expected, judged(text, checkout)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn pub_tru_06_bare_names_are_matched_against_the_tree() {
    let checkout = checkout(&[
        ("src/a.rs", "fn go() {}"),
        ("src/main.rs", ""),
        ("tools/one/main.rs", ""),
        ("tools/two/main.rs", ""),
        ("tests/parse_test.rs", ""),
    ]);
    expect(
        &checkout,
        &[
            ("The slash command is covered by `slash_test.rs`.", Verdict::Stale),
            ("Slash commands: see slash_test.rs.", Verdict::Stale),
            ("斜杠命令的测试在 slash_test.rs 里。", Verdict::Stale),
            ("`main.rs` parses the arguments.", Verdict::Ambiguous),
            ("参数在 `main.rs` 里解析。", Verdict::Ambiguous),
            ("The guard stands in `src/a.rs:186`.", Verdict::Fresh),
            ("入口检查在 src/a.rs:186。", Verdict::Fresh),
            ("Every test calls `fn foo()` first.", Verdict::NotCheckable),
            ("每个测试先调用 `fn foo()`。", Verdict::NotCheckable),
            ("Parsing is covered by parse_test.rs.", Verdict::Fresh),
        ],
    );
}

#[test]
fn pub_del_04_paths_outside_of_the_project_are_never_missing() {
    let checkout = checkout(&[("src/app.rs", ""), ("Cargo.toml", "[package]\nname = \"harbour\"\n")]);
    for text in [
        "The tool reads ~/.config/tool/a.toml and /opt/x/bin; lantern/src/lib.rs of the other repository has the types.",
        "Settings: `~/.config/tool/a.toml`, prefix `/opt/x/bin`, types in `../lantern/src/lib.rs`.",
        "The parser lives in src/lib.rs of the lantern repo, see also `$HOME/notes/plan.md`.",
        "工具读 ~/.config/tool/a.toml 和 /opt/x/bin，类型定义在 lantern 仓库的 src/lib.rs。",
        "另一个仓库里的 src/lib.rs 才有这个类型，日志在 /var/log/x.log。",
        "Docs: https://docs.example.com/guide/setup.md",
    ] {
        let found = judged(text, &checkout);
        assert!(found.iter().all(|one| one.verdict == Verdict::NotCheckable), "{text}: {found:#?}");
        assert_eq!(overall(&found), Verdict::NotCheckable, "{text}");
    }
}

#[test]
fn pub_del_04_an_entry_without_anchors_cannot_be_stale() {
    let checkout = checkout(&[("src/app.rs", "")]);
    for text in
        ["The team meets on Tuesdays.", "每周二下午开会。", "Nina owns billing.", "提交信息用中文写。", ""]
    {
        assert_eq!(judged(text, &checkout), [], "{text}");
        assert_eq!(verdict(text, &checkout), Verdict::NotCheckable);
    }
}

#[test]
fn a_file_that_moved_is_shown_where_it_is() {
    let checkout = checkout(&[
        ("crates/porter/src/retry.rs", "pub fn backoff() {}"),
        ("docs/a.md", ""),
        ("src/x.rs", ""),
    ]);
    let found = judged("Retries are in src/net/retry.rs.", &checkout);
    assert_eq!(found[0].verdict, Verdict::Moved);
    assert_eq!(found[0].moved_to.as_deref(), Some("crates/porter/src/retry.rs"));
    let found = judged("`backoff()` 在 src/x.rs 里。", &checkout);
    assert_eq!(found[0].moved_to.as_deref(), Some("in crates/porter/src/retry.rs"));
}

#[test]
fn denied_planned_and_written_files_are_not_missed() {
    let checkout = checkout(&[("src/x.rs", "")]);
    for text in [
        "src/old.rs was removed in March.",
        "There is no src/old.rs any more, do not look for it.",
        "We plan to put the queue into src/queue.rs.",
        "The export writes reports/out.csv.",
        "Create `src/queue.rs` for it.",
        "src/old.rs 已删除。",
        "计划把队列放到 src/queue.rs。",
        "导出脚本会生成 reports/out.csv。",
        "not in node_modules/left/index.js but target/debug/app.d",
    ] {
        assert!(
            !matches!(verdict(text, &checkout), Verdict::Stale | Verdict::Moved),
            "{text}: {:#?}",
            judged(text, &checkout)
        );
    }
}

#[test]
fn scripts_targets_and_branches_are_looked_up() {
    let checkout = checkout(&[
        ("package.json", r#"{"scripts":{"check":"tsc","db:reset":"x"},"packageManager":"pnpm@10.1.0"}"#),
        ("justfile", "ship:\n    echo\n"),
        ("Makefile", "dist:\n\ttrue\n"),
    ]);
    expect(
        &checkout,
        &[
            ("Run `pnpm check` before a push.", Verdict::Fresh),
            ("推送前跑 `pnpm run check`。", Verdict::Fresh),
            ("Reset with `pnpm run db:wipe`.", Verdict::Stale),
            ("重置用 `pnpm run db:wipe`。", Verdict::Stale),
            ("`make dist` builds it.", Verdict::Fresh),
            ("`make ship` releases it.", Verdict::Moved),
            ("`make polish` is the last step.", Verdict::Stale),
            ("In the lantern repo run `make polish`.", Verdict::NotCheckable),
            ("Fixes go to the `release/2.x` branch.", Verdict::Fresh),
            ("修复提交到 `release/3.x` 分支。", Verdict::Stale),
            ("The default branch is master.", Verdict::Stale),
        ],
    );
    let moved = judged("`make ship` releases it.", &checkout);
    assert_eq!(moved[0].moved_to.as_deref(), Some("just ship"));
}

#[test]
fn versions_and_dependencies_are_held_against_the_manifests() {
    let checkout = checkout(&[
        ("package.json", r#"{"engines":{"node":">=22"},"dependencies":{"react":"^19.1.0"}}"#),
        ("pom.xml", "<java.version>21</java.version>"),
        ("compose.yaml", "services:\n  db: {image: \"postgres:16\"}\n"),
    ]);
    expect(
        &checkout,
        &[
            ("The project is on React 18.", Verdict::Stale),
            ("React is pinned to 19.1.", Verdict::Fresh),
            ("项目用 React 18。", Verdict::Stale),
            ("编译用 JDK 17。", Verdict::Stale),
            ("JDK 版本是 21。", Verdict::Fresh),
            ("Node 20 is what we run.", Verdict::Stale),
            ("Postgres 16 in development.", Verdict::Fresh),
            ("数据库是 PostgreSQL 14。", Verdict::Stale),
            ("Do not upgrade to React 20.", Verdict::NotCheckable),
            ("The page asked node 3 times.", Verdict::NotCheckable),
            ("Sorting depends on `left-pad`.", Verdict::Stale),
            ("排序依赖 `left-pad`。", Verdict::Stale),
            ("The library `react` renders it.", Verdict::Fresh),
        ],
    );
}

#[test]
fn ports_and_values_are_held_against_what_sets_them() {
    let checkout = checkout(&[
        ("apps/admin/vite.config.ts", "export default { server: { port: 4310 } }"),
        ("apps/shop/package.json", r#"{"scripts":{"dev":"next dev -p 3000"}}"#),
        ("docker-compose.yml", "services:\n  grafana:\n    ports: [\"3001:3000\"]\n"),
        (
            "config/limits.yaml",
            "upload:\n  max_size_mb: 20\nworker:\n  read-timeout: 8s\nbackup:\n  bucket: lake-b-7\n",
        ),
        ("fw/memory.ld", "FLASH = 0x00018000\n"),
    ]);
    expect(
        &checkout,
        &[
            ("The admin dev server runs on 3001.", Verdict::Stale),
            ("admin 的端口是 4310。", Verdict::Fresh),
            ("Grafana is on port 3001.", Verdict::Fresh),
            ("shop 开发服务监听 3100。", Verdict::Stale),
            ("Uploads: max_size_mb is 10.", Verdict::Stale),
            ("worker 的 read timeout 是 5s。", Verdict::Stale),
            ("The read timeout of the worker is 8s.", Verdict::Fresh),
            ("The backup bucket is lake-a-2.", Verdict::Stale),
            ("The application starts at 0x10000, see fw/memory.ld.", Verdict::Stale),
            ("应用起始地址 0x18000，见 fw/memory.ld。", Verdict::Fresh),
            ("Our main competitor has a bucket list.", Verdict::NotCheckable),
        ],
    );
}

#[test]
fn a_tool_is_stale_only_when_another_fills_its_role() {
    let checkout = checkout(&[
        ("package.json", r#"{"scripts":{"test":"vitest run"},"devDependencies":{"vitest":"3.0.0"}}"#),
        ("pnpm-lock.yaml", ""),
    ]);
    expect(
        &checkout,
        &[
            ("Unit tests are written with jest.", Verdict::Stale),
            ("单元测试用 jest 写。", Verdict::Stale),
            ("Unit tests run in vitest, never in jest.", Verdict::Fresh),
            ("不要用 jest，测试统一用 vitest。", Verdict::Fresh),
            ("Jest was removed in March.", Verdict::NotCheckable),
            ("Maybe we try jest again.", Verdict::NotCheckable),
            ("The user knows jest well.", Verdict::NotCheckable),
            ("用户熟悉 jest。", Verdict::NotCheckable),
            ("Browser tests use cypress.", Verdict::NotCheckable),
            ("His previous team used Angular and Jest.", Verdict::NotCheckable),
            ("Packages are installed with yarn.", Verdict::Stale),
            ("In the lantern repo everything runs on yarn.", Verdict::NotCheckable),
        ],
    );
}

#[test]
fn a_scoped_package_shows_its_tool() {
    let checkout = checkout(&[
        ("package.json", r#"{"devDependencies":{"@playwright/test":"1.49.0"},"scripts":{}}"#),
        ("server/poetry.lock", ""),
    ]);
    expect(
        &checkout,
        &[
            ("Browser tests use cypress.", Verdict::Stale),
            ("端到端测试用 playwright。", Verdict::Fresh),
            ("后端依赖用 poetry 管理。", Verdict::Fresh),
            ("后端依赖用 pipenv 管理。", Verdict::Stale),
            ("He reads poetry in the evening.", Verdict::NotCheckable),
        ],
    );
}

#[test]
fn symbols_are_missed_only_where_all_sources_were_read() {
    let files = [
        ("src/money.ts", "export function formatMoney() {}"),
        ("package.json", "{\"dependencies\":{\"lodash\":\"4\"}}"),
    ];
    let whole = checkout(&files);
    expect(
        &whole,
        &[
            ("Amounts go through `formatMoney()`.", Verdict::Fresh),
            ("Amounts go through `formatCents()`.", Verdict::Stale),
            ("金额统一用 `formatCents()`。", Verdict::Stale),
            ("Use `lodash::deepClone`.", Verdict::NotCheckable),
            ("Set `STRIPE_TOKEN_NAME` in the shell.", Verdict::NotCheckable),
        ],
    );
    let mut part = Snapshot {
        name: "harbour".to_owned(),
        files: files.iter().map(|(path, _)| (*path).to_owned()).collect(),
        reading: Reading { whole_tree: true, ..Reading::default() },
        ..Snapshot::default()
    };
    assert_eq!(verdict("Use `formatCents()`.", &Checkout::new(part.clone())), Verdict::NotCheckable);
    part.reading.whole_tree = false;
    assert_eq!(verdict("See src/gone.rs and gone_test.rs.", &Checkout::new(part)), Verdict::NotCheckable);
}

#[test]
fn without_a_checkout_nothing_is_stale() {
    let empty = Checkout::new(Snapshot::default());
    for text in ["See src/gone.rs.", "用 jest 写测试，端口 3000。", "`make x` in gone_test.rs"] {
        assert_eq!(verdict(text, &empty), Verdict::NotCheckable, "{text}");
    }
}

#[test]
fn files_of_memory_and_the_checkouts_own_path_are_understood() {
    let checkout = checkout(&[("src/x.rs", "")]);
    assert_eq!(judged("More in [ports](ports.md).", &checkout), []);
    expect(
        &checkout,
        &[
            ("It is /home/x/harbour/src/x.rs.", Verdict::Fresh),
            ("It is /home/x/harbour/src/y.rs.", Verdict::Stale),
            ("It is harbour/src/x.rs.", Verdict::Fresh),
        ],
    );
}

#[test]
fn what_is_wanted_is_read_from_the_words() {
    let mut wanted = Wanted::default();
    wanted.add("`retry()` in src/net.rs, see build.rs and /r/docs/a.md", "/r");
    assert_eq!(wanted.paths, ["docs/a.md", "src/net.rs"].map(str::to_owned).into());
    assert_eq!(wanted.names, ["build.rs".to_owned()].into());
    assert_eq!(wanted.words, ["retry".to_owned()].into());
}

#[test]
fn versions_are_read_wherever_a_project_writes_them() {
    let checkout = checkout(&[
        (
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.25)\nset(CMAKE_CXX_STANDARD 20)\nfind_package(Qt6 6.8 REQUIRED COMPONENTS Widgets)\n",
        ),
        ("project.yml", "options:\n  deploymentTarget: {iOS: \"17.0\"}\n"),
        ("infra/cluster.tf", "module \"eks\" {\n  cluster_version = \"1.31\"\n}\n"),
        ("group_vars/all.yml", "nomad_version: 1.9.5\nconsul_version: \"1.20\"\n"),
        ("pyproject.toml", "[project]\ndependencies = [\"pyspark==4.0.1\"]\n"),
        (
            "pom.xml",
            "<properties><flink.version>1.18.1</flink.version><java.version>21</java.version></properties>\n<parent><artifactId>spring-boot-starter-parent</artifactId>\n<version>3.3.10</version></parent>\n",
        ),
        ("rt/build.gradle", "ext { kafkaVersion = '3.7.0' }\nandroid { defaultConfig { minSdk = 28 } }\n"),
        ("web/package.json", "{\"dependencies\": {\"next\": \"15.3.2\"}}"),
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\nedition = \"2021\"\nrust-version = \"1.81\"\n[profile.release]\nlto = \"fat\"\n",
        ),
        ("dbt_project.yml", "require-dbt-version: [\">=1.10.0\", \"<1.11.0\"]\n"),
        (
            "west.yml",
            "manifest:\n  projects:\n    - name: zephyr\n      revision: v3.7.0\n    - name: hal\n      revision: v1.2.0\n",
        ),
    ]);
    expect(
        &checkout,
        &[
            ("It is built against Qt 6.5 with the presets.", Verdict::Stale),
            ("It is built against Qt 6.8.", Verdict::Fresh),
            ("The language standard is C++17.", Verdict::Stale),
            ("语言标准是 C++20。", Verdict::Fresh),
            ("Minimum deployment target is iOS 16.", Verdict::Stale),
            ("最低支持 iOS 17。", Verdict::Fresh),
            ("The crash shows on iOS 16 only.", Verdict::NotCheckable),
            ("Qt 6.9 works as well.", Verdict::Fresh),
            ("Nomad server 3 is slow on Mondays.", Verdict::NotCheckable),
            ("Tests keep panic unwind.", Verdict::NotCheckable),
            ("Kubernetes version is 1.29 everywhere.", Verdict::Stale),
            ("Kubernetes is on 1.31.", Verdict::Fresh),
            ("Nomad servers run 1.7.7 on three hosts.", Verdict::Stale),
            ("Nomad servers run 1.9.5.", Verdict::Fresh),
            ("Jobs are written for PySpark 3.4.", Verdict::Stale),
            ("实时作业用 Flink 1.14。", Verdict::Stale),
            ("项目基于 Spring Boot 2.7，JDK 17。", Verdict::Stale),
            ("Spring Boot 3.3, JDK 21.", Verdict::Fresh),
            ("Kafka 2.8 is what we run.", Verdict::Stale),
            ("Minimum SDK is 26 (Android 8).", Verdict::Stale),
            ("The shop runs on Next.js 14.", Verdict::Stale),
            ("MSRV is 1.70.", Verdict::Stale),
            ("The crate is on edition 2021.", Verdict::Fresh),
            ("The release profile uses thin LTO.", Verdict::Stale),
            ("Release builds use fat LTO.", Verdict::Fresh),
            ("dbt version is 1.7.", Verdict::Stale),
            ("dbt version is 1.10.", Verdict::Fresh),
            ("Zephyr is on 3.6.", Verdict::Stale),
            ("Zephyr is on 3.7.", Verdict::Fresh),
        ],
    );
}

#[test]
fn a_tool_behind_a_task_is_held_against_the_recipe() {
    let files = &[
        ("Makefile", "migrate:\n\tmigrate -path db/migrations up\n\nseed:\n\t./scripts/seed.sh\n"),
        ("mdk.txt", ""),
        ("CMakeLists.txt", "project(x C)\n"),
    ];
    expect(
        &checkout(files),
        &[
            ("Migrations are run with goose (make migrate).", Verdict::Stale),
            ("Seeds are laid with goose (make seed).", Verdict::NotCheckable),
            ("Schema changes go through goose.", Verdict::NotCheckable),
            ("编译用 Keil MDK 5，工程文件是 mdk/bms.uvprojx。", Verdict::Stale),
        ],
    );
}

#[test]
fn hosts_patterns_and_second_ports_are_no_false_alarms() {
    let checkout = checkout(&[
        ("api/settings.conf", "deployment { port = 8080 }\n"),
        ("gate/gate.toml", "listen = 7100\n"),
        ("jobs/icecast.nomad.hcl", "job \"icecast\" {}\n"),
        ("web/src/flux/store.ts", ""),
        ("go.mod", "module x\n\nrequire github.com/go-redis/redis/v8 v8.11.5\n"),
        ("old/App.csproj", "<TargetFrameworkVersion>v4.8</TargetFrameworkVersion>"),
        ("tests/T.csproj", "<TargetFramework>net8.0</TargetFramework>"),
        ("docker-compose.yml", "name: harbour\nversion: \"3.8\"\n"),
    ]);
    expect(
        &checkout,
        &[
            ("The certificate for patch.shop.example is renewed by hand.", Verdict::NotCheckable),
            ("TLS ends at `patch.shop.example`.", Verdict::NotCheckable),
            ("Job files live in jobs/*.nomad.hcl.", Verdict::Fresh),
            ("Plans live in plans/*.pdf.", Verdict::NotCheckable),
            ("The paper is built to paper/main.pdf.", Verdict::NotCheckable),
            ("Applications are deployed by ArgoCD.", Verdict::NotCheckable),
            ("Cache is Redis 7.", Verdict::Fresh),
            ("Invoices are due net 30 for partners.", Verdict::NotCheckable),
            ("We still target .NET Framework 4.8.", Verdict::Fresh),
            ("python3 runs the scripts.", Verdict::NotCheckable),
            ("harbour 1.2 went out in May.", Verdict::NotCheckable),
            ("The api listens on port 8080, its metrics on port 9090.", Verdict::Fresh),
            ("The api listens on port 9090.", Verdict::Stale),
            ("gate 监听端口是 7000。", Verdict::Stale),
            ("The budget is in budget.xlsx.", Verdict::NotCheckable),
        ],
    );
}
