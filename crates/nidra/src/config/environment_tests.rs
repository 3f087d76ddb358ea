//! Tests of the environment as a value.

use super::*;

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment::from_variables(variables.iter().copied())
}

#[test]
fn directories_follow_the_platform_and_can_be_set() {
    let home = environment(&[("HOME", "/home/dev")]);
    assert_eq!(home.state_directory().unwrap(), Path::new("/home/dev/.local/state/nidra"));
    assert_eq!(home.user_config().unwrap(), Path::new("/home/dev/.config/nidra/config.toml"));
    assert_eq!(home.claude_config().unwrap(), Path::new("/home/dev/.claude"));

    let set = environment(&[
        ("HOME", "/home/dev"),
        ("XDG_STATE_HOME", "/state"),
        ("XDG_CONFIG_HOME", "relative/is/ignored"),
        ("CLAUDE_CONFIG_DIR", "/家/claude"),
    ]);
    assert_eq!(set.state_directory().unwrap(), Path::new("/state/nidra"));
    assert_eq!(set.user_config().unwrap(), Path::new("/home/dev/.config/nidra/config.toml"));
    assert_eq!(set.claude_config().unwrap(), Path::new("/家/claude"));

    let own = environment(&[("NIDRA_HOME", "/n"), ("NIDRA_CONFIG", "/c.toml")]);
    assert_eq!(own.state_directory().unwrap(), Path::new("/n"));
    assert_eq!(own.user_config().unwrap(), Path::new("/c.toml"));
}

#[test]
fn what_cannot_be_placed_is_an_error() {
    assert!(matches!(environment(&[]).state_directory(), Err(EnvironmentError::NoHome { .. })));
    assert!(matches!(
        environment(&[("NIDRA_HOME", "x")]).state_directory(),
        Err(EnvironmentError::Relative { .. })
    ));
}

#[test]
fn pub_trg_07_one_variable_switches_everything_off() {
    for (value, off) in
        [("1", true), ("true", true), ("yes, please", true), ("0", false), ("False", false), ("", false)]
    {
        assert_eq!(environment(&[("NIDRA_DISABLED", value)]).disabled(), off, "{value:?}");
    }
    assert!(!environment(&[]).disabled());
}

#[test]
fn the_time_can_be_set() {
    let now =
        |text| environment(&[("NIDRA_NOW", text), ("TZ", "UTC")]).now().map(|now| now.unwrap().timestamp());
    let evening: Timestamp = "2026-11-30T20:00:00Z".parse().unwrap();
    assert_eq!(now("2026-11-30T20:00:00Z"), Ok(evening));
    assert_eq!(now("2026-12-01T04:00:00+08:00"), Ok(evening));
    assert_eq!(now("2026-11-30T20:00"), Ok(evening));
    assert_eq!(now("2026-11-30"), Ok("2026-11-30T00:00:00Z".parse().unwrap()));
    assert!(matches!(now("昨天"), Err(EnvironmentError::Time { .. })));
    assert_eq!(environment(&[]).now(), Ok(None));
}

#[test]
fn a_zone_is_taken_by_name() {
    let zone = TimeZone::posix("CST-8").unwrap();
    let noon = parse_time("2026-11-30T12:00", &zone).unwrap();
    assert_eq!(noon.timestamp(), "2026-11-30T04:00:00Z".parse().unwrap());
    let named = environment(&[("TZ", "CST-8")]).time_zone();
    assert_eq!(parse_time("2026-11-30T12:00", &named), Some(noon));
    assert_eq!(parse_time("0000-01-01", &zone), None);
}

#[test]
fn no_variable_is_documented_twice_or_without_a_meaning() {
    let mut names: Vec<String> = VARIABLES.iter().map(|variable| variable.name.to_owned()).collect();
    names.extend(KEYS.iter().map(super::super::Key::variable));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(VARIABLES.iter().all(|variable| variable.meaning.ends_with('.')));
}

#[test]
fn every_kept_variable_of_the_client_s_is_known() {
    for kept in crate::detach::KEPT_VARIABLES {
        assert!(VARIABLES.iter().any(|variable| variable.name == kept), "{kept}");
    }
}
