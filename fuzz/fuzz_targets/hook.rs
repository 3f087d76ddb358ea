//! libFuzzer's way into the target `hook`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nidra_fuzz::run("hook", data));
