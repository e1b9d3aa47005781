//! The page about languages is true.

#![cfg(feature = "all-languages")]

#[allow(dead_code, missing_docs)]
#[path = "../examples/languages.rs"]
mod languages;

#[test]
fn the_page_lists_the_languages_there_are() {
    let kept = std::fs::read_to_string(languages::path()).unwrap_or_default();
    assert!(
        kept == languages::page(),
        "the page is old: cargo run -p nub-syntax --features all-languages --example languages"
    );
}
