use super::*;
use proptest::prelude::*;

#[expect(clippy::unnecessary_wraps, reason = "it stands for a file that may be missing")]
fn text(text: &str) -> Option<&[u8]> {
    Some(text.as_bytes())
}

fn clean(text: &str) -> Merged {
    Merged::Clean(Some(text.as_bytes().to_vec()))
}

#[test]
fn changes_of_different_places_come_together() {
    let base = "# 标题\n- 一\n- 二\n- 三\n- 四\n- 五\n";
    let live = "# 标题\n- 一（改）\n- 二\n- 三\n- 四\n- 五\n";
    let wanted = "# 标题\n- 一\n- 二\n- 三\n- 四\n- 五 (mended)\n";
    assert_eq!(
        merge(text(base), text(live), text(wanted)),
        clean("# 标题\n- 一（改）\n- 二\n- 三\n- 四\n- 五 (mended)\n")
    );
}

#[test]
fn the_same_place_is_a_conflict() {
    assert_eq!(merge(text("a\n"), text("b\n"), text("c\n")), Merged::Conflict);
    assert_eq!(merge(None, text("b\n"), text("c\n")), Merged::Conflict);
    assert_eq!(merge(text("a\n"), None, text("c\n")), Merged::Conflict);
    assert_eq!(merge(text("a\n"), text("b\n"), None), Merged::Conflict);
}

#[test]
fn one_sided_and_equal_changes_need_no_merge() {
    assert_eq!(merge(text("a\n"), text("a\n"), text("b\n")), clean("b\n"));
    assert_eq!(merge(text("a\n"), text("b\n"), text("a\n")), clean("b\n"));
    assert_eq!(merge(text("a\n"), text("b\n"), text("b\n")), clean("b\n"));
    assert_eq!(merge(text("a\n"), text("a\n"), None), Merged::Clean(None));
    assert_eq!(merge(text("a\n"), None, None), Merged::Clean(None));
    assert_eq!(merge(None, None, text("a\n")), clean("a\n"));
}

#[test]
fn bytes_that_are_no_text_are_merged_or_left_alone() {
    let base = b"\xff\n\n\nb\n\n\nc\n";
    let live = b"\xfe\n\n\nb\n\n\nc\n";
    let wanted = b"\xff\n\n\nb\n\n\n\0\n";
    assert_eq!(
        merge(Some(base), Some(live), Some(wanted)),
        Merged::Clean(Some(b"\xfe\n\n\nb\n\n\n\0\n".to_vec()))
    );
}

#[test]
fn appending_goes_behind_whatever_stands_there_now() {
    assert_eq!(
        merge_appending(text("a\n"), text("a\ntheirs"), text("a\nours\n")),
        clean("a\ntheirs\nours\n")
    );
    assert_eq!(merge_appending(None, text("theirs\n"), text("ours\n")), clean("theirs\nours\n"));
    assert_eq!(merge_appending(text("a\n"), text("b\n"), text("c\n")), Merged::Conflict);
    assert_eq!(merge_appending(text("a\n"), None, text("a\nours\n")), Merged::Conflict);
}

fn lines() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "", "- 一", "二\r"]), 0..8).prop_flat_map(
        |lines| {
            (Just(lines), any::<bool>())
                .prop_map(|(lines, end)| lines.join("\n") + if end { "\n" } else { "" })
        },
    )
}

proptest! {
    #[test]
    fn a_clean_merge_loses_no_line_that_a_side_added(base in lines(), live in lines(), wanted in lines()) {
        if let Merged::Clean(Some(merged)) = merge(text(&base), text(&live), text(&wanted))
            && live != base && wanted != base && live != wanted
        {
            for side in [&live, &wanted] {
                for line in side.split('\n').filter(|line| !base.split('\n').any(|old| old == *line)) {
                    prop_assert!(merged.split(|&byte| byte == b'\n').any(|kept| kept == line.as_bytes()));
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_taken(base: Vec<u8>, live: Vec<u8>, wanted: Vec<u8>) {
        let _ = merge(Some(&base), Some(&live), Some(&wanted));
    }
}
