//! How a text becomes rows of the table. `training/vectors/tokens.py` does the same; fixtures hold the two together.
//!
//! A text is folded (small letters by a table, wide forms, Latin letters with accents) and cut into runs:
//! - Chinese signs: each sign, and each two neighbours, when the table has them;
//! - Latin letters: the whole run when the table has it, or else its parts by capital letters, each cut into the
//!   longest pieces that the table has; pieces that continue a word begin with `##`;
//! - digits: like a part of letters.
//!
//! Everything else separates. Runs of letters or digits that are longer than any word say nothing and are left out.

use crate::table::{Name, Table};

const LONGEST_RUN: usize = 40;
const LONGEST_PIECE: usize = 24;
const CONTINUED: Name = Name::new().with(b"##");

/// Latin letters with marks, in the order of their code points from U+00C0 to U+017F; `*` marks what is no letter.
const FOLDED: &[u8; 192] = b"aaaaaaaceeeeiiiidnooooo*ouuuuytsaaaaaaaceeeeiiiidnooooo*ouuuuyty\
aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllllll\
lnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// What a character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Separator,
    Han,
    Letter,
    Digit,
}

/// A character after folding.
#[derive(Debug, Clone, Copy)]
struct Sign {
    kind: Kind,
    folded: char,
    capital: bool,
}

/// A letter or digit of a run, which is always one byte after folding.
#[derive(Debug, Clone, Copy)]
struct Letter {
    byte: u8,
    capital: bool,
}

/// Calls `take` for every row that a text is made of, in the order of the text.
pub(crate) fn each_row(text: &str, table: &Table<'_>, mut take: impl FnMut(usize)) {
    let mut kind = Kind::Separator;
    let mut before: Option<char> = None;
    let mut run: Vec<Letter> = Vec::with_capacity(LONGEST_RUN + 1);
    for character in text.chars() {
        let sign = fold(character);
        if sign.kind != kind {
            letters(&run, table, &mut take);
            run.clear();
            if let Some(last) = before.take() {
                single(last, table, &mut take);
            }
            kind = sign.kind;
        }
        match kind {
            Kind::Separator => {}
            Kind::Han => {
                if let Some(first) = before.replace(sign.folded) {
                    single(first, table, &mut take);
                    take_some(table.find(Name::new().with_sign(first).with_sign(sign.folded)), &mut take);
                }
            }
            // One more than the longest is enough to know that a run is too long.
            Kind::Letter | Kind::Digit => {
                if let (true, Ok(byte)) = (run.len() <= LONGEST_RUN, u8::try_from(sign.folded)) {
                    run.push(Letter { byte, capital: sign.capital });
                }
            }
        }
    }
    letters(&run, table, &mut take);
    if let Some(last) = before {
        single(last, table, &mut take);
    }
}

fn single(sign: char, table: &Table<'_>, take: &mut impl FnMut(usize)) {
    take_some(table.find(Name::new().with_sign(sign)), take);
}

fn take_some(row: Option<usize>, take: &mut impl FnMut(usize)) {
    if let Some(row) = row {
        take(row);
    }
}

/// The rows of a run of letters or digits.
fn letters(run: &[Letter], table: &Table<'_>, take: &mut impl FnMut(usize)) {
    if run.is_empty() || run.len() > LONGEST_RUN {
        return;
    }
    if run.len() <= LONGEST_PIECE {
        let whole = run.iter().fold(Name::new(), |name, letter| name.with(&[letter.byte]));
        if let Some(row) = table.find(whole) {
            take(row);
            return;
        }
    }
    let mut rest = run;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(part_length(rest));
        pieces(part, table, take);
        rest = after;
    }
}

/// The length of the first part of a run that is cut at capitals: before one that follows a small letter, and before
/// the last of several.
fn part_length(run: &[Letter]) -> usize {
    let cut = (1..run.len()).find(|&index| {
        let after_small = !run[index - 1].capital;
        let last_of_several = run.get(index + 1).is_some_and(|next| !next.capital);
        run[index].capital && (after_small || last_of_several)
    });
    cut.unwrap_or(run.len())
}

/// The longest pieces of a part from left to right; a letter that no piece begins with is left out.
fn pieces(part: &[Letter], table: &Table<'_>, take: &mut impl FnMut(usize)) {
    let mut start = 0;
    while start < part.len() {
        let mut names = [CONTINUED; LONGEST_PIECE];
        let mut name = if start == 0 { Name::new() } else { CONTINUED };
        let mut most = 0;
        for (slot, letter) in names.iter_mut().zip(&part[start..]) {
            name = name.with(&[letter.byte]);
            *slot = name;
            most += 1;
        }
        let found = (0..most).rev().find_map(|index| Some((index + 1, table.find(names[index])?)));
        if let Some((length, row)) = found {
            take(row);
            start += length;
        } else {
            start += 1;
        }
    }
}

fn fold(character: char) -> Sign {
    let code = u32::from(character);
    let plain = match code {
        0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0).unwrap_or(character),
        _ => character,
    };
    let sign = |kind, folded, capital| Sign { kind, folded, capital };
    match plain {
        'a'..='z' => sign(Kind::Letter, plain, false),
        'A'..='Z' => sign(Kind::Letter, plain.to_ascii_lowercase(), true),
        '0'..='9' => sign(Kind::Digit, plain, false),
        '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' => sign(Kind::Han, plain, false),
        '\u{C0}'..='\u{17F}' => {
            let index = usize::try_from(u32::from(plain) - 0xC0).ok();
            match index.and_then(|index| FOLDED.get(index)) {
                Some(b'*') | None => sign(Kind::Separator, ' ', false),
                Some(&byte) => sign(Kind::Letter, char::from(byte), is_capital(u32::from(plain))),
            }
        }
        _ => sign(Kind::Separator, ' ', false),
    }
}

/// Whether a Latin letter with a mark is a capital one.
const fn is_capital(code: u32) -> bool {
    match code {
        0xC0..=0xDE | 0x178 | 0x179 | 0x17B | 0x17D => true,
        0x100..=0x137 | 0x14A..=0x177 => code.is_multiple_of(2),
        0x139..=0x148 => !code.is_multiple_of(2),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(word: &str) -> Vec<String> {
        let run: Vec<Letter> = word
            .chars()
            .map(fold)
            .map(|sign| Letter { byte: u8::try_from(sign.folded).unwrap(), capital: sign.capital })
            .collect();
        let mut rest = run.as_slice();
        let mut found = Vec::new();
        while !rest.is_empty() {
            let (part, after) = rest.split_at(part_length(rest));
            found.push(part.iter().map(|letter| char::from(letter.byte)).collect());
            rest = after;
        }
        found
    }

    #[test]
    fn identifiers_are_cut_at_capitals() {
        assert_eq!(parts("getHTTPResponse"), ["get", "http", "response"]);
        assert_eq!(parts("HTTPServer"), ["http", "server"]);
        assert_eq!(parts("parseJSON"), ["parse", "json"]);
        assert_eq!(parts("plain"), ["plain"]);
        assert_eq!(parts("LOUD"), ["loud"]);
        assert_eq!(parts("ÉcoleÉté"), ["ecole", "ete"]);
    }

    #[test]
    fn letters_with_marks_are_folded() {
        for (given, folded, capital) in
            [('é', 'e', false), ('Ž', 'z', true), ('ł', 'l', false), ('Ÿ', 'y', true)]
        {
            let sign = fold(given);
            assert_eq!((sign.kind, sign.folded, sign.capital), (Kind::Letter, folded, capital), "{given}");
        }
        for separator in ['×', '÷', '_', '。', 'あ', '🙂', '\0'] {
            assert_eq!(fold(separator).kind, Kind::Separator, "{separator}");
        }
    }

    #[test]
    fn capitals_are_those_of_unicode() {
        for code in 0xC0..0x180 {
            let letter = char::from_u32(code).unwrap();
            let expected = fold(letter).kind == Kind::Letter && letter.is_uppercase();
            assert_eq!(fold(letter).capital, expected, "{letter}");
        }
    }
}
