//! Three-way merging of whole files by lines; the live text is never the one that gives way.

use std::collections::HashMap;

/// What a merge gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Both changes together; `None` stands for no file.
    Clean(Option<Vec<u8>>),
    /// Both sides changed the same place, so the live text stays.
    Conflict,
}

/// Brings the change from `base` to `wanted` onto `live`.
pub fn merge(base: Option<&[u8]>, live: Option<&[u8]>, wanted: Option<&[u8]>) -> Merged {
    let owned = |bytes: Option<&[u8]>| Merged::Clean(bytes.map(<[u8]>::to_vec));
    if live == base || live == wanted {
        return owned(wanted);
    }
    if wanted == base {
        return owned(live);
    }
    let (Some(base), Some(live), Some(wanted)) = (base, live, wanted) else { return Merged::Conflict };
    match diffy::merge_bytes(base, live, wanted) {
        Ok(merged) if keeps_additions(base, live, &merged) && keeps_additions(base, wanted, &merged) => {
            Merged::Clean(Some(merged))
        }
        Ok(_) | Err(_) => Merged::Conflict,
    }
}

/// Like [`merge`], but a change that only appends is appended to whatever stands there now.
pub fn merge_appending(base: Option<&[u8]>, live: Option<&[u8]>, wanted: Option<&[u8]>) -> Merged {
    match merge(base, live, wanted) {
        Merged::Conflict => {}
        clean @ Merged::Clean(_) => return clean,
    }
    let (Some(live), Some(wanted)) = (live, wanted) else { return Merged::Conflict };
    let Some(appended) = wanted.strip_prefix(base.unwrap_or_default()) else { return Merged::Conflict };
    let mut merged = live.to_vec();
    if !merged.is_empty() && !merged.ends_with(b"\n") {
        merged.push(b'\n');
    }
    merged.extend_from_slice(appended);
    Merged::Clean(Some(merged))
}

/// Whether every line that a side has more often than the base is there as often in the result: a check
/// on the merge itself, because what it loses is lost for good.
fn keeps_additions(base: &[u8], side: &[u8], merged: &[u8]) -> bool {
    let base = count_lines(base);
    let merged = count_lines(merged);
    count_lines(side).into_iter().all(|(line, count)| {
        count <= base.get(line).copied().unwrap_or(0) || count <= merged.get(line).copied().unwrap_or(0)
    })
}

fn count_lines(bytes: &[u8]) -> HashMap<&[u8], usize> {
    let mut counts = HashMap::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        *counts.entry(line).or_insert(0) += 1;
    }
    counts
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
