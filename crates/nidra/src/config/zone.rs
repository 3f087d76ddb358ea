//! The user's time zone, read from its own file.
//!
//! Asked for a zone by name, the library of dates first lists every zone that the system has, which takes longer than
//! most commands do. What is not found in the usual way is left to it.

use jiff::tz::TimeZone;
use std::fs;
use std::path::Path;

/// Where systems keep the files of zones.
const DIRECTORIES: [&str; 3] = ["/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo"];

/// The link to the file of the system's zone.
const LOCAL: &str = "/etc/localtime";

/// A zone by its name.
pub(super) fn named(name: &str) -> Option<TimeZone> {
    if name == "UTC" {
        return Some(TimeZone::UTC);
    }
    let plain = name.split('/').all(|part| !matches!(part, "" | "." | "..")) && !name.contains('\0');
    if !plain {
        return None;
    }
    DIRECTORIES.iter().find_map(|directory| read(&Path::new(directory).join(name), name))
}

/// The system's zone, where it is a link to the file of a zone.
pub(super) fn local() -> Option<TimeZone> {
    let target = fs::read_link(LOCAL).ok()?;
    let (_, name) = target.to_str()?.split_once("zoneinfo/")?;
    read(Path::new(LOCAL), name)
}

fn read(file: &Path, name: &str) -> Option<TimeZone> {
    TimeZone::tzif(name, &fs::read(file).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn the_zone_of_a_file_is_that_of_its_name() {
        let summer: Timestamp = "2026-07-01T12:00:00Z".parse().unwrap();
        let hour = |zone: &TimeZone| summer.to_zoned_datetime(zone.clone()).datetime().hour();
        for (name, expected) in [("Asia/Shanghai", 20), ("Europe/Berlin", 14), ("America/New_York", 8)] {
            let Some(zone) = named(name) else {
                // A system may come without zones; the library's own then serve.
                assert!(DIRECTORIES.iter().all(|directory| !Path::new(directory).join(name).exists()));
                continue;
            };
            assert_eq!(hour(&zone), expected, "{name}");
            assert_eq!(zone.iana_name(), Some(name));
        }
    }

    #[test]
    fn what_is_no_name_is_left_to_the_library() {
        for name in
            ["", "CST-8", "../../../etc/localtime", "/etc/localtime", "Asia//Shanghai", "Nowhere/At_All"]
        {
            assert_eq!(named(name), None, "{name:?}");
        }
        assert_eq!(named("UTC"), Some(TimeZone::UTC));
    }

    #[test]
    fn the_system_s_zone_is_the_library_s() {
        if let Some(zone) = local() {
            let now: Timestamp = "2026-12-01T00:00:00Z".parse().unwrap();
            let library = TimeZone::system();
            assert_eq!(zone.to_offset(now), library.to_offset(now));
            assert_eq!(zone.iana_name(), library.iana_name());
        }
    }
}
