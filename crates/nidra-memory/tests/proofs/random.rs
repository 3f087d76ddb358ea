//! Random numbers that a seed repeats, and the settings of a proof.

use std::ffi::OsString;
use std::io::Write as _;

/// A setting of a proof from the environment.
pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var_os(name).and_then(|text: OsString| text.to_str()?.parse().ok()).unwrap_or(default)
}

/// Counts what was tried, for whoever asks for a report: a line of JSON each in the file that the environment names.
pub(crate) fn proof(kind: &str, count: u64) {
    let Some(path) = std::env::var_os("NIDRA_PROOF_REPORT") else { return };
    let mut file = std::fs::File::options().create(true).append(true).open(path).unwrap();
    // One write, as other tests append at the same time.
    file.write_all(format!("{{\"kind\":\"{kind}\",\"count\":{count}}}\n").as_bytes()).unwrap();
}

/// A seed that is set from outside, or one that differs each time.
pub(crate) fn seed() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    setting("NIDRA_PROOF_SEED", RandomState::new().hash_one(std::process::id()) >> 16)
}

/// `SplitMix64`: small, and each seed is a good one.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is above 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// An index into something of this length, which is above 0.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}
