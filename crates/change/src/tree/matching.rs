//! Which node of the new tree each node of the old one became.
//!
//! From the roots down: two nodes that belong together have their children aligned, first those that read the same,
//! then declarations of one name, then what is most alike. Each step works in the stretches the step before left
//! over, so that most of a large text is compared once, by hash. What is left is searched for *islands*: parts that
//! lie deeper in one version than in the other, because something was put around them, or taken away from around
//! them (GumTree's top-down and bottom-up phases, inside one stretch). Up to here the order of nodes is the same in
//! both trees; last, what was left over on both sides and reads the same, or has the same name, has *moved*.
//!
//! Why top-down by context and not by hash over the whole file, as GumTree does? A `return 0;` has hundreds of
//! equals in a large file; its place tells which one is meant, and a wrong pair costs two moves.

use super::habits::{Habits, Part};
use super::names::Names;
use super::plant::{NONE, Plant, Sort};
use crate::lines::{interned, unique_in_order};
use crate::words::{self, Bag};
use imara_diff::{Algorithm, Diff};
use nub_syntax::Node;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

/// Beyond so many pairs children are not compared each with each.
const MANY_PAIRS: usize = 1 << 12;
/// From this likeness on, in thousandths, two statements or declarations are two forms of one.
const ITEMS_ALIKE: u32 = 500;
/// From this likeness on two nodes in the same place are two forms of one.
const PARTS_ALIKE: u32 = 300;
/// Fewer tokens than this are no reason to join two statements, or to call one moved.
const FEW_TOKENS: u32 = 4;

/// Old nodes and what they became.
pub(crate) struct Matching {
    /// The new node of each old one, and the old of each new one; [`NONE`] for those without.
    pub(crate) partner: [Vec<u32>; 2],
    /// Old and new place of what moved as one, and perhaps changed on the way; their subtrees are matched like any
    /// other.
    pub(crate) moved: [BTreeMap<Node, Node>; 2],
    /// Old and new place of what moved as it is: these are no partners, each part of them may go or come alone.
    pub(crate) twins: [BTreeMap<Node, Node>; 2],
}

impl Matching {
    pub(crate) fn find(old: &Plant, new: &Plant, habits: &Habits, names: &Names) -> Matching {
        let partner = [vec![NONE; old.len()], vec![NONE; new.len()]];
        let matching =
            Matching { partner, moved: [BTreeMap::new(), BTreeMap::new()], twins: Default::default() };
        let twins = twins(old, new);
        let mut matcher = Matcher { old, new, habits, names, matching, twins, pending: vec![(0, 0)] };
        matcher.run();
        matcher.moves();
        matcher.matching
    }

    pub(crate) fn is_moved(&self, side: usize, node: Node) -> bool {
        self.moved[side].contains_key(&node)
    }

    /// Whether a node stands elsewhere in the other text, changed or not.
    pub(crate) fn moves(&self, side: usize, node: Node) -> bool {
        self.is_moved(side, node) || self.twins[side].contains_key(&node)
    }

    /// The partner of a node at the same place in the order of things.
    pub(crate) fn kept(&self, side: usize, node: Node) -> Option<Node> {
        let partner = self.partner[side][node as usize];
        (partner != NONE && !self.is_moved(side, node)).then_some(partner)
    }
}

struct Matcher<'a> {
    old: &'a Plant,
    new: &'a Plant,
    habits: &'a Habits,
    names: &'a Names,
    matching: Matching,
    /// Hashes of statements and declarations that are once in each tree.
    twins: HashSet<u64>,
    pending: Vec<(Node, Node)>,
}

/// The steps of an alignment.
#[derive(Clone, Copy)]
enum By {
    Hash,
    Signature,
    Name,
    Likeness,
    Namesake,
}

/// Of what has one name, and is there more often in one version, likeness tells who is whom.
fn is_as_often(old: usize, new: usize) -> bool {
    old == new
}

impl Matcher<'_> {
    fn run(&mut self) {
        while let Some((o, n)) = self.pending.pop() {
            self.pair(o, n);
        }
    }

    fn pair(&mut self, o: Node, n: Node) {
        let [old_partner, new_partner] = &mut self.matching.partner;
        if self.old.hash(o) == self.new.hash(n) && self.old.size(o) == self.new.size(n) {
            for (o, n) in self.old.subtree(o).zip(self.new.subtree(n)) {
                old_partner[o as usize] = n;
                new_partner[n as usize] = o;
            }
            return;
        }
        old_partner[o as usize] = n;
        new_partner[n as usize] = o;
        let children = |plant: &Plant, node: Node| -> Vec<Node> {
            plant.children(node).filter(|&c| self.habits.part(plant, c) != Part::Separator).collect()
        };
        let (olds, news) = (children(self.old, o), children(self.new, n));
        let mut pairs = Vec::new();
        self.align(By::Hash, &olds, &news, &mut pairs);
        let (mut i, mut j) = (0, 0);
        for &(a, b) in pairs.iter().chain([&(olds.len(), news.len())]) {
            self.islands(&olds[i..a], &news[j..b]);
            (i, j) = (a + 1, b + 1);
        }
        self.pending.extend(pairs.iter().map(|&(a, b)| (olds[a], news[b])));
    }

    /// Pairs of children in order; positions in the lists.
    fn align(&self, by: By, olds: &[Node], news: &[Node], pairs: &mut Vec<(usize, usize)>) {
        if olds.is_empty() || news.is_empty() {
            return;
        }
        let (found, next) = match by {
            By::Hash => {
                let hashes =
                    |plant: &Plant, nodes: &[Node]| nodes.iter().map(|&n| plant.hash(n)).collect::<Vec<_>>();
                (common(&hashes(self.old, olds), &hashes(self.new, news)), By::Signature)
            }
            By::Signature => (self.by_key(olds, news, true, is_as_often), By::Name),
            By::Name => (self.by_key(olds, news, false, is_as_often), By::Likeness),
            By::Likeness => (self.by_likeness(olds, news), By::Namesake),
            By::Namesake => {
                pairs.extend(self.by_key(olds, news, false, |_, _| true));
                return;
            }
        };
        let (mut i, mut j) = (0, 0);
        for (a, b) in found.into_iter().chain([(olds.len(), news.len())]) {
            let first = pairs.len();
            self.align(next, &olds[i..a], &news[j..b], pairs);
            pairs[first..].iter_mut().for_each(|pair| *pair = (pair.0 + i, pair.1 + j));
            if a < olds.len() && b < news.len() {
                pairs.push((a, b));
            }
            (i, j) = (a + 1, b + 1);
        }
    }

    /// Declarations with the same name, and parameters if these are to be the same too, that are there so often.
    fn by_key(
        &self,
        olds: &[Node],
        news: &[Node],
        with_parameters: bool,
        so_often: fn(usize, usize) -> bool,
    ) -> Vec<(usize, usize)> {
        let keyed = |plant: &Plant, nodes: &[Node]| -> Vec<(usize, u64)> {
            let key = |(i, &node): (usize, &Node)| Some((i, self.names.key(plant, node, with_parameters)?));
            nodes.iter().enumerate().filter_map(key).collect()
        };
        let (mut a, mut b) = (keyed(self.old, olds), keyed(self.new, news));
        let mut counts: HashMap<u64, [usize; 2]> = HashMap::new();
        for (side, keyed) in [&a, &b].into_iter().enumerate() {
            keyed.iter().for_each(|(_, key)| counts.entry(*key).or_default()[side] += 1);
        }
        for keyed in [&mut a, &mut b] {
            keyed.retain(|(_, key)| so_often(counts[key][0], counts[key][1]));
        }
        let keys = |keyed: &[(usize, u64)]| keyed.iter().map(|&(_, key)| key).collect::<Vec<u64>>();
        common(&keys(&a), &keys(&b)).into_iter().map(|(i, j)| (a[i].0, b[j].0)).collect()
    }

    /// The pairs in order with the greatest sum of likeness.
    fn by_likeness(&self, olds: &[Node], news: &[Node]) -> Vec<(usize, usize)> {
        let (m, n) = (olds.len(), news.len());
        if m * n > MANY_PAIRS {
            return self.by_kind(olds, news);
        }
        let (mut old_inside, mut new_inside) = self.wrapped(olds, news);
        // What reads the same elsewhere has moved there, and is nothing else's former self.
        for (plant, nodes, is_elsewhere) in
            [(self.old, olds, &mut old_inside), (self.new, news, &mut new_inside)]
        {
            for (node, is_elsewhere) in nodes.iter().zip(is_elsewhere) {
                *is_elsewhere |= plant.is_item(*node) && self.twins.contains(&plant.hash(*node));
            }
        }
        let old_bags: Vec<Bag> = olds.iter().map(|&o| bag(self.old, o)).collect();
        let new_bags: Vec<Bag> = news.iter().map(|&n| bag(self.new, n)).collect();
        let width = n + 1;
        let mut best = vec![0u32; (m + 1) * width];
        let mut alike = vec![0u32; m * n];
        for i in (0..m).rev() {
            for j in (0..n).rev() {
                let likeness = match old_inside[i] || new_inside[j] {
                    true => 0,
                    false => self.likeness((olds[i], &old_bags[i]), (news[j], &new_bags[j])),
                };
                alike[i * n + j] = likeness;
                let apart = best[(i + 1) * width + j].max(best[i * width + j + 1]);
                let paired = if likeness > 0 { likeness + best[(i + 1) * width + j + 1] } else { 0 };
                best[i * width + j] = apart.max(paired);
            }
        }
        let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
        while i < m && j < n {
            let here = best[i * width + j];
            let likeness = alike[i * n + j];
            if likeness > 0 && here == likeness + best[(i + 1) * width + j + 1] {
                pairs.push((i, j));
                (i, j) = (i + 1, j + 1);
            } else if here == best[(i + 1) * width + j] {
                i += 1;
            } else {
                j += 1;
            }
        }
        pairs
    }

    /// Where there are too many to compare: what is alone of its kind.
    fn by_kind(&self, olds: &[Node], news: &[Node]) -> Vec<(usize, usize)> {
        let kinds = |plant: &Plant, nodes: &[Node]| -> Vec<u16> {
            nodes.iter().map(|&n| plant.kind(n).number()).collect()
        };
        let is_frame = |&(i, j): &(usize, usize)| {
            !self.old.is_item(olds[i]) && self.old.field(olds[i]) == self.new.field(news[j])
        };
        let input = interned(kinds(self.old, olds).into_iter(), kinds(self.new, news).into_iter());
        unique_in_order(&input).into_iter().filter(is_frame).collect()
    }

    /// How alike two nodes are that could take each other's place; 0 if they are not two forms of one.
    fn likeness(&self, (o, old_bag): (Node, &Bag), (n, new_bag): (Node, &Bag)) -> u32 {
        let (old, new) = (self.old, self.new);
        let is_same_place = old.kind(o) == new.kind(n) && old.field(o) == new.field(n);
        if !is_same_place || old.is_token(o) != new.is_token(n) {
            return 0;
        }
        let is_element = self.habits.part(old, o) == Part::Element;
        if old.is_token(o) {
            return match (old.hash(o) == new.hash(n), is_element) {
                (true, _) => 1000,
                (false, true) => Some(old_bag.overlap(new_bag)).filter(|&l| l >= PARTS_ALIKE).unwrap_or(0),
                (false, false) => PARTS_ALIKE,
            };
        }
        if old.is_text(o) && first_token(old, o) != first_token(new, n) {
            // One kind of quote cannot close what another opened.
            return 0;
        }
        let mut likeness = old_bag.overlap(new_bag);
        if is_element && old.sort(o) == Sort::Declaration && likeness < ITEMS_ALIKE {
            likeness = self.likeness_but_for_names(o, n);
        }
        if is_import(old, o) && is_element {
            // One import has nothing to do with the next.
            return 0;
        }
        let enough = match () {
            _ if !is_element && old.sort(o) == Sort::List => return likeness.max(PARTS_ALIKE),
            _ if is_element && old.is_item(o) => ITEMS_ALIKE,
            _ => PARTS_ALIKE,
        };
        if likeness >= enough { likeness } else { 0 }
    }

    /// How alike two declarations are that may have other names.
    fn likeness_but_for_names(&self, o: Node, n: Node) -> u32 {
        let but_for_name = |plant: &Plant, node: Node| {
            let name = self.names.name(plant, node).map_or(0..0, |name| plant.subtree(name));
            let range = plant.token_range(node);
            let tokens = &plant.tokens[range.start as usize..range.end as usize];
            Bag::of(
                tokens.iter().filter(|t| !name.contains(t)).map(|&t| (plant.hash(t), plant.bytes(t).len())),
            )
        };
        but_for_name(self.old, o).overlap(&but_for_name(self.new, n))
    }

    /// Which elements of either side stand whole inside an element of the other.
    fn wrapped(&self, olds: &[Node], news: &[Node]) -> (Vec<bool>, Vec<bool>) {
        let inside = |outer: &Plant, nodes: &[Node], plant: &Plant, of: &[Node]| -> Vec<bool> {
            let tops: HashMap<u64, usize> = of
                .iter()
                .enumerate()
                .filter(|&(_, &n)| plant.n_tokens(n) >= FEW_TOKENS || !plant.is_token(n) && !plant.is_item(n))
                .map(|(i, &n)| (plant.hash(n), i))
                .collect();
            let mut is_inside = vec![false; of.len()];
            if !tops.is_empty() {
                for node in nodes.iter().flat_map(|&top| outer.subtree(top).skip(1)) {
                    if let Some(&i) = tops.get(&outer.hash(node)) {
                        is_inside[i] = true;
                    }
                }
            }
            is_inside
        };
        (inside(self.new, news, self.old, olds), inside(self.old, olds, self.new, news))
    }

    /// Finds what lies deeper on one side of a stretch of children without partners.
    fn islands(&mut self, olds: &[Node], news: &[Node]) {
        let (old, new) = (self.old, self.new);
        if olds.is_empty() || news.is_empty() {
            return;
        }
        // A slot takes one thing or another, so anything in common is worth keeping. Statements are better apart
        // than tied together by a name that both mention.
        let are_items = olds.iter().all(|&o| old.is_item(o)) && news.iter().all(|&n| new.is_item(n));
        let is_large = |plant: &Plant, node: Node| {
            let least = if plant.is_item(node) { FEW_TOKENS - 1 } else { FEW_TOKENS };
            !are_items || plant.n_tokens(node) >= least
        };
        let mut unique: HashMap<u64, [(u32, Node); 2]> = HashMap::new();
        for (side, plant, nodes) in [(0, old, olds), (1, new, news)] {
            for node in nodes.iter().flat_map(|&top| plant.subtree(top)) {
                if plant.is_named(node) {
                    let place = &mut unique.entry(plant.hash(node)).or_default()[side];
                    *place = (place.0 + 1, node);
                }
            }
        }
        let is_top = |o: Node, n: Node| olds.binary_search(&o).is_ok() && news.binary_search(&n).is_ok();
        let mut candidates: Vec<(Node, Node)> = olds
            .iter()
            .flat_map(|&top| old.subtree(top))
            .filter_map(|node| match unique.get(&old.hash(node)) {
                Some([(1, o), (1, n)]) if *o == node && !is_top(*o, *n) && self.are_quoted_alike(*o, *n) => {
                    Some((*o, *n))
                }
                _ => None,
            })
            .collect();
        candidates.sort_by_key(|&(o, _)| (std::cmp::Reverse(old.n_tokens(o)), o));
        let mut chosen = Islands::default();
        candidates.retain(|&(o, n)| chosen.add(old, new, o, n));

        // What is around an island on both sides belongs together if it is alike.
        let mut larger: Vec<(Node, Node)> = Vec::new();
        let mut seen: HashSet<(Node, Node)> = HashSet::new();
        for &(o, n) in &candidates {
            let (mut o, mut n) = (o, n);
            let (top_o, top_n) = (top(olds, o), top(news, n));
            let mut highest = None;
            while o != top_o && n != top_n {
                let (Some(a), Some(b)) = (old.parent(o), new.parent(n)) else { break };
                if is_top(a, b) || !seen.insert((a, b)) {
                    break;
                }
                let is_same = old.kind(a) == new.kind(b)
                    && (old.is_item(a) || !are_items)
                    && (!old.is_text(a) || first_token(old, a) == first_token(new, b));
                if is_same && bag(old, a).overlap(&bag(new, b)) >= ITEMS_ALIKE {
                    highest = Some((a, b));
                }
                (o, n) = (a, b);
            }
            larger.extend(highest);
        }
        larger.sort_by_key(|&(o, n)| (std::cmp::Reverse(old.n_tokens(o)), o, n));
        larger.dedup();
        let mut chosen = Islands::default();
        let mut islands: Vec<(Node, Node)> = larger;
        islands.extend(candidates);
        islands.retain(|&(o, n)| is_large(old, o) && chosen.add(old, new, o, n));
        if are_items {
            self.drop_weak(&mut islands, olds, news);
        }
        self.join(&mut islands, olds, news);
        self.pending.extend(islands);
    }

    /// Whether two nodes stand in the same sort of quotes, or in none.
    fn are_quoted_alike(&self, o: Node, n: Node) -> bool {
        let quote = |plant: &Plant, node: Node| {
            let text = plant.ancestors(node).take_while(|&a| !plant.is_item(a)).find(|&a| plant.is_text(a));
            text.map(|text| first_token(plant, text))
        };
        quote(self.old, o) == quote(self.new, n)
    }

    /// Puts two nodes of one kind for all they share, if they share nothing with others: they change as one anyway.
    fn join(&self, islands: &mut Vec<(Node, Node)>, olds: &[Node], news: &[Node]) {
        let (old, new) = (self.old, self.new);
        let mut shared: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
        let mut sharing: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
        for &(o, n) in islands.iter() {
            let (a, b) = (top(olds, o), top(news, n));
            shared.entry(a).or_default().insert(b);
            sharing.entry(b).or_default().insert(a);
        }
        for (a, bs) in shared {
            if let (Some(&b), 1) = (bs.first(), bs.len())
                && sharing[&b].len() == 1
                && old.kind(a) == new.kind(b)
                && old.field(a) == new.field(b)
                && old.is_item(a)
                && !islands.iter().any(|&(o, n)| o == a || n == b)
            {
                islands.retain(|&(o, _)| top(olds, o) != a);
                islands.push((a, b));
            }
        }
    }

    /// Drops islands that would tie statements together which have little in common.
    fn drop_weak(&self, islands: &mut Vec<(Node, Node)>, olds: &[Node], news: &[Node]) {
        let (old, new) = (self.old, self.new);
        let ends = |&(o, n): &(Node, Node)| (top(olds, o), top(news, n));
        let mut shared: HashMap<(Node, Node), u32> = HashMap::new();
        for island in islands.iter() {
            *shared.entry(ends(island)).or_default() += old.n_tokens(island.0);
        }
        islands.retain(|island| {
            let (a, b) = ends(island);
            let is_whole = (a == island.0 || b == island.1) && old.is_item(island.0);
            let least = old.n_tokens(a).min(new.n_tokens(b));
            is_whole || a != island.0 && b != island.1 && 2 * shared[&(a, b)] >= least
        });
    }

    /// Finds what was left over in both trees, elsewhere.
    fn moves(&mut self) {
        let left = |side: usize, plant: &Plant| -> Vec<Node> {
            let partner = &self.matching.partner[side];
            let is_left = |&node: &Node| {
                partner[node as usize] == NONE
                    && plant.is_item(node)
                    && plant.n_tokens(node) >= FEW_TOKENS
                    && self.habits.part(plant, node) == Part::Element
            };
            (1..plant.len() as Node).filter(is_left).collect()
        };
        let (olds, news) = (left(0, self.old), left(1, self.new));
        if olds.is_empty() || news.is_empty() {
            return;
        }
        let mut unique: HashMap<u64, [(u32, Node); 2]> = HashMap::new();
        for (side, plant, nodes) in [(0, self.old, &olds), (1, self.new, &news)] {
            for &node in nodes {
                for key in [Some(plant.hash(node)), self.names.key(plant, node, true)].into_iter().flatten() {
                    let place = &mut unique.entry(key).or_default()[side];
                    *place = (place.0 + 1, node);
                }
            }
        }
        let mut end = 0;
        let mut taken: BTreeSet<Node> = BTreeSet::new();
        for &o in olds.iter() {
            if o < end {
                continue;
            }
            for key in [Some(self.old.hash(o)), self.names.key(self.old, o, true)].into_iter().flatten() {
                if let Some(&[(1, _), (1, n)]) = unique.get(&key)
                    && !self.new.ancestors(n).any(|around| taken.contains(&around))
                    && self.may_move(o, n)
                {
                    if self.old.hash(o) == self.new.hash(n) && !self.is_reordered(o, n) {
                        self.matching.twins[0].insert(o, n);
                        self.matching.twins[1].insert(n, o);
                    } else {
                        self.matching.moved[0].insert(o, n);
                        self.matching.moved[1].insert(n, o);
                        self.pending.push((o, n));
                        self.run();
                    }
                    taken.insert(n);
                    end = o + self.old.size(o);
                    break;
                }
            }
        }
    }

    /// Whether a declaration only stands elsewhere among its sisters.
    ///
    /// Nobody wants to move it statement by statement.
    fn is_reordered(&self, o: Node, n: Node) -> bool {
        let (old, new) = (self.old, self.new);
        let partner = old.parent(o).map(|list| self.matching.partner[0][list as usize]);
        old.sort(o) == Sort::Declaration && old.declaration(o) == Some(o) && partner == new.parent(n)
    }

    fn may_move(&self, o: Node, n: Node) -> bool {
        let (old, new) = (self.old, self.new);
        let is_free = |side: usize, plant: &Plant, node: Node| {
            let partner = &self.matching.partner[side];
            plant.subtree(node).all(|n| partner[n as usize] == NONE)
        };
        old.kind(o) == new.kind(n)
            && is_free(0, old, o)
            && is_free(1, new, n)
            && (old.hash(o) == new.hash(n) || bag(old, o).overlap(&bag(new, n)) >= ITEMS_ALIKE)
    }
}

/// The hashes of statements and declarations of some size that are once in each tree.
fn twins(old: &Plant, new: &Plant) -> HashSet<u64> {
    let counts = |plant: &Plant| {
        let mut counts: HashMap<u64, u32> = HashMap::new();
        let is_large = |&node: &Node| plant.is_item(node) && plant.n_tokens(node) >= FEW_TOKENS;
        (1..plant.len() as Node)
            .filter(is_large)
            .for_each(|n| *counts.entry(plant.hash(n)).or_default() += 1);
        counts
    };
    let (olds, news) = (counts(old), counts(new));
    let is_twin = |&(hash, count): &(&u64, &u32)| *count == 1 && news.get(hash) == Some(&1);
    olds.iter().filter(is_twin).map(|(&hash, _)| hash).collect()
}

/// Whether a node imports one thing, as far as its kind tells.
fn is_import(plant: &Plant, node: Node) -> bool {
    let name = plant.kind_name(node);
    let is_many = |&n: &Node| plant.sort(n) == Sort::List || plant.spelled(n) == b",";
    ["import", "include", "use_", "using"].iter().any(|word| name.contains(word))
        && !plant.subtree(node).any(|n| is_many(&n))
}

fn first_token(plant: &Plant, node: Node) -> u64 {
    plant.hash(plant.tokens[plant.token_range(node).start as usize])
}

/// The one of the nodes that a node lies in.
fn top(tops: &[Node], node: Node) -> Node {
    tops[tops.partition_point(|&top| top <= node).saturating_sub(1)]
}

/// Pairs of subtrees that lie beside each other in the same order in both trees.
#[derive(Default)]
struct Islands(BTreeMap<u32, (u32, u32, u32)>);

impl Islands {
    /// Adds a pair if it fits between the others.
    fn add(&mut self, old: &Plant, new: &Plant, o: Node, n: Node) -> bool {
        let (a, b) = (old.subtree(o), new.subtree(n));
        let before = self.0.range(..=a.start).next_back();
        let after = self.0.range(a.start..).next();
        let fits = before.is_none_or(|(_, &(end, _, new_end))| end <= a.start && new_end <= b.start)
            && after.is_none_or(|(&start, &(_, new_start, _))| a.end <= start && b.end <= new_start);
        if fits {
            self.0.insert(a.start, (a.end, b.start, b.end));
        }
        fits
    }
}

/// The tokens of a node; prose, a token with blanks in it, is taken word by word.
fn bag(plant: &Plant, node: Node) -> Bag {
    let tokens = &plant.tokens[plant.token_range(node).start as usize..plant.token_range(node).end as usize];
    let mut words = Vec::with_capacity(tokens.len());
    for &token in tokens {
        let text = plant.spelled(token);
        match text.contains(&b' ') {
            true => words.extend(words::words(text).map(|word| (words::hash(word), word.len()))),
            false => words.push((plant.hash(token), text.len())),
        }
    }
    Bag::of(words.into_iter())
}

/// The positions of a long common subsequence.
fn common<T: Eq + Hash + Copy>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (rest_old, rest_new) = (&old[prefix..], &new[prefix..]);
    let suffix = rest_old.iter().rev().zip(rest_new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (middle_old, middle_new) =
        (&rest_old[..rest_old.len() - suffix], &rest_new[..rest_new.len() - suffix]);
    let mut pairs: Vec<(usize, usize)> = (0..prefix).map(|i| (i, i)).collect();
    if !middle_old.is_empty() && !middle_new.is_empty() {
        let input = interned(middle_old.iter().copied(), middle_new.iter().copied());
        let end = (middle_old.len(), middle_new.len());
        let mut at = (0, 0);
        for (i, j) in unique_in_order(&input).into_iter().chain([end]) {
            let offset = (prefix + at.0, prefix + at.1);
            pairs.extend(stretch(&middle_old[at.0..i], &middle_new[at.1..j], offset));
            if (i, j) != end {
                pairs.push((prefix + i, prefix + j));
            }
            at = (i + 1, j + 1);
        }
    }
    pairs.extend((0..suffix).map(|i| (old.len() - suffix + i, new.len() - suffix + i)));
    pairs
}

fn stretch<T: Eq + Hash + Copy>(old: &[T], new: &[T], at: (usize, usize)) -> Vec<(usize, usize)> {
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let input = interned(old.iter().copied(), new.iter().copied());
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    let end = old.len() as u32..old.len() as u32;
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let hunks = diff.hunks().map(|hunk| (hunk.before, hunk.after));
    for (before, after) in hunks.chain([(end, new.len() as u32..new.len() as u32)]) {
        while i < before.start as usize {
            pairs.push((at.0 + i, at.1 + j));
            (i, j) = (i + 1, j + 1);
        }
        (i, j) = (before.end as usize, after.end as usize);
    }
    pairs
}
