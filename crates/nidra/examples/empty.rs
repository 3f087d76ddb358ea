//! Does nothing: what starting a program costs, to measure the hook against.

fn main() {}
