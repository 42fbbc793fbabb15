//! Descriptions of the mistakes of a failed attempt, in words.

use crate::score::Assessment;
use crate::value::{Segment, Severity, below, push_segment};
use serde_json::Value;

/// Most paths named in one hint.
const MOST_PATHS: usize = 8;
/// Longest path named, in characters: keys of a candidate are made up by a model.
const LONGEST_PATH: usize = 80;

/// Names what `attempt` changed against the candidate that it started from, what got worse and by how much. Two
/// attempts never have the same hint: it starts with the attempt's `iteration`.
#[must_use]
pub fn hint(base: (&Value, &Assessment), attempt: (&Value, &Assessment), iteration: usize) -> String {
    let mut changed = Vec::new();
    differences(base.0, attempt.0, &mut String::new(), &mut changed);
    let more = changed.len().saturating_sub(MOST_PATHS);
    let mut paths: Vec<String> = changed.into_iter().take(MOST_PATHS).map(shown_path).collect();
    if more > 0 {
        paths.push(format!("{more} more"));
    }
    let changes =
        if paths.is_empty() { "changed nothing".to_owned() } else { format!("changed {}", paths.join(", ")) };
    format!("attempt {iteration} {changes}: {}", effect(base.1, attempt.1))
}

/// The decline: dimensions, else the overall score; and severities with more issues than before.
fn effect(before: &Assessment, after: &Assessment) -> String {
    let fell = |name: &str, before: f64, after: f64| {
        let (before, after) = apart(before, after);
        format!("{name} fell from {before} to {after}")
    };
    let mut worse: Vec<String> = before
        .scores
        .iter()
        .filter_map(|(name, score)| match after.scores.get(name) {
            Some(after) => below(after.get(), score.get()).then(|| fell(name, score.get(), after.get())),
            // The judge or validator that measures it was not asked, or gave no answer: it may or may not have fallen.
            None => Some(format!("{name} was not measured")),
        })
        .collect();
    if worse.is_empty() && below(after.overall, before.overall) {
        worse.push(fell("overall", before.overall, after.overall));
    }
    for severity in Severity::WRONG {
        let (earlier, later) = (before.count_severity(severity), after.count_severity(severity));
        if later > earlier {
            worse.push(format!("{} issues rose from {earlier} to {later}", severity.as_str()));
        }
    }
    if worse.is_empty() {
        let (before, after) = apart(before.overall, after.overall);
        worse.push(format!("overall went from {before} to {after}"));
    }
    worse.join(", ")
}

/// Two scores with three decimals, or with as many as it takes to tell them apart.
fn apart(before: f64, after: f64) -> (String, String) {
    let shown = |decimals: usize| (format!("{before:.decimals$}"), format!("{after:.decimals$}"));
    [3, 6, 10].into_iter().map(shown).find(|(before, after)| before != after).unwrap_or_else(|| shown(3))
}

fn shown_path(path: String) -> String {
    match path.char_indices().nth(LONGEST_PATH) {
        Some((at, _)) => format!("{}…", path.get(..at).unwrap_or_default()),
        None if path.is_empty() => "the whole answer".to_owned(),
        None => path,
    }
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
    use crate::value::Score;
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

    #[test]
    fn what_got_worse_is_told_apart() {
        let of = |overall: f64, issues: usize| Assessment {
            overall,
            issues: vec![
                serde_json::from_value(json!({"code": "X", "severity": "critical"})).unwrap();
                issues
            ],
            ..Assessment::default()
        };
        let said = |before: &Assessment, after: &Assessment| hint((&json!(1), before), (&json!(2), after), 1);
        assert_eq!(
            said(&of(0.5, 0), &of(0.6, 1)),
            "attempt 1 changed the whole answer: critical issues rose from 0 to 1"
        );
        assert_eq!(
            said(&of(0.800_01, 0), &of(0.8, 0)),
            "attempt 1 changed the whole answer: overall fell from 0.800010 to 0.800000"
        );
        assert!(said(&of(0.8, 0), &of(0.8, 0)).ends_with("overall went from 0.800 to 0.800"));
        let long = json!({ "k".repeat(10_000): 1 });
        assert!(hint((&json!({}), &of(1.0, 0)), (&long, &of(0.0, 0)), 1).len() < 200);
    }
}
