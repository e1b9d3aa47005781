//! What the documents say about the project, where a test can tell whether it is so.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("a folder of the project can be listed");
    entries.map(|entry| entry.expect("a folder of the project can be listed").path()).collect()
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// The documents at the root, and all under `docs`.
fn documents() -> Vec<PathBuf> {
    let mut documents: Vec<PathBuf> = entries(&root()).into_iter().filter(|path| is_document(path)).collect();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if is_document(&path) {
                documents.push(path);
            }
        }
    }
    documents
}

/// The files a document links to; places on the web and inside the document are left out.
fn linked_files(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

#[test]
fn links_between_documents_lead_somewhere() {
    for document in documents() {
        let folder = document.parent().expect("a document is in a folder");
        for target in linked_files(&read(&document)) {
            assert!(folder.join(target).exists(), "`{}` links to `{target}`", document.display());
        }
    }
}

#[test]
fn the_index_of_decisions_lists_every_page() {
    let folder = root().join("docs/design");
    let index = read(&folder.join("README.md"));
    for page in entries(&folder).iter().filter_map(|page| page.file_name()?.to_str()) {
        assert!(
            page == "README.md" || linked_files(&index).any(|target| target == page),
            "`{page}` is missing"
        );
    }
}

#[test]
fn the_code_map_has_every_crate_and_knows_which_are_to_come() {
    let architecture = read(&root().join("ARCHITECTURE.md"));
    let headings: Vec<&str> =
        architecture.lines().filter_map(|line| line.strip_prefix("### `crates/")).collect();
    for heading in &headings {
        let (name, rest) = heading.split_once('`').expect("a crate's name ends with a backtick");
        let exists = root().join("crates").join(name).join("Cargo.toml").exists();
        let expected = if exists { "" } else { " (to come)" };
        assert_eq!(rest, expected, "the mark after `{name}`");
    }
    for folder in entries(&root().join("crates")) {
        let name = folder.file_name().and_then(|name| name.to_str()).expect("a crate has a plain name");
        assert!(
            headings.iter().any(|heading| heading.split('`').next() == Some(name)),
            "`{name}` is missing from the code map"
        );
    }
}

#[test]
fn ci_runs_the_test_command_of_the_readme() {
    let readme = read(&root().join("README.md"));
    let command = readme
        .split_once("## Test\n\n```sh\n")
        .and_then(|(_, rest)| rest.lines().next())
        .expect("the section on tests begins with the command");
    assert_eq!(read(&root().join(".ci/run")).lines().last(), Some(command));
}
