use super::*;
use crate::fragmentation::{Facts, measure};
use nidra_core::settings::WorkingSettings;
use nidra_memory::atomic::RealFileSystem;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

fn found(tokens: u64) -> Fragmentation {
    measure(&Facts { tokens: Some(tokens), ..Facts::default() }, &WorkingSettings::default())
}

fn soft() -> Fragmentation {
    Fragmentation { trigger: Trigger::Soft, reasons: vec!["backlog 3 of 3".to_owned()], ..found(0) }
}

fn beat(found: &Fragmentation, put_off: Option<Timestamp>) -> Beat<'_> {
    Beat {
        project: Path::new("/w"),
        at: "2026-12-01T10:00:00Z".parse().unwrap(),
        aged: Some(Aged { round: 4, tasks: 2, decisions: 1 }),
        found,
        put_off,
    }
}

#[test]
fn a_soft_trigger_can_be_put_off_and_a_hard_one_cannot() {
    let later = Some("2026-12-01T11:00:00Z".parse().unwrap());
    let earlier = Some("2026-12-01T09:00:00Z".parse().unwrap());
    assert_eq!(beat(&soft(), None).trigger(), Trigger::Soft);
    assert_eq!(beat(&soft(), later).trigger(), Trigger::None);
    assert_eq!(beat(&soft(), later).document()["dream_trigger"], false);
    assert_eq!(beat(&soft(), earlier).trigger(), Trigger::Soft);
    assert_eq!(beat(&found(70_001), later).trigger(), Trigger::Hard);
    assert_eq!(beat(&found(70_001), later).document()["dream_trigger"], true);
}

#[test]
fn the_agent_is_told_once_for_each_trigger_and_the_files_come_and_go_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let (files, state, project) = (RealFileSystem, folder.path(), ProjectId::new("p"));
    let told = || look(&files, state, &project).unwrap();
    write(&files, state, &project, &beat(&soft(), None)).unwrap();
    assert!(told().unwrap().contains("`nidra rest`"));
    seen(&files, state, &project).unwrap();
    write(&files, state, &project, &beat(&soft(), None)).unwrap();
    assert_eq!(told(), None);
    write(&files, state, &project, &beat(&found(80_000), None)).unwrap();
    assert!(told().unwrap().contains("cannot be put off"));
    assert!(trigger_path(state, &project).exists());
    write(&files, state, &project, &beat(&found(10), None)).unwrap();
    assert!(told().is_none() && !trigger_path(state, &project).exists());
    assert!(heartbeat_path(state, &project).exists());
}

#[test]
fn a_file_for_others_is_no_link_and_nobody_elses() {
    let folder = tempfile::tempdir().unwrap();
    let files = RealFileSystem;
    let user = fs::metadata(folder.path()).unwrap().uid();
    let value = json!({ "dream_trigger": true });
    let path = folder.path().join("trigger");
    write_outside(&files, &path, user, Some(&value)).unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains("dream_trigger"));
    assert!(write_outside(&files, &path, user + 1, Some(&value)).is_err());
    write_outside(&files, &path, user, None).unwrap();
    write_outside(&files, &path, user, None).unwrap();
    assert!(!path.exists());

    let target = folder.path().join("precious");
    fs::write(&target, "precious").unwrap();
    symlink(&target, &path).unwrap();
    assert!(write_outside(&files, &path, user, Some(&value)).is_err());
    assert!(write_outside(&files, &path, user, None).is_err());
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    fs::remove_file(&path).unwrap();

    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(write_outside(&files, &path, user, Some(&value)).is_err());
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    write_outside(&files, &path, user, Some(&value)).unwrap();
}
