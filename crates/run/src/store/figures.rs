//! Figures of results for pages and trends, read from the small copies that the journal keeps beside whole results.

use super::event_log::DocumentStage;
use super::history::unsigned;
use super::runs::run_number;
use super::{DocumentKey, Journal, RunId, StoreError, StoredRun};
use crate::value::DocumentId;
use rusqlite::{Row, params};
use std::fmt::Write as _;

/// A document with a summary of its result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DocumentFigures {
    /// Its key in the journal.
    pub key: DocumentKey,
    /// Its id.
    pub id: DocumentId,
    /// Its type.
    pub document_type: String,
    /// Its stage.
    pub stage: DocumentStage,
    /// The reason why it has no result of its own.
    pub reason: Option<String>,
    /// The time at which it ended, in milliseconds since 1970.
    pub ended_ms: Option<i64>,
    /// Its final status.
    pub final_status: Option<String>,
    /// The reason why it stopped.
    pub stop_reason: Option<String>,
    /// `true` if it needs review.
    pub review: bool,
    /// The overall score of the returned candidate.
    pub overall: Option<f64>,
    /// The number of assessed candidates.
    pub iteration_count: Option<u64>,
    /// The time that it took, in milliseconds.
    pub elapsed_ms: Option<u64>,
    /// The known part of its cost.
    pub cost_usd: Option<f64>,
    /// The number of its calls whose cost is not known.
    pub calls_of_unknown_cost: u64,
}

/// A filter for the documents of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFilter {
    /// All of them.
    All,
    /// Those that need no further work.
    Passed,
    /// Those that ended without passing.
    NotPassed,
    /// Those that need review.
    Review,
    /// Those that failed, with a result or without, or were left.
    Failed,
    /// Those that wait or are in progress.
    Open,
}

impl DocumentFilter {
    /// Every one.
    pub const ALL: [DocumentFilter; 6] = [
        DocumentFilter::All,
        DocumentFilter::Passed,
        DocumentFilter::NotPassed,
        DocumentFilter::Review,
        DocumentFilter::Failed,
        DocumentFilter::Open,
    ];

    /// Its condition on a document `d` with its figures `f`.
    fn condition(self) -> &'static str {
        match self {
            DocumentFilter::All => "1",
            DocumentFilter::Passed => "d.state IN (2, 3) AND f.final_status IN ('passed', 'skipped')",
            DocumentFilter::NotPassed => {
                "d.state IN (2, 3) AND f.final_status IN ('max_iterations_reached', 'stopped_early', 'incomplete')"
            }
            DocumentFilter::Review => "d.state IN (2, 3) AND f.review = 1",
            DocumentFilter::Failed => {
                "d.state IN (3, 4) AND (f.document IS NULL OR f.final_status = 'failed') OR d.state = 2 AND f.final_status = 'failed'"
            }
            DocumentFilter::Open => "d.state IN (0, 1, 5)",
        }
    }
}

/// The sums of the results of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct RunFigures {
    /// Documents with a result.
    pub results: u64,
    /// Those that passed, or had nothing to do.
    pub passed: u64,
    /// Those that ended without passing.
    pub not_passed: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that were stopped by a user.
    pub stopped: u64,
    /// Those that need review.
    pub review: u64,
    /// Those of them that passed.
    pub review_passed: u64,
    /// Calls that were made.
    pub calls: u64,
    /// Tokens, as far as providers report them.
    pub tokens: u64,
    /// The known part of the cost.
    pub cost_usd: f64,
    /// The number of calls whose cost is not known.
    pub calls_of_unknown_cost: u64,
    /// The time that they took together, in milliseconds.
    pub elapsed_ms: u64,
    /// The longest of them.
    pub longest_ms: u64,
}

/// A mark that shows whether the figures of a run have changed: how many there are, and the latest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FiguresMark {
    /// The number of documents that have some.
    pub count: u64,
    /// The number of the latest.
    pub latest: u64,
}

/// The iterations and issues of a document, as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentDetail {
    /// The number of its figures: they grow in the order in which documents end.
    pub number: u64,
    /// `[{"overall": 0.9, "scores": {"accuracy": 1.0}}]`.
    pub iterations: String,
    /// `[["major", "MISSING_FIELD", 2]]`.
    pub issues: String,
}

/// Sums over documents that ended in one stretch of time, or in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureSums {
    /// The stretch by its number since 1970, or the run by its number.
    pub bucket: i64,
    /// The run, where sums are by run.
    pub run: Option<RunId>,
    /// The sums.
    pub totals: FigureTotals,
}

/// Sums over documents that have a result. Sums of parts add up to those of the whole.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FigureTotals {
    /// Documents that ended of themselves and had something to do.
    pub counted: u64,
    /// Those of them that passed.
    pub met: u64,
    /// The time taken by those that ended of themselves, in milliseconds.
    pub elapsed_ms: u64,
    /// Documents with a candidate.
    pub with_candidates: u64,
    /// Candidates of all of them.
    pub iterations: u64,
    /// Documents whose returned candidate has a score.
    pub scored: u64,
    /// The sum of these scores.
    pub score: f64,
    /// Candidates after the first ones.
    pub corrections: u64,
    /// The sum of the changes of the overall score by all of these: of a document, its last score less its first.
    pub improvement: f64,
}

impl FigureTotals {
    /// Adds those of other documents.
    pub fn absorb(&mut self, other: &FigureTotals) {
        self.counted += other.counted;
        self.met += other.met;
        self.elapsed_ms += other.elapsed_ms;
        self.with_candidates += other.with_candidates;
        self.iterations += other.iterations;
        self.scored += other.scored;
        self.score += other.score;
        self.corrections += other.corrections;
        self.improvement += other.improvement;
    }
}

/// The grouping of sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SumsBy {
    /// By stretches of so many milliseconds. Documents whose end is not known count when their run began.
    Time(u32),
    /// By run.
    Run,
}

/// The time at which a document ended, or else its run began.
const ENDED: &str =
    "coalesce(f.ended_ms, CAST((julianday(r.started_at) - 2440587.5) * 86400000 AS INTEGER), 0)";

const DOCUMENT: &str =
    "SELECT d.number, d.id, d.document_type, d.state, d.reason, f.ended_ms, f.final_status, f.stop_reason,
        f.review, f.overall, f.iteration_count, f.elapsed_ms, f.cost_usd, f.calls_of_unknown_cost
     FROM documents d LEFT JOIN figures f ON f.document = d.number";

impl Journal {
    /// Runs, the latest first, of which the first `skip` are left out.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn latest_runs(&self, skip: u64, most: u32) -> Result<Vec<StoredRun>, StoreError> {
        let skip = i64::try_from(skip).unwrap_or(i64::MAX);
        let filter = "WHERE r.number IN (SELECT number FROM runs ORDER BY number DESC LIMIT ?2 OFFSET ?1)";
        let mut runs = self.select_runs(filter, params![skip, most])?;
        runs.reverse();
        Ok(runs)
    }

    /// The number of runs.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn count_runs(&self) -> Result<u64, StoreError> {
        let count = self.select("SELECT count(*) FROM runs", [], |row| unsigned(row, 0))?.pop();
        Ok(count.unwrap_or_default())
    }

    /// The sums of the results of a run. Results of documents that wait again do not count yet.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn run_figures(&self, run: &RunId) -> Result<RunFigures, StoreError> {
        let passed = "f.final_status IN ('passed', 'skipped')";
        let query = format!(
            "SELECT count(*), coalesce(sum({passed}), 0),
                coalesce(sum(f.final_status IN ('max_iterations_reached', 'stopped_early', 'incomplete')), 0),
                coalesce(sum(f.final_status = 'failed'), 0), coalesce(sum(f.final_status = 'cancelled'), 0),
                coalesce(sum(f.review), 0), coalesce(sum(f.review = 1 AND {passed}), 0),
                coalesce(sum(f.calls), 0), coalesce(sum(f.tokens), 0), coalesce(total(f.cost_usd), 0.0),
                coalesce(sum(f.calls_of_unknown_cost), 0), coalesce(sum(f.elapsed_ms), 0), coalesce(max(f.elapsed_ms), 0)
             FROM runs r JOIN documents d ON d.run = r.number AND d.state IN (2, 3, 4) JOIN figures f ON f.document = d.number
             WHERE r.id = ?1"
        );
        let figures = self.select(&query, params![run.as_str()], |row| {
            Ok(RunFigures {
                results: unsigned(row, 0)?,
                passed: unsigned(row, 1)?,
                not_passed: unsigned(row, 2)?,
                failed: unsigned(row, 3)?,
                stopped: unsigned(row, 4)?,
                review: unsigned(row, 5)?,
                review_passed: unsigned(row, 6)?,
                calls: unsigned(row, 7)?,
                tokens: unsigned(row, 8)?,
                cost_usd: row.get(9)?,
                calls_of_unknown_cost: unsigned(row, 10)?,
                elapsed_ms: unsigned(row, 11)?,
                longest_ms: unsigned(row, 12)?,
            })
        })?;
        Ok(figures.into_iter().next().unwrap_or_default())
    }

    /// Documents of a run in the order in which they began, of which the first `skip` are left out; and how many there are.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], and when the file can't be read.
    pub fn documents_of(
        &self,
        run: &RunId,
        filter: DocumentFilter,
        skip: u64,
        most: u32,
    ) -> Result<(Vec<DocumentFigures>, u64), StoreError> {
        let number = run_number(&self.connection(), run, |error| self.sqlite(&error))?;
        let condition = filter.condition();
        let skip = i64::try_from(skip).unwrap_or(i64::MAX);
        let query = format!(
            "{DOCUMENT} WHERE d.run = ?1 AND d.state <> 6 AND ({condition}) ORDER BY d.number LIMIT ?3 OFFSET ?2"
        );
        let documents = self.select(&query, params![number, skip, most], read_document)?;
        let query = format!(
            "SELECT count(*) FROM documents d LEFT JOIN figures f ON f.document = d.number
             WHERE d.run = ?1 AND d.state <> 6 AND ({condition})"
        );
        let count = self.select(&query, params![number], |row| unsigned(row, 0))?.pop();
        Ok((documents, count.unwrap_or_default()))
    }

    /// One document of a run.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn document_figures(
        &self,
        run: &RunId,
        document: &DocumentId,
    ) -> Result<Option<DocumentFigures>, StoreError> {
        let query = format!(
            "{DOCUMENT} JOIN runs r ON r.number = d.run WHERE r.id = ?1 AND d.id = ?2 AND d.state <> 6"
        );
        Ok(self.select(&query, params![run.as_str(), document.as_str()], read_document)?.pop())
    }

    /// The latest decisions of a run, the latest first: the document, and the decision as JSON.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn latest_decisions(&self, run: &RunId, most: u32) -> Result<Vec<(DocumentId, String)>, StoreError> {
        // From the end of the table: a run that is viewed while it is in progress has its decisions there.
        let query = "SELECT d.id, e.payload FROM (
                         SELECT number, document, payload FROM events
                         WHERE number > (SELECT coalesce(max(number), 0) FROM events) - 20000 AND kind = 'decided'
                         ORDER BY number DESC) e
                     JOIN documents d ON d.number = e.document JOIN runs r ON r.number = d.run
                     WHERE r.id = ?1 ORDER BY e.number DESC LIMIT ?2";
        self.select(query, params![run.as_str(), most], |row| {
            Ok((DocumentId::new(row.get::<_, String>(0)?), row.get(1)?))
        })
    }

    /// One decision of a run, as JSON: the criteria are the same in all of them.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn some_decision(&self, run: &RunId) -> Result<Option<String>, StoreError> {
        let query = "SELECT e.payload FROM runs r JOIN documents d ON d.run = r.number JOIN events e ON e.document = d.number
                     WHERE r.id = ?1 AND e.kind = 'decided' LIMIT 1";
        Ok(self.select(query, params![run.as_str()], |row| row.get(0))?.pop())
    }

    /// A mark that shows whether figures of a run have changed.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn figures_mark(&self, run: &RunId) -> Result<FiguresMark, StoreError> {
        let query = "SELECT count(*), coalesce(max(f.number), 0)
                     FROM runs r JOIN documents d ON d.run = r.number JOIN figures f ON f.document = d.number
                     WHERE r.id = ?1";
        let marks = self.select(query, params![run.as_str()], |row| {
            Ok(FiguresMark { count: unsigned(row, 0)?, latest: unsigned(row, 1)? })
        })?;
        Ok(marks.into_iter().next().unwrap_or_default())
    }

    /// Iterations and issues of the documents of a run whose figures came after a number.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn details_after(&self, run: &RunId, after: u64) -> Result<Vec<DocumentDetail>, StoreError> {
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let query = "SELECT f.number, coalesce(f.iterations, '[]'), coalesce(f.issues, '[]')
                     FROM runs r JOIN documents d ON d.run = r.number JOIN figures f ON f.document = d.number
                     WHERE r.id = ?1 AND f.number > ?2";
        self.select(query, params![run.as_str(), after], |row| {
            Ok(DocumentDetail { number: unsigned(row, 0)?, iterations: row.get(1)?, issues: row.get(2)? })
        })
    }

    /// Sums over the documents that ended from a time on (in milliseconds since 1970), the oldest first; of one profile, if it is
    /// named.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn figure_sums(
        &self,
        by: SumsBy,
        profile: Option<&str>,
        from_ms: i64,
    ) -> Result<Vec<FigureSums>, StoreError> {
        let (bucket, run) = match by {
            SumsBy::Time(ms) => (format!("{ENDED} / {}", ms.max(1)), "NULL"),
            SumsBy::Run => ("r.number".to_owned(), "r.id"),
        };
        let mut query = format!("SELECT {bucket} AS bucket, {run}");
        for sum in [
            "count(*)",
            "sum(f.final_status = 'passed')",
            "sum(f.elapsed_ms)",
            "sum(f.iteration_count > 0)",
            "sum(f.iteration_count)",
            "sum(f.overall IS NOT NULL)",
        ] {
            let _ = write!(query, ", coalesce({sum}, 0)");
        }
        let _ = write!(
            query,
            ", total(f.overall), coalesce(sum(CASE WHEN f.iteration_count > 1 THEN f.iteration_count - 1 END), 0),
                total(CASE WHEN f.iteration_count > 1 THEN f.improvement END)
             FROM figures f JOIN documents d ON d.number = f.document AND d.state IN (2, 3, 4) JOIN runs r ON r.number = d.run
             WHERE {ENDED} >= ?1 AND (?2 IS NULL OR r.profile = ?2) AND coalesce(f.final_status, '') NOT IN ('cancelled', 'skipped')
             GROUP BY 1 ORDER BY 1"
        );
        self.select(&query, params![from_ms, profile], |row| {
            Ok(FigureSums {
                bucket: row.get(0)?,
                run: row.get::<_, Option<String>>(1)?.map(RunId::new),
                totals: FigureTotals {
                    counted: unsigned(row, 2)?,
                    met: unsigned(row, 3)?,
                    elapsed_ms: unsigned(row, 4)?,
                    with_candidates: unsigned(row, 5)?,
                    iterations: unsigned(row, 6)?,
                    scored: unsigned(row, 7)?,
                    score: row.get(8)?,
                    corrections: unsigned(row, 9)?,
                    improvement: row.get(10)?,
                },
            })
        })
    }

    /// The profiles of all runs, sorted.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn profiles_of_runs(&self) -> Result<Vec<String>, StoreError> {
        self.select("SELECT DISTINCT profile FROM runs ORDER BY 1", [], |row| row.get(0))
    }
}

fn read_document(row: &Row<'_>) -> rusqlite::Result<DocumentFigures> {
    let maybe =
        |column: usize| row.get::<_, Option<i64>>(column).map(|it| it.and_then(|it| u64::try_from(it).ok()));
    Ok(DocumentFigures {
        key: DocumentKey(row.get(0)?),
        id: DocumentId::new(row.get::<_, String>(1)?),
        document_type: row.get(2)?,
        stage: DocumentStage::of(row.get(3)?).unwrap_or(DocumentStage::Failed),
        reason: row.get(4)?,
        ended_ms: row.get(5)?,
        final_status: row.get(6)?,
        stop_reason: row.get(7)?,
        review: maybe(8)?.is_some_and(|review| review > 0),
        overall: row.get(9)?,
        iteration_count: maybe(10)?,
        elapsed_ms: maybe(11)?,
        cost_usd: row.get(12)?,
        calls_of_unknown_cost: maybe(13)?.unwrap_or_default(),
    })
}

#[cfg(test)]
#[path = "figures_tests.rs"]
mod tests;
