#!/usr/bin/env bash
# Fuzzes one target for some seconds: fuzz/run.sh TARGET [SECONDS]
#
# With cargo-fuzz and a C++ compiler, libFuzzer looks for inputs that reach new code. Without them the same target is
# run over seeded mutations, another seed each time. What is found goes to fuzz/artifacts, and nothing else changes.
set -euo pipefail
cd "$(dirname "$0")"
target=${1:?"usage: fuzz/run.sh TARGET [SECONDS]; targets: $(ls seeds | tr '\n' ' ')"}
seconds=${2:-60}
if [[ ! -d seeds/$target ]]; then
    echo "there is no target $target; there are: $(ls seeds | tr '\n' ' ')" >&2
    exit 2
fi
if cargo fuzz --version >/dev/null 2>&1; then
    # The versions that the project is built with; what the fuzzer needs comes on top.
    [[ -f Cargo.lock ]] || cp ../Cargo.lock Cargo.lock
    corpus=${CARGO_TARGET_DIR:-target}/corpus/$target
    mkdir -p "$corpus" "artifacts/$target"
    cd ..
    case $corpus in /*) ;; *) corpus=fuzz/$corpus ;; esac
    # The sanitizers look for faults of memory, and there is no unsafe code here: without them it is several times faster.
    RUSTC_BOOTSTRAP=1 exec cargo fuzz run --sanitizer none "$target" "$corpus" "fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1
fi
echo "cargo-fuzz is not installed, so the inputs are mutations by rule" >&2
case $target in
    gate) test=any_gate_file_counts_or_is_passed_over ;;
    hook) test=any_hook_input_gets_a_line_or_nothing ;;
    journal) test=any_journal_leaves_old_bytes_or_what_is_there ;;
    memory) test=any_memory_is_edited_only_where_an_operation_says_so ;;
    settings) test=any_settings_are_refused_by_name_or_come_back_byte_for_byte ;;
    spool) test=any_bytes_between_notes_cost_no_note ;;
    transcript) test=any_transcript_is_read_as_far_as_it_can_be_and_nothing_twice ;;
esac
cd ..
NIDRA_FUZZ_SECONDS=$seconds NIDRA_FUZZ_SEED=${NIDRA_FUZZ_SEED:-$RANDOM$RANDOM} \
    exec cargo test --package nidra --test fuzz_targets -- --exact "$test" --nocapture
