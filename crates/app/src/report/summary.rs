//! Summaries at the end of a document or a batch.

use super::figures::dollars;
use super::paint::Paint;
use crate::policy::{FinalStatus, SelectionReason};
use crate::result::DocumentResult;
use crate::run::BatchEnd;
use crate::score::{Assessment, Evidence};
use crate::value::prose;
use crate::value::{Severity, Usage, pages_in_words, sanitize_line};
use serde_json::Value;
use std::fmt::Write;

/// Longest value shown in a summary, in characters.
const LONGEST_VALUE: usize = 72;
/// Most issues shown in a summary.
const MOST_ISSUES: usize = 12;

/// Scores as a row of bars: `▁` for 0 to `█` for 1.
#[must_use]
pub(super) fn sparkline(scores: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    scores
        .iter()
        .map(|score| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=7")]
            let height = (score.clamp(0.0, 1.0) * 7.0).round() as usize;
            BARS.get(height).copied().unwrap_or(' ')
        })
        .collect()
}

/// The end of one document: the extraction, the remaining issues, and the status. `with_type` names its type, if that
/// was not shown before. `missed` is given where only one candidate was assessed: the lines of `accept` that it misses.
#[must_use]
pub fn document_summary(
    result: &DocumentResult,
    with_type: bool,
    missed: Option<&[String]>,
    paint: Paint,
) -> String {
    let mut out = String::new();
    if let (Some(extraction), Some(validation)) = (&result.best_extraction, &result.best_validation) {
        fields(&mut out, extraction, &validation.evidence, paint);
        issues(&mut out, validation, paint);
    }
    for warning in &result.warnings {
        let _ = writeln!(out, "  {} {}", paint.warn("warning:"), sanitize_line(warning));
    }
    // Nothing was tried again, so no limit was reached.
    let missed = missed.filter(|_| result.final_status == FinalStatus::MaxIterationsReached);
    let status = match missed {
        Some(_) => "not passed".to_owned(),
        None => format!("{} ({})", result.final_status.as_str(), result.stop_reason),
    };
    let status = match result.final_status {
        FinalStatus::Passed => paint.good(&status),
        FinalStatus::Skipped => paint.faint(&status),
        FinalStatus::Failed => paint.bad(&status),
        _ => paint.warn(&status),
    };
    let overall =
        result.best_validation.as_ref().map_or_else(String::new, |v| format!("  overall {:.3}", v.overall));
    let _ = write!(
        out,
        "{}{}  {status}{overall}  {}",
        paint.strong(&sanitize_line(result.id.as_str())),
        if with_type { format!("  {}", sanitize_line(&result.document_type)) } else { String::new() },
        sparkline(&result.improvement_trajectory),
    );
    if let (Some(best), Some(reason)) = (result.best_iteration, &result.selection_reason) {
        let _ = write!(out, "  candidate {best}, the {}", standing(*reason, result.iteration_count));
    }
    let _ = write!(out, "  {}", paint.faint(&result.elapsed_ms.to_string()));
    if let Some(used) = used(result.usage) {
        let _ = write!(out, "  {}", paint.faint(&used));
    }
    if result.cached_calls > 0 {
        let calls = prose::count(result.cached_calls as u64, "call");
        let _ = write!(out, "  {}", paint.faint(&format!("{calls} from the cache")));
    }
    if result.review {
        let _ = write!(out, "  {}", paint.warn("needs review"));
    }
    for line in missed.unwrap_or_default() {
        let _ = write!(out, "\n  {}", paint.warn(&format!("does not hold: {}", sanitize_line(line))));
    }
    for line in result.message.iter().flat_map(|message| message.lines()) {
        let _ = write!(out, "\n  {}", paint.bad(&sanitize_line(line)));
    }
    if let Some(detail) = &result.detail {
        let _ = write!(out, "\n  {}", sanitize_line(detail));
    }
    out.push('\n');
    out
}

/// The rank of the returned candidate among all of them.
fn standing(reason: SelectionReason, count: usize) -> String {
    match reason {
        SelectionReason::OnlyIteration => "only one".to_owned(),
        SelectionReason::FinalIterationBest => format!("last of {count}"),
        SelectionReason::QualityPeakedAt(_) => format!("best of {count}"),
    }
}

/// Tokens and money in words; nothing where nothing was used and nothing is unknown.
fn used(usage: Usage) -> Option<String> {
    let known = usage.known_cost_usd.get();
    let cost = match usage.calls_of_unknown_cost {
        0 if known == 0.0 && usage.tokens == 0 => return None,
        0 => dollars(known),
        _ if known == 0.0 => "cost unknown".to_owned(),
        calls => format!("{} and the unknown cost of {}", dollars(known), prose::count(calls, "call")),
    };
    let tokens = prose::plural(usage.tokens, "token");
    Some(format!("{} {tokens}, {cost}", usage.tokens))
}

fn fields(out: &mut String, extraction: &Value, evidence: &Evidence, paint: Paint) {
    let members: Vec<(String, &Value)> = match extraction {
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
        // The operations of a patch.
        Value::Array(items) => items.iter().enumerate().map(|(n, item)| (n.to_string(), item)).collect(),
        _ => return,
    };
    let width = members.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
    for (key, value) in &members {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let shown = prose::cut(&prose::collapsed(&sanitize_line(&text)), LONGEST_VALUE);
        let place = evidence
            .iter()
            .find(|(path, _)| path.strip_prefix('/') == Some(key.as_str()))
            .and_then(|(_, leaf)| Some((leaf.span?, pages_in_words(leaf.places))))
            .map_or_else(String::new, |(span, pages)| {
                let pages = pages.map_or_else(String::new, |pages| format!(", {pages}"));
                paint.faint(&format!("  [{}–{}{pages}]", span.start, span.end))
            });
        let _ = writeln!(out, "     {:width$}  {shown}{place}", sanitize_line(key));
    }
}

fn issues(out: &mut String, validation: &Assessment, paint: Paint) {
    // Issues that say where points went come after errors.
    let (wrong, told): (Vec<_>, Vec<_>) =
        validation.issues.iter().partition(|issue| issue.severity != Severity::Info);
    for issue in wrong.into_iter().chain(told).take(MOST_ISSUES) {
        let severity = issue.severity.as_str();
        let _ = writeln!(
            out,
            "     {} {} {}",
            paint.warn(severity),
            sanitize_line(&issue.path),
            sanitize_line(&issue.message)
        );
    }
    let more = validation.issues.len().saturating_sub(MOST_ISSUES);
    if more > 0 {
        let _ = writeln!(out, "     {}", paint.faint(&format!("and {more} more issues")));
    }
}

/// The end of a batch of several documents.
#[must_use]
pub fn closing(end: &BatchEnd) -> String {
    let mut out = format!(
        "{} of {} {} passed",
        end.passed,
        end.finished,
        prose::plural(end.finished as u64, "document")
    );
    if end.of_unknown_type > 0 {
        let _ = write!(out, ", {} of them of type `unknown`", end.of_unknown_type);
    }
    if end.provider_errors > 0 {
        let _ = write!(out, ", {} with provider errors", end.provider_errors);
    }
    if end.unusable > 0 {
        let _ = write!(out, ", {} inputs could not be read", end.unusable);
    }
    if end.cancelled {
        out.push_str(", stopped before the end");
    }
    if end.not_tried > 0 {
        let _ = write!(out, ", {} not tried", end.not_tried);
    }
    out.push('\n');
    out
}

/// An assessment as a small table.
#[must_use]
pub fn assessment_table(id: &str, assessment: &Assessment, paint: Paint) -> String {
    let mut out = format!("{}\n", paint.strong(&sanitize_line(id)));
    for (name, score) in assessment.scores.iter() {
        let _ = writeln!(out, "     {name:<20} {score}");
    }
    let _ = writeln!(out, "     {:<20} {:.3}", "overall", assessment.overall);
    issues(&mut out, assessment, paint);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_cost_is_never_shown_as_0() {
        let cost = |amount| Usage::of_call(908, crate::value::Usd::new(amount));
        let both = |mut one: Usage, other| {
            one += other;
            one
        };
        for (usage, expected) in [
            (Usage::default(), None),
            (Usage::of_call(0, crate::value::Usd::new(0.0)), None),
            (cost(0.0), Some("908 tokens, $0.00")),
            (cost(0.002_1), Some("908 tokens, $0.0021")),
            (cost(1.239), Some("908 tokens, $1.24")),
            (Usage::of_call(0, None), Some("0 tokens, cost unknown")),
            (
                both(cost(0.25), Usage::of_call(2, None)),
                Some("910 tokens, $0.25 and the unknown cost of 1 call"),
            ),
        ] {
            assert_eq!(used(usage).as_deref(), expected);
        }
    }

    #[test]
    fn bars_grow_with_scores() {
        assert_eq!(sparkline(&[0.0, 0.5, 1.0, 7.0]), "▁▅██");
    }
}
