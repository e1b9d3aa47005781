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
    hazard: f64,
}

/// What a group may hold at most.
struct Room {
    len: usize,
    hazard: f64,
}

/// How likely it is that nothing is lost with a group: neither the failure nor the build.
struct Chances {
    /// Culprits for each unit of mass, and in all changes that are in question if one of them is a culprit.
    culprits: f64,
    culprits_in_all: Option<f64>,
    /// The same for changes that hold up the build.
    hidden: f64,
    hidden_in_all: Option<f64>,
}

impl Chances {
    fn hazard(&self, mass: f64, len: usize) -> f64 {
        self.culprits * mass + self.hidden * len as f64
    }

    fn fails(&self, mass: f64) -> f64 {
        none_of(self.culprits * mass, self.culprits_in_all)
    }

    /// The hazard of a part of `all` that goes with chance one half.
    fn wanted(&self, all_mass: f64, all_len: usize) -> f64 {
        match (self.hidden > 0.0, self.culprits_in_all) {
            (false, None) => std::f64::consts::LN_2,
            (false, Some(all)) => -((1.0 + (-all).exp()) / 2.0).ln(),
            (true, _) => {
                let goes = |part: f64| {
                    let builds = none_of(part * self.hidden * all_len as f64, self.hidden_in_all);
                    self.fails(part * all_mass) * builds
                };
                let (mut low, mut high) = (0.0, 1.0);
                for _ in 0..40 {
                    let middle = (low + high) / 2.0;
                    *(if goes(middle) > 0.5 { &mut low } else { &mut high }) = middle;
                }
                low * self.hazard(all_mass, all_len)
            }
        }
    }
}

/// The chance that a part with this hazard holds none, if the whole, where its hazard is given, holds one.
fn none_of(part: f64, whole: Option<f64>) -> f64 {
    match whole {
        Some(whole) if whole > 0.0 => (1.0 - (-part).exp_m1() / (-whole).exp_m1()).clamp(0.0, 1.0),
        _ => (-part).exp(),
    }
}

impl Pith {
    /// The group of changes in `pool` that goes with about the chance of one half, with the odds of failing.
    ///
    /// Nothing that stays needs a change of the group. Of suspects, or of changes that are known to break the
    /// build together, the group is never all. `None` when no such group is left.
    pub(super) fn group(&self, pool: &Config) -> Option<Group> {
        let (suspecting, blocked) = (self.suspects.is_some(), self.builds.blocked.is_some());
        let (mass, len) = (self.mass(pool), pool.len());
        let culprits = self.density.rate();
        let hidden = self.builds.hidden.rate().max(if blocked { 1e-6 } else { 0.0 });
        let chances = Chances {
            culprits,
            culprits_in_all: suspecting.then_some(culprits * mass),
            hidden,
            hidden_in_all: blocked.then_some(hidden * len as f64),
        };
        let all_is_known_to_pass = suspecting || blocked || *pool == self.kept;
        let most = if all_is_known_to_pass { len.saturating_sub(1) } else { len };
        let stuck = self.stuck(pool);
        let gathered = self.gather(pool, stuck.clone(), &chances, chances.wanted(mass, len), most);
        let whole = gathered.units <= 1;
        let taken = match gathered.len {
            0 => self.least(&pool.minus(&stuck.into()), most)?,
            _ => gathered.members.into(),
        };
        let fail = chances.fails(self.mass(&taken));
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
    /// wanted hazard.
    fn gather(
        &self,
        pool: &Config,
        mut refused: Bits,
        chances: &Chances,
        wanted: f64,
        most: usize,
    ) -> Gathering {
        let mut group = Gathering::default();
        for &change in self.order.iter() {
            if group.hazard >= wanted || group.len >= most {
                break;
            }
            if !pool.contains(change) || refused.contains(change) || group.members.contains(change) {
                continue;
            }
            // Twice what is missing is as far from what is wanted as the group is without it.
            let room = Room { len: most - group.len, hazard: 2.0 * (wanted - group.hazard) };
            if !self.add_unit(change, &mut group, chances, &room) {
                self.refuse(change, pool, &mut refused);
            }
        }
        group
    }

    /// Adds the change and whatever cannot stay without it, if there is room.
    fn add_unit(&self, change: u32, group: &mut Gathering, chances: &Chances, room: &Room) -> bool {
        let mut unit = vec![change];
        let mut mass = self.mass[change as usize];
        let fits = |unit: &[u32], mass: f64| {
            unit.len() <= room.len && chances.hazard(mass, unit.len()) <= room.hazard
        };
        group.members.insert(change);
        let mut at = 0;
        while at < unit.len() && fits(&unit, mass) {
            for dependent in self.couplings.needed_by(unit[at]).map(|c| c.dependent) {
                if self.kept.contains(dependent) && group.members.insert(dependent) {
                    mass += self.mass[dependent as usize];
                    unit.push(dependent);
                }
            }
            at += 1;
        }
        let fits = fits(&unit, mass);
        if fits {
            group.len += unit.len();
            group.units += 1;
            group.hazard += chances.hazard(mass, unit.len());
        } else {
            unit.into_iter().for_each(|i| group.members.remove(i));
        }
        fits
    }

    /// The lightest change, or ring of changes that need each other, that nothing else needs; of at most so many.
    fn least(&self, free: &Config, most: usize) -> Option<Config> {
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
        Some(ring.iter().copied().collect())
    }
}
