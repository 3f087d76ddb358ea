//! To come.
use crate::random::Random;
use std::path::Path;
pub(crate) fn write_often(_base: &Path, _order: &str, _random: &mut Random) -> String {
    String::new()
}
