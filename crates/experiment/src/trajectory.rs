//! One line of a trajectory file (`docs/policies.md`): the scores of each candidate of one document.

use crate::diag::nearest;
use crate::mapping;
use crate::profile::LoopPolicy;
use crate::value::{Disposition, EPSILON, Score, Severity, Usage, Usd, escape, kind_in_words};
use serde_json::{Map, Value};
use std::fmt;
use std::io::{BufRead, Read};
use std::sync::Arc;

/// The candidates of one document.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// The document's id, text or a number, returned as it is.
    pub id: Value,
    /// The k-th candidate and its scores.
    pub iterations: Vec<IterationRecord>,
    /// Keys that mean nothing here but look like typos, each with its location and a guess; their values are not read.
    pub slips: Vec<String>,
}

/// Keys of a line, an iteration and an issue.
const KEYS: [&str; 2] = ["id", "iterations"];
const STEP_KEYS: [&str; 9] =
    ["scores", "issues", "elapsed_ms", "cost_usd", "tokens", "calls", "candidate", "base", "tier1"];
const ISSUE_KEYS: [&str; 5] = ["code", "severity", "disposition", "path", "auto_fixable"];
/// Names that recordings give to things of their own, however much they resemble ours.
const OTHER_KEYS: [&str; 3] = ["iteration", "message", "score"];
/// The most typos that are reported for one line.
const MOST_SLIPS: usize = 5;

/// The assessment of one candidate, and what making it took.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IterationRecord {
    /// Its scores by dimension, in the order of the line. Dimensions of the policy that are missing count as 0.
    pub scores: Vec<(String, Score)>,
    /// Its issues.
    pub issues: Vec<StepIssue>,
    /// `true` if the line does not give the issues; `issues` is empty then.
    pub issues_unknown: bool,
    /// Time that this iteration alone took, in milliseconds.
    pub elapsed_ms: f64,
    /// Money that this iteration alone cost.
    pub cost_usd: Usd,
    /// Tokens that this iteration alone used.
    pub tokens: u64,
    /// Calls that this iteration alone made; `None` counts as one.
    pub calls: Option<u64>,
    /// The number of these calls whose cost is unknown.
    pub calls_of_unknown_cost: u64,
    /// The candidate itself, for criteria that inspect it.
    pub candidate: Option<Arc<Value>>,
    /// The iteration that it was corrected from, if known. The record says nothing about a policy that would have
    /// corrected another one.
    pub base: Option<usize>,
    /// The scores before judges and validators were asked, which a gate is compared with; `None` if they are `scores`.
    pub tier1: Option<Vec<(String, Score)>>,
}

impl IterationRecord {
    /// The usage of this iteration alone.
    #[must_use]
    pub fn usage(&self) -> Usage {
        Usage {
            calls: self.calls.unwrap_or(1),
            tokens: self.tokens,
            known_cost_usd: self.cost_usd,
            calls_of_unknown_cost: self.calls_of_unknown_cost,
        }
    }
}

mapping! {
    /// An issue of a candidate.
    "step_issue" is "issue", expects "a mapping with `code` and `severity`";
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct StepIssue {
        /// The kind of issue, as a code.
        #[key(required, examples(&["GRADE_FORMAT"]))]
        pub code: String,
        /// The severity of the issue.
        #[key(required, examples(&["major"]))]
        pub severity: Severity,
        /// The disposition of the issue. Without it, the one that the profile's `dispositions` give.
        #[key(examples(&["escalate"]))]
        pub disposition: Option<Disposition>,
        /// The location of the issue, as a JSON Pointer; empty for the whole candidate.
        #[key(default("''"), examples(&["/grade"]))]
        pub path: String,
        /// `true` if the issue can be fixed automatically.
        #[key(default("false"), examples(&["true"]))]
        pub auto_fixable: bool,
    }
}

/// The reason why a line can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// It is not JSON.
    #[error("column {column}: {reason}")]
    NotJson {
        /// The column, from 1, in bytes.
        column: usize,
        /// The problem at that column.
        reason: String,
    },
    /// A value is not what it must be.
    #[error("{path}: expected {expected}, found {found}")]
    Unexpected {
        /// JSON Pointer into the line, in backticks.
        path: FieldPath,
        /// The expected value, in words.
        expected: &'static str,
        /// The value that was found; of a text, never more than one word.
        found: String,
    },
    /// It has more bytes than are read at once.
    #[error("the line has more than {0} bytes")]
    TooLong(u64),
}

/// The location of a value in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPath(String);

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("the line") } else { write!(f, "`{}`", self.0) }
    }
}

impl Trajectory {
    /// Reads one line.
    ///
    /// `id`, `iterations`, each iteration's `scores` and each issue's `code` and `severity` are required. Where the
    /// page is silent: an iteration without `issues` has none known, one without `elapsed_ms`, `cost_usd` or `tokens`
    /// took nothing (`null` counts as absent), a score that is off [0, 1] by no more than 1e-9 is moved into it, keys
    /// that mean nothing here are ignored (but see [`Trajectory::slips`]), and a line may have no iterations.
    /// # Errors
    /// [`TrajectoryError::NotJson`] or [`TrajectoryError::Unexpected`], for the first problem.
    pub fn parse(line: &[u8]) -> Result<Self, TrajectoryError> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let value: Value = serde_json::from_slice(line).map_err(|error| {
            let text = error.to_string();
            let reason = text.split_once(" at line ").map_or(text.as_str(), |(reason, _)| reason).to_owned();
            TrajectoryError::NotJson { column: error.column(), reason }
        })?;
        let mut slips = Vec::new();
        let mut whole = object(value, "")?;
        find_slips(&whole, "", &KEYS, &mut slips);
        let id = match whole.remove("id") {
            Some(id @ (Value::String(_) | Value::Number(_))) => id,
            other => return Err(unexpected("/id", "the document's id (text or a number)", other.as_ref())),
        };
        let iterations = match whole.remove("iterations") {
            Some(Value::Array(items)) => items,
            other => return Err(unexpected("/iterations", "a list of iterations", other.as_ref())),
        };
        let iterations = iterations
            .into_iter()
            .enumerate()
            .map(|(at, item)| IterationRecord::read(item, &format!("/iterations/{at}"), &mut slips))
            .collect::<Result<_, _>>()?;
        Ok(Trajectory { id, iterations, slips })
    }
}

impl IterationRecord {
    fn read(value: Value, path: &str, slips: &mut Vec<String>) -> Result<Self, TrajectoryError> {
        let mut members = object(value, path)?;
        find_slips(&members, path, &STEP_KEYS, slips);
        let mut take = |key: &str| members.remove(key).filter(|value| !value.is_null());
        let at = |key: &str| format!("{path}/{key}");
        let scores = match take("scores") {
            Some(scores) => read_scores(scores, &at("scores"))?,
            None => return Err(unexpected(&at("scores"), "an object of scores by dimension", None)),
        };
        let tier1 = take("tier1").map(|scores| read_scores(scores, &at("tier1"))).transpose()?;
        let issues = take("issues");
        let issues_unknown = issues.is_none();
        let issues = match issues {
            None => Vec::new(),
            Some(Value::Array(items)) => items
                .into_iter()
                .enumerate()
                .map(|(number, item)| StepIssue::read(item, &format!("{path}/issues/{number}"), slips))
                .collect::<Result<_, _>>()?,
            other => return Err(unexpected(&at("issues"), "a list of issues", other.as_ref())),
        };
        let elapsed_ms = match take("elapsed_ms") {
            None => 0.0,
            Some(value) => millis(&value).ok_or_else(|| {
                unexpected(&at("elapsed_ms"), "a number of milliseconds, at least 0", Some(&value))
            })?,
        };
        let cost_usd = match take("cost_usd") {
            None => Usd::default(),
            Some(value) => value.as_f64().and_then(Usd::new).ok_or_else(|| {
                unexpected(&at("cost_usd"), "a number of dollars, at least 0", Some(&value))
            })?,
        };
        let mut count = |key: &str| match take(key) {
            None => Ok(None),
            Some(value) => whole(&value)
                .map(Some)
                .ok_or_else(|| unexpected(&at(key), "a whole number, at least 0", Some(&value))),
        };
        let tokens = count("tokens")?.unwrap_or_default();
        let calls = count("calls")?;
        let base = count("base")?.map(|base| usize::try_from(base).unwrap_or(usize::MAX));
        // A candidate may be any JSON, `null` too.
        let candidate = members.remove("candidate").map(Arc::new);
        Ok(IterationRecord {
            scores,
            issues,
            issues_unknown,
            elapsed_ms,
            cost_usd,
            tokens,
            calls,
            calls_of_unknown_cost: 0,
            candidate,
            base,
            tier1,
        })
    }
}

impl StepIssue {
    /// The disposition of the issue under a policy.
    pub(super) fn disposition_under(&self, policy: &LoopPolicy) -> Disposition {
        self.disposition.unwrap_or_else(|| policy.dispositions.of(&self.code, self.auto_fixable))
    }

    fn read(value: Value, path: &str, slips: &mut Vec<String>) -> Result<Self, TrajectoryError> {
        let mut members = object(value, path)?;
        find_slips(&members, path, &ISSUE_KEYS, slips);
        let mut take = |key: &str| members.remove(key).filter(|value| !value.is_null());
        let at = |key: &str| format!("{path}/{key}");
        let code = match take("code") {
            Some(Value::String(code)) => code,
            other => return Err(unexpected(&at("code"), "text", other.as_ref())),
        };
        let severity = take("severity");
        let severity = severity.as_ref().and_then(word).ok_or_else(|| {
            unexpected(&at("severity"), "`critical`, `major` or `minor`", severity.as_ref())
        })?;
        let disposition = match take("disposition") {
            None => None,
            Some(value) => Some(word(&value).ok_or_else(|| {
                unexpected(&at("disposition"), "`correct`, `escalate` or `warn`", Some(&value))
            })?),
        };
        let path = match take("path") {
            None => String::new(),
            Some(Value::String(path)) => path,
            other => return Err(unexpected(&at("path"), "text", other.as_ref())),
        };
        let auto_fixable = match take("auto_fixable") {
            None => false,
            Some(Value::Bool(yes)) => yes,
            other => return Err(unexpected(&at("auto_fixable"), "true or false", other.as_ref())),
        };
        Ok(StepIssue { code, severity, disposition, path, auto_fixable })
    }
}

/// Notes each key that is not read but nearly is a known key that is absent.
fn find_slips(members: &Map<String, Value>, path: &str, known: &[&str], slips: &mut Vec<String>) {
    let absent = known.iter().copied().filter(|key| !members.contains_key(*key));
    let absent: Vec<&str> = absent.collect();
    for key in
        members.keys().filter(|key| !known.contains(&key.as_str()) && !OTHER_KEYS.contains(&key.as_str()))
    {
        if slips.len() < MOST_SLIPS
            && let Some(guess) = nearest(key, absent.iter().copied())
        {
            slips.push(format!("`{path}/{}` is ignored; did you mean `{guess}`?", escape(key)));
        }
    }
}

/// One of the loop's words for issues.
fn word<T: serde::de::DeserializeOwned>(value: &Value) -> Option<T> {
    value.is_string().then(|| serde_json::from_value(value.clone()).ok()).flatten()
}

fn read_scores(scores: Value, path: &str) -> Result<Vec<(String, Score)>, TrajectoryError> {
    let read = |(name, value): (String, Value)| match score(&value) {
        Some(score) => Ok((name, score)),
        None => Err(unexpected(&format!("{path}/{}", escape(&name)), "a number from 0 to 1", Some(&value))),
    };
    object(scores, path)?.into_iter().map(read).collect()
}

fn score(value: &Value) -> Option<Score> {
    let number = value.as_f64()?;
    (-EPSILON..=1.0 + EPSILON).contains(&number).then(|| Score::clamped(number))
}

/// Fractions are kept: the decision table compares the sum with `timeout`.
fn millis(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| (0.0..1e15).contains(number))
}

/// Reads a count, even one that is written `900.0`.
fn whole(value: &Value) -> Option<u64> {
    let written = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..1e15).contains(number));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was checked")]
    value.as_u64().or_else(|| written.map(|number| number as u64))
}

fn object(value: Value, path: &str) -> Result<Map<String, Value>, TrajectoryError> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(unexpected(path, "an object", Some(&other))),
    }
}

fn unexpected(path: &str, expected: &'static str, found: Option<&Value>) -> TrajectoryError {
    TrajectoryError::Unexpected { path: FieldPath(path.to_owned()), expected, found: found_instead(found) }
}

/// A description of the value that was found in place of what was expected.
pub(crate) fn found_instead(found: Option<&Value>) -> String {
    match found {
        None => "nothing".to_owned(),
        Some(Value::Bool(value)) => value.to_string(),
        Some(Value::Number(number)) => number.to_string(),
        // One word may be shown (a misspelt severity, say); more may be text of a document.
        Some(Value::String(text))
            if text.len() <= 24 && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.,".contains(c)) =>
        {
            format!("`{text}`")
        }
        Some(other) => kind_in_words(other).to_owned(),
    }
}

/// The most bytes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongestLine(pub u64);

impl Default for LongestLine {
    /// 16 MiB; read, a line takes some 35 times its length.
    fn default() -> Self {
        LongestLine(16 << 20)
    }
}

/// Reads lines one by one, each with its number (from 1), holding no more than one in memory. `take` gets each line
/// that is not blank, in order. Stops when `take` fails.
///
/// # Errors
/// Those of `take`, and of the reader, turned into `take`'s by `From`.
pub fn raw_lines<E: From<std::io::Error>>(
    mut reader: impl BufRead,
    longest: LongestLine,
    mut take: impl FnMut(u64, Result<&[u8], TrajectoryError>) -> Result<(), E>,
) -> Result<(), E> {
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        if reader.by_ref().take(longest.0 + 1).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let content = line.strip_suffix(b"\n").unwrap_or(&line);
        if content.len() as u64 > longest.0 {
            skip_line(&mut reader)?;
            take(number, Err(TrajectoryError::TooLong(longest.0)))?;
        } else if !content.trim_ascii().is_empty() {
            take(number, Ok(content))?;
        }
    }
    Ok(())
}

/// Skips the rest of the line without keeping it.
fn skip_line(reader: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let (used, ended) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), false),
        };
        reader.consume(used);
        if ended {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_that_nearly_are_ours_are_named() {
        let line = json!({"id": "d", "iteration": 3, "iterations": [
            {"scores": {}, "isues": [{"code": "X"}], "note": 1},
            {"scores": {}, "issues": [{"code": "X", "severity": "minor", "dispostion": "warn", "message": "m"}]},
        ]});
        let slips = Trajectory::parse(line.to_string().as_bytes()).unwrap().slips;
        assert_eq!(
            slips,
            [
                "`/iterations/0/isues` is ignored; did you mean `issues`?",
                "`/iterations/1/issues/0/dispostion` is ignored; did you mean `disposition`?"
            ]
        );
    }

    fn error(line: &Value) -> String {
        Trajectory::parse(line.to_string().as_bytes()).unwrap_err().to_string()
    }

    fn one(step: &Value) -> Value {
        json!({"id": "d", "iterations": [{"scores": {}}, step]})
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (line, expected) in [
            (json!([]), "the line: expected an object, found a list"),
            (
                json!({"iterations": []}),
                "`/id`: expected the document's id (text or a number), found nothing",
            ),
            (json!({"id": "d"}), "`/iterations`: expected a list of iterations, found nothing"),
            (one(&json!(3)), "`/iterations/1`: expected an object, found 3"),
            (
                one(&json!({})),
                "`/iterations/1/scores`: expected an object of scores by dimension, found nothing",
            ),
            (
                one(&json!({"scores": {"a/b": 1.1}})),
                "`/iterations/1/scores/a~1b`: expected a number from 0 to 1, found 1.1",
            ),
            (
                one(&json!({"scores": {"q": "0.5"}})),
                "`/iterations/1/scores/q`: expected a number from 0 to 1, found `0.5`",
            ),
            (
                one(&json!({"scores": {}, "issues": [{"severity": "minor"}]})),
                "`/iterations/1/issues/0/code`: expected text, found nothing",
            ),
            (
                one(&json!({"scores": {}, "issues": [{"code": "X", "severity": "grave"}]})),
                "`/iterations/1/issues/0/severity`: expected `critical`, `major` or `minor`, found `grave`",
            ),
            (
                one(
                    &json!({"scores": {}, "issues": [{"code": "X", "severity": "minor", "disposition": "Jane Doe"}]}),
                ),
                "`/iterations/1/issues/0/disposition`: expected `correct`, `escalate` or `warn`, found text",
            ),
            (
                one(&json!({"scores": {}, "elapsed_ms": -1})),
                "`/iterations/1/elapsed_ms`: expected a number of milliseconds, at least 0, found -1",
            ),
            (
                one(&json!({"scores": {}, "tokens": 1.5})),
                "`/iterations/1/tokens`: expected a whole number, at least 0, found 1.5",
            ),
            (
                one(&json!({"scores": {}, "cost_usd": "free"})),
                "`/iterations/1/cost_usd`: expected a number of dollars, at least 0, found `free`",
            ),
        ] {
            assert_eq!(error(&line), expected);
        }
        let broken = Trajectory::parse(b"{\"id\": \"d\", \"iterations\": [").unwrap_err().to_string();
        assert!(broken.starts_with("column 27: EOF"), "{broken}");
        assert!(Trajectory::parse(b"{\"id\": \"\xff\", \"iterations\": []}").is_err());
    }

    #[test]
    fn recordings_may_carry_more_and_less() {
        let line = json!({"id": 7, "model": "x", "iterations": [
            {"scores": {"q": 1.000_000_000_000_000_2}, "issues": null, "tokens": 3.0, "elapsed_ms": 1.6, "note": 1},
            {"scores": {"q": 0}, "issues": [{"code": "X", "severity": "minor", "auto_fixable": true}], "candidate": null}]});
        let read = Trajectory::parse(line.to_string().as_bytes()).unwrap();
        assert_eq!(read.id, json!(7));
        let [first, second] = &read.iterations[..] else { panic!("{read:?}") };
        assert_eq!(first.scores, [("q".to_owned(), Score::ONE)]);
        assert_eq!((first.tokens, first.elapsed_ms, &first.candidate), (3, 1.6, &None));
        assert!(second.issues[0].auto_fixable && second.issues[0].disposition.is_none());
        assert_eq!(second.candidate.as_deref(), Some(&Value::Null));
    }

    #[test]
    fn a_line_that_is_too_long_does_not_hide_the_next() {
        let short = r#"{"id": 1, "iterations": []}"#;
        let text = format!("{short}\n\n  \r\n{}\n{short}\r\n{short}", "x".repeat(200));
        let mut seen = Vec::new();
        let reader = std::io::BufReader::with_capacity(16, text.as_bytes());
        raw_lines::<std::io::Error>(reader, LongestLine(short.len() as u64 + 1), |number, read| {
            seen.push((number, read.is_ok()));
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, [(1, true), (4, false), (5, true), (6, true)]);
    }
}
