//! A recorded run, run again.

use super::event::{Event, Output};
use super::run::{Misuse, Run};
use crate::value::Millis;
use serde_json::Value;

/// An event and the time at which it was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Time since the run began.
    pub at: Millis,
    /// The event.
    pub event: Event,
}

/// The reason why a recorded run can't be replayed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The record has an input where the run asked for another.
    #[error("event {index}: {misuse}")]
    Misuse {
        /// Position in the record, from 0.
        index: usize,
        /// The misuse.
        misuse: Misuse,
    },
    /// The policy, or the program, decides otherwise than it did when the run was recorded.
    #[error("event {index} was recorded as `{recorded}`, but the run gives `{replayed}`{}", place(.at))]
    Diverged {
        /// Position in the record, from 0.
        index: usize,
        /// Kind of the recorded event.
        recorded: &'static str,
        /// Kind of the event that the run gives; `nothing` when it gives none.
        replayed: &'static str,
        /// For two events of one kind, the location of the first difference, with both numbers if these differ.
        at: String,
    },
}

impl Run {
    /// Brings this run, which has not started, to the state in which the recorded one was after its last event. Work
    /// that was handed out but not yet carried out by then is left to be polled, so a driver simply continues.
    ///
    /// # Errors
    /// Returns an error if the record does not fit the policy.
    pub fn replay(self, record: &[Recorded]) -> Result<Run, ReplayError> {
        let mut run = self;
        for (index, recorded) in record.iter().enumerate() {
            if let Some(input) = recorded.event.as_input() {
                run.outputs.retain(|output| matches!(output, Output::Record(_)));
                if let Some(Output::Record(unrecorded)) = run.outputs.front() {
                    return Err(diverged(index, recorded, unrecorded.kind(), String::new()));
                }
                run.handle(recorded.at, input).map_err(|misuse| ReplayError::Misuse { index, misuse })?;
            }
            match run.outputs.iter().position(|output| matches!(output, Output::Record(_))) {
                Some(at) => {
                    if let Some(Output::Record(event)) = run.outputs.remove(at)
                        && let Some(at) = difference(&recorded.event, &event)
                    {
                        return Err(diverged(index, recorded, event.kind(), at));
                    }
                }
                None => return Err(diverged(index, recorded, "nothing", String::new())),
            }
        }
        run.call_again_in_flight();
        Ok(run)
    }
}

fn diverged(index: usize, recorded: &Recorded, replayed: &'static str, at: String) -> ReplayError {
    ReplayError::Diverged { index, recorded: recorded.event.kind(), replayed, at }
}

fn place(at: &str) -> String {
    if at.is_empty() { String::new() } else { format!(" with another {at}") }
}

/// Members that are written for people. A release that words them differently decides the same.
const PROSE: [&str; 5] = ["message", "suggested_fix", "detail", "notes", "repairs"];

/// The location of the first difference between an event and the recorded one, ignoring text that is written for
/// people; `None` if there is none.
fn difference(recorded: &Event, replayed: &Event) -> Option<String> {
    if recorded == replayed {
        return None;
    }
    let (recorded, replayed) = (serde_json::to_value(recorded).ok()?, serde_json::to_value(replayed).ok()?);
    first_difference(&recorded, &replayed, "")
}

fn first_difference(recorded: &Value, replayed: &Value, at: &str) -> Option<String> {
    let below = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
    match (recorded, replayed) {
        (Value::Object(one), Value::Object(other)) => one
            .iter()
            .chain(other.iter().filter(|(name, _)| !one.contains_key(*name)))
            .filter(|(name, _)| !PROSE.contains(&name.as_str()))
            .find_map(|(name, _)| {
                let (one, other) = (one.get(name), other.get(name));
                first_difference(one.unwrap_or(&Value::Null), other.unwrap_or(&Value::Null), &below(name))
            }),
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => one
            .iter()
            .zip(other)
            .enumerate()
            .find_map(|(index, (one, other))| first_difference(one, other, &below(&index.to_string()))),
        (one, other) if one == other => None,
        // Texts may come from the document.
        (Value::Number(one), Value::Number(other)) => Some(format!("{at}: {one} then, {other} now")),
        _ => Some(at.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Assessment, Issue};
    use crate::value::Severity;
    use std::sync::Arc;

    fn concluded(overall: f64, code: &'static str, message: &'static str) -> Event {
        let issue = Issue { message: message.into(), ..Issue::new(code, Severity::Major) };
        let assessment = Assessment { overall, issues: vec![issue], ..Assessment::default() };
        Event::Concluded { iteration: 1, assessment: Arc::new(assessment) }
    }

    #[test]
    fn words_may_differ_and_numbers_and_codes_may_not() {
        let recorded = concluded(0.5, "A", "as it was worded then");
        assert_eq!(difference(&recorded, &concluded(0.5, "A", "other words")), None);
        let at = difference(&recorded, &concluded(0.25, "A", "other words")).unwrap();
        assert_eq!(at, "assessment.overall: 0.5 then, 0.25 now");
        let at = difference(&recorded, &concluded(0.5, "B", "as it was worded then")).unwrap();
        assert_eq!(at, "assessment.issues.0.code");
        assert_eq!(difference(&recorded, &Event::Woke).unwrap(), "event");
    }
}
