//! The engine of rules on made-up talk, in English and Chinese.
#![expect(clippy::expect_used, reason = "a test that cannot set up its talk has failed")]

mod acts;
mod again;
mod cases;
mod features;
mod kinds;
mod matter;
mod orders;
mod over;
mod passing;
mod properties;
mod recurrence;
mod sessions;
mod slots;
mod states;
mod talk;
