//! How likely each change needs each other one: the dependency matrix of C2D2 (ISSTA 2024, section 3.2).
//!
//! `M[a][b]` is the probability that `a` needs `b`. A failed build raises it between the kept and the others
//! by Bayes' rule, a successful build clears it.
//!
//! Why no table of all pairs? 100,000 changes have ten billion. But changes that every build so far treated
//! alike have equal rows and columns, so the changes are kept in classes that each build refines, with one
//! value for each pair of classes; only the reported couplings, which start from another value, are kept one
//! by one:
//!
//! ```text
//!                 b ∈ {0,1,5}   {2,3}   {4}         a reported pair goes through the same updates, so its
//!   a ∈ {0,1,5}       .1         .4      0          value is never below that of its classes; a maximum
//!   a ∈ {2,3}         .1         .1      0          over a block is the larger of the two
//!   a ∈ {4}           .1         .1      -
//! ```
//!
//! A build that changes nothing refines nothing. Beyond [`CLASSES`] classes a class is not cut any more, and
//! what a build said about its members is not learned; up to that many changes the matrix is exact.

use crate::{Config, Couplings};
use std::collections::HashMap;
use std::sync::Arc;

/// The most classes that are told apart.
pub const CLASSES: usize = 512;

/// A smaller probability is zero next to one.
const NO_CHANCE: f64 = 1e-18;

/// The probabilities that changes need each other; a value, cheap to clone.
#[derive(Clone, Debug)]
pub struct Matrix {
    x: Config,
    /// The class of each change of `x`, by its number.
    class_of: Arc<[u32]>,
    /// The number of changes in each class.
    sizes: Arc<[usize]>,
    /// The value of each pair of classes, row by row.
    values: Arc<[f64]>,
    reported: Arc<[Reported]>,
}

/// A pair that was reported beforehand.
#[derive(Clone, Copy, Debug)]
struct Reported {
    dependent: u32,
    needed: u32,
    value: f64,
}

impl Reported {
    fn is_broken_in(&self, kept: &Config) -> bool {
        kept.contains(self.dependent) && !kept.contains(self.needed)
    }
}

impl Matrix {
    /// The matrix before the first build: `delta` for each reported coupling, `1 - delta` for all others (Eq.
    /// 2).
    ///
    /// A report is never less likely than no report: a `delta` below one half is taken for one half.
    pub fn new(x: &Config, couplings: &Couplings, delta: f64) -> Matrix {
        let delta = delta.clamp(0.5, 1.0);
        let mut pairs: Vec<(u32, u32)> = couplings.all().iter().map(|c| (c.dependent, c.needed)).collect();
        pairs.dedup();
        let inside = pairs.into_iter().filter(|&(a, b)| x.contains(a) && x.contains(b));
        let reported = inside.map(|(dependent, needed)| Reported { dependent, needed, value: delta });
        Matrix {
            x: x.clone(),
            class_of: vec![0; x.iter().last().map_or(0, |last| last as usize + 1)].into(),
            sizes: [x.len()].into(),
            values: [1.0 - delta].into(),
            reported: reported.collect(),
        }
    }

    /// The changes that the matrix is about: the paper's `X`.
    pub fn changes(&self) -> &Config {
        &self.x
    }

    /// `M[a][b]`, the probability that `a` needs `b`.
    pub fn value(&self, a: u32, b: u32) -> f64 {
        match self.reported.binary_search_by_key(&(a, b), |r| (r.dependent, r.needed)) {
            Ok(at) => self.reported[at].value,
            Err(_) => self.of_classes(self.class_of(a), self.class_of(b)),
        }
    }

    /// The probability that the kept changes need none of the others: the product of all `1 - M[a][b]`.
    pub fn chance_to_build(&self, kept: &Config) -> f64 {
        let inside = self.counts(kept);
        let outside: Vec<usize> = inside.iter().zip(self.sizes.iter()).map(|(i, size)| size - i).collect();
        let mut chance = 1.0;
        let mut reported: HashMap<(usize, usize), usize> = HashMap::new();
        for r in self.reported.iter().filter(|r| r.is_broken_in(kept)) {
            *reported.entry((self.class_of(r.dependent), self.class_of(r.needed))).or_default() += 1;
            chance *= 1.0 - r.value;
        }
        for a in (0..inside.len()).filter(|&a| inside[a] > 0) {
            for b in (0..outside.len()).filter(|&b| outside[b] > 0) {
                let pairs = inside[a] * outside[b] - reported.get(&(a, b)).copied().unwrap_or(0);
                match (self.of_classes(a, b), pairs) {
                    (0.0, _) | (_, 0) => {}
                    (value, 1) => chance *= 1.0 - value,
                    (value, pairs) => chance *= (1.0 - value).powf(pairs as f64),
                }
            }
            if chance < NO_CHANCE {
                return 0.0;
            }
        }
        chance
    }

    /// What is believed after `kept` did not build (Eq. 4).
    pub fn after_broken_build(&self, kept: &Config) -> Matrix {
        let chance_to_break = 1.0 - self.chance_to_build(kept);
        // Something was sure to break it, or everything was sure not to: there is nothing to learn.
        if chance_to_break == 1.0 || chance_to_break == 0.0 {
            return self.clone();
        }
        self.updated(kept, |value| (value / chance_to_break).min(1.0))
    }

    /// What is believed after `kept` did build: it needs nothing else (Eq. 5).
    pub fn after_build(&self, kept: &Config) -> Matrix {
        if self.chance_to_build(kept) == 1.0 {
            return self.clone();
        }
        self.updated(kept, |_| 0.0)
    }

    /// The same beliefs about the kept changes only (Eq. 6).
    pub fn reduced(&self, kept: &Config) -> Matrix {
        let x = self.x.intersection(kept);
        let counts = self.counts(&x);
        let left: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] > 0).collect();
        let mut renamed = vec![0; counts.len()];
        left.iter().enumerate().for_each(|(new, &old)| renamed[old] = new as u32);
        let mut class_of = vec![0; self.class_of.len()];
        x.iter().for_each(|i| class_of[i as usize] = renamed[self.class_of(i)]);
        let values = left.iter().flat_map(|&a| left.iter().map(move |&b| self.of_classes(a, b)));
        let inside = |r: &&Reported| x.contains(r.dependent) && x.contains(r.needed);
        Matrix {
            class_of: class_of.into(),
            sizes: left.iter().map(|&c| counts[c]).collect(),
            values: values.collect(),
            reported: self.reported.iter().filter(inside).copied().collect(),
            x,
        }
    }

    /// For each of `columns` the probability of the likeliest need for it by one of `rows`, of which it is
    /// none.
    pub fn column_max(&self, rows: &Config, columns: &Config) -> Vec<(u32, f64)> {
        self.maxima(columns, rows, |column, row| (row, column), |r| (r.needed, r.dependent))
    }

    /// For each of `rows` the probability of its likeliest need for one of `columns`, of which it is none.
    pub fn row_max(&self, rows: &Config, columns: &Config) -> Vec<(u32, f64)> {
        self.maxima(rows, columns, |row, column| (row, column), |r| (r.dependent, r.needed))
    }

    /// For each change the probability of its likeliest need for any other.
    pub fn likeliest_needs(&self) -> Vec<(u32, f64)> {
        let n = self.sizes.len();
        let value =
            |a: usize, b: usize| if a == b && self.sizes[a] == 1 { 0.0 } else { self.of_classes(a, b) };
        let by_class: Vec<f64> = (0..n).map(|a| (0..n).map(|b| value(a, b)).fold(0.0, f64::max)).collect();
        let mut reported: HashMap<u32, f64> = HashMap::new();
        self.reported.iter().for_each(|r| raise(&mut reported, r.dependent, r.value));
        self.x
            .iter()
            .map(|a| (a, by_class[self.class_of(a)].max(reported.get(&a).copied().unwrap_or(0.0))))
            .collect()
    }

    /// For each of `ours` the largest value with one of `theirs`; `pair` and `sides` tell who is the
    /// dependent.
    fn maxima(
        &self,
        ours: &Config,
        theirs: &Config,
        pair: fn(usize, usize) -> (usize, usize),
        sides: fn(&Reported) -> (u32, u32),
    ) -> Vec<(u32, f64)> {
        let occupied = |set: &Config| {
            let counts = self.counts(set);
            (0..counts.len()).filter(move |&c| counts[c] > 0)
        };
        let there: Vec<usize> = occupied(theirs).collect();
        let mut by_class = vec![0.0; self.sizes.len()];
        for our in occupied(ours) {
            let pairs = there.iter().map(|&their| pair(our, their));
            by_class[our] =
                pairs.map(|(dependent, needed)| self.of_classes(dependent, needed)).fold(0.0, f64::max);
        }
        let mut reported: HashMap<u32, f64> = HashMap::new();
        for r in self.reported.iter() {
            let (our, their) = sides(r);
            if ours.contains(our) && theirs.contains(their) {
                raise(&mut reported, our, r.value);
            }
        }
        ours.iter()
            .map(|i| (i, by_class[self.class_of(i)].max(reported.get(&i).copied().unwrap_or(0.0))))
            .collect()
    }

    fn class_of(&self, change: u32) -> usize {
        self.class_of[change as usize] as usize
    }

    fn of_classes(&self, a: usize, b: usize) -> f64 {
        self.values[a * self.sizes.len() + b]
    }

    /// How many changes of each class are in the set.
    fn counts(&self, set: &Config) -> Vec<usize> {
        let mut counts = vec![0; self.sizes.len()];
        set.iter().for_each(|i| counts[self.class_of(i)] += 1);
        counts
    }

    /// The matrix with new values where a kept change may need another.
    fn updated(&self, kept: &Config, update: impl Fn(f64) -> f64) -> Matrix {
        let mut next = self.refined(kept);
        let inside = next.counts(kept);
        let n = next.sizes.len();
        let mut values = next.values.to_vec();
        for a in (0..n).filter(|&a| inside[a] == next.sizes[a]) {
            for b in (0..n).filter(|&b| inside[b] == 0) {
                values[a * n + b] = update(values[a * n + b]);
            }
        }
        next.values = values.into();
        let told = |r: &Reported| if r.is_broken_in(kept) { update(r.value) } else { r.value };
        next.reported = self.reported.iter().map(|r| Reported { value: told(r), ..*r }).collect();
        next
    }

    /// The same matrix with each class cut into the kept and the others, as far as there is room for more
    /// classes.
    fn refined(&self, kept: &Config) -> Matrix {
        let inside = self.counts(kept);
        let old = self.sizes.len();
        let cut = (0..old).filter(|&c| 0 < inside[c] && inside[c] < self.sizes[c]);
        let cut: Vec<usize> = cut.take(CLASSES.saturating_sub(old)).collect();
        if cut.is_empty() {
            return self.clone();
        }
        let mut class_of = self.class_of.to_vec();
        let mut sizes = self.sizes.to_vec();
        let mut kept_half = vec![None; old];
        for (k, &c) in cut.iter().enumerate() {
            kept_half[c] = Some((old + k) as u32);
            sizes[c] -= inside[c];
            sizes.push(inside[c]);
        }
        for a in kept.iter() {
            if let Some(half) = kept_half[self.class_of(a)] {
                class_of[a as usize] = half;
            }
        }
        let origin: Vec<usize> = (0..old).chain(cut).collect();
        let values = origin.iter().flat_map(|&a| origin.iter().map(move |&b| self.of_classes(a, b)));
        let values = values.collect();
        Matrix { class_of: class_of.into(), sizes: sizes.into(), values, ..self.clone() }
    }
}

fn raise(most: &mut HashMap<u32, f64>, change: u32, value: f64) {
    let most = most.entry(change).or_default();
    *most = most.max(value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coupling, Random};

    /// The paper's matrix, every pair by itself.
    struct Dense {
        x: Config,
        m: HashMap<(u32, u32), f64>,
    }

    impl Dense {
        fn new(x: &Config, reported: &[(u32, u32)], delta: f64) -> Dense {
            let pairs = x.iter().flat_map(|a| x.iter().filter(move |&b| a != b).map(move |b| (a, b)));
            let m = pairs
                .map(|pair| (pair, if reported.contains(&pair) { delta } else { 1.0 - delta }))
                .collect();
            Dense { x: x.clone(), m }
        }

        fn block(&self, rows: &Config, columns: &Config) -> Vec<(u32, u32)> {
            rows.iter().flat_map(|a| columns.iter().map(move |b| (a, b))).collect()
        }

        fn product(&self, kept: &Config) -> f64 {
            self.block(kept, &self.x.minus(kept)).iter().map(|pair| 1.0 - self.m[pair]).product()
        }

        fn break_build(&mut self, kept: &Config) {
            let chance = 1.0 - self.product(kept);
            for pair in self.block(kept, &self.x.minus(kept)) {
                let value = self.m.get_mut(&pair).unwrap();
                *value = if chance == 0.0 { *value } else { (*value / chance).min(1.0) };
            }
        }

        fn build(&mut self, kept: &Config) {
            for pair in self.block(kept, &self.x.minus(kept)) {
                self.m.insert(pair, 0.0);
            }
        }

        fn max(&self, rows: &Config, columns: &Config) -> f64 {
            self.block(rows, columns)
                .iter()
                .filter(|(a, b)| a != b)
                .map(|pair| self.m[pair])
                .fold(0.0, f64::max)
        }
    }

    fn some_of(x: &Config, random: &mut Random) -> Config {
        let share = random.unit();
        x.iter().filter(|_| random.chance(share)).collect()
    }

    fn assert_close(ours: f64, naive: f64, what: &str) {
        assert!((ours - naive).abs() < 1e-9, "{what}: {ours}, naive {naive}");
    }

    fn assert_same(matrix: &Matrix, dense: &Dense, random: &mut Random) {
        for (&(a, b), &value) in &dense.m {
            assert_close(matrix.value(a, b), value, "value");
        }
        let rows = some_of(&dense.x, random);
        let columns = dense.x.minus(&rows);
        assert_close(matrix.chance_to_build(&rows), dense.product(&rows), "chance to build");
        for (a, most) in matrix.row_max(&rows, &columns) {
            assert_close(most, dense.max(&[a].into(), &columns), "row maximum");
        }
        for (b, most) in matrix.column_max(&rows, &columns) {
            assert_close(most, dense.max(&rows, &[b].into()), "column maximum");
        }
        for (a, most) in matrix.likeliest_needs() {
            assert_close(most, dense.max(&[a].into(), &dense.x), "likeliest need");
        }
    }

    #[test]
    fn the_matrix_of_classes_is_the_matrix_of_pairs() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let n = 1 + random.below(12) as u32;
            let mut x: Config = (0..n).map(|i| 3 * i).collect();
            let delta = [0.9, 0.6, 1.0][random.below(3)];
            let mut reported: Vec<(u32, u32)> = (0..random.below(8))
                .map(|_| (3 * random.below(n as usize) as u32, 3 * random.below(n as usize) as u32))
                .collect();
            reported.retain(|(a, b)| a != b);
            let couplings = Couplings::given(reported.iter().map(|&(a, b)| Coupling::certain(a, b)));
            let mut matrix = Matrix::new(&x, &couplings, delta);
            let mut dense = Dense::new(&x, &reported, delta);
            for _ in 0..12 {
                assert_same(&matrix, &dense, &mut random);
                let kept = some_of(&x, &mut random);
                match random.below(8) {
                    0 => {
                        x = kept;
                        matrix = matrix.reduced(&x);
                        dense.m.retain(|(a, b), _| x.contains(*a) && x.contains(*b));
                        dense.x = x.clone();
                    }
                    1 | 2 => {
                        matrix = matrix.after_build(&kept);
                        dense.build(&kept);
                    }
                    _ => {
                        matrix = matrix.after_broken_build(&kept);
                        dense.break_build(&kept);
                    }
                }
            }
        }
    }

    #[test]
    fn a_build_clears_a_wrong_report_and_a_broken_build_raises_the_rest() {
        let couplings = Couplings::given([Coupling::certain(2, 3)]);
        let matrix = Matrix::new(&[1, 2, 3, 13].into(), &couplings, 0.9);
        assert_close(matrix.value(2, 3), 0.9, "reported");
        let matrix = matrix.after_build(&[2, 13].into());
        assert_eq!(matrix.value(2, 3), 0.0);
        assert_close(matrix.value(3, 2), 0.1, "the other way round");
        let broken = matrix.after_broken_build(&[1].into());
        assert_close(broken.value(1, 3), 0.1 / (1.0 - 0.9f64.powi(3)), "raised");
        assert_eq!(broken.value(2, 3), 0.0, "stays cleared");
    }

    #[test]
    fn the_only_possible_need_becomes_certain() {
        let matrix = Matrix::new(&[0, 1, 2].into(), &Couplings::none(), 0.9);
        let matrix =
            matrix.after_build(&[0, 2].into()).after_broken_build(&[0, 1].into()).after_build(&[0].into());
        assert_eq!(matrix.after_broken_build(&[0, 1].into()).value(1, 2), 1.0);
    }

    #[test]
    fn a_hundred_thousand_changes_stay_in_a_bounded_number_of_classes() {
        let n = 100_000;
        let mut random = Random::new(1);
        let x = Config::full(n);
        let mut matrix = Matrix::new(&x, &Couplings::none(), 0.9);
        for _ in 0..12 {
            let kept: Config = x.iter().filter(|_| random.chance(0.5)).collect();
            matrix = matrix.after_build(&kept);
        }
        assert_eq!(matrix.sizes.len(), CLASSES);
        assert_eq!(matrix.sizes.iter().sum::<usize>(), n);
        assert_eq!(matrix.column_max(&[0].into(), &x.without(0)).len(), n - 1);
    }
}
