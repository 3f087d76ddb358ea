//! What holds an agent: the kernel's own rules on files, ports and signals, which a program cannot take back.
//!
//! They hold the agent's children as well, and nothing that the agent is told or configured to do changes them.

use nidra_core::settings::ConfinementChoice;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What an agent may do, and nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confinement {
    /// What has to be enforced.
    pub level: ConfinementChoice,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Where it starts.
    pub directory: PathBuf,
    /// What it may read.
    pub read: Vec<PathBuf>,
    /// What it may run.
    pub execute: Vec<PathBuf>,
    /// Where it may change files.
    pub write: Vec<PathBuf>,
    /// Where it may do as it likes, except run anything.
    pub scratch: Vec<PathBuf>,
    /// Ports that it may connect to.
    pub ports: Vec<u16>,
    /// It has to look hosts up.
    pub lookups: bool,
    /// Seconds after which it is ended.
    pub seconds: u64,
}

/// A confinement that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// The system has no such thing.
    #[error("this system cannot hold an agent's {what} (it needs {needs}); {advice}")]
    Missing {
        /// What cannot be held.
        what: &'static str,
        /// What it would take.
        needs: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The kernel refused a rule.
    #[error("the agent cannot be held: {0}")]
    Rule(String),
    /// The agent cannot be run.
    #[error("{program} cannot be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// The cause as the system gave it.
        source: std::io::Error,
    },
}

/// What every program needs of the system: its libraries, its certificates, the names of hosts. Nothing of a user's.
#[cfg(target_os = "linux")]
const SYSTEM: &[&str] = &[
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/localtime",
    "/etc/passwd",
    "/etc/group",
    "/etc/os-release",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/loadavg",
    "/proc/sys/kernel",
    "/proc/sys/vm",
    "/sys/fs/cgroup",
    "/sys/devices/system",
    "/sys/kernel/mm/transparent_hugepage",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// What may be written besides.
#[cfg(target_os = "linux")]
const SINKS: &[&str] = &["/dev/null"];
/// What loads programs: it is run in their place.
#[cfg(target_os = "linux")]
const LOADERS: &[&str] = &[
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
];

#[cfg(target_os = "linux")]
mod linux {
    use super::{ConfineError, Confinement, ConfinementChoice, LOADERS, SINKS, SYSTEM};
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort, PathBeneath,
        PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
    };
    use std::path::Path;

    /// The oldest rules on files that hold: before them a file could be emptied by its path.
    const FILES: ABI = ABI::V3;
    /// The oldest rules on ports.
    const NETWORK: ABI = ABI::V4;
    /// Rules on signals and on sockets without a file; they are taken where there are some.
    const SIGNALS: ABI = ABI::V6;

    fn rule(error: &RulesetError) -> ConfineError {
        ConfineError::Rule(nidra_core::error::chain(error))
    }

    /// The rules without anything allowed.
    fn empty(level: ConfinementChoice) -> Result<RulesetCreated, RulesetError> {
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(FILES))?;
        if level == ConfinementChoice::Full {
            rules = rules.handle_access(AccessNet::from_all(NETWORK))?;
        }
        rules = rules.set_compatibility(CompatLevel::BestEffort).scope(Scope::from_all(SIGNALS))?;
        rules.set_compatibility(CompatLevel::HardRequirement).create()
    }

    pub(super) fn available(level: ConfinementChoice) -> Result<(), ConfineError> {
        if empty(level).is_ok() {
            return Ok(());
        }
        Err(match level {
            ConfinementChoice::Full => ConfineError::Missing {
                what: "files and network",
                needs: "Landlock of Linux 6.7",
                advice: "set agent.confinement to \"files\" if its files are enough, or use another engine",
            },
            ConfinementChoice::Files => ConfineError::Missing {
                what: "files",
                needs: "Landlock of Linux 6.2",
                advice: "use another engine",
            },
        })
    }

    struct Rules(RulesetCreated);

    impl Rules {
        /// Allows something below a path. What is not there needs no rule.
        fn allow(self, path: &Path, access: BitFlags<AccessFs>) -> Result<Self, ConfineError> {
            let Ok(handle) = PathFd::new(path) else { return Ok(self) };
            let access = if path.is_dir() { access } else { access & AccessFs::from_file(FILES) };
            let rules = self.0.add_rule(PathBeneath::new(handle, access)).map_err(|error| rule(&error))?;
            Ok(Self(rules))
        }
    }

    pub(super) fn restrict(confinement: &Confinement) -> Result<(), ConfineError> {
        let read = AccessFs::ReadFile | AccessFs::ReadDir;
        let files = read
            | AccessFs::WriteFile
            | AccessFs::Truncate
            | AccessFs::MakeReg
            | AccessFs::MakeDir
            | AccessFs::RemoveFile
            | AccessFs::RemoveDir;
        let scratch = files | AccessFs::MakeSym | AccessFs::MakeFifo | AccessFs::MakeSock | AccessFs::Refer;
        let mut rules = Rules(empty(confinement.level).map_err(|error| rule(&error))?);
        let system = SYSTEM.iter().map(Path::new);
        for path in system.chain(confinement.read.iter().map(AsRef::as_ref)) {
            rules = rules.allow(path, read)?;
        }
        for path in SINKS {
            rules = rules.allow(Path::new(path), AccessFs::ReadFile | AccessFs::WriteFile)?;
        }
        let loaders = LOADERS.iter().map(Path::new);
        for path in loaders.chain(confinement.execute.iter().map(AsRef::as_ref)) {
            rules = rules.allow(path, read | AccessFs::Execute)?;
        }
        for path in &confinement.write {
            rules = rules.allow(path, files)?;
        }
        for path in &confinement.scratch {
            rules = rules.allow(path, scratch)?;
        }
        let mut rules = rules.0;
        if confinement.level == ConfinementChoice::Full {
            for port in &confinement.ports {
                let port = NetPort::new(*port, AccessNet::ConnectTcp);
                rules = rules.add_rule(port).map_err(|error| rule(&error))?;
            }
        }
        // It also takes away for good what programs with special rights could add.
        rules.restrict_self().map_err(|error| rule(&error))?;
        Ok(())
    }
}

/// Whether a confinement can be had on this system.
///
/// # Errors
/// When it cannot; nothing is started then.
pub fn available(level: ConfinementChoice) -> Result<(), ConfineError> {
    #[cfg(target_os = "linux")]
    return linux::available(level);
    #[cfg(not(target_os = "linux"))]
    {
        let _any = level;
        Err(ConfineError::Missing {
            what: "files",
            needs: "Landlock of Linux 6.2",
            advice: "use nidra's own loop (leave agent.command empty) or another engine",
        })
    }
}

/// Takes everything away from this process that an agent may not do, and becomes the agent. It only returns on failure.
pub fn enter(confinement: &Confinement) -> ConfineError {
    if let Err(error) = available(confinement.level) {
        return error;
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
        use std::os::unix::process::CommandExt as _;
        use std::process::Command;

        let Some((program, arguments)) = confinement.argv.split_first() else {
            return ConfineError::Rule("there is no program".to_owned());
        };
        let limit = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
        let prepared = set_parent_process_death_signal(Some(Signal::KILL))
            .and_then(|()| setrlimit(Resource::Core, limit(0)))
            .and_then(|()| setrlimit(Resource::Fsize, limit(64 * 1024 * 1024)));
        if let Err(error) = prepared {
            return ConfineError::Rule(error.to_string());
        }
        if let Err(error) = linux::restrict(confinement) {
            return error;
        }
        if confinement.level == ConfinementChoice::Full
            && let Err(error) = super::sockets::restrict(confinement.lookups)
        {
            return error;
        }
        let source = Command::new(program).args(arguments).current_dir(&confinement.directory).exec();
        ConfineError::Start { program: program.clone(), source }
    }
    #[cfg(not(target_os = "linux"))]
    ConfineError::Rule("there is nothing to hold an agent with".to_owned())
}
