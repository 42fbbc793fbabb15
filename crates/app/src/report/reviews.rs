//! Reviews on terminals: the documents of a run that wait for a person, and one document with its fields.

use super::Paint;
use super::figures::fixed;
use crate::review::{
    How, NOT_LOOKED_FOR, QueueEntry, Reason, ReviewCounts, ReviewState, ShownDecision, ShownDocument,
    ShownField, ShownIssue, ShownQuestion,
};
use crate::store::StoredRun;
use crate::value::prose::{beginning, padded};
use crate::value::sanitize_line;
use serde_json::Value;

/// The columns of the documents that wait.
const COLUMNS: [&str; 6] = ["document", "type", "waits because", "overall", "review", "by"];
/// Longest value that is shown, in characters.
const LONGEST: usize = 200;

/// The documents of a run that wait for a person, or were decided about.
pub fn review_queue_text(
    run: &StoredRun,
    queue: &[QueueEntry],
    counts: ReviewCounts,
    paint: Paint,
) -> String {
    let counted = counts.line().unwrap_or_else(|| "no document waits for a person".to_owned());
    let mut text = format!("run {}  {}  {counted}\n", run.id, sanitize_line(&run.record.profile));
    if !queue.is_empty() {
        let names = COLUMNS.map(str::to_owned).to_vec();
        let rows: Vec<Vec<String>> = std::iter::once(names).chain(queue.iter().map(queue_row)).collect();
        // Not wrapped as in reports: each document is one line, so that they can be searched and counted.
        for (at, cells) in padded(&rows, &[false; COLUMNS.len()]).into_iter().enumerate() {
            let line = cells.join("  ").trim_end().to_owned();
            text.push_str(&if at == 0 { format!("\n{}\n", paint.faint(&line)) } else { format!("{line}\n") });
        }
    }
    text
}

fn queue_row(entry: &QueueEntry) -> Vec<String> {
    let reasons: Vec<&str> = entry.reasons.iter().map(|reason| reason.as_str()).collect();
    let mut notes = Vec::new();
    if !entry.reviewers.is_empty() {
        notes.push(entry.reviewers.join(", "));
    }
    if !entry.disputed.is_empty() {
        notes.push(format!("reviewers differ on {}", entry.disputed.join(", ")));
    }
    match entry.outdated {
        0 => {}
        1 => notes.push("1 decision is about an earlier result".to_owned()),
        more => notes.push(format!("{more} decisions are about an earlier result")),
    }
    vec![
        sanitize_line(&entry.document),
        sanitize_line(&entry.document_type),
        reasons.join(", "),
        fixed(entry.overall, 3),
        entry.state.as_str().replace('_', " "),
        sanitize_line(&notes.join("; ")),
    ]
}

/// A document as reviewers see it: why it waits, what they are asked, and its fields with the decisions about them.
pub fn reviewed_document_text(shown: &ShownDocument<'_>, paint: Paint) -> String {
    let mut lines = head(shown, paint);
    for question in &shown.questions {
        lines.push(String::new());
        push_question(&mut lines, question, paint);
    }
    push_fields(&mut lines, &shown.fields, paint);
    let is_asked = |issue: &ShownIssue| {
        let is_same = |asked: &ShownQuestion| asked.code == issue.code && asked.message == issue.message;
        shown.questions.iter().any(is_same)
    };
    let mut others = shown.issues.iter().filter(|issue| !is_asked(issue)).peekable();
    if others.peek().is_some() {
        lines.push(String::new());
    }
    lines.extend(others.map(|issue| format!("  {}", issue_line(issue, paint))));
    let comments = shown.comments.iter();
    lines.extend(
        comments.map(|one| format!("  {}: {}", sanitize_line(&one.reviewer), sanitize_line(&one.comment))),
    );
    lines.push(String::new());
    lines.join("\n")
}

/// The lines about the document as a whole.
fn head(shown: &ShownDocument<'_>, paint: Paint) -> Vec<String> {
    // Not among the result's own reasons: who reviews blind must not see on the desk that others differ.
    let dispute = (shown.state == ReviewState::Disputed).then_some(Reason::Disputed);
    let reasons: Vec<&str> = dispute.iter().chain(&shown.reasons).map(|reason| reason.as_str()).collect();
    let overall = shown.overall.map_or_else(String::new, |overall| format!("  overall {overall:.3}"));
    let by = shown.decided_by.as_ref().map_or_else(String::new, |by| format!(" by {}", sanitize_line(by)));
    let why = if reasons.is_empty() { "nothing".to_owned() } else { reasons.join(", ") };
    let differ = match shown.disputed.as_slice() {
        [] => String::new(),
        on => format!(": reviewers differ on {}", sanitize_line(&on.join(", "))),
    };
    let mut lines = vec![
        format!(
            "{}  {}  {} ({}){overall}",
            paint.strong(&sanitize_line(shown.document)),
            sanitize_line(shown.document_type),
            shown.final_status,
            sanitize_line(&shown.stop_reason)
        ),
        format!("waits because: {why}"),
        format!("review: {}{by}{differ}", shown.state.as_str().replace('_', " ")),
    ];
    if let Some(why) = &shown.without_text {
        lines.push(paint.warn(&format!("without places in the document: {}", sanitize_line(why))));
    }
    if shown.outdated > 0 {
        let is = if shown.outdated == 1 { "decision is" } else { "decisions are" };
        let outdated = format!("{} {is} about an earlier result, and do not count", shown.outdated);
        lines.push(paint.warn(&outdated));
    }
    lines
}

/// Adds an issue of the document as a whole that a person answers.
fn push_question(lines: &mut Vec<String>, question: &ShownQuestion, paint: Paint) {
    lines.push(format!(
        "  {} {}: {}",
        paint.warn(question.severity),
        sanitize_line(&question.issue),
        sanitize_line(&question.message)
    ));
    lines.extend(question.place.iter().map(|place| format!("      {}", place.shown())));
    let answer = match &question.answer {
        None => paint.bad("not answered: it holds all the same, or reject the document"),
        Some(answer) => {
            let reviewer = sanitize_line(&answer.reviewer);
            format!("{reviewer}: holds all the same{}", in_brackets(answer.comment.as_deref()))
        }
    };
    lines.push(format!("      {answer}"));
}

/// Adds the fields. Those of more than one line are set apart.
fn push_fields(lines: &mut Vec<String>, fields: &[ShownField], paint: Paint) {
    let width = fields.iter().map(|field| field.field.chars().count()).max().unwrap_or_default();
    let mut is_apart = true;
    for field in fields {
        let details = details(field, paint);
        if is_apart || !details.is_empty() {
            lines.push(String::new());
        }
        is_apart = !details.is_empty();
        let support = match field.support {
            Some(support) => format!("  {}", paint.faint(support)),
            None if field.unchecked => format!("  {}", paint.bad("not checked")),
            None => String::new(),
        };
        let name = sanitize_line(&field.field);
        lines.push(format!("  {name:width$}  {}{support}", said(field.value.as_ref())));
        lines.extend(details.into_iter().map(|line| format!("      {line}")));
    }
}

/// The lines about a field below its value.
fn details(field: &ShownField, paint: Paint) -> Vec<String> {
    let mut lines = Vec::new();
    match (&field.place, &field.quote) {
        (Some(place), _) => lines.push(place.shown()),
        (None, Some(quote)) => lines.push(format!("quote: {}", beginning(&sanitize_line(quote), LONGEST))),
        (None, None) => {}
    }
    let rivals = field.rivals.iter();
    lines.extend(
        rivals.map(|rival| format!("also says `{}`: {}", sanitize_line(&rival.value), rival.place.shown())),
    );
    lines.extend(field.issues.iter().map(|issue| issue_line(issue, paint)));
    lines.extend(field.decisions.iter().map(decision_line));
    if field.how == Some(NOT_LOOKED_FOR) {
        lines.push(paint.faint("not looked for"));
    }
    if field.disputed {
        lines.push(
            paint.bad(
                "reviewers differ; the latest holds until they say the same, or an adjudicator settles it",
            ),
        );
    }
    lines
}

fn decision_line(decision: &ShownDecision) -> String {
    let value = match decision.action {
        "not_present" => String::new(),
        _ => format!(" {}", said(decision.value.as_ref())),
    };
    let how = match decision.how {
        _ if decision.settles => " (settles)",
        How::Each => "",
        How::Swept => " (swept)",
    };
    let (reviewer, comment) = (sanitize_line(&decision.reviewer), in_brackets(decision.comment.as_deref()));
    format!("{reviewer}: {}{how}{value}{comment}", decision.action)
}

fn in_brackets(comment: Option<&str>) -> String {
    comment.map_or_else(String::new, |text| format!("  ({})", sanitize_line(text)))
}

fn issue_line(issue: &ShownIssue, paint: Paint) -> String {
    format!(
        "{} {}: {}",
        paint.warn(issue.severity),
        sanitize_line(&issue.code),
        sanitize_line(&issue.message)
    )
}

fn said(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "–".to_owned(),
        Some(Value::String(text)) => beginning(&sanitize_line(text), LONGEST),
        Some(other) => beginning(&sanitize_line(&other.to_string()), LONGEST),
    }
}
