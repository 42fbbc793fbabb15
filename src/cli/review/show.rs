//! `loopctl review show`.

use super::super::headings::{ARGUMENTS, OUTPUT};
use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use super::super::result_format::RecordFormat;
use crate::diag::nearest;
use crate::failure::{ExitStatus, Failure};
use crate::journals::{ReviewedRun, profile_of, say_differs};
use crate::report::Paint;
use crate::requests::ResultFormat;
use crate::review::{
    Beside, How, NOT_LOOKED_FOR, Reason, ReviewState, ShownDocument, ShownField, ShownIssue, ShownQuestion,
};
use crate::streams::Streams;
use crate::value::sanitize_line;
use clap::Args;
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

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    let mut opened = ReviewedRun::open(&arguments.journal.spec(), arguments.run.as_deref(), context())?;
    let profile = profile_of(context(), &opened.run, output);
    say_differs(&profile, output);
    let (mut found, mut ids) = (None, Vec::new());
    opened.each(profile.plan.as_deref(), |stored, document| {
        if document.id() == arguments.document {
            found = Some((stored.clone(), document));
        } else {
            ids.push(document.id().to_owned());
        }
    })?;
    let Some((stored, document)) = found else { return Err(unknown(arguments, &ids)) };
    let source = opened.source(&stored)?;
    let plan = profile.plan.as_deref().filter(|_| profile.differs.is_none());
    let run = opened.run.id.to_string();
    let shown = ShownDocument::of(&document, Beside { run: &run, source: &source, plan, quotes: None });
    if format == ResultFormat::Text {
        output.out.write_all(page(&shown, output.out_paint).as_bytes())?;
        output.out.flush()?;
    } else {
        output.write_json(&shown, format)?;
    }
    Ok(ExitStatus::Success)
}

fn unknown(arguments: &Arguments, ids: &[String]) -> Failure {
    let id = sanitize_line(&arguments.document);
    let guess = nearest(&arguments.document, ids.iter().map(String::as_str));
    Failure::usage(format!("the run has no result of a document `{id}`")).help(match guess {
        Some(guess) => format!("did you mean `{}`?", sanitize_line(guess)),
        None => "`loopctl review list` names those that wait".to_owned(),
    })
}

fn page(shown: &ShownDocument<'_>, paint: Paint) -> String {
    let mut page = String::new();
    // Not among the result's own reasons: who reviews blind must not see on the desk that others differ.
    let dispute = (shown.state == ReviewState::Disputed).then_some(Reason::Disputed);
    let reasons: Vec<&str> = dispute.iter().chain(&shown.reasons).map(|reason| reason.as_str()).collect();
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
    let differ = match shown.disputed.as_slice() {
        [] => String::new(),
        on => format!(": reviewers differ on {}", sanitize_line(&on.join(", "))),
    };
    let _ = writeln!(page, "review: {}{by}{differ}", shown.state.as_str().replace('_', " "));
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
    for question in &shown.questions {
        page.push('\n');
        asked(&mut page, question, paint);
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
        let support = match field.support {
            Some(support) => format!("  {}", paint.faint(support)),
            None if field.unchecked => format!("  {}", paint.bad("not checked")),
            None => String::new(),
        };
        let name = sanitize_line(&field.field);
        let _ = writeln!(page, "  {name:width$}  {}{support}", said(field.value.as_ref()));
        for line in details {
            let _ = writeln!(page, "      {line}");
        }
    }
    let is_asked = |issue: &ShownIssue| {
        shown
            .questions
            .iter()
            .any(|question| question.code == issue.code && question.message == issue.message)
    };
    let others: Vec<&ShownIssue> = shown.issues.iter().filter(|issue| !is_asked(issue)).collect();
    if !others.is_empty() {
        page.push('\n');
    }
    for issue in others {
        let _ = writeln!(page, "  {}", issue_line(issue, paint));
    }
    for comment in &shown.comments {
        let _ = writeln!(page, "  {}: {}", sanitize_line(&comment.reviewer), sanitize_line(&comment.comment));
    }
    page
}

/// Shows an issue of the document as a whole that a person answers.
fn asked(page: &mut String, question: &ShownQuestion, paint: Paint) {
    let _ = writeln!(
        page,
        "  {} {}: {}",
        paint.warn(question.severity),
        sanitize_line(&question.issue),
        sanitize_line(&question.message)
    );
    if let Some(place) = &question.place {
        let _ = writeln!(page, "      {}", place.shown());
    }
    match &question.answer {
        None => {
            let _ = writeln!(
                page,
                "      {}",
                paint.bad("not answered: it holds all the same, or reject the document")
            );
        }
        Some(answer) => {
            let comment = answer.comment.as_ref();
            let comment = comment.map_or_else(String::new, |text| format!("  ({})", sanitize_line(text)));
            let _ = writeln!(page, "      {}: holds all the same{comment}", sanitize_line(&answer.reviewer));
        }
    }
}

/// The lines about a field below its value.
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
        let how = match decision.how {
            _ if decision.settles => " (settles)",
            How::Each => "",
            How::Swept => " (swept)",
        };
        lines.push(format!(
            "{}: {}{how}{value}{comment}",
            sanitize_line(&decision.reviewer),
            decision.action
        ));
    }
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
