//! Calls that wait for a batch of a vendor, and those batches: what was intended, submitted, answered.
//!
//! A batch is intended before it is submitted, and its lines know it: a process that resumes after a crash looks for it
//! before anything is submitted again. In one step, an answer is kept, its line done and its document put back into the
//! queue.

use super::names;
use super::queue::WorkerId;
use super::runs::run_number;
use super::{DocumentKey, Journal, PostponedCall, RunId, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashMap;

/// A batch in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchKey(i64);

/// The progress of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineState {
    /// It is in no batch yet.
    Waiting,
    /// It is in one.
    Sent,
    /// Its answer came.
    Answered,
    /// Its call is to be made alone.
    Online,
}

/// Lines that may be in one batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingLines {
    /// The provider that is asked.
    pub provider: String,
    /// The other properties that they have in common, as JSON.
    pub group: String,
    /// The number of lines.
    pub lines: u64,
}

/// A batch that is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredBatch {
    /// Its key.
    pub key: BatchKey,
    /// The name that it was given here.
    pub own_id: String,
    /// The provider that is asked.
    pub provider: String,
    /// The other properties that its lines have in common, as JSON.
    pub group: String,
    /// The vendor's name for it; unknown before it was submitted.
    pub handle: Option<String>,
    /// The time at which it was intended, as RFC 3339.
    pub intended_at: String,
    /// The time at which it was submitted.
    pub submitted_at: Option<String>,
    /// The time at which the vendor was asked to end it.
    pub cancelled_at: Option<String>,
    /// The number of its lines that are not done.
    pub lines: u64,
}

/// The data of a batch to be made.
#[derive(Debug, Clone, Copy)]
pub struct IntendedBatch<'a> {
    /// A name that no other batch has.
    pub own_id: &'a str,
    /// Now, as RFC 3339.
    pub at: &'a str,
    /// The most lines.
    pub most_lines: u64,
    /// The most bytes, with a byte between two lines.
    pub most_bytes: u64,
}

/// The outcome of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineAnswer {
    /// The line.
    pub custom_id: String,
    /// The answer; `None` where the call is to be made alone.
    pub answer: Option<Vec<u8>>,
}

/// The savings of a run by batches.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct BatchSavings {
    /// The number of submitted batches.
    pub batches: u64,
    /// The number of calls that they answered.
    pub calls: u64,
    /// The difference to the cost of the same calls made alone, in US dollars, as far as prices are known.
    pub usd: f64,
}

/// Requeues the documents of lines that wait for nothing any more. The lines' condition is put in.
const REQUEUE: &str = "UPDATE documents SET state = 0 WHERE state = 5
     AND number IN (SELECT document FROM batch_lines WHERE $)
     AND NOT EXISTS (SELECT 1 FROM batch_lines l WHERE l.document = documents.number AND l.state IN (0, 1))";

/// Like [`REQUEUE`], for a whole run.
const REQUEUE_RUN: &str = "UPDATE documents SET state = 0 WHERE run = ?1 AND state = 5
     AND NOT EXISTS (SELECT 1 FROM batch_lines l WHERE l.document = documents.number AND l.state IN (0, 1))";

/// Lines of a run that wait, with documents that wait for them.
const WAITING: &str = "SELECT l.number FROM documents d JOIN batch_lines l ON l.document = d.number
     WHERE d.run = ?1 AND d.state = 5 AND l.state = 0";

impl Journal {
    /// The calls of a document that were postponed, and their states.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn postponed(&self, document: DocumentKey) -> Result<Vec<(String, LineState)>, StoreError> {
        self.select("SELECT call, state FROM batch_lines WHERE document = ?1", [document.0], |row| {
            let state = match row.get::<_, i64>(1)? {
                0 => LineState::Waiting,
                1 => LineState::Sent,
                2 => LineState::Answered,
                _ => LineState::Online,
            };
            Ok((row.get(0)?, state))
        })
    }

    /// The lines of a run that wait for a batch.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn waiting_lines(&self, run: &RunId) -> Result<Vec<WaitingLines>, StoreError> {
        let query = "SELECT l.provider, l.shared, count(*) FROM runs r JOIN documents d ON d.run = r.number
                     JOIN batch_lines l ON l.document = d.number
                     WHERE r.id = ?1 AND d.state = 5 AND l.state = 0 GROUP BY 1, 2 ORDER BY min(l.number)";
        self.select(query, [run.as_str()], |row| {
            let lines = super::history::unsigned(row, 2)?;
            Ok(WaitingLines { provider: row.get(0)?, group: row.get(1)?, lines })
        })
    }

    /// Returns whether a batch was made for a run before.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn has_batches(&self, run: &RunId) -> Result<bool, StoreError> {
        let query = "SELECT EXISTS (SELECT 1 FROM batches b JOIN runs r ON r.number = b.run WHERE r.id = ?1)";
        Ok(self.select(query, [run.as_str()], |row| row.get(0))?.pop().unwrap_or_default())
    }

    /// The batches of a run that are not over.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn open_batches(&self, run: &RunId) -> Result<Vec<StoredBatch>, StoreError> {
        let query = format!(
            "{BATCH} JOIN runs r ON r.number = b.run WHERE r.id = ?1 AND b.state IN (0, 1) ORDER BY b.number"
        );
        self.select(&query, [run.as_str()], read_batch)
    }

    /// The savings of a run by batches so far.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn batch_savings(&self, run: &RunId) -> Result<BatchSavings, StoreError> {
        let query = "SELECT (SELECT count(*) FROM batches b WHERE b.run = r.number AND b.state IN (1, 2)),
                            count(l.number), coalesce(sum(l.saved), 0.0)
                     FROM runs r LEFT JOIN documents d ON d.run = r.number
                     LEFT JOIN batch_lines l ON l.document = d.number AND l.state = 2
                     WHERE r.id = ?1 GROUP BY r.number";
        let read = |row: &Row<'_>| {
            let (batches, calls) = (super::history::unsigned(row, 0)?, super::history::unsigned(row, 1)?);
            Ok(BatchSavings { batches, calls, usd: row.get(2)? })
        };
        Ok(self.select(query, [run.as_str()], read)?.pop().unwrap_or_default())
    }

    /// The vendor's names for the other batches that this journal knows.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn known_handles(&self, but: BatchKey) -> Result<Vec<String>, StoreError> {
        let query = "SELECT handle FROM batches WHERE handle IS NOT NULL AND number <> ?1";
        self.select(query, [but.0], |row| row.get(0))
    }

    /// Makes a batch of lines that wait, as many as it may have; `None` when none wait. A line that no batch can hold
    /// becomes a call that is made alone.
    ///
    /// # Errors
    /// [`StoreError::TakenOver`], and any failure of the file.
    pub fn intend_batch(
        &self,
        run: &RunId,
        worker: WorkerId,
        of: &WaitingLines,
        intended: IntendedBatch<'_>,
    ) -> Result<Option<StoredBatch>, StoreError> {
        let sqlite = |error: rusqlite::Error| self.sqlite(&error);
        self.transact(|connection| {
            self.alive(connection, worker)?;
            let run = run_number(connection, run, sqlite)?;
            intend(connection, run, of, intended).map_err(sqlite)
        })
    }

    /// Shows the lines of a batch that are not done, one after the other.
    ///
    /// # Errors
    /// When the file can't be read, or what `see` says.
    pub fn each_line(
        &self,
        batch: BatchKey,
        mut see: impl FnMut(&[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let query = "SELECT number, line FROM batch_lines WHERE batch = ?1 AND state = 1 AND number > ?2
                     ORDER BY number LIMIT 64";
        let mut after = 0;
        loop {
            let page: Vec<(i64, Vec<u8>)> =
                self.select(query, [batch.0, after], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = *last;
            for (_, line) in page {
                see(&line)?;
            }
        }
    }

    /// The ids of a batch's lines, with whether each is done.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn line_ids(&self, batch: BatchKey) -> Result<HashMap<String, bool>, StoreError> {
        let query = "SELECT custom_id, state <> 1 FROM batch_lines WHERE batch = ?1";
        Ok(self.select(query, [batch.0], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
    }

    /// Records that the vendor has a batch, and its name for it.
    ///
    /// # Errors
    /// [`StoreError::TakenOver`], and any failure of the file.
    pub fn batch_submitted(
        &self,
        worker: WorkerId,
        batch: BatchKey,
        handle: &str,
        at: &str,
    ) -> Result<(), StoreError> {
        self.change_batch(worker, |connection| {
            let change = "UPDATE batches SET state = 1, handle = ?2, submitted_at = ?3 WHERE number = ?1";
            connection.execute(change, params![batch.0, handle, at]).map(drop)
        })
    }

    /// Records that the vendor was asked to end a batch.
    ///
    /// # Errors
    /// [`StoreError::TakenOver`], and any failure of the file.
    pub fn batch_cancelled(&self, worker: WorkerId, batch: BatchKey, at: &str) -> Result<(), StoreError> {
        self.change_batch(worker, |connection| {
            let change = "UPDATE batches SET cancelled_at = ?2 WHERE number = ?1";
            connection.execute(change, params![batch.0, at]).map(drop)
        })
    }

    /// Records that there is no such batch, or none with results: its lines wait for another.
    ///
    /// # Errors
    /// [`StoreError::TakenOver`], and any failure of the file.
    pub fn take_back(&self, worker: WorkerId, batch: BatchKey) -> Result<(), StoreError> {
        self.change_batch(worker, |connection| {
            let lines = "UPDATE batch_lines SET state = 0, batch = NULL WHERE batch = ?1 AND state = 1";
            connection.execute(lines, [batch.0])?;
            connection.execute("UPDATE batches SET state = 3 WHERE number = ?1", [batch.0]).map(drop)
        })
    }

    /// Keeps the outcomes of some lines of a batch. Documents that wait for nothing else are put back into the queue.
    ///
    /// # Errors
    /// [`StoreError::TakenOver`], and any failure of the file.
    pub fn keep_answers(
        &self,
        worker: WorkerId,
        batch: BatchKey,
        answers: &[LineAnswer],
    ) -> Result<(), StoreError> {
        self.change_batch(worker, |connection| {
            for one in answers {
                keep_answer(connection, batch, one)?;
            }
            Ok(())
        })
    }

    /// Ends a batch. Lines without an answer get `otherwise`, or are asked alone without it. Returns their number.
    ///
    /// # Errors
    /// [`StoreError::TakenOver`], and any failure of the file.
    pub fn end_batch(
        &self,
        worker: WorkerId,
        batch: BatchKey,
        otherwise: Option<&[u8]>,
    ) -> Result<u64, StoreError> {
        self.change_batch(worker, |connection| {
            let left: Vec<String> = connection
                .prepare_cached("SELECT custom_id FROM batch_lines WHERE batch = ?1 AND state = 1")?
                .query_map([batch.0], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            for custom_id in &left {
                let answer = otherwise.map(<[u8]>::to_vec);
                keep_answer(connection, batch, &LineAnswer { custom_id: custom_id.clone(), answer })?;
            }
            connection.execute("UPDATE batches SET state = 2 WHERE number = ?1", [batch.0])?;
            Ok(u64::try_from(left.len()).unwrap_or(u64::MAX))
        })
    }

    /// Makes the waiting lines of a run be asked alone: all, or those of one provider. Returns their number.
    ///
    /// # Errors
    /// [`StoreError::TakenOver`], [`StoreError::UnknownRun`], and any failure of the file.
    pub fn ask_alone(
        &self,
        run: &RunId,
        worker: WorkerId,
        provider: Option<&str>,
    ) -> Result<u64, StoreError> {
        let change = format!(
            "UPDATE batch_lines SET state = 3, line = x''
             WHERE number IN ({WAITING} AND (?2 IS NULL OR l.provider = ?2))"
        );
        self.change_waiting(run, worker, provider, &change)
    }

    /// Forgets the lines of a provider that this run does not have any more: their documents ask once more.
    ///
    /// # Errors
    /// [`StoreError::TakenOver`], [`StoreError::UnknownRun`], and any failure of the file.
    pub fn forget_lines(&self, run: &RunId, worker: WorkerId, provider: &str) -> Result<u64, StoreError> {
        let change = format!("DELETE FROM batch_lines WHERE number IN ({WAITING} AND l.provider = ?2)");
        self.change_waiting(run, worker, Some(provider), &change)
    }

    fn change_waiting(
        &self,
        run: &RunId,
        worker: WorkerId,
        provider: Option<&str>,
        change: &str,
    ) -> Result<u64, StoreError> {
        let sqlite = |error: rusqlite::Error| self.sqlite(&error);
        self.transact(|connection| {
            self.alive(connection, worker)?;
            let run = run_number(connection, run, sqlite)?;
            let changed = connection.execute(change, params![run, provider]).map_err(sqlite)?;
            connection.execute(REQUEUE_RUN, [run]).map_err(sqlite)?;
            Ok(u64::try_from(changed).unwrap_or(u64::MAX))
        })
    }

    fn change_batch<T>(
        &self,
        worker: WorkerId,
        change: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.transact(|connection| {
            self.alive(connection, worker)?;
            change(connection).map_err(|error| self.sqlite(&error))
        })
    }

    /// A worker that was taken for dead manages no batch any more: another does.
    fn alive(&self, connection: &Connection, worker: WorkerId) -> Result<(), StoreError> {
        let query = "SELECT 1 FROM workers WHERE number = ?1 AND state = 0";
        let alive: Option<i64> = connection
            .prepare_cached(query)
            .and_then(|mut statement| statement.query_one([worker.0], |row| row.get(0)).optional())
            .map_err(|error| self.sqlite(&error))?;
        alive.map(drop).ok_or(StoreError::TakenOver)
    }
}

const BATCH: &str =
    "SELECT b.number, b.own_id, b.provider, b.shared, b.handle, b.intended_at, b.submitted_at,
            b.cancelled_at, (SELECT count(*) FROM batch_lines l WHERE l.batch = b.number AND l.state = 1)
     FROM batches b";

fn read_batch(row: &Row<'_>) -> rusqlite::Result<StoredBatch> {
    Ok(StoredBatch {
        key: BatchKey(row.get(0)?),
        own_id: row.get(1)?,
        provider: row.get(2)?,
        group: row.get(3)?,
        handle: row.get(4)?,
        intended_at: row.get(5)?,
        submitted_at: row.get(6)?,
        cancelled_at: row.get(7)?,
        lines: super::history::unsigned(row, 8)?,
    })
}

fn intend(
    connection: &Connection,
    run: i64,
    of: &WaitingLines,
    intended: IntendedBatch<'_>,
) -> rusqlite::Result<Option<StoredBatch>> {
    let of_group = format!("{WAITING} AND l.provider = ?2 AND l.shared = ?3");
    let whole = i64::try_from(intended.most_bytes).unwrap_or(i64::MAX);
    connection.execute(
        &format!(
            "UPDATE batch_lines SET state = 3, line = x'' WHERE number IN ({of_group} AND length(l.line) > ?4)"
        ),
        params![run, of.provider, of.group, whole],
    )?;
    connection.execute(REQUEUE_RUN, [run])?;
    let query = of_group.replacen("SELECT l.number", "SELECT l.number, length(l.line)", 1);
    let (mut numbers, mut bytes) = (Vec::new(), 0_u64);
    {
        let mut statement = connection.prepare_cached(&format!("{query} ORDER BY l.number"))?;
        let mut rows = statement.query(params![run, of.provider, of.group])?;
        while let Some(row) = rows.next()? {
            let with = bytes.saturating_add(super::history::unsigned(row, 1)?).saturating_add(1);
            let count = u64::try_from(numbers.len()).unwrap_or(u64::MAX);
            if count >= intended.most_lines || (with > intended.most_bytes && count > 0) {
                break;
            }
            bytes = with;
            numbers.push(row.get::<_, i64>(0)?);
        }
    }
    if numbers.is_empty() {
        return Ok(None);
    }
    let batch: i64 = connection.query_one(
        "INSERT INTO batches (run, own_id, provider, shared, intended_at) VALUES (?1, ?2, ?3, ?4, ?5)
         RETURNING number",
        params![run, intended.own_id, of.provider, of.group, intended.at],
        |row| row.get(0),
    )?;
    for number in numbers {
        connection
            .prepare_cached("UPDATE batch_lines SET state = 1, batch = ?2 WHERE number = ?1")?
            .execute([number, batch])?;
    }
    connection.query_one(&format!("{BATCH} WHERE b.number = ?1"), [batch], read_batch).map(Some)
}

fn keep_answer(connection: &Connection, batch: BatchKey, one: &LineAnswer) -> rusqlite::Result<()> {
    const OPEN: &str = "custom_id = ?1 AND batch = ?2 AND state = 1";
    if let Some(answer) = &one.answer {
        connection
            .prepare_cached(&format!(
                "INSERT OR REPLACE INTO answers (document, call, question, answer)
                 SELECT document, call, question, ?3 FROM batch_lines WHERE {OPEN}"
            ))?
            .execute(params![one.custom_id, batch.0, answer])?;
    }
    let state = if one.answer.is_some() { 2 } else { 3 };
    let changed = connection
        .prepare_cached(&format!("UPDATE batch_lines SET state = ?3, line = x'' WHERE {OPEN}"))?
        .execute(params![one.custom_id, batch.0, state])?;
    if changed > 0 {
        connection.prepare_cached(&REQUEUE.replacen('$', "custom_id = ?1", 1))?.execute([&one.custom_id])?;
    }
    Ok(())
}

/// Makes a call wait for a batch. One that waits already is replaced by this one; one that is in a batch is left there;
/// and one that was answered waits once more only if its answer is to another question, or was of no use.
pub(super) fn postpone(
    connection: &Connection,
    document: DocumentKey,
    call: &PostponedCall,
) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(
            "INSERT INTO batch_lines (document, call, custom_id, provider, shared, question, line)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (document, call) DO UPDATE SET provider = ?4, shared = ?5, question = ?6, line = ?7,
                                                        state = 0, batch = NULL, saved = 0
             WHERE state <> 1 AND NOT EXISTS
                   (SELECT 1 FROM answers a WHERE a.document = ?1 AND a.call = ?2 AND a.question = ?6)",
        )?
        .execute(params![
            document.0,
            call.call,
            call.custom_id,
            call.provider,
            call.group,
            call.question,
            call.line
        ])
}

/// Makes a document wait for the answers to these calls; if they have come meanwhile, for a worker to resume it.
pub(super) fn park(
    connection: &Connection,
    document: DocumentKey,
    calls: &[String],
) -> rusqlite::Result<usize> {
    let calls = serde_json::to_string(calls).unwrap_or_default();
    connection
        .prepare_cached(
            "DELETE FROM batch_lines WHERE document = ?1 AND state = 0
             AND call NOT IN (SELECT value FROM json_each(?2))",
        )?
        .execute(params![document.0, calls])?;
    connection
        .prepare_cached(
            "UPDATE documents SET worker = NULL, reason = NULL, crashes = 0, state = CASE WHEN EXISTS
             (SELECT 1 FROM batch_lines WHERE document = ?1 AND state IN (0, 1)) THEN 5 ELSE 0 END
             WHERE number = ?1",
        )?
        .execute([document.0])
}

pub(super) fn saved(
    connection: &Connection,
    document: DocumentKey,
    call: &str,
    usd: f64,
) -> rusqlite::Result<usize> {
    connection
        .prepare_cached("UPDATE batch_lines SET saved = ?3 WHERE document = ?1 AND call = ?2")?
        .execute(params![document.0, call, usd])
}

/// The name of a line of a document of a run: the same for ever, and no other document's.
#[must_use]
pub fn custom_id(run_began: &str, run: &RunId, document: DocumentKey, call: &str) -> String {
    let name = format!("{run_began}\n{run}\n{}\n{call}", document.0);
    format!("loopctl-{}", String::from_utf8_lossy(&names::digest_of(&name)))
}

#[cfg(test)]
#[path = "waves_tests.rs"]
mod tests;
