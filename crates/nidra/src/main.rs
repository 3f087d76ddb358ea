//! The `nidra` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    nidra::main()
}
