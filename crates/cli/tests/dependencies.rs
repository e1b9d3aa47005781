//! What may be built into nub: licences we may pass on, a source that stays, and no known fault.
//!
//! Why not cargo-deny? It takes minutes to install, and its advisories have to be fetched. This needs the lock
//! file alone and runs with every other test; what it cannot know is an advisory of yesterday, so a release is
//! also checked with `cargo deny check advisories`.

use cargo_metadata::{Metadata, MetadataCommand, Package};
use spdx::{Expression, ParseMode};

/// Licences that may be passed on with nub, by their SPDX names; anything else is a decision.
const LICENCES: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
    "bzip2-1.0.6",
];

/// Crates with a fault that no version mends, by advisory; those somebody might reach for here.
const DENIED: [(&str, &str); 12] = [
    ("atty", "RUSTSEC-2021-0145"),
    ("failure", "RUSTSEC-2019-0036"),
    ("fast-float", "RUSTSEC-2025-0003"),
    ("im", "RUSTSEC-2023-0126"),
    ("libyml", "RUSTSEC-2025-0067"),
    ("owning_ref", "RUSTSEC-2022-0040"),
    ("parse_duration", "RUSTSEC-2021-0041"),
    ("rustc-serialize", "RUSTSEC-2022-0004"),
    ("serde_yml", "RUSTSEC-2025-0068"),
    ("sized-chunks", "RUSTSEC-2026-0255"),
    ("tokio-tar", "RUSTSEC-2025-0111"),
    ("users", "RUSTSEC-2025-0040"),
];

fn metadata() -> Metadata {
    let locked = ["--locked".to_string()];
    MetadataCommand::new().other_options(locked).exec().expect("the lock file fits the manifests")
}

fn may_be_passed_on(licence: &str) -> bool {
    let expression = Expression::parse_mode(licence, ParseMode::LAX);
    expression.is_ok_and(|expression| expression.evaluate(|one| LICENCES.contains(&one.to_string().as_str())))
}

#[test]
fn every_crate_has_a_licence_that_may_be_passed_on() {
    let refused = |package: &&Package| !package.license.as_deref().is_some_and(may_be_passed_on);
    let metadata = metadata();
    let refused: Vec<String> = metadata.packages.iter().filter(refused).map(describe).collect();
    assert!(refused.is_empty(), "licences not in LICENCES: {refused:#?}");
}

fn describe(package: &Package) -> String {
    let licence = package.license.as_deref().unwrap_or("no licence");
    format!("{} {}: {licence}", package.name, package.version)
}

#[test]
fn one_allowed_alternative_is_enough_but_every_part_of_a_sum_must_be_allowed() {
    for licence in ["MIT", "GPL-3.0-only OR MIT", "(MIT OR Apache-2.0) AND Unicode-3.0", "MIT/Apache-2.0"] {
        assert!(may_be_passed_on(licence), "{licence}");
    }
    for licence in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "MPL-2.0", "our own", ""] {
        assert!(!may_be_passed_on(licence), "{licence}");
    }
}

#[test]
fn every_crate_comes_from_the_registry_or_this_workspace() {
    let metadata = metadata();
    for package in &metadata.packages {
        let known = match &package.source {
            Some(source) => source.is_crates_io(),
            None => metadata.workspace_members.contains(&package.id),
        };
        assert!(known, "`{}` comes from {:?}", package.name, package.source);
    }
}

#[test]
fn no_denied_crate_comes_in() {
    for package in &metadata().packages {
        if let Some((name, advisory)) = DENIED.iter().find(|(name, _)| *name == package.name.as_str()) {
            panic!("`{name}` must not come in: {advisory}");
        }
    }
}
