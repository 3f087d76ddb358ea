//! Files that lie in a checkout: anything may stand in their place.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The first bytes of a regular file, `most` of them; `None` when it is none or cannot be read. A pipe in its place would
/// never end.
pub fn beginning(path: &Path, most: u64) -> Option<Vec<u8>> {
    if !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The same as text.
pub fn text(path: &Path, most: u64) -> Option<String> {
    Some(String::from_utf8_lossy(&beginning(path, most)?).into_owned())
}
