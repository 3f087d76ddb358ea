//! Seeded mutations: the same number gives the same inputs, on every machine.

/// Words on which parsers turn.
const WORDS: [&[u8]; 40] = [
    b"\0",
    b"\n",
    b"\r\n",
    b"\r",
    b"%%%\n",
    b"---\n",
    b"```\n",
    b"<!--",
    b"-->",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\ud83d",
    b"\\u0000",
    b":",
    b",",
    b"null",
    b"true",
    b"-1",
    b"1e400",
    b"18446744073709551616",
    b"\xff",
    b"\xef\xbb\xbf",
    "😀".as_bytes(),
    "记忆".as_bytes(),
    "\u{2028}".as_bytes(),
    b"../",
    b"/",
    b"archive",
    b"@OLD@",
    b"@NEW@",
    b"#",
    b"- ",
    b"[[a]]",
    b"](a.md)",
    b"<<<<<<< x\n",
    b"9999-12-30T22:00:00Z",
];

/// Mutations of one input at most.
const STEPS: u64 = 6;

/// Bytes of an input at most.
const LONGEST: usize = 64 * 1024;

/// A source of inputs.
pub(crate) struct Mutator {
    state: u64,
    seeds: Vec<Vec<u8>>,
}

impl Mutator {
    pub(crate) fn new(seed: u64, seeds: Vec<Vec<u8>>) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, seeds }
    }

    fn random(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    /// A number below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        let end = end.max(1) as u64;
        usize::try_from(self.random() % end).expect("it is below a usize")
    }

    fn span(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.below(length + 1);
        let longest = if self.below(3) == 0 { length } else { 16 };
        let to = (from + self.below(longest + 1)).min(length);
        from..to
    }

    /// The next input: a seed with a few changes.
    pub(crate) fn next(&mut self) -> Vec<u8> {
        let number = self.below(self.seeds.len());
        let mut input = self.seeds[number].clone();
        for _ in 0..=self.random() % STEPS {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let span = self.span(input.len());
        match self.below(8) {
            0 => {
                if let Some(byte) = input.get_mut(span.start) {
                    *byte ^= 1 << (self.state >> 60 & 7);
                }
            }
            1 => drop(input.drain(span)),
            2 => input.truncate(span.start),
            3 => {
                let copy = input[span.clone()].to_vec();
                input.splice(span.end..span.end, copy);
            }
            4 => {
                let other = self.below(self.seeds.len());
                let from = self.span(self.seeds[other].len());
                let piece = self.seeds[other][from].to_vec();
                input.splice(span, piece);
            }
            5 => {
                let byte = self.random().to_le_bytes()[3];
                input.insert(span.start, byte);
            }
            _ => {
                let word = WORDS[self.below(WORDS.len())];
                let end = if self.below(2) == 0 { span.start } else { span.end };
                input.splice(span.start..end, word.iter().copied());
            }
        }
    }
}
