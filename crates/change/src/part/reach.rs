//! What keeps what in a text: bodies, blocks and statements, each of which goes with all that only it uses.
//!
//! A function stays as long as something that stays uses its name; what declares nothing stays as long as what it is in
//! does. So who empties the body of `main` can do without nearly everything, and who empties that of `f` without `g`:
//!
//! ```text
//!   main ──> { ... } ──> f ──> { ... } ──> g        unused ──> h
//!                   └──> k <── { ... } of f
//! ```
//!
//! What every way from the beginning to a thing passes dominates it (Lengauer and Tarjan 1979; found here as by Cooper,
//! Harvey and Kennedy 2001): it goes with that, and has to be asked about only where that stays.
//!
//! Why not the definition with its uses? Taking out a use often takes out what cannot go, or leaves something that does not
//! compile; an empty body stays in its place. And what nothing uses any more can go without a question of its own.

use super::Pruned;
use super::names::{UNUSED, declares};
use super::outline::is_word;
use nub_search::tree::Edit;
use nub_search::{Config, Coupling, Couplings, Problem};
use nub_syntax::{Node, Role, Tree};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A text whose bodies, blocks and statements go, each with all that nothing else keeps.
#[derive(Clone, Debug)]
pub struct Reached {
    pruned: Pruned,
    reach: Arc<Reach>,
}

/// The number of a thing in the graph of what keeps what.
type Thing = u32;

/// Where all begins: what is run, and what nothing can be said about.
const ROOT: Thing = 0;
/// What nothing uses.
const IDLE: Thing = 1;

/// What keeps what: the root, what is idle, parts of the pruning, lists of them, and names.
#[derive(Debug, Default)]
struct Reach {
    /// What each thing keeps.
    keeps: Vec<Vec<Thing>>,
    /// The part of the pruning that a thing is.
    parts: Vec<Option<u32>>,
    /// The thing that each element is.
    elements: Vec<Thing>,
    weights: Vec<u32>,
    couplings: Couplings,
    priors: Vec<f64>,
}

impl Reached {
    /// The text cut into elements; `pruned` is the tree cut into elements of lists.
    pub fn new(tree: &Tree, pruned: Pruned) -> Reached {
        let reach = Arc::new(Grower::new(tree, &pruned).reach(|_| true));
        Reached { pruned, reach }
    }

    /// The same, where of all elements only these nodes can go.
    pub fn among(tree: &Tree, pruned: Pruned, nodes: &HashSet<Node>) -> Reached {
        let grower = Grower::new(tree, &pruned);
        let things: HashSet<Thing> =
            nodes.iter().filter_map(|node| grower.things.get(node).copied()).collect();
        let reach = Arc::new(grower.reach(|thing| things.contains(&thing)));
        Reached { pruned, reach }
    }

    /// All elements with what goes with them and nothing else.
    pub fn problem(&self) -> Problem {
        Problem::new(self.reach.elements.len()).with_weights(self.reach.weights.clone())
    }

    /// Which elements go with which.
    pub fn couplings(&self) -> &Couplings {
        &self.reach.couplings
    }

    /// How suspicious each element is, relative to the others.
    pub fn priors(&self) -> &[f64] {
        &self.reach.priors
    }

    /// The text that is left.
    pub fn render(&self, kept: &Config) -> Vec<u8> {
        self.pruned.render(&self.reach.live(kept))
    }
}

impl Reach {
    /// The parts that are kept when these elements stay.
    fn live(&self, kept: &Config) -> Config {
        let mut seen = vec![false; self.keeps.len()];
        let gone = (0..).zip(&self.elements).filter(|(element, _)| !kept.contains(*element));
        gone.for_each(|(_, &thing)| seen[thing as usize] = true);
        seen[ROOT as usize] = true;
        let (mut open, mut live) = (vec![ROOT], Vec::new());
        while let Some(thing) = open.pop() {
            live.extend(self.parts[thing as usize]);
            for &next in &self.keeps[thing as usize] {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    open.push(next);
                }
            }
        }
        live.sort_unstable();
        live.into_iter().collect()
    }
}

/// Makes the graph of a tree.
struct Grower<'a> {
    tree: &'a Tree,
    graph: Reach,
    /// The thing that a node is: an element of a list, or a list of statements.
    things: BTreeMap<Node, Thing>,
    /// Whether a thing is an element.
    is_element: Vec<bool>,
    /// The nearest thing that a thing is in.
    around: Vec<Thing>,
    /// What each thing weighs without those in it.
    tokens: Vec<u32>,
    names: HashMap<&'a [u8], Thing>,
    /// Elements that stay when all others of their list go.
    spared: HashSet<Node>,
}

impl<'a> Grower<'a> {
    fn new(tree: &'a Tree, pruned: &Pruned) -> Grower<'a> {
        let mut grower = Grower {
            tree,
            graph: Reach::default(),
            things: BTreeMap::new(),
            is_element: Vec::new(),
            around: Vec::new(),
            tokens: Vec::new(),
            names: HashMap::new(),
            spared: HashSet::new(),
        };
        grower.add(ROOT, None, false);
        grower.add(ROOT, None, true);
        let mut part_of: HashMap<Node, u32> = HashMap::new();
        for (part, edit) in pruned.pruning.edits().iter().enumerate() {
            if let Edit::Drop(node) = *edit {
                part_of.insert(node, part as u32);
            }
        }
        grower.add_nodes(&part_of);
        grower
    }

    fn add(&mut self, around: Thing, part: Option<u32>, is_element: bool) -> Thing {
        let thing = self.graph.keeps.len() as Thing;
        self.graph.keeps.push(Vec::new());
        self.graph.parts.push(part);
        self.is_element.push(is_element);
        self.around.push(around);
        self.tokens.push(0);
        thing
    }

    fn add_nodes(&mut self, part_of: &HashMap<Node, u32>) {
        let tree = self.tree;
        let mut open: Vec<(Node, Thing)> = Vec::new();
        for node in 0..tree.len() as Node {
            while open.last().is_some_and(|(end, _)| *end <= node) {
                open.pop();
            }
            let around = open.last().map_or(ROOT, |(_, thing)| *thing);
            let thing = match part_of.get(&node) {
                Some(&part) => Some(self.add_part(node, part, around)),
                None if node != 0 && is_block(tree, node, part_of) => {
                    let block = self.add(around, None, true);
                    self.spared.extend(spared(tree, node));
                    self.graph.keeps[around as usize].push(block);
                    Some(block)
                }
                None => None,
            };
            if let Some(thing) = thing {
                self.things.insert(node, thing);
                open.push((tree.subtree(node).end, thing));
            }
            if tree.is_token(node) {
                self.tokens[thing.unwrap_or(around) as usize] += 1;
            }
        }
    }

    /// A declaration that others see stays for its name; anything else stays with what it is in.
    fn add_part(&mut self, node: Node, part: u32, around: Thing) -> Thing {
        let tree = self.tree;
        let is_spared = self.spared.contains(&node);
        let around = if is_spared { self.around[around as usize] } else { around };
        let names = declares(tree, node);
        let is_seen = tree.parent(node) == Some(0) || tree.child(node, "body").is_some();
        let for_its_name = is_seen && !names.is_empty() && !names.contains(&&b"main"[..]);
        let is_statement = names.is_empty() && tree.role(node) == Role::Statement && !is_spared;
        let thing = self.add(around, Some(part), is_statement);
        if for_its_name {
            for name in names {
                let name = self.name(name);
                self.graph.keeps[name as usize].push(thing);
            }
        } else {
            self.graph.keeps[around as usize].push(thing);
        }
        thing
    }

    fn name(&mut self, name: &'a [u8]) -> Thing {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        let thing = self.add(ROOT, None, false);
        self.names.insert(name, thing);
        thing
    }

    /// Follows every word to what declares it.
    fn follow_words(&mut self) {
        let tree = self.tree;
        let mut ends: Vec<(Node, Thing)> = Vec::new();
        let things: Vec<(Node, Thing)> = self.things.iter().map(|(&node, &thing)| (node, thing)).collect();
        let mut next = things.into_iter().peekable();
        for token in tree.tokens(0).filter(|&token| tree.is_named(token) && tree.role(token) != Role::Text) {
            while let Some((node, thing)) = next.next_if(|(node, _)| *node <= token) {
                ends.retain(|(end, _)| *end > node);
                ends.push((tree.subtree(node).end, thing));
            }
            ends.retain(|(end, _)| *end > token);
            let around = ends.last().map_or(ROOT, |(_, thing)| *thing);
            // What a macro stands for is one token with several words.
            for word in tree.spelled(token).split(|&byte| !is_word(byte) && byte != b'$') {
                if let Some(&name) = self.names.get(word) {
                    self.graph.keeps[around as usize].push(name);
                }
            }
        }
        for keeps in &mut self.graph.keeps {
            keeps.sort_unstable();
            keeps.dedup();
        }
    }

    /// What nothing uses is kept by a thing of its own.
    fn keep_idle(&mut self) {
        self.graph.keeps[ROOT as usize].push(IDLE);
        let mut seen = vec![false; self.graph.keeps.len()];
        let mut open = vec![ROOT];
        let mut idle = Vec::new();
        // Mostly the later use the earlier.
        for thing in (0..self.graph.keeps.len() as Thing).rev() {
            while let Some(thing) = open.pop() {
                if !std::mem::replace(&mut seen[thing as usize], true) {
                    open.extend(&self.graph.keeps[thing as usize]);
                }
            }
            if self.graph.parts[thing as usize].is_some() && !seen[thing as usize] {
                idle.push(thing);
                open.push(thing);
            }
        }
        self.graph.keeps[IDLE as usize] = idle;
    }

    fn reach(mut self, may_go: impl Fn(Thing) -> bool) -> Reach {
        self.follow_words();
        self.keep_idle();
        for (thing, is_element) in (0..).zip(&mut self.is_element) {
            *is_element &= may_go(thing);
        }
        let dominators = dominators(&self.graph.keeps);
        let holdings = Holdings::of(&dominators, &self.is_element, &self.tokens);
        let mut elements: Vec<Thing> = dominators.order;
        elements.retain(|&thing| self.is_element[thing as usize] && holdings.all[thing as usize] > 0);
        elements.sort_by(|&a, &b| {
            let by_gain = holdings.expected(a).total_cmp(&holdings.expected(b));
            (a == IDLE).cmp(&(b == IDLE)).then(by_gain).then(b.cmp(&a))
        });
        Reach {
            weights: elements.iter().map(|&thing| holdings.own[thing as usize]).collect(),
            priors: elements.iter().map(|&thing| holdings.share(thing)).collect(),
            couplings: self.couplings(&elements, &holdings),
            elements,
            ..self.graph
        }
    }

    /// An element needs that which it goes with, and that which it is in.
    fn couplings(&self, elements: &[Thing], holdings: &Holdings) -> Couplings {
        let number: HashMap<Thing, u32> = elements.iter().copied().zip(0..).collect();
        let around = |thing: Thing| {
            let mut around = self.around[thing as usize];
            while around != ROOT && !self.is_element[around as usize] {
                around = self.around[around as usize];
            }
            (around != ROOT).then_some(around)
        };
        let mut couplings = Vec::new();
        for &thing in elements {
            let needed = [holdings.with[thing as usize], around(thing)].into_iter().flatten();
            let needed = needed.filter_map(|needed| number.get(&needed).copied());
            couplings.extend(needed.map(|needed| Coupling::certain(number[&thing], needed)));
        }
        Couplings::given(couplings)
    }
}

/// What each element takes with it when it goes, in tokens.
struct Holdings {
    /// The nearest element that each thing goes with.
    with: Vec<Option<Thing>>,
    /// What goes with an element and with none inside of it.
    own: Vec<u32>,
    /// All that goes with an element.
    all: Vec<u32>,
    /// The whole text.
    text: u32,
}

impl Holdings {
    fn of(dominators: &Dominators, is_element: &[bool], tokens: &[u32]) -> Holdings {
        let n = dominators.above.len();
        let mut with: Vec<Option<Thing>> = vec![None; n];
        for &thing in &dominators.order {
            let above = dominators.above[thing as usize];
            with[thing as usize] =
                if is_element[above as usize] { Some(above) } else { with[above as usize] };
        }
        let mut own: Vec<u32> = vec![0; n];
        for &thing in &dominators.order {
            let owner = if is_element[thing as usize] { Some(thing) } else { with[thing as usize] };
            if let Some(owner) = owner {
                own[owner as usize] += tokens[thing as usize];
            }
        }
        let mut all = own.clone();
        for &thing in dominators.order.iter().rev().filter(|thing| is_element[**thing as usize]) {
            if let Some(above) = with[thing as usize] {
                all[above as usize] += all[thing as usize];
            }
        }
        Holdings { with, own, all, text: tokens.iter().sum() }
    }

    /// How much of what an element goes with it holds: what cannot go is likelier to be in a large part than in a small one.
    fn share(&self, thing: Thing) -> f64 {
        let above = self.with[thing as usize].map_or(self.text, |above| self.all[above as usize]);
        if thing == IDLE { UNUSED } else { f64::from(self.all[thing as usize]) / f64::from(above.max(1)) }
    }

    /// How much is likely to go when an element is asked about.
    fn expected(&self, thing: Thing) -> f64 {
        f64::from(self.all[thing as usize]) * (1.0 - self.share(thing))
    }
}

/// Whether a node is a list of statements or declarations that can go.
fn is_block(tree: &Tree, node: Node, part_of: &HashMap<Node, u32>) -> bool {
    let goes = |child: Node| {
        matches!(tree.role(child), Role::Statement | Role::Declaration) && part_of.contains_key(&child)
    };
    tree.role(node) == Role::List && tree.children(node).any(goes)
}

/// The smallest element of a block that has no brackets around it: empty, it would often be no block.
fn spared(tree: &Tree, block: Node) -> Option<Node> {
    let has_brackets = tree.children(block).any(|child| !tree.is_named(child));
    let elements = tree.children(block).filter(|_| !has_brackets);
    elements.min_by_key(|&element| tree.size(element))
}

/// What dominates what in a graph.
struct Dominators {
    /// What can be reached, each after what dominates it.
    order: Vec<Thing>,
    /// The nearest that dominates each; the root is its own.
    above: Vec<Thing>,
}

fn dominators(keeps: &[Vec<Thing>]) -> Dominators {
    let order = reverse_postorder(keeps);
    const NONE: u32 = u32::MAX;
    let mut place = vec![NONE; keeps.len()];
    (0..).zip(&order).for_each(|(at, &thing)| place[thing as usize] = at);
    let mut kept_by: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
    for (at, &thing) in (0..).zip(&order) {
        keeps[thing as usize].iter().for_each(|&next| kept_by[place[next as usize] as usize].push(at));
    }
    // By place in the order; what is nearer to the root has a smaller one.
    let mut above = vec![NONE; order.len()];
    above[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for at in 1..order.len() {
            let known = kept_by[at].iter().copied().filter(|&by| above[by as usize] != NONE);
            let nearest = known.reduce(|mut a, mut b| {
                while a != b {
                    while a > b {
                        a = above[a as usize];
                    }
                    while b > a {
                        b = above[b as usize];
                    }
                }
                a
            });
            let nearest = nearest.expect("one that keeps it comes before it");
            changed |= std::mem::replace(&mut above[at], nearest) != nearest;
        }
    }
    let mut by_thing: Vec<Thing> = (0..keeps.len() as Thing).collect();
    (0..).zip(&order).for_each(|(at, &thing)| by_thing[thing as usize] = order[above[at] as usize]);
    Dominators { order, above: by_thing }
}

fn reverse_postorder(keeps: &[Vec<Thing>]) -> Vec<Thing> {
    let mut seen = vec![false; keeps.len()];
    seen[ROOT as usize] = true;
    let (mut open, mut order) = (vec![(ROOT, 0)], Vec::new());
    while let Some((thing, at)) = open.last_mut() {
        match keeps[*thing as usize].get(*at) {
            None => {
                order.push(*thing);
                open.pop();
            }
            Some(&next) => {
                *at += 1;
                if !std::mem::replace(&mut seen[next as usize], true) {
                    open.push((next, 0));
                }
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::{Cut, Grammar, Parts, prune};
    use nub_search::Random;
    use nub_syntax::Language;

    fn reached(language: &str, text: &str) -> Reached {
        let language = Language::named(language).unwrap();
        let tree = Tree::parse(language, text.as_bytes().into());
        let Parts::Pruned(pruned) = prune(&tree, Cut::Lists, &mut Grammar::new(language)) else { panic!() };
        Reached::new(&tree, pruned)
    }

    /// What is left without each element and those that need it, in the order they are asked about.
    fn check(language: &str, text: &str, expected: &[&str]) {
        let reached = reached(language, text);
        let full = reached.problem().full;
        assert_eq!(reached.render(&full), text.as_bytes());
        let without = |element: u32| {
            let gone = reached.couplings().dependents(&[element].into(), &full);
            let left = String::from_utf8(reached.render(&full.minus(&gone))).unwrap();
            left.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let mut elements: Vec<u32> = full.iter().collect();
        elements.reverse();
        assert_eq!(elements.into_iter().map(without).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_nothing_uses_goes_first_and_what_only_a_body_uses_goes_with_it() {
        check(
            "c",
            "int k; int g() { return k; }\nint f() { g(); return 1 + 2 + k; }\nint h() { return f(); }\nint main() { f(); }\n",
            &[
                "int k; int g() { return k; } int f() { g(); return 1 + 2 + k; } int main() { f(); }",
                "int f() { } int h() { return f(); } int main() { f(); }",
                "int k; int f() { return 1 + 2 + k; } int h() { return f(); } int main() { f(); }",
                "int k; int g() { return k; } int f() { g(); return 1 + 2 + k; } int h() { return f(); } int main() { }",
                "int k; int g() { return k; } int f() { g(); } int h() { return f(); } int main() { f(); }",
                "int k; int g() { } int f() { g(); return 1 + 2 + k; } int h() { return f(); } int main() { f(); }",
                "int k; int g() { return k; } int f() { g(); return 1 + 2 + k; } int h() { } int main() { f(); }",
                "int k; int g() { return k; } int f() { g(); return 1 + 2 + k; } int h() { } int main() { f(); }",
                "int k; int g() { return k; } int f() { g(); return 1 + 2 + k; } int h() { return f(); } int main() { }",
                "int k; int g() { } int f() { g(); return 1 + 2 + k; } int h() { return f(); } int main() { f(); }",
            ],
        );
    }

    #[test]
    fn what_a_macro_stands_for_is_used_by_it() {
        check(
            "c",
            "#define G(x) g(x)\nint g(int x) { return x; }\nint f() { return g(1); }\nint main() { f(); return G(2); }\n",
            &[
                "#define G(x) g(x) int g(int x) { return x; } int main() { return G(2); }",
                "int g(int x) { return x; } int f() { return g(1); } int main() { f(); }",
                "#define G(x) g(x) int g(int x) { } int f() { return g(1); } int main() { f(); return G(2); }",
                "#define G(x) g(x) int g(int x) { return x; } int f() { } int main() { f(); return G(2); }",
                "int main() { }",
                "#define G(x) g(x) int g(int x) { return x; } int f() { } int main() { f(); return G(2); }",
                "#define G(x) g(x) int g(int x) { } int f() { return g(1); } int main() { f(); return G(2); }",
            ],
        );
    }

    #[test]
    fn of_some_nodes_only_these_go_with_what_only_they_use() {
        let text =
            "int g() { return 1; } int f() { return g(); } int h() { return 2; } int main() { f(); h(); }";
        let language = Language::named("c").unwrap();
        let tree = Tree::parse(language, text.as_bytes().into());
        let Parts::Pruned(pruned) = prune(&tree, Cut::Lists, &mut Grammar::new(language)) else { panic!() };
        let body_of_f = tree.marked_blocks()[1];
        let reached = Reached::among(&tree, pruned, &[body_of_f].into());
        assert_eq!(reached.problem().full, Config::full(1));
        let left = String::from_utf8(reached.render(&Config::empty())).unwrap();
        assert_eq!(left, "int f() { } int h() { return 2; } int main() { f(); h(); }");
    }

    #[test]
    fn methods_stay_for_their_names_and_a_block_without_brackets_keeps_one_statement() {
        check(
            "python",
            "class A:\n    def f(self):\n        self.g()\n        return 1\n    def g(self):\n        pass\nA().f()\n",
            &["class A: def f(self): return 1 A().f()", "class A: def f(self): return 1 A().f()", ""],
        );
    }

    #[test]
    fn dominators_are_what_every_way_from_the_root_passes() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let n = 2 + random.below(12);
            let keeps: Vec<Vec<Thing>> =
                (0..n).map(|_| (0..random.below(3)).map(|_| random.below(n) as Thing).collect()).collect();
            let seen_without = |gone: Option<Thing>| {
                let (mut open, mut seen) = (vec![ROOT], vec![false; n]);
                while let Some(thing) = open.pop() {
                    if Some(thing) != gone && !std::mem::replace(&mut seen[thing as usize], true) {
                        open.extend(&keeps[thing as usize]);
                    }
                }
                seen
            };
            let found = dominators(&keeps);
            let all = seen_without(None);
            assert_eq!(found.order.len(), all.iter().filter(|seen| **seen).count());
            for &thing in found.order.iter().filter(|thing| **thing != ROOT) {
                let dominates =
                    |by: Thing| by != thing && all[by as usize] && !seen_without(Some(by))[thing as usize];
                let above = found.above[thing as usize];
                assert!(above == ROOT || dominates(above), "seed {seed}");
                let others = (0..n as Thing).filter(|&by| dominates(by) && by != above && by != ROOT);
                let nearest = |by: Thing| !seen_without(Some(by))[above as usize];
                assert!(others.into_iter().all(nearest), "{above} is not the nearest, seed {seed}");
            }
        }
    }
}
