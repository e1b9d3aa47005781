//! Writes `docs/languages.md`: the languages nub reads, with what is known about each.
//!
//! ```text
//! cargo run -p nub-syntax --features all-languages --example languages
//! ```

use cargo_metadata::{CargoOpt, MetadataCommand, Package};
use nub_syntax::{Entity, Language};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

const HEAD: &str = "\
# Languages

nub reads a file as a syntax tree if it knows the language, and else as lines. It goes by the name of the file, then by
how the text begins (`#!/usr/bin/env python3`).

- *Built in*: in every nub; the others are features of the crate `nub-syntax`, and `all-languages` has them all.
- *Names*: which token defines a function, a type, a field and so on, and which uses it; with calls and signatures.
- *Keys*: what tells a member of a class or an entry of a table from its sisters, so that it is found again when it has
  moved.

Lists, optional parts and what may stand where are known for all: they come from the grammars themselves.
";

fn main() -> io::Result<()> {
    fs::write(path(), page())
}

/// Where the page is kept.
pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/languages.md")
}

/// The page, for the languages that this is built with.
pub fn page() -> String {
    let mut command = MetadataCommand::new();
    command.manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    let metadata = command.features(CargoOpt::AllFeatures).exec().expect("cargo can read its own manifest");
    let package = metadata.packages.iter().find(|package| package.name.as_str() == "nub-syntax");
    let package = package.expect("cargo knows the package it builds");
    let mut page = format!("{HEAD}\n| language | files | built in | names | keys |\n|---|---|---|---|---|\n");
    for language in Language::all() {
        let files = language.files().map(|ending| format!("`.{ending}`"));
        let names = language.names().map(|name| format!("`{name}`"));
        let files: Vec<String> = files.chain(names).collect();
        let names = if language.defines(Entity::Function) { "yes" } else { "" };
        let keys = if language.has_keys() { "yes" } else { "" };
        let (name, files, feature) = (language.name(), files.join(" "), built_in(package, language.name()));
        writeln!(page, "| {name} | {files} | {feature} | {names} | {keys} |")
            .expect("a string can be written to");
    }
    page
}

/// Whether a language is built in, or the feature that brings it.
fn built_in(package: &Package, language: &str) -> String {
    let feature = match language {
        "dtd" => "xml",
        "ocaml-interface" => "ocaml",
        "tsx" => "typescript",
        other => other,
    };
    let is_always = !package.features.contains_key(feature);
    let is_default = package.features["default"].iter().any(|name| name == feature);
    if is_always || is_default { "yes".to_owned() } else { format!("feature `{feature}`") }
}
