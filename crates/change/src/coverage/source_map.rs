//! Source maps, revision 3 (ECMA-426): which place of a made text comes from which line of which source.

use serde::Deserialize;

/// A source map, as far as it is needed here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SourceMap {
    #[serde(default)]
    pub(super) sources: Vec<Option<String>>,
    #[serde(default)]
    source_root: Option<String>,
    #[serde(default)]
    mappings: String,
}

/// A place in the made text and the line it comes from, all counted from 0.
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) source: usize,
    pub(super) source_line: usize,
}

impl SourceMap {
    /// Where each source is, seen from the script's own path.
    pub(super) fn paths(&self, script: &str) -> Vec<String> {
        let folder = script.rsplit_once('/').map_or("", |(folder, _)| folder);
        let root = self.source_root.as_deref().unwrap_or_default();
        let path = |source: &Option<String>| {
            let source = source.as_deref().unwrap_or_default();
            let source = source.strip_prefix("file://").unwrap_or(source);
            let source = match source.split_once("://") {
                // `webpack://name/./src/a.js` and the like name no place, but end in one.
                Some((_, rest)) => rest,
                None => source,
            };
            match (source.starts_with('/'), root.is_empty()) {
                (true, _) => source.to_owned(),
                (false, true) => format!("{folder}/{source}"),
                (false, false) => format!("{folder}/{root}/{source}"),
            }
        };
        self.sources.iter().map(path).collect()
    }

    /// All places, in the order of the made text.
    pub(super) fn places(&self) -> Result<Vec<Place>, String> {
        let mut places = Vec::new();
        let (mut source, mut source_line) = (0i64, 0i64);
        for (line, segments) in self.mappings.split(';').enumerate() {
            let mut column = 0i64;
            for segment in segments.split(',').filter(|segment| !segment.is_empty()) {
                let numbers = numbers(segment).ok_or_else(|| format!("a source map has `{segment}`"))?;
                column += numbers[0];
                // One number alone is a place that comes from nowhere.
                if let [_, to_source, to_line, ..] = numbers[..] {
                    source += to_source;
                    source_line += to_line;
                    let natural =
                        |n: i64| usize::try_from(n).map_err(|_| format!("a source map goes to {n}"));
                    places.push(Place {
                        line,
                        column: natural(column)?,
                        source: natural(source)?,
                        source_line: natural(source_line)?,
                    });
                }
            }
        }
        Ok(places)
    }
}

/// The numbers of a segment, in base 64 with the lowest digits first and the sign in the lowest bit.
fn numbers(segment: &str) -> Option<Vec<i64>> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut numbers = Vec::new();
    let (mut value, mut shift) = (0u64, 0);
    for byte in segment.bytes() {
        let digit = DIGITS.iter().position(|d| *d == byte)? as u64;
        value |= (digit & 31).checked_shl(shift)?;
        shift += 5;
        if digit < 32 {
            let size = i64::try_from(value >> 1).ok()?;
            numbers.push(if value & 1 == 1 { -size } else { size });
            (value, shift) = (0, 0);
        }
    }
    (shift == 0 && !numbers.is_empty()).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_numbers_relative_to_those_before() {
        let map = SourceMap { sources: vec![], source_root: None, mappings: "AAAA;;IAEM,CAAC;AADP,A".into() };
        let places: Vec<_> =
            map.places().unwrap().iter().map(|p| (p.line, p.column, p.source, p.source_line)).collect();
        assert_eq!(places, [(0, 0, 0, 0), (2, 4, 0, 2), (2, 5, 0, 2), (3, 0, 0, 1)]);
    }

    #[test]
    fn sources_are_found_from_the_folder_of_the_script() {
        let map = |root: Option<&str>| SourceMap {
            sources: ["../src/a.ts", "/abs/b.ts", "webpack://x/./c.ts"].map(|s| Some(s.to_owned())).into(),
            source_root: root.map(Into::into),
            mappings: String::new(),
        };
        assert_eq!(map(None).paths("/w/dist/a.js"), ["/w/dist/../src/a.ts", "/abs/b.ts", "/w/dist/x/./c.ts"]);
        assert_eq!(map(Some("root")).paths("/w/dist/a.js")[0], "/w/dist/root/../src/a.ts");
    }

    #[test]
    fn a_broken_mapping_is_told() {
        let map = SourceMap { sources: vec![], source_root: None, mappings: "AA!A".into() };
        assert_eq!(map.places().err().unwrap(), "a source map has `AA!A`");
    }
}
