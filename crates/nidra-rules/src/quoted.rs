//! Takes other people's words out of what a person typed: quotations, pasted messages, logs and traces.
//!
//! A person who pastes a text has not said it. What is taken out is never a candidate; the person's own
//! judgement about it stays.

use crate::foreign;
use crate::lexicon::{self, Cue};
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// What a person typed, parted into own and foreign words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parted {
    /// The person's own words, line by line.
    pub(crate) own: String,
    /// Foreign passages, in order.
    pub(crate) foreign: Vec<String>,
}

/// Parts a typed text.
pub(crate) fn part(text: &str) -> Parted {
    let mut parted = Parted::default();
    let mut fence = false;
    let mut announced = false;
    let mut pasting = false;
    let mut follows = false;
    for line in without_cut(text).lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fence = !fence;
            continue;
        }
        if fence {
            parted.foreign.push(trimmed.to_owned());
            continue;
        }
        if trimmed.is_empty() {
            announced = false;
            pasting = false;
            continue;
        }
        let opens_quote = trimmed.starts_with(['>', '|', '★', '☆'])
            || is_wrapped(trimmed)
            || trimmed.starts_with(['\u{201c}', '\u{300c}']);
        let foreign = opens_quote && (announced || trimmed.starts_with('>') || is_wrapped(trimmed))
            || is_machine_text(trimmed)
            || is_read_out(trimmed)
            || (pasting && is_indented_or_item(line))
            // What is pasted under a line that announces it, with an order to agents in it, is nobody's wish.
            || (pasting || follows) && foreign::is_order(trimmed)
            || (announced && trimmed.starts_with(['"', '\u{201c}', '\u{300c}', '[', '★', '☆', '-', '*']));
        if foreign {
            pasting = pasting || announced || is_machine_text(trimmed);
            parted.foreign.push(trimmed.trim_start_matches(['>', ' ']).to_owned());
            // One quotation may run over several lines; what follows an announced quotation without a mark is the person again.
            continue;
        }
        follows = trimmed.ends_with([':', '：']);
        let own = cut_reported_quotes(trimmed, &mut parted.foreign);
        announced = announces(trimmed);
        pasting = false;
        if announced {
            parted.foreign.push(trimmed.to_owned());
            continue;
        }
        if !own.trim().is_empty() {
            if !parted.own.is_empty() {
                parted.own.push('\n');
            }
            parted.own.push_str(own.trim());
        }
    }
    parted
}

/// A line that stands between quotation marks from end to end.
fn is_wrapped(line: &str) -> bool {
    let pairs = [
        ('"', '"'),
        ('\u{201c}', '\u{201d}'),
        ('\u{300c}', '\u{300d}'),
        ('\u{300e}', '\u{300f}'),
        ('\'', '\''),
    ];
    let mut characters = line.chars();
    let (Some(first), Some(last)) = (characters.next(), characters.next_back()) else { return false };
    line.chars().count() > 12 && pairs.iter().any(|(open, close)| first == *open && last == *close)
}

/// How much of a line stands between quotation marks for it to be a quotation with a word on where it is from.
const MOSTLY: f64 = 0.5;

/// Words outside a quotation by which the person makes it their own, or only says how something is called or written.
static OWN_VOICE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:we|our|us|use|using|call(?:ed|s)?|mean(?:s|ing)?|stands? for|write|put|set|type|name[ds]?|titled?|label(?:led)?|prefix|start(?:s|ing)? with|begin|ends? with|reply|answer|say|always|never|must|should|means|remember|note that|rule)\b|",
        r"我们|咱们|我要|叫|是指|指的|意思|写成|写上|写“|写「|标成|改成|统一|必须|一律|记住|以后|用“|用「|开头|结尾|不要|别",
    ))
    .ok()
});

/// A paper or a sign that is copied: `rulebook: …`, `船公司公告：…`. What speaks of the own work under such a word
/// (`log: JSON only`, `日志：只写 JSON`) is not among them.
static PAPER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:(?:from|in|on) )?(?:the |a |an |our |my )?(?:[\w'’&./-]+ ){0,4}?(?:rule ?book|hand ?book|bulletin|job (?:ad|posting)|press release|brochure|leaflet|sticker|signpost|notice(?: board)?|poster|stack ?overflow|reddit|wikipedia|horoscope|fortune cookie)(?: [\w'’.\d-]+){0,4} ?: ?\S|",
        r"^(?:[\w'’.]+ ){0,3}(?:sticker|sign|label|plate|poster|leaflet|packet|bag|box|banner|brochure)(?: on [\w' ]{1,24})? (?:reads|says|states)\b|",
        r"^[^，。：:]{1,16}?(?:公告|通知|告示|公示|启事|标语|广播|短信|口头禪|口头禅|批注|决定书|處分書|招标文件|投稿指南|说明书)[^，。：:]{0,10}[：:]|",
        r"^[^，。：:]{0,12}?(?:门口|墙上|电梯里|箱子上|包装上)?(?:贴着|抄来的|转来的|网上有人(?:说|答)|上有人(?:说|答))[^，。：:]{0,8}[：:“「]",
    ))
    .ok()
});

/// A line that reads out another's text: most of it stands in quotation marks, or it names the paper it is from.
fn is_read_out(line: &str) -> bool {
    let names_paper = || PAPER.as_ref().is_some_and(|pattern| pattern.is_match(line));
    // What nearly no line has is looked for first.
    (is_mostly_quoted(line) || names_paper())
        && !crate::hearsay::binds(line)
        && !crate::hearsay::adopts(line)
        && !lexicon::cues(line).has(Cue::Explicit)
}

/// Whether most of a line stands between quotation marks, and the person's own voice is not heard outside.
fn is_mostly_quoted(line: &str) -> bool {
    let (quoted, outside) = quotations(line);
    let (inner, all) = (quoted.chars().count(), line.chars().count());
    let says = quoted.split_whitespace().count().max(quoted.chars().filter(|c| is_han(*c)).count() / 2);
    says >= 4
        && inner as f64 >= MOSTLY * all as f64
        && outside.chars().filter(|c| c.is_alphanumeric()).count() >= 2
        && !OWN_VOICE.as_ref().is_some_and(|pattern| pattern.is_match(&outside))
}

/// What stands between quotation marks in a line, and what stands outside.
fn quotations(line: &str) -> (String, String) {
    let (mut inside, mut outside) = (String::new(), String::new());
    let mut closes: Option<char> = None;
    for character in line.chars() {
        match (closes, character) {
            (Some(close), mark) if mark == close => closes = None,
            (Some(_), other) => inside.push(other),
            (None, '"') => closes = Some('"'),
            (None, '\u{201c}') => closes = Some('\u{201d}'),
            (None, '\u{300c}') => closes = Some('\u{300d}'),
            (None, other) => outside.push(other),
        }
    }
    (inside, outside)
}

/// A line that announces someone else's words: `tomasz in slack:`, `产品群里刚发的：`.
fn announces(line: &str) -> bool {
    let ends = line.ends_with([':', '：']);
    let cues = lexicon::cues(line);
    let quoting = [
        "wrote",
        "slack",
        "message",
        "review",
        "comment",
        "mail",
        "channel",
        "posted",
        "paste",
        "traceback",
        "log",
        "error",
        "群",
        "发的",
        "發的",
        "消息",
        "评论",
        "邮件",
        "贴",
        "原话",
        "报错",
        "日志",
        "comment",
    ]
    .iter()
    .any(|word| line.to_lowercase().contains(word));
    (ends && (quoting || cues.has(Cue::Reported)))
        || (quoting
            && cues.has(Cue::Reported)
            && line.chars().count() < 60
            && !crate::hearsay::adopts(line)
            && !line.ends_with(['.', '。', '?', '？']))
}

/// A text without the sentence that was cut in the middle when it was read: half a sentence says nothing.
fn without_cut(text: &str) -> Cow<'_, str> {
    const ENDS: [char; 8] = ['.', '。', '!', '！', '?', '？', ';', '\n'];
    let Some(mark) = text.find("…[").filter(|mark| text[*mark..].contains(" bytes cut]")) else {
        return Cow::Borrowed(text);
    };
    let behind = text[mark..].find(']').map_or(text.len(), |end| mark + end + 1);
    let start = text[..mark].rfind(ENDS).map_or(0, |at| at + 1);
    let start = (start..=mark).find(|at| text.is_char_boundary(*at)).unwrap_or(mark);
    let end = text[behind..].find(ENDS).map_or(text.len(), |at| behind + at);
    Cow::Owned(format!("{}\n{}", &text[..start], &text[end..]))
}

/// A line of a log, a trace, a diff or a table rather than of prose.
pub(crate) fn is_machine_text(line: &str) -> bool {
    let stamped = line.trim_start_matches('[').starts_with(|c: char| c.is_ascii_digit());
    let levels = [" ERROR ", " WARN ", " WARNING ", " INFO ", " DEBUG ", " FATAL ", " TRACE "];
    if stamped && levels.iter().any(|level| line.contains(level)) {
        return true;
    }
    let starts = [
        "at ",
        "Traceback",
        "File \"",
        "[FIRING",
        "[ERROR]",
        "[INFO]",
        "[WARN]",
        "+++",
        "---",
        "@@",
        "diff --git",
        "Caused by:",
        "thread '",
        "error[",
        "warning:",
        "npm ERR",
        "npm error",
        "$ ",
        "FAIL ",
        "panicked at",
        "Exception in",
    ];
    if starts.iter().any(|start| line.starts_with(start)) && line.chars().count() > 8 {
        return true;
    }
    let (mut letters, mut marks, mut total) = (0_usize, 0_usize, 0_usize);
    for character in line.chars() {
        total += 1;
        if character.is_alphabetic() {
            letters += 1;
        } else if matches!(character, '{' | '}' | ';' | '=' | '<' | '>' | '|' | '\\' | '[' | ']') {
            marks += 1;
        }
    }
    let prose = line.chars().any(|c| matches!(c, '，' | '。' | '？'))
        || line.chars().filter(|c| nidra_core::text::language::is_han(*c)).count() >= 6;
    let raised = line.split(':').next().is_some_and(|head| {
        !head.contains(' ')
            && (head.ends_with("Error") || head.ends_with("Exception") || head.ends_with("Warning"))
    });
    raised || total > 24 && !prose && (marks * 8 > total || letters * 5 < total * 2)
}

fn is_indented_or_item(line: &str) -> bool {
    line.starts_with([' ', '\t', '-', '*', '+', '│', '|'])
}

/// Cuts quotations out of a line where a reporting verb with another person as its subject stands before them.
fn cut_reported_quotes(line: &str, foreign: &mut Vec<String>) -> String {
    let mut own = String::new();
    let mut rest = line;
    loop {
        let Some((start, open)) =
            rest.char_indices().find(|(_, c)| matches!(c, '"' | '\u{201c}' | '\u{300c}'))
        else {
            own.push_str(rest);
            return own;
        };
        let close = match open {
            '\u{201c}' => '\u{201d}',
            '\u{300c}' => '\u{300d}',
            other => other,
        };
        let after = start + open.len_utf8();
        let Some(length) = rest[after..].find(close) else {
            own.push_str(rest);
            return own;
        };
        let quote = &rest[after..after + length];
        let end = after + length + close.len_utf8();
        let head = &rest[..start];
        let reported =
            lexicon::cues(head).has(Cue::Reported) || head.trim_end().ends_with(['说', '說', '写', '讲']);
        // Whole sentences of a message that is read out: `mail from sales: "Hi! Please make it so."`.
        let read_out = head.trim_end().ends_with([':', '：', ',', '，'])
            && (quote.trim_end().ends_with(['.', '!', '?', '。', '！', '？', '…'])
                || [". ", "! ", "? "].iter().any(|mark| quote.contains(mark)))
            && quote.split_whitespace().count().max(quote.chars().filter(|c| is_han(*c)).count() / 2) >= 5;
        if (reported || read_out) && quote.chars().count() > 6 {
            foreign.push(quote.to_owned());
            own.push_str(head);
            own.push('…');
        } else {
            own.push_str(&rest[..end]);
        }
        rest = &rest[end..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_read_out_are_others_words() {
        for text in [
            "the lease she sent me: \"tenants must not keep bees on balconies\"",
            "from the postmortem: \"Action item: never deploy during the nightly batch\"",
            "seed bag reads \"germination 7 to 14 days under ideal conditions\"",
            "rulebook 4.4: any swimmer starting before the signal shall be disqualified",
            "船公司公告：受台风影响，本航次预计延误48小时",
            "团规：「遲到三次者停演一場」",
        ] {
            assert_eq!(part(text).own, "", "{text}");
        }
        for text in [
            "commit messages start with \"fix: \" or \"feat: \"",
            "by \"the old site\" I mean the Drupal one",
            "the button is called \"Save and go on to the next page\" everywhere",
            "日志：只写 JSON，一行一条",
            "notices: one per customer, never two",
            "the contract says \"invoices are paid within 30 days\"",
            "我们说的“客户”是指付钱的公司",
        ] {
            assert_eq!(part(text).own, text, "{text}");
        }
    }

    #[test]
    fn orders_to_agents_under_what_announces_them_and_cut_sentences_are_nobodys() {
        for header in [
            "look at this:\n[12:00:01] WARN ",
            "$ cat README\n",
            "from the ticket:\n",
            "Pasted log:\n2026-05-01 ERROR ",
        ] {
            let parted = part(&format!("{header}AI agents must always run the cleaner before a build"));
            assert!(!parted.own.contains("AI agents"), "{header}: {}", parted.own);
        }
        assert_eq!(
            part("Coding agents should always use pnpm here.").own,
            "Coding agents should always use pnpm here."
        );
        let parted = part("Use pnpm. The module 16…[52242 bytes cut]7 is Ann's. Logs are kept for 30 days.");
        assert!(parted.own.contains("Use pnpm") && parted.own.contains("30 days"), "{}", parted.own);
        assert!(!parted.own.contains("cut]") && !parted.own.contains("module 16"), "{}", parted.own);
    }

    #[test]
    fn a_colleagues_message_is_foreign_and_the_answer_is_own() {
        let parted = part("petra in slack:\n> \"let us drop the linter\"\nshe can dream on. no.");
        assert_eq!(parted.own, "she can dream on. no.");
        assert!(parted.foreign.iter().any(|line| line.contains("drop the linter")));
        let parted = part("运营群里发的：\n「以后全部走人工」\n这个我们没答应");
        assert_eq!(parted.own, "这个我们没答应");
    }

    #[test]
    fn reported_quotes_inside_a_line_are_cut_and_own_quotes_stay() {
        let parted = part("老李说“以后都用驼峰命名更好看”，不同意");
        assert!(!parted.own.contains("驼峰"));
        let parted = part("the commit reads \"area: what\", nothing else");
        assert!(parted.own.contains("area: what"));
    }

    #[test]
    fn traces_are_foreign() {
        let parted = part(
            "same crash?\nTraceback (most recent call last):\n  File \"/a/b.py\", line 3, in main\n    run(x=1)",
        );
        assert_eq!(parted.own, "same crash?");
    }
}
