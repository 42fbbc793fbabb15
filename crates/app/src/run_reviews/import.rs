//! Decisions of reviewers kept, from a worksheet or from lines of JSON.

use super::counted;
use crate::context::Context;
use crate::disk;
use crate::failure::Failure;
use crate::journals::{JournalSpec, ReviewedRun, profile_of};
use crate::plan::Plan;
use crate::profiles::RecordedProfile;
use crate::report::{Paint, assessment_table};
use crate::review::{
    Decision, Entry, EntryContext, EntryError, ReviewDocument, ReviewedScore, SourceText, checked_entries,
    read_entry_lines, read_worksheet, score_extraction,
};
use crate::store::{NewReview, StoredDocument};
use crate::streams::Streams;
use crate::value::{DocumentId, ShownPath, sanitize_line};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Largest worksheet, in bytes.
const MOST_BYTES: u64 = 256 << 20;

/// The maximum number of unusable rows that are named.
const MOST_NAMED: usize = 20;

/// A request to keep decisions.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportRequest {
    /// The run; `None` for the latest.
    pub run: Option<String>,
    /// Its journal.
    pub journal: JournalSpec,
    /// The worksheet, or the lines of JSON.
    pub file: PathBuf,
    /// The reviewer of rows that name none.
    pub reviewer: Option<String>,
    /// `true` if decisions are checked and not kept.
    pub dry_run: bool,
}

/// Decisions that were kept, or would be.
#[derive(Debug)]
pub struct ImportAnswer {
    count: usize,
    /// The number of decisions that were kept before.
    known: usize,
    dry_run: bool,
    outcomes: Vec<DecisionOutcome>,
    /// The reason why corrected extractions are not scored.
    pub not_scored: Option<String>,
}

/// Keeps decisions, all of which must be usable.
///
/// # Errors
/// When a row can't be used, which is reported, or the journal can't be written.
pub fn import_decisions(
    request: &ImportRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<ImportAnswer, Failure> {
    let (entries, errors) = read(&request.file)?;
    let mut opened = ReviewedRun::open(&request.journal, request.run.as_deref(), context)?;
    let profile = profile_of(context, &opened.run, output);
    let mut named = documents(&mut opened, profile.plan.as_deref(), &entries)?;
    let mut checked = checked_entries(
        &entries,
        &EntryContext {
            documents: &named.documents.iter().map(|(id, document)| (id.clone(), document)).collect(),
            known: &named.known,
            reviewer: request.reviewer.as_deref().map(str::trim).filter(|name| !name.is_empty()),
            now: context.now(),
            comparison: profile.plan.as_deref().map(|plan| plan.scoring.comparison()),
        },
    );
    checked.errors.extend(errors);
    checked.errors.sort_by_key(|error| error.line);
    refuse(&checked.errors, &request.file, output)?;
    let touched: BTreeSet<String> =
        checked.decisions.iter().map(|decision| decision.document.clone()).collect();
    let count = checked.decisions.len();
    if request.dry_run {
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
    let outcomes: Vec<DecisionOutcome> = touched
        .iter()
        .filter_map(|id| {
            Some(DecisionOutcome::of(named.documents.get(id)?, named.stored.get(id)?, &profile, &opened))
        })
        .collect::<Result<_, _>>()?;
    let not_scored = profile.differs.filter(|_| !outcomes.is_empty());
    Ok(ImportAnswer { count, known: checked.known, dry_run: request.dry_run, outcomes, not_scored })
}

impl ImportAnswer {
    /// The answer for people.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        let kept = if self.dry_run { "would be kept" } else { "kept" };
        let mut text = format!("{} {kept}", counted(self.count, "decision"));
        if self.known > 0 {
            text.push_str(&format!(", {} already", self.known));
        }
        text.push('\n');
        self.outcomes.iter().for_each(|outcome| text.push_str(&outcome.text(paint)));
        text
    }

    /// The answer for programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let documents: Vec<Value> = self.outcomes.iter().map(DecisionOutcome::json).collect();
        let kept = if self.dry_run { 0 } else { self.count };
        json!({ "kept": kept, "valid": self.count, "known": self.known, "documents": documents })
    }
}

/// The rows of a file.
fn read(file: &Path) -> Result<(Vec<Entry>, Vec<EntryError>), Failure> {
    let bytes = disk::read_input(file, MOST_BYTES)
        .map_err(|error| Failure::broken(format!("can't read `{}`: {error}", file.shown())))?;
    if std::str::from_utf8(&bytes).is_err() || bytes.contains(&0) {
        return Err(Failure::broken(format!("`{}` is not UTF-8 text", file.shown()))
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
#[derive(Debug)]
struct DecisionOutcome {
    document: String,
    overall_before: Option<f64>,
    state: &'static str,
    disputed: Vec<String>,
    extraction: Option<Value>,
    score: Option<ReviewedScore>,
    /// The reason that it is not scored.
    unscored: Option<String>,
}

impl DecisionOutcome {
    fn of(
        document: &ReviewDocument,
        stored: &StoredDocument,
        profile: &RecordedProfile,
        opened: &ReviewedRun,
    ) -> Result<Self, Failure> {
        let reviewed = document.reviewed();
        let is_corrected = reviewed.is_corrected(document);
        let mut outcome = DecisionOutcome {
            document: document.id().to_owned(),
            overall_before: document.result.best_validation.as_ref().map(|validation| validation.overall),
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

    fn text(&self, paint: Paint) -> String {
        let id = sanitize_line(&self.document);
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
            let before = self.overall_before.map_or_else(|| "–".to_owned(), |before| format!("{before:.3}"));
            let verdict = if score.accepted { "every line of `accept` holds" } else { "not accepted" };
            let assessed = assessment_table("  corrected", &score.assessment, paint);
            text.push_str(&assessed);
            text.push_str(&format!("  overall {before} → {:.3}, {verdict}\n", score.assessment.overall));
            for line in &score.missed {
                text.push_str(&format!("  does not hold: {}\n", sanitize_line(line)));
            }
        }
        text
    }

    fn json(&self) -> Value {
        json!({
            "document": self.document,
            "state": self.state,
            "disputed": self.disputed,
            "extraction": self.extraction,
            "overall_before": self.overall_before,
            "validation": self.score.as_ref().map(|score| &score.assessment),
            "accepted": self.score.as_ref().map(|score| score.accepted),
            "does_not_hold": self.score.as_ref().map(|score| &score.missed),
            "not_scored": self.unscored,
        })
    }
}
