//! What a failed attempt did wrong, in words.

use crate::score::Assessment;
use crate::value::{Score, Segment, below, push_segment};
use serde_json::Value;

/// Most paths named in one hint.
const MOST_PATHS: usize = 8;

/// Names what `attempt` changed against the candidate that it started from, what got worse and by how much.
#[must_use]
pub fn hint(base: (&Value, &Assessment), attempt: (&Value, &Assessment), iteration: usize) -> String {
    let mut changed = Vec::new();
    differences(base.0, attempt.0, &mut String::new(), &mut changed);
    let more = changed.len().saturating_sub(MOST_PATHS);
    let mut paths: Vec<String> = changed.into_iter().take(MOST_PATHS).collect();
    if more > 0 {
        paths.push(format!("{more} more"));
    }
    let changes =
        if paths.is_empty() { "changed nothing".to_owned() } else { format!("changed {}", paths.join(", ")) };

    let worse: Vec<String> = base
        .1
        .scores
        .iter()
        .filter_map(|(name, before)| {
            let after = attempt.1.scores.get(name).unwrap_or(Score::ZERO);
            below(after.get(), before.get()).then(|| format!("{name} fell from {before} to {after}"))
        })
        .collect();
    let effect = if worse.is_empty() {
        format!("overall went from {:.3} to {:.3}", base.1.overall, attempt.1.overall)
    } else {
        worse.join(", ")
    };
    format!("attempt {iteration} {changes}: {effect}")
}

/// Paths whose values differ, in the order of the base, then what is only in the attempt.
fn differences(base: &Value, attempt: &Value, at: &mut String, out: &mut Vec<String>) {
    match (base, attempt) {
        (Value::Object(before), Value::Object(after)) => {
            for (key, value) in before {
                step(Segment::Key(key), value, after.get(key), at, out);
            }
            for (key, value) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
                step(Segment::Key(key), &Value::Null, Some(value), at, out);
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (index, value) in before.iter().enumerate() {
                step(Segment::Index(index), value, after.get(index), at, out);
            }
            for (index, value) in after.iter().enumerate().skip(before.len()) {
                step(Segment::Index(index), &Value::Null, Some(value), at, out);
            }
        }
        (before, after) if before != after => out.push(at.clone()),
        _ => {}
    }
}

fn step(segment: Segment<'_>, before: &Value, after: Option<&Value>, at: &mut String, out: &mut Vec<String>) {
    let length = at.len();
    push_segment(at, segment);
    match after {
        Some(after) => differences(before, after, at, out),
        None => out.push(at.clone()),
    }
    at.truncate(length);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_hint_names_changes_and_losses() {
        let scores = |c: f64, a: f64| Assessment {
            scores: [("completeness", Score::clamped(c)), ("accuracy", Score::clamped(a))]
                .into_iter()
                .collect(),
            overall: (c + a) / 2.0,
            ..Assessment::default()
        };
        let text = hint(
            (&json!({"grade": "2", "margins": "clear", "m": [1, 2]}), &scores(0.9, 1.0)),
            (&json!({"grade": "3", "m": [1], "date": "x"}), &scores(0.95, 0.5)),
            2,
        );
        assert_eq!(
            text,
            "attempt 2 changed /grade, /margins, /m/1, /date: accuracy fell from 1.000 to 0.500"
        );
    }
}
