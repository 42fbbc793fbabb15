//! `loopctl explain`: why a run went as it did.

use super::exit::{Exit, Failure};
use super::loading::state_folder;
use super::output::Output;
use crate::explain::run::{
    DocumentEntry, Looking, NotFound, OpenedRecord, Story, Tone, as_markdown, as_text, tell,
};
use crate::report::Paint;
use crate::value::sanitize_line;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  loopctl explain out/report-1-result.json\n  loopctl explain latest --document report-1\n  loopctl run --format json report-1.txt | loopctl explain -"
)]
pub(super) struct Arguments {
    /// A result file, a folder of `run --out`, `-` for results on standard input, a run's id in the journal, or
    /// `latest`
    #[arg(value_name = "RUN|FILE")]
    target: String,
    /// The document, where there are several
    #[arg(long, short, value_name = "ID")]
    document: Option<String>,
    /// Journal file [default: beside the result, else in the state folder]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Leave nothing out: the whole feedback, every issue and change, long values
    #[arg(long)]
    full: bool,
    /// How it is told
    #[arg(long, value_enum, default_value = "text")]
    format: Telling,
}

/// How a story is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Telling {
    /// For people
    Text,
    /// For people, to keep or to send
    Markdown,
    /// For programs
    Json,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let looking = Looking {
        target: &arguments.target,
        document: arguments.document.as_deref(),
        journal: arguments.journal.as_deref(),
        usual: state_folder().map(|folder| folder.join("journal.sqlite")),
    };
    let paint = output.out_paint;
    let text = match looking.find(&mut std::io::stdin().lock()).map_err(failure)? {
        OpenedRecord::Several(documents) => match arguments.format {
            Telling::Json => json(&documents),
            Telling::Text | Telling::Markdown => list(&documents, paint),
        },
        OpenedRecord::One(record) => {
            let story = Story::of(&record);
            match arguments.format {
                Telling::Json => json(&story),
                Telling::Text => {
                    as_text(&tell(&story, arguments.full), &|tone, text| coloured(paint, tone, text))
                }
                Telling::Markdown => as_markdown(&tell(&story, arguments.full)),
            }
        }
    };
    output.out.write_all(text.as_bytes())?;
    output.out.flush()?;
    Ok(Exit::Success)
}

fn failure(error: NotFound) -> Failure {
    let failure = Failure::usage(error.message);
    if error.help.is_empty() { failure } else { failure.help(error.help) }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn coloured(paint: Paint, tone: Tone, text: &str) -> String {
    match tone {
        Tone::Plain => text.to_owned(),
        Tone::Good => paint.good(text),
        Tone::Warn => paint.warn(text),
        Tone::Bad => paint.bad(text),
        Tone::Faint => paint.faint(text),
        Tone::Strong => paint.strong(text),
    }
}

/// Documents to choose from.
fn list(documents: &[DocumentEntry], paint: Paint) -> String {
    let width = documents.iter().map(|one| one.document.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for one in documents {
        let ended = match (one.final_status, &one.stop_reason) {
            (Some(status), Some(reason)) => format!("{status} ({reason})"),
            _ => "interrupted".to_owned(),
        };
        let overall = one.overall.map_or_else(String::new, |overall| format!(", overall {overall:.3}"));
        let candidates = if one.candidates == 1 { "candidate" } else { "candidates" };
        text.push_str(&format!(
            "{:width$}  {ended}, {} {candidates}{overall}\n",
            sanitize_line(&one.document),
            one.candidates
        ));
    }
    text.push_str(&paint.faint("Add `--document ID` to have one of them explained.\n"));
    text
}
