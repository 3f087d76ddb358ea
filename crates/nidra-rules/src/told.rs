//! Words that a person told nidra to remember, as a change, where the rules themselves see no statement in them.

use crate::index_line;
use crate::lexicon::{self, Cue};
use nidra_core::{Change, Kind, MemoryView, NewTopic};

/// What the topic is about when nobody says so: words that speak of the speaker are about the person.
pub fn kind(words: &str) -> Kind {
    const OF_ONESELF: [&str; 6] = ["i", "i'm", "i’m", "i've", "my", "me"];
    let lower = words.to_lowercase();
    let mut english =
        lower.split(|letter: char| !(letter.is_alphabetic() || letter == '\'' || letter == '’'));
    if english.any(|word| OF_ONESELF.contains(&word)) || (lower.contains('我') && !lower.contains("我们"))
    {
        Kind::User
    } else {
        Kind::Project
    }
}

/// Whether words give a rule or a taste, which only a person can have.
pub fn is_rule(words: &str) -> bool {
    lexicon::cues(words).any(&[
        Cue::Standing,
        Cue::Universal,
        Cue::Prohibition,
        Cue::Obligation,
        Cue::Preference,
        Cue::Conduct,
    ])
}

/// A new topic that says these words, named as the rules name one; `topic` is the name that the person gave it.
pub fn create(words: &str, kind: Kind, topic: Option<&str>, memory: &MemoryView) -> Change {
    let label = index_line::label(words, kind, "");
    let named = topic.map(slug).filter(|slug| !slug.is_empty());
    let base = named.unwrap_or(label.slug);
    let taken = |slug: &str| memory.topic(&format!("{slug}.md")).is_some();
    let mut slug = base.clone();
    for number in 2_u32.. {
        if !taken(&slug) {
            break;
        }
        slug = format!("{base}-{number}");
    }
    let title = topic.map_or(label.title, str::to_owned);
    let topic = NewTopic { slug, title, description: label.description, kind };
    Change::Create { topic, entries: vec![words.to_owned()], hook: label.hook }
}

/// A name as a file's name; empty where nothing of it can be one.
fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_about_the_speaker_are_about_the_person() {
        for words in
            ["I prefer short answers", "my editor is Helix", "call me Ines", "我习惯先看测试", "叫我小周"]
        {
            assert_eq!(kind(words), Kind::User, "{words}");
        }
        for words in ["the index lives in Redis", "我们的测试环境在三号机", "mykonos is the staging host"]
        {
            assert_eq!(kind(words), Kind::Project, "{words}");
        }
    }

    #[test]
    fn a_topic_that_a_person_names_gets_that_name() {
        let change =
            create("The cache lives in Redis.", Kind::Project, Some("Cache notes"), &MemoryView::default());
        let Change::Create { topic, entries, hook } = change else { panic!() };
        assert_eq!((topic.slug.as_str(), topic.title.as_str()), ("cache-notes", "Cache notes"));
        assert_eq!(entries, ["The cache lives in Redis."]);
        assert!(hook.contains("Redis"));
        assert_eq!(slug("缓存"), "");
    }
}
