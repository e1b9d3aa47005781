//! What must hold for every language: its data names what its grammar has, and its sample is read whole.

use crate::profile::Profile;
use crate::{Language, Tree};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

pub(crate) fn sample(language: Language) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(language.name());
    fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

pub(crate) fn parse(language: Language, text: impl AsRef<[u8]>) -> Tree {
    Tree::parse(language, text.as_ref().into())
}

#[test]
fn every_kind_and_field_in_a_profile_exists_in_its_grammar() {
    let mut all = Vec::new();
    for language in Language::all() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("languages/{}.toml", language.name()));
        let profile = Profile::read(language.name(), &[&fs::read_to_string(path).unwrap()]);
        let kinds = language.kinds();
        let unknown: Vec<String> = mentioned(&profile)
            .into_iter()
            .filter(|(name, is_field)| match is_field {
                true => kinds.field_number(name).is_none(),
                false => kinds.number(name, true).is_none(),
            })
            .map(|(name, _)| name)
            .collect();
        all.extend((!unknown.is_empty()).then_some((language, unknown)));
    }
    assert!(all.is_empty(), "{all:?}");
}

/// The kinds and fields a profile names, each with whether it is a field.
fn mentioned(profile: &Profile) -> Vec<(String, bool)> {
    let kinds = [
        &profile.declarations,
        &profile.statements,
        &profile.lists,
        &profile.identifiers,
        &profile.texts,
        &profile.numbers,
        &profile.comments,
        &profile.atoms,
        &profile.modifiers,
        &profile.scopes,
    ];
    let marks = profile.marks.iter().flat_map(|marks| [&marks.blocks, &marks.not_in]);
    let mut names: Vec<(String, bool)> =
        kinds.into_iter().chain(marks).flatten().map(|kind| (kind.clone(), false)).collect();
    let places = profile.definitions.values().chain(profile.uses.values()).flatten();
    for place in places.chain(&profile.through).chain(&profile.ignored) {
        for step in place.split(" > ") {
            let (step, asked) = step.split_once(' ').unwrap_or((step, ""));
            let (kind, field) = step.split_once('.').unwrap_or((step, ""));
            let (kind, field) = (kind.trim_end_matches(['^', '$']), field.trim_end_matches(['^', '$']));
            names.extend((!asked.is_empty()).then(|| (asked[1..].to_owned(), true)));
            names.push((kind.to_owned(), false));
            names.extend((!field.is_empty()).then(|| (field.to_owned(), true)));
        }
    }
    let by_kind = [&profile.keys, &profile.supertypes, &profile.imports];
    let mut paths: Vec<&String> = by_kind.iter().flat_map(|map| map.values()).flatten().collect();
    paths.extend(profile.signatures.values().flat_map(|paths| [&paths.parameters, &paths.result]));
    paths.extend(profile.calls.values().flat_map(|paths| [&paths.name, &paths.arguments]));
    for step in paths.into_iter().filter(|path| *path != "()").flat_map(|path| path.split('/')) {
        match step.strip_prefix(['(', '~']) {
            Some(kind) => names.push((kind.trim_end_matches(')').to_owned(), false)),
            None if ["", "*", "@"].contains(&step) => {}
            None => names.push((step.to_owned(), true)),
        }
    }
    let owners = by_kind.iter().flat_map(|map| map.keys());
    names.extend(
        owners.chain(profile.signatures.keys()).chain(profile.calls.keys()).map(|kind| (kind.clone(), false)),
    );
    names
}

#[test]
fn every_sample_is_read_without_error() {
    let mut broken = Vec::new();
    for language in Language::all() {
        let tree = parse(language, sample(language));
        let regions =
            tree.error_regions().map(|node| String::from_utf8_lossy(tree.spelled(node)).into_owned());
        let regions: Vec<String> = regions.collect();
        if tree.has_error() || !regions.is_empty() {
            broken.push((language, regions));
        }
        assert!(tree.len() > 20, "{language:?}");
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_sample_is_spelled_by_its_tokens() {
    for language in Language::all() {
        check(&parse(language, sample(language)));
    }
}

/// Checks what holds for every tree: tokens with their trivia spell the text, and nodes nest.
fn check(tree: &Tree) {
    let mut at = 0;
    for token in tree.tokens(0) {
        assert_eq!(tree.trivia(token).start, at, "{:?}", tree.language());
        assert!(!tree.bytes(token).is_empty());
        at = tree.bytes(token).end;
    }
    assert_eq!(tree.tail(), at..tree.text().len());
    for node in 1..tree.len() as u32 {
        let parent = tree.parent(node).unwrap();
        assert!(parent < node && tree.subtree(parent).contains(&(tree.subtree(node).end - 1)));
        let (inner, outer) = (tree.bytes(node), tree.bytes(parent));
        assert!(outer.start <= inner.start && inner.end <= outer.end);
        assert!(!tree.is_broken(node) || tree.has_error_in(parent));
    }
    assert_eq!(tree.has_error(), tree.has_error_in(0));
}

/// Some text of a language with pieces cut out, doubled and overwritten.
fn damaged() -> impl Strategy<Value = (Language, Vec<u8>)> {
    let edits = proptest::collection::vec((any::<u16>(), any::<u8>(), 0usize..12, 0..4), 0..12);
    (0..Language::all().len(), edits).prop_map(|(number, edits)| {
        let language = Language::all().nth(number).unwrap();
        let mut text = sample(language);
        for (at, byte, length, how) in edits {
            let at = at as usize % (text.len() + 1);
            let end = (at + length).min(text.len());
            match how {
                0 => drop(text.drain(at..end)),
                1 => text.insert(at, byte),
                2 => text.splice(at..end, text[..length.min(text.len())].to_vec()).for_each(drop),
                _ => text.truncate(text.len().max(1) - 1),
            }
        }
        (language, text)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_text_is_spelled_by_its_tokens((language, text) in damaged()) {
        check(&parse(language, text));
    }

    #[test]
    fn random_bytes_are_spelled_by_their_tokens(
        number in 0..Language::all().len(),
        text in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        check(&parse(Language::all().nth(number).unwrap(), text));
    }
}

#[test]
fn every_node_of_a_sample_has_the_shape_its_grammar_foresees() {
    let mut strange = Vec::new();
    for language in Language::all() {
        let tree = parse(language, sample(language));
        let nodes = (0..tree.len() as u32).filter(|&node| tree.children(node).next().is_some());
        for node in nodes.filter(|&node| tree.is_named(node) && tree.shape(node).is_none()) {
            let children: Vec<String> =
                tree.children(node).map(|child| tree.kind_name(child).to_owned()).collect();
            strange.push(format!("{language:?} {}: {}", tree.kind_name(node), children.join(" ")));
        }
    }
    strange.dedup();
    assert!(strange.is_empty(), "{}", strange.join("\n"));
}

#[test]
fn deep_nesting_is_read_without_running_out_of_stack() {
    const DEEP: usize = 20_000;
    for (language, before, open, close) in [
        ("c", "int x = ", "(", ")"),
        ("java", "class A { void f() ", "{", "}"),
        ("javascript", "", "[", "]"),
        ("json", "", "[", "]"),
        ("python", "x = ", "(", ")"),
        ("rust", "fn f() ", "{", "}"),
        ("smtlib", "", "(", ")"),
        ("lisp", "", "'", ""),
    ] {
        let language = Language::named(language).unwrap();
        let whole = format!("{before}{}x{}", open.repeat(DEEP), close.repeat(DEEP));
        let cut = format!("{before}{}", open.repeat(DEEP));
        for text in [whole, cut] {
            let tree = parse(language, text);
            check(&tree);
            assert!(tree.definitions(0).count() < 4);
        }
    }
}
