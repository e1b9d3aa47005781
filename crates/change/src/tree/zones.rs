//! What lines are indented by, and because of which edit.
//!
//! ```text
//!     if (c) {          insert k
//!     ....a();          `....` is there when k is
//!     ....b();
//!     }
//! ```
//!
//! A *zone* is a run of items whose lines begin with something that depends on an edit. Zones nest, and each adds its
//! own, so in every config a line is indented by what is around it then.

use super::order::{Item, Order, literal};
use super::plant::{NONE, Plant, Sort};
use super::script::{Edit, NEW, OLD, Script};
use crate::change::Kind;
use crate::weave::Literal;
use nub_syntax::Node;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// All zones, and those around the item that is looked at.
pub(crate) struct Zones<'a> {
    plants: [&'a Plant; 2],
    zones: Vec<Zone>,
    /// The zones around the item, outermost first.
    active: Vec<usize>,
    next: usize,
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

/// What a zone adds in the old and the new text, and the tokens that are in it.
struct Found {
    indent: [Range<usize>; 2],
    tokens: [Range<u32>; 2],
    /// The edits that move all of it, if some do: then it is there twice.
    moving: Option<[u32; 2]>,
}

impl<'a> Zones<'a> {
    /// Finds all zones; a file that is indented in another style has a layout edit of its own for that.
    pub(crate) fn find(plants: [&'a Plant; 2], script: &mut Script<'a>, order: &Order) -> Zones<'a> {
        let finder = Finder { plants, script, order };
        let mut found: Vec<(u32, Found)> = finder.around_islands();
        let restyled = finder.restyled();
        let moved = finder.moved();
        if !restyled.is_empty() {
            let k = script.edits.len() as u32;
            let tops = [vec![], vec![]];
            script.edits.push(Edit { kind: Kind::Layout, parent: NONE, tops, weight: 1, is_loose: false });
            found.extend(restyled.into_iter().map(|found| (k, found)));
        }
        let mut zones = place(found, order);
        zones.extend(moved);
        zones.sort_by_key(|zone| (zone.items.start, std::cmp::Reverse(zone.items.end)));
        Zones { plants, zones, active: Vec::new(), next: 0 }
    }

    /// Whether the zones around the present item are those around a later one.
    pub(crate) fn are_same_at(&self, at: usize) -> bool {
        self.active.iter().all(|&zone| self.zones[zone].items.contains(&at))
            && self.zones.get(self.next).is_none_or(|zone| zone.items.start > at)
    }

    /// Cuts trivia of one text: each cut is of the text of a side, and may depend on an edit.
    ///
    /// `is_implied` tells of an edit whether it is made whenever this trivia is there.
    pub(crate) fn cuts(
        &self,
        side: usize,
        range: Range<usize>,
        is_implied: impl Fn(u32) -> bool,
    ) -> Vec<Cut> {
        let mut cuts = Vec::new();
        let mut at = range.start;
        let starts = if self.active.is_empty() { Vec::new() } else { lines(&self.plants[side].text, &range) };
        for line in starts {
            cuts.push(Cut { side, text: at..line, edit: None });
            at = line;
            for i in 0..self.zones_of_line(side, line..range.end).0 {
                let own = at..at + self.own_indent(i, side).len();
                at = own.end;
                let Zone { when, indent, .. } = &self.zones[self.active[i]];
                match *when {
                    When::Place(place) => {
                        cuts.push(Cut { side: place, text: self.own_indent(i, place), edit: None });
                    }
                    When::Edit(edit) if is_implied(edit) => cuts.push(Cut { side, text: own, edit: None }),
                    When::Edit(edit) => cuts.extend([OLD, NEW].map(|side| Cut {
                        side,
                        text: indent[side].clone(),
                        edit: Some(edit),
                    })),
                }
            }
        }
        cuts.push(Cut { side, text: at..range.end, edit: None });
        cuts.retain(|cut| !cut.text.is_empty());
        cuts
    }

    /// Brings the zones around an item up to date.
    pub(crate) fn enter(&mut self, at: usize) {
        let zones = &self.zones;
        self.active.retain(|&zone| zones[zone].items.contains(&at));
        while zones.get(self.next).is_some_and(|zone| zone.items.start <= at) {
            if zones[self.next].items.contains(&at) {
                self.active.push(self.next);
            }
            self.next += 1;
        }
    }

    /// Trivia with how many zones add to each line instead of what they add.
    pub(crate) fn plain(&self, side: usize, range: &Range<usize>) -> Vec<u8> {
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
    pub(crate) fn turned(&self, range: &Range<usize>) -> Vec<u8> {
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
}

/// Part of some trivia.
pub(crate) struct Cut {
    pub(crate) side: usize,
    pub(crate) text: Range<usize>,
    /// There without the edit if it is old, with the edit if it is new.
    pub(crate) edit: Option<u32>,
}

/// Says which items the zones are around.
fn place(found: Vec<(u32, Found)>, order: &Order) -> Vec<Zone> {
    let mut wanted: [HashSet<u32>; 2] = [HashSet::new(), HashSet::new()];
    for (_, Found { tokens, .. }) in &found {
        for (wanted, tokens) in wanted.iter_mut().zip(tokens) {
            wanted.extend([tokens.start, tokens.end - 1]);
        }
    }
    // A moved part is there twice, so a token may be two items.
    let mut at: [HashMap<u32, Vec<usize>>; 2] = [HashMap::new(), HashMap::new()];
    for (i, Item { token, .. }) in order.items.iter().enumerate() {
        for side in [OLD, NEW] {
            if wanted[side].contains(&token[side]) {
                at[side].entry(token[side]).or_default().push(i);
            }
        }
    }
    let side_of = |place: u32| match order.places[place as usize].last() {
        Some(Literal::Unless(_)) => Some(OLD),
        Some(Literal::When(_)) => Some(NEW),
        None => None,
    };
    let places: HashMap<Literal, u32> =
        (0..).zip(&order.places).filter_map(|(place, condition)| Some((*condition.last()?, place))).collect();
    let mut zones = Vec::new();
    for (edit, Found { indent, tokens, moving }) in found {
        let homes: Vec<u32> = match moving {
            None => vec![0],
            Some(k) => {
                [OLD, NEW].iter().filter_map(|&side| places.get(&literal(side, k[side])).copied()).collect()
            }
        };
        for home in homes {
            // What stands at an end of it may be moved away, or have been moved there.
            let item = |side: usize, token: u32| {
                let items = at[side].get(&token)?;
                let place = |i: usize| order.items[i].place;
                let at_home = items.iter().copied().find(|&i| place(i) == home);
                at_home
                    .or_else(|| items.iter().copied().find(|&i| home == 0 && side_of(place(i)) == Some(side)))
            };
            let start = [OLD, NEW].into_iter().filter_map(|side| item(side, tokens[side].start)).min();
            let end = [OLD, NEW].into_iter().filter_map(|side| item(side, tokens[side].end - 1)).max();
            if let (Some(start), Some(end)) = (start, end) {
                zones.push(Zone { items: start..end + 1, when: When::Edit(edit), indent: indent.clone() });
            }
        }
    }
    zones
}

/// Looks for what is indented because of an edit.
struct Finder<'a, 'b> {
    plants: [&'a Plant; 2],
    script: &'b Script<'a>,
    order: &'b Order,
}

impl Finder<'_, '_> {
    /// Islands that are indented by what is put around them, or was.
    fn around_islands(&self) -> Vec<(u32, Found)> {
        let islands = &self.script.islands;
        let mut found = Vec::new();
        for (i, island) in islands.iter().enumerate() {
            let indent = [OLD, NEW].map(|side| {
                let plant = self.plants[side];
                let node = island.nodes[side];
                let top = if island.around[side] == NONE { node } else { island.around[side] };
                // A block starts with its first statement, and is indented against what it is the block of.
                let is_block = plant.sort(top) == Sort::List;
                let around = plant.parent(top).filter(|_| is_block).unwrap_or(top);
                self.indent_beyond(side, node, around).unwrap_or(0..0)
            });
            let mut tokens = [OLD, NEW].map(|side| self.plants[side].token_range(island.nodes[side]));
            let parents = |nodes: [Node; 2]| [OLD, NEW].map(|side| self.plants[side].parent(nodes[side]));
            if let Some(next) = islands.get(i + 1)
                && next.edit == island.edit
                && parents(next.nodes) == parents(island.nodes)
            {
                // What else comes and goes between two islands is indented like them.
                for (side, tokens) in tokens.iter_mut().enumerate() {
                    tokens.end = self.plants[side].token_range(next.nodes[side]).start;
                }
            }
            if indent.iter().any(|range| !range.is_empty()) {
                let moving = self.moving(island.nodes[OLD]);
                found.push((island.edit, Found { indent, tokens, moving }));
            }
        }
        found
    }

    /// The edits that take an old node that is kept from its place, and put it at its new one.
    fn moving(&self, node: Node) -> Option<[u32; 2]> {
        let mut around = std::iter::once(node).chain(self.plants[OLD].ancestors(node));
        around.find_map(|node| {
            let away = *self.script.moves[OLD].get(&node)?;
            let here = self.script.moves[NEW][&self.script.matching.moved[OLD][&node]];
            Some([away, here])
        })
    }

    /// Moved parts that are indented as it befits their place.
    fn moved(&self) -> Vec<Zone> {
        let mut items: Vec<Option<Range<usize>>> = vec![None; self.order.places.len()];
        for (i, item) in self.order.items.iter().enumerate().filter(|(_, item)| item.place != 0) {
            let range = items[item.place as usize].get_or_insert(i..i);
            range.end = i + 1;
        }
        let zone = |(place, items): (usize, Option<Range<usize>>)| {
            let side = usize::from(matches!(self.order.places[place].last()?, Literal::When(_)));
            let [old, new] = self.order.movables[place];
            let indent = [self.indent(OLD, old)?, self.indent(NEW, new)?];
            Some(Zone { items: items?, when: When::Place(side), indent })
        };
        items.into_iter().enumerate().filter_map(zone).collect()
    }

    /// Lists whose elements are indented differently in both versions, though nothing was put around them.
    fn restyled(&self) -> Vec<Found> {
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
                    found.push(Found { indent: indents, tokens: [a, b], moving: self.moving(list) });
                }
            }
        }
        found
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
