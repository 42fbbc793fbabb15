//! `loopctl review show`.

use super::super::exit::{Exit, Failure};
use super::super::headings::{ARGUMENTS, OUTPUT};
use super::super::output::{Format, Output, RecordFormat};
use super::super::resume::JournalArgument;
use super::opened::{OpenedRun, RunProfile};
use super::passage::Passage;
use super::source_text::SourceText;
use crate::diag::nearest;
use crate::plan::Plan;
use crate::report::Paint;
use crate::review::{FieldPath, Reason, ReviewDocument, ReviewState, Reviewed, reasons};
use crate::rules::Assertion;
use crate::score::{Issue, Support, read_mentions};
use crate::value::sanitize_line;
use clap::Args;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;

/// Longest value that is shown to people, in characters.
const LONGEST: usize = 200;

#[derive(Args)]
#[command(allow_missing_positional = true)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough [default: the latest]
    #[arg(value_name = "RUN", help_heading = ARGUMENTS)]
    run: Option<String>,
    /// The document, by its id
    #[arg(value_name = "DOCUMENT", required = true, help_heading = ARGUMENTS)]
    document: String,
    #[command(flatten)]
    journal: JournalArgument,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
}

/// A document as it is shown.
#[derive(Serialize)]
struct ShownDocument<'a> {
    document: &'a str,
    document_type: &'a str,
    run: String,
    reasons: Vec<Reason>,
    final_status: &'static str,
    stop_reason: String,
    overall: Option<f64>,
    state: ReviewState,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<String>,
    fields: Vec<ShownField>,
    /// Issues that are at none of the fields.
    issues: Vec<ShownIssue>,
    comments: Vec<ShownComment>,
    /// Decisions about another result, which do not count.
    outdated: usize,
    /// Why nothing of the document's text is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    without_text: Option<String>,
    /// What tells this result from others.
    shown: &'a str,
}

#[derive(Serialize)]
struct ShownField {
    field: String,
    /// What was extracted.
    value: Option<Value>,
    support: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Passage>,
    /// What the document says of the field elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rivals: Vec<Rival>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    issues: Vec<ShownIssue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decisions: Vec<ShownDecision>,
    /// Whether reviewers say different things.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    disputed: bool,
}

#[derive(Serialize)]
struct Rival {
    value: String,
    place: Passage,
}

#[derive(Serialize)]
struct ShownIssue {
    code: String,
    severity: &'static str,
    path: String,
    message: String,
}

#[derive(Serialize)]
struct ShownDecision {
    reviewer: String,
    at: String,
    action: &'static str,
    value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

#[derive(Serialize)]
struct ShownComment {
    reviewer: String,
    at: String,
    comment: String,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let format = arguments.format.chosen(output)?;
    let mut opened = OpenedRun::open(&arguments.journal, arguments.run.as_deref())?;
    let profile = RunProfile::load(&opened.run, output);
    profile.say_differs(output);
    let (mut found, mut ids) = (None, Vec::new());
    opened.each(profile.plan.as_ref(), |stored, document| {
        if document.id() == arguments.document {
            found = Some((SourceText::of(stored), document));
        } else {
            ids.push(document.id().to_owned());
        }
    })?;
    let Some((source, document)) = found else { return Err(unknown(arguments, &ids)) };
    let plan = profile.plan.as_ref().filter(|_| profile.differs.is_none());
    let shown = ShownDocument::of(&document, &opened.run.id.to_string(), &source, plan);
    if format == Format::Text {
        output.out.write_all(page(&shown, output.out_paint).as_bytes())?;
        output.out.flush()?;
    } else {
        output.write_json(&shown, format)?;
    }
    Ok(Exit::Success)
}

fn unknown(arguments: &Arguments, ids: &[String]) -> Failure {
    let id = sanitize_line(&arguments.document);
    let guess = nearest(&arguments.document, ids.iter().map(String::as_str));
    Failure::usage(format!("the run has no result of a document `{id}`")).help(match guess {
        Some(guess) => format!("did you mean `{}`?", sanitize_line(guess)),
        None => "`loopctl review list` names those that wait".to_owned(),
    })
}

impl<'a> ShownDocument<'a> {
    fn of(document: &'a ReviewDocument, run: &str, source: &SourceText, plan: Option<&Plan>) -> Self {
        let (result, reviewed) = (&document.result, document.reviewed());
        let issues = || result.best_validation.iter().flat_map(|validation| &validation.issues);
        // What others decided was there is a field, too.
        let mut rows = document.fields(document.extraction());
        for (path, _) in reviewed.fields() {
            if !rows.iter().any(|row| row.path == *path) {
                let value = path.of(document.extraction()).cloned();
                rows.push(crate::review::ReviewField { path: path.clone(), value });
            }
        }
        let fields: Vec<ShownField> = rows
            .iter()
            .map(|row| ShownField::of(&row.path, row.value.clone(), document, &reviewed, source, plan))
            .collect();
        let is_elsewhere = |issue: &&Issue| !rows.iter().any(|row| is_at(issue, &row.path));
        ShownDocument {
            document: document.id(),
            document_type: &result.document_type,
            run: run.to_owned(),
            reasons: reasons(result),
            final_status: result.final_status.as_str(),
            stop_reason: result.stop_reason.to_string(),
            overall: result.best_validation.as_ref().map(|validation| validation.overall),
            state: reviewed.state,
            fields,
            issues: issues().filter(is_elsewhere).map(ShownIssue::of).collect(),
            comments: reviewed
                .comments
                .iter()
                .map(|(reviewer, at, comment)| ShownComment {
                    reviewer: reviewer.clone(),
                    at: at.to_string(),
                    comment: comment.clone(),
                })
                .collect(),
            outdated: reviewed.outdated,
            decided_by: reviewed.decided_by,
            without_text: match source {
                SourceText::Unchanged(document) => document.text.as_ref().err().map(ToString::to_string),
                SourceText::NotThere(why) => Some(why.clone()),
            },
            shown: &document.shown,
        }
    }
}

impl ShownField {
    fn of(
        path: &FieldPath,
        value: Option<Value>,
        document: &ReviewDocument,
        reviewed: &Reviewed,
        source: &SourceText,
        plan: Option<&Plan>,
    ) -> Self {
        let validation = document.result.best_validation.as_ref();
        let leaf = validation.and_then(|validation| {
            validation.evidence.iter().find(|(at, _)| *at == path.pointer()).map(|(_, leaf)| leaf)
        });
        let place = leaf.and_then(|leaf| leaf.span).zip(source.text());
        let place = place.map(|(span, text)| Passage::of(text, span));
        let is_rivalled =
            leaf.is_some_and(|leaf| matches!(leaf.support, Support::Conflicting | Support::Contradicted));
        let rivals = match (plan, source.text(), &value) {
            (Some(plan), Some(text), Some(value)) if is_rivalled => rivals(plan, path, value, text),
            _ => Vec::new(),
        };
        let issues = validation.iter().flat_map(|validation| &validation.issues);
        let field = reviewed.field(path);
        let decisions = field.iter().flat_map(|field| field.positions());
        ShownField {
            field: path.to_string(),
            value,
            support: leaf.map(|leaf| leaf.support.as_str()),
            quote: leaf.and_then(|leaf| leaf.quote.map(str::to_owned)),
            place,
            rivals,
            issues: issues.filter(|issue| is_at(issue, path)).map(ShownIssue::of).collect(),
            decisions: decisions
                .map(|position| ShownDecision {
                    reviewer: position.reviewer.clone(),
                    at: position.at.to_string(),
                    action: position.action.as_str(),
                    value: position.value.clone(),
                    comment: position.comment.clone(),
                })
                .collect(),
            disputed: field.is_some_and(crate::review::FieldReview::is_disputed),
        }
    }
}

impl ShownIssue {
    fn of(issue: &Issue) -> Self {
        ShownIssue {
            code: issue.code.to_string(),
            severity: issue.severity.as_str(),
            path: issue.path.to_string(),
            message: issue.message.to_string(),
        }
    }
}

/// Whether an issue is about a field: at it, or within it.
fn is_at(issue: &Issue, path: &FieldPath) -> bool {
    issue.path.strip_prefix(path.pointer()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a document affirms of a field besides its value.
fn rivals(plan: &Plan, path: &FieldPath, value: &Value, text: &str) -> Vec<Rival> {
    let name = path.last();
    let mentions = read_mentions(plan.scoring.rules().evidence(), &name, text).unwrap_or_default();
    let read = plan.scoring.comparison().shown(&name, value);
    mentions
        .into_iter()
        .filter(|mention| mention.context == Assertion::Affirmed && mention.value != read)
        .map(|mention| Rival { place: Passage::of(text, mention.span), value: mention.value })
        .collect()
}

fn page(shown: &ShownDocument<'_>, paint: Paint) -> String {
    let mut page = String::new();
    let reasons: Vec<&str> = shown.reasons.iter().map(|reason| reason.as_str()).collect();
    let overall = shown.overall.map_or_else(String::new, |overall| format!("  overall {overall:.3}"));
    let by = shown.decided_by.as_ref().map_or_else(String::new, |by| format!(" by {}", sanitize_line(by)));
    let _ = writeln!(
        page,
        "{}  {}  {} ({}){overall}",
        paint.strong(&sanitize_line(shown.document)),
        sanitize_line(shown.document_type),
        shown.final_status,
        sanitize_line(&shown.stop_reason)
    );
    let why = if reasons.is_empty() { "nothing".to_owned() } else { reasons.join(", ") };
    let _ = writeln!(page, "waits because: {why}");
    let _ = writeln!(page, "review: {}{by}", shown.state.as_str().replace('_', " "));
    if let Some(why) = &shown.without_text {
        let _ = writeln!(
            page,
            "{}",
            paint.warn(&format!("without places in the document: {}", sanitize_line(why)))
        );
    }
    if shown.outdated > 0 {
        let is = if shown.outdated == 1 { "decision is" } else { "decisions are" };
        let _ = writeln!(
            page,
            "{}",
            paint.warn(&format!("{} {is} about an earlier result, and do not count", shown.outdated))
        );
    }
    let width = shown.fields.iter().map(|field| field.field.chars().count()).max().unwrap_or_default();
    // Fields of more than one line are set apart.
    let mut stands_apart = true;
    for field in &shown.fields {
        let details = details(field, paint);
        if stands_apart || !details.is_empty() {
            page.push('\n');
        }
        stands_apart = !details.is_empty();
        let support = field.support.map_or_else(String::new, |support| format!("  {}", paint.faint(support)));
        let name = sanitize_line(&field.field);
        let _ = writeln!(page, "  {name:width$}  {}{support}", said(field.value.as_ref()));
        for line in details {
            let _ = writeln!(page, "      {line}");
        }
    }
    if !shown.issues.is_empty() {
        page.push('\n');
    }
    for issue in &shown.issues {
        let _ = writeln!(page, "  {}", issue_line(issue, paint));
    }
    for comment in &shown.comments {
        let _ = writeln!(page, "  {}: {}", sanitize_line(&comment.reviewer), sanitize_line(&comment.comment));
    }
    page
}

/// What is said of a field below its value.
fn details(field: &ShownField, paint: Paint) -> Vec<String> {
    let mut lines = Vec::new();
    match (&field.place, &field.quote) {
        (Some(place), _) => lines.push(place.shown()),
        (None, Some(quote)) => lines.push(format!("quote: {}", shortened(&sanitize_line(quote)))),
        (None, None) => {}
    }
    let rivals = field.rivals.iter();
    lines.extend(
        rivals.map(|rival| format!("also says `{}`: {}", sanitize_line(&rival.value), rival.place.shown())),
    );
    lines.extend(field.issues.iter().map(|issue| issue_line(issue, paint)));
    for decision in &field.decisions {
        let value = match decision.action {
            "not_present" => String::new(),
            _ => format!(" {}", said(decision.value.as_ref())),
        };
        let comment = decision.comment.as_ref();
        let comment = comment.map_or_else(String::new, |text| format!("  ({})", sanitize_line(text)));
        lines.push(format!("{}: {}{value}{comment}", sanitize_line(&decision.reviewer), decision.action));
    }
    if field.disputed {
        lines.push(paint.bad("reviewers differ; the latest holds until they say the same"));
    }
    lines
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
        Some(Value::String(text)) => shortened(&sanitize_line(text)),
        Some(other) => shortened(&sanitize_line(&other.to_string())),
    }
}

fn shortened(text: &str) -> String {
    let cut: String = text.chars().take(LONGEST).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}
