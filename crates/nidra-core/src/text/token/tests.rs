//! What runs a text has, and how near the estimate comes.

use super::Kind::*;
use super::*;
use proptest::prelude::*;

/// Samples with the number of tokens that a byte-pair tokenizer of 200,000 entries gives them.
const SAMPLES: &[(usize, &str)] = &[
    (
        58,
        "Before anything else, read the design notes: the worker keeps a cursor per session, and it never moves that \
         cursor before the transaction has committed. If the process dies in the middle, the next run starts where \
         the last good one ended, so nothing is read twice and nothing is lost.",
    ),
    (
        70,
        "先读设计说明：每个会话都有一个游标，事务提交之前游标绝不移动。如果进程中途退出，下一次运行会从上一次成功的位置继续，\
         所以不会重复读取，也不会丢失任何内容。支付回调必须做幂等处理，日志里不要打印完整的卡号。",
    ),
    (
        75,
        "fn commit(store: &mut Store, lease: &Lease, run: &NewRun) -> Result<Committed, CommitError> {\n    let \
         transaction = store.begin()?;\n    for (index, change) in run.changes.iter().enumerate() {\n        \
         transaction.apply(index, change)?;\n    }\n    lease.verify()?;\n    \
         transaction.finish(run.id.clone())\n}\n",
    ),
    (
        85,
        "2026-06-03 13:22:28.622  INFO 21664 --- [main] c.e.pay.channel.ChannelRouter : trace=90a0fa6e877b \
         cost=435ms\n2026-06-03 13:22:33.418  WARN 37164 --- [main] o.f.core.internal.DbMigrate : route channel=HDT \
         weight=54\n",
    ),
];

#[test]
fn short_samples_are_right_within_a_sixth() {
    for &(counted, text) in SAMPLES {
        let ratio = estimate(text) as f64 / counted as f64;
        assert!((0.84..=1.17).contains(&ratio), "{ratio:.2} for {text}");
    }
    assert_eq!((estimate(""), estimate("hello"), estimate(" ")), (0, 1, 0));
}

#[test]
fn runs_are_counted_by_their_script() {
    let of = |text: &str| {
        let features = Features::of(text);
        let counts = features.counts().iter().enumerate();
        counts.filter(|(_, count)| **count > 0).map(|(kind, count)| (kind, *count)).collect::<Vec<_>>()
    };
    let expected = |counts: &[(Kind, u64)]| {
        counts.iter().map(|(kind, count)| (*kind as usize, *count)).collect::<Vec<_>>()
    };
    for (text, counts) in [
        (" the service", &[(Spaced, 2)][..]),
        // Neither stands behind a blank.
        ("the\nservice", &[(Bare, 2), (Lines, 1)]),
        ("HTTPServer parseURL I", &[(Spaced, 2), (Bare, 1), (Capitals, 2)]),
        (" xqzvkjw", &[(Rare, 1)]),
        ("abcdefghijklmnopqrst", &[(Rare, 1), (FarLetters, 4)]),
        ("ABCDEFGHIJKLMNOPQRST", &[(Capitals, 1), (FarLetters, 4)]),
        ("                 \n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", &[(Lines, 1), (Blanks, 1), (FarBlanks, 2)]),
        (
            "\0\u{1b}[0m😀ᚠ",
            &[(Spaced, 1), (Digits, 1), (Marks, 1), (OtherMarks, 1), (Symbols, 1), (Emoji, 1), (Odd, 1)],
        ),
        ("12 3456", &[(Digits, 3), (SpacedDigits, 1)]),
        (
            "==== {}\n\n\t\ty",
            &[(Spaced, 1), (Marks, 2), (OtherMarks, 1), (RepeatedMarks, 3), (MarkedLines, 1), (Blanks, 1)],
        ),
        (
            "你好，龘カナ한é—————",
            &[
                (CommonHan, 2),
                (RareHan, 1),
                (WideMarks, 1),
                (Kana, 2),
                (Hangul, 1),
                (Letters, 1),
                (Symbols, 1),
                (RepeatedSymbols, 4),
            ],
        ),
    ] {
        assert_eq!(of(text), expected(counts), "{text:?}");
    }
}

/// Texts that no corpus has, and what no budget may take for nothing: runs without an end, noise, signs that no vocabulary
/// knows. How many tokens Claude up to 4.6, Claude from 4.7 and Gemma make of each was counted with the tokenizers that
/// `evaluation/tokens` names; those of OpenAI count here.
fn unlikely() -> Vec<(String, [usize; 3])> {
    let repeated = |text: &str, times: usize| text.repeat(times);
    let each =
        |first: u32, number: u32| (0..number).filter_map(|at| char::from_u32(first + at)).collect::<String>();
    vec![
        (repeated("x", 30_000), [3_752, 30_000, 3_750]),
        (repeated("xy", 15_000), [15_001, 30_000, 15_000]),
        (repeated("Z", 30_000), [15_002, 30_002, 15_000]),
        (repeated("the", 10_000), [10_000, 10_001, 10_001]),
        (repeated("ABC", 10_000), [20_001, 20_001, 10_000]),
        (repeated(" ", 30_000), [1_875, 1_875, 968]),
        (repeated("\t", 30_000), [1_876, 1_875, 968]),
        (repeated("\t ", 15_000), [30_001, 30_000, 30_000]),
        (repeated("\n", 30_000), [236, 938, 968]),
        (repeated("=", 30_000), [470, 1_875, 1_875]),
        (repeated(")(", 15_000), [15_001, 15_001, 14_999]),
        (repeated("0", 30_000), [10_001, 10_000, 30_000]),
        (repeated("😀", 15_000), [30_001, 30_000, 15_000]),
        (repeated("🔥", 15_000), [45_001, 45_000, 7_500]),
        (repeated("█", 20_000), [5_001, 5_000, 10_000]),
        (repeated("—", 20_000), [5_001, 5_000, 1_250]),
        (repeated("①", 20_000), [20_001, 20_000, 20_000]),
        (repeated("፩", 20_000), [40_001, 40_000, 20_000]),
        (repeated("\u{a0}", 30_000), [1_875, 1_875, 60_000]),
        (repeated("\u{301}", 30_000), [30_001, 30_000, 30_000]),
        (repeated("𝕏", 15_000), [60_001, 60_000, 60_000]),
        (repeated("\u{e0041}", 15_000), [60_001, 60_000, 60_000]),
        (repeated(&each(0x16a0, 75), 200), [45_002, 45_002, 44_200]),
        (repeated(&each(0x2800, 250), 60), [45_001, 45_000, 43_440]),
    ]
}

#[test]
fn no_text_comes_near_to_nothing_that_a_tokenizer_makes_many_of() {
    let older = tiktoken_rs::cl100k_base().unwrap();
    let newer = tiktoken_rs::o200k_base().unwrap();
    for (text, [claude, newer_claude, gemma]) in unlikely() {
        let counted = [
            (Family::Cl100k, older.encode_ordinary(&text).len()),
            (Family::O200k, newer.encode_ordinary(&text).len()),
            (Family::Claude3, claude),
            (Family::Claude47, newer_claude),
            (Family::Gemma, gemma),
        ];
        let begins: String = text.chars().take(8).collect();
        for (family, counted) in counted {
            let estimate = Features::of(&text).tokens(family);
            assert!(4 * estimate >= counted, "{family} makes {counted} of {begins:?}…, estimated {estimate}");
        }
    }
}

#[test]
fn words_are_common_whatever_their_case_and_where_they_stand_in_the_text() {
    for text in [" the", " THe", " some words behind the", " The end of a line that is longer"] {
        assert_eq!(Features::of(text).counts()[Kind::Rare as usize], 0, "{text}");
    }
    let long = "a".repeat(vocabulary::MAX_WORD + 1);
    assert_eq!(Features::of(&long).counts()[Kind::Rare as usize], 1);
}

#[test]
fn models_belong_to_families() {
    for (name, family) in [
        ("claude-3-5-sonnet-20241022", Family::Claude3),
        ("claude-sonnet-4-5-20250929", Family::Claude3),
        ("claude-opus-4-6", Family::Claude3),
        ("claude-opus-4-20250514", Family::Claude3),
        ("claude-opus-4-7", Family::Claude47),
        ("claude-sonnet-5", Family::Claude47),
        ("opus", Family::Claude47),
        ("gpt-4-turbo", Family::Cl100k),
        ("gpt-3.5-turbo", Family::Cl100k),
        ("gpt-4o-mini", Family::O200k),
        ("gpt-5", Family::O200k),
        ("o3", Family::O200k),
        ("gemini-2.5-pro", Family::Gemma),
        ("qwen2.5-coder", Family::O200k),
        ("claude-4.7", Family::Claude47),
        ("cl100k", Family::Cl100k),
    ] {
        assert_eq!(Family::of_model(name), family, "{name}");
    }
}

proptest! {
    #[test]
    fn grows_with_the_text(text in any::<String>()) {
        for family in Family::ALL {
            let tokens = Features::of(&text).tokens(family);
            prop_assert!(tokens <= 3 * text.len());
            let longer = format!("{text}\nword");
            prop_assert!(Features::of(&longer).tokens(family) >= tokens);
        }
    }

    #[test]
    fn parts_add_up_to_the_whole(one in any::<String>(), two in any::<String>()) {
        let whole = Features::of(&format!("{one}\n{two}"));
        let parts = Features::of(&one).and(Features::of("\n")).and(Features::of(&two));
        prop_assert!(parts.tokens(Family::O200k).abs_diff(whole.tokens(Family::O200k)) <= 2);
    }
}
