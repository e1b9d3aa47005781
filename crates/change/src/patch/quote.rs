//! Paths in a patch, quoted where git quotes them.

use crate::snapshot::RelPath;

/// A path with its prefix; in quotes, with escapes, if it has bytes that are not plain.
pub(super) fn quoted(prefix: &[u8], path: &RelPath) -> Vec<u8> {
    let whole = [prefix, path.as_bytes()].concat();
    if whole.iter().all(|&b| (0x20..0x7f).contains(&b) && b != b'"' && b != b'\\') {
        return whole;
    }
    let escaped = whole.iter().flat_map(|&b| match b {
        b'"' | b'\\' => vec![b'\\', b],
        b'\n' => b"\\n".to_vec(),
        b'\t' => b"\\t".to_vec(),
        0x20..0x7f => vec![b],
        _ => format!("\\{b:03o}").into_bytes(),
    });
    [b'"'].into_iter().chain(escaped).chain([b'"']).collect()
}

/// A path in a `---` or `+++` line, where a tab ends a path with spaces.
pub(super) fn header(prefix: &[u8], path: &RelPath) -> Vec<u8> {
    let mut path = quoted(prefix, path);
    if path.contains(&b' ') && !path.starts_with(b"\"") {
        path.push(b'\t');
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_bytes_are_escaped_and_plain_paths_are_not() {
        let check = |path: &[u8], expected: &str| {
            assert_eq!(String::from_utf8(quoted(b"a/", &RelPath::new(path).unwrap())).unwrap(), expected);
        };
        check(b"plain path.txt", "a/plain path.txt");
        check(b"tab\there", r#""a/tab\there""#);
        check(b"\xc3\xa4\x01\"\\", r#""a/\303\244\001\"\\""#);
    }
}
