//! Keeping to the paths that may change.
//!
//! Patterns are those of `.gitignore`, which users know: `*.py` at any depth, `/src` only at the top, `docs/` a
//! folder with all that is in it, `!` for an exception. A path outside the limits is the same in both versions,
//! namely as the side has it that the search starts from: so the patch that is found applies there.

use super::{Pair, RelPath, Snapshot, VersionError, dir, place};
use crate::event::Side;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// A pattern that is none.
#[derive(Debug, thiserror::Error)]
#[error("`{glob}` is not a pattern for paths: {said}")]
pub struct BadGlob {
    /// The pattern.
    pub glob: String,
    /// What is wrong with it.
    pub said: String,
}

/// Which paths may change.
pub struct Filter {
    only: Option<Gitignore>,
    ignore: Option<Gitignore>,
}

impl Filter {
    /// Admits what `only` matches, or everything if it is empty, but for what `ignore` matches.
    pub fn new(only: &[String], ignore: &[String]) -> Result<Filter, BadGlob> {
        Ok(Filter { only: patterns(only)?, ignore: patterns(ignore)? })
    }

    /// Whether the path may change.
    pub fn admits(&self, path: &RelPath) -> bool {
        let path = dir::os_path(path.as_bytes());
        let matches = |patterns: &Gitignore| patterns.matched_path_or_any_parents(&path, false).is_ignore();
        self.only.as_ref().is_none_or(matches) && !self.ignore.as_ref().is_some_and(matches)
    }
}

fn patterns(globs: &[String]) -> Result<Option<Gitignore>, BadGlob> {
    if globs.is_empty() {
        return Ok(None);
    }
    let mut builder = GitignoreBuilder::new("");
    builder.allow_unclosed_class(false);
    for glob in globs {
        let bad = |said: String| BadGlob { glob: glob.clone(), said };
        if glob.trim().is_empty() || glob.starts_with('#') {
            return Err(bad("it is empty or a comment".into()));
        }
        builder.add_line(None, glob).map_err(|cause| bad(cause.to_string()))?;
    }
    let all = |cause: ignore::Error| BadGlob { glob: globs.join(" "), said: cause.to_string() };
    builder.build().map(Some).map_err(all)
}

impl Pair {
    /// The pair that differs only in paths the filter admits; the others are as the side `searched_from` has them.
    pub fn limit(mut self, filter: &Filter, searched_from: Side) -> Result<Pair, VersionError> {
        let changed = changed(&self.old.tree, &self.new.tree);
        match searched_from {
            Side::Old => self.new.tree = blend(&self.new.tree, &self.old.tree, filter),
            Side::New => self.old.tree = blend(&self.old.tree, &self.new.tree, filter),
        }
        if self.old.tree == self.new.tree {
            let more = if changed.len() > PATHS_SHOWN { ", ..." } else { "" };
            let shown: Vec<String> = changed.iter().take(PATHS_SHOWN).map(RelPath::to_string).collect();
            return Err(VersionError::NothingLeft { changed: shown.join(", ") + more });
        }
        Ok(self)
    }
}

const PATHS_SHOWN: usize = 8;

fn changed(old: &Snapshot, new: &Snapshot) -> Vec<RelPath> {
    let differs = |path: &&RelPath| old.get(path) != new.get(path);
    let added = new.paths().filter(|path| old.get(path).is_none());
    let mut changed: Vec<RelPath> = old.paths().chain(added).filter(differs).cloned().collect();
    changed.sort();
    changed
}

/// What the filter admits from `inside`, the rest from `outside`; where both claim a place, `outside` has it.
fn blend(inside: &Snapshot, outside: &Snapshot, filter: &Filter) -> Snapshot {
    let mut tree = Snapshot::default();
    let admitted = inside.iter().filter(|(path, _)| filter.admits(path));
    admitted.for_each(|(path, entry)| place(&mut tree, path.clone(), entry.clone()));
    let fixed = outside.iter().filter(|(path, _)| !filter.admits(path));
    fixed.for_each(|(path, entry)| place(&mut tree, path.clone(), entry.clone()));
    tree
}
