//! What Landlock does not hold: sockets that are no TCP, and the calls by which they could be had in a roundabout way.

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
];

/// Takes sockets away that are not the provider's: those in the file system, raw ones, and, where the provider is this
/// machine and no host has to be looked up, those without a connection.
pub(super) fn restrict(lookups: bool) -> Result<(), ConfineError> {
    let failed = |error: &dyn std::error::Error| ConfineError::Rule(error.to_string());
    let program = filter(lookups).map_err(|error| failed(&error))?;
    seccompiler::apply_filter(&program).map_err(|error| failed(&error))
}

fn filter(lookups: bool) -> Result<BpfProgram, seccompiler::BackendError> {
    let argument = |place: u8, how: SeccompCmpOp, value: i32| {
        let value = u64::try_from(value).unwrap_or_default();
        SeccompCondition::new(place, SeccompCmpArgLen::Dword, how, value)
    };
    let strange = FAMILIES.iter().map(|family| argument(0, SeccompCmpOp::Ne, *family));
    let mut sockets = vec![SeccompRule::new(strange.collect::<Result<_, _>>()?)?];
    let mut kinds = vec![libc::SOCK_RAW];
    if !lookups {
        kinds.push(libc::SOCK_DGRAM);
    }
    for family in [libc::AF_INET, libc::AF_INET6] {
        for kind in &kinds {
            let conditions = vec![
                argument(0, SeccompCmpOp::Eq, family)?,
                argument(1, SeccompCmpOp::MaskedEq(TYPE), *kind)?,
            ];
            sockets.push(SeccompRule::new(conditions)?);
        }
    }
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = NEVER.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_socket, sockets);
    let refuse = SeccompAction::Errno(libc::EACCES.unsigned_abs());
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture)?.try_into()
}
