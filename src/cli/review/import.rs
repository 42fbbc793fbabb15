//! `loopctl review import`.

use super::super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT};
use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use super::super::result_format::RecordFormat;
use super::export::counted;
use crate::disk;
use crate::failure::{ExitStatus, Failure};
use crate::journals::{ReviewedRun, profile_of};
use crate::plan::Plan;
use crate::profiles::RecordedProfile;
use crate::report::assessment_table;
use crate::requests::ResultFormat;
use crate::review::{
    Decision, Entry, EntryContext, EntryError, ReviewDocument, ReviewedScore, SourceText, checked_entries,
    read_entry_lines, read_worksheet, score_extraction,
};
use crate::store::{NewReview, StoredDocument};
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::{DocumentId, sanitize_line};
use clap::Args;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Largest worksheet, in bytes.
const MOST_BYTES: u64 = 256 << 20;

/// The maximum number of unusable rows that are named.
const MOST_NAMED: usize = 20;

#[derive(Args)]
#[command(
    allow_missing_positional = true,
    after_help = "Everything is checked first. If anything is wrong, nothing is kept, and the exit status is 1. Rows that are kept already are left out, so a worksheet can be imported again after more of it is filled in.\n\nExtractions that were corrected are scored by the profile of the run, without asking anybody."
)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough [default: the latest]
    #[arg(value_name = "RUN", help_heading = ARGUMENTS)]
    run: Option<String>,
    /// A worksheet of `loopctl review export`, as `.csv` or `.jsonl`, or decisions and corrections as lines of JSON
    #[arg(value_name = "FILE", required = true, help_heading = ARGUMENTS)]
    file: PathBuf,
    /// Name of the reviewer, for rows that have none
    #[arg(long, value_name = "NAME", help_heading = DOCUMENTS)]
    reviewer: Option<String>,
    /// Check and score, and keep nothing
    #[arg(long, help_heading = OUTPUT)]
    dry_run: bool,
    #[command(flatten)]
    journal: JournalArgument,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    let (entries, errors) = read(&arguments.file)?;
    let mut opened = ReviewedRun::open(&arguments.journal.spec(), arguments.run.as_deref(), context())?;
    let profile = profile_of(context(), &opened.run, output);
    let mut named = documents(&mut opened, profile.plan.as_deref(), &entries)?;
    let now = context().now();
    let mut checked = checked_entries(
        &entries,
        &EntryContext {
            documents: &named.documents.iter().map(|(id, document)| (id.clone(), document)).collect(),
            known: &named.known,
            reviewer: arguments.reviewer.as_deref().map(str::trim).filter(|name| !name.is_empty()),
            now,
            comparison: profile.plan.as_deref().map(|plan| plan.scoring.comparison()),
        },
    );
    checked.errors.extend(errors);
    checked.errors.sort_by_key(|error| error.line);
    refuse(&checked.errors, &arguments.file, output)?;
    let touched: BTreeSet<String> =
        checked.decisions.iter().map(|decision| decision.document.clone()).collect();
    let count = checked.decisions.len();
    if arguments.dry_run {
        for decision in checked.decisions {
            if let Some(document) = named.documents.get_mut(&decision.document) {
                document.decisions.push(decision);
            }
        }
    } else {
        let rows = checked.decisions.iter().map(row).collect::<Result<Vec<_>, _>>()?;
        opened.journal.append_reviews(&opened.run.id, &rows)?;
        opened.refresh()?;
        named = documents(&mut opened, profile.plan.as_deref(), &entries)?;
    }
    let outcomes: Vec<DecisionOutcome<'_>> = touched
        .iter()
        .filter_map(|id| {
            Some(DecisionOutcome::of(named.documents.get(id)?, named.stored.get(id)?, &profile, &opened))
        })
        .collect::<Result<_, _>>()?;
    if format == ResultFormat::Text {
        let kept = if arguments.dry_run { "would be kept" } else { "kept" };
        let mut text = format!("{} {kept}", counted(count, "decision"));
        if checked.known > 0 {
            text.push_str(&format!(", {} already", checked.known));
        }
        text.push('\n');
        output.out.write_all(text.as_bytes())?;
        for outcome in &outcomes {
            outcome.say(output)?;
        }
        output.out.flush()?;
    } else {
        let documents: Vec<Value> = outcomes.iter().map(DecisionOutcome::json).collect();
        output.write_json(
            &json!({ "kept": if arguments.dry_run { 0 } else { count }, "valid": count, "known": checked.known, "documents": documents }),
            format,
        )?;
    }
    if let (Some(why), false) = (&profile.differs, outcomes.is_empty()) {
        let word = output.err_paint.warn("warning:");
        output.say(&format!("{word} {why}, so corrected extractions are not scored"));
    }
    Ok(ExitStatus::Success)
}

/// The rows of a file.
fn read(file: &Path) -> Result<(Vec<Entry>, Vec<EntryError>), Failure> {
    let bytes = disk::read_input(file, MOST_BYTES)
        .map_err(|error| Failure::broken(format!("can't read `{}`: {error}", file.shown())))?;
    if std::str::from_utf8(&bytes).is_err() || bytes.contains(&0) {
        return Err(Failure::broken(format!("`{}` is no UTF-8 text", file.shown()))
            .help("save it as UTF-8 (a workbook as CSV in UTF-8)"));
    }
    let ending = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match ending.as_str() {
        "csv" | "tsv" => Ok(read_worksheet(&bytes)),
        "jsonl" | "ndjson" => Ok(read_entry_lines(&bytes)),
        _ => Err(Failure::usage(format!("`{}`: expected a `.csv` or a `.jsonl`", file.shown()))
            .help("`loopctl review export --to worksheet.csv` writes a worksheet")),
    }
}

/// The documents that rows name.
struct NamedDocuments {
    documents: BTreeMap<String, ReviewDocument>,
    stored: BTreeMap<String, StoredDocument>,
    /// The ids of all documents.
    known: Vec<String>,
}

fn documents(
    opened: &mut ReviewedRun,
    plan: Option<&Plan>,
    entries: &[Entry],
) -> Result<NamedDocuments, Failure> {
    let wanted: BTreeSet<&str> = entries.iter().filter_map(Entry::document).collect();
    let mut named = NamedDocuments { documents: BTreeMap::new(), stored: BTreeMap::new(), known: Vec::new() };
    opened.each(plan, |stored, document| {
        let id = document.id().to_owned();
        if wanted.contains(id.as_str()) {
            named.stored.insert(id.clone(), stored.clone());
            named.documents.insert(id.clone(), document);
        }
        named.known.push(id);
    })?;
    Ok(named)
}

/// Fails if anything is wrong, naming the rows.
fn refuse(errors: &[EntryError], file: &Path, output: &mut Streams) -> Result<(), Failure> {
    if errors.is_empty() {
        return Ok(());
    }
    for error in errors.iter().take(MOST_NAMED) {
        let word = output.err_paint.bad("error:");
        output.say(&format!("{word} {}", sanitize_line(&format!("{}, {error}", file.shown()))));
    }
    if let Some(more @ 1..) = errors.len().checked_sub(MOST_NAMED) {
        output.say(&format!("  {more} more rows can't be used"));
    }
    let rows = counted(errors.len(), "row");
    Err(Failure::broken(format!("nothing was kept: {rows} of `{}` can't be used", file.shown())))
}

fn row(decision: &Decision) -> Result<NewReview, Failure> {
    Ok(NewReview {
        document: DocumentId::new(decision.document.clone()),
        at: decision.at.to_string(),
        reviewer: decision.reviewer.clone(),
        decision: serde_json::to_value(&decision.content).map_err(std::io::Error::from)?,
    })
}

/// The outcome of the decisions about a document.
struct DecisionOutcome<'a> {
    document: &'a ReviewDocument,
    state: &'static str,
    disputed: Vec<String>,
    extraction: Option<Value>,
    score: Option<ReviewedScore>,
    /// The reason that it is not scored.
    unscored: Option<String>,
}

impl<'a> DecisionOutcome<'a> {
    fn of(
        document: &'a ReviewDocument,
        stored: &StoredDocument,
        profile: &RecordedProfile,
        opened: &ReviewedRun,
    ) -> Result<Self, Failure> {
        let reviewed = document.reviewed();
        let is_corrected = reviewed.is_corrected(document);
        let mut outcome = DecisionOutcome {
            document,
            state: reviewed.state.as_str(),
            disputed: reviewed.disputes(),
            extraction: is_corrected.then(|| reviewed.extraction.clone()),
            score: None,
            unscored: None,
        };
        let Some(plan) = profile.plan.as_deref().filter(|_| is_corrected && profile.differs.is_none()) else {
            return Ok(outcome);
        };
        match opened.source(stored)? {
            SourceText::Unchanged(source) => {
                let context = document.context(plan, &source);
                outcome.score = Some(score_extraction(plan, &context, &reviewed.extraction));
            }
            SourceText::NotThere(why) => outcome.unscored = Some(why),
        }
        Ok(outcome)
    }

    fn say(&self, output: &mut Streams) -> Result<(), Failure> {
        let id = sanitize_line(self.document.id());
        let mut text = format!("\n{id}  {}\n", self.state.replace('_', " "));
        if !self.disputed.is_empty() {
            let fields = sanitize_line(&self.disputed.join(", "));
            text.push_str(&format!(
                "  reviewers differ on {fields}; the latest holds until they say the same, or an adjudicator settles it\n"
            ));
        }
        if let Some(why) = &self.unscored {
            text.push_str(&format!("  not scored: {}\n", sanitize_line(why)));
        }
        if let Some(score) = &self.score {
            let before = self.document.result.best_validation.as_ref().map(|validation| validation.overall);
            let before = before.map_or_else(|| "–".to_owned(), |before| format!("{before:.3}"));
            let verdict = if score.accepted { "every line of `accept` holds" } else { "not accepted" };
            let assessed = assessment_table("  corrected", &score.assessment, output.out_paint);
            text.push_str(&assessed);
            text.push_str(&format!("  overall {before} → {:.3}, {verdict}\n", score.assessment.overall));
            for line in &score.missed {
                text.push_str(&format!("  does not hold: {}\n", sanitize_line(line)));
            }
        }
        Ok(output.out.write_all(text.as_bytes())?)
    }

    fn json(&self) -> Value {
        let validation = self.document.result.best_validation.as_ref();
        json!({
            "document": self.document.id(),
            "state": self.state,
            "disputed": self.disputed,
            "extraction": self.extraction,
            "overall_before": validation.map(|validation| validation.overall),
            "validation": self.score.as_ref().map(|score| &score.assessment),
            "accepted": self.score.as_ref().map(|score| score.accepted),
            "does_not_hold": self.score.as_ref().map(|score| &score.missed),
            "not_scored": self.unscored,
        })
    }
}
