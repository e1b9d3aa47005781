//! The script as a weave: the tokens in their order, and the trivia before each.
//!
//! - A token that comes or goes takes its own white space along. Comments on lines of their own, and at the ends of
//!   lines, do not: they are layout.
//! - A kept token with the same trivia in both versions keeps it.
//! - Where the trivia of a kept token differs because its neighbour came or went, it goes with that neighbour.
//! - Where only the indentation differs because something was put around it, or taken away, the difference goes with
//!   that; each line is put together from what the things around it add. So Python stays Python.
//! - What differs for no other reason is layout: one change for each file, and nobody needs it.

use super::order::{Item, Order, literal};
use super::plant::{NONE, Plant};
use super::script::{Edit, NEW, OLD, Script};
use super::zones::Zones;
use crate::change::Kind;
use crate::weave::{Literal, Source, Weave, Weaver};
use nub_syntax::{Language, Node};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// After so many neighbours that come or go, only the nearest decides about the trivia of a kept token.
const MANY_NEIGHBOURS: usize = 12;

/// Beyond so many tokens it is not looked whether a line begins.
const FAR_AHEAD: usize = 64;

/// Woven tokens and their trivia; edits are numbered as in the script.
pub(crate) struct Weft<'a> {
    plants: [&'a Plant; 2],
    script: Script<'a>,
    order: Order,
    zones: Zones<'a>,
    weaver: Weaver,
    /// The edit around each island, by its old node.
    islands: HashMap<Node, u32>,
    /// The edit of all white space and comments that differ for no other reason.
    layout: Option<u32>,
    /// Whether comments may document what comes after them, so that a compiler would miss it.
    has_docs: bool,
}

/// Something that comes or goes between two kept tokens.
struct Unit {
    edit: u32,
    side: usize,
    items: Range<usize>,
}

impl<'a> Weft<'a> {
    /// Weaves all tokens.
    pub(crate) fn weave(
        language: Language,
        plants: [&'a Plant; 2],
        mut script: Script<'a>,
    ) -> (Weave, Script<'a>) {
        let weaver = Weave::of(Arc::clone(&plants[OLD].text), Arc::clone(&plants[NEW].text));
        let islands = script.islands.iter().map(|island| (island.nodes[OLD], island.edit)).collect();
        let order = Order::of(plants, &script);
        let zones = Zones::find(plants, &mut script, &order);
        let all = 0..order.items.len();
        let (layout, has_docs) = (None, language.name() == "rust");
        let mut weft = Weft { plants, script, order, zones, weaver, islands, layout, has_docs };
        weft.span(all, 0);
        (weft.weaver.finish(), weft.script)
    }

    fn node(&self, side: usize, token: u32) -> Option<Node> {
        self.plants[side].tokens.get(token as usize).copied()
    }

    /// Weaves some items: those of a place, and what is moved into or out of them.
    fn span(&mut self, items: Range<usize>, place: u32) {
        let mut at = items.start;
        while at < items.end {
            let start = at;
            let is_anchor = |item: &Item| item.place == place && item.is_kept();
            while at < items.end && !is_anchor(&self.order.items[at]) {
                at += 1;
            }
            self.stretch(start..at, place, (at < items.end).then_some(at));
            at += 1;
        }
    }

    /// Weaves what comes and goes before a kept token, and that token.
    fn stretch(&mut self, items: Range<usize>, place: u32, kept: Option<usize>) {
        let units = self.units(items, place);
        let base = self.order.places[place as usize].clone();
        let Some(kept) = kept else {
            for (i, unit) in units.iter().enumerate() {
                self.apart(&units, i, &base);
                self.unit(unit, place, None);
            }
            return;
        };
        let is_first = place != 0
            && kept.checked_sub(1).is_none_or(|i| self.order.items[i].place != place)
            && units.is_empty();
        let ends = [OLD, NEW].map(|side| self.lead(side, self.order.items[kept].token[side]));
        // The first token of a moved part stands between other neighbours at each of its places.
        if is_first {
            let side = usize::from(matches!(base.last(), Some(Literal::When(_))));
            self.zones.enter(kept);
            self.cut(side, ends[side].clone(), &base, NONE);
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
            self.zones.enter(kept);
            self.shifted(side, ends[side].clone(), (&condition, base.len()), edit);
            self.token(kept);
            return;
        }
        for (i, unit) in units.iter().enumerate() {
            self.apart(&units, i, &base);
            self.unit(unit, place, None);
        }
        self.zones.enter(kept);
        if self.zones.turned(&ends[OLD]) == self.plants[NEW].text[ends[NEW].clone()] {
            self.cut(OLD, ends[OLD].clone(), &base, NONE);
        } else {
            self.choose(kept, &units, ends, &base);
        }
        self.token(kept);
    }

    /// Puts white space between something and what is before it of the other text, where both are there.
    ///
    /// They are so in neither version, so whatever stands between them is ours to choose: what ended the line of
    /// the first in its own text goes on doing so.
    fn apart(&mut self, units: &[Unit], i: usize, base: &[Literal]) {
        let (before, unit) = (&units[..i], &units[i]);
        let lead = self.lead(unit.side, self.order.items[unit.items.start].token[unit.side]);
        let lead = &self.plants[unit.side].text[lead];
        let mut between: Vec<Literal> = Vec::new();
        for other in before.iter().rev().take(MANY_NEIGHBOURS) {
            if other.edit == unit.edit {
                return;
            }
            let item = &self.order.items[other.items.end - 1];
            if other.side != unit.side && item.token[other.side] != NONE {
                let after = self.lead(other.side, item.token[other.side] + 1);
                let text = &self.plants[other.side].text[after.clone()];
                let newline = memchr::memchr(b'\n', text).filter(|_| !lead.contains(&b'\n'));
                let blank = (lead.is_empty() && !text.is_empty()).then_some(0);
                if let Some(at) = newline.or(blank) {
                    let own = [literal(other.side, other.edit), literal(unit.side, unit.edit)];
                    let condition = [base, &between, &own].concat();
                    let at = after.start + at;
                    self.weaver.piece(source(other.side), at..at + 1, &condition);
                }
            }
            between.push(literal(1 - other.side, other.edit));
        }
        between.push(literal(unit.side, unit.edit));
        self.at_a_distance(units, i, &[base, &between].concat());
    }

    /// Puts a blank before something that stood close to what is gone, where that stood at a distance from what is
    /// before it: `a && !b` without the sign is `a && b`; or where what replaces it stands so: `assert(x)` without its
    /// brackets, where the new text has `assert y`.
    fn at_a_distance(&mut self, units: &[Unit], i: usize, condition: &[Literal]) {
        let (before, unit, after) = (&units[..i], &units[i], &units[i + 1..]);
        let Some(first) = before.first() else { return };
        let lead = |unit: &Unit| self.lead(unit.side, self.order.items[unit.items.start].token[unit.side]);
        let like = after.iter().find(|other| other.edit == unit.edit && other.side != unit.side);
        let is_blank = |other: &&Unit| self.plants[other.side].text[lead(other)] == *b" ";
        let distant = [Some(first), like].into_iter().flatten().find(is_blank);
        // In both versions, what is gone here is there whenever the other is.
        let is_mixed = before.len() <= MANY_NEIGHBOURS && before.iter().any(|other| other.side == unit.side);
        if let Some(other) = distant.filter(|_| is_mixed && lead(unit).is_empty()) {
            let (side, distance) = (other.side, lead(other));
            self.weaver.piece(source(side), distance, condition);
        }
    }

    /// Whether what comes or goes before a kept token carries the trivia after it and not the one before.
    ///
    /// That is better where the trivia before the first of these is what the kept token has without them: then
    /// each of them can be missing, and the kept token still stands as it stood.
    fn shifts(&mut self, units: &[Unit], kept: usize, ends: &[Range<usize>; 2]) -> bool {
        let Some(first) = units.first() else { return false };
        let has_loose = |unit: &Unit| unit.items.clone().any(|at| self.is_loose(at, unit.side));
        if units.iter().any(|unit| unit.side != first.side || has_loose(unit)) {
            return false;
        }
        self.zones.enter(first.items.start);
        if !self.zones.are_same_at(kept) {
            return false;
        }
        let without = self.zones.plain(1 - first.side, &ends[1 - first.side]);
        let lead = self.lead(first.side, self.order.items[first.items.start].token[first.side]);
        without != self.zones.plain(first.side, &ends[first.side])
            && without == self.zones.plain(first.side, &lead)
    }

    /// Whether a token can be there without the outermost edit it comes or goes with.
    fn is_loose(&self, at: usize, side: usize) -> bool {
        let Some(node) = self.node(side, self.order.items[at].token[side]) else { return false };
        let around = |&k: &u32| Some(self.script.edits[k as usize].parent).filter(|&k| k != NONE);
        let owner = Some(self.script.owner[side][node as usize]).filter(|&k| k != NONE);
        std::iter::successors(owner, around).any(|k| self.script.edits[k as usize].is_loose)
    }

    /// Weaves the trivia of a kept token that differs.
    fn choose(&mut self, kept: usize, units: &[Unit], ends: [Range<usize>; 2], base: &[Literal]) {
        let with = |literals: &[Literal]| [base, literals].concat();
        let comments = [OLD, NEW].map(|side| self.comments(side, &ends[side]));
        let rests = [OLD, NEW].map(|side| ends[side].start + comments[side]..ends[side].end);
        // How well the white space of a text keeps things apart.
        let parts = [OLD, NEW].map(|side| {
            let text = &self.plants[side].text[rests[side].clone()];
            (ends_line(text), !text.is_empty())
        });
        let (old, new) = (edits_of(units, OLD), edits_of(units, NEW));
        let (side, all) = if new.is_empty() { (OLD, old) } else { (NEW, new) };
        let deciding: &[u32] = match all.len() {
            0 => &[],
            n if n <= MANY_NEIGHBOURS && parts[side] > parts[1 - side] => &all,
            n => &all[n - 1..],
        };
        if deciding.is_empty() {
            let around = self.edit_around(kept).filter(|_| parts[OLD].0 != parts[NEW].0);
            let k = around.unwrap_or_else(|| self.layout());
            self.cut(OLD, ends[OLD].clone(), &with(&[Literal::Unless(k)]), k);
            self.cut(NEW, ends[NEW].clone(), &with(&[Literal::When(k)]), k);
            return;
        }
        let mut layout = NONE;
        if comments != [0, 0] {
            layout = self.layout();
            for side in [OLD, NEW] {
                let own = ends[side].start..rests[side].start;
                self.cut(side, own, &with(&[literal(side, layout)]), NONE);
            }
            if self.zones.turned(&rests[OLD]) == self.plants[NEW].text[rests[NEW].clone()] {
                self.cut(OLD, rests[OLD].clone(), base, NONE);
                return;
            }
        }
        // A comment of the other text ends with its line, too.
        let mut rest = |side: usize, condition: &[Literal]| {
            if comments[1 - side] > 0 && !parts[side].0 {
                let with_comment = [condition, &[literal(1 - side, layout)]].concat();
                self.cut(1 - side, rests[1 - side].clone(), &with_comment, NONE);
            }
            self.cut(side, rests[side].clone(), condition, NONE);
        };
        // Beside the nearest it is as it was there; beside others, what keeps it apart from them will do.
        let mut without: Vec<Literal> = Vec::new();
        for &k in deciding.iter().rev() {
            let mut condition = with(&without);
            condition.push(literal(side, k));
            rest(side, &condition);
            without.push(literal(1 - side, k));
        }
        rest(1 - side, &with(&without));
    }

    /// How long the part of some trivia is that ends with its last comment, if a newline comes after that.
    ///
    /// A comment inside a line belongs to what stands beside it; and in Rust one that documents needs what it
    /// documents.
    fn comments(&self, side: usize, range: &Range<usize>) -> usize {
        let text = &self.plants[side].text[range.clone()];
        let len = text.trim_ascii_end().len();
        let is_doc = |text: &[u8]| {
            [&b"///"[..], b"//!", b"/**", b"/*!"]
                .iter()
                .any(|mark| text.windows(3).any(|three| three == *mark))
        };
        let is_bound = text[..len].ends_with(b"\\") || self.has_docs && is_doc(&text[..len]);
        if is_bound || !text[len..].contains(&b'\n') { 0 } else { len }
    }

    /// The edit of all white space and comments that differ for no other reason.
    fn layout(&mut self) -> u32 {
        let edits = &mut self.script.edits;
        *self.layout.get_or_insert_with(|| {
            let tops = [vec![], vec![]];
            edits.push(Edit { kind: Kind::Layout, parent: NONE, tops, weight: 1, is_loose: false });
            edits.len() as u32 - 1
        })
    }

    /// The edit that puts something around the part of a statement that a kept token is in, or takes it away.
    ///
    /// Brackets make a newline mean nothing, so newlines inside come and go with them.
    fn edit_around(&self, kept: usize) -> Option<u32> {
        let old = self.plants[OLD];
        let node = self.node(OLD, self.order.items[kept].token[OLD])?;
        let around = || std::iter::once(node).chain(old.ancestors(node));
        let island =
            around().take_while(|&node| !old.is_item(node)).find_map(|node| self.islands.get(&node).copied());
        island.or_else(|| {
            let statement = around().find(|&node| old.is_item(node))?;
            self.script.bracketing.get(&statement).copied()
        })
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
            false => match self.order.places[item.place as usize].last() {
                Some(&Literal::When(k)) => (self.script.inside[NEW].get(&k).copied().unwrap_or(k), NEW),
                Some(&Literal::Unless(k)) => (self.script.inside[OLD].get(&k).copied().unwrap_or(k), OLD),
                None => unreachable!("the first place has no others around it"),
            },
        };
        let here: HashSet<u32> = self.order.items[items.clone()].iter().map(|item| edit_of(item).0).collect();
        let mut units: Vec<Unit> = Vec::new();
        for i in items {
            let (mut edit, side) = edit_of(&self.order.items[i]);
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
            let item = self.order.items[at];
            if item.place != place {
                let mut end = at;
                while end < unit.items.end && self.order.items[end].place == item.place {
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
            let mut condition = self.order.places[place as usize].clone();
            condition.push(literal(side, owner));
            self.zones.enter(at);
            let trivia = self.lead(side, item.token[side]);
            match lead.filter(|_| at == unit.items.start) {
                Some(lead) => self.shifted(side, trivia, (lead, condition.len() - 1), NONE),
                None => self.trivia(at, trivia, &condition, owner),
            }
            self.token(at);
            at += 1;
        }
    }

    /// Weaves a moved part whose first trivia has a condition of its own.
    fn moved_after(&mut self, items: Range<usize>, place: u32, lead: &[Literal]) {
        let first = self.order.items[items.start];
        let side = usize::from(matches!(self.order.places[place as usize].last(), Some(Literal::When(_))));
        if first.is_kept() || first.token[side] != NONE {
            self.zones.enter(items.start);
            let trivia = self.lead(side, first.token[side]);
            self.cut(side, trivia, lead, NONE);
            self.token(items.start);
            self.span(items.start + 1..items.end, place);
        } else {
            self.span(items, place);
        }
    }

    /// Weaves a token without its trivia.
    fn token(&mut self, at: usize) {
        let item = self.order.items[at];
        let mut condition = self.order.places[item.place as usize].clone();
        let side = usize::from(item.token[OLD] == NONE);
        let Some(node) = self.node(side, item.token[side]) else { return };
        if !item.is_kept() {
            condition.push(literal(side, self.script.owner[side][node as usize]));
        }
        self.weaver.piece(source(side), self.plants[side].bytes(node), &condition);
    }

    /// Weaves the trivia of a token that comes or goes with `owner`: white space goes with it. Comments before all
    /// of the edit do not, but with what that lies inside.
    fn trivia(&mut self, at: usize, range: Range<usize>, condition: &[Literal], owner: u32) {
        let item = self.order.items[at];
        let side = usize::from(item.token[OLD] == NONE);
        let middle = range.start + self.comments(side, &range);
        let (comments, rest) = (range.start..middle, middle..range.end);
        if !comments.is_empty() {
            let k = self.layout();
            let Edit { parent, tops, .. } = &self.script.edits[owner as usize];
            let plant = self.plants[side];
            // What takes the place of part of a line stands after that.
            let is_beside = |top: Node| side == NEW && !tops[OLD].is_empty() && !plant.is_item(top);
            let is_first = tops[side]
                .iter()
                .any(|&top| plant.token_range(top).start == item.token[side] && !is_beside(top));
            let around = if is_first { *parent } else { owner };
            let mut with = self.order.places[item.place as usize].clone();
            with.push(literal(side, k));
            with.extend((around != NONE).then(|| literal(side, around)));
            self.cut(side, comments, &with, around);
            if is_first && !self.is_line_next(at, side, owner) {
                with.push(literal(1 - side, owner));
                self.cut(side, rest.clone(), &with, NONE);
            }
        }
        self.cut(side, rest, condition, owner);
    }

    /// Whether, without an edit, what comes after a token of it begins a line in every config.
    fn is_line_next(&self, at: usize, side: usize, edit: u32) -> bool {
        let mut begun = vec![(side, edit)];
        let place = self.order.items[at].place;
        for item in self.order.items[at + 1..].iter().take(FAR_AHEAD) {
            let begins = |side: usize| ends_line(&self.plants[side].text[self.lead(side, item.token[side])]);
            if item.place != place {
                return false;
            }
            if item.is_kept() {
                return begins(OLD) && begins(NEW);
            }
            let side = usize::from(item.token[OLD] == NONE);
            let owner = self.script.owner[side][self.plants[side].tokens[item.token[side] as usize] as usize];
            if begun.iter().any(|&(begun_side, edit)| begun_side == side && self.is_inside(owner, edit)) {
                continue;
            }
            if !begins(side) {
                return false;
            }
            begun.push((side, owner));
        }
        false
    }

    /// Weaves trivia that goes with what is before it: comments on lines of their own do not, if the lines around
    /// them are indented alike. The first `base` literals of the condition are those of the place.
    fn shifted(
        &mut self,
        side: usize,
        range: Range<usize>,
        (condition, base): (&[Literal], usize),
        owner: u32,
    ) {
        let text = &self.plants[side].text[range.clone()];
        let blank = text.len() - text.trim_ascii_start().len();
        let indent = |text: &[u8]| Some(text.len() - memchr::memrchr(b'\n', text)?);
        let rest = &text[self.comments(side, &range)..];
        let is_split = rest.len() < text.len()
            && condition.len() > base
            && indent(&text[..blank]).is_some_and(|before| Some(before) == indent(rest));
        if !is_split {
            self.cut(side, range, condition, owner);
            return;
        }
        let with = [&condition[..base], &[literal(side, self.layout())]].concat();
        self.cut(side, range.start..range.start + blank, condition, owner);
        self.cut(side, range.start + blank..range.end, &with, NONE);
    }

    /// Weaves trivia of one text; `owner` is the edit it comes or goes with, if it does.
    fn cut(&mut self, side: usize, range: Range<usize>, condition: &[Literal], owner: u32) {
        for cut in self.zones.cuts(side, range, |edit| self.is_inside(owner, edit)) {
            match cut.edit {
                None => self.weaver.piece(source(cut.side), cut.text, condition),
                Some(edit) => {
                    let condition = [condition, &[literal(cut.side, edit)]].concat();
                    self.weaver.piece(source(cut.side), cut.text, &condition);
                }
            }
        }
    }

    /// Whether an edit lies inside another and cannot be there without it.
    fn is_inside(&self, mut edit: u32, outer: u32) -> bool {
        while edit != NONE && edit != outer {
            let Edit { parent, is_loose, .. } = self.script.edits[edit as usize];
            edit = if is_loose { NONE } else { parent };
        }
        edit != NONE
    }
}

/// Whether trivia ends a line, and does not go on with it in the next.
fn ends_line(trivia: &[u8]) -> bool {
    memchr::memchr_iter(b'\n', trivia).any(|i| !trivia[..i].trim_ascii_end().ends_with(b"\\"))
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

fn source(side: usize) -> Source {
    if side == OLD { Source::OLD } else { Source::NEW }
}
