//! Targets for a fuzzer: input from outside, in forms that nobody thought of.
//!
//! The tests of the program mount the same targets and run each of them for a fixed number of inputs, so that nothing
//! here needs a fuzzer to be checked. A target panics when something that is promised does not hold.

mod targets;

/// Runs one input through a target.
pub fn run(target: &str, data: &[u8]) {
    targets::run(target, data);
}
