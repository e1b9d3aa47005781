//! Weaves two texts by their syntax.
//!
//! Both texts are parsed and their trees matched; the matching becomes a script of edits, and the script is woven
//! token by token. `docs/design/syntax-weave.md` tells the whole story.

mod habits;
mod matching;
mod names;
mod order;
mod plant;
mod script;
mod weft;
mod zones;

use crate::change::Kind;
use crate::lines::Lines;
use crate::patchwork::Detail;
use crate::weave::Weave;
use habits::Habits;
use matching::Matching;
use names::Names;
use nub_syntax::{Language, Node, Tree};
use plant::{Fields, NONE, Plant, Sort};
use script::{Edit, Script};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use weft::Weft;

/// Texts whose lines are longer than this by the mean were not written by people, and are not worth a tree.
const LONG_LINES: usize = 400;

/// Two texts woven by syntax.
pub(crate) struct TreeWeave {
    pub(crate) weave: Weave,
    /// One for each change, in order, numbered on from the first number given.
    pub(crate) edits: Vec<TreeEdit>,
    /// Which change needs which, beside nesting.
    pub(crate) needs: Vec<(u32, u32)>,
}

/// A change of a tree.
pub(crate) struct TreeEdit {
    pub(crate) kind: Kind,
    /// The number of the change it lies inside.
    pub(crate) parent: Option<u32>,
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    pub(crate) weight: u32,
    /// The declaration it is in, counted from 0.
    pub(crate) declaration: usize,
    /// The statement it is in, counted from 0 over all declarations.
    pub(crate) statement: usize,
    /// The names of the declarations around it.
    pub(crate) scope: String,
    /// What sort of thing it is about, in the words of the grammar.
    pub(crate) what: &'static str,
    /// The number of the change that puts in elsewhere what this one takes away, or takes away what it puts in.
    pub(crate) twin: Option<u32>,
    /// Whether it can be there without the change it lies inside.
    pub(crate) is_loose: bool,
    /// Whether what moves with it is a declaration, or is in one.
    pub(crate) is_reordered: bool,
}

/// Weaves two texts of a language, with changes numbered from `first`; none if they are better woven by lines.
pub(crate) fn weave_trees(
    detail: Detail,
    language: Language,
    old: &Arc<[u8]>,
    new: &Arc<[u8]>,
    first: u32,
) -> Option<TreeWeave> {
    let has_long_lines =
        |text: &[u8]| text.len() / (memchr::memchr_iter(b'\n', text).count() + 1) > LONG_LINES;
    if has_long_lines(old) || has_long_lines(new) {
        return None;
    }
    let mut fields = Fields::default();
    let old_tree = Tree::parse(language, Arc::clone(old));
    let mut old_plant = Plant::of(&old_tree, &mut fields);
    let new_tree = Tree::parse(language, Arc::clone(new));
    let mut new_plant = Plant::of(&new_tree, &mut fields);
    old_plant.grow_like(&new_plant);
    new_plant.grow_like(&old_plant);
    if old_plant.kind(0) != new_plant.kind(0) {
        return None;
    }
    let names = Names::of(&fields);
    let plants = [&old_plant, &new_plant];
    let habits = Habits::of(plants);
    let matching = Matching::find(&old_plant, &new_plant, &habits, &names);
    let script = Script::of(plants, &habits, matching, detail);
    let (weave, script) = Weft::weave(language, plants, script);
    weave.is_sound().then(|| Numbering::of(&weave, &script, first).finish(weave, &script, plants, &names))
}

/// The edits of a script in the order of the text, those that lie inside others after them.
struct Numbering {
    first: u32,
    /// The edits in their new order.
    order: Vec<u32>,
    /// The new number of each edit that is woven, or [`NONE`].
    number: Vec<u32>,
    /// The edit each lies inside, of those that are woven, or [`NONE`].
    parent: Vec<u32>,
    /// The old and the new line where an edit first shows.
    lines: Vec<[usize; 2]>,
}

impl Numbering {
    fn of(weave: &Weave, script: &Script<'_>, first: u32) -> Numbering {
        let edits = &script.edits;
        let mut shown = vec![NONE; edits.len()];
        let mut lines = vec![[0, 0]; edits.len()];
        let mut at = [0, 0];
        for (i, piece) in (0..).zip(weave.pieces()) {
            let starts_line = usize::from(
                piece.text.trim_ascii_start().len() < piece.text.len()
                    && piece.text.iter().take_while(|b| b.is_ascii_whitespace()).any(|&b| b == b'\n'),
            );
            for literal in piece.when {
                let k = literal.change() as usize;
                if shown[k] == NONE {
                    shown[k] = i;
                    lines[k] = at.map(|line| line + starts_line);
                }
            }
            let newlines = memchr::memchr_iter(b'\n', piece.text).count();
            at[0] += if piece.is_old() { newlines } else { 0 };
            at[1] += if piece.is_new() { newlines } else { 0 };
        }
        let woven_around = |k: u32| {
            let around = |k: u32| Some(edits[k as usize].parent).filter(|&parent| parent != NONE);
            std::iter::successors(around(k), |&k| around(k))
                .find(|&k| shown[k as usize] != NONE)
                .unwrap_or(NONE)
        };
        let parent: Vec<u32> = (0..edits.len() as u32).map(woven_around).collect();
        // What lies inside may show before what it lies in.
        let mut place = shown.clone();
        for k in 0..edits.len() {
            let mut around = parent[k];
            while shown[k] != NONE && around != NONE {
                place[around as usize] = place[around as usize].min(shown[k]);
                around = parent[around as usize];
            }
        }
        let mut inside: Vec<Vec<u32>> = vec![Vec::new(); edits.len()];
        let mut pending: Vec<u32> = Vec::new();
        for k in (0..edits.len() as u32).filter(|&k| shown[k as usize] != NONE) {
            match parent[k as usize] {
                NONE => pending.push(k),
                around => inside[around as usize].push(k),
            }
        }
        let last_first =
            |edits: &mut Vec<u32>| edits.sort_by_key(|&k| std::cmp::Reverse((place[k as usize], k)));
        last_first(&mut pending);
        let mut order = Vec::new();
        let mut number = vec![NONE; edits.len()];
        while let Some(k) = pending.pop() {
            number[k as usize] = first + order.len() as u32;
            order.push(k);
            let mut nested = std::mem::take(&mut inside[k as usize]);
            last_first(&mut nested);
            pending.extend(nested);
        }
        Numbering { first, order, number, parent, lines }
    }

    fn finish(self, weave: Weave, script: &Script<'_>, plants: [&Plant; 2], names: &Names) -> TreeWeave {
        let known = |k: u32| Some(self.number[k as usize]).filter(|&number| number != NONE);
        let texts = plants.map(|plant| Lines::new(&plant.text));
        let (mut declaration, mut statement) = (0, 0);
        let mut last = None;
        let mut edits = Vec::with_capacity(self.order.len());
        let pairs = script.twins.iter().filter(|&&(a, b)| known(a).is_some() && known(b).is_some());
        let twins: HashMap<u32, u32> = pairs.flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        for &k in &self.order {
            let edit = &script.edits[k as usize];
            let lines = [0, 1].map(|side| {
                let (Some(&start), Some(&end)) = (edit.tops[side].iter().min(), edit.tops[side].iter().max())
                else {
                    let line = self.lines[k as usize][side].min(texts[side].len());
                    return line..line;
                };
                let bytes = plants[side].bytes(start).start..plants[side].bytes(end).end;
                texts[side].line_of(bytes.start)..texts[side].line_of(bytes.end.saturating_sub(1)) + 1
            });
            let group = self.group(edit, script, plants);
            if let Some((last_declaration, last_statement)) = last {
                declaration += usize::from(group.0 != last_declaration);
                statement += usize::from(group != (last_declaration, last_statement));
            }
            last = Some(group);
            let (side, top) = about(edit);
            let [old, new] = lines;
            edits.push(TreeEdit {
                kind: edit.kind,
                parent: known_parent(self.parent[k as usize], &self.number),
                old,
                new,
                weight: edit.weight.max(1),
                declaration,
                statement,
                scope: top.map_or(String::new(), |top| scope(plants[side], names, top)),
                what: match top {
                    Some(top) if edit.kind != Kind::Layout => plants[side].kind_name(top),
                    _ => "text",
                },
                twin: twins.get(&k).and_then(|&twin| known(twin)),
                is_loose: edit.is_loose && self.parent[k as usize] == edit.parent,
                is_reordered: twins.contains_key(&k)
                    && top.is_some_and(|top| is_reordered(plants[side], &script.matching, side, top)),
            });
        }
        let needs = script.needs.iter().filter_map(|&(a, b)| Some((known(a)?, known(b)?)));
        let needs = needs.filter(|(a, b)| a != b).collect();
        debug_assert!(self.order.iter().all(|&k| self.number[k as usize] >= self.first));
        TreeWeave { weave: weave.renumbered(&self.number), edits, needs }
    }

    /// The declaration and the statement that an edit is in, the same for both versions.
    fn group(&self, edit: &Edit, script: &Script<'_>, plants: [&Plant; 2]) -> ((usize, Node), (usize, Node)) {
        let (side, Some(top)) = about(edit) else { return ((0, NONE), (0, NONE)) };
        let shared = |node: Option<Node>| match node {
            None => (0, 0),
            Some(node) if side == 1 && script.matching.partner[1][node as usize] != NONE => {
                (0, script.matching.partner[1][node as usize])
            }
            Some(node) => (side, node),
        };
        let plant = plants[side];
        let item = std::iter::once(top).chain(plant.ancestors(top)).find(|&node| plant.is_item(node));
        (shared(plant.declaration(top)), shared(item))
    }
}

fn known_parent(parent: u32, number: &[u32]) -> Option<u32> {
    (parent != NONE).then(|| number[parent as usize])
}

/// The side and the node an edit is about; what it puts in, before what it takes away.
fn about(edit: &Edit) -> (usize, Option<Node>) {
    match (edit.tops[1].first(), edit.tops[0].first()) {
        (Some(&new), _) => (1, Some(new)),
        (None, old) => (0, old.copied()),
    }
}

/// Whether what a node moves with is a declaration that is not local to a function: its order hardly matters.
fn is_reordered(plant: &Plant, matching: &Matching, side: usize, node: Node) -> bool {
    let mut around = std::iter::once(node).chain(plant.ancestors(node));
    let moved = around.find(|&node| matching.moves(side, node));
    moved.is_some_and(|moved| {
        plant.sort(moved) == Sort::Declaration && plant.declaration(moved) == Some(moved)
    })
}

/// The names of the declarations around a node and of itself, outermost first.
fn scope(plant: &Plant, names: &Names, node: Node) -> String {
    let around = std::iter::once(node).chain(plant.ancestors(node));
    let declarations = around.filter(|&n| plant.sort(n) == Sort::Declaration);
    let name = |node: Node| {
        names.name(plant, node).map(|name| String::from_utf8_lossy(plant.spelled(name)).into_owned())
    };
    let mut path: Vec<String> = declarations.filter_map(name).collect();
    path.dedup();
    path.reverse();
    path.join(".")
}
