//! Lists of couplings by change, shared in blocks: after each broken build a search knows a few couplings more,
//! and copying all it knows of a hundred thousand changes for them would be most of its work.

use crate::Coupling;
use std::sync::Arc;

/// Changes to a block.
const BLOCK: usize = 64;

/// Couplings by both of their ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    needs: Lists,
    needed_by: Lists,
    len: usize,
}

impl Graph {
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn needs(&self, change: u32) -> &[Coupling] {
        self.needs.of(change)
    }

    pub(super) fn needed_by(&self, change: u32) -> &[Coupling] {
        self.needed_by.of(change)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Coupling> + '_ {
        self.needs.0.iter().flat_map(|block| block.iter().flatten().copied())
    }

    pub(super) fn add(&mut self, coupling: Coupling) {
        self.needs.of_mut(coupling.dependent).push(coupling);
        self.needed_by.of_mut(coupling.needed).push(coupling);
        self.len += 1;
    }

    /// Takes out every coupling of the same two changes.
    pub(super) fn remove(&mut self, coupling: &Coupling) {
        let needs = self.needs.of_mut(coupling.dependent);
        let before = needs.len();
        needs.retain(|c| c.needed != coupling.needed);
        self.len -= before - needs.len();
        self.needed_by.of_mut(coupling.needed).retain(|c| c.dependent != coupling.dependent);
    }
}

/// A list for each change, empty where nothing was added.
#[derive(Clone, Debug, Default)]
struct Lists(Vec<Arc<[Vec<Coupling>; BLOCK]>>);

impl Lists {
    fn of(&self, change: u32) -> &[Coupling] {
        let change = change as usize;
        self.0.get(change / BLOCK).map_or(&[], |block| &block[change % BLOCK])
    }

    fn of_mut(&mut self, change: u32) -> &mut Vec<Coupling> {
        let change = change as usize;
        if self.0.len() <= change / BLOCK {
            let empty = Arc::new([const { Vec::new() }; BLOCK]);
            self.0.resize(change / BLOCK + 1, empty);
        }
        &mut Arc::make_mut(&mut self.0[change / BLOCK])[change % BLOCK]
    }
}
