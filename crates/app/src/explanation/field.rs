//! A field explained on a document: every mention of it, how each was read, and which one holds; for a list that has one
//! item for each part of a document, the parts.

use super::{ExplainRequest, Explanation};
use crate::context::Context;
use crate::diag::nearest;
use crate::failure::Failure;
use crate::ingest::DocumentReader;
use crate::plan::Plan;
use crate::plans::refuse_profiles;
use crate::report::Paint;
use crate::result::is_result;
use crate::review::PlacedText;
use crate::rules::{Assertion, EvidenceRules};
use crate::score::{FieldMention, FoundPart, read_mentions, read_mentions_of_part, read_parts};
use crate::scoring::SourceDocument;
use crate::streams::Streams;
use crate::value::prose::listed;
use crate::value::{PagePassage, pages_in_words, path_text, sanitize_line};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// Longest passage that is shown, in characters.
const PASSAGE: usize = 90;

/// The mentions of a field in a document.
#[derive(Debug, Serialize)]
pub struct FieldMentions {
    field: String,
    vocabulary: String,
    /// The part of the document that is inspected, if not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<String>,
    mentions: Vec<MentionEntry>,
    /// The value that the vocabulary prefers where the most final mentions differ.
    #[serde(skip)]
    preferred: Option<String>,
}

/// One mention, as it is reported.
#[derive(Debug, Serialize)]
struct MentionEntry {
    line: usize,
    value: String,
    context: Assertion,
    /// The finality of the part of the document, from 0 to 9.
    finality: u8,
    start: usize,
    end: usize,
    text: String,
    /// Its places on the pages of a document that has pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<PagePassage>,
    /// The line around it, as much of it as is shown.
    #[serde(skip)]
    passage: String,
}

/// The parts of a document, each an item of a list.
#[derive(Debug, Serialize)]
pub struct DocumentParts {
    list: String,
    parts: Vec<PartEntry>,
}

#[derive(Debug, Serialize)]
struct PartEntry {
    label: String,
    line: usize,
    heading: String,
    /// First character and one past the last of each stretch.
    spans: Vec<(usize, usize)>,
    /// The places of its first line on the pages of a document that has pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<PagePassage>,
}

/// Explains a field of a document.
pub(super) fn explain_field(
    request: &ExplainRequest,
    field: &str,
    context: &Context,
    output: &mut Streams,
) -> Result<Explanation, Failure> {
    refuse_profiles(context, &[&request.target])?;
    let profile = request.profile.clone().unwrap_or_else(|| context.usual_profile());
    let plan = request.over(&profile).plan(context, &context.library(), &[], output)?;
    let reader = context.reader().clone().with_ingest(&plan.profile.ingest);
    let document = document(Path::new(&request.target), &reader, output)?;
    let text = document.text();
    let placed = PlacedText::of(text).on_pages(document.pages());
    let rules = plan.scoring.rules().evidence();
    let place = FieldTarget::of(field, rules);
    if let FieldTarget::List(list) = place {
        return Ok(Explanation::Parts(DocumentParts::read(list, rules, text, &placed)));
    }
    let name = place.field();
    let (vocabulary, phrases) =
        rules.vocabulary_of(name).ok_or_else(|| unread(name, &plan, request.profile.is_some()))?;
    let (part, mentions) = match place {
        FieldTarget::OfPart { list, part, field } => {
            let read = read_mentions_of_part(rules, list, part, field, text);
            let (label, mentions) = read.ok_or_else(|| no_part(list, part, rules, text))?;
            (Some(label), mentions)
        }
        FieldTarget::Field(_) | FieldTarget::List(_) => {
            (None, read_mentions(rules, name, text).unwrap_or_default())
        }
    };
    Ok(Explanation::Field(FieldMentions {
        field: name.to_owned(),
        vocabulary: vocabulary.to_owned(),
        part,
        mentions: mentions.into_iter().map(|mention| MentionEntry::of(mention, &placed)).collect(),
        preferred: phrases.prefer.clone(),
    }))
}

/// Reads a document, which must not be a result.
fn document(path: &Path, reader: &DocumentReader, output: &mut Streams) -> Result<SourceDocument, Failure> {
    let document = SourceDocument::read(path, reader, output)?;
    let text = document.text();
    if text.trim_start().starts_with('{') && serde_json::from_str(text).is_ok_and(|json| is_result(&json)) {
        return Err(Failure::usage(format!(
            "`{}` is a result of a run; `--field` reads a document",
            sanitize_line(&path_text(path))
        ))
        .help("name the document that it is a result of; what the result says of the field, `explain` shows without `--field`"));
    }
    Ok(document)
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
    let labels = listed(parts.iter().map(|part| sanitize_line(&part.label)));
    let failure = Failure::usage(format!("the document has no part `{}` for `{list}`", sanitize_line(part)));
    failure.help(if labels.is_empty() {
        "no headings of parts were found in it, so it is one whole".to_owned()
    } else {
        format!("its parts are {labels}")
    })
}

impl DocumentParts {
    fn read(list: &str, rules: &EvidenceRules, text: &str, placed: &PlacedText<'_>) -> Self {
        let parts = read_parts(rules, list, text).unwrap_or_default();
        let parts = parts.into_iter().map(|part| PartEntry::of(part, placed)).collect();
        DocumentParts { list: list.to_owned(), parts }
    }

    /// For people.
    pub(super) fn text(&self, paint: Paint) -> String {
        let s = if self.parts.len() == 1 { "" } else { "s" };
        let heading = format!("`{}`: {} part{s}", self.list, self.parts.len());
        let mut text = paint.strong(&heading) + "\n";
        if self.parts.is_empty() {
            text.push_str("  no headings of parts were found, so the document is one whole\n");
        }
        for part in &self.parts {
            let (label, heading) = (sanitize_line(&part.label), sanitize_line(&part.heading));
            let stretches = part.spans.len();
            let s = if stretches == 1 { "" } else { "es" };
            let page = on_page(&part.places);
            text.push_str(&format!(
                "  {label:<4} {page}line {:<4} {stretches} stretch{s}  \"{heading}\"\n",
                part.line
            ));
        }
        text
    }
}

impl PartEntry {
    fn of(part: FoundPart, text: &PlacedText<'_>) -> Self {
        PartEntry {
            places: text.places(text.line(part.line)),
            label: part.label,
            line: part.line,
            heading: part.heading,
            spans: part.spans.iter().map(|span| (span.start, span.end)).collect(),
        }
    }
}

impl FieldMentions {
    /// For people.
    pub(super) fn text(&self, paint: Paint) -> String {
        let of_part = self.part.as_ref().map_or_else(String::new, |part| format!(" in part {part}"));
        let (field, vocabulary) = (sanitize_line(&self.field), &self.vocabulary);
        let heading = format!("`{field}`{of_part}, read with the vocabulary `{vocabulary}`");
        let mut text = paint.strong(&heading) + "\n";
        if self.mentions.is_empty() {
            return text
                + "  no mention was found: no phrase of the vocabulary is beside a name of the field\n";
        }
        let width = self.mentions.iter().map(|mention| mention.value.chars().count()).max().unwrap_or(0);
        for mention in &self.mentions {
            text.push_str(&format!(
                "  {}line {:<4} {:width$}  {:<12} finality {}  {}\n",
                on_page(&mention.places),
                mention.line,
                sanitize_line(&mention.value),
                mention.context.as_str(),
                mention.finality,
                paint.faint(&format!("\"{}\"", mention.passage)),
            ));
        }
        text.push_str(&format!("  {}\n", self.verdict()));
        text
    }

    /// The values that hold, and those that only less final mentions affirm.
    fn verdict(&self) -> String {
        let affirmed = || self.mentions.iter().filter(|mention| mention.context == Assertion::Affirmed);
        let final_most = affirmed().map(|mention| mention.finality).max();
        let (held, others): (Vec<&MentionEntry>, Vec<&MentionEntry>) =
            affirmed().partition(|mention| Some(mention.finality) == final_most);
        let values = |of: Vec<&'_ MentionEntry>| -> BTreeSet<String> {
            of.into_iter().map(|mention| mention.value.clone()).collect()
        };
        let (held, others) = (values(held), values(others));
        let less: Vec<&String> = others.difference(&held).collect();
        let less =
            if less.is_empty() { String::new() } else { format!("; less final ones say {}", listed(less)) };
        let held: Vec<String> = held.into_iter().collect();
        match held.as_slice() {
            [] => "nothing is affirmed".to_owned(),
            [one] => format!("the most final mentions say `{one}`{less}"),
            several => {
                let preferred = self.preferred.as_ref().filter(|preferred| several.contains(preferred));
                let prefers = preferred.map_or_else(String::new, |preferred| {
                    format!("; of these the vocabulary prefers `{preferred}`")
                });
                format!("the most final mentions differ: {}{prefers}{less}", several.join(", "))
            }
        }
    }
}

impl MentionEntry {
    fn of(mention: FieldMention, text: &PlacedText<'_>) -> Self {
        let (start, end) = (mention.span.start, mention.span.end);
        MentionEntry {
            text: text.part(start..end).to_owned(),
            places: text.places(start..end),
            passage: passage(start, text.whole()),
            line: mention.line,
            value: mention.value,
            context: mention.context,
            finality: mention.finality,
            start,
            end,
        }
    }
}

/// The pages of a passage before its line, in a column; nothing for a document without pages.
fn on_page(places: &[PagePassage]) -> String {
    pages_in_words(places).map_or_else(String::new, |pages| format!("{pages:<8} "))
}

/// The line around the mention that begins at a character, as much of it as is shown.
fn passage(at: usize, text: &str) -> String {
    let before: String = text.chars().take(at).collect();
    let start =
        before.rfind('\n').map_or(0, |newline| before.get(..=newline).map_or(0, |part| part.chars().count()));
    let from = start.max(at.saturating_sub(PASSAGE / 3));
    let line: String = text.chars().skip(from).take_while(|c| *c != '\n').take(PASSAGE).collect();
    sanitize_line(line.trim())
}
