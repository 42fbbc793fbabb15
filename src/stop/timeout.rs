//! `timeout`: the longest time.

use super::rule::{Declared, Looked, Progress, Rule, Seen, number};
use crate::diag::Problems;
use crate::value::Millis;
use crate::value::decode::Decode;
use crate::value::prose::duration;
use crate::value::shape::Key;
use crate::value::yaml::Node;

/// Longest time from the start of the run to a decision to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout(pub Millis);

impl Declared for Timeout {
    const KEY: Key = Key::new(
        "timeout",
        Millis::shape,
        "Stops when the run has taken this long. It is looked at between iterations and before a call is made again, so one \
         iteration can go over.",
    )
    .examples(&["30s", "2m"]);

    const BOUNDS_CALLS: bool = true;

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        Millis::decode(node, problems).map(Timeout).into_iter().collect()
    }
}

impl Rule for Timeout {
    fn look(&self, run: &Progress<'_>) -> Looked {
        Seen::new("timeout", run.elapsed > self.0, number(run.elapsed.0), number(self.0.0)).into()
    }

    fn clause(&self) -> String {
        format!("more than {} have passed since the loop began", duration(self.0))
            .replace("more than 1 second have", "more than 1 second has")
    }

    fn earliest(&self) -> u64 {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clause_has_its_time() {
        assert_eq!(Timeout(Millis(30_000)).clause(), "more than 30 seconds have passed since the loop began");
    }
}
