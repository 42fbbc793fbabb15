//! A compiled profile in plain words: how a candidate is made and scored, when the loop stops, and what it may cost.
//!
//! Everything is derived from the facts of the compiled plan, never from comments, so it can't differ from the
//! behaviour. [`explain`] renders the template of each fact (`crates/app/src/explain/pages`) and makes an [`Explanation`]:
//! sections of statements. Text, Markdown and JSON are made from it. `compare` compares the facts of two profiles.

mod compare;
mod files;
mod inline;
mod model;
mod page;
mod render;
mod trajectories;
mod words;

pub use crate::facts::{Ending, Fact, ProfileView};
pub use compare::{Change, Comparison, Said, SettingChange, SettingEffect, compare};
pub use model::{Explanation, Form, Section, Statement};
pub use render::json;
pub use render::{markdown, text};
pub use trajectories::{Documents, Ended, Moved};

use crate::facts::Facts;
use page::Pages;

/// Describes in words what a profile does.
#[must_use]
pub fn explain(subject: ProfileView<'_>) -> Explanation {
    said(&Facts::of(subject))
}

/// Facts in words.
fn said(facts: &Facts) -> Explanation {
    let pages = Pages::all();
    let mut sections: Vec<Section> = pages
        .pages
        .iter()
        .map(|page| Section { key: page.key, title: page.title, statements: Vec::new() })
        .collect();
    for fact in &facts.list {
        let (at, form) = pages.place(fact.kind).unwrap_or((0, Form::Paragraph));
        let text = pages.text(fact.kind, &fact.values);
        let (label, text) = match text.strip_prefix("**").and_then(|rest| rest.split_once("** ")) {
            Some((label, rest)) => (Some(label.to_owned()), rest.to_owned()),
            None => (None, text),
        };
        if let Some(section) = sections.get_mut(at) {
            section.statements.push(Statement { fact: fact.clone(), label, text, form });
        }
    }
    sections.retain(|section| !section.statements.is_empty());
    Explanation { profile: facts.profile.clone(), sections }
}

impl Explanation {
    /// The first page alone: the part that is signed, and every rule in its own words.
    #[must_use]
    pub fn in_short(&self) -> Explanation {
        let mut sections: Vec<Section> = self.sections.iter().take(1).cloned().collect();
        let rules = self.statements().map(|(_, one)| one).filter(|one| one.fact.kind == "rule");
        let statements: Vec<Statement> =
            rules.map(|one| Statement { form: Form::Point, ..one.clone() }).collect();
        if !statements.is_empty() {
            sections.push(Section { key: "rules", title: "What the rules say", statements });
        }
        Explanation { profile: self.profile.clone(), sections }
    }
}
