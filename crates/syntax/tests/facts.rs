//! The facts beside the code are those of the grammars that are built in.

#[allow(dead_code, missing_docs)]
#[path = "../examples/facts.rs"]
mod facts;

use std::fs;

#[test]
fn the_facts_are_what_the_grammars_say() {
    let all = facts::all();
    assert!(all.len() > 20, "the sources of the grammars were found: {:?}", all.keys());
    for (language, text) in all {
        let kept = fs::read_to_string(facts::path(&language)).unwrap_or_default();
        assert!(
            text == kept,
            "the facts of {language} are old: cargo run -p nub-syntax --features all-languages --example facts"
        );
    }
}
