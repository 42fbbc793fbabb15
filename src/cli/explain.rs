//! `loopctl explain`: why a run went as it did, what a profile does, what a code means.

use super::code_pages;
use super::headings::OUTPUT;
use super::issue_codes;
use super::loading::{OverrideArguments, context, library};
use super::profile_explain::{ExplainFormat, explain_profile};
use crate::diag::nearest;
use crate::explain::run::{
    DocumentEntry, Looking, NotFound, OpenedRecord, Story, Tone, as_markdown, as_text, tell,
};
use crate::failure::{ExitStatus, Failure};
use crate::field_mentions::explain_field;
use crate::journals::recall;
use crate::plans::refuse_profiles;
use crate::profile::{available, file_of};
use crate::report::Paint;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::sanitize_line;
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  loopctl explain out/report-1-result.json\n  loopctl explain latest --document report-1\n  loopctl run --format json report-1.txt | loopctl explain -\n  loopctl explain clinical --config accept.overall=0.9\n  loopctl explain LC101\n  loopctl explain report-1.txt --field margins"
)]
pub(super) struct Arguments {
    /// A run: a result file, a folder of `run --out`, `-` for results on standard input, a run's id in the journal, or
    /// `latest`. A profile, by name or path. A code, such as `LC101` (`codes` lists them all), or that of an
    /// issue, such as `MISSING_FIELD`. With `--field`, a document
    #[arg(value_name = "RUN|FILE|PROFILE|CODE")]
    target: String,
    /// The document, where there are several
    #[arg(long, short, value_name = "ID", help_heading = OF_A_RUN)]
    document: Option<String>,
    /// Journal file [default: beside the result, else that of the latest run]
    #[arg(long, value_name = "FILE", help_heading = OF_A_RUN)]
    journal: Option<PathBuf>,
    /// Leave nothing out: for a run, the whole feedback, every issue and change, and long values; for a profile, all
    /// that the policy does
    #[arg(long, help_heading = OUTPUT)]
    full: bool,
    /// Show the mentions of this field in the document (given instead of a run): how each was read, and which one
    /// holds; for a list with one item for each part (`specimens`), its parts, or a field of one
    /// (`specimens.B.margins`)
    #[arg(long, value_name = "NAME", help_heading = OF_A_DOCUMENT)]
    field: Option<String>,
    /// The profile whose vocabularies read the field [default: `$LOOPCTL_PROFILE`, else `balanced`, as with `run`]
    #[arg(long, value_name = "PROFILE", requires = "field", help_heading = OF_A_DOCUMENT)]
    profile: Option<String>,
    #[command(flatten, next_help_heading = OF_A_PROFILE)]
    over: OverrideArguments,
    /// Price table that takes precedence over the others (see `docs/costs.md`)
    #[arg(long, value_name = "FILE", help_heading = OF_A_PROFILE)]
    prices: Option<PathBuf>,
    /// Format of the explanation
    #[arg(long, value_enum, default_value = "text", help_heading = OUTPUT)]
    format: ExplainFormat,
}

const OF_A_RUN: &str = "Of a run";
const OF_A_PROFILE: &str = "Of a profile";
const OF_A_DOCUMENT: &str = "Of a document";

/// The word for all codes.
const ALL_CODES: &str = "codes";

/// The subject of an explanation.
enum ExplainTarget {
    Code,
    AllCodes,
    /// The code of an issue.
    Issue,
    Profile,
    Run,
}

impl ExplainTarget {
    /// Finds what a word means. Runs come last: everything else is known to exist or not.
    fn of(word: &str) -> Self {
        let path = Path::new(word);
        let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        if word == ALL_CODES {
            ExplainTarget::AllCodes
        } else if code_pages::is_meant_as_code(word) {
            ExplainTarget::Code
        } else if is_yaml {
            ExplainTarget::Profile
        } else if word == "-" || path.is_dir() || path.is_file() {
            ExplainTarget::Run
        } else if !word.contains(['/', '\\']) && file_of(word, &library()).is_ok_and(|file| file.is_some()) {
            ExplainTarget::Profile
        } else if issue_codes::is_meant_as_code(word) {
            ExplainTarget::Issue
        } else {
            ExplainTarget::Run
        }
    }
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    if let Some(field) = &arguments.field {
        refuse_profiles(context(), &[&arguments.target])?;
        let profile = arguments.profile.clone().unwrap_or_else(|| context().usual_profile());
        let plan = arguments.over.on(&profile).plan(context(), &library(), &[], output)?;
        let path = Path::new(&arguments.target);
        let (is_named, format) = (arguments.profile.is_some(), arguments.format.of_data());
        explain_field(path, field, &plan, is_named, format, output)?;
        return Ok(ExitStatus::Success);
    }
    let target = ExplainTarget::of(&arguments.target);
    arguments.refuse_what_does_not_apply(&target)?;
    match target {
        ExplainTarget::Code => code_pages::page(&arguments.target, arguments.format.of_data(), output),
        ExplainTarget::AllCodes => code_pages::list(arguments.format.of_data(), output),
        ExplainTarget::Issue => issue_codes::explain(&arguments.target, arguments.format.of_data(), output),
        ExplainTarget::Profile => {
            let profile = arguments.over.on(&arguments.target);
            let prices = arguments.prices.as_deref();
            explain_profile(&profile, prices, arguments.full, arguments.format, output)
        }
        ExplainTarget::Run => arguments.explain_run(output),
    }
}

impl Arguments {
    /// Refuses flags that would do nothing.
    fn refuse_what_does_not_apply(&self, target: &ExplainTarget) -> Result<(), Failure> {
        let of_a_run = self.document.is_some() || self.journal.is_some();
        let of_a_profile = !self.over.is_empty() || self.prices.is_some();
        let what = match target {
            ExplainTarget::Run if of_a_profile => "a run, and the flags given are those of a profile",
            ExplainTarget::Profile if of_a_run => "a profile, and `--document` and `--journal` are of a run",
            ExplainTarget::Code | ExplainTarget::AllCodes | ExplainTarget::Issue
                if of_a_run || of_a_profile =>
            {
                "a code, which takes no such flags"
            }
            _ => return Ok(()),
        };
        Err(Failure::usage(format!("`{}` is {what}", sanitize_line(&self.target)))
            .help("`loopctl explain -h` says which flags belong to what"))
    }

    fn explain_run(&self, output: &mut Streams) -> Result<ExitStatus, Failure> {
        let mut latest =
            if self.target == "latest" && self.journal.is_none() { recall(context()) } else { None };
        let gone = latest.take_if(|latest| !latest.journal.is_file());
        if let Some(gone) = gone {
            let (run, journal) = (sanitize_line(&gone.run), sanitize_line(&gone.journal.shown()));
            let word = output.err_paint.warn("warning:");
            output.say(&format!(
                "{word} the latest run, {run}, was in `{journal}`, which is gone; this is one before it"
            ));
        }
        let looking = Looking {
            target: latest.as_ref().map_or(&self.target, |latest| &latest.run),
            document: self.document.as_deref(),
            journal: latest.as_ref().map(|latest| latest.journal.as_path()).or(self.journal.as_deref()),
            usual: context().state_folder().map(|folder| folder.join("journal.sqlite")),
        };
        let paint = output.out_paint;
        let found = looking.find(&mut std::io::stdin().lock()).map_err(|error| self.not_found(error))?;
        let text = match (found, self.format) {
            (OpenedRecord::Several(documents), ExplainFormat::Text | ExplainFormat::Markdown) => {
                list(&documents, paint)
            }
            (OpenedRecord::Several(documents), ExplainFormat::Json) => {
                return written(&documents, ResultFormat::Json, output);
            }
            (OpenedRecord::Several(documents), ExplainFormat::Jsonl) => {
                return written(&documents, ResultFormat::Jsonl, output);
            }
            (OpenedRecord::One(record), ExplainFormat::Json) => {
                return written(&Story::of(&record), ResultFormat::Json, output);
            }
            (OpenedRecord::One(record), ExplainFormat::Jsonl) => {
                return written(&Story::of(&record), ResultFormat::Jsonl, output);
            }
            (OpenedRecord::One(record), ExplainFormat::Text) => {
                as_text(&tell(&Story::of(&record), self.full), &|tone, text| coloured(paint, tone, text))
            }
            (OpenedRecord::One(record), ExplainFormat::Markdown) => {
                as_markdown(&tell(&Story::of(&record), self.full))
            }
        };
        output.out.write_all(text.as_bytes())?;
        output.out.flush()?;
        Ok(ExitStatus::Success)
    }

    /// The failure when there is nothing to explain. A word near a profile's name is more likely that than a run's id.
    fn not_found(&self, error: NotFound) -> Failure {
        let names = available(&library());
        if let Some(guess) = nearest(&self.target, names.iter().map(String::as_str)) {
            let message = format!("`{}` is no run, no profile and no code", sanitize_line(&self.target));
            return Failure::usage(message).help(format!("did you mean the profile `{guess}`?"));
        }
        let failure =
            if error.is_choice { Failure::usage(error.message) } else { Failure::broken(error.message) };
        if error.help.is_empty() { failure } else { failure.help(error.help) }
    }
}

fn written(
    value: &impl serde::Serialize,
    format: ResultFormat,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    output.write_json(value, format)?;
    Ok(ExitStatus::Success)
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

/// Lists the documents to choose from.
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
