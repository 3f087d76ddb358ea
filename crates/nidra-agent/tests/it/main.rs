//! Tests of the agent engine: the shell that only reads, the staging copy, and the tool loop.

mod shell_fuzz;
mod shell_table;
mod world;
