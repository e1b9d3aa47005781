//! What ran in the files that a script was made from, where no source map tells: by the names of its functions.
//!
//! A bundler or a compiler writes a program anew: types go, spaces change, many files become one. What a function is
//! called stays, as a rule, and so do most of its words. So a function of a source file that has a likeness in the
//! script ran where the same words of the likeness did.
//!
//! ```text
//!   script    function area(w, h) { return w * h; }                 ran
//!   source    export const area = (w: number, h: number) => w * h   w, h, w, h ran
//! ```
//!
//! What has no likeness may have been left out, renamed, or folded into its caller: nothing is known of it.

use super::v8;
use crate::lines::Lines;
use imara_diff::{Algorithm, Diff, InternedInput};
use nub_syntax::{Entity, Language, Name, Node, Tree};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// Languages that scripts are made from.
const SOURCES: [&str; 3] = ["javascript", "typescript", "tsx"];
/// Of functions with the same name, so many are compared.
const NAMESAKES: usize = 16;
/// The words that a function shares with its likeness are at least this share of those of the shorter one.
const ALIKE: f64 = 0.5;

/// The functions of a script.
pub(super) struct Bundle {
    tree: Tree,
    /// Whether each byte of it ran.
    ran: Vec<bool>,
    functions: HashMap<Vec<u8>, Vec<Vec<Node>>>,
}

impl Bundle {
    /// Reads a script of which these ranges, in UTF-16 code units, are known to have run or not.
    pub(super) fn of(text: &str, units: &[(Range<usize>, bool)]) -> Option<Bundle> {
        let tree = Tree::parse(Language::named(SOURCES[0])?, Arc::from(text.as_bytes()));
        let painted = v8::painted(units, text.encode_utf16().count());
        let (mut ran, mut unit) = (Vec::with_capacity(text.len()), 0);
        for char in text.chars() {
            ran.extend(std::iter::repeat_n(painted[unit], char.len_utf8()));
            unit += char.len_utf16();
        }
        let mut functions: HashMap<Vec<u8>, Vec<Vec<Node>>> = HashMap::new();
        for (name, words) in named_functions(&tree) {
            let namesakes = functions.entry(tree.spelled(name.node).to_vec()).or_default();
            if namesakes.len() < NAMESAKES {
                namesakes.push(words);
            }
        }
        Some(Bundle { tree, ran, functions })
    }

    /// The lines of a source file with words of which it is known whether they ran.
    pub(super) fn lines(&self, path: &str, text: &Arc<[u8]>) -> BTreeMap<usize, bool> {
        let mut marks = BTreeMap::new();
        let language = Language::of_path(path).filter(|language| SOURCES.contains(&language.name()));
        let Some(language) = language else { return marks };
        let source = Tree::parse(language, Arc::clone(text));
        let lines = Lines::new(text);
        for (name, words) in named_functions(&source) {
            let namesakes = self.functions.get(source.spelled(name.node)).into_iter().flatten();
            let shared = namesakes.map(|made| (self.shared(made, &source, &words), made.len()));
            let Some((shared, made)) = shared.max_by_key(|(shared, _)| shared.len()) else { continue };
            if (shared.len() as f64) < ALIKE * made.min(words.len()) as f64 {
                continue;
            }
            for (made, word) in shared {
                let line = lines.line_of(source.bytes(word).start);
                *marks.entry(line).or_default() |= self.ran[self.tree.bytes(made).start];
            }
        }
        marks
    }

    /// The words that a function of the script shares with one of a source file, in order.
    fn shared(&self, made: &[Node], source: &Tree, words: &[Node]) -> Vec<(Node, Node)> {
        let mut input = InternedInput::default();
        input.update_before(made.iter().map(|&word| self.tree.spelled(word)));
        input.update_after(words.iter().map(|&word| source.spelled(word)));
        let diff = Diff::compute(Algorithm::Myers, &input);
        let kept_made = (0..).zip(made).filter(|(i, _)| !diff.is_removed(*i)).map(|(_, word)| *word);
        let kept = (0..).zip(words).filter(|(i, _)| !diff.is_added(*i)).map(|(_, word)| *word);
        kept_made.zip(kept).collect()
    }
}

/// The functions that have a name, each with its words behind the name.
fn named_functions(tree: &Tree) -> impl Iterator<Item = (Name, Vec<Node>)> + '_ {
    let functions = tree.definitions(tree.root()).filter(|name| name.entity == Entity::Function);
    functions.filter_map(|name| {
        let is_word = |word: &Node| {
            let first = tree.spelled(*word).first();
            first.is_some_and(|b| b.is_ascii_alphanumeric() || b"_$\"'`".contains(b) || *b >= 0x80)
        };
        let after_name = tree.tokens(name.definition?).filter(|token| *token > name.node);
        let words: Vec<Node> = after_name.filter(is_word).collect();
        (!words.is_empty()).then_some((name, words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a source that ran and those that did not, where all of the script ran but `idle`.
    fn check(script: &str, idle: &str, source: &str, expected: [&[usize]; 2]) {
        let at = script.find(idle).unwrap();
        let units = [(0..script.len(), true), (at..at + idle.len(), false)];
        let bundle = Bundle::of(script, &units).unwrap();
        let marks = bundle.lines("a.ts", &Arc::from(source.as_bytes()));
        let with =
            |ran| -> Vec<usize> { marks.iter().filter(|mark| *mark.1 == ran).map(|mark| *mark.0).collect() };
        assert_eq!([with(true), with(false)], expected.map(<[usize]>::to_vec));
    }

    #[test]
    fn a_function_ran_where_the_words_of_its_likeness_did() {
        let script = "\"use strict\";\nfunction area(w, h) {\n  if (w < 0) {\n    throw Error(\"negative\");\n  }\n  return w * h;\n}\n";
        let source = "import x from 'x'\nexport function area(w: number, h: number): number {\n\tif (w < 0)\n\t\tthrow Error(\"negative\")\n\treturn w * h\n}\nexport const UNIT = 1\n";
        check(script, "{\n    throw Error(\"negative\");\n  }", source, [&[1, 2, 4], &[3]]);
        check(script, &script[14..], source, [&[], &[1, 2, 3, 4]]);
    }

    #[test]
    fn of_several_functions_of_a_name_the_one_that_is_most_alike_is_meant() {
        let script = "var a = {\n  get(state, key) {\n    return state.copy[key];\n  }\n};\nvar b = {\n  get() {\n    return this.size_;\n  }\n};\n";
        let source = "const b = {\n\tget(): number {\n\t\treturn this.size_\n\t}\n}\n";
        check(script, "get() {\n    return this.size_;\n  }", source, [&[], &[2]]);
    }

    #[test]
    fn what_has_no_likeness_is_not_known() {
        let source = "function other() {\n\treturn 1\n}\nfunction f(a: number) {\n\tlet text = a + 'more'\n\treturn g(text)\n}\n";
        check("function f() {\n  window.close(0);\n}\n", "window", source, [&[], &[]]);
    }
}
