//! The line of a criterion that ended a run, as a recorded decision has it, and its words.

/// A line of `stop` that ended a run, with the values that it saw.
pub struct EndingLine<'a> {
    /// The line, such as `stop.any[0].budget.calls`.
    pub line: &'a str,
    /// The measured value.
    pub value: f64,
    /// The value it was compared with.
    pub bound: f64,
    /// The measured value as text, which tells it from the bound.
    pub value_text: &'a str,
    /// The bound as text.
    pub bound_text: &'a str,
    /// The place in the candidate that it is about, in words.
    pub place: Option<String>,
    /// The text of a setting that was recorded (`Rule::terms`).
    pub setting: &'a dyn Fn(&str) -> Option<String>,
}

impl EndingLine<'_> {
    /// The key of the criterion, and below it the part of it, such as `budget` and `calls`.
    pub(super) fn key_and_part(&self) -> (&str, &str) {
        let below = self.line.strip_prefix("stop.").unwrap_or(self.line);
        let own = below.rsplit_once("].").map_or(below, |(_, own)| own);
        own.split_once('.').unwrap_or((own, ""))
    }

    /// The ending of a noun, and `was` or `were`, as the measured value asks for.
    pub(super) fn number_words(&self) -> (&'static str, &'static str) {
        if (self.value - 1.0).abs() < 0.5 { ("", "was") } else { ("s", "were") }
    }
}
