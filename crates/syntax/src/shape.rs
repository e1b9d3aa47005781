//! How the children of a node fill what the grammar foresees: which are elements of a list, which may be left
//! out, what may stand in their place.
//!
//! ```text
//!   f(a, b)          argument_list = "(" (expression ("," expression)*)? ")"
//!
//!   children         (   a   ,   b   )
//!   elements             ^       ^            a list, separated by `,`, that may be empty
//! ```
//!
//! The children are matched against the automaton of their parent's kind, as a regular expression is. What
//! the grammar reads without a node, what may stand anywhere, and what could not be read is passed over. The
//! answers are about kinds, and a text has more to it: where the grammar decides by precedence or by white
//! space, what fits by kind may still be read in another way, so who must be sure parses again.

use crate::automaton::{Automaton, Step};
use crate::facts::Facts;
use crate::language::Language;
use crate::tree::{Kind, Node, Tree};
use std::ops::Range;

/// The children of a node and the parts of the grammar's rule that they fill.
#[derive(Clone, Debug)]
pub struct Shape {
    children: Vec<Node>,
    /// What each child is; none for one that stands outside the rule.
    kinds: Vec<Option<u16>>,
    places: Vec<Option<u16>>,
    freedoms: Vec<Freedom>,
    automaton: &'static Automaton,
    language: Language,
}

/// What the grammar leaves free: children of which some may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Elements, each a run of children, by position; what stands between them separates them.
    List {
        /// Where the elements are.
        elements: Vec<Range<usize>>,
        /// What is known about the list.
        facts: ListFacts,
    },
    /// Children, by position, that may be left out together.
    Optional(Range<usize>),
}

/// What the grammar says about a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListFacts {
    /// What stands between elements, if anything that can be seen.
    pub separator: Option<&'static str>,
    /// Whether a separator must stand between elements; a newline may do else.
    pub needs_separator: bool,
    /// Whether a separator may stand after the last element.
    pub may_trail: bool,
    /// Whether there may be no element.
    pub may_be_empty: bool,
}

/// What the grammar says about kinds that are one list in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brackets {
    /// What stands before the list, if always the same.
    pub open: Option<&'static str>,
    /// What stands after the list, if always the same.
    pub close: Option<&'static str>,
    /// What is known about the list.
    pub list: ListFacts,
}

impl Shape {
    /// The children of the node, in order; freedoms name them by position.
    pub fn children(&self) -> &[Node] {
        &self.children
    }

    /// The lists and optional runs, outer before inner.
    pub fn freedoms(&self) -> &[Freedom] {
        &self.freedoms
    }

    /// The list of which a child, by position, is an element by itself; if of several, the longest.
    pub fn list_of(&self, child: usize) -> Option<ListFacts> {
        let lists = self.freedoms.iter().filter_map(|part| match part {
            Freedom::List { elements, facts } => {
                let at = elements.partition_point(|element| element.end <= child);
                let is_element = elements.get(at) == Some(&(child..child + 1));
                is_element.then_some((elements.len(), *facts))
            }
            Freedom::Optional(_) => None,
        });
        // Of two that are equally long the outer one says more.
        lists.reduce(|longest, next| if next.0 > longest.0 { next } else { longest }).map(|(_, facts)| facts)
    }

    /// Whether a child, by position, is in anything that may be left out, alone or with others.
    pub fn is_free(&self, child: usize) -> bool {
        self.freedoms.iter().any(|freedom| match freedom {
            Freedom::List { elements, .. } => {
                let at = elements.partition_point(|element| element.end <= child);
                elements.get(at).is_some_and(|element| element.contains(&child))
            }
            Freedom::Optional(run) => run.contains(&child),
        })
    }

    /// Whether a child, by position, may be left out by itself.
    pub fn is_optional(&self, child: usize) -> bool {
        self.freedoms.contains(&Freedom::Optional(child..child + 1))
    }

    /// Whether the rule still holds with nodes of some kinds in the place of a run of children.
    pub fn fits(&self, run: Range<usize>, by: &[Kind]) -> bool {
        let Some(by) = by.iter().map(|kind| kind.index()).collect::<Option<Vec<u16>>>() else {
            return false;
        };
        let mut reached = vec![self.places[..run.start].iter().rev().find_map(|place| *place)];
        for kind in by {
            reached = self.step(&reached, kind);
        }
        match self.places[run.end..].iter().find_map(|place| *place) {
            None => reached.iter().any(|at| self.may_end(*at)),
            Some(next) => {
                reached.iter().any(|at| self.steps(*at).iter().any(|step| step.to == next))
                    || self.goes_on(reached, run.end)
            }
        }
    }

    /// Whether the rest of the children can follow, perhaps in other places than now.
    fn goes_on(&self, mut reached: Vec<Reached>, from: usize) -> bool {
        const FAR: usize = 64;
        if self.children.len() - from > FAR {
            return false;
        }
        for kind in self.kinds[from..].iter().flatten() {
            reached = self.step(&reached, *kind);
        }
        reached.iter().any(|at| self.may_end(*at))
    }

    fn steps(&self, at: Reached) -> &'static [Step] {
        match at {
            Some(place) => &self.automaton.next[place as usize],
            None => &self.automaton.first,
        }
    }

    fn may_end(&self, at: Reached) -> bool {
        match at {
            Some(place) => self.automaton.is_last[place as usize],
            None => self.automaton.may_be_empty,
        }
    }

    fn step(&self, from: &[Reached], kind: u16) -> Vec<Reached> {
        let facts = self.language.facts();
        let takes = |place: u16| {
            let kinds = &self.automaton.places[place as usize].kinds;
            kinds.iter().any(|&(other, _)| facts.is_alike(kind, other))
        };
        let steps =
            from.iter().flat_map(|at| self.steps(*at)).map(|step| step.to).filter(|&place| takes(place));
        let mut places: Vec<u16> = steps.collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(Some).collect()
    }
}

/// A place that a match has come to; none before the first child.
type Reached = Option<u16>;

impl Tree {
    /// How its children fill the grammar's rule; none for a token, and where the rule does not hold or is not
    /// known.
    pub fn shape(&self, node: Node) -> Option<Shape> {
        let facts = self.language().facts();
        let automaton = facts.automaton(self.kind(node).index()?)?;
        let children: Vec<Node> = self.children(node).collect();
        if children.is_empty() {
            return None;
        }
        let path = matched(self, &children, automaton, facts, true)
            .or_else(|| matched(self, &children, automaton, facts, false))?;
        let mut places = vec![None; children.len()];
        let mut kinds = vec![None; children.len()];
        for at in &path {
            places[at.child] = Some(at.place);
            kinds[at.child] = self.kind(children[at.child]).index();
        }
        let freedoms = freedoms(self, &children, &path, automaton);
        Some(Shape { language: self.language(), children, kinds, places, freedoms, automaton })
    }

    /// The list of which a node is an element by itself. Looks at all its sisters: to ask about each of many,
    /// use [`Tree::shape`] of their parent.
    pub fn is_list_element(&self, node: Node) -> Option<ListFacts> {
        let (shape, at) = self.shape_around(node)?;
        shape.list_of(at)
    }

    /// Whether the grammar lets a node be left out by itself. Looks at all its sisters.
    pub fn is_optional(&self, node: Node) -> bool {
        self.shape_around(node).is_some_and(|(shape, at)| shape.is_optional(at))
    }

    /// Whether the grammar lets another node stand in the place of this one, such as a descendant of it that
    /// would be hoisted. Looks at all its sisters.
    pub fn can_replace(&self, node: Node, by: Node) -> bool {
        if self.parent(node).is_none() || self.kind(by).index().is_none() {
            return false;
        }
        let fits = || {
            let (shape, at) = self.shape_around(node)?;
            Some(shape.fits(at..at + 1, &[self.kind(by)]))
        };
        self.kind(node) == self.kind(by) || fits().unwrap_or(false)
    }

    fn shape_around(&self, node: Node) -> Option<(Shape, usize)> {
        let shape = self.shape(self.parent(node)?)?;
        let at = shape.children.binary_search(&node).ok()?;
        Some((shape, at))
    }
}

impl Language {
    /// The list a kind of node is, with the brackets around it; none if it is no list or more than one.
    pub fn brackets(self, kind: Kind) -> Option<Brackets> {
        let automaton = self.facts().automaton(kind.index()?)?;
        let outer = |place: &crate::automaton::Place| place.within.first().map(|&(part, _)| part);
        let mut lists: Vec<u16> = automaton.places.iter().filter_map(outer).collect();
        lists.dedup();
        let [list] = lists[..] else { return None };
        let facts =
            Some(list_facts(self, automaton, list)).filter(|_| automaton.parts[list as usize].is_list)?;
        let sign = |place: &crate::automaton::Place| match place.kinds[..] {
            [(kind, _)] if !self.kinds().get(kind).is_named => Some(self.kinds().get(kind).name.as_str()),
            _ => None,
        };
        match &automaton.places[..] {
            [open, .., close] if outer(open).is_none() && outer(close).is_none() => {
                let all = automaton.places.iter().filter(|place| outer(place).is_none()).count();
                (all == 2).then(|| Brackets { open: sign(open), close: sign(close), list: facts })
            }
            places if places.iter().all(|place| outer(place).is_some()) => {
                Some(Brackets { open: None, close: None, list: facts })
            }
            _ => None,
        }
    }
}

fn list_facts(language: Language, automaton: &Automaton, part: u16) -> ListFacts {
    let part = &automaton.parts[part as usize];
    ListFacts {
        separator: part.separator.first().map(|&kind| language.kinds().get(kind).name.as_str()),
        needs_separator: part.needs_separator,
        may_trail: part.may_trail,
        may_be_empty: part.may_be_empty,
    }
}

/// A child, by position, and the place it fills.
struct Fill {
    child: usize,
    place: u16,
    again: Option<u16>,
}

/// Matches children against an automaton; the fields they fill must agree too, if `by_field`.
fn matched(
    tree: &Tree,
    children: &[Node],
    automaton: &Automaton,
    facts: &Facts,
    by_field: bool,
) -> Option<Vec<Fill>> {
    struct State {
        place: u16,
        again: Option<u16>,
        back: u32,
    }
    // All states of all rounds; a round is the states after one child that takes part.
    let mut states: Vec<State> = Vec::new();
    let mut rounds: Vec<(usize, Range<usize>)> = Vec::new();
    for (at, &child) in children.iter().enumerate() {
        let kind = match tree.kind(child) {
            Kind::HIDDEN | Kind::ERROR => continue,
            kind => kind.index()?,
        };
        let field = by_field.then(|| tree.field_number(child));
        let from = states.len();
        let last = rounds.last().map(|(_, round)| round.clone());
        let go = |states: &mut Vec<State>, steps: &[Step], back: u32| {
            for step in steps.iter().filter(|step| automaton.may_be(step.to, kind, field)) {
                if !states[from..].iter().any(|state| state.place == step.to) {
                    states.push(State { place: step.to, again: step.again, back });
                }
            }
        };
        match last {
            None => go(&mut states, &automaton.first, u32::MAX),
            Some(last) => {
                for back in last {
                    let place = states[back].place;
                    go(&mut states, &automaton.next[place as usize], back as u32);
                }
            }
        }
        if states.len() == from {
            if facts.extras.contains(&kind) {
                continue;
            }
            return None;
        }
        rounds.push((at, from..states.len()));
    }
    let Some((_, last)) = rounds.last() else { return automaton.may_be_empty.then(Vec::new) };
    let mut state = last.clone().find(|&state| automaton.is_last[states[state].place as usize])?;
    let mut path: Vec<Fill> = Vec::with_capacity(rounds.len());
    for (child, _) in rounds.iter().rev() {
        let State { place, again, back } = states[state];
        path.push(Fill { child: *child, place, again });
        state = back as usize;
    }
    path.reverse();
    Some(path)
}

/// The lists and optional parts that a match went through.
fn freedoms(tree: &Tree, children: &[Node], path: &[Fill], automaton: &Automaton) -> Vec<Freedom> {
    struct Open {
        part: u16,
        is_separator: bool,
        out: usize,
    }
    let mut parts: Vec<Freedom> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for &Fill { child, place, again } in path {
        let within = &automaton.places[place as usize].within;
        let mut keep = 0;
        for (one, &(part, is_separator)) in
            open.iter_mut().zip(within).take_while(|(one, (part, _))| one.part == *part)
        {
            keep += 1;
            let crosses = one.is_separator != is_separator;
            one.is_separator = is_separator;
            if again == Some(part) || crosses {
                break;
            }
        }
        let is_again = keep > 0 && again == Some(open[keep - 1].part);
        open.truncate(keep);
        let old = open.len();
        for &(part, is_separator) in &within[keep..] {
            open.push(Open { part, is_separator, out: parts.len() });
            parts.push(match automaton.parts[part as usize].is_list {
                true => Freedom::List {
                    elements: Vec::new(),
                    facts: list_facts(tree.language(), automaton, part),
                },
                false => Freedom::Optional(child..child),
            });
        }
        for (depth, one) in open.iter().enumerate() {
            match &mut parts[one.out] {
                Freedom::Optional(run) => run.end = child + 1,
                Freedom::List { .. } if one.is_separator => {}
                Freedom::List { elements, .. } => match elements.last_mut() {
                    Some(last) if depth < old && !(is_again && depth + 1 == keep) => last.end = child + 1,
                    _ => elements.push(child..child + 1),
                },
            }
        }
    }
    for part in &mut parts {
        // What has no node of its own belongs to what it follows.
        let is_hidden =
            |child: usize| children.get(child).is_some_and(|&child| tree.kind(child) == Kind::HIDDEN);
        let runs = match part {
            Freedom::Optional(run) => std::slice::from_mut(run),
            Freedom::List { elements, .. } => &mut elements[..],
        };
        runs.iter_mut().for_each(|run| {
            while is_hidden(run.end) {
                run.end += 1;
            }
        });
    }
    drop_trivial(parts)
}

/// Leaves out lists of one that are an element of an outer list, and those that came to nothing.
fn drop_trivial(parts: Vec<Freedom>) -> Vec<Freedom> {
    let mut kept: Vec<Freedom> = Vec::new();
    for part in parts {
        let is_trivial = match &part {
            Freedom::List { elements, facts } => match &elements[..] {
                [] => true,
                [one] if !facts.may_be_empty => kept.iter().any(|outer| {
                    matches!(outer, Freedom::List { elements, .. } if elements.binary_search_by_key(&one.start, |e| e.start)
                        .is_ok_and(|at| elements[at] == *one))
                }),
                _ => false,
            },
            Freedom::Optional(_) => false,
        };
        if !is_trivial {
            kept.push(part);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(language: &str, text: &str) -> Tree {
        Tree::parse(Language::named(language).unwrap(), text.as_bytes().into())
    }

    /// The first node of a kind.
    fn find(tree: &Tree, kind: &str) -> Node {
        (0..tree.len() as Node).find(|&node| tree.kind_name(node) == kind).unwrap()
    }

    /// The parts of the first node of a kind, as text.
    fn check(language: &str, text: &str, kind: &str, expected: &str) {
        let tree = parse(language, text);
        assert!(!tree.has_error());
        let shape = tree.shape(find(&tree, kind)).unwrap();
        let spelled = |run: &Range<usize>| {
            let bytes =
                tree.bytes(shape.children()[run.start]).start..tree.bytes(shape.children()[run.end - 1]).end;
            String::from_utf8_lossy(&tree.text()[bytes]).into_owned()
        };
        let parts = shape.freedoms().iter().map(|part| match part {
            Freedom::Optional(run) => format!("[{}]", spelled(run)),
            Freedom::List { elements, facts } => {
                let elements: Vec<String> = elements.iter().map(spelled).collect();
                let least = if facts.may_be_empty { "*" } else { "+" };
                format!("{{{}}}{}{least}", elements.join(" / "), facts.separator.unwrap_or(""))
            }
        });
        assert_eq!(parts.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn arguments_are_a_list_with_a_separator() {
        check("c", "int x = f(a, b+1, c);", "argument_list", "{a / b+1 / c},*");
        check("c", "int x = f(a);", "argument_list", "{a},*");
        check("c", "int x = f();", "argument_list", "");
    }

    #[test]
    fn statements_and_members_are_lists_without_one() {
        check("c", "void f(void) { a(); b(); }", "compound_statement", "{a(); / b();}*");
        check("java", "class A { int x; ; void f() {} }", "class_body", "{int x; / ; / void f() {}}*");
        check("python", "a\nb; c\nif d: e\n", "module", "{a / b; c / if d: e}* {b / c};+");
    }

    #[test]
    fn what_may_be_left_out_is_optional_as_a_whole() {
        check("c", "void f(void) { if (a) b(); else c(); }", "if_statement", "[else c();]");
        check("java", "class A<T> extends B { }", "class_declaration", "[<T>] [extends B]");
        check("rust", "fn f() -> u8 { }", "function_item", "[-> u8]");
        check(
            "go",
            "package p; func f(a int) int { return 1 }",
            "function_declaration",
            "[int] [{ return 1 }]",
        );
    }

    #[test]
    fn a_trailing_separator_and_a_needed_one_are_known() {
        check("rust", "fn f() { g(a, b,) }", "arguments", "{a / b},*");
        check("python", "x = (1, 2,)", "tuple", "{1 / 2},*");
        check("python", "x = 1, 2", "expression_list", "{1 / 2},+");
        let tree = parse("rust", "fn f() { g(a, b,) }");
        let list = tree.language().brackets(tree.kind(find(&tree, "arguments"))).unwrap();
        assert_eq!((list.open, list.close), (Some("("), Some(")")));
        assert!(list.list.may_trail && list.list.needs_separator && list.list.may_be_empty);
    }

    #[test]
    fn a_list_in_an_empty_node_is_known_by_its_kind() {
        let tree = parse("java", "class A { }");
        let brackets = tree.language().brackets(tree.kind(find(&tree, "class_body"))).unwrap();
        assert_eq!((brackets.open, brackets.close, brackets.list.separator), (Some("{"), Some("}"), None));
        assert_eq!(tree.language().brackets(tree.kind(find(&tree, "class_declaration"))), None);
    }

    #[test]
    fn is_list_element_and_is_optional_ask_for_one_node() {
        let tree = parse("java", "class A { int f(int a, int b) { return g(a); } }");
        let parameter = find(&tree, "formal_parameter");
        assert_eq!(tree.is_list_element(parameter).unwrap().separator, Some(","));
        let statement = find(&tree, "return_statement");
        assert_eq!(tree.is_list_element(statement).unwrap().separator, None);
        assert_eq!(tree.is_list_element(find(&tree, "class_body")), None);
        let value = find(&tree, "method_invocation");
        assert!(tree.is_optional(value) && !tree.is_optional(find(&tree, "class_body")));
        assert_eq!(tree.is_list_element(0), None);
    }

    #[test]
    fn can_replace_tells_what_may_stand_in_a_place() {
        let tree = parse("c", "void f(void) { if (a) { x(b + 1); } }");
        let outer = find(&tree, "if_statement");
        let inner = find(&tree, "expression_statement");
        assert!(tree.can_replace(outer, inner), "a statement for a statement");
        assert!(!tree.can_replace(outer, find(&tree, "call_expression")), "no expression for a statement");
        let sum = find(&tree, "binary_expression");
        assert!(tree.can_replace(sum, sum + 1), "an operand for a sum");
        assert!(!tree.can_replace(sum, outer));
        assert!(!tree.can_replace(0, outer));
    }

    #[test]
    fn can_replace_takes_a_token_under_its_other_names() {
        let tree = parse("c", "struct s { int field; } v; t w;");
        assert!(tree.can_replace(find(&tree, "type_identifier"), find(&tree, "identifier")));
        assert!(!tree.can_replace(find(&tree, "type_identifier"), find(&tree, "primitive_type")));
    }

    #[test]
    fn fits_tells_whether_a_run_may_go_or_be_another() {
        let tree = parse("java", "class A { void f() { g(a, b); } }");
        let shape = tree.shape(find(&tree, "argument_list")).unwrap();
        let kind = tree.kind(find(&tree, "method_invocation"));
        assert_eq!(shape.children().len(), 5);
        assert!(shape.fits(1..3, &[]) && shape.fits(2..4, &[]) && shape.fits(1..4, &[]));
        assert!(!shape.fits(1..2, &[]) && !shape.fits(0..1, &[]));
        assert!(shape.fits(1..4, &[kind]) && !shape.fits(1..3, &[kind]));
    }

    #[test]
    fn a_broken_node_has_no_shape() {
        let tree = parse("c", "int f( { ] return; }");
        assert!(tree.error_regions().all(|node| tree.shape(node).is_none()));
    }
}
