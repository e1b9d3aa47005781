//! A search that is left once it takes out too little: there may be better places to ask.
//!
//! In a tree a list can be hard only because of what is elsewhere: functions cannot go while `main` calls them.
//! Whoever comes back when the calls are gone finds it easy. So a search among the functions is left when it
//! has become slow, and nothing is lost where somebody comes back.

use crate::{Answer, Case, Cases, Config, Problem, Search, no_cases};
use std::sync::Arc;

/// How many questions are looked at together at least, unless somebody says how many.
const PATIENCE: usize = 16;

/// Ends a search when its last questions have taken out too little.
///
/// Promises nothing but a config that fails. Progress: that of the search.
#[derive(Clone)]
pub struct Impatient<S> {
    search: S,
    size: Arc<dyn Fn(&Config) -> u64 + Send + Sync>,
    /// The share of what is left that they must take out.
    share: f64,
    patience: usize,
    /// Whether an answer counts.
    counts: fn(&Answer) -> bool,
    /// As long as more is left, nothing is given up.
    most: u64,
    asked: usize,
    /// What was left when the questions that are looked at together began.
    from: u64,
    left: bool,
}

impl<S: Search> Impatient<S> {
    /// Looks after a search in a problem: now and then it must have taken out this share of what was left.
    ///
    /// To find a part that matters by halving takes longer among many parts; so long that two can be found is no sign
    /// that there are many of them.
    pub fn new(problem: &Problem, share: f64, search: S) -> Impatient<S> {
        let problem = problem.clone();
        let halvings = problem.full.len().checked_ilog2().unwrap_or(0) as usize;
        Impatient::by(move |config| problem.weigh(config), share, search)
            .with_patience(PATIENCE.max(2 * halvings))
    }

    /// Looks after a search by the size of what is left.
    pub fn by(size: impl Fn(&Config) -> u64 + Send + Sync + 'static, share: f64, search: S) -> Impatient<S> {
        let from = size(&search.best());
        let (size, patience, most) = (Arc::new(size), PATIENCE, u64::MAX);
        Impatient { search, size, share, patience, counts: |_| true, most, asked: 0, from, left: false }
    }

    /// Looks at so many questions together.
    pub fn with_patience(self, patience: usize) -> Impatient<S> {
        Impatient { patience, ..self }
    }

    /// Does not count builds that broke and said why: the next question is a better one.
    pub fn with_what_tells_nothing(self) -> Impatient<S> {
        Impatient { counts: |answer| answer.built || answer.needs.is_empty(), ..self }
    }

    /// Looks only where no more than this is left.
    pub fn below(self, most: u64) -> Impatient<S> {
        Impatient { most, ..self }
    }

    /// Whether the search was left before its end.
    pub fn was_left(&self) -> bool {
        self.left
    }

    fn after(&self, search: S, answer: &Answer) -> Impatient<S> {
        let asked = self.asked + usize::from((self.counts)(answer));
        let mut next = Impatient { search, asked, ..self.clone() };
        if next.from > next.most {
            (next.asked, next.from) = (0, (next.size)(&next.search.best()));
        }
        if next.asked >= next.patience {
            let now = (next.size)(&next.search.best());
            let took_out = next.from.saturating_sub(now) as f64;
            next.left = now <= next.most && took_out < next.share * next.from as f64;
            (next.asked, next.from) = (0, now);
        }
        next
    }
}

impl<S: Search> Search for Impatient<S> {
    fn cases(&self) -> Cases<Impatient<S>> {
        if self.left {
            return no_cases();
        }
        let this = self.clone();
        Box::new(self.search.cases().map(move |case| {
            let (this, next) = (this.clone(), case.next);
            let next = move |answer: &Answer| next(answer).map(|search| this.after(search, answer));
            Case { config: case.config, odds: case.odds, next: Box::new(next) }
        }))
    }

    fn otherwise(&self) -> Option<Impatient<S>> {
        if self.left {
            return None;
        }
        self.search.otherwise().map(|search| Impatient { search, ..self.clone() })
    }

    fn best(&self) -> Config {
        self.search.best()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Naming, Oracle, Simulated, converse};
    use crate::list::Pith;

    #[test]
    fn an_impatient_search_ends_as_the_search_does_where_much_goes() {
        let oracle = Simulated::monotone(1000, [3, 500]);
        let problem = oracle.problem();
        let alone = converse(Pith::unproven(&problem), |c| oracle.test(c));
        let looked_after =
            converse(Impatient::new(&problem, 0.03, Pith::unproven(&problem)), |c| oracle.test(c));
        assert_eq!(alone.to_string(), looked_after.to_string());
    }

    #[test]
    fn an_impatient_search_has_patience_while_much_is_left() {
        let needed = || (0..400).filter(|i| i % 20 != 0).collect::<Config>();
        let oracle = Simulated::monotone(1000, needed());
        let problem = oracle.problem();
        let below = |most| Impatient::new(&problem, 0.03, Pith::new(&problem)).below(most);
        let [patient, impatient] = [379, 1000].map(|most| converse(below(most), |c| oracle.test(c)));
        assert_eq!(patient.best, needed());
        assert!(impatient.questions.len() < patient.questions.len());
    }

    #[test]
    fn what_is_no_longer_looked_at_tries_nobodys_patience() {
        let oracle = Simulated::monotone(60, [3, 20, 40]);
        let problem = oracle.problem();
        // Fewer than ten are as good as none to be impatient about.
        let size = |config: &Config| if config.len() < 10 { u64::MAX } else { config.len() as u64 };
        for patience in 12..24 {
            let start = Impatient::by(size, 0.001, Pith::new(&problem)).with_patience(patience).below(300);
            let ended = crate::search(start, |c| oracle.test(c));
            assert!(!ended.was_left(), "{patience}");
            assert_eq!(ended.best(), [3, 20, 40].into());
        }
    }

    #[test]
    fn an_impatient_search_is_left_where_nearly_all_is_needed() {
        let oracle = Simulated::monotone(400, (0..400).filter(|i| i % 20 != 0).collect::<Config>());
        let problem = oracle.problem();
        let said = converse(Impatient::new(&problem, 0.03, Pith::unproven(&problem)), |c| oracle.test(c));
        assert_eq!(said.questions.len(), PATIENCE);
        assert!(oracle.test(&said.best).fails());
    }

    #[test]
    fn what_says_why_it_does_not_build_tries_nobodys_patience_if_it_does_not_count() {
        // A ring: nothing can go.
        let needs: Arc<Vec<Vec<u32>>> = Arc::new((0..100).map(|i| vec![(i + 1) % 100]).collect());
        let left = |naming: Naming, wrap: fn(Impatient<Pith>) -> Impatient<Pith>| {
            let oracle = Simulated { needs: Arc::clone(&needs), naming, ..Simulated::monotone(100, [7]) };
            let problem = oracle.problem();
            let start = Impatient::new(&problem, 0.03, Pith::unproven(&problem));
            crate::search(wrap(start), |c| oracle.test(c)).was_left()
        };
        assert!(left(Naming::One, |start| start));
        assert!(!left(Naming::One, Impatient::with_what_tells_nothing));
        assert!(left(Naming::Nothing, Impatient::with_what_tells_nothing));
    }

    #[test]
    fn of_very_many_parts_two_can_be_found_by_halving_before_a_search_is_left() {
        let oracle = Simulated::monotone(16_000, (0..16_000).filter(|i| i % 20 != 0).collect::<Config>());
        let problem = oracle.problem();
        let said = converse(Impatient::new(&problem, 0.03, Pith::unproven(&problem)), |c| oracle.test(c));
        assert_eq!(said.questions.len(), 2 * 13);
    }
}
