//! libFuzzer's way into the target `memory`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nidra_fuzz::run("memory", data));
