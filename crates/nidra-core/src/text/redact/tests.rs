//! Cases for the redaction. No secret stands here in one piece.

use super::*;
use proptest::prelude::*;

#[path = "tests/cases.rs"]
mod cases;

/// The samples: each line has a secret between `«` and `»`, in the form that its issuer gives it.
fn positives() -> Vec<(&'static str, String)> {
    let random = |length: usize| -> String {
        "q8Zr2LmVt0XyB4nKcD7sWj1HfPa93EuGoT5iRk6Y".chars().cycle().take(length).collect()
    };
    let upper: String = "Z7QX4M2NF3KE9KLP".to_owned();
    let hex = |length: usize| -> String {
        "0f8c2b71d94e4a6f8bb2c13a77aa90de".chars().cycle().take(length).collect()
    };
    let token = |prefix: &str, length: usize| format!("use «{prefix}{}» now", random(length));
    vec![
        ("aws-access-key", format!("id «{}{upper}» ok", "AKIA")),
        ("aws-access-key", format!("临时的 «{}{upper}»。", "ASIA")),
        ("aws-secret-key", format!("aws_secret_access_key = «{}»", random(40))),
        ("github-token", token(concat!("gh", "p_"), 36)),
        ("github-token", token(concat!("gh", "s_"), 36)),
        ("github-token", token(concat!("github_", "pat_"), 50)),
        ("gitlab-token", token(concat!("gl", "pat-"), 20)),
        ("slack-token", format!("«{}123456789012-{}»", concat!("xo", "xb-"), random(24))),
        ("webhook", format!("https://hooks.slack.com/services/«T0AB12CD3/B0AB12CD3/{}»", random(24))),
        ("webhook", format!("https://oapi.dingtalk.com/robot/send?access_token=«{}»", hex(64))),
        ("stripe-key", token(concat!("sk_", "live_"), 24)),
        ("stripe-key", token(concat!("rk_", "live_"), 24)),
        ("webhook-secret", token(concat!("wh", "sec_"), 32)),
        ("model-api-key", token(concat!("sk-", "ant-api03-"), 60)),
        ("model-api-key", token(concat!("sk-", "proj-"), 48)),
        ("model-api-key", token("sk-", 48)),
        ("package-token", token(concat!("np", "m_"), 36)),
        ("package-token", token(concat!("py", "pi-"), 60)),
        ("google-key", token(concat!("AI", "za"), 35)),
        ("sanity-token", token("sk", 60)),
        ("hugging-face-token", token(concat!("h", "f_"), 34)),
        ("jwt", format!("«{}hbGciOiJIUzI1NiJ9.{}.{}»", "eyJ", random(30), random(20))),
        ("sendgrid-key", format!("«{}{}.{}»", "SG.", random(22), random(43))),
        ("twilio-key", format!("«{}{}»", "SK", hex(32))),
        ("telegram-token", format!("bot «1234567890:AA{}»", random(33))),
        ("azure-key", format!("AccountName=x;AccountKey=«{}==»;", random(86))),
        ("alibaba-key", token("LTAI", 20)),
        ("tencent-key", token("AKID", 32)),
        ("generic-token", format!("got «hrn_live_{}»", random(28))),
        ("encoded-address", "webhook: «aHR0cHM6Ly9ob29rcy5leGFtcGxlLmNvbS9UMA==»".to_owned()),
        ("url-password", "psql postgres://app:«hunter-Kv93xx»@db.test:5432/x".to_owned()),
        ("url-password", "redis://:«p@ss/w0rd»@cache.test:6379/0".to_owned()),
        ("url-token", format!("git clone https://«{}»@git.test/a.git", random(40))),
        ("command-user", "curl -s -u admin:«s3cr3t!pw» https://a.test".to_owned()),
        ("command-user", "curl -u admin:«s3cr3t!pw» https://a.test".to_owned()),
        ("command-password", "docker login -u me -p «Sommer2024» reg.test".to_owned()),
        ("command-password", "mysql -u root -p«Sommer2024» shop".to_owned()),
        ("command-password", "sshpass -p '«Sommer2024»' ssh box".to_owned()),
        ("authorization", format!("curl -H 'Authorization: Bearer «{}»'", random(32))),
        ("authorization", "Authorization: Basic «YWRtaW46czNjcjN0»".to_owned()),
        ("password-assignment", "storePassword=«samambaia#1987-x»".to_owned()),
        ("password-assignment", "PAY_DB_PASSWORD=«Zhifu@2026!x»".to_owned()),
        ("password-assignment", "~ password = \"«Rathmines-88-oak!»\" -> \"«Rathmines-89-oak!»\"".to_owned()),
        ("password-assignment", "password: «swordfish»".to_owned()),
        ("password-assignment", "pass=«hunter2»".to_owned()),
        ("password-assignment", "tool login --password «hunter2!» --user me".to_owned()),
        ("password-assignment", "{\\\"password\\\":\\\"«hunter22»\\\",\\\"a\\\":1}".to_owned()),
        ("password-assignment", "<password>«hunter22»</password>".to_owned()),
        ("password-assignment", "wifi psk: «Kormoran-7-lab»".to_owned()),
        ("password-assignment", "?user=a&password=«hunter-Kv93xx»&x=1".to_owned()),
        ("password-assignment", "Password:\n«hunter22»\nthen".to_owned()),
        ("secret-assignment", format!("CMS_TOKEN=«{}»", random(30))),
        ("secret-assignment", format!("OSS_SK=«{}»", random(30))),
        ("secret-assignment", format!("app_key: \"«{}»\"", hex(32))),
        ("secret-assignment", format!("\"app_secret\":\"«hdtSk-{}»\"", random(24))),
        ("secret-assignment", format!("HDT_PRIVATE_KEY=«MIIEv{}»", random(60))),
        ("secret-assignment", format!("token: «{}»", random(20))),
        ("password-statement", "the password is «hunter2»".to_owned()),
        ("password-statement", "The password for the staging box is `«Sommer!24»`.".to_owned()),
        ("password-statement", "密码是 «hunter2»，别写进去".to_owned()),
        ("password-statement", "数据库口令：«Zhifu@2026»。".to_owned()),
        ("password-statement", "管理员密码改成了「«abc123!!»」".to_owned()),
        ("password-statement", "signing asks for a PIN, its «904417» today".to_owned()),
    ]
}

/// Text that only looks like it holds a secret.
const NEGATIVES: &[&str] = &[
    "fixed in 3f786850e387550fdab836ed7e6dc881de23001b, see a1b2c3d",
    "session 550e8400-e29b-41d4-a716-446655440000 ended",
    "the password is in 1Password",
    "the password is stored hashed with bcrypt, not SHA256",
    "password reset flow: send the mail first",
    "password: required",
    "passwords must have 12 characters",
    "Set GITHUB_TOKEN and NPM_TOKEN in the environment",
    "token: GITHUB_TOKEN",
    "used 12345 tokens, max_tokens=4096, token_count: 1234567890",
    "password=<password>",
    "password=$DB_PASSWORD",
    "export TOKEN=${SECRET_TOKEN}",
    "api_key: xxxxxxxxxxxxxxxx",
    "secret=****************",
    "token: <token>",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "bearer authentication is required",
    "login(user=user, password=password)",
    "const token = getToken(session.id)",
    "password = args.password",
    "fn login(password: &str, token: String) -> Result<(), Error>",
    "secretName: my-tls-secret",
    "secret: kube-system/tls-cert",
    "\"integrity\": \"sha512-q8Zr2LmVt0XyB4nKcD7sWj1HfPa93EuGoT5iRk6Yq8Zr2LmVt0XyB4nKcD7sWj1HfPa93EuGoT5i==\"",
    "sha256:0f8c2b71d94e4a6f8bb2c13a77aa90de0f8c2b71d94e4a6f8bb2c13a77aa90de",
    "checksum = \"0f8c2b71d94e4a6f8bb2c13a77aa90de0f8c2b71d94e4a6f8bb2c13a77aa90de\"",
    "key_path: /home/me/keys/mossy.jks",
    "signing_key = ~/.ssh/id_ed25519",
    "version 1.2.3-beta.4+build.567",
    "https://unpkg.com/@scope/pkg@1.2.3/dist/index.js",
    "git@github.com:org/repo.git and ssh://git@host.test:22/x",
    "http://localhost:3000/@user",
    "docker run -p 8080:80 -u 1000:1000 app",
    "mkdir -p src/lib",
    "msg_01XFDUDYJgAACzvnptvVoYEL and toolu_01A09q90qw90lq917835lq9",
    "test_parse_html5_document_with_utf8_names",
    "密码登录改成扫码登录",
    "密码用 bcrypt 加密",
    "令牌过期时间是 3600 秒",
    "密钥放在 /etc/app/keys 下面",
    "primary_key: user_id2024",
    "sort key: created_at_2024_desc",
    "the scikit sk-learn-pipeline-builder package",
    "-----BEGIN CERTIFICATE-----",
    "keyboard: qwerty12345",
    "let t = TokenStream::from_str_checked(source2)",
    "ses_dd2a37660ffeIEF2NqX5ceiEuD and prt_22d5ca3e8001ZLK5DkzoBeKWfS",
    "compare the token to `compatible`",
    "pin 13 is 3300 mV",
];

/// Splits a sample into its text and the secrets that it marks.
fn unmark(sample: &str) -> (String, Vec<String>) {
    let text = sample.replace(['«', '»'], "");
    let secrets =
        sample.split('«').skip(1).filter_map(|rest| rest.split('»').next()).map(str::to_owned).collect();
    (text, secrets)
}

#[test]
fn finds_exactly_the_secret() {
    let mut wrong = Vec::new();
    for (rule, sample) in positives() {
        // In the middle of a longer text, as everywhere.
        let (text, secrets) = unmark(&format!("before\n{sample}\nafter"));
        let found = find(&text);
        let values: Vec<&str> = found.iter().map(|finding| &text[finding.range.clone()]).collect();
        if values != secrets || found.iter().any(|finding| finding.rule != rule) {
            wrong.push(format!("{sample}\n   {found:?} {values:?}, not {rule}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn leaves_everything_else_alone() {
    let wrong: Vec<String> = NEGATIVES
        .iter()
        .map(|text| (text, redact(text)))
        .filter(|(text, clean)| *text != clean)
        .map(|(_, c)| c)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_is_well_formed() {
    for (index, rule) in rules::RULES.iter().enumerate() {
        assert!(rules::regex(index).is_some(), "{}", rule.name);
        assert!(!rule.keywords.is_empty() && rule.name.len() < PLACEHOLDER_LIMIT, "{}", rule.name);
        assert!(rule.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", rule.name);
        assert!(!rule.positive.is_empty() && !rule.negative.is_empty(), "{} needs samples", rule.name);
    }
    assert!(scan::keywords().both("").is_some());
}

#[test]
fn every_rule_finds_its_samples_and_leaves_the_others() {
    let mut generator = sample::Generator::new(11);
    let mut wrong = Vec::new();
    for rule in rules::RULES.iter() {
        for template in rule.positive {
            for _ in 0..20 {
                let sample = generator.sample(template);
                let text = format!("before\n{}\nafter", sample.text);
                let values: Vec<(&str, &str)> =
                    find(&text).into_iter().map(|finding| (finding.rule, &text[finding.range])).collect();
                let found = sample.secrets.iter().all(|secret| {
                    values.iter().any(|(name, value)| {
                        *name == rule.name && value.contains(&sample.text[secret.clone()])
                    })
                });
                if !found {
                    wrong.push(format!("{}: {text:?} gave {values:?}", rule.name));
                }
            }
        }
        for template in rule.negative {
            let text = generator.fill(template);
            let found = find(&text);
            if !found.is_empty() {
                wrong.push(format!("{}: {text:?} gave {found:?}", rule.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_end_of_a_sentence_hides_no_secret() {
    let mut generator = sample::Generator::new(6);
    for rule in samples() {
        for template in rule.positive {
            let sample = generator.sample(template);
            for text in [format!("{}.", sample.text), format!("Remember: {}. Then go on.", sample.text)] {
                let clean = redact(&text);
                for secret in sample.secrets.iter().map(|range| &sample.text[range.clone()]) {
                    assert!(!clean.contains(secret), "{}: {text:?}", rule.rule);
                }
            }
        }
    }
}

#[test]
fn personal_data_goes_only_where_it_is_asked_for() {
    let mut generator = sample::Generator::new(5);
    for (rule, template) in personal::POSITIVE {
        for _ in 0..50 {
            let sample = generator.sample(template);
            assert_eq!(redact(&sample.text), sample.text);
            let found = find_in(&sample.text, Scope::SecretsAndPersonal);
            let values: Vec<_> = found.iter().map(|finding| finding.range.clone()).collect();
            assert_eq!(values, sample.secrets, "{}", sample.text);
            assert_eq!(found.first().map(|finding| finding.rule), Some(*rule));
            let clean = redact_in(&sample.text, Scope::SecretsAndPersonal);
            assert_eq!(redact_in(&clean, Scope::SecretsAndPersonal), clean);
        }
    }
    for text in personal::NEGATIVE {
        assert_eq!(redact_in(text, Scope::SecretsAndPersonal), *text);
    }
}

#[test]
fn disguises_do_not_help() {
    let token = format!("{}{}", concat!("gh", "p_"), "q8Zr2LmVt0XyB4nKcD7sWj1HfPa93EuGoT5i");
    let wide: String = token
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { char::from_u32(u32::from(c) + 0xFEE0).unwrap() } else { c })
        .collect();
    let thin: String = token.chars().flat_map(|c| [c, '\u{200b}']).collect();
    for text in [
        format!("use {wide} now"),
        format!("use {thin} now"),
        format!("\"a\\n{token}\\nb\""),
        format!("\\u0022{token}\\u0022"),
        format!("?x=1%3D{token}"),
        format!("{}\n    {}", &token[..24], &token[24..]),
        format!("{}\\\n{}", &token[..24], &token[24..]),
    ] {
        let clean = redact(&text);
        assert!(clean.contains("[redacted:github-token]"), "{clean}");
        assert!(!clean.contains("q8Zr2") && !clean.contains("EuGoT5i"), "{clean}");
    }
}

#[test]
fn private_keys_go_as_a_whole() {
    let mark = |word: &str| format!("-----{word} RSA PRIVATE {}-----", "KEY");
    let body = "MIIEpAIBAAKCAQEA\nq8Zr2LmVt0Xy\n";
    let whole = format!("a\n{}\n{body}{}\nb", mark("BEGIN"), mark("END"));
    assert_eq!(redact(&whole), "a\n[redacted:private-key]\nb");
    let open = format!("a\n{}\n{body}... cut", mark("BEGIN"));
    assert_eq!(redact(&open), "a\n[redacted:private-key]\n... cut");
    let escaped = format!(
        "{{\"k\":\"{}\\n{}\\n{}\\n\"}}",
        mark("BEGIN"),
        body.trim().replace('\n', "\\n"),
        mark("END")
    );
    assert_eq!(redact(&escaped), "{\"k\":\"[redacted:private-key]\\n\"}");
}

#[test]
fn pub_sec_02_what_stands_beside_a_secret_stays() {
    let secret = format!("{}{}", "sk-", "q8Zr2LmVt0XyB4nKcD7sWj1HfPa93EuGoT5i");
    let clean = redact(&format!("KEY={secret} tool --model m-5"));
    assert_eq!(clean, "KEY=[redacted:model-api-key] tool --model m-5");
    assert!(has_placeholder(&clean));
    let plain = redact("KEY=q8Zr2LmVt0XyB4nKcD7s tool --model m-5");
    assert_eq!(plain, "KEY=[redacted:secret-assignment] tool --model m-5");
}

#[test]
fn placeholders_are_left_alone() {
    for (_, sample) in positives() {
        let (text, _) = unmark(&sample);
        let once = redact(&text);
        assert_eq!(redact(&once), once, "{sample}");
    }
}

#[test]
fn the_words_of_a_placeholder_are_no_names() {
    for text in [
        "密码[redacted:password-statement] =0aa0",
        "[redacted:password-assignment]: hunter22",
        "x [redacted:jwt]",
    ] {
        assert_eq!(redact(text), text);
    }
    assert_eq!(
        redact("password=[redacted:jwt] pass=hunter2"),
        "password=[redacted:jwt] pass=[redacted:password-assignment]"
    );
}

/// How a text is searched depends on how much was read before, so the two ways must not differ.
fn searched_alike(text: &str) -> bool {
    scan::keywords().both(text).is_some_and(|[compared, built]| compared == built)
}

#[test]
fn short_and_long_texts_are_searched_alike() {
    let samples = samples().flat_map(|rule| rule.positive.iter().chain(rule.negative));
    for text in
        samples.map(|sample| (*sample).to_owned()).chain(positives().into_iter().map(|(_, text)| text))
    {
        for text in [text.to_uppercase(), text.to_lowercase(), text] {
            assert!(searched_alike(&text), "{text}");
        }
    }
    // Words that end together, words inside of words, and the last byte.
    assert!(searched_alike("the api_key, the key: password passwd user/pass 密码密钥\\n\u{200b}&quot;pin"));
}

#[test]
fn megabytes_take_linear_time() {
    let line = "2026-06-08 12:00:01 INFO task_runner: token usage 12345, key=user:42 path /a/b/c.rs https://a.test/x ok\n";
    let hostile = [
        "password=",
        "://a:",
        "-----BEGIN PRIVATE KEY-----",
        "密码是",
        "eyJ",
        "key: ",
        "--token ",
        "-eyJa",
        "curl -u ",
        "mysql a ",
        "| password ",
        "cookie: a=",
        "name: secret ",
        "mnemonic word ",
        "secret aws ",
        "\\\\n",
        "\u{200b}",
        "AKIA-",
        "_a1",
        "login: a ",
        "a1 当密码",
        "密码换了，现在是",
        "a1b2c3d4 as the password ",
        "password changed, it's ",
        "password?\n",
        "a,password,b\n",
        "\"password\": {",
        "recovery codes: 12345678 ",
        "2fa aaaa ",
        concat!("LS0tLS1", "CRUdJTiBSU0EgU"),
    ];
    let mut text = line.repeat(10_000);
    for piece in hostile {
        text.push_str(&piece.repeat(30_000 / piece.len()));
        text.push('\n');
    }
    assert!(find(&text).len() < 100_000);
}

proptest! {
    #[test]
    fn any_text_is_safe(text in any::<String>()) {
        let clean = redact(&text);
        prop_assert_eq!(redact(&clean), clean);
        prop_assert!(searched_alike(&text));
    }

    #[test]
    fn dense_text_is_safe(text in "(password|token|secret|密码是?|KEY| as the | is our |当| it's |换了，现在是|从|「|」|«|»|\\?|,|\t|root/|2fa |@a\\.test|=|: |://|@|sk-|eyJ|[a-z0-9]{4,9}|\\[redacted:jwt\\]|\"|'|\\\\|\n|，|-----BEGIN PRIVATE KEY-----| ){0,24}") {
        let found = find(&text);
        let mut last = 0;
        for finding in &found {
            prop_assert!(finding.range.start >= last && !finding.range.is_empty());
            prop_assert!(text.is_char_boundary(finding.range.start) && text.is_char_boundary(finding.range.end));
            last = finding.range.end;
        }
        let clean = redact(&text);
        prop_assert_eq!(redact(&clean), clean);
        prop_assert!(searched_alike(&text));
    }
}
