//! The arguments of the commands that set nidra up and look after it.

use clap::Args;

/// `nidra init`, `nidra uninstall`
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Show what would change and change nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `nidra doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Also ask the model one small question; it costs a few tokens. A model on this machine is asked in any case when
    /// dreams use it.
    #[arg(long)]
    pub ask: bool,
}

/// `nidra config`
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The setting, such as `dream.min_hours`; all of them when left out.
    pub key: Option<String>,
    /// The new value, written to the user's settings file.
    pub value: Option<String>,
}

/// `nidra hook`
#[derive(Debug, Args)]
pub struct HookArgs {
    /// The agent that calls.
    pub agent: String,
}
