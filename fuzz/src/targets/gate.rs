//! The gate file and the gates behind it: whatever stands there, a hook gets an answer and never an error.

use super::{scratch, write};
use jiff::Timestamp;
use nidra_core::ProjectId;
use nidra_dream::gate::{corrected, session_gate, throttle_gate, time_gate};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::store::{GateFile, GateRead};

pub(super) fn run(data: &[u8]) {
    let folder = scratch();
    let project = ProjectId::new("project-1");
    let path = GateFile::path(folder.path(), &project);
    write(&path, data);
    let gate = match GateFile::read(&RealFileSystem, folder.path(), &project) {
        GateRead::Known(gate) => gate,
        GateRead::Unusable(why) => {
            assert!(!why.is_empty());
            return;
        }
        GateRead::Absent => panic!("a gate file that is there counts as none"),
    };
    let bounds = [Timestamp::MIN, Timestamp::UNIX_EPOCH, Timestamp::MAX];
    for now in bounds.into_iter().chain(gate.last_success).chain(gate.hold_until) {
        for amount in [0.0, 0.5, 24.0, f64::MAX] {
            let time = time_gate(now, gate.last_success, gate.hold_until, amount);
            assert_eq!(time.open, time.next.is_none(), "a time gate is open or says when it will be");
            assert!(time.next.is_none_or(|next| next > now), "it opens in the past");
            let throttle = throttle_gate(now, gate.last_scan, amount);
            assert_eq!(throttle.open, throttle.next.is_none());
        }
        assert!(corrected(now, gate.last_success).is_none_or(|time| time == now));
    }
    let _ = session_gate(u32::try_from(gate.transcript_folders.len()).unwrap_or(u32::MAX), 5);
    gate.write(&RealFileSystem, folder.path(), &project).expect("a gate file can be written");
    let again = GateFile::read(&RealFileSystem, folder.path(), &project);
    assert_eq!(again, GateRead::Known(gate), "what was written reads as something else");
}
