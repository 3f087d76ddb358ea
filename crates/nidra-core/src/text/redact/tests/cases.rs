//! Secrets in disguise go, and what only looks like one stays.

use super::super::*;

#[path = "disguised.rs"]
mod disguised;
#[path = "innocent.rs"]
mod innocent;
#[path = "sentences.rs"]
mod sentences;

/// Fills a template: the text, and the pieces of it that must go, line by line.
fn hidden(generator: &mut sample::Generator, template: &str) -> (String, Vec<String>) {
    let sample = generator.sample(template);
    let pieces = sample.secrets.iter().flat_map(|secret| sample.text[secret.clone()].split('\n'));
    let pieces = pieces.map(|piece| piece.trim().to_owned()).collect();
    (format!("before\n{}\nafter\n", sample.text.replace('⟪', "«").replace('⟫', "»")), pieces)
}

#[test]
fn what_is_written_in_disguise_goes_and_nothing_else() {
    let mut generator = sample::Generator::new(3);
    let mut wrong = Vec::new();
    for template in
        [disguised::SHAPES, disguised::PLACES, disguised::MORE, disguised::LAST, sentences::SENTENCES]
            .into_iter()
            .flatten()
    {
        // What is generated looks like a word or a name of code now and then.
        let mut most = 1;
        for _ in 0..8 {
            let (text, pieces) = hidden(&mut generator, template);
            let found: Vec<&str> = find(&text).into_iter().map(|finding| &text[finding.range]).collect();
            let missed = pieces.iter().any(|piece| !found.iter().any(|value| value.contains(piece.as_str())));
            let rest = pieces.iter().fold(found.concat(), |rest, piece| rest.replacen(piece.as_str(), "", 1));
            let wide = rest.chars().filter(|c| c.is_alphanumeric()).count() > 2
                && !found.iter().any(|value| value.contains("-----"));
            if missed && most > 0 && !wide {
                most -= 1;
            } else if missed || wide {
                wrong.push(format!("{text:?}\n   {found:?}"));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn look_alikes_stay() {
    let mut generator = sample::Generator::new(3);
    let mut wrong = Vec::new();
    for template in
        [innocent::INNOCENT, innocent::MORE, innocent::LAST, sentences::INNOCENT].into_iter().flatten()
    {
        for _ in 0..8 {
            let text = generator.fill(template);
            let clean = redact(&text);
            if clean != text {
                wrong.push(format!("{text:?}\n   {clean:?}"));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_secret_in_base64_goes_and_other_base64_stays() {
    use base64::Engine as _;
    let code = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let mut generator = sample::Generator::new(5);
    for template in [
        "ghp_{alnum:36}",
        "token=ghp_{alnum:36}",
        "admin:{alnum:14}",
        "DB_PASSWORD={alnum:16}",
        "sk-ant-api03-{alnum:93}AA",
        "xoxb-{digit:12}-{digit:12}-{alnum:24}",
    ] {
        for _ in 0..8 {
            let hidden = code(&generator.fill(template));
            for text in
                [format!("the value is {hidden} for now"), format!("auth: \"{hidden}\""), hidden.clone()]
            {
                assert!(!redact(&text).contains(&hidden[8..]), "{text}");
            }
        }
    }
    for plain in [
        "admin area of the shop, second floor",
        "token budgets are counted in thousands",
        "root cause: the disk was full",
    ] {
        let text = format!("see {} for it", code(plain));
        assert_eq!(redact(&text), text, "{plain}");
    }
}

#[test]
fn a_login_at_a_machine_is_no_address_of_mail() {
    let mut generator = sample::Generator::new(3);
    for template in innocent::LOGINS {
        let text = generator.fill(template);
        assert_eq!(redact_in(&text, Scope::SecretsAndPersonal), text);
    }
    for template in disguised::PERSONAL {
        let (text, pieces) = hidden(&mut generator, template);
        let clean = redact_in(&text, Scope::SecretsAndPersonal);
        assert!(pieces.iter().all(|piece| !clean.contains(piece.as_str())), "{clean}");
    }
}

#[test]
fn a_long_value_goes_to_its_end() {
    let mut generator = sample::Generator::new(3);
    for template in ["PRIVATE_KEY=«MIIEv{base64:2400}»", "client_secret: \"«{url:3000}»\""] {
        let (text, pieces) = hidden(&mut generator, template);
        let clean = redact(&text);
        assert!(clean.len() < text.len() - pieces.concat().len() + 80, "{clean}");
    }
}
