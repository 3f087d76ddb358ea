//! Whether a statement is the model's own. Nothing here tells a synonym from a swapped thing, nor a move of words that
//! changes nothing from one that turns a statement round, so a person has to: what is not the model's own is what was said,
//! word for word and in its order, but for words that say nothing of the matter and clauses that limit nothing.

use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::{Captures, Regex};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words that may come and go.
const FREE: &[&str] = &[
    "a",
    "an",
    "the",
    "this",
    "these",
    "those",
    "that",
    "it",
    "there",
    "is",
    "are",
    "am",
    "be",
    "do",
    "does",
    "and",
    "but",
    "so",
    "then",
    "now",
    "currently",
    "please",
    "just",
    "also",
    "ok",
    "okay",
    "well",
    "hey",
    "hi",
    "thanks",
    "btw",
    "fyi",
    "note",
    "remember",
    "的",
    "请",
    "就",
    "那",
    "呢",
    "吧",
    "啊",
    "哦",
    "嗯",
    "呀",
    "嘛",
];
/// Words that may go: a statement says less without them. None may come.
const STRESS: &[&str] = &["always", "really", "definitely", "actually", "simply", "strictly"];
/// Words that open a clause.
const OPENING: &[&str] = &["and", "but", "or", "nor", "while", "whereas", "because", "so"];
/// Words of a clause that what stands beside it is not true without.
const LIMITING: &[&str] = &[
    "if", "unless", "until", "till", "when", "whenever", "while", "once", "except", "only", "but", "not",
    "never", "no", "without", "or", "nor", "than", "instead", "provided", "assuming", "may", "might",
    "could", "would", "should", "ought", "maybe", "perhaps", "probably", "doubt", "think", "guess", "wrong",
    "was", "were", "before", "after", "如", "若", "除", "只", "仅", "不", "没", "别", "勿", "未", "非", "或",
    "但", "才", "能", "许", "旦", "前", "后", "时",
];
/// Words that open a clause which only says why; every other clause may limit what stands beside it.
const REASONS: &[&str] = &["because", "因", "由", "所"];
/// Words of a clause which only says what happens if one does not listen.
const WARNINGS: &[&str] = &["otherwise", "否"];
/// What stands around a word without being part of it.
const AROUND: &[char] =
    &['"', '\'', '`', '“', '”', '‘', '’', '(', ')', '[', ']', '{', '}', '「', '」', '『', '』', '（', '）'];
/// What ends a clause or a sentence.
const STOPS: &[char] = &[',', ';', ':', '.', '!', '?', '…', '，', '；', '：', '、', '。', '！', '？'];
/// Those of them that end a sentence.
const FULL_STOPS: &[char] = &['.', '!', '?', '…', '。', '！', '？'];

/// Turns that say nothing of the matter, and who speaks.
static TURNS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:from now on|as of now|for later|by the way|note to self|keep in mind(?: that)?|make sure(?: that| to| you)*|",
        r"(?:you|we) (?:need|have) to|(?:i|the user|the person) (?:wants?|prefers?|likes?|asks? for|expects?|requires?|said|says)(?: you)?(?: that| to)?)\b|",
        r"(?:从现在(?:起|开始)|记住|注意|麻烦你?|顺便|另外|对了|现在|目前|(?:我|用户|使用者)(?:希望|要求|想要|说过?)你?)",
    ))
    .ok()
});
/// Who a statement speaks of, as the person says it and as a memory does.
static PERSONS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(the user's|the user|the team)\b|(用户|使用者)|(\w+)n['’]t\b|\b(cannot)\b").ok()
});

/// Whether a statement is the model's own: it has a word that was not said, leaves out one that counts, or puts what was said
/// together in another way.
pub fn is_own(text: &str, words: &str) -> bool {
    let text = words_of(text);
    if text.is_empty() {
        return true;
    }
    let mut reached = BTreeSet::from([0]);
    for sentence in sentences(words) {
        let from = reached.clone();
        for start in from {
            reached.extend(within(&sentence, &text, start));
        }
    }
    !reached.contains(&text.len())
}

/// Whether a title or a line of an index is words that stand one behind the other in these.
pub fn is_cut_from(title: &str, words: &str) -> bool {
    let (title, words) = (words_of(title), words_of(words));
    !title.is_empty() && words.windows(title.len()).any(|part| part == title)
}

/// How far a text that says what a sentence says may have come behind it, from a place in the text on.
fn within(sentence: &[Vec<String>], text: &[String], start: usize) -> BTreeSet<usize> {
    // A place in the text, and whether a clause was left out that limits the others.
    let mut states = BTreeSet::from([(start, false)]);
    for clause in sentence {
        let limits = limits(clause, text);
        let mut next: BTreeSet<(usize, bool)> =
            states.iter().map(|(at, limited)| (*at, *limited || limits)).collect();
        for (at, limited) in states {
            next.extend(behind(clause, text, at).into_iter().map(|end| (end, limited)));
        }
        states = next;
    }
    states.into_iter().filter(|(at, limited)| *at > start && !limited).map(|(at, _)| at).collect()
}

/// Whether what stands beside a clause may not be true without it. It may go when it only says why or warns, or when it says
/// of another thing in like words what the text says of its own.
fn limits(clause: &[String], text: &[String]) -> bool {
    let any = |words: &[&str]| clause.iter().any(|word| words.contains(&word.as_str()));
    let opens_with_reason = clause.first().is_some_and(|word| REASONS.contains(&word.as_str()));
    let shared = clause.iter().filter(|word| text.contains(word)).count();
    let is_parallel = 2 * shared >= clause.len();
    !clause.is_empty() && (any(LIMITING) || !(opens_with_reason || any(WARNINGS) || is_parallel))
}

/// Where the text goes on that says a whole clause from here on.
fn behind(clause: &[String], text: &[String], start: usize) -> BTreeSet<usize> {
    let mut places = BTreeSet::from([start]);
    for word in clause {
        let mut next = BTreeSet::new();
        for at in places {
            if is_same(text, at, word) {
                next.insert(at + 1);
            }
            if STRESS.contains(&word.as_str()) {
                next.insert(at);
            }
        }
        places = next;
    }
    places.into_iter().filter(|at| *at > start).collect()
}

/// Whether this word stands at a place of the text; a verb has another ending behind `the user` than behind `I`.
fn is_same(text: &[String], at: usize, word: &str) -> bool {
    let Some(own) = text.get(at) else { return false };
    let third =
        || own.strip_suffix('s').is_some_and(|bare| bare == word || bare.strip_suffix('e') == Some(word));
    own == word || at > 0 && text[at - 1] == "i" && third()
}

/// The words of a text that count.
fn words_of(text: &str) -> Vec<String> {
    sentences(text).into_iter().flatten().flatten().collect()
}

/// The clauses of the sentences of a text, each as the words that count.
fn sentences(text: &str) -> Vec<Vec<Vec<String>>> {
    let text = match PERSONS.as_ref() {
        Some(persons) => {
            persons.replace_all(text, |found: &Captures<'_>| match (found.get(1), found.get(2)) {
                (Some(who), _) if who.as_str().eq_ignore_ascii_case("the user") => "I".to_owned(),
                (Some(who), _) if who.as_str().eq_ignore_ascii_case("the team") => "we".to_owned(),
                (Some(_), _) => "my".to_owned(),
                (_, Some(_)) => "我".to_owned(),
                _ => {
                    found.get(3).map_or("can not".to_owned(), |verb| format!("{} not", whole(verb.as_str())))
                }
            })
        }
        None => text.into(),
    };
    let text = match TURNS.as_ref() {
        Some(turns) => turns.replace_all(&text, " "),
        None => text,
    };
    let mut all = vec![vec![Vec::new()]];
    for line in text.lines() {
        let line = tokens(line);
        for (place, token) in line.iter().enumerate() {
            let bare = token.trim_matches(AROUND).trim_end_matches(STOPS).trim_end_matches(AROUND);
            let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
            // A flag is another one in capitals.
            let word = if bare.starts_with('-') { bare.to_owned() } else { bare.to_lowercase() };
            if OPENING.contains(&word.as_str()) {
                clause(&mut all);
            }
            // What a clause opens with tells whether it limits, even where it may go otherwise.
            let counts = !word.is_empty() && !FREE.contains(&word.as_str());
            if let Some(last) = all.last_mut().and_then(|sentence| sentence.last_mut()).filter(|_| counts) {
                last.push(word);
            }
            let end = token.trim_end_matches(AROUND);
            // Behind the full stop of an abbreviation, or of somebody in a hurry, the sentence may go on.
            let next = line.get(place + 1).and_then(|next| next.chars().next());
            let goes_on = end.ends_with('.') && next.is_some_and(char::is_lowercase);
            if end.ends_with(FULL_STOPS) && !goes_on {
                all.push(vec![Vec::new()]);
            } else if end.ends_with(STOPS) || matches!(bare, "—" | "–" | "-") {
                clause(&mut all);
            }
        }
        all.push(vec![Vec::new()]);
    }
    all
}

/// Begins another clause of the last sentence.
fn clause(all: &mut [Vec<Vec<String>>]) {
    if let Some(sentence) = all.last_mut() {
        sentence.push(Vec::new());
    }
}

/// A verb before the end that denies it: `won't`, `can't`, `don't`.
fn whole(verb: &str) -> &str {
    match verb {
        "wo" => "will",
        "ca" => "can",
        verb => verb,
    }
}

/// The words of a line with the marks at their ends, and each Han character with the mark behind it.
fn tokens(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let mut last: Option<char> = None;
        for letter in word.chars() {
            let is_mark = STOPS.contains(&letter) || AROUND.contains(&letter);
            let begins = match last {
                None => true,
                Some(_) if is_mark => false,
                Some(before) => is_han(letter) || is_han(before) || "，；：、。！？".contains(before),
            };
            match found.last_mut().filter(|_| !begins) {
                Some(token) => token.push(letter),
                None => found.push(letter.to_string()),
            }
            last = Some(letter);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_known_though_fillers_and_whole_clauses_are_gone() {
        for (text, words) in [
            (
                "The staging database listens on port 5544.",
                "ok so staging's database now listens on port 5544",
            ),
            ("Run `make check` before you push.", "you need to run `make check` before you push, please"),
            ("The user prefers tabs.", "I prefer tabs"),
            ("The user reviews each refund on Fridays.", "from now on I review each refund on fridays"),
            ("The icons are stored as svg.", "screenshots are stored as webp and icons are stored as svg"),
            (
                "Staging listens on port 4310 since the move.",
                "hey, btw staging listens on port 4310 since the move, ok?",
            ),
            (
                "Use pnpm in this repository, never npm.",
                "always use pnpm in this repository, never npm, the lockfile breaks otherwise",
            ),
            ("Do not push to main.", "Don't push to main."),
            ("生产环境用 9090 端口。", "测试环境用 8080 端口，生产环境用 9090 端口"),
            ("用户不喜欢表格。", "我不喜欢表格"),
            ("缩进用空格不用制表符。", "记住：缩进用空格不用制表符"),
            ("Batches run at night.", "batches run at night because the mill is loud by day"),
            ("夜里跑批处理。", "夜里跑批处理，因为白天机器太吵"),
        ] {
            assert!(!is_own(text, words), "{text}");
        }
    }

    #[test]
    fn everything_else_is_the_models_own() {
        let pnpm = "always use pnpm in this repository, never npm, the lockfile breaks otherwise";
        let ports = "the staging database runs on port 5544 and the production database runs on port 6655";
        let chinese = "测试环境用 8080 端口，生产环境用 9090 端口";
        for (text, words) in [
            (
                "You may drop the staging tables etc.",
                "you may drop the staging tables etc. unless qa is busy",
            ),
            (
                "Use port 9443 for the billing gateway.",
                "use port 9443 for the billing gateway, apart from the canary hosts",
            ),
            ("The kiln stands in hall three.", "the kiln stands in hall three, as long as the repair lasts"),
            ("The demo tenants live in Tokyo.", "the demo tenants live in tokyo, I used to believe"),
            ("Restart the mixer at noon.", "restart the mixer at noon, given that nobody is recording"),
            ("把前端部署到生产集群。", "要是构建通过了，把前端部署到生产集群"),
            ("值班找李雷。", "值班找李雷，据说是这样"),
            ("Always use npm in this repository, never pnpm, the lockfile breaks otherwise.", pnpm),
            ("Never use pnpm in this repository, always npm.", pnpm),
            ("The staging database runs on port 6655.", ports),
            ("Always run `make check` before you push.", "run `make check` before you push"),
            ("Ask Tom about invoices.", "ask Maria about invoices and Tom about shipping"),
            (
                "First restart the workers, then run the migration.",
                "first run the migration, then restart the workers",
            ),
            ("Postgres replaces Redis.", "redis replaces postgres"),
            (
                "Write commit messages in German not in English.",
                "from now on write commit messages in english not in german",
            ),
            (
                "Copy the production snapshot to staging.",
                "remember to copy the staging snapshot to production",
            ),
            ("The balancer sits behind the gateway.", "remember that the gateway sits behind the balancer"),
            (
                "The backup runs on the primary when the replica is busy.",
                "the backup runs on the replica when the primary is busy",
            ),
            ("The backup runs on the replica.", "the backup runs on the replica when the primary is busy"),
            (
                "Merge into the main branch without a green build.",
                "never merge into the main branch without a green build",
            ),
            ("The invoices service was on Heroku.", "the invoices service is on heroku"),
            ("The bucket had 3 copies.", "the bucket has 3 copies"),
            ("We deployed the frontend on Fridays.", "we deploy the frontend on fridays"),
            ("A search takes 200 ms.", "a search takes at most 200 ms"),
            ("A 10 discount is the limit.", "a 10% discount is the limit"),
            ("Integration tests use sqlite.", "most integration tests use sqlite"),
            ("Admins may open the vault.", "only admins may open the vault"),
            ("We log every refund twice.", "from now on we ought to log every refund twice"),
            ("The mail queue lives in redis.", "from now on I doubt that the mail queue lives in redis"),
            ("We move to Hetzner.", "we may move to Hetzner"),
            ("Deploy every day.", "deploy every day, but not on fridays"),
            ("Deploy every day.", "deploy every day, unless the build is red"),
            ("Use sqlite.", "use sqlite or postgres"),
            ("Answers take > 200 ms.", "answers take < 200 ms"),
            ("A refund of £500 is approved.", "a refund of €500 is approved"),
            ("Call it with -D.", "call it with -d"),
            ("Run /build.sh.", "run ./build.sh"),
            ("The plans land in the hall.", "the planes land in the hall"),
            ("Windows are logged.", "window is logged"),
            ("生产数据库使用端口 5544。", "预发的数据库现在在 5544 端口"),
            ("日志只写不读。", "日志只读不写"),
            ("以后没有审批上线支付服务。", "以后没有审批不要上线支付服务"),
            ("缩进用制表符不用空格。", "记住：缩进用空格不用制表符"),
            ("账单服务调用导入服务。", "记住：导入服务调用账单服务"),
            ("测试环境用 9090 端口。", chinese),
            ("", "nothing"),
        ] {
            assert!(is_own(text, words), "{text}");
        }
    }

    #[test]
    fn a_title_is_a_piece_of_what_was_said() {
        let words = "the staging database listens on port 5544\n预发数据库在 5544 端口";
        for title in ["Staging database", "Port 5544", "预发数据库"] {
            assert!(is_cut_from(title, words), "{title}");
        }
        for title in ["Production database", "Database staging", "", "预发端口"] {
            assert!(!is_cut_from(title, words), "{title}");
        }
    }
}
