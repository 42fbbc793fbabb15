//! Findings of `loopctl sweep`, for people: `report` says what is shown, `plots` draws it, `race` and `words` have the words.

mod plots;
mod race;
mod report;
mod words;

pub(super) use report::report;
