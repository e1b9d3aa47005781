//! A search that ends as soon as little enough is left: what is small is looked at in another way.

use crate::{Case, Cases, Config, Search, no_cases};
use std::sync::Arc;

/// Ends a search when what is left is small enough for its owner.
///
/// Promises nothing but a config that fails. Progress: that of the search.
#[derive(Clone)]
pub struct Until<S> {
    search: S,
    is_enough: Arc<dyn Fn(&Config) -> bool + Send + Sync>,
    /// The smallest config known when it was last asked whether that is enough.
    best: Config,
    ended: bool,
}

impl<S: Search> Until<S> {
    /// Runs a search until this holds for its smallest failing config.
    pub fn new(search: S, is_enough: impl Fn(&Config) -> bool + Send + Sync + 'static) -> Until<S> {
        let best = search.best();
        Until { search, ended: is_enough(&best), is_enough: Arc::new(is_enough), best }
    }

    fn after(&self, search: S) -> Until<S> {
        let best = search.best();
        let ended = best != self.best && (self.is_enough)(&best);
        Until { search, is_enough: Arc::clone(&self.is_enough), best, ended }
    }
}

impl<S: Search> Search for Until<S> {
    fn cases(&self) -> Cases<Until<S>> {
        if self.ended {
            return no_cases();
        }
        let this = self.clone();
        let wrapped = move |case: Case<S>| {
            let this = this.clone();
            case.map(move |search| this.after(search))
        };
        Box::new(self.search.cases().map(wrapped))
    }

    fn otherwise(&self) -> Option<Until<S>> {
        let next = self.search.otherwise().filter(|_| !self.ended);
        next.map(|search| self.after(search))
    }

    fn best(&self) -> Config {
        self.search.best()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Oracle, Simulated, converse};
    use crate::list::Pith;

    #[test]
    fn a_search_goes_on_until_enough_is_gone_and_no_longer() {
        let oracle = Simulated::monotone(1000, [3, 500]);
        let pith = Pith::unproven(&oracle.problem());
        let whole = converse(pith.clone(), |c| oracle.test(c));
        let ended = converse(Until::new(pith, |best| best.len() <= 100), |c| oracle.test(c));
        assert!(ended.best.len() <= 100 && ended.best.len() > 2, "{} are left", ended.best.len());
        assert!(oracle.test(&ended.best).fails());
        assert!(ended.questions.iter().zip(&whole.questions).all(|(one, other)| one.config == other.config));
        assert!(ended.questions.len() < whole.questions.len());
    }

    #[test]
    fn what_is_enough_from_the_start_is_not_searched() {
        let oracle = Simulated::monotone(10, [3]);
        let ended = converse(Until::new(Pith::unproven(&oracle.problem()), |_| true), |c| oracle.test(c));
        assert_eq!((ended.questions.len(), ended.best.len()), (0, 10));
    }
}
