//! The summary as JSON. Names and meanings are stable; additions get new names. Shares and means are only for readers,
//! and are computed anew when a summary is read back.

use super::bounded::Bounded;
use super::fields::Fill;
use super::histogram::{IterationHistogram, ScoreHistogram, TimeHistogram};
use super::look_at::LookAt;
use super::{IssueCount, RunFacts, RunSummary, Spent, TypeSummary, place_of};
use crate::experiment::statistics::{real, share};
use crate::policy::FinalStatus;
use crate::value::{Severity, Usage};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The version that is written.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
pub(super) struct Written {
    version: u32,
    run: RunFacts,
    documents: Documents,
    endings: Vec<EndingLine>,
    #[serde(default, skip_serializing_if = "is_zero")]
    other_endings: u64,
    usage: Usage,
    cached_calls: u64,
    time: Time,
    /// By the number of assessed candidates: 0, 1, … the last is 21 or more.
    iterations: IterationHistogram,
    types: Vec<TypeLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other_types: Option<TypeLine>,
    issues: Vec<IssueLine>,
    /// Those of codes beyond the 500 that are counted separately; a document counts once for each of its codes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other_issues: Option<OtherIssues>,
    errors: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    other_errors: u64,
    look_at: Vec<LookAt>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    with_messages: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Serialize, Deserialize)]
struct Documents {
    done: u64,
    passed: u64,
    passed_share: Option<f64>,
    needs_review: u64,
    needs_review_passed: u64,
    not_passed: u64,
    failed: u64,
    /// Those of `failed` without a result.
    without_result: u64,
    given_up: u64,
    cancelled: u64,
    waiting: u64,
    unreadable: u64,
    with_critical_issues: u64,
    with_conflicts: u64,
    /// By status, of those that have a result.
    by_status: BTreeMap<String, u64>,
}

#[derive(Serialize, Deserialize)]
struct EndingLine {
    final_status: FinalStatus,
    stop_reason: String,
    documents: u64,
}

#[derive(Serialize, Deserialize)]
struct Time {
    total_ms: u64,
    longest_ms: u64,
    documents: TimeHistogram,
}

#[derive(Serialize, Deserialize)]
struct TypeLine {
    document_type: String,
    documents: u64,
    passed: u64,
    needs_review: u64,
    with_extraction: u64,
    mean_overall: Option<f64>,
    overall_sum: f64,
    scores: ScoreHistogram,
    fields: Vec<FieldLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other_fields: Option<Fill>,
}

#[derive(Serialize, Deserialize)]
struct FieldLine {
    path: String,
    #[serde(flatten)]
    fill: Fill,
    /// Of the documents of this type that have an extraction.
    share: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct IssueLine {
    code: String,
    severity: Severity,
    documents: u64,
    count: u64,
}

#[derive(Serialize, Deserialize)]
struct OtherIssues {
    documents: u64,
    count: u64,
}

impl TypeLine {
    fn of(document_type: String, of: TypeSummary) -> Self {
        let extracted = of.extracted;
        let mean_overall = of.mean_overall();
        let other_fields = of.fields.has_rest().then_some(of.fields.rest);
        let fields = of.fields.kept.into_iter().map(|(path, fill)| FieldLine {
            path,
            fill,
            share: share(fill.filled, extracted),
        });
        let overall_sum = real(of.overall_millionths) / 1e6;
        TypeLine {
            document_type,
            documents: of.documents,
            passed: of.passed,
            needs_review: of.needs_review,
            with_extraction: of.extracted,
            mean_overall,
            overall_sum,
            scores: of.scores,
            fields: fields.collect(),
            other_fields,
        }
    }

    fn read(self) -> (String, TypeSummary) {
        let mut fields: super::Fields = Bounded::default();
        for line in self.fields {
            *fields.of(line.path) = line.fill;
        }
        fields.rest = self.other_fields.unwrap_or_default();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let overall_millionths = (self.overall_sum * 1e6).round() as u64;
        let of = TypeSummary {
            documents: self.documents,
            passed: self.passed,
            needs_review: self.needs_review,
            extracted: self.with_extraction,
            scores: self.scores,
            overall_millionths,
            fields,
        };
        (self.document_type, of)
    }
}

impl From<RunSummary> for Written {
    fn from(summary: RunSummary) -> Self {
        let status = |at: usize| FinalStatus::ALL.get(at).copied().unwrap_or(FinalStatus::Incomplete);
        let by_status = FinalStatus::ALL.into_iter().zip(summary.statuses).filter(|(_, count)| *count > 0);
        let documents = Documents {
            done: summary.done(),
            passed: summary.passed(),
            passed_share: summary.passed_share(),
            needs_review: summary.needs_review,
            needs_review_passed: summary.needs_review_passed,
            not_passed: summary.not_passed(),
            failed: summary.failed(),
            without_result: summary.without_result,
            given_up: summary.given_up,
            cancelled: summary.with_status(FinalStatus::Cancelled),
            waiting: summary.waiting,
            unreadable: summary.unreadable,
            with_critical_issues: summary.with_critical,
            with_conflicts: summary.with_conflicts,
            by_status: by_status.map(|(status, count)| (status.as_str().to_owned(), count)).collect(),
        };
        let other_types = summary.types.has_rest();
        let rest = summary.issues.has_rest().then_some(summary.issues.rest);
        Written {
            version: VERSION,
            documents,
            usage: summary.usage(),
            cached_calls: summary.spent.cached_calls,
            run: summary.run,
            endings: (summary.endings.kept.into_iter())
                .map(|((at, stop_reason), documents)| EndingLine {
                    final_status: status(at),
                    stop_reason,
                    documents,
                })
                .collect(),
            other_endings: summary.endings.rest,
            time: Time {
                total_ms: summary.total_ms,
                longest_ms: summary.longest_ms,
                documents: summary.time,
            },
            iterations: summary.iterations,
            types: summary.types.kept.into_iter().map(|(name, of)| TypeLine::of(name, of)).collect(),
            other_types: other_types.then(|| TypeLine::of(String::new(), summary.types.rest)),
            issues: (summary.issues.kept.into_iter())
                .map(|((Reverse(severity), code), of)| IssueLine {
                    code,
                    severity,
                    documents: of.documents,
                    count: of.count,
                })
                .collect(),
            other_issues: rest.map(|of| OtherIssues { documents: of.documents, count: of.count }),
            errors: summary.errors.kept,
            other_errors: summary.errors.rest,
            look_at: summary.look_at,
            with_messages: summary.with_messages,
        }
    }
}

impl From<Written> for RunSummary {
    fn from(written: Written) -> Self {
        let documents = written.documents;
        let mut summary = RunSummary {
            run: written.run,
            with_messages: written.with_messages,
            without_result: documents.without_result,
            given_up: documents.given_up,
            waiting: documents.waiting,
            unreadable: documents.unreadable,
            needs_review: documents.needs_review,
            needs_review_passed: documents.needs_review_passed,
            with_critical: documents.with_critical_issues,
            with_conflicts: documents.with_conflicts,
            spent: Spent::of(written.usage, written.cached_calls),
            time: written.time.documents,
            total_ms: written.time.total_ms,
            longest_ms: written.time.longest_ms,
            iterations: written.iterations,
            ..RunSummary::default()
        };
        for (status, count) in FinalStatus::ALL.into_iter().zip(&mut summary.statuses) {
            *count = documents.by_status.get(status.as_str()).copied().unwrap_or_default();
        }
        for line in written.endings {
            *summary.endings.of((place_of(line.final_status), line.stop_reason)) = line.documents;
        }
        summary.endings.rest = written.other_endings;
        for (name, of) in written.types.into_iter().map(TypeLine::read) {
            *summary.types.of(name) = of;
        }
        summary.types.rest = written.other_types.map(|line| line.read().1).unwrap_or_default();
        for line in written.issues {
            *summary.issues.of((Reverse(line.severity), line.code)) =
                IssueCount { documents: line.documents, count: line.count };
        }
        if let Some(rest) = written.other_issues {
            summary.issues.rest = IssueCount { documents: rest.documents, count: rest.count };
        }
        for (kind, count) in written.errors {
            *summary.errors.of(kind) = count;
        }
        summary.errors.rest = written.other_errors;
        // In any order in which a user wrote them.
        written.look_at.into_iter().for_each(|document| summary.look_first(document));
        summary
    }
}
