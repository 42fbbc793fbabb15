//! Scores by iteration and issues of a run: added up once from the figures of each document, and kept while documents are
//! only added.

use crate::decided::Decided;
use crate::review::ReviewState;
use crate::store::{DocumentDetail, FiguresMark, Journal, RunId, StoreError};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The most runs whose sums are kept.
const MOST_RUNS: usize = 32;
/// The most iterations and issues that are told apart.
const MOST_ITERATIONS: usize = 64;
const MOST_ISSUES: usize = 512;

/// The sums of the runs that were viewed last, and the numbers of their documents that were decided.
#[derive(Debug, Default)]
pub(crate) struct RunDetails {
    totals: Mutex<Vec<(RunId, Arc<RunTotals>)>>,
    decided: Mutex<Vec<(RunId, DecidedMark, u64)>>,
}

/// The state that a count of decided documents was made from: the number of decisions, and the results.
type DecidedMark = (usize, FiguresMark);

/// Sums over the documents of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunTotals {
    mark: FiguresMark,
    /// By iteration.
    pub(crate) iterations: Vec<IterationMeans>,
    /// Issues of the returned candidates by severity and code: in how many documents, and how many.
    pub(crate) issues: BTreeMap<(String, String), (u64, u64)>,
}

/// Scores of an iteration, added up over the documents so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct IterationMeans {
    /// The number of those documents.
    pub(crate) documents: u64,
    overall: f64,
    /// By dimension, in the order in which they came: name, number and sum.
    dimensions: Vec<(String, u64, f64)>,
}

impl IterationMeans {
    /// The mean overall score.
    pub(crate) fn overall(&self) -> Option<f64> {
        mean(self.overall, self.documents)
    }

    /// The mean of a dimension.
    pub(crate) fn dimension(&self, name: &str) -> Option<f64> {
        let (_, count, sum) = self.dimensions.iter().find(|(known, ..)| known == name)?;
        mean(*sum, *count)
    }
}

fn mean(sum: f64, count: u64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
    let mean = (count > 0).then(|| sum / count as f64);
    mean
}

/// An iteration in the figures of a document. Another loopctl may have written other members.
#[derive(Deserialize)]
struct StoredIteration {
    overall: Option<f64>,
    #[serde(default)]
    scores: serde_json::Map<String, serde_json::Value>,
}

impl RunTotals {
    /// Every dimension, in the order in which they came.
    pub(crate) fn dimensions(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (name, ..) in self.iterations.iter().flat_map(|iteration| &iteration.dimensions) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Adds a document by its iterations and issues, as the journal has them.
    fn add(&mut self, iterations: &str, issues: &str) {
        let iterations: Vec<StoredIteration> = serde_json::from_str(iterations).unwrap_or_default();
        for (at, iteration) in iterations.iter().take(MOST_ITERATIONS).enumerate() {
            let Some(overall) = iteration.overall else { continue };
            if self.iterations.len() <= at {
                self.iterations.resize_with(at + 1, IterationMeans::default);
            }
            let Some(means) = self.iterations.get_mut(at) else { continue };
            means.documents += 1;
            means.overall += overall;
            for (name, score) in &iteration.scores {
                let Some(score) = score.as_f64() else { continue };
                match means.dimensions.iter_mut().find(|(known, ..)| known == name) {
                    Some((_, count, sum)) => {
                        *count += 1;
                        *sum += score;
                    }
                    None => means.dimensions.push((name.clone(), 1, score)),
                }
            }
        }
        let issues: Vec<(Option<String>, Option<String>, u64)> =
            serde_json::from_str(issues).unwrap_or_default();
        for (severity, code, count) in issues {
            let key = (severity.unwrap_or_default(), code.unwrap_or_default());
            if self.issues.len() >= MOST_ISSUES && !self.issues.contains_key(&key) {
                continue;
            }
            let sums = self.issues.entry(key).or_default();
            sums.0 += 1;
            sums.1 += count;
        }
    }
}

impl RunDetails {
    /// The sums of a run as it is in the journal.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub(crate) fn of(&self, journal: &Journal, run: &RunId) -> Result<Arc<RunTotals>, StoreError> {
        let known = {
            let kept = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
            kept.iter().find(|(id, _)| id == run).map(|(_, totals)| Arc::clone(totals))
        };
        let mark = journal.figures_mark(run)?;
        if let Some(known) = known.as_ref().filter(|known| known.mark == mark) {
            return Ok(Arc::clone(known));
        }
        let totals = Arc::new(RunTotals::grown(known.as_deref(), mark.count, journal, run)?);
        let mut kept = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(id, _)| id != run);
        kept.insert(0, (run.clone(), Arc::clone(&totals)));
        kept.truncate(MOST_RUNS);
        Ok(totals)
    }

    /// The number of documents of a run that needed review and were accepted or rejected since.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub(crate) fn decided(&self, journal: &Journal, run: &RunId) -> Result<u64, StoreError> {
        let figures = journal.figures_mark(run)?;
        let reviews = journal.reviews(run)?;
        // Decisions are only ever added, so that their number tells whether there are others.
        let mark = (reviews.len(), figures);
        {
            let kept = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((.., count)) = kept.iter().find(|(id, known, _)| id == run && *known == mark) {
                return Ok(*count);
            }
        }
        let mut count = 0;
        let documents: BTreeSet<_> = reviews.into_iter().map(|review| review.document).collect();
        for document in &documents {
            let needs_review = journal.document_figures(run, document)?.is_some_and(|figures| figures.review);
            if needs_review && Decided::of(journal, run, document)?.is_some_and(|decided| is_over(&decided)) {
                count += 1;
            }
        }
        let mut kept = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(id, ..)| id != run);
        kept.insert(0, (run.clone(), mark, count));
        kept.truncate(MOST_RUNS);
        Ok(count)
    }
}

/// Returns whether a reviewer accepted or rejected the document as a whole.
fn is_over(decided: &Decided) -> bool {
    [ReviewState::Accepted, ReviewState::Rejected].iter().any(|state| state.as_str() == decided.state)
}

impl RunTotals {
    /// The known sums with the documents that came since; computed anew if a document ended once more, because its first
    /// end no longer counts.
    fn grown(known: Option<&Self>, count: u64, journal: &Journal, run: &RunId) -> Result<Self, StoreError> {
        if let Some(known) = known {
            let came = journal.details_after(run, known.mark.latest)?;
            if known.mark.count + came.len() as u64 == count {
                return Ok(known.clone().with(&came));
            }
        }
        Ok(RunTotals::default().with(&journal.details_after(run, 0)?))
    }

    fn with(mut self, came: &[DocumentDetail]) -> Self {
        for detail in came {
            self.add(&detail.iterations, &detail.issues);
            self.mark.latest = self.mark.latest.max(detail.number);
        }
        self.mark.count += came.len() as u64;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DocumentRecord, EventLog, LogEntry, RunRecord};
    use crate::value::DocumentId;
    use serde_json::json;

    fn journal() -> (Journal, RunId) {
        let journal = Journal::in_memory().unwrap();
        let run = RunRecord {
            started_at: "2026-01-31T12:00:00Z".to_owned(),
            profile: "p".to_owned(),
            profile_digest: "d".to_owned(),
            loopctl_version: "0".to_owned(),
            plugins: json!([]),
            settings: json!({}),
        };
        let run = journal.begin_run(&run).unwrap();
        (journal, run)
    }

    fn end(journal: &Journal, run: &RunId, id: &str, overalls: &[f64]) -> crate::store::DocumentKey {
        let record = DocumentRecord {
            id: DocumentId::new(id),
            document_type: "t".to_owned(),
            source_digest: String::new(),
            path: None,
        };
        let key = journal.begin_document(run, &record).wait().unwrap();
        journal.write(key, vec![outcome(overalls)]).wait().unwrap();
        key
    }

    fn outcome(overalls: &[f64]) -> LogEntry {
        let iterations: Vec<_> =
            overalls.iter().map(|overall| json!({"overall": overall, "scores": {"a": overall}})).collect();
        let outcome = json!({"final_status": "passed", "iterations": iterations, "iteration_count": overalls.len(),
            "improvement_trajectory": overalls,
            "best_validation": {"overall": overalls.last(), "issues": [{"severity": "major", "code": "X"}, {"severity": "major", "code": "X"}]}});
        LogEntry::Ended {
            stage: crate::store::DocumentStage::Finished,
            reason: None,
            outcome: Some(outcome.to_string()),
        }
    }

    #[test]
    fn sums_grow_with_documents_and_are_made_anew_when_one_ends_again() {
        let (journal, run) = journal();
        let details = RunDetails::default();
        assert!(details.of(&journal, &run).unwrap().iterations.is_empty());
        let first = end(&journal, &run, "1", &[0.5, 0.9]);
        let one = details.of(&journal, &run).unwrap();
        assert_eq!(one.iterations.len(), 2);
        end(&journal, &run, "2", &[0.7]);
        let two = details.of(&journal, &run).unwrap();
        assert_eq!(two.iterations[0].documents, 2);
        assert!((two.iterations[0].dimension("a").unwrap() - 0.6).abs() < 1e-12);
        assert_eq!(two.issues[&("major".to_owned(), "X".to_owned())], (2, 4));
        journal.write(first, vec![outcome(&[0.1])]).wait().unwrap();
        let again = details.of(&journal, &run).unwrap();
        assert_eq!((again.iterations.len(), again.iterations[0].documents), (1, 2));
        assert!((again.iterations[0].overall().unwrap() - 0.4).abs() < 1e-12);
        assert!(Arc::ptr_eq(&again, &details.of(&journal, &run).unwrap()));
        journal.write(first, vec![outcome(&[0.3])]).wait().unwrap();
        let once_more = details.of(&journal, &run).unwrap();
        assert!((once_more.iterations[0].overall().unwrap() - 0.5).abs() < 1e-12);
    }
}
