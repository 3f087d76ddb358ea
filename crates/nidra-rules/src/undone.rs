//! What the agent did on a person's word and then undid on the next: the word is taken back, however it was put.

use crate::dialogue::{Call, Dialogue};
use nidra_core::text::expression;
use regex::Regex;
use std::sync::LazyLock;

/// Commands that bring files back to what they were.
static RESTORES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"\bgit (?:-\S+ )*(?:checkout(?: -\S+)* (?:HEAD |@ )?(?:-- |\.(?: |$))|restore\b|revert\b|reset --hard|stash (?:drop|push)?)|\bgit apply (?:-R|--reverse)|\bpatch -R\b|\bhg revert\b").ok()
});

/// Words with which a person sends something back; a file may be restored for other reasons.
static BACK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:back|revert(?:ed)?|undo|undone|forget|scrap|drop|never ?mind|reverse|put it|restore|kill|no more|rather have|old way|was better|bad idea|nope|regret|sorry|my (?:bad|mistake)|on second thought|instead)\b|",
        r"撤|改回|换回|还原|恢复|回滚|收回|算了|别改|不改|当我|原来|还是|放屁|飘了|别弄|不要了|退回",
    ))
    .ok()
});

/// The utterances of a person whose work was undone after the one at this place: from the first to the last of them.
pub(crate) fn undone(dialogue: &Dialogue<'_>, index: usize) -> Option<(usize, usize)> {
    let utterance = dialogue.utterances.get(index)?;
    if !BACK.as_ref().is_some_and(|pattern| pattern.is_match(&utterance.own)) {
        return None;
    }
    let until = dialogue.utterances.get(index + 1).map_or(usize::MAX, |next| next.place);
    let after = dialogue.calls.iter().filter(|call| call.place > utterance.place && call.place < until);
    // The edit that is turned round, or the last one before a command that brings the files back.
    let earlier = |call: &Call<'_>| {
        let restores = call
            .field("command")
            .is_some_and(|command| RESTORES.as_ref().is_some_and(|pattern| pattern.is_match(command)));
        dialogue.calls.iter().filter(|other| other.place < utterance.place && !other.failed).rfind(|other| {
            turns_round(other, call)
                || removes(other, call)
                || checks_out(other, call)
                || restores && other.field("file_path").or_else(|| other.field("command")).is_some()
        })
    };
    let first = after.filter_map(earlier).map(|call| call.place).min()?;
    let ordered = dialogue.utterances[..index].iter().rposition(|before| before.place < first)?;
    (ordered + REACH >= index).then_some((ordered, index - 1))
}

/// How many utterances lie between an order and the one that takes it back at most.
const REACH: usize = 3;

/// A command that brings single files back, which it names.
static CHECKS_OUT: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"\bgit (?:-\S+ )*checkout (?:HEAD |@ )?[^-&|;]*\S\.[a-z]{1,6}\b").ok());

/// The name of the file that a call changes.
fn file_name<'a>(call: &'a Call<'_>) -> Option<&'a str> {
    call.field("file_path")?.rsplit(['/', '\\']).next()
}

/// Whether a command brings back the file that an earlier call changed.
fn checks_out(earlier: &Call<'_>, later: &Call<'_>) -> bool {
    let Some(name) = file_name(earlier) else { return false };
    later.field("command").is_some_and(|command| {
        CHECKS_OUT
            .as_ref()
            .and_then(|pattern| pattern.find(command))
            .is_some_and(|found| found.as_str().contains(name))
    })
}

/// A command that takes files away.
static REMOVES: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"\b(?:git (?:-\S+ )*rm|rm|trash|unlink)\b").ok());

/// Whether a command takes away the file that an earlier call wrote.
fn removes(earlier: &Call<'_>, later: &Call<'_>) -> bool {
    let Some(name) = file_name(earlier).filter(|_| earlier.field("content").is_some()) else { return false };
    later.field("command").is_some_and(|command| {
        name.len() > 2
            && command.contains(name)
            && REMOVES.as_ref().is_some_and(|pattern| pattern.is_match(command))
    })
}

/// Whether an edit puts back what another one changed.
fn turns_round(earlier: &Call<'_>, later: &Call<'_>) -> bool {
    let same = |left: Option<&str>, right: Option<&str>| {
        left.is_some_and(|left| !left.trim().is_empty() && Some(left.trim()) == right.map(str::trim))
    };
    same(earlier.field("file_path"), later.field("file_path"))
        && same(earlier.field("old_string"), later.field("new_string"))
        && same(earlier.field("new_string"), later.field("old_string"))
}
