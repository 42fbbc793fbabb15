//! The list of profiles.

use super::layout::{NavSection, page};
use super::parts::{in_address, outside, table};
use crate::access::Identity;
use crate::tuning::ProfileRow;
use maud::{Markup, html};

/// The page.
pub(crate) fn profiles(identity: &Identity, rows: &[ProfileRow]) -> Markup {
    let row = |row: &ProfileRow| {
        vec![
            html! { a href=(format!("/profiles/{}", in_address(&row.name))) { (outside(&row.name)) } },
            match &row.description {
                Ok(description) => outside(description),
                Err(refused) => html! { span.bad { (outside(&refused.message)) } },
            },
        ]
    };
    page(
        "Profiles",
        identity,
        NavSection::Profiles,
        &[],
        &html! {
            h1 { "Profiles" }
            p.soft { "A profile says what is extracted, how it is scored, when it is good enough, and when a person looks." }
            (table("Profiles that can be used by name", &[("Profile", false), ("What it is for", false)], &rows.iter().map(row).collect::<Vec<_>>()))
        },
    )
}
