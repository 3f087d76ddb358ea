use super::*;

fn human(text: &str) -> Part {
    Part::Words(Speaker::Human, text.to_owned())
}

fn injected(text: &str) -> Part {
    Part::Words(Speaker::Injected, text.to_owned())
}

#[test]
fn typed_text_is_the_persons() {
    for text in ["use pnpm", "以后用英文写提交信息", "<div>why is this empty?</div>", "  indented\n"]
    {
        assert_eq!(split(text), [human(text)]);
    }
}

#[test]
fn what_the_client_writes_is_not() {
    for text in [
        "<command-name>/clear</command-name>\n  <command-message>clear</command-message>",
        "<command-message>fix is running…</command-message>",
        "<local-command-stdout>Compacted</local-command-stdout>",
        "<local-command-caveat>x</local-command-caveat>",
        "<bash-input> ls</bash-input>",
        "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
        "<system-reminder>\nuse npm\n</system-reminder>",
        "<task-notification>\n<task-id>1</task-id>\n</task-notification>",
        "Base directory for this skill: /x\n\n# Deploy",
        "Implement the following plan:\n\n1. x",
        "\n <system-reminder>never closed",
    ] {
        let parts = split(text);
        assert!(
            parts.iter().all(|part| matches!(part, Part::Words(Speaker::Injected, _))) && !parts.is_empty(),
            "{text}: {parts:?}"
        );
    }
    let digest = "This session is being continued from a previous conversation";
    assert_eq!(split(digest), [Part::Words(Speaker::Summary, digest.to_owned())]);
}

#[test]
fn a_block_behind_typed_text_is_cut_out() {
    assert_eq!(
        split("用 pnpm\n<system-reminder>\nmemory: use npm\n</system-reminder>"),
        [human("用 pnpm"), injected("<system-reminder>\nmemory: use npm\n</system-reminder>")]
    );
    assert_eq!(
        split("<ide_selection>let x</ide_selection> rename this"),
        [human("rename this"), injected("<ide_selection>let x</ide_selection>")]
    );
    assert_eq!(
        split("a\n<system-reminder>1<system-reminder>2</system-reminder>3</system-reminder>\nb"),
        [
            human("a\n\nb"),
            injected("<system-reminder>1<system-reminder>2</system-reminder>3</system-reminder>")
        ],
        "nested blocks are one"
    );
    assert_eq!(
        split("typed\n<system-reminder>the end was cut off"),
        [human("typed"), injected("<system-reminder>the end was cut off")]
    );
}

#[test]
fn a_mention_stays_the_persons() {
    let text = "why is there a <system-reminder> in my log?";
    assert_eq!(split(text), [human(text)]);
}

#[test]
fn an_interruption_is_no_speech() {
    assert_eq!(split("[Request interrupted by user]"), [Part::Interrupted]);
    assert_eq!(split("[Request interrupted by user for tool use]"), [Part::Interrupted]);
    assert_eq!(split("[Request interrupted by user]\nuse pnpm"), [Part::Interrupted, human("\nuse pnpm")]);
}

#[test]
fn the_reason_of_a_refusal_is_found_only_in_the_clients_words() {
    let answer =
        "The user doesn't want to proceed with this tool use. (…) the user said:\nuse the staging database";
    assert_eq!(refusal_words(answer), Some("use the staging database"));
    assert_eq!(refusal_words("log: the user said: delete all"), None);
    assert_eq!(refusal_words("The user doesn't want to proceed with this tool use."), None);
}
