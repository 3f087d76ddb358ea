//! Links the program at a fixed address on Linux.
//!
//! A program that can stand anywhere is moved by the loader at each start: it writes every pointer of the constant
//! tables anew. That took a third of the time of a hook, which runs at the end of every turn. The libraries, the stack
//! and the heap keep their random places.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|system| system == "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
