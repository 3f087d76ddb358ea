//! What the time gate keeps to on any walk of the clock: forward, back, asleep, ahead by years, in any zone.
//!
//! A clock that is set forward is not told from time that passed, so both count as forward time.

use super::*;
use jiff::tz::{TimeZone, offset};

const HOUR: i64 = 3600;

/// `SplitMix64`, so that a failing walk can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: i64) -> i64 {
        i64::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }
}

/// What is stored between two looks at the gate, and the clock as the system shows it.
struct World {
    clock: Timestamp,
    last_success: Option<Timestamp>,
    hold_until: Option<Timestamp>,
    min_hours: f64,
}

impl World {
    /// Looks at the gate as a run does: what lies in the future is corrected first. Says whether it is open.
    fn look(&mut self) -> bool {
        self.last_success = corrected(self.clock, self.last_success).or(self.last_success);
        self.hold_until = corrected_hold(self.clock, self.hold_until, self.min_hours).or(self.hold_until);
        time_gate(self.clock, self.last_success, self.hold_until, self.min_hours).open
    }

    fn turn(&mut self, seconds: i64) {
        self.clock += SignedDuration::from_secs(seconds);
    }
}

/// One move of the clock, in seconds.
fn movement(random: &mut Random) -> i64 {
    match random.below(100) {
        // Usual ticks.
        0..70 => random.below(2 * HOUR),
        // Suspended, or set forward.
        70..85 => random.below(200 * HOUR),
        // Set back: by a bit, by hours, by days.
        85..90 => -random.below(60),
        90..96 => -random.below(30 * HOUR),
        96..98 => -random.below(400 * HOUR),
        // The zone changes: the instant does not.
        _ => 0,
    }
}

fn start() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

#[test]
fn no_walk_of_the_clock_fires_twice_too_soon_or_sticks() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let min_hours = [0.5, 4.0, 24.0, 168.0][usize::try_from(random.below(4)).unwrap()];
        let period = i128::from(hours(min_hours).as_secs());
        let mut world = World { clock: start(), last_success: None, hold_until: None, min_hours };
        // Forward time since the gate last fired, and since then or the last time that the clock went back.
        let (mut since_fire, mut since_back): (Option<i128>, i128) = (None, 0);
        let mut fired = 0;
        for step in 0..2000 {
            let moved = movement(&mut random);
            let zone = TimeZone::fixed(offset(i8::try_from(random.below(27) - 13).unwrap()));
            world.turn(moved);
            world.clock = world.clock.to_zoned_datetime(zone).timestamp();
            if moved < 0 {
                since_back = 0;
            } else {
                since_fire = since_fire.map(|time| time + i128::from(moved));
                since_back += i128::from(moved);
            }
            let open = world.look();
            if open {
                if let Some(time) = since_fire {
                    assert!(time >= period, "seed {seed}, step {step}: fired after {time} s of {period}");
                }
                world.last_success = Some(world.clock);
                (since_fire, since_back) = (Some(0), 0);
                fired += 1;
            } else {
                assert!(
                    since_back < period,
                    "seed {seed}, step {step}: closed for {since_back} s of {period}"
                );
            }
            // Now and then the user takes a run back, whatever the clock shows then.
            if open && random.below(10) == 0 {
                world.hold_until = Some(add(world.clock, hours(min_hours)));
                world.last_success = None;
            }
        }
        assert!(fired > 1, "seed {seed}: the gate hardly ever opened");
    }
}

#[test]
fn a_stamp_from_years_ahead_holds_for_one_period_and_no_longer() {
    for (last, hold) in [
        (Some("2036-01-01T00:00:00Z"), None),
        (None, Some("2036-01-01T00:00:00Z")),
        (Some("9999-12-30T00:00:00Z"), Some("9999-12-30T00:00:00Z")),
    ] {
        let stamp = |text: Option<&str>| text.map(|text| text.parse::<Timestamp>().unwrap());
        let mut world =
            World { clock: start(), last_success: stamp(last), hold_until: stamp(hold), min_hours: 24.0 };
        for minute in 0..=24 * 60 {
            assert_eq!(world.look(), minute == 24 * 60, "{last:?} {hold:?} after {minute} minutes");
            world.turn(60);
        }
    }
}

#[test]
fn what_the_clock_did_decides_when_the_gate_opens() {
    // Movements of the clock in hours after a dream, and whether the gate is open after each; 24 hours are needed.
    let table: [(&str, &[(i64, bool)]); 7] = [
        ("time passes", &[(23, false), (1, true)]),
        ("asleep for a weekend", &[(64, true)]),
        ("set back over the dream", &[(-5, false), (23, false), (1, true)]),
        ("set back, but not over the dream", &[(20, false), (-10, false), (13, false), (1, true)]),
        ("set back and put right", &[(10, false), (-100, false), (100, true)]),
        ("set back again and again", &[(-1, false), (-1, false), (-1, false), (24, true)]),
        ("a year ahead and right again", &[(24 * 365, true), (-24 * 365, false), (24, true)]),
    ];
    for (name, moves) in table {
        let mut world =
            World { clock: start(), last_success: Some(start()), hold_until: None, min_hours: 24.0 };
        for (index, (moved, open)) in moves.iter().enumerate() {
            world.turn(moved * HOUR);
            assert_eq!(world.look(), *open, "{name}, move {index}");
            if *open {
                world.last_success = Some(world.clock);
            }
        }
    }
}

#[test]
fn the_throttle_lets_a_scan_through_after_its_minutes_on_any_walk() {
    for seed in 0..100 {
        let mut random = Random(seed);
        let (mut clock, mut last_scan) = (start(), None);
        let mut since: Option<i64> = None;
        for step in 0..1000 {
            let moved = movement(&mut random) / 10;
            clock += SignedDuration::from_secs(moved);
            since = if moved < 0 { None } else { since.map(|time| time + moved) };
            let open = throttle_gate(clock, last_scan, 10.0).open;
            if let Some(since) = since {
                // Without a step back in between it is exact.
                assert_eq!(open, since >= 600, "seed {seed}, step {step}");
            }
            if open {
                (last_scan, since) = (Some(clock), Some(0));
            }
        }
    }
}
