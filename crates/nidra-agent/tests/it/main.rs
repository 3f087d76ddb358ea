//! Tests of the agent engine: the shell that only reads, the staging copy, and the tool loop.

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod random_edits;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod server;
#[cfg(test)]
mod setup;
#[cfg(test)]
mod shell_fuzz;
#[cfg(test)]
mod shell_table;
#[cfg(test)]
#[path = "../../../nidra-model/tests/it/talk.rs"]
mod talk;
#[cfg(test)]
mod working;
#[cfg(test)]
mod world;
