//! Which function, or other part of a program, each change by lines lies in.
//!
//! What is changed in one function belongs together: with half of it hardly anything builds. A unit is a declaration or
//! statement of several lines that is not there to hold functions or types: a class, a module or a function around a
//! whole library gives way to what is in it.
//!
//! ```text
//!   impl Parser {                     holds two functions: no unit
//!       fn next(&mut self) {          a unit, closures and all
//!           ...
//!       }
//!       fn peek(&self) -> Token {     another one
//! ```

use crate::lines::Lines;
use crate::text::LineEdit;
use nub_syntax::{Entity, Language, Node, Role, Tree};
use std::ops::Range;
use std::sync::Arc;

/// A part of a program that holds so many functions or types is there for them.
const MANY: usize = 2;
/// Larger texts are not read for this.
const LARGE: usize = 16 << 20;

/// The unit of each edit, counted from 0 in their order; outside of all units, or where there are none, runs of
/// changed lines take their place.
pub(crate) fn units(
    language: Option<Language>,
    old: &Arc<[u8]>,
    new: &Arc<[u8]>,
    edits: &[LineEdit],
) -> Vec<u32> {
    let [old, new] =
        [old, new].map(|text| language.map_or_else(Vec::new, |language| lines_of_units(language, text)));
    let mut unit = 0;
    let mut units = Vec::with_capacity(edits.len());
    for (i, edit) in edits.iter().enumerate() {
        if let Some(before) = i.checked_sub(1).map(|i| &edits[i]) {
            let (was, is) =
                ([at(&old, &before.old), at(&new, &before.new)], [at(&old, &edit.old), at(&new, &edit.new)]);
            let is_same = |side: usize| is[side].is_some() && was[side] == is[side];
            let is_outside = was == [None, None] && is == [None, None];
            let belongs = is_same(0) || is_same(1) || (is_outside && before.hunk == edit.hunk);
            unit += u32::from(!belongs);
        }
        units.push(unit);
    }
    units
}

/// The unit that some lines lie in; between two lines, the one that both are in.
fn at(lines: &[Range<usize>], edited: &Range<usize>) -> Option<usize> {
    let first = lines.partition_point(|unit| unit.end <= edited.start);
    let unit = lines.get(first)?;
    let is_inside = match edited.is_empty() {
        true => unit.start < edited.start,
        false => unit.start <= edited.start,
    };
    is_inside.then_some(first)
}

/// The lines of each unit of a text, in order.
fn lines_of_units(language: Language, text: &Arc<[u8]>) -> Vec<Range<usize>> {
    if text.len() > LARGE {
        return Vec::new();
    }
    let tree = Tree::parse(language, Arc::clone(text));
    let lines = Lines::new(text);
    let span = |node: Node| {
        let bytes = tree.bytes(node);
        lines.line_of(bytes.start)..lines.line_of(bytes.end.saturating_sub(1).max(bytes.start)) + 1
    };
    let definitions = tree.definitions(tree.root());
    let held = definitions.filter(|name| matches!(name.entity, Entity::Function | Entity::Type));
    let mut held: Vec<Node> =
        held.filter_map(|name| name.definition).filter(|&node| span(node).len() > 1).collect();
    held.sort_unstable();
    held.dedup();
    let holds = |node: Node| {
        let inside = tree.subtree(node);
        let from = held.partition_point(|&inner| inner <= inside.start);
        held[from..].iter().take_while(|&&inner| inner < inside.end).take(MANY).count() == MANY
    };
    let mut units: Vec<Range<usize>> = Vec::new();
    let mut node = tree.root();
    // Where attributes begin that the next item has.
    let mut attributes = None;
    while node < tree.subtree(tree.root()).end {
        if tree.kind_name(node).contains("attribute") {
            attributes = attributes.or(Some(first_line(&tree, &lines, node)));
            node = tree.subtree(node).end;
            continue;
        }
        let begins = attributes.take();
        let is_item = matches!(tree.role(node), Role::Declaration | Role::Statement) && node != tree.root();
        if held.is_empty() || !is_item || holds(node) {
            node += 1;
            continue;
        }
        let lines = begins.unwrap_or_else(|| first_line(&tree, &lines, node))..span(node).end;
        // What begins on the line where another ends belongs to it.
        let is_apart = units.last().is_none_or(|last| last.end <= lines.start);
        if (span(node).len() > 1 || begins.is_some()) && is_apart {
            units.push(lines);
        }
        node = tree.subtree(node).end;
    }
    units
}

/// The first line of a node, or of the comment right before it.
fn first_line(tree: &Tree, lines: &Lines<'_>, node: Node) -> usize {
    let first = lines.line_of(tree.bytes(node).start);
    let above = lines.line_of(tree.trivia(node).start)..first;
    // The line where the trivia begins is that of another token, but at the beginning of the text.
    let is_comment = |line: &usize| !lines.is_blank(*line) && (*line > above.start || above.start == 0);
    above.clone().rev().take_while(is_comment).last().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::weave_lines;

    fn check(path: &str, old: &str, new: &str, expected: &[u32]) {
        let [old, new] = [old, new].map(|text| Arc::from(text.as_bytes()));
        let edits = weave_lines(&old, &new, 0).edits;
        assert_eq!(units(Language::of_path(path), &old, &new, &edits), expected);
    }

    const OLD: &str = "fn a() {\n    1;\n    2;\n    3;\n}\n\nimpl T {\n    fn b() {\n        4;\n    }\n\n    fn c() {\n        5;\n        6;\n        7;\n    }\n}\n";

    #[test]
    fn changes_of_one_function_are_one_unit_wherever_in_it_they_are() {
        let new = OLD.replace("1;", "10;").replace("3;", "30;").replace("4;", "40;");
        check("x.rs", OLD, &new, &[0, 0, 1]);
        let new = OLD.replace("    1;\n", "").replace("    3;\n", "    3;\n    3;\n");
        check("x.rs", OLD, &new, &[0, 0]);
    }

    #[test]
    fn what_holds_functions_is_no_unit() {
        let new = OLD.replace("5;", "50;").replace("7;", "70;").replace("4;", "40;");
        check("x.rs", OLD, &new, &[0, 1, 1]);
    }

    #[test]
    fn functions_that_come_side_by_side_are_units_of_their_own() {
        let new = format!("{OLD}\nfn d() {{\n    8;\n}}\n\nfn e() {{\n    9;\n}}\n");
        // The empty lines between them are in none.
        check("x.rs", OLD, &new, &[0, 1, 1, 2, 3, 3]);
    }

    #[test]
    fn attributes_and_comments_belong_to_what_they_are_about() {
        let function = |head: &str, body: u32| format!("{OLD}\n{head}fn d() {{\n    {body};\n}}\n");
        let [old, new] = [("// One.\n#[a]\n#[b]\n", 1), ("// Two.\n#[a]\n#[c]\n", 2)]
            .map(|(head, body)| function(head, body));
        check("x.rs", &old, &new, &[0, 0, 0]);
        let one_line = |attribute: &str, n: u32| format!("{OLD}\n#[{attribute}]\nstruct S({n});\n");
        check("x.rs", &one_line("a", 1), &one_line("b", 2), &[0, 0]);
        let [old, new] = [function("// One.\n\n", 1), function("// Two.\n\n", 2)];
        check("x.rs", &old, &new, &[0, 1]);
    }

    #[test]
    fn where_nothing_is_known_of_a_language_runs_of_changed_lines_are_units() {
        let new = OLD.replace("1;", "10;").replace("3;", "30;").replace("4;", "40;");
        check("x.unknown", OLD, &new, &[0, 1, 2]);
        check(
            "x.json",
            "{\n\"a\": 1,\n\"b\": 2,\n\"c\": 3\n}\n",
            "{\n\"a\": 10,\n\"b\": 2,\n\"c\": 30\n}\n",
            &[0, 1],
        );
    }

    #[test]
    fn a_function_around_a_whole_library_gives_way_to_what_is_in_it() {
        let library = |a: u32, b: u32, c: u32| {
            format!(
                "(function (root) {{\nfunction f() {{\n  {a};\n}}\nvar p = {{}};\np.g = function () {{\n  {b};\n  x;\n  {c};\n}};\nfunction h() {{\n  1;\n}}\n}})(this);\n"
            )
        };
        check("x.js", &library(1, 2, 3), &library(10, 20, 30), &[0, 1, 1]);
    }
}
