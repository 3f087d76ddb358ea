//! The whole promise against the real client: Claude Code is driven headless against a model played on the
//! loopback interface, `nidra` sits in its hooks, and what a person said in five sessions stands in the sixth.
//!
//! The clients are fetched by `cargo xtask clients`. A client that is absent fails its test, unless
//! `NIDRA_TEST_WITHOUT_CLIENT=1` leaves it out, loudly. No test here may reach anything but the loopback interface.

#[cfg(test)]
mod client;
#[cfg(test)]
mod compacted;
#[cfg(test)]
mod model_server;
#[cfg(test)]
mod rehearsal;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod script;
#[cfg(test)]
mod story;

#[cfg(test)]
mod versions {
    //! One test per pinned version, so that a report names the version that broke.

    use crate::{client::Client, compacted, rehearsal, story};

    /// The newest release when the adapter was written.
    const CURRENT: &str = "2.1.332";
    /// An older release, to notice what is not stable between versions.
    const OLDER: &str = "2.1.197";

    #[test]
    fn harness_drives_client_2_1_332() {
        if let Some(client) = Client::find(CURRENT) {
            rehearsal::client_plays_its_scripts(&client);
        }
    }

    #[test]
    fn harness_drives_client_2_1_197() {
        if let Some(client) = Client::find(OLDER) {
            rehearsal::client_plays_its_scripts(&client);
        }
    }

    #[test]
    fn dreams_reach_the_next_session_2_1_332() {
        if let Some(client) = Client::find(CURRENT) {
            story::dreams_reach_the_next_session(&client);
        }
    }

    #[test]
    fn dreams_reach_the_next_session_2_1_197() {
        if let Some(client) = Client::find(OLDER) {
            story::dreams_reach_the_next_session(&client);
        }
    }

    #[test]
    fn compacted_sessions_resume_2_1_332() {
        if let Some(client) = Client::find(CURRENT) {
            compacted::compacted_sessions_resume(&client);
        }
    }

    #[test]
    fn compacted_sessions_resume_2_1_197() {
        if let Some(client) = Client::find(OLDER) {
            compacted::compacted_sessions_resume(&client);
        }
    }
}
