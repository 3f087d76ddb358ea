//! Several processes at one memory directory.

use crate::child::{BUSY, proof, start};
use crate::support::{World, new_tree, old_tree, project};

#[test]
fn pub_lck_07_of_two_processes_one_works_and_the_other_is_busy() {
    let world = World::new();
    let mut children: Vec<_> = (0..2).map(|number| start("once", &world.base, number)).collect();
    let mut codes: Vec<_> = children.iter_mut().map(|child| child.wait().unwrap().code()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(BUSY)]);
    assert_eq!(world.tree(), new_tree());
    assert_eq!(world.store().runs(&project(), 10).unwrap().len(), 1);
    proof("race", 1);
}

#[test]
fn no_two_processes_hold_the_lease_at_once() {
    let world = World::new();
    std::fs::write(world.base.join("number"), "0").unwrap();
    let mut children: Vec<_> = (0..4).map(|_| start("count", &world.base, 50)).collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(std::fs::read_to_string(world.base.join("number")).unwrap(), "200");
    proof("race", 200);
    assert_eq!(world.tree(), old_tree());
}
