//! The group of changes to take out next: closed under what is known of couplings, and worth a bit.
//!
//! Changes are gathered in order, each with all that cannot stay without it. What is refused once is refused for
//! good: a group only grows, so a change that is too much for it now is too much later, and so is everything
//! that change needs, which cannot go without it. Each change is therefore looked at once or twice, however
//! long the chains and wide the rings are.

use super::Pith;
use crate::Config;
use crate::config::Bits;
use crate::coupling::strongly_connected;

/// Changes to take out together.
pub(super) struct Group {
    pub(super) taken: Config,
    /// Whether no part of it could go without the rest.
    pub(super) whole: bool,
    /// The chance that the failure stays.
    pub(super) fail: f64,
}

/// A group on its way.
#[derive(Default)]
struct Gathering {
    members: Bits,
    len: usize,
    /// How many times changes were added.
    units: usize,
    mass: f64,
}

/// What a group may hold at most.
struct Room {
    len: usize,
    mass: f64,
}

impl Pith {
    /// The group of changes in `pool` for which both answers are about equally likely, with the odds of failing.
    ///
    /// Nothing that stays needs a change of the group. With suspects the group is not all of them, since that
    /// is known to lose the failure. `None` when no such group is left.
    pub(super) fn group(&self, pool: &Config) -> Option<Group> {
        let suspecting = self.suspects.is_some();
        let rate = self.density.rate();
        let none_at_all = (-self.mass(pool) * rate).exp();
        let target = if suspecting { -((1.0 + none_at_all) / 2.0).ln() } else { std::f64::consts::LN_2 };

        let all_is_known_to_pass = suspecting || *pool == self.kept;
        let most = if all_is_known_to_pass { pool.len().saturating_sub(1) } else { pool.len() };
        let stuck = self.stuck(pool);
        let gathered = self.gather(pool, stuck.clone(), target / rate, most.min(self.builds.largest_group));
        let whole = gathered.units <= 1;
        let (mass, taken) = match gathered.len {
            0 => self.least(&pool.minus(&stuck.into()), most)?,
            _ => (gathered.mass, gathered.members.into()),
        };
        let none_in_group = (-mass * rate).exp();
        let fail = if suspecting {
            ((none_in_group - none_at_all) / (1.0 - none_at_all).max(1e-12)).clamp(0.0, 1.0)
        } else {
            none_in_group
        };
        Some(Group { taken, whole, fail })
    }

    /// The changes of `pool` that cannot go: laid aside, or needed by something that stays.
    fn stuck(&self, pool: &Config) -> Bits {
        let laid_aside = self.builds.laid_aside.intersection(pool);
        let mut stuck = Bits::of(&laid_aside);
        if self.couplings.is_empty() {
            return stuck;
        }
        let stays = |i: u32| self.kept.contains(i) && !pool.contains(i);
        let held_back = |b: &u32| self.couplings.needed_by(*b).any(|c| stays(c.dependent));
        laid_aside.iter().for_each(|i| self.refuse_needs(i, pool, &mut stuck));
        for change in pool.iter().filter(held_back) {
            self.refuse(change, pool, &mut stuck);
        }
        stuck
    }

    /// Refuses a change and everything it needs.
    fn refuse(&self, change: u32, pool: &Config, refused: &mut Bits) {
        if refused.insert(change) {
            self.refuse_needs(change, pool, refused);
        }
    }

    fn refuse_needs(&self, change: u32, pool: &Config, refused: &mut Bits) {
        let mut pending = vec![change];
        while let Some(a) = pending.pop() {
            let needs = self.couplings.needs(a).map(|c| c.needed);
            pending.extend(needs.filter(|&b| pool.contains(b) && refused.insert(b)));
        }
    }

    /// Changes in order, each with what cannot stay without it, as long as that brings the group nearer to the
    /// wanted mass.
    fn gather(&self, pool: &Config, mut refused: Bits, wanted: f64, most: usize) -> Gathering {
        let mut group = Gathering::default();
        for &change in self.order.iter() {
            if group.mass >= wanted || group.len >= most {
                break;
            }
            if !pool.contains(change) || refused.contains(change) || group.members.contains(change) {
                continue;
            }
            // Twice what is missing is as far from the wanted mass as the group is without it.
            let room = Room { len: most - group.len, mass: 2.0 * (wanted - group.mass) };
            if !self.add_unit(change, &mut group, &room) {
                self.refuse(change, pool, &mut refused);
            }
        }
        group
    }

    /// Adds the change and whatever cannot stay without it, if there is room.
    fn add_unit(&self, change: u32, group: &mut Gathering, room: &Room) -> bool {
        let mut unit = vec![change];
        let mut mass = self.mass[change as usize];
        group.members.insert(change);
        let mut at = 0;
        while at < unit.len() && unit.len() <= room.len && mass <= room.mass {
            for dependent in self.couplings.needed_by(unit[at]).map(|c| c.dependent) {
                if self.kept.contains(dependent) && group.members.insert(dependent) {
                    mass += self.mass[dependent as usize];
                    unit.push(dependent);
                }
            }
            at += 1;
        }
        let fits = unit.len() <= room.len && mass <= room.mass;
        if fits {
            group.len += unit.len();
            group.units += 1;
            group.mass += mass;
        } else {
            unit.into_iter().for_each(|i| group.members.remove(i));
        }
        fits
    }

    /// The lightest change, or ring of changes that need each other, that nothing else needs; of at most so many.
    fn least(&self, free: &Config, most: usize) -> Option<(f64, Config)> {
        let dependents = |b: u32| self.couplings.needed_by(b).map(|c| c.dependent);
        let rings = strongly_connected(free, |b| dependents(b).filter(|a| self.kept.contains(*a)));
        let nothing_else_needs = |ring: &&Vec<u32>| {
            let outside = |a: u32| self.kept.contains(a) && ring.binary_search(&a).is_err();
            ring.len() <= most && !ring.iter().any(|&b| dependents(b).any(outside))
        };
        let mass = |ring: &Vec<u32>| ring.iter().map(|&i| self.mass[i as usize]).sum::<f64>();
        let unneeded: Vec<(f64, &Vec<u32>)> =
            rings.iter().filter(nothing_else_needs).map(|ring| (mass(ring), ring)).collect();
        let least = unneeded.iter().map(|(mass, _)| *mass).reduce(f64::min)?;
        let lightest = || unneeded.iter().filter(|(mass, _)| *mass == least).map(|(_, ring)| *ring);
        let members: Config = lightest().flatten().copied().collect();
        let first = self.order.iter().find(|i| members.contains(**i))?;
        let ring = lightest().find(|ring| ring.binary_search(first).is_ok())?;
        Some((least, ring.iter().copied().collect()))
    }
}
