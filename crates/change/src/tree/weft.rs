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
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

const OLD: usize = 0;
const NEW: usize = 1;

/// After so many neighbours that come or go, only the nearest decides about the trivia of a kept token.
const MANY_NEIGHBOURS: usize = 6;

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

/// Items whose lines begin with something that depends on an edit.
#[derive(Debug)]
struct Zone {
    items: Range<usize>,
    edit: u32,
    /// What their lines begin with in the old and the new text, after what the zones around this one add.
    indent: [Range<usize>; 2],
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
        let mut weft = Weft {
            plants,
            script,
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

    fn lay(&mut self) {
        let starts = [OLD, NEW].map(|side| {
            let first = |&node: &Node| (self.plants[side].token_range(node).start, node);
            self.script.matching.moved[side].keys().map(first).collect::<HashMap<u32, Node>>()
        });
        let [old, new] = self.ends();
        self.run([0..old, 0..new], 0, &starts);
    }

    /// Lays the tokens of two stretches that belong together.
    fn run(&mut self, mut tokens: [Range<u32>; 2], place: u32, moves: &[HashMap<u32, Node>; 2]) {
        let begin = [tokens[OLD].start, tokens[NEW].start];
        let mut last: [Option<Node>; 2] = [None, None];
        loop {
            // What comes or goes before the next kept token: single tokens, and moved parts as a whole.
            let mut entries: [Vec<(Node, bool)>; 2] = [Vec::new(), Vec::new()];
            let mut next: [Option<Node>; 2] = [None, None];
            for side in 0..2 {
                while let Some(token) = tokens[side].clone().next() {
                    let node = self.plants[side].tokens[token as usize];
                    let moved = moves[side].get(&token).filter(|_| place == 0 || token != begin[side]);
                    if let Some(&root) = moved {
                        entries[side].push((root, true));
                        tokens[side].start += self.plants[side].n_tokens(root);
                        continue;
                    }
                    if self.is_kept(side, node) {
                        next[side] = Some(node);
                        break;
                    }
                    entries[side].push((node, false));
                    tokens[side].start += 1;
                }
            }
            debug_assert_eq!(
                next[OLD].map(|node| self.script.matching.partner[OLD][node as usize]),
                next[NEW],
                "kept tokens are in the same order"
            );
            self.lay_entries(&entries, last, next, place, moves);
            if next.iter().any(Option::is_none) {
                return;
            }
            self.items.push(Item { token: [tokens[OLD].start, tokens[NEW].start], place });
            tokens.iter_mut().for_each(|tokens| tokens.start += 1);
            last = next;
        }
    }

    fn is_kept(&self, side: usize, token: Node) -> bool {
        let is_paired = self.script.matching.partner[side][token as usize] != NONE;
        is_paired && self.script.owner[side][token as usize] == NONE
    }

    fn lay_entries(
        &mut self,
        entries: &[Vec<(Node, bool)>; 2],
        last: [Option<Node>; 2],
        next: [Option<Node>; 2],
        place: u32,
        moves: &[HashMap<u32, Node>; 2],
    ) {
        let are_mixed = entries.iter().all(|entries| !entries.is_empty());
        let rank = |side: usize, node: Node| match are_mixed {
            true => self.rank(side, node, last[side], next[side]),
            false => Rank::Between,
        };
        let ranks: [Vec<Rank>; 2] =
            [OLD, NEW].map(|side| entries[side].iter().map(|&(node, _)| rank(side, node)).collect());
        for now in [Rank::Closes, Rank::Between, Rank::Opens] {
            let blocks = [OLD, NEW].map(|side| {
                let ranked = entries[side].iter().zip(&ranks[side]).filter(|(_, rank)| **rank == now);
                self.blocks(side, ranked.map(|(&entry, _)| entry))
            });
            for (side, block) in in_step(blocks) {
                for (node, is_moved) in block {
                    if is_moved {
                        self.lay_moved(side, node, place, moves);
                    } else {
                        let mut token = [NONE, NONE];
                        token[side] = self.plants[side].token_range(node).start;
                        self.items.push(Item { token, place });
                    }
                }
            }
        }
    }

    /// Groups what comes or goes by the outermost edit it does so with.
    fn blocks(&self, side: usize, entries: impl Iterator<Item = (Node, bool)>) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        for (node, is_moved) in entries {
            let mut edit = match is_moved {
                true => NONE,
                false => self.script.owner[side][node as usize],
            };
            while edit != NONE && self.script.edits[edit as usize].parent != NONE {
                edit = self.script.edits[edit as usize].parent;
            }
            match blocks.last_mut() {
                Some((last, nodes)) if *last == edit && edit != NONE => nodes.push((node, is_moved)),
                _ => blocks.push((edit, vec![(node, is_moved)])),
            }
        }
        blocks
    }

    fn lay_moved(&mut self, side: usize, node: Node, place: u32, moves: &[HashMap<u32, Node>; 2]) {
        let other = self.script.matching.moved[side][&node];
        let nodes = if side == OLD { [node, other] } else { [other, node] };
        let k = self.script.moves[&nodes[OLD]];
        let mut condition = self.places[place as usize].clone();
        condition.push(if side == OLD { Literal::Unless(k) } else { Literal::When(k) });
        self.places.push(condition);
        let tokens = [OLD, NEW].map(|side| self.plants[side].token_range(nodes[side]));
        self.run(tokens, self.places.len() as u32 - 1, moves);
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
        if found.is_empty() {
            return;
        }
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
                    self.zones.push(Zone { items: start..end + 1, edit, indent: indent.clone() });
                }
            }
        }
        self.zones.sort_by_key(|zone| (zone.items.start, std::cmp::Reverse(zone.items.end)));
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
            let is_beside = |&(_, n): &(Node, Node)| n != NONE && new.parent(n) == Some(partner);
            let pairs = old.children(list).map(|c| (c, self.script.matching.partner[OLD][c as usize]));
            let mut pairs = pairs.filter(is_beside);
            let (Some(around_old), Some(around_new)) = (old.parent(list), new.parent(partner)) else {
                continue;
            };
            let indents = pairs.find_map(|(o, n)| {
                let is_first = |side: usize, node: Node| self.indent(side, node).is_some();
                (is_first(OLD, o) && is_first(NEW, n)).then_some([
                    self.indent_beyond(OLD, o, around_old)?,
                    self.indent_beyond(NEW, n, around_new)?,
                ])
            });
            let Some(indents) = indents else { continue };
            if old.text[indents[OLD].clone()] != new.text[indents[NEW].clone()] {
                found.push((indents, [old.token_range(list), new.token_range(partner)]));
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
            for unit in &units {
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
        let first_lead = units.first().map(|unit| {
            let item = &self.items[unit.items.start];
            (unit.side, self.lead(unit.side, item.token[unit.side]))
        });
        let text = |side: usize, range: &Range<usize>| &self.plants[side].text[range.clone()];
        let is_one_sided = units.windows(2).all(|pair| pair[0].side == pair[1].side);
        let differ = text(OLD, &ends[OLD]) != text(NEW, &ends[NEW]);
        let shifts = first_lead.as_ref().is_some_and(|(side, lead)| {
            differ && is_one_sided && text(*side, lead) == text(1 - side, &ends[1 - side])
        });
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
        for unit in &units {
            self.unit(unit, place, None);
        }
        self.enter(kept);
        if self.plain(OLD, &ends[OLD]) == self.plain(NEW, &ends[NEW]) {
            self.trivia(OLD, ends[OLD].clone(), &base, NONE);
        } else {
            self.choose(kept, &units, ends, &base);
        }
        self.token(kept);
    }

    /// Weaves the trivia of a kept token that differs.
    fn choose(&mut self, kept: usize, units: &[Unit], ends: [Range<usize>; 2], base: &[Literal]) {
        let with = |literals: &[Literal]| [base, literals].concat();
        let new: Vec<u32> = edits_of(units, NEW);
        let has =
            |side: usize, byte: fn(&u8) -> bool| self.plants[side].text[ends[side].clone()].iter().any(byte);
        let is_line_end = |side: usize| has(side, |&b| b == b'\n');
        let is_blank = |side: usize| has(side, |_| true);
        let matters = is_line_end(OLD) != is_line_end(NEW) || is_blank(OLD) != is_blank(NEW);
        let old: Vec<u32> = edits_of(units, OLD);
        let (side, all) = if new.is_empty() { (OLD, old) } else { (NEW, new) };
        let deciding: &[u32] = match all.len() {
            0 => &[],
            n if matters && n <= MANY_NEIGHBOURS => &all,
            n => &all[n - 1..],
        };
        if deciding.is_empty() {
            let k = self.layout_at(kept);
            self.trivia(OLD, ends[OLD].clone(), &with(&[Literal::Unless(k)]), k);
            self.trivia(NEW, ends[NEW].clone(), &with(&[Literal::When(k)]), k);
            return;
        }
        // As long as one of the neighbours is there, it is as beside them.
        let mut without: Vec<Literal> = Vec::new();
        for &k in deciding.iter().rev() {
            let mut condition = with(&without);
            condition.push(literal(side, k));
            self.trivia(side, ends[side].clone(), &condition, NONE);
            without.push(literal(1 - side, k));
        }
        self.trivia(1 - side, ends[1 - side].clone(), &with(&without), NONE);
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
            false => match self.places[item.place as usize].last() {
                Some(&Literal::When(k)) => (k, NEW),
                Some(&Literal::Unless(k)) => (k, OLD),
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
        self.weaver.piece(source(side), self.plants[side].bytes(node), &condition);
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

    /// Trivia without what the zones around it add; none if it has not what they add.
    fn plain(&self, side: usize, range: &Range<usize>) -> Option<Vec<u8>> {
        let text = &self.plants[side].text;
        let mut plain = Vec::with_capacity(range.len());
        let mut at = range.start;
        for line in lines(text, range) {
            plain.extend_from_slice(&text[at..line]);
            at = line;
            for &zone in &self.active {
                let indent = &text[self.zones[zone].indent[side].clone()];
                if !text[at..range.end].starts_with(indent) {
                    return None;
                }
                at += indent.len();
            }
        }
        plain.extend_from_slice(&text[at..range.end]);
        Some(plain)
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
                let all: Vec<u8> = self
                    .active
                    .iter()
                    .flat_map(|&zone| text[self.zones[zone].indent[side].clone()].iter().copied())
                    .collect();
                if !text[line..range.end].starts_with(&all) {
                    continue;
                }
                self.weaver.piece(source(side), at..line, condition);
                at = line;
                for i in 0..self.active.len() {
                    let zone = &self.zones[self.active[i]];
                    let own = at..at + zone.indent[side].len();
                    at = own.end;
                    if self.is_inside(owner, zone.edit) {
                        self.weaver.piece(source(side), own, condition);
                        continue;
                    }
                    for other in [OLD, NEW] {
                        let indent = if other == side { own.clone() } else { zone.indent[other].clone() };
                        if !indent.is_empty() {
                            let condition = [condition, &[literal(other, zone.edit)]].concat();
                            self.weaver.piece(source(other), indent, &condition);
                        }
                    }
                }
            }
        }
        self.weaver.piece(source(side), at..range.end, condition);
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
type Block = (u32, Vec<(Node, bool)>);

/// Old and new blocks in one order, with what replaces each other side by side.
fn in_step(blocks: [Vec<Block>; 2]) -> Vec<(usize, Vec<(Node, bool)>)> {
    let [olds, news] = blocks;
    let mut news = std::collections::VecDeque::from(news);
    let mut ordered = Vec::new();
    for (edit, nodes) in olds {
        let same = news.iter().position(|(other, _)| *other == edit && edit != NONE);
        let after = same.map_or(0, |same| same + 1);
        let mut replacing: Vec<_> = news.drain(..after).map(|(_, nodes)| (NEW, nodes)).collect();
        let last = replacing.pop();
        ordered.extend(replacing);
        ordered.push((OLD, nodes));
        ordered.extend(last);
    }
    ordered.extend(news.into_iter().map(|(_, nodes)| (NEW, nodes)));
    ordered
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
