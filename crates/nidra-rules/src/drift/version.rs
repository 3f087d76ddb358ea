//! Versions as manifests demand them and as people say them.

/// The numbers of a version, as far as they are given.
pub(super) fn numbers(text: &str) -> Option<Vec<u64>> {
    let text = text.trim().trim_start_matches(['v', 'V', '=']);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let found: Option<Vec<u64>> =
        text[..end].trim_end_matches('.').split('.').map(|part| part.parse().ok()).collect();
    found.filter(|numbers| !numbers.is_empty())
}

/// Whether a version that somebody names agrees with what a manifest demands; none when the demand is no version.
pub(super) fn agrees(claimed: &[u64], demand: &str) -> Option<bool> {
    let mut any = None;
    for alternative in demand.split("||") {
        let mut all = None;
        for part in alternative.split([',', ' ']).filter(|part| !part.is_empty()) {
            if let Some(holds) = one(claimed, part) {
                all = Some(all.unwrap_or(true) && holds);
            }
        }
        any = match (any, all) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (known, None) => known,
            (_, holds) => holds,
        };
    }
    any.or_else(|| spaced(claimed, demand))
}

/// `>= 1.2` with a blank between: the mark and its version belong together.
fn spaced(claimed: &[u64], demand: &str) -> Option<bool> {
    one(claimed, &demand.split_whitespace().collect::<String>())
}

fn one(claimed: &[u64], part: &str) -> Option<bool> {
    let digits = part.find(|c: char| c.is_ascii_digit())?;
    let (mark, version) = part.split_at(digits);
    let base = numbers(version)?;
    let length = claimed.len().min(base.len());
    let alike = claimed[..length] == base[..length];
    let at_least = claimed[..length] >= base[..length];
    let same = |count: usize| claimed.iter().zip(&base).take(count).all(|(one, other)| one == other);
    match mark.trim() {
        ">=" | ">" => Some(at_least),
        "<=" => Some(claimed[..length] <= base[..length]),
        "<" => Some(claimed[..length] < base[..length]),
        "!=" => None,
        "^" => Some(alike || (at_least && same(if base[0] == 0 { 2 } else { 1 }))),
        "~" | "~>" | "~=" => {
            let fixed = if mark.trim() == "~" { 2 } else { base.len().saturating_sub(1).max(1) };
            Some(alike || (at_least && same(fixed)))
        }
        _ => Some(alike),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_say_is_held_against_what_manifests_demand() {
        for (said, demand, expected) in [
            ("1.5", "~> 1.9.0", Some(false)),
            ("1.9", "~> 1.9.0", Some(true)),
            ("17", "21", Some(false)),
            ("22", ">=22", Some(true)),
            ("20", ">= 22", Some(false)),
            ("19", "^19.1.0", Some(true)),
            ("19.2", "^19.1.0", Some(true)),
            ("18", "^19.1.0", Some(false)),
            ("5", "5.12.2", Some(true)),
            ("3.11", ">=3.12", Some(false)),
            ("2.1", ">=1.4,<2", Some(false)),
            ("18", "^16 || ^18", Some(true)),
            ("3", "workspace:*", None),
            ("8", "mysql", None),
        ] {
            assert_eq!(agrees(&numbers(said).unwrap(), demand), expected, "{said} and {demand}");
        }
    }
}
