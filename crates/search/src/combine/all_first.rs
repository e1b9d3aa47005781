//! The question that list searches leave out: can everything go at once?
//!
//! For changes the answer is known, without any of them there is no failure. For parts of one kind, such as all
//! comments of a text, it is the most rewarding question there is.

use crate::{Case, Cases, Config, Outcome::Fail, Search, no_cases, one_case};

/// Asks whether all elements can go, and runs a search among them if not.
///
/// Promises what the search promises.
#[derive(Clone)]
pub enum AllFirst<S> {
    /// Asking about all of them.
    All(S),
    /// All of them went.
    Gone,
    /// In the search.
    Some(S),
}

impl<S: Search> Search for AllFirst<S> {
    fn cases(&self) -> Cases<AllFirst<S>> {
        match self {
            AllFirst::All(_) => one_case(Case::when(Config::empty(), Fail, || AllFirst::Gone)),
            AllFirst::Gone => no_cases(),
            AllFirst::Some(search) => Box::new(search.cases().map(|case| case.map(AllFirst::Some))),
        }
    }

    fn otherwise(&self) -> Option<AllFirst<S>> {
        match self {
            AllFirst::All(search) => Some(AllFirst::Some(search.clone())),
            AllFirst::Gone => None,
            AllFirst::Some(search) => search.otherwise().map(AllFirst::Some),
        }
    }

    fn best(&self) -> Config {
        match self {
            AllFirst::All(search) | AllFirst::Some(search) => search.best(),
            AllFirst::Gone => Config::empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;
    use crate::laws::{Oracle, Simulated, converse};
    use crate::list::Ddmin;

    #[test]
    fn all_first_asks_about_all_and_then_goes_on_as_the_search() {
        let oracle = Simulated::monotone(2, [1]);
        let said = converse(AllFirst::All(Ddmin::new(Config::full(2))), |c| oracle.test(c));
        assert_eq!(said.to_string(), ["{} P", "{0} P", "{1} F", "-> {1}"].join("\n"));
        let said = converse(AllFirst::All(Ddmin::new(Config::full(2))), |_| Answer::bare(Fail));
        assert_eq!(said.to_string(), ["{} F", "-> {}"].join("\n"));
    }
}
