//! Findings of `loopctl evaluate`, for people: `report` says what is shown, `plots` draws it, `words` has numbers in words.

mod plots;
mod report;
mod words;

pub(super) use report::report;
