//! What Landlock does not hold: sockets that are no plain TCP, the calls by which they could be had in a roundabout way,
//! and those that change a file without opening it, or a process that is not the agent's own.

use super::confine::ConfineError;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::collections::BTreeMap;

/// The kinds of addresses that a program may talk to: the network's two, and the kernel's own list of its interfaces,
/// which looking a host up needs.
const FAMILIES: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
/// The bits of a socket's type that say which it is; others are flags.
const TYPE: u64 = 0xf;
/// Calls that an agent has no use for and by which it could get around the rules, see or change other processes, or reach
/// parts of the kernel that nobody reaches by accident.
const NEVER: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_mount,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    // Memory, locks and queues that other programs of the user share.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
];
/// Calls that change who may use a file. Clients make them for files of their own and end when they fail, so they do
/// nothing and say that all is well.
const WITHOUT_EFFECT: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];
/// Numbers that are the same on all machines and that the library does not name everywhere.
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
/// Requests that set attributes of a file: flags, extended flags, and the version.
const SET_ATTRIBUTES: [u64; 4] = [0x4008_6602, 0x4004_6602, 0x401c_5820, 0x4008_7602];
/// Connects and sends in one call, which Landlock does not see.
const FAST_OPEN: u64 = 0x2000_0000;

/// Takes sockets away that are not the provider's: those in the file system, raw ones, those of other protocols than TCP
/// (and UDP, where the provider is not this machine and its host has to be looked up), and calls that reach around the rules.
pub(super) fn restrict(lookups: bool) -> Result<(), ConfineError> {
    let failed = |error: &dyn std::error::Error| ConfineError::Rule(error.to_string());
    for program in [refusals(lookups), without_effect()] {
        let program = program.map_err(|error| failed(&error))?;
        seccompiler::apply_filter(&program).map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// One argument of a call, compared by its lower half.
fn argument(
    place: u8,
    how: SeccompCmpOp,
    value: impl TryInto<u64>,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(place, SeccompCmpArgLen::Dword, how, value.try_into().unwrap_or_default())
}

fn refusals(lookups: bool) -> Result<BpfProgram, seccompiler::BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let strange = FAMILIES.iter().map(|family| argument(0, Ne, *family));
    let mut sockets = vec![SeccompRule::new(strange.collect::<Result<_, _>>()?)?];
    let mut allowed = vec![(libc::SOCK_STREAM, libc::IPPROTO_TCP)];
    if lookups {
        allowed.push((libc::SOCK_DGRAM, libc::IPPROTO_UDP));
    }
    for family in [libc::AF_INET, libc::AF_INET6] {
        for kind in
            (0..=TYPE).filter(|kind| !allowed.iter().any(|(allowed, _)| u64::try_from(*allowed) == Ok(*kind)))
        {
            let conditions = vec![argument(0, Eq, family)?, argument(1, MaskedEq(TYPE), kind)?];
            sockets.push(SeccompRule::new(conditions)?);
        }
        for (kind, protocol) in &allowed {
            let conditions = vec![
                argument(0, Eq, family)?,
                argument(1, MaskedEq(TYPE), *kind)?,
                argument(2, Ne, 0)?,
                argument(2, Ne, *protocol)?,
            ];
            sockets.push(SeccompRule::new(conditions)?);
        }
    }
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = NEVER.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_socket, sockets);
    for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        let fast = argument(flags, MaskedEq(FAST_OPEN), FAST_OPEN)?;
        rules.insert(call, vec![SeccompRule::new(vec![fast])?]);
    }
    // Limits and turn of a process that is named, which may be the one that watches the agent.
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![argument(0, Ne, 0)?])?]);
    for (call, who) in [
        (libc::SYS_setpriority, 1),
        (libc::SYS_ioprio_set, 1),
        (libc::SYS_sched_setscheduler, 0),
        (libc::SYS_sched_setparam, 0),
        (libc::SYS_sched_setattr, 0),
        (libc::SYS_sched_setaffinity, 0),
    ] {
        rules.insert(call, vec![SeccompRule::new(vec![argument(who, Ne, 0)?])?]);
    }
    // Attributes of files, which a handle for reading is enough to change.
    let attributes: Result<Vec<_>, _> =
        SET_ATTRIBUTES.iter().map(|request| SeccompRule::new(vec![argument(1, Eq, *request)?])).collect();
    rules.insert(libc::SYS_ioctl, attributes?);
    filter(rules, libc::EACCES)
}

fn without_effect() -> Result<BpfProgram, seccompiler::BackendError> {
    filter(WITHOUT_EFFECT.iter().map(|call| (*call, Vec::new())).collect(), 0)
}

/// A filter under which these calls end with an error, or with none and without effect (0).
fn filter(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    error: i32,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let end = SeccompAction::Errno(error.unsigned_abs());
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, end, architecture)?.try_into()
}
