//! Speaks of the person in the third person, in English and Chinese. Quotations and code stay as they were said.

/// Speaks of the person as of somebody else: `I never …` becomes `the user never …`.
pub(crate) fn third_person(text: &str, chinese: bool) -> String {
    if chinese {
        return third_person_chinese(text);
    }
    let mut out = String::new();
    let mut quoted = false;
    let mut verb_follows = false;
    let pieces = pieces(text);
    for (at, piece) in pieces.iter().copied().enumerate() {
        if piece == "`" || piece == "\"" || piece == "\u{201c}" || piece == "\u{201d}" {
            quoted = !quoted;
            out.push_str(piece);
            continue;
        }
        if quoted || !piece.chars().any(char::is_alphanumeric) {
            if piece.contains(['.', ',', ';', ':', '!', '?']) {
                verb_follows = false;
            }
            out.push_str(piece);
            continue;
        }
        let lower = piece.to_lowercase().replace('\u{2019}', "'");
        if verb_follows {
            if matches!(
                lower.as_str(),
                "never"
                    | "always"
                    | "only"
                    | "just"
                    | "really"
                    | "also"
                    | "no"
                    | "not"
                    | "still"
                    | "usually"
                    | "rather"
            ) {
                out.push_str(piece);
                continue;
            }
            verb_follows = false;
            out.push_str(&conjugated(piece));
            continue;
        }
        // `i.e.` speaks of nobody.
        let latin = pieces.get(at + 1).is_some_and(|next| *next == ".")
            && pieces.get(at + 2).is_some_and(|next| next.eq_ignore_ascii_case("e"));
        let replaced = match lower.as_str() {
            "i" if latin => piece,
            "i" => {
                verb_follows = true;
                "the user"
            }
            "i'm" => "the user is",
            "i've" => "the user has",
            "i'll" => "the user will",
            "i'd" => "the user would",
            "me" | "myself" => "the user",
            "my" | "mine" => "the user's",
            _ => piece,
        };
        out.push_str(replaced);
    }
    out
}

/// Words (with apostrophes and dashes inside) and what stands between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut inside = false;
    for (at, character) in text.char_indices() {
        let word = character.is_alphanumeric() || matches!(character, '\'' | '\u{2019}' | '-' | '_' | '/');
        if at > start && (word != inside || !word) {
            found.push(&text[start..at]);
            start = at;
        }
        inside = word;
    }
    if start < text.len() {
        found.push(&text[start..]);
    }
    found
}

/// Forms of the past without `ed`; those that are the present as well are left as they were said.
const PAST: &[&str] = &[
    "ate",
    "became",
    "began",
    "bent",
    "bet",
    "bit",
    "blew",
    "bought",
    "bound",
    "bred",
    "broke",
    "brought",
    "built",
    "burnt",
    "came",
    "caught",
    "chose",
    "clung",
    "cost",
    "crept",
    "cut",
    "dealt",
    "did",
    "didn't",
    "dreamt",
    "drew",
    "drove",
    "dug",
    "fed",
    "fell",
    "felt",
    "fled",
    "flew",
    "forgot",
    "fought",
    "found",
    "froze",
    "gave",
    "got",
    "grew",
    "had",
    "hadn't",
    "heard",
    "held",
    "hid",
    "hit",
    "hung",
    "hurt",
    "kept",
    "knew",
    "laid",
    "leant",
    "leapt",
    "learnt",
    "led",
    "left",
    "lent",
    "let",
    "lit",
    "lost",
    "made",
    "meant",
    "met",
    "paid",
    "put",
    "quit",
    "ran",
    "read",
    "rode",
    "rose",
    "said",
    "sang",
    "sat",
    "saw",
    "sent",
    "set",
    "shook",
    "shot",
    "showed",
    "shrank",
    "shut",
    "slept",
    "slid",
    "sold",
    "sought",
    "spent",
    "spoke",
    "spelt",
    "split",
    "spread",
    "spun",
    "stood",
    "stole",
    "stuck",
    "struck",
    "swam",
    "swept",
    "swore",
    "swung",
    "taught",
    "thought",
    "threw",
    "told",
    "took",
    "tore",
    "tried",
    "understood",
    "was",
    "wasn't",
    "went",
    "woke",
    "won",
    "wore",
    "wrote",
    "wound",
];

/// A verb after `the user`.
fn conjugated(verb: &str) -> String {
    let lower = verb.to_lowercase();
    match lower.as_str() {
        "am" => return "is".to_owned(),
        "have" => return "has".to_owned(),
        "do" => return "does".to_owned(),
        "don't" | "dont" => return "doesn't".to_owned(),
        "can" | "can't" | "cannot" | "could" | "will" | "won't" | "would" | "should" | "must" | "may"
        | "might" | "and" | "or" | "want's" | "then" | "is" => return verb.to_owned(),
        _ => {}
    }
    let stem = ["re", "over", "un", "mis", "out"].iter().find_map(|start| lower.strip_prefix(start));
    if [Some(lower.as_str()), stem].into_iter().flatten().any(|form| PAST.contains(&form)) {
        return verb.to_owned();
    }
    let past = lower.ends_with("ed")
        && !matches!(lower.as_str(), "need" | "feed" | "speed" | "proceed" | "exceed" | "succeed");
    if past || lower.ends_with("ing") || lower.ends_with('s') && !lower.ends_with("ss") || !lower.is_ascii() {
        return verb.to_owned();
    }
    if lower.ends_with('y')
        && !lower.ends_with("ay")
        && !lower.ends_with("ey")
        && !lower.ends_with("oy")
        && !lower.ends_with("uy")
    {
        return format!("{}ies", &verb[..verb.len() - 1]);
    }
    if ["ss", "sh", "ch", "x", "z", "o"].iter().any(|end| lower.ends_with(end)) {
        return format!("{verb}es");
    }
    format!("{verb}s")
}

fn third_person_chinese(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut quoted = false;
    for (index, character) in characters.iter().enumerate() {
        match character {
            '`' => quoted = !quoted,
            '「' | '“' => quoted = true,
            '」' | '”' => quoted = false,
            _ => {}
        }
        let before = index.checked_sub(1).and_then(|at| characters.get(at));
        let after = characters.get(index + 1);
        let compound = before.is_some_and(|c| matches!(c, '自' | '忘' | '大' | '小'))
            || after.is_some_and(|c| matches!(c, '们' | '們' | '国' | '方' | '司' | '靠' | '去'));
        if *character == '我' && !quoted && !compound {
            out.push_str("用户");
        } else {
            out.push(*character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_person_becomes_the_user() {
        assert_eq!(
            third_person("ask me before i go, I don't like it", false),
            "ask the user before the user goes, the user doesn't like it"
        );
        assert_eq!(third_person("he types `i am` and \"my way\"", false), "he types `i am` and \"my way\"");
        assert_eq!(third_person("for carts, i.e. not for me", false), "for carts, i.e. not for the user");
        assert_eq!(
            third_person("I chose 9090, I ran it and I reran it, but I run tests and I choose names", false),
            "the user chose 9090, the user ran it and the user reran it, but the user runs tests and the user chooses names"
        );
        assert_eq!(third_person("先问我，我们再定", true), "先问用户，我们再定");
    }
}
