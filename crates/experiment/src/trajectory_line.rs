//! A trajectory as the line that it is read from.

use super::trajectory::{IterationRecord, StepIssue, Trajectory};
use serde_json::{Map, Value, json};

impl Trajectory {
    /// The line of a file, as [`Trajectory::parse`] reads it, without defaults. `calls`, `base` and `tier1` are not
    /// written.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let iterations: Vec<Value> = self.iterations.iter().map(iteration).collect();
        json!({ "id": self.id, "iterations": iterations })
    }
}

fn iteration(record: &IterationRecord) -> Value {
    let scores: Map<String, Value> =
        record.scores.iter().map(|(name, score)| (name.clone(), json!(score.get()))).collect();
    let mut members = Map::new();
    members.insert("scores".to_owned(), Value::Object(scores));
    if !record.issues_unknown {
        members.insert("issues".to_owned(), record.issues.iter().map(issue).collect());
    }
    if record.elapsed_ms > 0.0 {
        members.insert("elapsed_ms".to_owned(), number(record.elapsed_ms));
    }
    if record.cost_usd.get() > 0.0 {
        members.insert("cost_usd".to_owned(), json!(record.cost_usd));
    }
    if record.tokens > 0 {
        members.insert("tokens".to_owned(), record.tokens.into());
    }
    if let Some(candidate) = &record.candidate {
        members.insert("candidate".to_owned(), candidate.as_ref().clone());
    }
    Value::Object(members)
}

fn issue(issue: &StepIssue) -> Value {
    let mut members = Map::new();
    members.insert("code".to_owned(), issue.code.as_str().into());
    members.insert("severity".to_owned(), json!(issue.severity));
    if let Some(disposition) = issue.disposition {
        members.insert("disposition".to_owned(), json!(disposition));
    }
    if !issue.path.is_empty() {
        members.insert("path".to_owned(), issue.path.as_str().into());
    }
    if issue.auto_fixable {
        members.insert("auto_fixable".to_owned(), true.into());
    }
    Value::Object(members)
}

/// A whole number without a decimal point.
fn number(value: f64) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, positive and far below 2^53"
    )]
    if value.fract() == 0.0 && value < 1e15 { Value::from(value as u64) } else { json!(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let line = json!({"id": "d", "iterations": [
            {"scores": {"q": 0.5}, "issues": [{"code": "X", "severity": "minor", "disposition": "warn", "path": "/a", "auto_fixable": true}],
             "elapsed_ms": 30001, "cost_usd": 0.02, "tokens": 7, "candidate": {"value": 0}},
            {"scores": {}},
        ]});
        let read = Trajectory::parse(line.to_string().as_bytes()).unwrap();
        assert_eq!(read.to_json(), line);
    }
}
