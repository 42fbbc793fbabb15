//! Fields explained on a document: every mention of a field in a document, how it was read, and which one holds;
//! for a list that has one item for each part of a document, the parts.

use crate::diag::nearest;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::report::Paint;
use crate::requests::ResultFormat;
use crate::result::is_result;
use crate::rules::{Assertion, EvidenceRules};
use crate::score::{FieldMention, FoundPart, read_mentions, read_mentions_of_part, read_parts};
use crate::scoring::read_source;
use crate::streams::Streams;
use crate::value::{path_text, sanitize_line};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// The answer for programs.
#[derive(Serialize)]
struct MentionsAnswer<'a> {
    field: &'a str,
    vocabulary: &'a str,
    /// The part of the document that is inspected, if not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'a str>,
    mentions: Vec<MentionEntry<'a>>,
}

/// The parts of a document, for programs.
#[derive(Serialize)]
struct PartsAnswer<'a> {
    list: &'a str,
    parts: Vec<PartEntry<'a>>,
}

#[derive(Serialize)]
struct PartEntry<'a> {
    label: &'a str,
    line: usize,
    heading: &'a str,
    /// First character and one past the last of each stretch.
    spans: Vec<(usize, usize)>,
}

/// One mention, as it is reported.
#[derive(Serialize)]
struct MentionEntry<'a> {
    line: usize,
    value: &'a str,
    context: Assertion,
    /// The finality of the part of the document, from 0 to 9.
    finality: u8,
    start: usize,
    end: usize,
    text: String,
}

/// Longest passage that is shown, in characters.
const PASSAGE: usize = 90;

/// Explains a field of a document: for people, or as data in a format. `is_named` tells whether the profile was chosen.
///
/// # Errors
/// When the document can't be read, or nothing reads the field.
pub fn explain_field(
    path: &Path,
    field: &str,
    plan: &Plan,
    is_named: bool,
    format: Option<ResultFormat>,
    output: &mut Streams,
) -> Result<(), Failure> {
    let text = read_source(path)?;
    if text.trim_start().starts_with('{') && serde_json::from_str(&text).is_ok_and(|json| is_result(&json)) {
        return Err(Failure::usage(format!(
            "`{}` is a result of a run; `--field` reads a document",
            sanitize_line(&path_text(path))
        ))
        .help("name the document that it is a result of; what the result says of the field, `explain` shows without `--field`"));
    }
    let rules = plan.scoring.rules().evidence();
    let place = FieldTarget::of(field, rules);
    if let FieldTarget::List(list) = place {
        let parts = read_parts(rules, list, &text).unwrap_or_default();
        return explain_parts(list, &parts, format, output);
    }
    let name = place.field();
    let Some((vocabulary, phrases)) = rules.vocabulary_of(name) else {
        return Err(unread(name, plan, is_named));
    };
    let (part, mentions) = match place {
        FieldTarget::OfPart { list, part, field } => {
            let Some((label, mentions)) = read_mentions_of_part(rules, list, part, field, &text) else {
                return Err(no_part(list, part, rules, &text));
            };
            (Some(label), mentions)
        }
        FieldTarget::Field(_) | FieldTarget::List(_) => {
            (None, read_mentions(rules, name, &text).unwrap_or_default())
        }
    };
    match format {
        Some(format) => {
            let mentions = mentions.iter().map(|mention| told(mention, &text)).collect();
            output.write_json(
                &MentionsAnswer { field: name, vocabulary, part: part.as_deref(), mentions },
                format,
            )?;
        }
        None => {
            let of_part = part.map_or_else(String::new, |part| format!(" in part {part}"));
            let preferred = phrases.prefer.clone();
            let heading =
                format!("`{}`{of_part}, read with the vocabulary `{vocabulary}`", sanitize_line(name));
            let page = page(&heading, &mentions, preferred.as_deref(), &text, output.out_paint);
            output.out.write_all(page.as_bytes())?;
        }
    }
    Ok(())
}

/// The field or list that `--field` names.
#[derive(Clone, Copy)]
enum FieldTarget<'a> {
    /// A field of the whole document.
    Field(&'a str),
    /// A list that has one item for each part of a document.
    List(&'a str),
    /// A field of one such item: `specimens.B.margins`.
    OfPart { list: &'a str, part: &'a str, field: &'a str },
}

impl<'a> FieldTarget<'a> {
    fn of(text: &'a str, rules: &EvidenceRules) -> Self {
        let steps: Vec<&str> = text.split(['.', '/']).filter(|step| !step.is_empty()).collect();
        let is_list = |list: &str| rules.each.iter().any(|(_, each)| each.list.value == list);
        match steps.as_slice() {
            [list] if is_list(list) => FieldTarget::List(list),
            [list, part, field] if is_list(list) => FieldTarget::OfPart { list, part, field },
            _ => FieldTarget::Field(text),
        }
    }

    fn field(self) -> &'a str {
        match self {
            FieldTarget::Field(field) | FieldTarget::List(field) | FieldTarget::OfPart { field, .. } => field,
        }
    }
}

/// The failure when no vocabulary reads a field: there is no such field, or the rubric names none for it.
fn unread(name: &str, plan: &Plan, is_named: bool) -> Failure {
    let (profile, shown) = (&plan.profile.name, sanitize_line(name));
    let of_rubrics = plan.scoring.rules().evidence().fields.iter().map(|field| field.key.as_str());
    let schemas = plan.stages.iter().flat_map(|stage| stage.schemas.values());
    let properties = schemas.filter_map(|schema| schema.get("properties")?.as_object());
    let of_schemas = properties.flat_map(|properties| properties.keys().map(String::as_str));
    let known: BTreeSet<&str> =
        of_rubrics.chain(of_schemas).filter(|key| !key.ends_with("_status")).collect();
    let (message, help) = if known.contains(name) {
        (
            format!("no vocabulary of the profile `{profile}` reads the field `{shown}`"),
            "name one as `values` of the field in the rubric, or list the field in a file of `rules/vocabularies/`"
                .to_owned(),
        )
    } else {
        (
            format!("the profile `{profile}` has no field `{shown}`"),
            match nearest(name, known) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => "`loopctl explain PROFILE --full` lists the fields of a profile".to_owned(),
            },
        )
    };
    let unnamed = "; the profile is the usual one, because `--profile` names no other";
    Failure::usage(message).help(if is_named { help } else { help + unnamed })
}

fn no_part(list: &str, part: &str, rules: &EvidenceRules, text: &str) -> Failure {
    let parts = read_parts(rules, list, text).unwrap_or_default();
    let labels: Vec<String> = parts.iter().map(|part| format!("`{}`", sanitize_line(&part.label))).collect();
    let failure = Failure::usage(format!("the document has no part `{}` for `{list}`", sanitize_line(part)));
    failure.help(if labels.is_empty() {
        "no headings of parts were found in it, so it is one whole".to_owned()
    } else {
        format!("its parts are {}", labels.join(", "))
    })
}

fn explain_parts(
    list: &str,
    parts: &[FoundPart],
    format: Option<ResultFormat>,
    output: &mut Streams,
) -> Result<(), Failure> {
    if let Some(format) = format {
        let parts = parts.iter().map(|part| PartEntry {
            label: &part.label,
            line: part.line,
            heading: &part.heading,
            spans: part.spans.iter().map(|span| (span.start, span.end)).collect(),
        });
        output.write_json(&PartsAnswer { list, parts: parts.collect() }, format)?;
        return Ok(());
    }
    let mut page = String::new();
    let s = if parts.len() == 1 { "" } else { "s" };
    let heading = format!("`{list}`: {} part{s}", parts.len());
    let _ = writeln!(page, "{}", output.out_paint.strong(&heading));
    if parts.is_empty() {
        let _ = writeln!(page, "  no headings of parts were found, so the document is one whole");
    }
    for part in parts {
        let (label, heading) = (sanitize_line(&part.label), sanitize_line(&part.heading));
        let stretches = part.spans.len();
        let s = if stretches == 1 { "" } else { "es" };
        let _ = writeln!(page, "  {label:<4} line {:<4} {stretches} stretch{s}  \"{heading}\"", part.line);
    }
    output.out.write_all(page.as_bytes())?;
    Ok(())
}

fn told<'a>(mention: &'a FieldMention, text: &str) -> MentionEntry<'a> {
    MentionEntry {
        line: mention.line,
        value: &mention.value,
        context: mention.context,
        finality: mention.finality,
        start: mention.span.start,
        end: mention.span.end,
        text: text.chars().skip(mention.span.start).take(mention.span.end - mention.span.start).collect(),
    }
}

fn page(
    heading: &str,
    mentions: &[FieldMention],
    preferred: Option<&str>,
    text: &str,
    paint: Paint,
) -> String {
    let mut page = String::new();
    let _ = writeln!(page, "{}", paint.strong(heading));
    if mentions.is_empty() {
        let _ = writeln!(
            page,
            "  no mention was found: no phrase of the vocabulary is beside a name of the field"
        );
        return page;
    }
    let values = mentions.iter().map(|mention| mention.value.chars().count()).max().unwrap_or(0);
    for mention in mentions {
        let how = mention.context.as_str();
        let _ = writeln!(
            page,
            "  line {:<4} {:values$}  {how:<12} finality {}  {}",
            mention.line,
            sanitize_line(&mention.value),
            mention.finality,
            paint.faint(&format!("\"{}\"", passage(mention, text))),
        );
    }
    let affirmed = || mentions.iter().filter(|mention| mention.context == Assertion::Affirmed);
    let final_most = affirmed().map(|mention| mention.finality).max();
    let mut held: Vec<&str> = affirmed()
        .filter(|mention| Some(mention.finality) == final_most)
        .map(|mention| mention.value.as_str())
        .collect();
    held.sort_unstable();
    held.dedup();
    let verdict = match held.as_slice() {
        [] => "nothing is affirmed".to_owned(),
        [one] => format!("the most final mentions say `{one}`"),
        several => {
            let prefers = match preferred.filter(|preferred| several.contains(preferred)) {
                Some(preferred) => format!("; of these the vocabulary prefers `{preferred}`"),
                None => String::new(),
            };
            format!("the most final mentions differ: {}{prefers}", several.join(", "))
        }
    };
    let mut others: Vec<&str> =
        affirmed().map(|mention| mention.value.as_str()).filter(|value| !held.contains(value)).collect();
    others.sort_unstable();
    others.dedup();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!(
            "; less final ones say {}",
            others.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ")
        )
    };
    let _ = writeln!(page, "  {verdict}{others}");
    page
}

/// The line around a mention, as much of it as is shown.
fn passage(mention: &FieldMention, text: &str) -> String {
    let before: String = text.chars().take(mention.span.start).collect();
    let start =
        before.rfind('\n').map_or(0, |newline| before.get(..=newline).map_or(0, |part| part.chars().count()));
    let from = start.max(mention.span.start.saturating_sub(PASSAGE / 3));
    let line: String = text.chars().skip(from).take_while(|c| *c != '\n').take(PASSAGE).collect();
    sanitize_line(line.trim())
}
