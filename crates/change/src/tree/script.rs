//! The matching as edits: which token comes or goes with which, and which edit needs which.
//!
//! Two nodes that belong together differ in their children. What of these are *elements* of a list come and go one
//! by one. All the rest of a node changes at once, from its old form to its new: both were seen, so both are right,
//! whatever the grammar says. Only what fills the same field on both sides is exchanged by itself.
//!
//! Inside what comes or goes as a whole, elements of lists are edits of their own again, nested in the first. And
//! islands, parts that stay while things around them come or go, are compared on their own: a wrapper is an
//! insertion with a hole.
//!
//! ```text
//!     a(); b();                      if (c) { log(); a(); b(2); }
//!                                    ^^^^^^^^              ^    ^   insert k
//!                                             ^^^^^^               insert, nested in k
//!                                                      ^    ^      kept, and an edit inside `b`
//! ```

mod claims;
mod separators;

use self::separators::Units;
use super::habits::{Habits, Part};
use super::matching::Matching;
use super::plant::{NONE, Plant};
use crate::change::Kind;
use crate::patchwork::Detail;
use nub_syntax::Node;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How grammars call statements that leave a block.
const LEAVING: [&str; 5] = ["return", "throw", "raise", "break", "continue"];

/// How grammars call the tags that close elements.
const CLOSING: [&str; 3] = ["ETag", "end_tag", "jsx_closing_element"];

/// One edit.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) kind: Kind,
    /// The edit it lies inside, or [`NONE`].
    pub(crate) parent: u32,
    /// The nodes it is about in the old and the new tree.
    pub(crate) tops: Tops,
    /// How many tokens come or go with it.
    pub(crate) weight: u32,
    /// Whether it can be there without the edit it lies inside: a statement without what is around it.
    pub(crate) is_loose: bool,
}

/// A part that stays while `edit` exchanges what is around it.
#[derive(Debug)]
pub(crate) struct Island {
    pub(crate) edit: u32,
    /// The part in the old and the new tree.
    pub(crate) nodes: [Node; 2],
    /// The outermost node around it that the edit takes away or puts in, or [`NONE`].
    pub(crate) around: [Node; 2],
}

/// All edits between two trees.
pub(crate) struct Script<'a> {
    plants: [&'a Plant; 2],
    habits: &'a Habits,
    pub(crate) matching: Matching,
    pub(crate) edits: Vec<Edit>,
    /// The edit each token comes or goes with, or [`NONE`].
    pub(crate) owner: [Vec<u32>; 2],
    pub(crate) islands: Vec<Island>,
    /// Which edit needs which, beside nesting.
    pub(crate) needs: Vec<(u32, u32)>,
    /// An edit of the brackets in a statement that lines would end otherwise, by the old statement.
    pub(crate) bracketing: HashMap<Node, u32>,
    /// The edits that take things from their old place, and those that put them at the new one, by these places.
    pub(crate) moves: [BTreeMap<Node, u32>; 2],
    /// Edits that take something away and those that put the same in elsewhere.
    pub(crate) twins: Vec<(u32, u32)>,
    /// The edit that takes away, or puts in, what a move takes something out of, or puts it into.
    pub(crate) inside: [HashMap<u32, u32>; 2],
    /// Whether statements are held together by their indentation.
    is_indented: bool,
    /// Whether the elements of every list that comes or goes are edits of their own, however small it is.
    splits_all: bool,
    pending: Vec<(Node, Node)>,
}

/// Nodes of the old and the new tree.
type Tops = [Vec<Node>; 2];

fn is_empty(tops: &Tops) -> bool {
    tops.iter().all(Vec::is_empty)
}

/// Old elements, and the new ones that take their place.
#[derive(Clone, Copy)]
struct Slot {
    first: [Node; 2],
    last: [Node; 2],
}

/// What becomes of the elements of two lists that belong together.
#[derive(Default)]
struct List {
    /// Old and new elements of which one or the other are there in every config.
    slots: Vec<Slot>,
    /// Elements that come and go by themselves, by gap.
    free: Vec<Tops>,
    /// The edit of each element that has one.
    edits: [HashMap<Node, u32>; 2],
    /// The parts of elements that stay, with the elements they are in.
    islands: Vec<[[Node; 2]; 2]>,
}

/// How an element fares that has no partner in its own list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It stands elsewhere, deeper or less deep.
    Island,
    Moved,
    Free,
}

/// The old text, where there is one thing for each.
pub(crate) const OLD: usize = 0;
/// The new text.
pub(crate) const NEW: usize = 1;

impl<'a> Script<'a> {
    pub(crate) fn of(
        plants: [&'a Plant; 2],
        habits: &'a Habits,
        matching: Matching,
        detail: Detail,
    ) -> Script<'a> {
        let owner = plants.map(|plant| vec![NONE; plant.len()]);
        let mut script = Script {
            plants,
            habits,
            matching,
            edits: Vec::new(),
            owner,
            islands: Vec::new(),
            needs: Vec::new(),
            bracketing: HashMap::new(),
            moves: [BTreeMap::new(), BTreeMap::new()],
            twins: Vec::new(),
            inside: [HashMap::new(), HashMap::new()],
            is_indented: habits.is_indented(plants),
            splits_all: detail == Detail::Parts,
            pending: vec![(0, 0)],
        };
        while let Some((o, n)) = script.pending.pop() {
            script.pair(o, n);
        }
        if script.is_indented {
            script.brackets();
        }
        script.tags();
        script.find_twins();
        script.needs_of_loose();
        script.needs.retain(|(dependent, needed)| dependent != needed);
        script.needs.sort_unstable();
        script.needs.dedup();
        script
    }

    fn edit(&mut self, kind: Kind, parent: u32, tops: Tops) -> u32 {
        self.edits.push(Edit { kind, parent, tops, weight: 0, is_loose: false });
        self.edits.len() as u32 - 1
    }

    /// Makes an edit of some nodes, and lets it have all that is in them.
    fn exchange(&mut self, tops: Tops) -> u32 {
        let is_there = |side: usize| tops[side].iter().any(|&top| self.fate(side, top) == Fate::Free);
        let kind = match (is_there(OLD), is_there(NEW)) {
            (true, true) => Kind::Replace,
            (true, false) => Kind::Delete,
            _ => Kind::Insert,
        };
        let k = self.edit(kind, NONE, tops.clone());
        for (side, tops) in tops.iter().enumerate() {
            tops.iter().for_each(|&top| self.claim(side, top, k));
        }
        k
    }

    fn fate(&self, side: usize, node: Node) -> Fate {
        match () {
            _ if self.matching.is_moved(side, node) => Fate::Moved,
            _ if self.matching.partner[side][node as usize] != NONE => Fate::Island,
            _ => Fate::Free,
        }
    }

    fn pair(&mut self, o: Node, n: Node) {
        let [old, new] = self.plants;
        if old.hash(o) == new.hash(n) {
            return;
        }
        if old.is_token(o) && new.is_token(n) {
            let k = self.edit(Kind::Replace, NONE, [vec![o], vec![n]]);
            self.own(OLD, o, k);
            self.own(NEW, n, k);
            return;
        }
        let (gaps, pairs) = self.gaps(o, n);
        let is_only = gaps.len() == 1;
        let is_element = |&&(o, _): &&(Node, Node)| self.part(OLD, o) == Part::Element;
        let slot = |&(o, n): &(Node, Node)| Slot { first: [o, n], last: [o, n] };
        let mut list = List { slots: pairs.iter().filter(is_element).map(slot).collect(), ..List::default() };
        let mut joined = Tops::default();
        // Where separators follow no rule, nothing can come or go alone.
        let units = [(old, o), (new, n)].map(|(plant, node)| Units::of(plant, self.habits, node));
        let is_regular = units.iter().all(|units| units.is_regular);
        let mut beside: Vec<(Tops, u32)> = Vec::new();
        for gap in &gaps {
            // What became part of the frame, or comes from there, is treated as such.
            let mut crossing: HashSet<(usize, Node)> = HashSet::new();
            let islands = self.islands_in(gap);
            let mut known = usize::MAX;
            while known != crossing.len() {
                known = crossing.len();
                for &[_, [a, b]] in &islands {
                    let ends = [(OLD, a), (NEW, b)];
                    let differ = self.part(OLD, a) != self.part(NEW, b);
                    if differ || ends.iter().any(|end| crossing.contains(end)) {
                        crossing.extend(ends);
                    }
                }
            }
            let of = |side: usize, part: Part| -> Vec<Node> {
                let part_of = |c: Node| match crossing.contains(&(side, c)) || !is_regular {
                    true => Part::Frame,
                    false => self.part(side, c),
                };
                gap[side].iter().copied().filter(|&c| part_of(c) == part).collect()
            };
            let frames = [of(OLD, Part::Frame), of(NEW, Part::Frame)];
            let elements = [of(OLD, Part::Element), of(NEW, Part::Element)];
            if !is_empty(&frames) {
                if is_regular && self.is_slot(&frames, is_only && is_empty(&elements)) {
                    let k = self.exchange(frames.clone());
                    self.keep_islands(&frames, |_| k);
                    beside.push((gap.clone(), k));
                } else {
                    (0..2).for_each(|side| joined[side].extend(&frames[side]));
                }
            }
            if !is_empty(&elements) {
                self.elements(&elements, &mut list);
            }
        }
        if !is_empty(&joined) || !is_regular {
            let k = self.exchange(joined.clone());
            self.keep_islands(&joined, |_| k);
            beside.extend(gaps.iter().map(|gap| (gap.clone(), k)));
            if !is_regular {
                for (side, units) in units.iter().enumerate() {
                    units.separators.iter().for_each(|&(separator, _)| self.own(side, separator, k));
                }
            }
        }
        self.free_elements((o, n), &mut list);
        self.between_islands(&list);
        self.beside_frames(&beside, &list);
        if is_regular {
            self.separators((o, n), &units, &list);
        }
        self.pending.extend(pairs);
    }

    fn part(&self, side: usize, node: Node) -> Part {
        self.habits.part(self.plants[side], node)
    }

    /// The children of two nodes: those paired, and those between them. Separators are neither.
    fn gaps(&self, o: Node, n: Node) -> (Vec<Tops>, Vec<(Node, Node)>) {
        let [old, new] = self.plants;
        let mut news = new.children(n).filter(|&c| self.part(NEW, c) != Part::Separator).peekable();
        let (mut gaps, mut pairs) = (Vec::new(), Vec::new());
        let mut gap = Tops::default();
        for child in old.children(o).filter(|&c| self.part(OLD, c) != Part::Separator) {
            let partner = self.matching.kept(OLD, child).filter(|&p| new.parent(p) == Some(n));
            match partner {
                None => gap[OLD].push(child),
                Some(partner) => {
                    while let Some(other) = news.next_if(|&c| c != partner) {
                        gap[NEW].push(other);
                    }
                    news.next();
                    pairs.push((child, partner));
                    gaps.push(std::mem::take(&mut gap));
                }
            }
        }
        gap[NEW].extend(news);
        gaps.push(gap);
        gaps.retain(|gap| !is_empty(gap));
        (gaps, pairs)
    }

    /// Whether one thing stands for another in the same place, whatever else changes around them.
    fn is_slot(&self, frames: &Tops, is_only: bool) -> bool {
        match (&frames[OLD][..], &frames[NEW][..]) {
            ([o], [n]) => {
                let field = self.plants[OLD].field(*o);
                is_only || field != 0 && field == self.plants[NEW].field(*n)
            }
            _ => is_only,
        }
    }

    /// The parts below some nodes that are kept: old and new node, and those of the nodes they lie in.
    fn islands_in(&self, tops: &Tops) -> Vec<[[Node; 2]; 2]> {
        let mut islands = Vec::new();
        for &top in &tops[OLD] {
            let mut node = top;
            let end = top + self.plants[OLD].size(top);
            while node < end {
                match self.matching.kept(OLD, node) {
                    Some(partner) => {
                        let at = tops[NEW].partition_point(|&t| t <= partner).checked_sub(1);
                        let other = at.map(|i| tops[NEW][i]);
                        let other = other.filter(|&t| self.plants[NEW].contains(t, partner));
                        islands.extend(other.map(|other| [[node, partner], [top, other]]));
                        node += self.plants[OLD].size(node);
                    }
                    None if self.matching.is_moved(OLD, node) => node += self.plants[OLD].size(node),
                    None => node += 1,
                }
            }
        }
        islands
    }

    /// Notes the islands below some nodes, each for the edit of the new node it lies in, and goes on inside them.
    fn keep_islands(&mut self, tops: &Tops, edit_of: impl Fn(Node) -> u32) {
        for [nodes, around] in self.islands_in(tops) {
            let edit = edit_of(around[NEW]);
            let around = [0, 1].map(|side| if around[side] == nodes[side] { NONE } else { around[side] });
            self.islands.push(Island { edit, nodes, around });
            self.pending.push((nodes[OLD], nodes[NEW]));
        }
    }

    /// Makes one edit of elements in a gap that share islands; the others are free.
    fn elements(&mut self, elements: &Tops, list: &mut List) {
        let islands = self.islands_in(elements);
        let index = |side: usize, top: Node| {
            let i = elements[side].binary_search(&top).expect("islands lie in the elements of the gap");
            side * elements[OLD].len() + i
        };
        let mut groups: Vec<usize> = (0..elements[OLD].len() + elements[NEW].len()).collect();
        let find = |groups: &[usize], mut i: usize| {
            while groups[i] != i {
                i = groups[i];
            }
            i
        };
        for [_, [a, b]] in &islands {
            let (a, b) = (find(&groups, index(OLD, *a)), find(&groups, index(NEW, *b)));
            groups[a.max(b)] = a.min(b);
        }
        let mut members: BTreeMap<usize, Tops> = BTreeMap::new();
        for (side, nodes) in elements.iter().enumerate() {
            for &node in nodes {
                members.entry(find(&groups, index(side, node))).or_default()[side].push(node);
            }
        }
        let mut free = Tops::default();
        for tops in members.values() {
            if tops.iter().all(|nodes| !nodes.is_empty()) {
                self.tie(tops.clone(), list);
            } else {
                (0..2).for_each(|side| free[side].extend(&tops[side]));
            }
        }
        free.iter_mut().for_each(|nodes| nodes.sort_unstable());
        self.keep_islands(elements, |top| list.edits[NEW][&top]);
        list.islands.extend(islands);
        list.free.push(free);
    }

    /// Makes one edit of old and new elements.
    fn tie(&mut self, tops: Tops, list: &mut List) {
        let k = self.exchange(tops.clone());
        let ends = tops.each_ref().map(|nodes| (nodes[0], nodes[nodes.len() - 1]));
        list.slots.push(Slot { first: ends.map(|(first, _)| first), last: ends.map(|(_, last)| last) });
        for (edits, tops) in list.edits.iter_mut().zip(&tops) {
            edits.extend(tops.iter().map(|&top| (top, k)));
        }
    }

    /// Makes an edit for each free element.
    fn free_elements(&mut self, (o, n): (Node, Node), list: &mut List) {
        let [old, new] = self.plants;
        let mut left = Tops::default();
        for free in std::mem::take(&mut list.free) {
            let is_free = |side: usize| -> Vec<Node> {
                let is_free = |&&node: &&Node| self.fate(side, node) == Fate::Free;
                free[side].iter().filter(is_free).copied().collect()
            };
            let (olds, news) = (is_free(OLD), is_free(NEW));
            let are_items = olds.iter().all(|&o| old.is_item(o)) && news.iter().all(|&n| new.is_item(n));
            // What stands on different sides of something tied already cannot take each other's place.
            let tied: Vec<Slot> = list
                .slots
                .iter()
                .filter(|slot| list.edits[NEW].contains_key(&slot.first[NEW]))
                .copied()
                .collect();
            let crosses = |o: Node, n: Node| tied.iter().any(|t| (t.first[OLD] < o) != (t.first[NEW] < n));
            let ties: Vec<(Node, Node)> = match are_items {
                // With both ends of a block the second is never reached, with none the block may not end.
                true => self.ends_of_blocks(&olds, &news).into_iter().collect(),
                false => olds.iter().copied().zip(news.iter().copied()).collect(),
            };
            for (o, n) in ties.into_iter().filter(|&(o, n)| !crosses(o, n)) {
                self.tie([vec![o], vec![n]], list);
            }
            for side in 0..2 {
                let is_left = |node: &&Node| !list.edits[side].contains_key(node);
                left[side].extend(free[side].iter().filter(is_left));
            }
        }
        let may_be_empty = self.habits.may_be_empty(old, o) && self.habits.may_be_empty(new, n);
        let must_stay = list.slots.is_empty() && !may_be_empty;
        if must_stay {
            let first = |side: usize| left[side].iter().position(|&node| self.fate(side, node) == Fate::Free);
            if let (Some(i), Some(j)) = (first(OLD), first(NEW)) {
                let (o, n) = (left[OLD].remove(i), left[NEW].remove(j));
                self.tie([vec![o], vec![n]], list);
            }
        }
        for side in 0..2 {
            for &node in &left[side] {
                let k = match self.fate(side, node) {
                    Fate::Moved => self.move_of(side, node),
                    _ => {
                        let mut tops = Tops::default();
                        tops[side].push(node);
                        self.exchange(tops)
                    }
                };
                list.edits[side].insert(node, k);
            }
        }
        if must_stay
            && list.slots.is_empty()
            && let Some(first) = left[NEW].first()
        {
            let needed = list.edits[NEW][first];
            let gone = left[OLD].iter().map(|node| (list.edits[OLD][node], needed));
            self.needs.extend(gone.filter(|&(k, needed)| k != needed));
        }
    }

    /// An old and a new statement that leave a block at its end.
    fn ends_of_blocks(&self, olds: &[Node], news: &[Node]) -> Option<(Node, Node)> {
        let ends = |side: usize, nodes: &[Node]| {
            let plant = self.plants[side];
            let &last = nodes.last()?;
            let mut after = plant.parent(last).into_iter().flat_map(|list| plant.children(list));
            let is_last = !after.any(|c| c > last && self.part(side, c) == Part::Element);
            let leaves = LEAVING.iter().any(|word| plant.kind_name(last).starts_with(word));
            (is_last && leaves).then_some(last)
        };
        Some((ends(OLD, olds)?, ends(NEW, news)?))
    }

    /// What comes or goes between two islands must have a place there in both forms of what is around them.
    fn between_islands(&mut self, list: &List) {
        for (side, other) in [(NEW, OLD), (OLD, NEW)] {
            let mut own: Vec<(Node, u32)> = list.edits[side].iter().map(|(&node, &k)| (node, k)).collect();
            own.sort_unstable();
            for (element, k) in own {
                let at = list.islands.partition_point(|[nodes, _]| nodes[side] < element);
                let (Some(before), Some(after)) =
                    (at.checked_sub(1).map(|i| list.islands[i]), list.islands.get(at))
                else {
                    continue;
                };
                let around = before[1][other];
                if around != after[1][other] || before[1][side] == element || after[1][side] == element {
                    continue;
                }
                let whole = list.edits[other][&around];
                let plant = self.plants[other];
                let parent = plant.parent(before[0][other]);
                let is_one_list = parent == plant.parent(after[0][other]);
                let fits = parent.is_some_and(|parent| {
                    let takes = self.habits.takes((plant, parent), (self.plants[side], element));
                    is_one_list && takes && self.plants[side].is_item(element)
                });
                if !fits && whole != k {
                    self.needs.push(if side == NEW { (k, whole) } else { (whole, k) });
                }
            }
        }
    }

    /// What has a place of its own in a list comes after old elements beside it are gone, and goes before new ones
    /// come: in between it might stand on the wrong side of them.
    fn beside_frames(&mut self, beside: &[(Tops, u32)], list: &List) {
        for (gap, k) in beside {
            let has_frame =
                [OLD, NEW].map(|side| gap[side].iter().any(|&node| self.part(side, node) == Part::Frame));
            for side in 0..2 {
                if !has_frame[1 - side] {
                    continue;
                }
                for other in gap[side].iter().filter_map(|node| list.edits[side].get(node)) {
                    self.needs.push(if side == OLD { (*k, *other) } else { (*other, *k) });
                }
            }
        }
    }

    /// Where lines end statements, one that loses brackets around several lines changes as a whole; but not for what has
    /// brackets of its own, in which lines mean nothing.
    fn brackets(&mut self) {
        let [old, new] = self.plants;
        let has_own = |island: &Island| {
            opens_with_bracket(old, island.nodes[OLD]) && opens_with_bracket(new, island.nodes[NEW])
        };
        // The edits of each statement that take brackets away from around a part of it, or put them there.
        let mut statements: BTreeMap<Node, [BTreeSet<u32>; 2]> = BTreeMap::new();
        let is_part = |island: &&Island| !old.is_item(island.nodes[OLD]) && !has_own(island);
        for island in self.islands.iter().filter(is_part) {
            let mut around = old.ancestors(island.nodes[OLD]);
            let Some(statement) = around.find(|&node| old.is_item(node)) else { continue };
            let brackets = [OLD, NEW].map(|side| self.bracket(side, island));
            let is_long = |node: Node| old.spelled(node).contains(&b'\n');
            let edits = statements.entry(statement).or_default();
            edits[OLD].extend(brackets[OLD].filter(|&node| is_long(node)).map(|_| island.edit));
            edits[NEW].extend(brackets[NEW].map(|_| island.edit));
        }
        for (statement, [gone, come]) in statements {
            let Some(&first) = gone.union(&come).next() else { continue };
            self.bracketing.insert(statement, first);
            if !gone.is_empty() {
                let mut all = self.edits_in(OLD, statement);
                let partner = self.matching.partner[OLD][statement as usize];
                all.extend((partner != NONE).then(|| self.edits_in(NEW, partner)).into_iter().flatten());
                self.needs.extend(all.iter().flat_map(|&k| [(k, first), (first, k)]));
            }
        }
    }

    /// Lets what could stand without the edit it lies inside need all that this one needs to stand there.
    fn needs_of_loose(&mut self) {
        let mut needs: [HashMap<u32, Vec<u32>>; 2] = [HashMap::new(), HashMap::new()];
        for &(dependent, needed) in &self.needs {
            needs[OLD].entry(needed).or_default().push(dependent);
            needs[NEW].entry(dependent).or_default().push(needed);
        }
        for (k, edit) in (0..).zip(&self.edits).filter(|(_, edit)| edit.is_loose) {
            let side = if edit.kind == Kind::Delete { OLD } else { NEW };
            let others = needs[side].get(&edit.parent).cloned().unwrap_or_default();
            self.needs.extend(others.iter().map(|&other| if side == OLD { (other, k) } else { (k, other) }));
            needs[side].entry(k).or_default().extend(others);
        }
    }

    /// The names in the two tags of an element change together.
    fn tags(&mut self) {
        for side in 0..2 {
            let plant = self.plants[side];
            for closing in (1..plant.len() as Node).filter(|&node| CLOSING.contains(&plant.kind_name(node))) {
                let named =
                    |tag: Node| plant.subtree(tag).find(|&node| plant.is_token(node) && plant.is_named(node));
                let opening = plant.parent(closing).and_then(|element| plant.children(element).next());
                let names = [named(closing), opening.and_then(named)];
                let edits = names.map(|name| name.map_or(NONE, |name| self.owner[side][name as usize]));
                if let [a, b] = edits
                    && a != b
                    && !edits.contains(&NONE)
                {
                    self.needs.extend([(a, b), (b, a)]);
                }
            }
        }
    }

    /// The edits of the tokens of a statement, without those of statements in it.
    fn edits_in(&self, side: usize, top: Node) -> BTreeSet<u32> {
        let plant = self.plants[side];
        let mut edits = BTreeSet::new();
        let mut node = top;
        while node < top + plant.size(top) {
            if node != top && plant.is_item(node) {
                node += plant.size(node);
                continue;
            }
            edits.extend(Some(self.owner[side][node as usize]).filter(|&k| k != NONE));
            node += 1;
        }
        edits
    }

    /// The outermost part in brackets that an edit takes away from around an island, or puts there.
    fn bracket(&self, side: usize, island: &Island) -> Option<Node> {
        let (plant, top) = (self.plants[side], island.around[side]);
        let is_bracketed = |&node: &Node| opens_with_bracket(plant, node);
        let inside = |&node: &Node| top != NONE && plant.contains(top, node);
        plant.ancestors(island.nodes[side]).take_while(inside).filter(is_bracketed).last()
    }

    /// The edit that takes a moved node from its old place, or puts it at its new one.
    ///
    /// These are two: where it is enough to take something out, nobody wants to put it in as well.
    fn move_of(&mut self, side: usize, node: Node) -> u32 {
        if let Some(&k) = self.moves[side].get(&node) {
            return k;
        }
        let other = self.matching.moved[side][&node];
        let (o, n) = if side == OLD { (node, other) } else { (other, node) };
        let away = self.edit(Kind::Delete, NONE, [vec![o], vec![]]);
        let here = self.edit(Kind::Insert, NONE, [vec![], vec![n]]);
        self.edits[away as usize].weight = self.plants[OLD].n_tokens(o);
        self.edits[here as usize].weight = self.plants[NEW].n_tokens(n);
        self.moves[OLD].insert(o, away);
        self.moves[NEW].insert(n, here);
        self.twins.push((away, here));
        self.pending.push((o, n));
        if side == OLD { away } else { here }
    }

    /// Finds the edits of what moved as it is, part by part.
    fn find_twins(&mut self) {
        let mut of_top: [HashMap<Node, u32>; 2] = [HashMap::new(), HashMap::new()];
        for (k, edit) in (0..).zip(&self.edits) {
            match (&edit.tops[OLD][..], &edit.tops[NEW][..]) {
                ([o], []) => drop(of_top[OLD].insert(*o, k)),
                ([], [n]) => drop(of_top[NEW].insert(*n, k)),
                _ => {}
            }
        }
        for (&o, &n) in &self.matching.twins[OLD] {
            let parts = self.plants[OLD].subtree(o).zip(self.plants[NEW].subtree(n));
            self.twins
                .extend(parts.filter_map(|(o, n)| Some((*of_top[OLD].get(&o)?, *of_top[NEW].get(&n)?))));
        }
    }

    /// Lets the first of some elements be there whenever another is.
    fn needs_first(&mut self, side: usize, edits: &[u32]) {
        let Some((&first, others)) = edits.split_first() else { return };
        let others = others.iter().filter(|&&other| other != first);
        self.needs.extend(others.map(|&other| if side == OLD { (first, other) } else { (other, first) }));
    }
}

fn opens_with_bracket(plant: &Plant, node: Node) -> bool {
    plant.children(node).next().is_some_and(|first| matches!(plant.spelled(first), b"(" | b"[" | b"{"))
}
