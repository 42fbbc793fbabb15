//! Reads one line of a trajectory file into columns.
//!
//! Lines written as programs write them are read without a tree, several times as fast. Any other line (an escaped
//! name, an unknown key, a mistake) is read by [`Trajectory::parse`], which reports what is wrong.

use super::cursor::Cursor;
use super::{Columns, Measured, RecordedIssue};
use crate::trajectory::{Trajectory, TrajectoryError};
use crate::value::{Disposition, EPSILON, Score, Severity, Usage, Usd};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::sync::Arc;

impl Columns {
    /// Adds the document of a line. Returns the ignored keys that look like typos ([`Trajectory::slips`]).
    ///
    /// # Errors
    /// As for [`Trajectory::parse`]; nothing is added then.
    pub fn read_line(&mut self, line: &[u8]) -> Result<Vec<String>, TrajectoryError> {
        let mark = self.mark();
        if self.read_quickly(&mut Cursor::new(line)).is_some() {
            return Ok(Vec::new());
        }
        self.truncate(&mark);
        let trajectory = Trajectory::parse(line)?;
        self.push(&trajectory);
        Ok(trajectory.slips)
    }

    fn read_quickly(&mut self, line: &mut Cursor<'_>) -> Option<()> {
        let mut id = None;
        let mut iterations = None;
        members(line, |line, key| match key {
            b"id" if id.is_none() => {
                id = Some(read_id(line)?);
                Some(())
            }
            b"iterations" if iterations.is_none() => {
                iterations = Some(());
                elements(line, |line| self.read_row(line))
            }
            _ => None,
        })?;
        let (id, ()) = (id?, iterations?);
        if !line.is_at_end() {
            return None;
        }
        self.ids.push(id);
        self.ends.push(self.rows());
        Some(())
    }

    fn read_row(&mut self, line: &mut Cursor<'_>) -> Option<()> {
        let mut seen = Seen::default();
        let mut row = Measured {
            issues_unknown: true,
            elapsed_ms: 0.0,
            usage: Usage::of_call(0, Some(Usd::default())),
            candidate: None,
            base: None,
        };
        members(line, |line, key| match key {
            b"scores" => {
                seen.first(0)?;
                self.read_scores(line)
            }
            b"issues" => {
                seen.first(1)?;
                row.issues_unknown = false;
                elements(line, |line| self.read_issue(line))
            }
            b"elapsed_ms" => {
                seen.first(2)?;
                row.elapsed_ms = Some(line.number()?.value).filter(|millis| *millis < 1e15)?;
                Some(())
            }
            b"cost_usd" => {
                seen.first(3)?;
                row.usage.known_cost_usd = Usd::new(line.number()?.value)?;
                Some(())
            }
            b"tokens" => {
                seen.first(4)?;
                row.usage.tokens = line.number()?.whole?;
                Some(())
            }
            b"candidate" => {
                seen.first(5)?;
                row.candidate = read_candidate(line, self.candidates.is_some())?;
                Some(())
            }
            b"iteration" => {
                seen.first(6)?;
                line.number().map(|_| ())
            }
            _ => None,
        })?;
        seen.has(0)?;
        self.end_row(row);
        Some(())
    }

    fn read_scores(&mut self, line: &mut Cursor<'_>) -> Option<()> {
        let first = self.scores.len();
        members(line, |line, key| {
            let name = std::str::from_utf8(key).ok()?;
            let value = line.number()?.value;
            let dimension = self.dimensions.number_of(name, self.scores.len());
            let twice = self.scores.get(first..)?.iter().any(|(known, _)| *known == dimension);
            if twice || value > 1.0 + EPSILON {
                return None;
            }
            self.scores.push((dimension, Score::clamped(value)));
            Some(())
        })
    }

    fn read_issue(&mut self, line: &mut Cursor<'_>) -> Option<()> {
        let mut seen = Seen::default();
        let (mut code, mut severity, mut disposition, mut auto_fixable) = (None, None, None, false);
        members(line, |line, key| match key {
            b"code" => {
                seen.first(0)?;
                code = Some(line.text()?);
                Some(())
            }
            b"severity" => {
                seen.first(1)?;
                let word = line.text_bytes()?;
                severity = Severity::ALL.into_iter().find(|known| known.as_str().as_bytes() == word);
                severity.map(|_| ())
            }
            b"disposition" => {
                seen.first(2)?;
                let word = line.text_bytes()?;
                let all = [Disposition::Correct, Disposition::Escalate, Disposition::Warn];
                disposition = all.into_iter().find(|known| known.as_str().as_bytes() == word);
                disposition.map(|_| ())
            }
            b"auto_fixable" => {
                seen.first(3)?;
                auto_fixable = line.word(b"true").is_some();
                if auto_fixable { Some(()) } else { line.word(b"false") }
            }
            b"path" => {
                seen.first(4)?;
                line.text().map(|_| ())
            }
            b"message" => {
                seen.first(5)?;
                line.text().map(|_| ())
            }
            _ => None,
        })?;
        let code = self.codes.number_of(code?, self.issues.len());
        self.issues.push(RecordedIssue { code, severity: severity?, disposition, auto_fixable });
        Some(())
    }
}

/// The keys that a mapping had. Of a key that appears twice the last counts, which the general reader handles.
#[derive(Default)]
struct Seen(u8);

impl Seen {
    fn first(&mut self, key: u8) -> Option<()> {
        let is_first = self.0 & (1 << key) == 0;
        self.0 |= 1 << key;
        is_first.then_some(())
    }

    fn has(&self, key: u8) -> Option<()> {
        (self.0 & (1 << key) != 0).then_some(())
    }
}

fn read_id(line: &mut Cursor<'_>) -> Option<Value> {
    match line.peek()? {
        b'"' => line.text().map(Value::from),
        b'0'..=b'9' => line.number()?.whole.map(Value::from),
        _ => None,
    }
}

fn read_candidate(line: &mut Cursor<'_>, keep: bool) -> Option<Option<Arc<Value>>> {
    let (candidate, length) = if keep {
        let mut values = serde_json::Deserializer::from_slice(line.rest()).into_iter::<Value>();
        (Some(Arc::new(values.next()?.ok()?)), values.byte_offset())
    } else {
        let mut values = serde_json::Deserializer::from_slice(line.rest()).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        (None, values.byte_offset())
    };
    line.skip(length);
    Some(candidate)
}

/// Reads a mapping: `each` takes the value after a key.
fn members<'t>(
    line: &mut Cursor<'t>,
    mut each: impl FnMut(&mut Cursor<'t>, &'t [u8]) -> Option<()>,
) -> Option<()> {
    line.take(b'{')?;
    if line.take(b'}').is_some() {
        return Some(());
    }
    loop {
        let key = line.key()?;
        each(line, key)?;
        if line.take(b',').is_none() {
            return line.take(b'}');
        }
    }
}

/// Reads a list: `each` takes an element.
fn elements<'t>(line: &mut Cursor<'t>, mut each: impl FnMut(&mut Cursor<'t>) -> Option<()>) -> Option<()> {
    line.take(b'[')?;
    if line.take(b']').is_some() {
        return Some(());
    }
    loop {
        each(line)?;
        if line.take(b',').is_none() {
            return line.take(b']');
        }
    }
}
