//! The gates before a dream, cheapest first. Each is a pure function of what it is given and explains itself:
//! the value it saw, what it needs and when it can open at the earliest.
//!
//! Nothing here reads a clock, a file or the environment.

use jiff::{SignedDuration, Timestamp};
use nidra_core::text::wording::counted;
use serde::{Deserialize, Serialize};

/// The gates in the order in which they are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateName {
    /// Switches: off, assistant mode, remote mode, auto memory off.
    Switch,
    /// Hours since the last successful dream.
    Time,
    /// Minutes since the last scan of the session directories.
    Throttle,
    /// Sessions touched since the last successful dream.
    Sessions,
    /// Another dream holds the memory directory.
    Lock,
}

impl GateName {
    /// The name used in reports and log lines.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Switch => "switch",
            Self::Time => "time",
            Self::Throttle => "throttle",
            Self::Sessions => "sessions",
            Self::Lock => "lock",
        }
    }
}

/// What a gate decided, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// Which gate.
    pub name: GateName,
    /// Whether a dream may pass.
    pub open: bool,
    /// The value that it saw, for a person.
    pub value: String,
    /// What it needs, for a person.
    pub need: String,
    /// When it can open at the earliest, where time alone decides.
    pub next: Option<Timestamp>,
}

/// What can switch dreaming off, before anything is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent switch with a message of its own")]
pub struct Switches {
    /// `NIDRA_DISABLED` is set.
    pub disabled: bool,
    /// `dream.enabled` in the settings.
    pub enabled: bool,
    /// The agent's auto memory is on.
    pub auto_memory: bool,
    /// The agent runs in assistant mode, which has a dream of its own.
    pub assistant_mode: bool,
    /// The agent runs remotely; its memory is not on this machine.
    pub remote_mode: bool,
}

/// The static gate: closed when anything says that dreaming is off.
pub fn switch_gate(switches: Switches) -> Gate {
    let reason = if switches.disabled {
        Some("off by NIDRA_DISABLED")
    } else if !switches.enabled {
        Some("off by dream.enabled = false")
    } else if !switches.auto_memory {
        Some("the agent's auto memory is off")
    } else if switches.assistant_mode {
        Some("assistant mode is on")
    } else if switches.remote_mode {
        Some("remote mode is on")
    } else {
        None
    };
    Gate {
        name: GateName::Switch,
        open: reason.is_none(),
        value: reason.unwrap_or("on").to_owned(),
        need: "on".to_owned(),
        next: None,
    }
}

/// The time gate: open when `min_hours` have passed since the last successful dream.
///
/// `hold_until` is set by an undo, so that automatic runs do not redo at once what the user took back. A time of
/// last success that lies in the future (the clock was set back) counts from now: the caller stores [`corrected`],
/// so the gate neither stays closed for ever nor opens twice.
pub fn time_gate(
    now: Timestamp,
    last_success: Option<Timestamp>,
    hold_until: Option<Timestamp>,
    min_hours: f64,
) -> Gate {
    let wait = hours(min_hours);
    let due = last_success.map(|last| add(last.min(now), wait));
    // A hold in the far future is the trace of a clock that ran ahead: it never holds longer than one period.
    let hold = hold_until.map(|until| until.min(add(now, wait)));
    let next = due.into_iter().chain(hold).max();
    let open = next.is_none_or(|next| next <= now);
    let value = match last_success {
        None => "never dreamt".to_owned(),
        Some(last) if last > now => "last dream lies in the future; counted from now".to_owned(),
        Some(last) => format!("{} since the last dream", span(now.duration_since(last))),
    };
    let value = match hold {
        Some(until) if until > now => {
            format!("{value}; on hold for {} after an undo", span(until.duration_since(now)))
        }
        Some(_) | None => value,
    };
    let need = match next {
        Some(next) if !open => format!("{} ({} left)", span(wait), span(next.duration_since(now))),
        Some(_) | None => span(wait),
    };
    Gate { name: GateName::Time, open, value, need, next: next.filter(|_| !open) }
}

/// The time of last success to store instead of one that lies in the future.
pub fn corrected(now: Timestamp, last_success: Option<Timestamp>) -> Option<Timestamp> {
    last_success.filter(|last| *last > now).map(|_| now)
}

/// The hold to store instead of one that lies more than a period ahead, which an undo never sets: the clock was
/// set back since. Without it the gate would count one period from each look anew.
pub fn corrected_hold(now: Timestamp, hold_until: Option<Timestamp>, min_hours: f64) -> Option<Timestamp> {
    let latest = add(now, hours(min_hours));
    hold_until.filter(|until| *until > latest).map(|_| latest)
}

/// Whether a stored time shows that the clock was set back, so that [`corrected`] or [`corrected_hold`] has something to
/// store.
pub fn is_ahead(
    now: Timestamp,
    last_success: Option<Timestamp>,
    hold_until: Option<Timestamp>,
    min_hours: f64,
) -> bool {
    corrected(now, last_success).is_some() || corrected_hold(now, hold_until, min_hours).is_some()
}

/// The throttle: while sessions are too few, the session directories are not scanned again for some minutes.
/// A last scan in the future is ignored.
pub fn throttle_gate(now: Timestamp, last_scan: Option<Timestamp>, minutes: f64) -> Gate {
    let wait = hours(minutes / 60.0);
    let next = last_scan.filter(|last| *last <= now).map(|last| add(last, wait)).filter(|next| *next > now);
    let value = match last_scan {
        None => "never scanned".to_owned(),
        Some(last) if last > now => "last scan lies in the future; ignored".to_owned(),
        Some(last) => format!("{} since the last scan", span(now.duration_since(last))),
    };
    let need = match next {
        Some(next) => format!("{} ({} left)", span(wait), span(next.duration_since(now))),
        None => span(wait),
    };
    Gate { name: GateName::Throttle, open: next.is_none(), value, need, next }
}

/// The session gate: open when enough sessions were touched since the last successful dream.
pub fn session_gate(touched: u32, min_sessions: u32) -> Gate {
    source_gate(touched, min_sessions, "session")
}

/// As [`session_gate`], where what is read is called otherwise.
pub fn source_gate(touched: u32, min_sessions: u32, noun: &str) -> Gate {
    let missing = min_sessions.saturating_sub(touched);
    let need =
        if missing == 0 { format!("{min_sessions}") } else { format!("{min_sessions} ({missing} missing)") };
    Gate {
        name: GateName::Sessions,
        open: missing == 0,
        value: format!("{} since the last dream", counted(touched, noun)),
        need,
        next: None,
    }
}

/// Since when a dream has been due without running, when that is longer than it should be: a whole further period.
/// Something then keeps dreams from starting, and the user should hear of it.
pub fn overdue(
    now: Timestamp,
    last_success: Option<Timestamp>,
    hold_until: Option<Timestamp>,
    min_hours: f64,
    sessions: &Gate,
) -> Option<Timestamp> {
    let wait = hours(min_hours);
    let due = add(last_success?, wait).max(hold_until.unwrap_or(Timestamp::MIN));
    (sessions.open && add(due, wait.max(SignedDuration::from_hours(1))) <= now).then_some(due)
}

/// The lock gate: closed while another dream holds the memory directory; `holder` says who.
pub fn lock_gate(holder: Option<&str>) -> Gate {
    Gate {
        name: GateName::Lock,
        open: holder.is_none(),
        value: holder.map_or_else(|| "free".to_owned(), |holder| format!("held by {holder}")),
        need: "free".to_owned(),
        next: None,
    }
}

fn hours(hours: f64) -> SignedDuration {
    // Settings are checked to be finite and not negative; the bound keeps any value within what a time can hold.
    #[expect(clippy::cast_possible_truncation, reason = "the value is bounded just before")]
    SignedDuration::from_secs((hours.clamp(0.0, 24.0 * 366.0 * 100.0) * 3600.0) as i64)
}

fn add(time: Timestamp, wait: SignedDuration) -> Timestamp {
    time.checked_add(wait).unwrap_or(Timestamp::MAX)
}

/// A duration for a person: `13 h 5 min`, `4 min`, `20 s`.
pub fn span(duration: SignedDuration) -> String {
    let seconds = duration.as_secs().max(0);
    let (hours, minutes) = (seconds / 3600, seconds % 3600 / 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
#[path = "gate_properties.rs"]
mod properties;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    const ON: Switches = Switches {
        disabled: false,
        enabled: true,
        auto_memory: true,
        assistant_mode: false,
        remote_mode: false,
    };

    #[test]
    fn every_switch_closes_the_static_gate_and_names_itself() {
        assert!(switch_gate(ON).open);
        for (switches, word) in [
            (Switches { disabled: true, ..ON }, "NIDRA_DISABLED"),
            (Switches { enabled: false, ..ON }, "dream.enabled"),
            (Switches { auto_memory: false, ..ON }, "auto memory"),
            (Switches { assistant_mode: true, ..ON }, "assistant"),
            (Switches { remote_mode: true, ..ON }, "remote"),
        ] {
            let gate = switch_gate(switches);
            assert!(!gate.open);
            assert!(gate.value.contains(word), "{gate:?}");
        }
    }

    #[test]
    fn pub_trg_01_closed_gates_name_what_is_missing() {
        let now = at("2026-03-27T13:00:00Z");
        let time = time_gate(now, Some(at("2026-03-27T00:00:00Z")), None, 24.0);
        assert!(!time.open);
        assert_eq!(time.value, "13 h since the last dream");
        assert_eq!(time.need, "24 h (11 h left)");
        assert_eq!(time.next, Some(at("2026-03-28T00:00:00Z")));
        let sessions = session_gate(3, 5);
        assert!(!sessions.open);
        assert_eq!(sessions.need, "5 (2 missing)");
    }

    #[test]
    fn the_time_gate_opens_exactly_at_the_hour() {
        let last = Some(at("2026-03-27T00:00:00Z"));
        assert!(!time_gate(at("2026-03-27T23:59:59Z"), last, None, 24.0).open);
        assert!(time_gate(at("2026-03-28T00:00:00Z"), last, None, 24.0).open);
        assert!(time_gate(at("2026-03-27T00:00:00Z"), None, None, 24.0).open);
        assert!(time_gate(at("2026-03-27T00:00:01Z"), last, None, 0.0).open);
    }

    #[test]
    fn a_clock_set_back_neither_sticks_nor_fires_twice() {
        // A dream at 12:00, then the clock jumps back to 09:00.
        let last = Some(at("2026-03-27T12:00:00Z"));
        let now = at("2026-03-27T09:00:00Z");
        assert!(!time_gate(now, last, None, 24.0).open);
        let stored = corrected(now, last);
        assert_eq!(stored, Some(now));
        assert!(!time_gate(at("2026-03-28T08:59:59Z"), stored, None, 24.0).open);
        assert!(time_gate(at("2026-03-28T09:00:00Z"), stored, None, 24.0).open);
        assert_eq!(corrected(at("2026-03-28T09:00:00Z"), stored), None);
    }

    #[test]
    fn an_undo_holds_automatic_runs_for_one_period_at_most() {
        let now = at("2026-03-27T12:00:00Z");
        let held = time_gate(now, Some(at("2026-03-20T12:00:00Z")), Some(at("2026-03-28T12:00:00Z")), 24.0);
        assert!(!held.open);
        assert_eq!(held.next, Some(at("2026-03-28T12:00:00Z")));
        let ahead = time_gate(now, None, Some(at("2036-01-01T00:00:00Z")), 24.0);
        assert_eq!(ahead.next, Some(at("2026-03-28T12:00:00Z")));
        assert!(time_gate(now, None, Some(at("2026-03-27T12:00:00Z")), 24.0).open);
    }

    #[test]
    fn a_dream_is_overdue_one_period_after_it_was_due_and_only_with_sessions_to_read() {
        let last = Some(at("2026-03-20T12:00:00Z"));
        let overdue = |now: &str, sessions| overdue(at(now), last, None, 24.0, &session_gate(sessions, 5));
        assert_eq!(overdue("2026-03-22T11:59:59Z", 5), None);
        assert_eq!(overdue("2026-03-22T12:00:00Z", 5), Some(at("2026-03-21T12:00:00Z")));
        assert_eq!(overdue("2026-03-22T12:00:00Z", 4), None, "too few sessions");
        assert_eq!(super::overdue(at("2026-03-22T12:00:00Z"), None, None, 24.0, &session_gate(9, 5)), None);
    }

    #[test]
    fn the_throttle_counts_only_scans_of_the_past() {
        let now = at("2026-03-27T12:00:00Z");
        assert!(throttle_gate(now, None, 10.0).open);
        assert!(!throttle_gate(now, Some(at("2026-03-27T11:51:00Z")), 10.0).open);
        assert!(throttle_gate(now, Some(at("2026-03-27T11:50:00Z")), 10.0).open);
        assert!(throttle_gate(now, Some(at("2026-03-27T12:30:00Z")), 10.0).open);
    }

    #[test]
    fn daylight_saving_does_not_matter_to_instants() {
        // 2026-03-29 02:00 in Berlin jumps to 03:00; 24 hours stay 24 hours.
        let last = Some(at("2026-03-28T21:00:00Z"));
        assert!(!time_gate(at("2026-03-29T20:59:59Z"), last, None, 24.0).open);
        assert!(time_gate(at("2026-03-29T21:00:00Z"), last, None, 24.0).open);
    }
}
