//! A way to search, as it is written on the command line: `pith@node+coverage+no-rules`.

use nub_lab::isolate::{Granularity, Knowledge};
use nub_search::Algorithm;
use std::fmt;
use std::str::FromStr;

/// An algorithm, how finely it looks, and what it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    pub algorithm: Algorithm,
    pub granularity: Granularity,
    pub coverage: bool,
    pub knowledge: Knowledge,
    /// The seed of searches that draw.
    pub seed: u64,
}

/// Whether a search foresees what cannot be read; those that papers describe do not.
fn reads(algorithm: Algorithm) -> bool {
    algorithm == Algorithm::Pith
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.algorithm, self.granularity)?;
        let words = [
            (self.coverage, "+coverage"),
            (!self.knowledge.rules, "+no-rules"),
            (!self.knowledge.messages, "+no-messages"),
            (self.knowledge.reading != reads(self.algorithm), "+no-reading"),
        ];
        words.iter().filter(|(is, _)| *is).try_for_each(|(_, word)| f.write_str(word))?;
        if self.seed == 1 { Ok(()) } else { write!(f, "+seed-{}", self.seed) }
    }
}

impl FromStr for Way {
    type Err = String;

    fn from_str(text: &str) -> Result<Way, String> {
        let mut words = text.split('+');
        let first = words.next().unwrap_or_default();
        let (algorithm, granularity) = first.split_once('@').unwrap_or((first, "node"));
        let algorithm = algorithm.parse().map_err(|error| format!("{error}"))?;
        let granularity = granularity.parse().map_err(|error| format!("{error}"))?;
        let knowledge = Knowledge { reading: reads(algorithm), ..Knowledge::default() };
        let mut way = Way { algorithm, granularity, coverage: false, knowledge, seed: 1 };
        for word in words {
            match (word, word.strip_prefix("seed-").map(str::parse)) {
                ("coverage", _) => way.coverage = true,
                ("no-rules", _) => way.knowledge.rules = false,
                ("no-messages", _) => way.knowledge.messages = false,
                ("no-reading", _) => way.knowledge.reading = false,
                (_, Some(Ok(seed))) => way.seed = seed,
                _ => return Err(format!("`{word}` in `{text}` means nothing")),
            }
        }
        Ok(way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_written_as_it_is_read() {
        for text in ["pith@line", "c2d2@node+seed-3", "ddmin@decl+coverage+no-rules+no-messages"] {
            assert_eq!(text.parse::<Way>().unwrap().to_string(), text);
        }
        assert_eq!("pith".parse::<Way>().unwrap().to_string(), "pith@node");
        assert!("pith@word".parse::<Way>().is_err());
        assert!("pith+luck".parse::<Way>().is_err());
    }
}
