//! The assertion status of what a pattern finds, as the host reports it.

use std::ops::Range;

use loopctl_plugin_sdk::protocol::{RequestAssertions, RequestScope, RequestSection};

/// The least finality of a section that is neither history nor a description of what was received.
pub(crate) const PLAIN: u8 = 5;

/// The weight of a match among others of its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    /// It is in no preliminary part.
    pub(crate) is_settled: bool,
    /// It is affirmed, or asserted as the field may be.
    pub(crate) is_affirmed: bool,
    /// The finality of its section.
    pub(crate) finality: u8,
}

/// The assertions that a field takes besides affirmed ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accepts<'a> {
    pub(crate) field: &'a str,
    /// A denial says another value.
    pub(crate) negated: bool,
    /// The words beside a number or date deny or doubt something else.
    pub(crate) is_number: bool,
    /// Headings before the part do not count within it.
    pub(crate) is_in_part: bool,
}

impl Accepts<'_> {
    fn takes(&self, told: &RequestAssertions, how: &str) -> bool {
        how == "affirmed"
            || self.negated && how == "negated"
            || self.is_number && matches!(how, "negated" | "uncertain" | "hypothetical")
            || told.accepted.get(self.field).is_some_and(|accepted| accepted.iter().any(|one| one == how))
    }
}

/// Returns whether the match of a value at `value` is asserted as the field may be, and the finality of its
/// section.
pub(crate) fn asserted(told: &RequestAssertions, value: &Range<usize>, accepts: Accepts<'_>) -> (bool, u8) {
    let upto = told.sections.partition_point(|section| section.start <= value.start);
    let plain = RequestSection::default();
    let section = upto.checked_sub(1).and_then(|at| told.sections.get(at)).unwrap_or(&plain);
    let reaches = |scope: &&RequestScope| {
        if scope.ahead {
            scope.start <= value.start && value.start < scope.end
        } else {
            scope.start < value.end && value.end <= scope.end
        }
    };
    let mut reached = told.scopes.iter().filter(reaches).peekable();
    let is_affirmed = if reached.peek().is_some() {
        reached.all(|scope| accepts.takes(told, &scope.assertion))
    } else {
        accepts.is_in_part || accepts.takes(told, &section.assertion)
    };
    (is_affirmed, section.finality)
}
