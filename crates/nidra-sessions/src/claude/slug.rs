//! The name of the folder that the client keeps for a directory.
//!
//! It only goes one way: two directories can share a name, so a name is a hint and is never decoded.

use std::path::Path;

/// UTF-16 units that the client keeps before it cuts and appends a hash.
const MAXIMUM: usize = 200;

/// The folder name for a directory, which must already be canonical.
///
/// Every UTF-16 unit outside of `[A-Za-z0-9]` becomes `-`; a name of more than 200 units is cut there
/// and gets `-` and a hash in base 36.
pub fn slug(path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut name = String::with_capacity(text.len());
    let mut hash = 0_i32;
    for unit in text.encode_utf16() {
        hash = hash.wrapping_mul(31).wrapping_add(i32::from(unit));
        let kept = u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric);
        name.push(kept.map_or('-', char::from));
    }
    if name.len() > MAXIMUM {
        // All characters are ASCII by now.
        name.truncate(MAXIMUM);
        name.push('-');
        name.push_str(&base36(hash.unsigned_abs()));
    }
    name
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_every_unit_outside_ascii_letters_and_digits() {
        assert_eq!(slug(Path::new("/home/dev/rich")), "-home-dev-rich");
        assert_eq!(slug(Path::new("/slug/中文 项目")), "-slug------");
        assert_eq!(slug(Path::new("/a/😀")), "-a---", "an emoji is two units");
        assert_eq!(slug(Path::new("/A_b.C+d")), "-A-b-C-d", "case is kept");
        assert_eq!(slug(Path::new("C:\\Users\\x\\My Stuff")), "C--Users-x-My-Stuff");
    }

    #[test]
    fn two_directories_can_share_a_name() {
        assert_eq!(slug(Path::new("/w/a-b")), slug(Path::new("/w/a.b")));
        assert_eq!(slug(Path::new("/w/東京")), slug(Path::new("/w/大阪")));
    }

    #[test]
    fn names_of_more_than_200_units_are_cut_and_hashed() {
        let exact = format!("/{}", "a".repeat(199));
        assert_eq!(slug(Path::new(&exact)), format!("-{}", "a".repeat(199)));

        let longer = format!("/{}", "a".repeat(200));
        // The hash of the specification, h = h * 31 + unit over the original path, in wider arithmetic.
        let hash = longer.bytes().fold(0_i64, |hash, byte| {
            let next = (hash * 31 + i64::from(byte)).rem_euclid(1 << 32);
            if next >= 1 << 31 { next - (1 << 32) } else { next }
        });
        let mut rest = hash.unsigned_abs();
        let mut digits = String::new();
        while rest > 0 {
            digits.insert(0, char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize]));
            rest /= 36;
        }
        assert_eq!(slug(Path::new(&longer)), format!("-{}-{digits}", "a".repeat(199)));
    }
}
