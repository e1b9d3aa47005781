//! What a module of Python lacks that is a new file: its imports, by which it has the names of other modules.
//!
//! Where a module becomes a package, the first line of its `__init__.py` hides all that the old module has.

use crate::change::Kind;
use crate::patchwork::Patchwork;
use crate::snapshot::RelPath;
use crate::words::words;
use nub_search::Config;
use regex::Regex;
use std::sync::LazyLock;

/// More imports than this are not all needed for one name.
const MOST: usize = 24;

static LACKS: LazyLock<Regex> = LazyLock::new(|| {
    let text = r"module '([\w.]+)' has no attribute|cannot import name '\w+' from (?:partially initialized module )?'([\w.]+)'";
    Regex::new(text).expect("the pattern is a constant that the tests use")
});

/// The new files that are modules of which a message says that they lack a name, each with an import that is not there.
pub(super) fn imports_lacking(patchwork: &Patchwork, config: &Config, output: &str) -> Vec<(u32, u32)> {
    let said = LACKS.captures_iter(output).filter_map(|found| found.get(1).or(found.get(2)));
    let mut lacking: Vec<(u32, u32)> = Vec::new();
    for module in said.map(|found| found.as_str()) {
        let made = patchwork.changes().iter().filter(|change| {
            change.kind == Kind::Create && config.contains(change.number) && is_module(change.path(), module)
        });
        for file in made {
            let files = patchwork.touched[file.number as usize].iter();
            let pieces = files.flat_map(|&woven| patchwork.files[woven as usize].weave.pieces());
            let imports = pieces.filter(|piece| words(piece.text).any(|word| word == b"import"));
            let changes = imports.flat_map(|piece| piece.when.iter().map(|literal| literal.change()));
            lacking.extend(changes.filter(|&line| !config.contains(line)).map(|line| (file.number, line)));
        }
    }
    lacking.sort_unstable();
    lacking.dedup();
    if lacking.len() <= MOST { lacking } else { Vec::new() }
}

/// Whether a file is a module of this name, in whatever folder packages are looked for.
fn is_module(path: &RelPath, module: &str) -> bool {
    let path = String::from_utf8_lossy(path.as_bytes());
    let Some(stem) = path.strip_suffix("/__init__.py").or_else(|| path.strip_suffix(".py")) else {
        return false;
    };
    let dotted = stem.replace('/', ".");
    dotted == module || dotted.ends_with(&format!(".{module}"))
}
