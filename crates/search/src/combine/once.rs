//! A small search to test combinators with: it promises nothing, and asks whatever the answer was.

use crate::{Case, Cases, Config, Odds, Search, no_cases, one_case};

/// Looks at each element once, from the first to the last.
#[derive(Clone)]
pub struct Once {
    c: Config,
    left: Config,
}

impl Once {
    /// Looks at every element of a config that fails.
    pub fn new(c: Config) -> Once {
        Once { left: c.clone(), c }
    }
}

impl Search for Once {
    fn cases(&self) -> Cases<Once> {
        let Once { c, left } = self.clone();
        let Some(first) = left.first().filter(|_| c.len() > 1) else { return no_cases() };
        let (without, left) = (c.without(first), left.without(first));
        one_case(Case::ask(without.clone(), Odds::RARELY_FAILS, move |answer| {
            let c = if answer.fails() { &without } else { &c };
            Once { c: c.clone(), left: left.clone() }
        }))
    }

    fn otherwise(&self) -> Option<Once> {
        None
    }

    fn best(&self) -> Config {
        self.c.clone()
    }
}
