//! The frame of every page: head, navigation, the user's name.

use super::SECTIONS;
use crate::access::Identity;
use maud::{DOCTYPE, Markup, html};

/// A page for a user who is signed in, of the section at an address if it is of one.
pub(super) fn page(
    title: &str,
    identity: &Identity,
    section: Option<&str>,
    scripts: &[&str],
    body: &Markup,
) -> Markup {
    whole(
        title,
        scripts,
        &html! {
            a.skip href="#main" { "Skip to the content" }
            header {
                span.brand { "loopctl" }
                nav aria-label="Sections" {
                    @for one in SECTIONS.iter().filter(|one| identity.may(one.role)) {
                        a href=(one.path) aria-current=[(section == Some(one.path)).then_some("page")] { (one.name) }
                    }
                }
                form method="post" action="/logout" {
                    span.soft {
                        (identity.name)
                        @if identity.name != identity.role.as_str() { " (" (identity.role) ")" }
                        " "
                    }
                    button.quiet type="submit" { "Sign out" }
                }
            }
            main id="main" { (body) }
        },
    )
}

/// A page without navigation, for a user who is not signed in.
pub(super) fn whole(title: &str, scripts: &[&str], body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · loopctl" }
                link rel="icon" href="/assets/icon.svg";
                link rel="stylesheet" href="/assets/report.css";
                link rel="stylesheet" href="/assets/service.css";
                link rel="stylesheet" href="/assets/live.css";
                @for script in scripts {
                    script type="module" src={ "/assets/" (script) } {}
                }
            }
            body { (body) }
        }
    }
}
