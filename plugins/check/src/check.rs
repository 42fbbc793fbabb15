//! The definition of a check, and the list of them all.

use std::collections::BTreeMap;

use loopctl_plugin_sdk::protocol::{Manifest, PluginKind};

use super::report::CheckOutcome;
use super::subject::PluginUnderTest;
use super::{batch, decode, direct, encode, load, manifest, open};

/// One promise of the contract, and how to see whether a plugin keeps it.
pub(super) struct ContractCheck {
    /// Stable; `group.promise`.
    pub(super) id: &'static str,
    /// The plugins that it is about; all, if none is named.
    pub(super) kind: Option<PluginKind>,
    /// The checks without which it says nothing.
    pub(super) needs: &'static [&'static str],
    /// The contract's demand, in one sentence.
    pub(super) asks: &'static str,
    /// Advice on what to do when it fails.
    pub(super) help: &'static str,
    /// Runs the check.
    pub(super) run: fn(&PluginUnderTest<'_>) -> CheckResult,
}

/// The finding of a check: that all is well, or why not.
pub(super) type CheckResult = Result<String, CheckFailure>;

/// The reason why a check didn't pass.
pub(super) enum CheckFailure {
    /// The promise is broken.
    Failed(String),
    /// It can't be determined.
    Skipped(String),
}

impl From<String> for CheckFailure {
    fn from(found: String) -> Self {
        Self::Failed(found)
    }
}

/// A broken promise, in words.
pub(super) fn broken<T>(found: impl Into<String>) -> Result<T, CheckFailure> {
    Err(CheckFailure::Failed(found.into()))
}

/// Checks that share a process.
pub(super) struct CheckGroup {
    /// `true` if the plugin's code runs, so that the process may die.
    pub(super) runs_code: bool,
    pub(super) checks: &'static [ContractCheck],
}

/// Every check, in the order in which they are run and shown.
pub(super) static GROUPS: [CheckGroup; 7] = [
    CheckGroup { runs_code: false, checks: &manifest::CHECKS },
    CheckGroup { runs_code: true, checks: &load::CHECKS },
    CheckGroup { runs_code: true, checks: &open::CHECKS },
    CheckGroup { runs_code: true, checks: &encode::CHECKS },
    CheckGroup { runs_code: true, checks: &decode::CHECKS },
    CheckGroup { runs_code: true, checks: &batch::CHECKS },
    CheckGroup { runs_code: true, checks: &direct::CHECKS },
];

/// The outcomes known so far, by the id of a check.
pub(super) type KnownOutcomes = BTreeMap<String, CheckOutcome>;

impl ContractCheck {
    /// The check of this id.
    pub(super) fn of(id: &str) -> Option<&'static Self> {
        GROUPS.iter().flat_map(|group| group.checks).find(|check| check.id == id)
    }

    /// Returns whether it is about plugins of this kind, with these capabilities.
    pub(super) fn is_for(&self, manifest: &Manifest) -> bool {
        self.kind.is_none_or(|of| of == manifest.kind)
            && (!self.id.starts_with(batch::GROUP) || manifest.speaks_batch())
    }

    /// The reason why it can't be run, after the outcomes so far.
    pub(super) fn unmet(&self, known: &KnownOutcomes) -> Option<String> {
        let missing = self.needs.iter().find(|need| known.get(**need) != Some(&CheckOutcome::Passed))?;
        Some(match known.get(*missing) {
            Some(CheckOutcome::Failed) => format!("`{missing}` failed"),
            _ => format!("`{missing}` was not run"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_what_a_check_needs_comes_before_it() {
        let mut known = Vec::new();
        for check in GROUPS.iter().flat_map(|group| group.checks) {
            assert!(!known.contains(&check.id), "{} twice", check.id);
            for need in check.needs {
                assert!(known.contains(need), "{} needs {need}, which doesn't come before it", check.id);
                // A kind's checks may only rest on those that its plugins go through.
                let of = ContractCheck::of(need).unwrap().kind;
                assert!(of.is_none() || of == check.kind, "{} needs {need}", check.id);
            }
            known.push(check.id);
        }
        assert!(known.len() > 30);
    }

    #[test]
    fn what_rests_on_a_failed_check_is_not_run() {
        let check = ContractCheck::of("open.opens").unwrap();
        let mut known: KnownOutcomes =
            check.needs.iter().map(|need| ((*need).to_owned(), CheckOutcome::Passed)).collect();
        assert_eq!(check.unmet(&known), None);
        known.insert(check.needs[0].to_owned(), CheckOutcome::Failed);
        assert_eq!(check.unmet(&known), Some(format!("`{}` failed", check.needs[0])));
        known.insert(check.needs[0].to_owned(), CheckOutcome::Skipped);
        assert_eq!(check.unmet(&known), Some(format!("`{}` was not run", check.needs[0])));
    }
}
