//! What can only go together: after a search, pieces of its result that somebody proposes.
//!
//! A search over lines ends where no line can go alone: the head of a loop holds its end, and the end its head.
//! Who knows more about the changes than their numbers can say which of them make a whole.
//!
//! ```text
//!   found     [ x x ( x x ) x ]      nothing can go alone
//!   proposed  [     ( x x )   ]
//!   ask       [ x x         x ]      fails -> search in there, and ask for pieces again
//! ```

use super::Make;
use crate::{Answer, Case, Cases, Config, Odds, Problem, Search, one_case};
use std::sync::Arc;

/// How likely a result fails without a piece of it.
const ODDS: Odds = Odds { fail: 0.2, unresolved: 0.4 };

/// Pieces of a config that may go as a whole, the same for the same config.
pub type Propose = Arc<dyn Fn(&Config) -> Vec<Config> + Send + Sync>;

/// Runs a search, then tries its result without each proposed piece, and searches again in what is left.
///
/// Promises what the search promises. Progress: each search but the first starts from fewer changes than the last
/// one found, and there are as many questions between them as pieces.
#[derive(Clone)]
pub enum Pieces<S> {
    /// In a search.
    Searching(S, Arc<Ground<S>>),
    /// Between two searches, at one of the pieces.
    Trying(Arc<Attempt<S>>),
}

/// What is searched, how, and what is known of it by now.
#[derive(Clone)]
pub struct Ground<S> {
    problem: Problem,
    again: Make<S>,
    propose: Propose,
}

/// Pieces that are still to be tried.
#[derive(Clone)]
pub struct Attempt<S> {
    ground: Ground<S>,
    found: Config,
    /// The last is the one to try.
    pieces: Vec<Config>,
}

impl<S: Search> Pieces<S> {
    /// Goes on after `first`, a search in the whole problem, by what `again` makes of what is left.
    pub fn new(
        problem: &Problem,
        first: S,
        propose: Propose,
        again: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Pieces<S> {
        let ground = Ground { problem: problem.clone(), again: Arc::new(again), propose };
        Pieces::Searching(first, Arc::new(ground))
    }
}

impl<S: Search> Ground<S> {
    /// The same with what one more answer teaches about couplings.
    fn told(&self, config: &Config, answer: &Answer) -> Ground<S> {
        Ground { problem: self.problem.told(config, answer), ..self.clone() }
    }

    fn try_pieces(&self, found: Config) -> Option<Pieces<S>> {
        let mut pieces = (self.propose)(&found);
        pieces.retain(|piece| !piece.is_empty() && piece.len() < found.len());
        pieces.reverse();
        Attempt { ground: self.clone(), found, pieces }.go_on()
    }
}

impl<S: Search> Attempt<S> {
    fn go_on(self) -> Option<Pieces<S>> {
        (!self.pieces.is_empty()).then(|| Pieces::Trying(Arc::new(self)))
    }

    fn told(&self, smaller: &Config, answer: &Answer) -> Option<Pieces<S>> {
        let mut next = Attempt { ground: self.ground.told(smaller, answer), ..self.clone() };
        if answer.fails() {
            let search = (next.ground.again)(&next.ground.problem.within(smaller.clone()));
            return Some(Pieces::Searching(search, Arc::new(next.ground)));
        }
        next.pieces.pop();
        next.go_on()
    }
}

impl<S: Search> Search for Pieces<S> {
    fn cases(&self) -> Cases<Pieces<S>> {
        match self {
            Pieces::Searching(search, ground) => {
                let ground = Arc::clone(ground);
                Box::new(search.cases().map(move |case| {
                    let ground = Arc::clone(&ground);
                    case.map_told(move |search, asked, answer| {
                        Pieces::Searching(search, Arc::new(ground.told(asked, answer)))
                    })
                }))
            }
            Pieces::Trying(attempt) => {
                let Some(piece) = attempt.pieces.last() else { return crate::no_cases() };
                let smaller = attempt.found.minus(piece);
                let (attempt, asked) = (Arc::clone(attempt), smaller.clone());
                let next = move |answer: &Answer| attempt.told(&asked, answer);
                one_case(Case { config: smaller, odds: ODDS, next: Box::new(next) })
            }
        }
    }

    fn otherwise(&self) -> Option<Pieces<S>> {
        match self {
            Pieces::Searching(search, ground) => match search.otherwise() {
                Some(next) => Some(Pieces::Searching(next, Arc::clone(ground))),
                None => ground.try_pieces(search.best()),
            },
            Pieces::Trying(_) => None,
        }
    }

    fn best(&self) -> Config {
        match self {
            Pieces::Searching(search, _) => search.best(),
            Pieces::Trying(attempt) => attempt.found.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;
    use crate::combine::once::Once;
    use crate::laws::{Oracle, Promise, Simulated, check_laws, converse};
    use crate::list::Ddmin;

    fn ddmin(problem: &Problem) -> Ddmin {
        Ddmin::new(problem.full.clone())
    }

    /// Neighbours by twos.
    fn by_twos(config: &Config) -> Vec<Config> {
        let changes: Vec<u32> = config.iter().collect();
        changes.windows(2).map(|pair| pair.iter().copied().collect()).collect()
    }

    fn pieces(problem: &Problem) -> Pieces<Ddmin> {
        Pieces::new(problem, ddmin(problem), Arc::new(by_twos), ddmin)
    }

    #[test]
    fn pieces_keep_the_laws() {
        check_laws(pieces, Promise { one_minimal: true, bound: |n| 2 * (n * n + 3 * n) * (n + 1) });
    }

    #[test]
    fn what_holds_each_other_goes_as_a_piece_and_the_rest_is_minimal_again() {
        // 2 and 3 cannot be without each other, nor 5 and 6; only 4 matters.
        let test = |config: &Config| {
            let has = |change| config.contains(change);
            match (has(2) == has(3) && has(5) == has(6), has(4)) {
                (false, _) => Answer::bare(Outcome::Unresolved),
                (true, true) => Answer::bare(Outcome::Fail),
                (true, false) => Answer::bare(Outcome::Pass),
            }
        };
        let problem = Problem::new(7).within((2..7).collect());
        let once = |problem: &Problem| Once::new(problem.full.clone());
        assert_eq!(converse(once(&problem), test).best, (2..7).collect(), "which nothing can leave alone");
        let pieces = Pieces::new(&problem, once(&problem), Arc::new(by_twos), once);
        assert_eq!(converse(pieces, test).best, [4].into());
    }

    #[test]
    fn each_piece_costs_one_question() {
        let oracle = Simulated::monotone(16, [1, 5, 9]);
        let alone = converse(ddmin(&oracle.problem()), |c| oracle.test(c));
        let said = converse(pieces(&oracle.problem()), |c| oracle.test(c));
        assert_eq!(said.questions.len(), alone.questions.len() + 2);
    }
}
