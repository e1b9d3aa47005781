//! The languages that are known, found by name, by a file's path or by how a text begins.
//!
//! A language costs nothing until it is used: its profile, its kinds and its facts are read when first asked
//! for. Only the head of a profile, which names the files, is read for all.

use crate::facts::Facts;
use crate::kinds::Kinds;
use crate::names::Places;
use crate::profile::{Head, Profile};
use std::fmt;
use std::sync::{LazyLock, OnceLock};

/// A language: its grammar and what is known about it.
#[derive(Clone, Copy)]
pub struct Language(&'static Entry);

struct Entry {
    name: &'static str,
    grammar: fn() -> Option<tree_sitter::Language>,
    /// The text of its profile, then of those it builds on.
    profiles: Vec<&'static str>,
    facts_text: &'static str,
    head: OnceLock<Head>,
    profile: OnceLock<Profile>,
    kinds: OnceLock<Kinds>,
    facts: OnceLock<Facts>,
    places: OnceLock<Places>,
}

macro_rules! languages {
    ($($(#[$feature:meta])? $name:literal $(: $base:literal)* => $grammar:expr;)*) => {
        static LANGUAGES: LazyLock<Vec<Entry>> = LazyLock::new(languages);

        #[allow(clippy::vec_init_then_push, reason = "any of them may be left out")]
        fn languages() -> Vec<Entry> {
            let mut languages = Vec::new();
            $(
                $(#[$feature])?
                languages.push(Entry {
                    name: $name,
                    grammar: || $grammar,
                    profiles: vec![
                        include_str!(concat!("../languages/", $name, ".toml")),
                        $(include_str!(concat!("../languages/", $base, ".toml")),)*
                    ],
                    facts_text: include_str!(concat!("../facts/", $name, ".facts")),
                    head: OnceLock::new(),
                    profile: OnceLock::new(),
                    kinds: OnceLock::new(),
                    facts: OnceLock::new(),
                    places: OnceLock::new(),
                });
            )*
            languages
        }
    };
}

languages! {
    #[cfg(feature = "bash")] "bash" => Some(tree_sitter_bash::LANGUAGE.into());
    #[cfg(feature = "c")] "c" => Some(tree_sitter_c::LANGUAGE.into());
    #[cfg(feature = "cmake")] "cmake" => Some(tree_sitter_cmake::LANGUAGE.into());
    #[cfg(feature = "containerfile")] "containerfile" => Some(tree_sitter_containerfile::LANGUAGE.into());
    #[cfg(feature = "cpp")] "cpp": "c" => Some(tree_sitter_cpp::LANGUAGE.into());
    #[cfg(feature = "csharp")] "csharp" => Some(tree_sitter_c_sharp::LANGUAGE.into());
    #[cfg(feature = "css")] "css" => Some(tree_sitter_css::LANGUAGE.into());
    #[cfg(feature = "dart")] "dart" => Some(tree_sitter_dart::LANGUAGE.into());
    #[cfg(feature = "diff")] "diff" => Some(tree_sitter_diff::LANGUAGE.into());
    #[cfg(feature = "xml")] "dtd" => Some(tree_sitter_xml::LANGUAGE_DTD.into());
    #[cfg(feature = "elixir")] "elixir" => Some(tree_sitter_elixir::LANGUAGE.into());
    #[cfg(feature = "fortran")] "fortran" => Some(tree_sitter_fortran::LANGUAGE.into());
    #[cfg(feature = "glsl")] "glsl": "c" => Some(tree_sitter_glsl::LANGUAGE_GLSL.into());
    #[cfg(feature = "go")] "go" => Some(tree_sitter_go::LANGUAGE.into());
    #[cfg(feature = "haskell")] "haskell" => Some(tree_sitter_haskell::LANGUAGE.into());
    #[cfg(feature = "hcl")] "hcl" => Some(tree_sitter_hcl::LANGUAGE.into());
    #[cfg(feature = "html")] "html" => Some(tree_sitter_html::LANGUAGE.into());
    #[cfg(feature = "java")] "java" => Some(tree_sitter_java::LANGUAGE.into());
    #[cfg(feature = "javascript")] "javascript" => Some(tree_sitter_javascript::LANGUAGE.into());
    #[cfg(feature = "json")] "json" => Some(tree_sitter_json::LANGUAGE.into());
    #[cfg(feature = "julia")] "julia" => Some(tree_sitter_julia::LANGUAGE.into());
    #[cfg(feature = "kotlin")] "kotlin" => Some(tree_sitter_kotlin_ng::LANGUAGE.into());
    "lisp" => None;
    #[cfg(feature = "llvm")] "llvm" => Some(tree_sitter_llvm::LANGUAGE.into());
    #[cfg(feature = "lua")] "lua" => Some(tree_sitter_lua::LANGUAGE.into());
    #[cfg(feature = "make")] "make" => Some(tree_sitter_make::LANGUAGE.into());
    #[cfg(feature = "markdown")] "markdown" => Some(tree_sitter_md::LANGUAGE.into());
    #[cfg(feature = "mlir")] "mlir" => Some(tree_sitter_mlir::LANGUAGE.into());
    #[cfg(feature = "objc")] "objc": "c" => Some(tree_sitter_objc::LANGUAGE.into());
    #[cfg(feature = "ocaml")] "ocaml" => Some(tree_sitter_ocaml::LANGUAGE_OCAML.into());
    #[cfg(feature = "ocaml")] "ocaml-interface": "ocaml" => Some(tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE.into());
    #[cfg(feature = "php")] "php" => Some(tree_sitter_php::LANGUAGE_PHP.into());
    #[cfg(feature = "proto")] "proto" => Some(tree_sitter_proto::LANGUAGE.into());
    #[cfg(feature = "python")] "python" => Some(tree_sitter_python::LANGUAGE.into());
    #[cfg(feature = "r")] "r" => Some(tree_sitter_r::LANGUAGE.into());
    #[cfg(feature = "regex")] "regex" => Some(tree_sitter_regex::LANGUAGE.into());
    #[cfg(feature = "ruby")] "ruby" => Some(tree_sitter_ruby::LANGUAGE.into());
    #[cfg(feature = "rust")] "rust" => Some(tree_sitter_rust::LANGUAGE.into());
    #[cfg(feature = "scala")] "scala" => Some(tree_sitter_scala::LANGUAGE.into());
    "smtlib" => None;
    #[cfg(feature = "solidity")] "solidity" => Some(tree_sitter_solidity::LANGUAGE.into());
    #[cfg(feature = "sql")] "sql" => Some(tree_sitter_sequel::LANGUAGE.into());
    #[cfg(feature = "swift")] "swift" => Some(tree_sitter_swift::LANGUAGE.into());
    #[cfg(feature = "toml")] "toml" => Some(tree_sitter_toml_ng::LANGUAGE.into());
    #[cfg(feature = "typescript")] "tsx": "typescript": "javascript" => Some(tree_sitter_typescript::LANGUAGE_TSX.into());
    #[cfg(feature = "typescript")] "typescript": "javascript" => Some(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into());
    #[cfg(feature = "verilog")] "verilog" => Some(tree_sitter_verilog::LANGUAGE.into());
    "wat" => None;
    #[cfg(feature = "xml")] "xml" => Some(tree_sitter_xml::LANGUAGE_XML.into());
    #[cfg(feature = "yaml")] "yaml" => Some(tree_sitter_yaml::LANGUAGE.into());
    #[cfg(feature = "zig")] "zig" => Some(tree_sitter_zig::LANGUAGE.into());
}

impl Language {
    /// All languages, by name.
    pub fn all() -> impl ExactSizeIterator<Item = Language> {
        LANGUAGES.iter().map(Language)
    }

    /// The language of a name, such as `java`.
    pub fn named(name: &str) -> Option<Language> {
        Language::all().find(|language| language.name() == name)
    }

    /// The language of a file, by its name: the whole name if it is well known, else its ending.
    pub fn of_path(path: &str) -> Option<Language> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let is_named = |language: &Language| language.names().any(|known| name == known);
        let ends = |language: &Language| {
            let ends_with = |file| name.strip_suffix(file).is_some_and(|stem: &str| stem.ends_with('.'));
            language.files().any(ends_with)
        };
        Language::all().find(is_named).or_else(|| Language::all().find(ends))
    }

    /// The language of a text whose name says nothing: by its `#!` line or another opening that only one has.
    pub fn of_content(text: &[u8]) -> Option<Language> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let opens = |opening: &String| text.trim_ascii_start().starts_with(opening.as_bytes());
        match text.strip_prefix(b"#!") {
            Some(line) => {
                let name = interpreter(line.split(|&byte| byte == b'\n').next()?)?;
                Language::all().find(|language| language.head().interpreters.contains(&name))
            }
            None => Language::all().find(|language| language.head().openings.iter().any(opens)),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The endings of its files, without the dot.
    pub fn files(self) -> impl Iterator<Item = &'static str> {
        self.head().files.iter().map(String::as_str)
    }

    /// The whole names of files that are known to be of it.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.head().names.iter().map(String::as_str)
    }

    /// Whether it is known where its texts define names; else they are data, or documents.
    pub fn defines_names(self) -> bool {
        !self.profile().definitions.is_empty()
    }

    fn head(self) -> &'static Head {
        self.0.head.get_or_init(|| Head::read(self.0.name, self.0.profiles[0]))
    }

    pub(crate) fn profile(self) -> &'static Profile {
        self.0.profile.get_or_init(|| Profile::read(self.0.name, &self.0.profiles))
    }

    pub(crate) fn kinds(self) -> &'static Kinds {
        self.0.kinds.get_or_init(|| Kinds::new((self.0.grammar)(), self.profile()))
    }

    pub(crate) fn places(self) -> &'static Places {
        self.0.places.get_or_init(|| Places::new(self.profile(), self.kinds()))
    }

    pub(crate) fn facts(self) -> &'static Facts {
        self.0.facts.get_or_init(|| Facts::read(self.0.facts_text, self.kinds()))
    }
}

/// The program a `#!` line calls: `python` for `/usr/bin/env -S FOO=1 python3.11 -u`.
fn interpreter(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    let is_program = |word: &&str| !word.starts_with('-') && !word.contains('=');
    let program = if program == "env" { words.find(is_program)?.rsplit('/').next()? } else { program };
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned())
}

impl PartialEq for Language {
    fn eq(&self, other: &Language) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_whole_name_before_its_ending() {
        let name = |path| Language::of_path(path).map(Language::name);
        assert_eq!(name("src/a.b/main.rs"), Some("rust"));
        assert_eq!(name("Cargo.lock"), Some("toml"));
        assert_eq!(name("composer.lock"), Some("json"));
        assert_eq!(name("lib/Rakefile"), Some("ruby"));
        assert_eq!(name("java"), None);
        assert_eq!(name("notes.unheard-of"), None);
        assert_eq!(name("x.smt2"), Some("smtlib"));
    }

    #[test]
    fn a_text_is_known_by_the_program_its_first_line_calls() {
        let name = |text: &[u8]| Language::of_content(text).map(Language::name);
        assert_eq!(name(b"#!/bin/sh -e\n"), Some("bash"));
        assert_eq!(name(b"#! /usr/bin/env -S A=1 python3.11 -u\nimport x"), Some("python"));
        assert_eq!(name(b"#!/usr/bin/env node"), Some("javascript"));
        assert_eq!(name(b"\xef\xbb\xbf<?xml version='1.0'?><a/>"), Some("xml"));
        assert_eq!(name(b"#!"), None);
        assert_eq!(name(b"plain words"), None);
    }

    #[test]
    fn no_two_languages_claim_one_file_and_names_are_in_order() {
        let names: Vec<&str> = Language::all().map(Language::name).collect();
        assert!(names.is_sorted());
        let mut files: Vec<(&str, &str)> = Language::all()
            .flat_map(|l| l.files().chain(l.names()).map(move |file| (file, l.name())))
            .collect();
        files.sort();
        for pair in files.windows(2) {
            assert_ne!(pair[0].0, pair[1].0, "claimed by {} and {}", pair[0].1, pair[1].1);
        }
    }
}
