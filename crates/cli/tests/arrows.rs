//! Which crate may use which, asserted from `cargo metadata`, and what the pure ones must not name.
//!
//! A new arrow is a decision: it needs a page in `docs/design/` and a line here.

use cargo_metadata::{Metadata, MetadataCommand};
use std::path::Path;

/// Every crate, and those of ours that it may use.
const ARROWS: [(&str, &[&str]); 7] = [
    ("nub-search", &[]),
    ("nub-syntax", &[]),
    ("nub-change", &["nub-syntax", "nub-search"]),
    ("nub-lab", &["nub-change", "nub-search"]),
    ("nub-report", &["nub-lab", "nub-change", "nub-search"]),
    ("nub", &["nub-report", "nub-lab", "nub-change", "nub-syntax", "nub-search"]),
    ("nub-bench", &["nub-report", "nub-lab", "nub-change", "nub-syntax", "nub-search"]),
];

/// Crates that compute and do nothing else.
const PURE: [&str; 2] = ["nub-search", "nub-change"];

/// What a crate that computes and does nothing else has no use for.
const WORLD: [&str; 7] =
    ["std::env", "std::fs", "std::io", "std::net", "std::process", "std::thread", "std::time"];

fn workspace() -> Metadata {
    MetadataCommand::new().no_deps().exec().expect("the workspace this test was built from has metadata")
}

#[test]
fn crates_use_only_the_crates_their_arrows_allow() {
    let metadata = workspace();
    let ours: Vec<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    for package in &metadata.packages {
        let name = package.name.as_str();
        let (_, may_use) = ARROWS
            .iter()
            .find(|(from, _)| *from == name)
            .unwrap_or_else(|| panic!("`{name}` has no line in ARROWS"));
        for used in package.dependencies.iter().map(|dependency| dependency.name.as_str()) {
            assert!(!ours.contains(&used) || may_use.contains(&used), "`{name}` must not use `{used}`");
        }
    }
}

#[test]
fn crates_live_in_a_folder_of_their_name() {
    for package in &workspace().packages {
        let folder = package.manifest_path.parent().and_then(|folder| folder.file_name());
        let expected = match package.name.as_str() {
            "nub" => "cli",
            name => name.trim_start_matches("nub-"),
        };
        assert_eq!(folder, Some(expected), "folder of `{}`", package.name);
    }
}

#[test]
fn pure_crates_do_not_name_files_clocks_threads_or_processes() {
    for package in workspace().packages.iter().filter(|package| PURE.contains(&package.name.as_str())) {
        let src = package.manifest_path.with_file_name("src");
        check_names_nothing_of_the_world(src.as_std_path());
    }
}

fn check_names_nothing_of_the_world(folder: &Path) {
    for entry in folder.read_dir().expect("a crate's sources can be listed") {
        let path = entry.expect("a crate's sources can be listed").path();
        if path.is_dir() {
            check_names_nothing_of_the_world(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file is UTF-8");
            for name in WORLD {
                assert!(!text.contains(name), "`{}` names `{name}`", path.display());
            }
        }
    }
}
