//! The script as a weave: tokens in one sequence, and the trivia before each.
//!
//! Tokens come first. Between two kept ones, what ends something around the first goes before what begins something
//! around the second, so that wrappers close and open like brackets. Then each token's trivia:
//!
//! - A token that comes or goes takes its own trivia along.
//! - A kept token with the same trivia in both versions keeps it.
//! - Where the trivia of a kept token differs because its neighbour came or went, it goes with that neighbour.
//! - Where only the indentation differs because something was put around it, or taken away, the difference goes with
//!   that; each line is put together from what the things around it add. So Python stays Python.
//! - What differs for no other reason is a change of layout, one for each declaration.

use super::plant::{NONE, Plant, Sort};
use super::script::{Edit, Script};
use crate::change::Kind;
use crate::weave::{Literal, Source, Weave, Weaver};
use nub_syntax::Node;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

const OLD: usize = 0;
const NEW: usize = 1;

/// After so many neighbours that come or go, only the nearest decides about the trivia of a kept token.
const MANY_NEIGHBOURS: usize = 12;

/// Woven tokens and their trivia; edits are numbered as in the script.
pub(crate) struct Weft<'a> {
    plants: [&'a Plant; 2],
    script: Script<'a>,
    items: Vec<Item>,
    /// The conditions of moved parts; the first is that of all the rest.
    places: Vec<Vec<Literal>>,
    zones: Vec<Zone>,
    /// The zones around the item that is woven.
    active: Vec<usize>,
    next_zone: usize,
    weaver: Weaver,
    /// The edit around each island, by its old node.
    islands: HashMap<Node, u32>,
    /// The layout edit of each declaration, by its old node.
    layouts: HashMap<Node, u32>,
    /// The layout edit of what is indented in another style.
    indentation: u32,
}

/// A token in the sequence: of the old text, of the new, or of both.
#[derive(Clone, Copy, Debug)]
struct Item {
    token: [u32; 2],
    place: u32,
}

impl Item {
    fn is_kept(&self) -> bool {
        self.token[OLD] != NONE && self.token[NEW] != NONE
    }
}

/// Items whose lines begin with something that depends on an edit, or on their place.
#[derive(Debug)]
struct Zone {
    items: Range<usize>,
    when: When,
    /// What their lines begin with in the old and the new text, after what the zones around this one add.
    indent: [Range<usize>; 2],
}

/// Which of its two indents a zone has.
#[derive(Clone, Copy, Debug)]
enum When {
    /// The new one with an edit, the old one without.
    Edit(u32),
    /// That of one side always: the zone is a moved part at its old or its new place.
    Place(usize),
}

/// Something that comes or goes between two kept tokens.
struct Unit {
    edit: u32,
    side: usize,
    items: Range<usize>,
}

impl<'a> Weft<'a> {
    /// Weaves all tokens.
    pub(crate) fn weave(plants: [&'a Plant; 2], script: Script<'a>) -> (Weave, Script<'a>) {
        let weaver = Weave::of(Arc::clone(&plants[OLD].text), Arc::clone(&plants[NEW].text));
        let islands = script.islands.iter().map(|island| (island.nodes[OLD], island.edit)).collect();
        let mut weft = Weft {
            plants,
            script,
            islands,
            items: Vec::with_capacity(plants[OLD].tokens.len().max(plants[NEW].tokens.len()) + 1),
            places: vec![Vec::new()],
            zones: Vec::new(),
            active: Vec::new(),
            next_zone: 0,
            weaver,
            layouts: HashMap::new(),
            indentation: NONE,
        };
        weft.lay();
        weft.items.push(Item { token: weft.ends(), place: 0 });
        weft.find_zones();
        weft.span(0..weft.items.len(), 0);
        (weft.weaver.finish(), weft.script)
    }

    /// The numbers that stand for the ends of the texts: no token has them.
    fn ends(&self) -> [u32; 2] {
        self.plants.map(|plant| plant.tokens.len() as u32)
    }

    fn node(&self, side: usize, token: u32) -> Option<Node> {
        self.plants[side].tokens.get(token as usize).copied()
    }

    /// Lays all tokens in one sequence.
    fn lay(&mut self) {
        let mut pending = vec![Task::Pair([0, 0], 0)];
        while let Some(task) = pending.pop() {
            match task {
                Task::Pair(nodes, place) => self.lay_pair(nodes, place, &mut pending),
                Task::Single(side, node, place) if self.script.matching.is_moved(side, node) => {
                    let other = self.script.matching.moved[side][&node];
                    let nodes = if side == OLD { [node, other] } else { [other, node] };
                    let k = self.script.moves[&nodes[OLD]];
                    let mut condition = self.places[place as usize].clone();
                    condition.push(literal(side, k));
                    self.places.push(condition);
                    pending.push(Task::Pair(nodes, self.places.len() as u32 - 1));
                }
                Task::Single(side, node, place) => {
                    let mut token = [NONE, NONE];
                    token[side] = self.plants[side].token_range(node).start;
                    self.items.push(Item { token, place });
                }
            }
        }
    }

    /// Lays two nodes that belong together, or says what is to be laid for them, last first.
    fn lay_pair(&mut self, [o, n]: [Node; 2], place: u32, pending: &mut Vec<Task>) {
        let [old, new] = self.plants;
        if old.hash(o) == new.hash(n) {
            let tokens = old.token_range(o).zip(new.token_range(n));
            self.items.extend(tokens.map(|(a, b)| Item { token: [a, b], place }));
            return;
        }
        if old.is_token(o) {
            pending.extend([Task::Single(NEW, n, place), Task::Single(OLD, o, place)]);
            return;
        }
        let mut tasks = Vec::new();
        let mut pieces = [OLD, NEW].map(|side| self.pieces(side, [o, n][side]).into_iter());
        let mut last: [Option<Node>; 2] = [None, None];
        loop {
            let mut next = [None, None];
            let entries = [OLD, NEW].map(|side| {
                let mut entries = Vec::new();
                for piece in pieces[side].by_ref() {
                    if self.script.matching.kept(side, piece).is_some() {
                        next[side] = Some(piece);
                        break;
                    }
                    entries.push(piece);
                }
                entries
            });
            debug_assert_eq!(
                next[OLD].map(|node| self.script.matching.partner[OLD][node as usize]),
                next[NEW],
                "what is kept is in the same order"
            );
            let singles = self.in_order(entries, last, next);
            tasks.extend(singles.into_iter().map(|(side, node)| Task::Single(side, node, place)));
            let [Some(a), Some(b)] = next else { break };
            tasks.push(Task::Pair([a, b], place));
            last = next;
        }
        pending.extend(tasks.into_iter().rev());
    }

    /// What is below a node: parts that are kept, moved parts, and single tokens that come or go.
    fn pieces(&self, side: usize, top: Node) -> Vec<Node> {
        let plant = self.plants[side];
        let mut pieces = Vec::new();
        let mut node = top + 1;
        while node < top + plant.size(top) {
            let is_paired = self.script.matching.partner[side][node as usize] != NONE;
            if is_paired || plant.is_token(node) {
                pieces.push(node);
                node += plant.size(node);
            } else {
                node += 1;
            }
        }
        pieces
    }

    /// What comes and goes between two kept parts, in one order.
    fn in_order(
        &self,
        entries: [Vec<Node>; 2],
        last: [Option<Node>; 2],
        next: [Option<Node>; 2],
    ) -> Vec<(usize, Node)> {
        if let Some(side) = (0..2).find(|&side| entries[1 - side].is_empty()) {
            return entries[side].iter().map(|&node| (side, node)).collect();
        }
        let ranks = [OLD, NEW].map(|side| {
            let rank = |&node: &Node| self.rank(side, node, last[side], next[side]);
            entries[side].iter().map(rank).collect::<Vec<Rank>>()
        });
        let mut ordered = Vec::new();
        for now in [Rank::Closes, Rank::Between, Rank::Opens] {
            let blocks = [OLD, NEW].map(|side| {
                let ranked = entries[side].iter().zip(&ranks[side]).filter(|(_, rank)| **rank == now);
                self.blocks(side, ranked.map(|(&node, _)| node))
            });
            ordered.extend(in_step(blocks));
        }
        ordered
    }

    /// Groups what comes or goes by the outermost edit it does so with.
    fn blocks(&self, side: usize, entries: impl Iterator<Item = Node>) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        for node in entries {
            let mut edit = match self.script.matching.is_moved(side, node) {
                true => NONE,
                false => self.script.owner[side][node as usize],
            };
            while edit != NONE && self.script.edits[edit as usize].parent != NONE {
                edit = self.script.edits[edit as usize].parent;
            }
            match blocks.last_mut() {
                Some((last, nodes)) if *last == edit && edit != NONE => nodes.push(node),
                _ => blocks.push((edit, vec![node])),
            }
        }
        blocks
    }

    /// Whether a node without partner ends what is around the kept token before it, or begins what is around the
    /// one after it.
    fn rank(&self, side: usize, node: Node, last: Option<Node>, next: Option<Node>) -> Rank {
        let plant = self.plants[side];
        let is_lone = |&n: &Node| self.script.matching.partner[side][n as usize] == NONE;
        for around in plant.ancestors(node).take_while(is_lone) {
            let holds = |token: Option<Node>| token.is_some_and(|token| plant.contains(around, token));
            match (holds(last), holds(next)) {
                (true, true) => return Rank::Between,
                (true, false) => return Rank::Closes,
                (false, true) => return Rank::Opens,
                (false, false) => {}
            }
        }
        Rank::Between
    }

    /// The whitespace a line begins with, where a node is the first on it.
    fn indent(&self, side: usize, node: Node) -> Option<Range<usize>> {
        let plant = self.plants[side];
        let trivia = plant.trivia(node);
        match memchr::memrchr(b'\n', &plant.text[trivia.clone()]) {
            Some(newline) => Some(trivia.start + newline + 1..trivia.end),
            None => (trivia.start == 0).then_some(trivia),
        }
        .filter(|range| plant.text[range.clone()].iter().all(|b| matches!(b, b' ' | b'\t')))
    }

    /// The whitespace that the line begins with on which a node starts.
    fn line_indent(&self, side: usize, node: Node) -> Range<usize> {
        let plant = self.plants[side];
        let start = plant.bytes(node).start;
        let line = memchr::memrchr(b'\n', &plant.text[..start]).map_or(0, |newline| newline + 1);
        let blank = plant.text[line..start].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        line..line + blank
    }

    /// What a node is indented by, beyond the line that a node around it starts on.
    fn indent_beyond(&self, side: usize, node: Node, around: Node) -> Option<Range<usize>> {
        let (inner, outer) = (self.indent(side, node)?, self.line_indent(side, around));
        let text = &self.plants[side].text;
        text[inner.clone()].starts_with(&text[outer.clone()]).then(|| inner.start + outer.len()..inner.end)
    }

    /// Finds where lines are indented because of an edit.
    fn find_zones(&mut self) {
        let mut at: [HashMap<u32, Vec<usize>>; 2] = [HashMap::new(), HashMap::new()];
        let mut wanted: [HashSet<u32>; 2] = [HashSet::new(), HashSet::new()];
        let mut found: Vec<(u32, [Range<usize>; 2], [Range<u32>; 2])> = Vec::new();
        for (i, island) in self.script.islands.iter().enumerate() {
            let indent = [OLD, NEW].map(|side| match island.around[side] {
                NONE => 0..0,
                around => self.indent_beyond(side, island.nodes[side], around).unwrap_or(0..0),
            });
            let mut tokens = [OLD, NEW].map(|side| self.plants[side].token_range(island.nodes[side]));
            if let Some(next) = self.script.islands.get(i + 1)
                && next.edit == island.edit
                && [OLD, NEW].iter().all(|&side| {
                    let parent = |node| self.plants[side].parent(node);
                    parent(next.nodes[side]) == parent(island.nodes[side])
                })
            {
                // What else comes and goes between two islands is indented like them.
                for side in 0..2 {
                    tokens[side].end = self.plants[side].token_range(next.nodes[side]).start;
                }
            }
            if indent.iter().any(|range| !range.is_empty()) {
                found.push((island.edit, indent, tokens));
            }
        }
        for (indent, tokens) in self.restyled() {
            if self.indentation == NONE {
                self.indentation = self.layout([vec![], vec![]]);
            }
            found.push((self.indentation, indent, tokens));
        }
        for (_, _, tokens) in &found {
            for side in 0..2 {
                wanted[side].extend([tokens[side].start, tokens[side].end - 1]);
            }
        }
        self.zones.extend(self.moved_zones());
        for (i, item) in self.items.iter().enumerate() {
            for side in 0..2 {
                if wanted[side].contains(&item.token[side]) {
                    at[side].entry(item.token[side]).or_default().push(i);
                }
            }
        }
        for (edit, indent, tokens) in found {
            // A moved part is laid twice.
            let starts =
                [OLD, NEW].map(|side| at[side].get(&tokens[side].start).cloned().unwrap_or_default());
            let ends =
                [OLD, NEW].map(|side| at[side].get(&(tokens[side].end - 1)).cloned().unwrap_or_default());
            for copy in 0..starts[OLD].len() {
                let all =
                    [&starts, &ends].map(|side| side.iter().filter_map(|copies| copies.get(copy)).copied());
                let [starts, ends] = all;
                if let (Some(start), Some(end)) = (starts.min(), ends.max()) {
                    let when = When::Edit(edit);
                    self.zones.push(Zone { items: start..end + 1, when, indent: indent.clone() });
                }
            }
        }
        self.zones.sort_by_key(|zone| (zone.items.start, std::cmp::Reverse(zone.items.end)));
    }

    /// Moved parts that are indented as it befits their place.
    fn moved_zones(&self) -> Vec<Zone> {
        let mut items: Vec<Option<Range<usize>>> = vec![None; self.places.len()];
        for (i, item) in self.items.iter().enumerate().filter(|(_, item)| item.place != 0) {
            let range = items[item.place as usize].get_or_insert(i..i);
            range.end = i + 1;
        }
        let zone = |(items, condition): (Option<Range<usize>>, &Vec<Literal>)| {
            let (k, side) = match condition.last()? {
                Literal::Unless(k) => (k, OLD),
                Literal::When(k) => (k, NEW),
            };
            let [old, new] = self.script.edits[*k as usize].tops.each_ref().map(|tops| tops[0]);
            let indent = [self.indent(OLD, old)?, self.indent(NEW, new)?];
            Some(Zone { items: items?, when: When::Place(side), indent })
        };
        items.into_iter().zip(&self.places).filter_map(zone).collect()
    }

    /// Lists whose elements are indented differently in both versions, though nothing was put around them.
    fn restyled(&self) -> Vec<([Range<usize>; 2], [Range<u32>; 2])> {
        let [old, new] = self.plants;
        let mut found = Vec::new();
        for list in 1..old.len() as Node {
            if old.sort(list) != Sort::List {
                continue;
            }
            let partner = self.script.matching.partner[OLD][list as usize];
            if partner == NONE || old.text[old.whole(list)] == new.text[new.whole(partner)] {
                continue;
            }
            let (Some(around_old), Some(around_new)) = (old.parent(list), new.parent(partner)) else {
                continue;
            };
            let indent = |side: usize, list: Node, around: Node| {
                let mut named = self.plants[side].children(list).filter(|&c| self.plants[side].is_named(c));
                let first = named.find(|&child| self.indent(side, child).is_some())?;
                self.indent_beyond(side, first, around)
            };
            let (Some(a), Some(b)) = (indent(OLD, list, around_old), indent(NEW, partner, around_new)) else {
                continue;
            };
            let indents = [a, b];
            if old.text[indents[OLD].clone()] != new.text[indents[NEW].clone()] {
                let inside = |plant: &Plant, list: Node| {
                    let mut named = plant.children(list).filter(|&c| plant.is_named(c));
                    let first = named.next()?;
                    let last = named.last().unwrap_or(first);
                    Some(plant.token_range(first).start..plant.token_range(last).end)
                };
                if let (Some(a), Some(b)) = (inside(old, list), inside(new, partner)) {
                    found.push((indents, [a, b]));
                }
            }
        }
        found
    }

    fn layout(&mut self, tops: [Vec<Node>; 2]) -> u32 {
        self.script.edits.push(Edit { kind: Kind::Layout, parent: NONE, tops, weight: 1 });
        self.script.edits.len() as u32 - 1
    }

    /// Weaves some items: those of a place, and what is moved into or out of them.
    fn span(&mut self, items: Range<usize>, place: u32) {
        let mut at = items.start;
        while at < items.end {
            let start = at;
            let is_anchor = |item: &Item| item.place == place && item.is_kept();
            while at < items.end && !is_anchor(&self.items[at]) {
                at += 1;
            }
            self.stretch(start..at, place, (at < items.end).then_some(at));
            at += 1;
        }
    }

    /// Weaves what comes and goes before a kept token, and that token.
    fn stretch(&mut self, items: Range<usize>, place: u32, kept: Option<usize>) {
        let units = self.units(items, place);
        let base = self.places[place as usize].clone();
        let Some(kept) = kept else {
            for (i, unit) in units.iter().enumerate() {
                self.apart(&units[..i], unit, &base);
                self.unit(unit, place, None);
            }
            return;
        };
        let is_first = place != 0
            && kept.checked_sub(1).is_none_or(|i| self.items[i].place != place)
            && units.is_empty();
        let ends = [OLD, NEW].map(|side| self.lead(side, self.items[kept].token[side]));
        // The first token of a moved part stands between other neighbours at each of its places.
        if is_first {
            let side = usize::from(matches!(base.last(), Some(Literal::When(_))));
            self.enter(kept);
            self.trivia(side, ends[side].clone(), &base, NONE);
            self.token(kept);
            return;
        }
        let shifts = self.shifts(&units, kept, &ends);
        if shifts {
            let mut condition = base.clone();
            let (mut side, mut edit) = (OLD, NONE);
            for unit in &units {
                self.unit(unit, place, Some(&condition));
                condition = base.clone();
                condition.push(literal(unit.side, unit.edit));
                (side, edit) = (unit.side, unit.edit);
            }
            self.enter(kept);
            self.trivia(side, ends[side].clone(), &condition, edit);
            self.token(kept);
            return;
        }
        for (i, unit) in units.iter().enumerate() {
            self.apart(&units[..i], unit, &base);
            self.unit(unit, place, None);
        }
        self.enter(kept);
        if self.turned(&ends[OLD]) == self.plants[NEW].text[ends[NEW].clone()] {
            self.trivia(OLD, ends[OLD].clone(), &base, NONE);
        } else {
            self.choose(kept, &units, ends, &base);
        }
        self.token(kept);
    }

    /// Puts white space between something and what is before it of the other text, where both are there.
    ///
    /// They are so in neither version, so whatever stands between them is ours to choose: what ended the line of
    /// the first in its own text goes on doing so.
    fn apart(&mut self, before: &[Unit], unit: &Unit, base: &[Literal]) {
        let lead = self.lead(unit.side, self.items[unit.items.start].token[unit.side]);
        let lead = &self.plants[unit.side].text[lead];
        let mut between: Vec<Literal> = Vec::new();
        for other in before.iter().rev().take(MANY_NEIGHBOURS) {
            if other.edit == unit.edit {
                return;
            }
            let item = &self.items[other.items.end - 1];
            if other.side != unit.side && item.token[other.side] != NONE {
                let after = self.lead(other.side, item.token[other.side] + 1);
                let text = &self.plants[other.side].text[after.clone()];
                let newline = memchr::memchr(b'\n', text).filter(|_| !lead.contains(&b'\n'));
                let blank = (lead.is_empty() && !text.is_empty()).then_some(0);
                if let Some(at) = newline.or(blank) {
                    let own = [literal(other.side, other.edit), literal(unit.side, unit.edit)];
                    let condition = [base, &between, &own].concat();
                    let at = after.start + at;
                    self.put(source(other.side), at..at + 1, &condition);
                }
            }
            between.push(literal(1 - other.side, other.edit));
        }
    }

    /// Whether what comes or goes before a kept token carries the trivia after it and not the one before.
    ///
    /// That is better where the trivia before the first of these is what the kept token has without them: then
    /// each of them can be missing, and the kept token still stands as it stood.
    fn shifts(&mut self, units: &[Unit], kept: usize, ends: &[Range<usize>; 2]) -> bool {
        let Some(first) = units.first() else { return false };
        if units.iter().any(|unit| unit.side != first.side) {
            return false;
        }
        self.enter(first.items.start);
        let is_around_both = |&zone: &usize| self.zones[zone].items.contains(&kept);
        let begins_between = self.zones[self.next_zone..].iter().take_while(|zone| zone.items.start <= kept);
        if !self.active.iter().all(is_around_both) || begins_between.count() > 0 {
            return false;
        }
        let without = self.plain(1 - first.side, &ends[1 - first.side]);
        let lead = self.lead(first.side, self.items[first.items.start].token[first.side]);
        without != self.plain(first.side, &ends[first.side]) && without == self.plain(first.side, &lead)
    }

    /// Weaves the trivia of a kept token that differs.
    fn choose(&mut self, kept: usize, units: &[Unit], ends: [Range<usize>; 2], base: &[Literal]) {
        let with = |literals: &[Literal]| [base, literals].concat();
        // How well the trivia of a text keeps things apart.
        let parts = |side: usize| {
            let text = &self.plants[side].text[ends[side].clone()];
            (text.contains(&b'\n'), !text.is_empty())
        };
        let (old, new) = (edits_of(units, OLD), edits_of(units, NEW));
        let (side, all) = if new.is_empty() { (OLD, old) } else { (NEW, new) };
        let deciding: &[u32] = match all.len() {
            0 => &[],
            n if n <= MANY_NEIGHBOURS && parts(side) > parts(1 - side) => &all,
            n => &all[n - 1..],
        };
        if deciding.is_empty() {
            let around = self.edit_around(kept).filter(|_| parts(OLD).0 != parts(NEW).0);
            let k = around.unwrap_or_else(|| self.layout_at(kept));
            self.trivia(OLD, ends[OLD].clone(), &with(&[Literal::Unless(k)]), k);
            self.trivia(NEW, ends[NEW].clone(), &with(&[Literal::When(k)]), k);
            return;
        }
        // Beside the nearest it is as it was there; beside others, what keeps it apart from them will do.
        let mut without: Vec<Literal> = Vec::new();
        for &k in deciding.iter().rev() {
            let mut condition = with(&without);
            condition.push(literal(side, k));
            self.trivia(side, ends[side].clone(), &condition, NONE);
            without.push(literal(1 - side, k));
        }
        self.trivia(1 - side, ends[1 - side].clone(), &with(&without), NONE);
    }

    /// The edit that puts something around the part of a statement that a kept token is in, or takes it away.
    ///
    /// Brackets make a newline mean nothing, so newlines inside come and go with them.
    fn edit_around(&self, kept: usize) -> Option<u32> {
        let old = self.plants[OLD];
        let node = self.node(OLD, self.items[kept].token[OLD])?;
        let around = std::iter::once(node).chain(old.ancestors(node)).take_while(|&node| !old.is_item(node));
        around.into_iter().find_map(|node| self.islands.get(&node).copied())
    }

    /// The layout edit of the declaration around a kept token.
    fn layout_at(&mut self, kept: usize) -> u32 {
        let tokens = self.items[kept].token;
        let nodes = [OLD, NEW].map(|side| self.node(side, tokens[side]).into_iter().collect::<Vec<Node>>());
        let around = nodes[OLD].first().map_or(0, |&node| self.plants[OLD].declaration(node).unwrap_or(0));
        match self.layouts.get(&around) {
            Some(&k) => {
                let edit = &mut self.script.edits[k as usize];
                for (tops, nodes) in edit.tops.iter_mut().zip(nodes) {
                    tops.truncate(1);
                    tops.extend(nodes);
                }
                k
            }
            None => {
                let k = self.layout(nodes);
                self.layouts.insert(around, k);
                k
            }
        }
    }

    /// The trivia before a token, or after the last.
    fn lead(&self, side: usize, token: u32) -> Range<usize> {
        let plant = self.plants[side];
        self.node(side, token).map_or(plant.tail.clone(), |node| plant.trivia(node))
    }

    /// What comes or goes, by the outermost edit.
    fn units(&self, items: Range<usize>, place: u32) -> Vec<Unit> {
        let edit_of = |item: &Item| match item.place == place {
            true => {
                let side = usize::from(item.token[OLD] == NONE);
                let node = self.plants[side].tokens[item.token[side] as usize];
                (self.script.owner[side][node as usize], side)
            }
            // A moved part goes with what it is moved out of, or into, if that comes or goes too.
            false => match self.places[item.place as usize].last() {
                Some(&Literal::When(k)) => (self.script.inside[NEW].get(&k).copied().unwrap_or(k), NEW),
                Some(&Literal::Unless(k)) => (self.script.inside[OLD].get(&k).copied().unwrap_or(k), OLD),
                None => unreachable!("the first place has no others around it"),
            },
        };
        let here: HashSet<u32> = self.items[items.clone()].iter().map(|item| edit_of(item).0).collect();
        let mut units: Vec<Unit> = Vec::new();
        for i in items {
            let (mut edit, side) = edit_of(&self.items[i]);
            let mut around = self.script.edits[edit as usize].parent;
            while around != NONE {
                if here.contains(&around) {
                    edit = around;
                }
                around = self.script.edits[around as usize].parent;
            }
            match units.last_mut() {
                Some(unit) if unit.edit == edit && unit.side == side => unit.items.end = i + 1,
                _ => units.push(Unit { edit, side, items: i..i + 1 }),
            }
        }
        units
    }

    /// Weaves what comes or goes; the trivia before it has the condition `lead`, if one is given.
    fn unit(&mut self, unit: &Unit, place: u32, lead: Option<&[Literal]>) {
        let mut at = unit.items.start;
        while at < unit.items.end {
            let item = self.items[at];
            if item.place != place {
                let mut end = at;
                while end < unit.items.end && self.items[end].place == item.place {
                    end += 1;
                }
                if at == unit.items.start
                    && let Some(lead) = lead
                {
                    self.moved_after(at..end, item.place, lead);
                } else {
                    self.span(at..end, item.place);
                }
                at = end;
                continue;
            }
            let side = unit.side;
            let node = self.plants[side].tokens[item.token[side] as usize];
            let owner = self.script.owner[side][node as usize];
            let mut condition = self.places[place as usize].clone();
            condition.push(literal(side, owner));
            self.enter(at);
            let trivia = self.lead(side, item.token[side]);
            match lead.filter(|_| at == unit.items.start) {
                Some(lead) => self.trivia(side, trivia, lead, NONE),
                None => self.trivia(side, trivia, &condition, owner),
            }
            self.token(at);
            at += 1;
        }
    }

    /// Weaves a moved part whose first trivia has a condition of its own.
    fn moved_after(&mut self, items: Range<usize>, place: u32, lead: &[Literal]) {
        let first = self.items[items.start];
        let side = usize::from(matches!(self.places[place as usize].last(), Some(Literal::When(_))));
        if first.is_kept() || first.token[side] != NONE {
            self.enter(items.start);
            let trivia = self.lead(side, first.token[side]);
            self.trivia(side, trivia, lead, NONE);
            self.token(items.start);
            self.span(items.start + 1..items.end, place);
        } else {
            self.span(items, place);
        }
    }

    /// Weaves a token without its trivia.
    fn token(&mut self, at: usize) {
        let item = self.items[at];
        let mut condition = self.places[item.place as usize].clone();
        let side = usize::from(item.token[OLD] == NONE);
        let Some(node) = self.node(side, item.token[side]) else { return };
        if !item.is_kept() {
            condition.push(literal(side, self.script.owner[side][node as usize]));
        }
        self.put(source(side), self.plants[side].bytes(node), &condition);
    }

    fn put(&mut self, source: Source, text: Range<usize>, condition: &[Literal]) {
        if !text.is_empty() {
            self.weaver.piece(source, text, condition);
        }
    }

    /// Brings the zones around an item up to date.
    fn enter(&mut self, at: usize) {
        let zones = &self.zones;
        self.active.retain(|&zone| zones[zone].items.contains(&at));
        while zones.get(self.next_zone).is_some_and(|zone| zone.items.start <= at) {
            if zones[self.next_zone].items.contains(&at) {
                self.active.push(self.next_zone);
            }
            self.next_zone += 1;
        }
    }

    /// Trivia with how many zones add to each line instead of what they add.
    fn plain(&self, side: usize, range: &Range<usize>) -> Vec<u8> {
        let text = &self.plants[side].text;
        let mut plain = Vec::with_capacity(range.len());
        let mut at = range.start;
        for line in lines(text, range) {
            plain.extend_from_slice(&text[at..line]);
            at = line;
            let (zones, len) = self.zones_of_line(side, at..range.end);
            plain.push(zones as u8);
            at += len;
        }
        plain.extend_from_slice(&text[at..range.end]);
        plain
    }

    /// What old trivia becomes in the new text by the zones around it alone.
    fn turned(&self, range: &Range<usize>) -> Vec<u8> {
        let old = &self.plants[OLD].text;
        let mut turned = Vec::with_capacity(range.len());
        let mut at = range.start;
        for line in if self.active.is_empty() { Vec::new() } else { lines(old, range) } {
            let (zones, len) = self.zones_of_line(OLD, line..range.end);
            turned.extend_from_slice(&old[at..line]);
            for i in 0..zones {
                turned.extend_from_slice(&self.plants[NEW].text[self.own_indent(i, NEW)]);
            }
            at = line + len;
        }
        turned.extend_from_slice(&old[at..range.end]);
        turned
    }

    /// How many of the zones around an item, from the outermost on, add to a line of it, and how much in all.
    fn zones_of_line(&self, side: usize, line: Range<usize>) -> (usize, usize) {
        let text = &self.plants[side].text;
        let mut at = line.start;
        for i in 0..self.active.len() {
            let indent = self.own_indent(i, side);
            if !text[at..line.end].starts_with(&text[indent.clone()]) {
                return (i, at - line.start);
            }
            at += indent.len();
        }
        (self.active.len(), at - line.start)
    }

    /// What a zone around an item adds to its lines in one text.
    ///
    /// A moved part has its whole indent from where it was in a text; at its place in the other text, the zones
    /// around that place add theirs instead.
    fn own_indent(&self, i: usize, side: usize) -> Range<usize> {
        let zones = || self.active.iter().map(|&zone| &self.zones[zone]);
        let moved = zones().enumerate().find_map(|(at, zone)| match zone.when {
            When::Place(place) => Some((at, place)),
            When::Edit(_) => None,
        });
        let indent = self.zones[self.active[i]].indent[side].clone();
        match moved {
            Some((at, place)) if i < at && side != place => 0..0,
            Some((at, place)) if i == at && side == place => {
                let around: usize = zones().take(at).map(|zone| zone.indent[side].len()).sum();
                (indent.start + around).min(indent.end)..indent.end
            }
            _ => indent,
        }
    }

    /// Weaves trivia of one text; `owner` is the edit it comes or goes with, if it does.
    fn trivia(&mut self, side: usize, range: Range<usize>, condition: &[Literal], owner: u32) {
        if range.is_empty() {
            return;
        }
        let plants = self.plants;
        let text = &plants[side].text;
        let mut at = range.start;
        if !self.active.is_empty() {
            for line in lines(text, &range) {
                self.put(source(side), at..line, condition);
                at = line;
                for i in 0..self.zones_of_line(side, line..range.end).0 {
                    let own = self.own_indent(i, side).len();
                    let Zone { when, indent, .. } = &self.zones[self.active[i]];
                    let indent = indent.clone();
                    match *when {
                        When::Place(place) => {
                            let indent = self.own_indent(i, place);
                            self.put(source(place), indent, condition);
                        }
                        When::Edit(edit) if self.is_inside(owner, edit) => {
                            self.put(source(side), at..at + own, condition);
                        }
                        When::Edit(edit) => {
                            for other in [OLD, NEW] {
                                let condition = [condition, &[literal(other, edit)]].concat();
                                self.put(source(other), indent[other].clone(), &condition);
                            }
                        }
                    }
                    at += own;
                }
            }
        }
        self.put(source(side), at..range.end, condition);
    }

    /// Whether an edit lies inside another.
    fn is_inside(&self, mut edit: u32, outer: u32) -> bool {
        while edit != NONE {
            if edit == outer {
                return true;
            }
            edit = self.script.edits[edit as usize].parent;
        }
        false
    }
}

/// An edit, or [`NONE`], and what comes or goes with it: tokens and moved parts.
type Block = (u32, Vec<Node>);

/// Old and new blocks in one order, with what replaces each other side by side.
fn in_step(blocks: [Vec<Block>; 2]) -> Vec<(usize, Node)> {
    let [olds, news] = blocks;
    let mut news = VecDeque::from(news);
    let mut ordered = Vec::new();
    for (edit, nodes) in olds {
        let same = news.iter().position(|(other, _)| *other == edit && edit != NONE);
        let mut before: Vec<Block> = news.drain(..same.map_or(0, |same| same + 1)).collect();
        let replacing = before.pop();
        ordered.extend(before.into_iter().flat_map(|(_, nodes)| nodes).map(|node| (NEW, node)));
        ordered.extend(nodes.into_iter().map(|node| (OLD, node)));
        ordered.extend(replacing.into_iter().flat_map(|(_, nodes)| nodes).map(|node| (NEW, node)));
    }
    ordered.extend(news.into_iter().flat_map(|(_, nodes)| nodes).map(|node| (NEW, node)));
    ordered
}

/// Something to be laid: two nodes that belong together, or one that comes or goes, and its place.
enum Task {
    Pair([Node; 2], u32),
    Single(usize, Node, u32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rank {
    Closes,
    Between,
    Opens,
}

fn edits_of(units: &[Unit], side: usize) -> Vec<u32> {
    let mut edits: Vec<u32> = Vec::new();
    for unit in units.iter().filter(|unit| unit.side == side) {
        if !edits.contains(&unit.edit) {
            edits.push(unit.edit);
        }
    }
    edits
}

/// The condition of text that an edit takes from the old text, or puts into the new.
fn literal(side: usize, edit: u32) -> Literal {
    if side == OLD { Literal::Unless(edit) } else { Literal::When(edit) }
}

fn source(side: usize) -> Source {
    if side == OLD { Source::OLD } else { Source::NEW }
}

/// Where the lines begin in some trivia, but for those that are blank.
fn lines(text: &[u8], range: &Range<usize>) -> Vec<usize> {
    let starts = memchr::memchr_iter(b'\n', &text[range.clone()]).map(|i| range.start + i + 1);
    let is_shown = |&start: &usize| {
        let rest = text[start..range.end].iter().find(|b| !matches!(b, b' ' | b'\t'));
        !matches!(rest, Some(b'\n' | b'\r'))
    };
    starts.filter(is_shown).collect()
}
