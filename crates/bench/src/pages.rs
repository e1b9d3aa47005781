//! What the pages on the algorithms show, where a test can tell whether it is so.

use nub_search::algorithm::Algorithm;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files under a folder whose names end like this, with their text.
fn files(folder: &Path, ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in folder.read_dir().expect("a folder of the project can be listed") {
        let path = entry.expect("a folder of the project can be listed").path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            let text = fs::read_to_string(&path).expect("it is text");
            found.push((path, text));
        }
    }
    found
}

fn pages() -> Vec<(PathBuf, String)> {
    files(&root().join("docs/algorithms"), ".md")
}

/// A line of a trace without its comment, with one space between words.
fn plain(line: &str) -> String {
    let said = line.split(" # ").next().unwrap_or_default();
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of a source file that are questions or results, some of which stand side by side as strings.
fn said_in(source: &str) -> Vec<String> {
    let pieces = source.split(['\n', '"']).map(plain);
    pieces.filter(|piece| piece.starts_with('{') && piece.contains(" ") || piece.starts_with("-> ")).collect()
}

#[test]
fn every_trace_on_a_page_is_one_that_a_test_holds() {
    let sources = files(&root().join("crates/search/src"), ".rs");
    let held: Vec<Vec<String>> = sources.iter().map(|(_, source)| said_in(source)).collect();
    for (page, text) in pages() {
        for block in text.split("```trace\n").skip(1) {
            let shown = block.split("```").next().unwrap_or_default();
            let trace: Vec<String> = shown.lines().map(plain).collect();
            assert!(
                held.iter().any(|lines| lines.windows(trace.len()).any(|window| window == trace)),
                "no test of the search says what `{}` shows:\n{shown}",
                page.display()
            );
        }
    }
}

#[test]
fn every_drawing_is_shown_on_a_page() {
    let pages = pages();
    for (drawing, _) in files(&root().join("docs/algorithms"), ".svg") {
        let name = drawing.file_name().expect("a file has a name").to_string_lossy();
        let shown = format!("]({name})");
        assert!(pages.iter().any(|(_, text)| text.contains(&shown)), "no page shows `{name}`");
    }
}

#[test]
fn the_index_names_every_search_and_every_page() {
    let index = fs::read_to_string(root().join("docs/algorithms/README.md")).expect("the index");
    for algorithm in Algorithm::ALL {
        assert!(index.contains(&format!("`{algorithm}`")), "`{algorithm}` is missing");
    }
    for (page, _) in pages() {
        let name = page.file_name().expect("a file has a name").to_string_lossy();
        assert!(name == "README.md" || index.contains(&format!("]({name})")), "`{name}` is missing");
    }
}
