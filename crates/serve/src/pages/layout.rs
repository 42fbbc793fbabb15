//! The frame of every page: head, navigation, the user's name.

use crate::access::{AccessRole, Identity};
use maud::{DOCTYPE, Markup, html};

/// The parts of the service that the navigation names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NavSection {
    Documents,
    Runs,
    Review,
    Profiles,
    Trends,
    Settings,
    /// Pages that belong to no section.
    None,
}

impl NavSection {
    const ALL: [(NavSection, &'static str, &'static str, AccessRole); 6] = [
        (NavSection::Documents, "/", "Documents", AccessRole::Submit),
        (NavSection::Review, "/review", "Review", AccessRole::Review),
        (NavSection::Runs, "/runs", "Runs", AccessRole::Review),
        (NavSection::Profiles, "/profiles", "Profiles", AccessRole::Review),
        (NavSection::Trends, "/trends", "Trends", AccessRole::Review),
        (NavSection::Settings, "/settings", "Settings", AccessRole::Admin),
    ];
}

/// A page of a section, for a user who is signed in.
pub(crate) fn page(
    title: &str,
    identity: &Identity,
    section: NavSection,
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
                    @for (one, href, name, role) in NavSection::ALL {
                        @if identity.may(role) {
                            a href=(href) aria-current=[(one == section).then_some("page")] { (name) }
                        }
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
