use super::*;
use nidra_memory::atomic::RealFileSystem;
use std::fs;

struct Place {
    folder: tempfile::TempDir,
    store: Store,
    project: ProjectId,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("state")).unwrap();
        fs::create_dir(folder.path().join("memory")).unwrap();
        Self { folder, store, project: ProjectId::new("p") }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join("memory").join(name), text).unwrap();
    }

    fn take(&mut self, day: u32) -> SnapshotRecord {
        let memory = self.folder.path().join("memory");
        take(&mut self.store, &RealFileSystem, &self.project, &memory, "daily", at(day)).unwrap()
    }

    fn prune(&mut self, day: u32) -> Pruned {
        prune(&mut self.store, &RealFileSystem, &self.project, 7, at(day)).unwrap()
    }

    fn object_files(&self) -> usize {
        let folders = fs::read_dir(self.folder.path().join("state/objects")).unwrap().flatten();
        folders.filter_map(|folder| fs::read_dir(folder.path()).ok()).flatten().count()
    }
}

fn at(day: u32) -> Timestamp {
    format!("2026-11-{day:02}T10:00:00Z").parse().unwrap()
}

#[test]
fn what_did_not_change_is_stored_once_and_old_ones_go_with_what_only_they_held() {
    let mut place = Place::new();
    place.write("a.md", "always the same");
    place.write("b.md", "first");
    place.take(1);
    assert_eq!(place.object_files(), 3);
    place.write("b.md", "second");
    place.take(2);
    assert_eq!(place.object_files(), 5, "one file and one list more");
    assert!(!is_due(&place.store.snapshots(&place.project).unwrap(), at(2)));
    assert!(is_due(&place.store.snapshots(&place.project).unwrap(), at(3)));

    assert_eq!(place.prune(8), Pruned::default(), "seven days are not over seven days");
    let pruned = place.prune(9);
    assert_eq!((pruned.dropped.len(), pruned.objects), (1, 2), "{pruned:?}");
    assert_eq!(place.object_files(), 3);
    // The last one stays however old it is.
    assert_eq!(place.prune(30).dropped.len(), 0);
    assert_eq!(place.store.snapshots(&place.project).unwrap().len(), 1);
}

#[test]
fn the_last_good_one_outlives_a_newer_one_that_is_damaged() {
    let mut place = Place::new();
    place.write("a.md", "good");
    let good = place.take(1);
    place.write("a.md", "damaged later");
    let bad = place.take(2);
    let object = ObjectId::of(b"damaged later");
    let (folder, name) = object.as_str().split_at(2);
    fs::write(place.folder.path().join("state/objects").join(folder).join(name), "nonsense").unwrap();
    let home = place.store.home().to_owned();
    let problems = verify(&Objects::new(&home, &RealFileSystem), &bad.object);
    assert!(problems.len() == 1 && problems[0].starts_with("a.md: "), "{problems:?}");
    let pruned = place.prune(30);
    assert_eq!(pruned.dropped, [bad]);
    assert_eq!(place.store.snapshots(&place.project).unwrap(), [good]);
}

#[test]
fn a_snapshot_is_found_compared_and_turned_into_changes() {
    let mut place = Place::new();
    place.write("a.md", "one");
    place.write("gone.md", "was here");
    let snapshot = place.take(1);
    let snapshots = place.store.snapshots(&place.project).unwrap();
    for wanted in ["last", &snapshot.object.as_str()[..8], "2026-11-01"] {
        assert_eq!(find(&snapshots, wanted), Some(&snapshot), "{wanted}");
    }
    assert_eq!(find(&snapshots, "2026-11-02"), None);
    let home = place.store.home().to_owned();
    let objects = Objects::new(&home, &RealFileSystem);
    let then = contents(&objects, &objects.manifest(&snapshot.object).unwrap()).unwrap();
    let now = BTreeMap::from([("a.md".to_owned(), b"two".to_vec()), ("new.md".to_owned(), b"new".to_vec())]);
    let paths = |only: Option<&str>| -> Vec<(String, bool)> {
        let changes = changes(&now, &then, only).unwrap();
        changes.files.into_iter().map(|change| (change.path, change.after.is_some())).collect()
    };
    let named = |name: &str, stays| (name.to_owned(), stays);
    assert_eq!(paths(None), [named("a.md", true), named("gone.md", true), named("new.md", false)]);
    assert_eq!(paths(Some("gone.md")), [named("gone.md", true)]);
    assert!(matches!(changes(&now, &then, Some("new.md")), Err(SnapshotError::NoFile(_))));
}
