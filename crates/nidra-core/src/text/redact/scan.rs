//! One pass over a text: a search finds the keywords of all rules, and a reader looks at what stands around each.
//!
//! A reader looks no farther than a bounded distance, so the time is linear in the length of the text, whatever it is.

use super::keywords::Keywords;
use super::statement::{self, Tongue};
use super::{
    Give, Take, address, assignment, column, encoded, floor, later, near, phrase, private_key, rules,
    structure, turned, view,
};
use rules::Reach;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Who reads what stands around a keyword.
#[derive(Clone, Copy)]
enum Reader {
    /// The rule with this index, whose tokens begin a word.
    Token(usize),
    /// The rule with this index.
    Rule(usize),
    /// What reads names of code and the values beside them.
    Name,
    /// What reads sentences.
    Statement(Tongue),
    /// What reads the neighbourhood of a name.
    Near,
    /// What reads PINs.
    Pin,
    /// What reads a name and a password side by side.
    Pair,
    /// What reads fields of objects.
    Object,
    /// What reads cookies.
    Cookie,
    /// What reads the words of wallets.
    Phrase,
    /// What reads addresses.
    Address,
    /// What reads blocks that are encoded as a whole.
    Encoded,
    /// The second look at what is written in disguise.
    View,
}

/// All keywords, and the reader of each by its index.
static KEYWORDS: LazyLock<(Keywords, Vec<Reader>)> = LazyLock::new(|| {
    let mut words: Vec<Cow<'static, str>> = Vec::new();
    let mut readers = Vec::new();
    let mut add = |reader: Reader, keywords: &[&'static str]| {
        readers.extend(std::iter::repeat_n(reader, keywords.len()));
        words.extend(keywords.iter().map(|&word| Cow::Borrowed(word)));
    };
    for (index, rule) in rules::RULES.iter().enumerate() {
        let reader = if rule.reach == Reach::Start { Reader::Token(index) } else { Reader::Rule(index) };
        add(reader, rule.keywords);
    }
    add(Reader::Name, assignment::KEYWORDS);
    for (tongue, keywords) in statement::KEYWORDS {
        add(Reader::Statement(*tongue), keywords);
    }
    add(Reader::Near, near::KEYWORDS);
    add(Reader::Pin, statement::PIN_KEYWORDS);
    add(Reader::Pair, structure::PAIR_KEYWORDS);
    add(Reader::Object, structure::OBJECT_KEYWORDS);
    add(Reader::Cookie, structure::COOKIE_KEYWORDS);
    add(Reader::Phrase, phrase::KEYWORDS);
    add(Reader::Address, address::KEYWORDS);
    add(Reader::Encoded, encoded::KEYWORDS);
    add(Reader::Encoded, encoded::BEGINNINGS);
    let disguises = view::keywords();
    readers.extend(std::iter::repeat_n(Reader::View, disguises.len()));
    words.extend(disguises.into_iter().map(Cow::Owned));
    (Keywords::new(words), readers)
});

/// Gives the secrets of a text as it stands, each with the rank of its rule, and returns the lines that may be
/// written in disguise.
///
/// One pass over the text finds the keywords; a reader looks no farther than a bounded distance around one, so the
/// time is linear in the length of the text.
pub(super) fn search(text: &str, give: &mut Give<'_>) -> Vec<Range<usize>> {
    let (keywords, readers) = &*KEYWORDS;
    let mut scan = Scan { text, taken: vec![0; rules::RULES.len()], ..Scan::default() };
    keywords.each(text, &mut |index, place| {
        if let Some(&reader) = readers.get(index) {
            scan.read(reader, place, give);
        }
    });
    for table in scan.tables {
        structure::table(text, table, &mut |name, range| give(LAST, name, range));
    }
    // A line of one list is no head of the next.
    let mut listed = 0;
    for (head, mark) in scan.lists {
        if head.start >= listed {
            listed = column::column(text, head, mark, &mut |name, range| give(LAST, name, range));
        }
    }
    private_key::private_keys(text, &mut |name, range| give(0, name, range));
    scan.disguised
}

/// The rank of what is found by a name; any rule of a known shape is more specific.
const LAST: usize = usize::MAX;

/// What a pass over a text has to remember.
#[derive(Default)]
struct Scan<'t> {
    text: &'t str,
    window: Window,
    /// Names up to here were read, or belong to a value.
    named: usize,
    /// What a rule for rare keywords read last: its index and the window.
    lined: (usize, Range<usize>),
    /// Up to where each rule has taken tokens: what begins inside one is a part of it.
    taken: Vec<usize>,
    /// Blocks up to here were read.
    encoded: usize,
    tables: Vec<Range<usize>>,
    /// The heads of lists, with what parts their fields.
    lists: Vec<(Range<usize>, char)>,
    disguised: Vec<Range<usize>>,
}

impl Scan<'_> {
    /// Reads what stands around one keyword.
    fn read(&mut self, reader: Reader, hit: Range<usize>, give: &mut Give<'_>) {
        let text = self.text;
        let start = hit.start;
        let mut take = |name: &'static str, range: Range<usize>| give(LAST, name, range);
        match reader {
            Reader::Token(index) if rules::begins_word(text, start) || rules::is_glued(text, &hit) => {
                self.rule(index, hit, give);
            }
            Reader::Rule(index) => self.rule(index, hit, give),
            Reader::Name => self.name(&hit, &mut take),
            Reader::Near => {
                let line = self.window.cover(text, &hit);
                near::near(text, &hit, &line, &mut take);
            }
            Reader::Statement(tongue) => {
                // Some keywords end with a blank that is no part of the name.
                let name = start..start + text[hit.clone()].trim_end().len();
                let line = self.window.cover(text, &name);
                near::near(text, &name, &line, &mut take);
                if tongue == Tongue::Chinese || rules::begins_word(text, start) {
                    statement::stated(text, name.clone(), line.clone(), tongue, &mut take);
                    turned::turned(text, name.clone(), line.clone(), tongue, &mut take);
                    later::later(text, name.clone(), line.clone(), tongue, &mut take);
                    later::answer(text, name, line.clone(), &mut take);
                    if structure::in_cell(text, hit.end) {
                        self.table(line);
                    }
                }
            }
            Reader::Pin if rules::begins_word(text, start) => {
                let line = self.window.cover(text, &hit);
                statement::pin(text, start, line, &mut take);
            }
            Reader::Pair => structure::pair(text, start, self.window.cover(text, &hit), &mut take),
            Reader::Object => structure::object(text, start, self.window.cover(text, &hit), &mut take),
            Reader::Cookie => structure::cookies(text, start, self.window.cover(text, &hit), &mut take),
            Reader::Phrase => phrase::phrase(text, hit.end, &mut take),
            Reader::Address => address::address(text, hit, &mut take),
            Reader::Encoded if start >= self.encoded => {
                self.encoded = encoded::encoded(text, start, &mut |name, range| give(0, name, range));
            }
            Reader::View => {
                let line = self.window.cover(text, &hit);
                if self.disguised.last() != Some(&line) {
                    self.disguised.push(line);
                }
            }
            Reader::Token(_) | Reader::Pin | Reader::Encoded => {}
        }
    }

    fn rule(&mut self, index: usize, hit: Range<usize>, give: &mut Give<'_>) {
        let (Some(rule), Some(taken)) = (rules::RULES.get(index), self.taken.get_mut(index)) else { return };
        if hit.start < *taken {
            return;
        }
        let mut take = |name: &'static str, range: Range<usize>| {
            *taken = range.end;
            give(index, name, range);
        };
        match rule.reach {
            Reach::Start | Reach::Here => rule.token(index, self.text, hit.start, &mut take),
            Reach::Tail => rule.around(index, self.text, hit, &mut take),
            Reach::Near => rule.behind(index, self.text, hit.end, &mut take),
            Reach::Line => {
                let line = self.window.cover(self.text, &hit);
                if self.lined.0 != index || self.lined.1 != line {
                    rule.scan(index, self.text, line.clone(), &mut take);
                    self.lined = (index, line);
                }
            }
        }
    }

    fn name(&mut self, hit: &Range<usize>, take: &mut Take<'_>) {
        if hit.end <= self.named {
            return;
        }
        let Some(name) = assignment::name_around(self.text, hit) else { return };
        let line = self.window.cover(self.text, hit);
        if structure::in_cell(self.text, name.end) {
            self.table(line.clone());
        }
        if let Some(mark) = column::mark(self.text, &name, &line)
            && self.lists.last().is_none_or(|(head, _)| *head != line)
        {
            self.lists.push((line.clone(), mark));
        }
        self.named = assignment::named(self.text, name, line, take);
    }

    fn table(&mut self, line: Range<usize>) {
        if self.tables.last() != Some(&line) {
            self.tables.push(line);
        }
    }
}

/// The line around a keyword, or the part of a very long line that can matter to it.
#[derive(Default)]
struct Window {
    range: Range<usize>,
    /// Keywords up to here have enough of their line in the window.
    covered: usize,
}

impl Window {
    /// How far a window reaches before and behind the keyword for which it was made, in bytes.
    const BEFORE: usize = 1_024;
    const BEHIND: usize = 6 * 1_024;
    /// What a keyword needs behind itself.
    const NEED: usize = 2 * 1_024;

    /// The window around a keyword; it moves on when the keyword is not covered.
    fn cover(&mut self, text: &str, keyword: &Range<usize>) -> Range<usize> {
        if self.range.start <= keyword.start && keyword.end <= self.covered {
            return self.range.clone();
        }
        let least = floor(text, keyword.start.saturating_sub(Self::BEFORE));
        let most = floor(text, keyword.end + Self::BEHIND);
        let start = text[least..keyword.start].rfind('\n').map_or(least, |end| least + end + 1);
        let line_end = text[keyword.end..most].find('\n').map(|length| keyword.end + length);
        self.range = start..line_end.unwrap_or(most);
        self.covered = line_end.unwrap_or(if most == text.len() { most } else { most - Self::NEED });
        self.range.clone()
    }
}

/// The keywords of all rules.
#[cfg(test)]
pub(super) fn keywords() -> &'static Keywords {
    &KEYWORDS.0
}
