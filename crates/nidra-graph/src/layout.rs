//! Where entries stand on a plane: each community is a disc, the largest in the middle, and its entries stand in it as
//! the seeds of a sunflower, the weightiest inside. Nothing is simulated, so a small change of memory moves little.

use crate::community::Community;
use std::f32::consts::TAU;

/// From one entry to the next.
const SPACING: f32 = 18.0;
/// Between the outermost entry and the edge of its disc.
const MARGIN: f32 = 13.0;
/// Between two discs; the names stand there.
const GAP: f32 = 30.0;
/// A screen is wider than high.
const WIDTH: f32 = 1.7;
/// From one ring of places that are tried to the next.
const RING: f32 = 12.0;
/// Rings that are tried again for a smaller disc, which may fit where a larger one did not.
const BACK: usize = 10;
/// The angle of a sunflower's seeds, in turns.
const GOLDEN: f32 = 0.381_966;

/// A place on the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f32,
    /// Downwards.
    pub y: f32,
}

/// The disc of a community.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Disc {
    /// Its middle.
    pub at: Point,
    /// Its radius.
    pub radius: f32,
}

/// Where everything stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The disc of each community. No two overlap.
    pub discs: Vec<Disc>,
    /// The place of each entry.
    pub points: Vec<Point>,
}

/// Puts communities and their entries on the plane. `weights` says how much speaks for each entry.
pub fn place(communities: &[Community], weights: &[f64]) -> Layout {
    let mut layout = Layout { discs: Vec::new(), points: vec![Point::default(); weights.len()] };
    let mut ring = 0;
    for community in communities {
        let seeds = community.notes.len();
        let radius = seed(seeds.saturating_sub(1)).1 + MARGIN;
        let (at, found) = free(&layout.discs, radius, ring);
        ring = found.saturating_sub(BACK);
        let weight = |note: usize| weights.get(note).copied().unwrap_or_default();
        let mut notes = community.notes.clone();
        notes.sort_by(|left, right| weight(*right).total_cmp(&weight(*left)).then_with(|| left.cmp(right)));
        for (number, note) in notes.into_iter().enumerate() {
            let (turn, far) = seed(number);
            if let Some(point) = layout.points.get_mut(note) {
                *point = Point { x: at.x + far * (turn * TAU).cos(), y: at.y + far * (turn * TAU).sin() };
            }
        }
        layout.discs.push(Disc { at, radius });
    }
    layout
}

/// The direction, in turns, and the distance of a seed from the middle.
fn seed(number: usize) -> (f32, f32) {
    if number == 0 {
        return (0.0, 0.0);
    }
    let number = number as f32;
    ((number * GOLDEN).fract(), SPACING * 0.78 * (number + 0.6).sqrt())
}

/// The first place, from the middle outwards, where a disc touches no other, and the ring where it is.
fn free(discs: &[Disc], radius: f32, from: usize) -> (Point, usize) {
    let fits = |at: Point| {
        discs.iter().all(|disc| {
            let apart = disc.radius + radius + GAP;
            (disc.at.x - at.x).powi(2) + (disc.at.y - at.y).powi(2) >= apart * apart
        })
    };
    let mut ring = from;
    loop {
        let far = ring as f32 * RING;
        let steps = if ring == 0 { 1 } else { 12 + ring * 2 };
        for step in 0..steps {
            // Each ring begins elsewhere, so that discs do not stand in a row.
            let turn = (step as f32 / steps as f32 + ring as f32 * GOLDEN).fract() * TAU;
            let at = Point { x: far * WIDTH * turn.cos(), y: far * turn.sin() };
            if fits(at) {
                return (at, ring);
            }
        }
        ring += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn communities(sizes: &[usize]) -> Vec<Community> {
        let mut next = 0;
        sizes
            .iter()
            .map(|size| {
                let notes = (next..next + size).collect();
                next += size;
                Community { names: Vec::new(), notes }
            })
            .collect()
    }

    fn apart(left: Point, right: Point) -> f32 {
        ((left.x - right.x).powi(2) + (left.y - right.y).powi(2)).sqrt()
    }

    proptest! {
        #[test]
        fn discs_never_overlap_and_hold_their_entries(sizes in prop::collection::vec(1_usize..60, 1..24)) {
            let communities = communities(&sizes);
            let layout = place(&communities, &vec![0.5; sizes.iter().sum()]);
            for (at, left) in layout.discs.iter().enumerate() {
                for right in layout.discs.iter().skip(at + 1) {
                    prop_assert!(apart(left.at, right.at) >= left.radius + right.radius);
                }
            }
            for (community, disc) in communities.iter().zip(&layout.discs) {
                for (at, note) in community.notes.iter().enumerate() {
                    prop_assert!(apart(layout.points[*note], disc.at) < disc.radius);
                    for other in community.notes.iter().skip(at + 1) {
                        prop_assert!(apart(layout.points[*note], layout.points[*other]) > SPACING * 0.7);
                    }
                }
            }
        }
    }

    #[test]
    fn the_weightiest_stands_in_the_middle() {
        let layout = place(&communities(&[5]), &[0.1, 0.2, 0.9, 0.3, 0.4]);
        assert_eq!(layout.points[2], layout.discs[0].at);
        assert!(apart(layout.points[0], layout.discs[0].at) > apart(layout.points[4], layout.discs[0].at));
    }
}
