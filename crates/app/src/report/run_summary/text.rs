//! A summary for terminals: the most important first, then tables.

use super::RunSummary;
use super::look_at::LookAt;
use crate::experiment::statistics::share;
use crate::policy::FinalStatus;
use crate::report::columns::{Column, figures, words};
use crate::report::figures::{duration, fixed, percent, spelled_money, thousands};
use crate::report::paint::Paint;
use crate::report::summary::sparkline;
use crate::report::text_table::text_table;
use crate::value::{Millis, prose, sanitize_line};
use std::cmp::Reverse;
use std::fmt::Write;

/// Most lines of each table.
const MOST_TYPES: usize = 12;
const MOST_ENDINGS: usize = 12;
const MOST_ISSUES: usize = 15;
const MOST_FIELDS: usize = 15;
/// Longest bar, in characters.
const BAR: u64 = 20;

/// The summary of a run as text.
#[must_use]
pub fn render_text(summary: &RunSummary, paint: Paint) -> String {
    let mut text = Text { out: String::new(), paint };
    text.head(summary);
    text.used(summary);
    text.endings(summary);
    text.types(summary);
    text.iterations(summary);
    text.issues(summary);
    text.fields(summary);
    text.errors(summary);
    text.look_at(summary);
    text.out
}

struct Text {
    out: String,
    paint: Paint,
}

type Colour = fn(Paint, &str) -> String;

impl Text {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "{}", line.trim_end());
    }

    /// A table below a heading; nothing without rows. `more` is the number of rows that are left out.
    fn table(
        &mut self,
        heading: &str,
        columns: &[Column],
        rows: impl Iterator<Item = Vec<String>>,
        more: usize,
    ) {
        self.out.push_str(&text_table(heading, columns, &rows.collect::<Vec<_>>(), more, self.paint));
    }

    fn head(&mut self, summary: &RunSummary) {
        let run = summary.run();
        let mut title = vec![self.paint.strong("Summary")];
        if !run.profile.is_empty() {
            title.push(format!("profile {}", sanitize_line(&run.profile)));
        }
        if !run.id.is_empty() {
            title.push(format!("run {}", sanitize_line(&run.id)));
        }
        if let Some(started) = &run.started_at {
            title.push(sanitize_line(started));
        }
        self.line(&title.join("  "));
        let done = summary.done();
        let mut stand = vec![format!("  {} done", prose::count(done, "document"))];
        stand.extend(summary.outstanding());
        self.line(&stand.join(", "));
        let paint = self.paint;
        let cancelled = summary.with_status(FinalStatus::Cancelled);
        let lines: [(&str, u64, Colour); 6] = [
            ("passed", summary.passed(), Paint::good),
            ("not passed", summary.not_passed(), Paint::warn),
            ("failed", summary.failed(), Paint::bad),
            ("given up", summary.given_up(), Paint::bad),
            ("stopped", cancelled, Paint::warn),
            ("needs review", summary.needs_review(), Paint::warn),
        ];
        let width = thousands(done).len();
        for (name, count, colour) in lines {
            let is_main = matches!(name, "passed" | "needs review" | "failed");
            if count == 0 && !is_main {
                continue;
            }
            let number = format!("{:>width$}", thousands(count));
            let number = if count == 0 { number } else { colour(paint, &number) };
            let note = match (name, summary.needs_review_passed) {
                ("needs review", passed) if passed > 0 => format!("  {} of them passed", thousands(passed)),
                _ => bar(count, done),
            };
            self.line(&format!("  {name:<12}  {number}  {:>8}{note}", percent(count, done)));
        }
    }

    fn used(&mut self, summary: &RunSummary) {
        let usage = summary.usage();
        let mut parts = Vec::new();
        if let Some(money) = spelled_money(usage) {
            parts.push(money);
            parts.push(prose::count(usage.tokens, "token"));
        }
        parts.extend(summary.cached_calls());
        if !parts.is_empty() {
            self.line(&format!("  {:<12}  {}", "money", parts.join(", ")));
        }
        let mut times = Vec::new();
        if let Some(elapsed) = summary.run().elapsed() {
            times.push(duration(elapsed));
        }
        if let Some(half) = summary.time.under(0.5) {
            times.push(format!("half of the documents under {}", duration(half)));
        }
        if let Some(most) = summary.time.under(0.95) {
            times.push(format!("95 % under {}", duration(most)));
        }
        if summary.longest_ms > 0 {
            times.push(format!("longest {}", duration(Millis(summary.longest_ms))));
        }
        if !times.is_empty() {
            self.line(&format!("  {:<12}  {}", "time", times.join(", ")));
        }
    }

    fn endings(&mut self, summary: &RunSummary) {
        let endings = summary.ending_rows();
        let more = endings.len().saturating_sub(MOST_ENDINGS);
        let rows = endings.into_iter().take(MOST_ENDINGS).map(|(_, row)| row);
        let columns = [words("status | reason"), figures("documents |")].concat();
        self.table("How documents ended", &columns, rows, more);
    }

    fn types(&mut self, summary: &RunSummary) {
        let types = summary.ranked_types();
        let rows = types.iter().take(MOST_TYPES).map(|(name, of)| {
            vec![
                (*name).clone(),
                thousands(of.documents),
                percent(of.passed, of.documents),
                thousands(of.needs_review),
                fixed(of.mean_overall(), 3),
                spread(&of.scores.0),
            ]
        });
        let numbers = figures("documents | passed | review | overall");
        let columns = [words("type"), numbers, words("0 … 1")].concat();
        self.table("Document types", &columns, rows, types.len().saturating_sub(MOST_TYPES));
    }

    fn iterations(&mut self, summary: &RunSummary) {
        let most = summary.iterations.0.iter().copied().max().unwrap_or_default();
        let rows = summary.iterations.lines();
        let rows = rows.map(|(name, count)| vec![name, thousands(count), bar(count, most).trim().to_owned()]);
        let columns = [figures("iterations | documents"), words("")].concat();
        self.table("Iterations", &columns, rows, 0);
    }

    fn issues(&mut self, summary: &RunSummary) {
        let issues = summary.ranked_issues();
        let rows = issues.iter().take(MOST_ISSUES).map(|(severity, code, of)| {
            vec![
                severity.as_str().to_owned(),
                (*code).clone(),
                thousands(of.documents),
                thousands(of.count),
                percent(of.documents, summary.done()),
            ]
        });
        let columns = [words("severity | code"), figures("documents | issues |")].concat();
        let more = issues.len().saturating_sub(MOST_ISSUES);
        self.table("Issues of what was returned", &columns, rows, more);
    }

    /// The fields that are filled least.
    fn fields(&mut self, summary: &RunSummary) {
        let types = summary.types.kept.iter().filter(|(_, of)| of.extracted > 0);
        let mut fields: Vec<_> = types
            .flat_map(|(name, of)| of.fields.kept.iter().map(move |(path, fill)| (name, of, path, fill)))
            .filter(|(_, of, _, fill)| fill.filled < of.extracted)
            .collect();
        // Thousandths, so that equal shares remain in the order of their names.
        let lack = |(_, of, _, fill): &(&String, &super::TypeSummary, &String, &super::fields::Fill)| {
            let share = share(fill.filled, of.extracted).unwrap_or_default();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 0..=1000")]
            let thousandths = (share * 1_000.0).round() as u64;
            (thousandths, Reverse(of.extracted))
        };
        fields.sort_by_key(lack);
        let rows = fields.iter().take(MOST_FIELDS).map(|(name, of, path, fill)| {
            vec![
                (*name).clone(),
                (*path).clone(),
                format!("{} of {}", thousands(fill.filled), thousands(of.extracted)),
                percent(fill.filled, of.extracted),
                if fill.not_present == 0 { String::new() } else { thousands(fill.not_present) },
            ]
        });
        let columns = [words("type | field"), figures("filled | | said absent")].concat();
        self.table("Fields filled least", &columns, rows, fields.len().saturating_sub(MOST_FIELDS));
    }

    fn errors(&mut self, summary: &RunSummary) {
        let columns = [words("kind"), figures("documents")].concat();
        self.table("Errors", &columns, summary.error_rows().into_iter().map(|(_, row)| row), 0);
    }

    fn look_at(&mut self, summary: &RunSummary) {
        if summary.look_at().is_empty() {
            return;
        }
        let heading = self.paint.strong("Look at these first");
        self.line("");
        self.line(&heading);
        for document in summary.look_at() {
            let id = self.paint.strong(&sanitize_line(&document.id));
            let said = sanitize_line(&described(document));
            self.line(&format!("  {id}  {said}"));
            for issue in &document.issues {
                let severity = self.paint.warn(issue.severity.as_str());
                let path = if issue.path.is_empty() { "the whole" } else { issue.path.as_str() };
                let place = sanitize_line(&format!("{} {path}", issue.code));
                let message =
                    issue.message.as_deref().map_or_else(String::new, |message| format!(": {message}"));
                self.line(&format!("    {severity} {place}{}", sanitize_line(&message)));
            }
            if document.more_issues > 0 {
                let more = self.paint.faint(&format!("    and {} more issues", document.more_issues));
                self.line(&more);
            }
        }
    }
}

/// The reason to inspect a document, in one line.
pub(super) fn described(document: &LookAt) -> String {
    let mut said = vec![document.why.as_str().to_owned()];
    if let Some(reason) = &document.stop_reason {
        said.push(format!("({reason})"));
    }
    if let Some(overall) = document.overall() {
        said.push(format!("overall {overall:.3}"));
    }
    if let Some(document_type) = &document.document_type {
        said.push(format!("type {document_type}"));
    }
    let reason = document.reason.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
    format!("{}{reason}", said.join(" "))
}

/// A bar behind a number: none for nothing, at least one character for anything.
fn bar(count: u64, whole: u64) -> String {
    if count == 0 || whole == 0 {
        return String::new();
    }
    let length = (u128::from(count) * u128::from(BAR)).div_ceil(u128::from(whole));
    let length = usize::try_from(length).unwrap_or_default();
    format!("  {}", "█".repeat(length))
}

/// The distribution of scores: a bar for each bin, as high as its share of the largest; a dot where there is none.
fn spread(bins: &[u64]) -> String {
    let most = bins.iter().copied().max().unwrap_or_default();
    bins.iter()
        .map(|count| match share(*count, most) {
            Some(share) if *count > 0 => sparkline(&[share]),
            _ => "·".to_owned(),
        })
        .collect()
}
