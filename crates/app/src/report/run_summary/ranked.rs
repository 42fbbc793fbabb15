//! The counts of a summary, the most important first, as text and page show them.

use super::{IssueCount, RunSummary, TypeSummary};
use crate::policy::FinalStatus;
use crate::report::figures::{percent, thousands};
use crate::value::{Severity, prose};
use std::cmp::Reverse;

impl RunSummary {
    /// Document types, those with the most documents first.
    pub(super) fn ranked_types(&self) -> Vec<(&String, &TypeSummary)> {
        let mut types: Vec<_> = self.types.kept.iter().collect();
        types.sort_by_key(|(name, of)| (Reverse(of.documents), *name));
        types
    }

    /// Codes of issues that are more than information, the most severe first.
    pub(super) fn ranked_issues(&self) -> Vec<(Severity, &String, IssueCount)> {
        let all = self.issues.kept.iter().map(|((severity, code), of)| (severity.0, code, *of));
        let mut issues: Vec<_> = all.filter(|(severity, ..)| *severity != Severity::Info).collect();
        issues.sort_by_key(|(severity, code, of)| (Reverse(*severity), Reverse(of.documents), *code));
        issues
    }

    /// Rows for the ends of documents, the most frequent first, each with its count: status, reason, documents, share.
    pub(super) fn ending_rows(&self) -> Vec<(u64, Vec<String>)> {
        let mut endings: Vec<_> = self.endings.kept.iter().collect();
        endings.sort_by_key(|(ending, count)| (Reverse(**count), *ending));
        let row = |((at, reason), count): (&(usize, String), &u64)| {
            let status = FinalStatus::ALL.get(*at).map_or("", |status| status.as_str());
            let (documents, share) = (thousands(*count), percent(*count, self.done()));
            (*count, vec![status.to_owned(), reason.clone(), documents, share])
        };
        endings.into_iter().map(row).collect()
    }

    /// Rows for kinds of errors, the most frequent first, each with its count.
    pub(super) fn error_rows(&self) -> Vec<(u64, Vec<String>)> {
        let mut errors: Vec<_> = self.errors.kept.iter().collect();
        errors.sort_by_key(|(kind, count)| (Reverse(**count), *kind));
        errors.into_iter().map(|(kind, count)| (*count, vec![kind.clone(), thousands(*count)])).collect()
    }

    /// The documents that are not over: `120 waiting`.
    pub(super) fn outstanding(&self) -> Vec<String> {
        let all = [(self.waiting, "waiting"), (self.unreadable, "not readable")];
        let some = all.into_iter().filter(|(count, _)| *count > 0);
        some.map(|(count, word)| format!("{} {word}", thousands(count))).collect()
    }

    /// The calls that the cache answered: `3 calls from the cache`.
    pub(super) fn cached_calls(&self) -> Option<String> {
        let calls = self.spent.cached_calls;
        (calls > 0).then(|| format!("{} from the cache", prose::count(calls, "call")))
    }
}
