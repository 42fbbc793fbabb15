//! `loopctl explain FILE --field NAME`: every mention of a field in a document, how it was read, and which of them holds.

use super::exit::{Exit, Failure};
use super::output::Output;
use super::profile_explain::Voice;
use super::score::read_source;
use crate::plan::Plan;
use crate::report::Paint;
use crate::rules::Assertion;
use crate::score::{FieldMention, read_mentions};
use crate::value::sanitize_line;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// The answer for programs.
#[derive(Serialize)]
struct Answer<'a> {
    field: &'a str,
    vocabulary: &'a str,
    mentions: Vec<Told<'a>>,
}

/// One mention, as it is told.
#[derive(Serialize)]
struct Told<'a> {
    line: usize,
    value: &'a str,
    context: Assertion,
    /// How final the part of the document is, from 0 to 9.
    finality: u8,
    start: usize,
    end: usize,
    text: String,
}

/// Longest passage that is shown, in characters.
const PASSAGE: usize = 90;

pub(super) fn explain_field(
    path: &Path,
    field: &str,
    plan: &Plan,
    voice: Voice,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let text = read_source(path)?;
    let rules = plan.scoring.rules().evidence();
    let Some((vocabulary, _)) = rules.vocabulary_of(field) else {
        return Err(Failure::usage(format!(
            "no vocabulary of the profile `{}` reads the field `{}`",
            plan.profile.name,
            sanitize_line(field)
        ))
        .help("name one as `values` of the field in the rubric, or list the field in a file of `rules/vocabularies/`"));
    };
    let mentions = read_mentions(rules, field, &text).unwrap_or_default();
    match voice.of_data() {
        Some(format) => {
            let mentions = mentions.iter().map(|mention| told(mention, &text)).collect();
            output.write_json(&Answer { field, vocabulary, mentions }, format)?;
        }
        None => {
            let page = page(field, vocabulary, &mentions, &text, output.out_paint);
            output.out.write_all(page.as_bytes())?;
        }
    }
    Ok(Exit::Success)
}

fn told<'a>(mention: &'a FieldMention, text: &str) -> Told<'a> {
    Told {
        line: mention.line,
        value: &mention.value,
        context: mention.context,
        finality: mention.finality,
        start: mention.span.start,
        end: mention.span.end,
        text: text.chars().skip(mention.span.start).take(mention.span.end - mention.span.start).collect(),
    }
}

fn page(field: &str, vocabulary: &str, mentions: &[FieldMention], text: &str, paint: Paint) -> String {
    let field = sanitize_line(field);
    let mut page = String::new();
    let heading = format!("`{field}`, read with the vocabulary `{vocabulary}`");
    let _ = writeln!(page, "{}", paint.strong(&heading));
    if mentions.is_empty() {
        let _ = writeln!(
            page,
            "  no mention was found: no phrase of the vocabulary stands beside a name of the field"
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
        several => format!("the most final mentions differ: {}", several.join(", ")),
    };
    let _ = writeln!(page, "  {verdict}");
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
