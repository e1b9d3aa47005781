//! HDD: hierarchical delta debugging (Misherghi and Su, ICSE 2006).
//!
//! Level by level from the root, a list algorithm minimises the nodes of one level; a node goes with its
//! whole subtree, so that what is left is always a tree. HDD* repeats this until nothing changes and is
//! 1-tree-minimal. List searches never ask about the empty list, since without any change there is no
//! failure; but a tree without one of its levels is not empty. So when one node of a level remains, HDD
//! itself asks whether that can go too, as picireny does.

use crate::combine::{Grouping, Make, Stable};
use crate::tree::Shape;
use crate::{Answer, Case, Cases, Config, Outcome::Fail, Problem, Search, no_cases, one_case};
use std::sync::Arc;

/// Minimises a tree level by level with any search over a list; configs are sets of nodes.
///
/// The inner search is told of a level's nodes with the sizes of their subtrees. Progress: a level further
/// down, or the inner search goes on.
#[derive(Clone)]
pub struct Hdd<S> {
    level: Arc<Level<S>>,
    asking: Asking<S>,
}

/// One level, and the nodes that were left when it began.
struct Level<S> {
    shape: Shape,
    depth: u32,
    subtrees: Grouping,
    problem: Problem,
    make: Make<S>,
}

#[derive(Clone)]
enum Asking<S> {
    /// The list search over the nodes of the level.
    List(S),
    /// Whether the last node of the level can go.
    Last { kept: Config },
}

impl<S: Search> Hdd<S> {
    /// Minimises the nodes of a problem, which are in the tree with all nodes above them.
    pub fn new(
        shape: &Shape,
        problem: &Problem,
        make: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Hdd<S> {
        Level::start(shape, 0, problem.clone(), Arc::new(make))
    }

    /// HDD*: repeated until no level loses a node.
    ///
    /// With an inner search that is 1-minimal, no node of the result can go with its subtree.
    pub fn star(
        shape: &Shape,
        problem: &Problem,
        make: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Stable<Hdd<S>> {
        let (shape, make): (_, Make<S>) = (shape.clone(), Arc::new(make));
        Stable::new(problem, move |left| Level::start(&shape, 0, left.clone(), Arc::clone(&make)))
    }
}

impl<S: Search> Level<S> {
    fn start(shape: &Shape, depth: u32, problem: Problem, make: Make<S>) -> Hdd<S> {
        let subtrees = shape.below(depth);
        let list = make(&subtrees.lift(&problem));
        let level = Level { shape: shape.clone(), depth, subtrees, problem, make };
        Hdd { level: Arc::new(level), asking: Asking::List(list) }
    }

    /// The nodes above the level, and those of the level with all below them.
    fn tree(&self, nodes: &Config) -> Config {
        self.subtrees.keep(nodes, &self.problem.full)
    }

    fn next(&self, kept: Config) -> Option<Hdd<S>> {
        let depth = self.depth + 1;
        let more = !self.shape.level(depth).is_disjoint(&kept);
        more.then(|| Level::start(&self.shape, depth, self.problem.within(kept), Arc::clone(&self.make)))
    }

    fn case(self: &Arc<Level<S>>, list: Case<S>) -> Case<Hdd<S>> {
        let (config, level) = (self.tree(&list.config), Arc::clone(self));
        let next = move |answer: &Answer| {
            let of_level = level.subtrees.lift_answer(answer, &level.problem.full);
            let list = (list.next)(&of_level)?;
            Some(Hdd { level: Arc::clone(&level), asking: Asking::List(list) })
        };
        Case { config, odds: list.odds, next: Box::new(next) }
    }
}

impl<S: Search> Search for Hdd<S> {
    fn cases(&self) -> Cases<Hdd<S>> {
        let level = Arc::clone(&self.level);
        match &self.asking {
            Asking::List(list) => Box::new(list.cases().map(move |case| level.case(case))),
            Asking::Last { kept } => {
                let above = level.tree(&Config::empty());
                if above.is_empty() || above == *kept {
                    return no_cases();
                }
                let asking = Asking::Last { kept: above.clone() };
                one_case(Case::when(above, Fail, move || Hdd {
                    level: Arc::clone(&level),
                    asking: asking.clone(),
                }))
            }
        }
    }

    fn otherwise(&self) -> Option<Hdd<S>> {
        let kept = self.best();
        match &self.asking {
            Asking::List(list) => match list.otherwise() {
                Some(list) => Some(Hdd { level: Arc::clone(&self.level), asking: Asking::List(list) }),
                None if list.best().len() == 1 => {
                    Some(Hdd { level: Arc::clone(&self.level), asking: Asking::Last { kept } })
                }
                None => self.level.next(kept),
            },
            Asking::Last { .. } => self.level.next(kept),
        }
    }

    fn best(&self) -> Config {
        match &self.asking {
            Asking::List(list) => self.level.tree(&list.best()),
            Asking::Last { kept } => kept.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combine::Coupled;
    use crate::laws::{Naming, Oracle, Promise, Simulated, check_laws, converse};
    use crate::list::Ddmin;
    use crate::{Outcome, Random};
    use std::sync::Mutex;

    fn ddmin(problem: &Problem) -> Ddmin {
        Ddmin::new(problem.full.clone())
    }

    /// Some tree of `n` nodes under one root; now and then a second root.
    fn random_shape(n: usize, seed: u64) -> Shape {
        let mut random = Random::new(seed);
        let mut parent = |i: usize| {
            let nearest = i.saturating_sub(6);
            (i > 0 && !random.chance(0.03)).then(|| (nearest + random.below(i - nearest)) as u32)
        };
        Shape::new((0..n).map(&mut parent).collect::<Vec<_>>())
    }

    fn of_problem(problem: &Problem) -> Shape {
        random_shape(problem.full.len(), problem.full.len() as u64)
    }

    #[test]
    fn hdd_keeps_the_laws() {
        let promise = Promise { one_minimal: false, bound: |n| n * n + 4 * n };
        check_laws(|p| Hdd::new(&of_problem(p), p, ddmin), promise);
        check_laws(|p| Hdd::star(&of_problem(p), p, ddmin), promise);
    }

    /// ```text
    ///   0
    ///   ├─ 1 ── 3, 4
    ///   └─ 2 ── 5 ── 7
    ///       └── 6
    /// ```
    fn small() -> Shape {
        Shape::new([None, Some(0), Some(0), Some(1), Some(1), Some(2), Some(2), Some(5)])
    }

    #[test]
    fn hdd_goes_down_level_by_level_and_takes_out_whole_subtrees() {
        let (shape, oracle) = (small(), Simulated::monotone(8, [0, 2, 5]));
        let said = converse(Hdd::new(&shape, &shape.problem(), ddmin), |c| oracle.test(c));
        let level_1 = ["{0,1,3,4} P", "{0,2,5-7} F", "{0} P"];
        let level_2 = ["{0,2,5,7} F", "{0,2} P"];
        let level_3 = ["{0,2,5} F", "-> {0,2,5}"];
        assert_eq!(said.to_string(), [&level_1[..], &level_2, &level_3].concat().join("\n"));
    }

    #[test]
    fn hdd_star_goes_round_again_for_what_a_deeper_level_set_free() {
        let needs = vec![vec![], vec![], vec![], vec![], vec![], vec![], vec![], vec![1]];
        let oracle = Simulated { needs: needs.into(), ..Simulated::monotone(8, [0, 2]) };
        let shape = small();
        let once = converse(Hdd::new(&shape, &shape.problem(), ddmin), |c| oracle.test(c));
        assert_eq!(once.best, [0, 1, 2].into(), "{once}");
        let again = converse(Hdd::star(&shape, &shape.problem(), ddmin), |c| oracle.test(c));
        assert_eq!(again.best, [0, 2].into(), "{again}");
    }

    #[test]
    fn the_list_search_is_told_the_sizes_of_the_subtrees_that_are_left() {
        let shape = small().with_weights([1, 1, 1, 2, 2, 5, 6, 7]);
        let told = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&told);
        let make = move |p: &Problem| {
            record.lock().unwrap().push(p.full.iter().map(|node| (node, p.weight(node))).collect::<Vec<_>>());
            ddmin(p)
        };
        let oracle = Simulated::monotone(8, [0, 2, 6]);
        converse(Hdd::new(&shape, &shape.problem(), make), |c| oracle.test(c));
        assert_eq!(*told.lock().unwrap(), [vec![(0, 25)], vec![(1, 5), (2, 19)], vec![(5, 12), (6, 6)]]);
    }

    #[test]
    fn the_list_search_is_told_of_evidence_as_nodes_of_its_level() {
        // Four nodes below the root, one below each; 5 is below 1, and 8, which it needs, below 4.
        let shape =
            Shape::new([None, Some(0), Some(0), Some(0), Some(0), Some(1), Some(2), Some(3), Some(4)]);
        let mut needs = vec![vec![]; 9];
        needs[5] = vec![8];
        let oracle = Simulated { needs: needs.into(), naming: Naming::One, ..Simulated::monotone(9, [5]) };
        let coupled = |p: &Problem| Coupled::new(p, ddmin);
        let said = converse(Hdd::new(&shape, &shape.problem(), coupled), |c| oracle.test(c));
        assert!(said.to_string().starts_with("{0-2,5,6} ?\n{0-2,4-6,8} F\n"), "1 needs 4:\n{said}");
        assert_eq!(said.best, [0, 1, 4, 5, 8].into());
    }

    /// Every config of nodes has an answer that depends on nothing but a hash.
    fn hostile(config: &Config, n: usize, seed: u64) -> Answer {
        let hash = config.iter().fold(seed, |h, i| Random::new(h ^ u64::from(i)).next_u64());
        let outcome = match Random::new(hash).unit() {
            _ if config.len() == n => Fail,
            x if x < 0.3 => Fail,
            x if x < 0.5 => Outcome::Unresolved,
            _ => Outcome::Pass,
        };
        Answer::bare(outcome)
    }

    #[test]
    fn no_node_of_an_hdd_star_result_can_go_with_its_subtree() {
        for seed in 0..300 {
            let n = 1 + Random::new(seed).below(40);
            let shape = random_shape(n, seed);
            let said = converse(Hdd::star(&shape, &shape.problem(), ddmin), |c| hostile(c, n, seed));
            for node in said.best.iter() {
                let rest = said.best.minus(&shape.subtree(node));
                assert!(
                    rest.is_empty() || !hostile(&rest, n, seed).fails(),
                    "node {node} can go, {shape:?}\n{said}"
                );
                assert!(shape.parent(node).is_none_or(|parent| said.best.contains(parent)), "a tree is left");
            }
        }
    }

    #[test]
    fn hdd_finds_the_paths_to_the_culprits_of_any_tree() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let n = 1 + random.below(60);
            let shape = random_shape(n, seed);
            let culprits: Config = [random.below(n) as u32, random.below(n) as u32].into();
            let mut paths = culprits.clone();
            for node in
                (0..n as u32).rev().filter(|node| culprits.iter().any(|c| shape.subtree(*node).contains(c)))
            {
                paths = paths.with(node);
            }
            let oracle = Simulated::monotone(n, culprits);
            let said = converse(Hdd::new(&shape, &shape.problem(), ddmin), |c| oracle.test(c));
            assert_eq!(said.best, paths, "{shape:?}");
        }
    }
}
