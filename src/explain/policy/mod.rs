//! A compiled profile in plain words: what makes a candidate, how it is scored, when the loop stops, what it may cost.
//!
//! Everything is said from the compiled [`Plan`], never from comments, so it can't differ from what is
//! done. [`explain`] makes an [`Explanation`]: sections of statements, each with a key that stays the same when the numbers
//! in it change. Text, Markdown, JSON and the differences between two profiles ([`compare`]) are made from it.

mod acceptance;
mod bounds;
mod calls;
mod candidate;
mod compare;
mod files;
mod limits;
mod measures;
mod model;
mod network;
mod panel;
mod people;
mod purpose;
mod render;
mod request;
mod scoring;
mod selection;
mod stopping;
mod trajectories;
mod words;

pub use compare::{Change, Comparison, FileChange, SettingChange, SettingEffect, compare};
pub use model::{Ending, Explanation, Form, Section, Statement};
pub use render::{json, markdown, text};
pub use trajectories::{Documents, Ended, Moved, Sum};

use crate::plan::Plan;
use crate::profile::Loaded;
use crate::provider::Prices;

/// A compiled profile and what its models cost.
#[derive(Debug, Clone, Copy)]
pub struct ProfileView<'a> {
    /// The profile with its merged settings.
    pub loaded: &'a Loaded,
    /// What was compiled from them.
    pub plan: &'a Plan,
    /// What models cost.
    pub prices: &'a Prices,
}

/// Says in words what a profile does.
#[must_use]
pub fn explain(subject: ProfileView<'_>) -> Explanation {
    let plan = subject.plan;
    Explanation {
        profile: plan.profile.name.clone(),
        sections: vec![
            purpose::section(plan),
            candidate::section(plan),
            scoring::section(plan),
            acceptance::section(plan),
            stopping::section(plan),
            selection::section(plan),
            request::section(plan),
            people::section(plan),
            limits::section(plan, subject.prices),
            network::section(plan),
        ]
        .into_iter()
        .filter(|section| !section.statements.is_empty())
        .collect(),
    }
}
