//! The list of profiles.

use super::parts::{in_address, outside};
use crate::access::Identity;
use crate::report::{page_table, words};
use crate::tuning::{ProfileRow, SECTION};
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
    SECTION.page(
        "Profiles",
        identity,
        &[],
        &html! {
            h1 { "Profiles" }
            p.soft { "A profile defines what is extracted, how a result is scored, when it is good enough, and when a person reviews it." }
            (page_table("Profiles", &words("Profile | What it is for"), rows.iter().map(row).collect()))
        },
    )
}
