//! Tests of where a model is.

use super::*;

fn resolve(settings: &ModelSettings, pairs: &[(&str, &str)]) -> Result<Endpoint, SetupError> {
    let variables =
        |name: &str| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    Endpoint::resolve(settings, &variables, None)
}

fn named() -> ModelSettings {
    ModelSettings { name: Some("m-1".to_owned()), ..ModelSettings::default() }
}

#[test]
fn the_environment_of_the_client_is_honoured() {
    let pairs = [
        ("ANTHROPIC_BASE_URL", "https://gateway.example/"),
        ("ANTHROPIC_AUTH_TOKEN", "token"),
        ("ANTHROPIC_MODEL", "claude-x"),
    ];
    let endpoint = resolve(&ModelSettings::default(), &pairs).unwrap();
    assert_eq!(endpoint.url, "https://gateway.example/v1/messages");
    assert_eq!((endpoint.model.as_str(), endpoint.local), ("claude-x", false));
    assert_eq!(endpoint.credential, Some(Credential::Token(Secret::new("token"))));
}

#[test]
fn a_setting_wins_over_the_environment_and_decides_on_the_protocol() {
    let settings = ModelSettings { base_url: Some("http://127.0.0.1:8080/v1/".to_owned()), ..named() };
    let pairs = [("OPENAI_BASE_URL", "https://elsewhere.example"), ("OPENAI_API_KEY", "k")];
    let endpoint = resolve(&settings, &pairs).unwrap();
    assert_eq!(endpoint.protocol, Protocol::Openai);
    assert_eq!(endpoint.url, "http://127.0.0.1:8080/v1/chat/completions");
    assert!(endpoint.local);
}

#[test]
fn addresses_are_joined_however_they_are_written() {
    for (base, protocol, url) in [
        ("http://h", Protocol::Anthropic, "http://h/v1/messages"),
        ("http://h/v1", Protocol::Anthropic, "http://h/v1/messages"),
        ("http://h/v1/messages", Protocol::Anthropic, "http://h/v1/messages"),
        ("http://h/claude/", Protocol::Anthropic, "http://h/claude/v1/messages"),
        ("http://h", Protocol::Openai, "http://h/v1/chat/completions"),
        ("http://h/api/v1/", Protocol::Openai, "http://h/api/v1/chat/completions"),
        ("http://h/v1/chat/completions", Protocol::Openai, "http://h/v1/chat/completions"),
    ] {
        let uri: Uri = base.parse().unwrap();
        assert_eq!(join(base, uri.path(), protocol), url, "{base}");
    }
}

#[test]
fn only_this_machine_is_local() {
    for (host, local) in [
        ("localhost", true),
        ("LOCALHOST", true),
        ("127.0.0.1", true),
        ("127.9.9.9", true),
        ("[::1]", true),
        ("127.0.0.1.example", false),
        ("localhost.example", false),
        ("127.1", false),
        ("10.0.0.1", false),
        ("0.0.0.0", false),
        ("[::ffff:10.0.0.1]", false),
    ] {
        assert_eq!(is_local(host), local, "{host}");
    }
}

#[test]
fn what_is_missing_or_odd_is_named() {
    assert_eq!(resolve(&ModelSettings::default(), &[]), Err(SetupError::NoModel("ANTHROPIC_MODEL")));
    assert!(matches!(resolve(&named(), &[]), Err(SetupError::NoKey { .. })));
    for base in [
        "",
        "gateway",
        "ftp://h",
        "http://",
        "http://user:word@127.0.0.1",
        "http://127.0.0.1@h",
        "https://gateway.example/v1?key=word",
        "https://gateway.example/v1#word",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:0/v1",
        "http://127.0.0.1:abc/v1",
        "http://127.0.0.1:-1",
        "http://127.0.0.1:+8",
        "http://127.0.0.1:",
        "http://[::1]:",
        "http://[::1]:65536/v1",
    ] {
        let settings = ModelSettings { base_url: Some(base.to_owned()), ..named() };
        let error = resolve(&settings, &[]).unwrap_err();
        assert!(matches!(error, SetupError::Address { .. }), "{base}: {error}");
        assert!(!error.to_string().contains("word"), "{error}");
    }
}

#[test]
fn a_port_is_kept() {
    for (base, host) in [
        ("http://127.0.0.1:65535", "127.0.0.1:65535"),
        ("http://[::1]:1/v1", "[::1]:1"),
        ("http://[::1]", "[::1]"),
        ("http://localhost/v1", "localhost"),
    ] {
        let settings = ModelSettings { base_url: Some(base.to_owned()), ..named() };
        assert_eq!(resolve(&settings, &[]).unwrap().host, host);
    }
}

#[test]
fn a_key_is_never_shown() {
    let endpoint = resolve(&named(), &[("ANTHROPIC_API_KEY", "very-secret")]).unwrap();
    assert!(!format!("{endpoint:?}").contains("very-secret"));
}

#[test]
fn a_key_is_taken_out_in_every_spelling_of_it() {
    let key = format!("sk/{}+\\\"é😀", "aB7".repeat(4));
    let secret = Secret::new(key.as_str());
    let all = key.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect::<Vec<_>>().concat();
    let spellings = [
        key.clone(),
        all.clone(),
        all.to_lowercase(),
        serde_json::to_string(&key).unwrap(),
        serde_json::to_string(&key).unwrap().replace('/', "\\/"),
        serde_json::to_string(&serde_json::to_string(&key).unwrap()).unwrap(),
        serde_json::to_string(&all).unwrap(),
        format!("{}{}", "\\u0073k\\/", &key[3..]),
    ];
    for spelled in spellings {
        let clean = secret.taken_out_of(&format!("the key {spelled} is wrong\\n"));
        assert!(
            clean.contains("[redacted:key]") && !clean.contains("aB7") && !clean.contains("u0042"),
            "{clean}"
        );
        assert!(clean.starts_with("the key ") && clean.ends_with(" is wrong\\n"), "{clean}");
    }
    assert_eq!(secret.taken_out_of("C:\\temp \\u0041 stays"), "C:\\temp \\u0041 stays");
}
