//! Settings of the service, for admins: alerts, shares of reviews, tokens, the access log.

use super::alerts_form::alerts_form;
use super::parts::{minute, outside};
use crate::access::{AccessRole, Identity};
use crate::admin::{SECTION, SettingsView, TokenRow};
use crate::report::{figure, page_table, words};
use maud::{Markup, html};

/// The page.
pub(crate) fn settings(identity: &Identity, view: &SettingsView) -> Markup {
    SECTION.page(
        "Settings",
        identity,
        &["copy.js"],
        &html! {
            h1 { "Settings" }
            div role="status" { @if let Some(saved) = view.saved { p.good { (saved) } } }
            @if let Some((name, token)) = &view.fresh { (fresh(name, token)) }
            section aria-labelledby="alerts" {
                h2 #alerts { "Alerts" }
                (alerts_form(&view.alerts, "settings"))
                @if let Some(last) = &view.last_message {
                    p {
                        "The last message went to " code { (outside(&last.server)) } " at " (minute(&last.at)) " UTC: "
                        @match &last.failed {
                            None => span.good { "delivered" },
                            Some(why) => span.bad { (outside(why)) },
                        }
                    }
                }
            }
            section aria-labelledby="shares" {
                h2 #shares { "Reviews" }
                form.settings method="post" action="/settings/shares" {
                    div.fields {
                        (share("audit", "Audit sample, % of all documents", view.shares.audit))
                        (share("second", "Second review, % of reviewed documents", view.shares.second))
                    }
                    p.soft { "For runs that begin from now on." }
                    p { button.primary type="submit" { "Save" } }
                }
            }
            section aria-labelledby="tokens" {
                h2 #tokens { "Tokens" }
                (tokens(view))
            }
            section aria-labelledby="log" {
                h2 #log { "Access log" }
                (log(view))
            }
        },
    )
}

fn fresh(name: &str, token: &str) -> Markup {
    html! {
        section.fresh aria-labelledby="fresh" {
            h2 #fresh { "New token of " (outside(name)) }
            p { "It is shown only once. Keep it where only its owner can see it." }
            p {
                label for="fresh-token" { "Token" }
                input.long id="fresh-token" readonly value=(token);
                " " button type="button" data-copy="#fresh-token" { "Copy the token" }
            }
            // No link to follow: it would end the session of the admin who sees it. The script puts the address before
            // it.
            p {
                label for="fresh-link" { "Link for signing in" }
                input.long id="fresh-link" readonly data-with-origin value={ "/login#token=" (token) };
                " " button type="button" data-copy="#fresh-link" { "Copy the link" }
            }
            p #copied role="status" {}
            p.soft { "Programs send " code { "Authorization: Bearer TOKEN" } "; people open the link." }
        }
    }
}

fn share(name: &str, label: &str, share: f64) -> Markup {
    html! {
        div {
            label for=(name) { (label) }
            input id=(name) name=(name) type="number" min="0" max="100" step="any" value=((share * 1e9).round() / 1e7) required;
        }
    }
}

fn tokens(view: &SettingsView) -> Markup {
    html! {
        @if view.tokens.is_empty() {
            p.empty { "No tokens yet. The link that the service printed signs in without one." }
        } @else {
            (page_table("Tokens, newest first", &words("Name | Role | Created | Valid until | State | Revoke"), view.tokens.iter().map(token_row).collect()))
            p.soft { "Revoking ends all tokens and sessions of a name." }
        }
        form.settings method="post" action="/settings/tokens" {
            h3 { "Create a token" }
            div.fields {
                div { label for="token-name" { "Name" } input id="token-name" name="name" maxlength="100" required autocomplete="off"; }
                div {
                    label for="token-role" { "Role" }
                    select id="token-role" name="role" {
                        @for role in AccessRole::ALL { option value=(role) { (role) } }
                    }
                }
                div {
                    label for="token-days" { "Days until it expires (empty: never)" }
                    input id="token-days" name="days" type="number" min="1" max="65535" step="1";
                }
            }
            p { button type="submit" { "Create a token" } }
        }
    }
}

fn token_row(TokenRow { token, holds }: &TokenRow) -> Vec<Markup> {
    vec![
        outside(&token.name),
        outside(&token.role),
        html! { (minute(&token.created_at)) },
        html! { (token.expires_at.as_deref().map_or_else(|| "no end date".to_owned(), minute)) },
        html! {
            @if *holds { span.good { "valid" } } @else if token.revoked_at.is_some() { span.soft { "revoked" } } @else { span.soft { "expired" } }
        },
        html! {
            @if *holds {
                details {
                    summary { "Revoke …" }
                    form method="post" action="/settings/tokens/revoke" {
                        input type="hidden" name="name" value=(token.name);
                        p { "This ends every token and session of this name. It can't be undone." }
                        button type="submit" aria-label=(format!("Revoke the tokens of {}", token.name)) { "Yes, revoke" }
                    }
                }
            }
        },
    ]
}

fn log(view: &SettingsView) -> Markup {
    let columns = [words("Time (UTC) | Name | Request"), vec![figure("Status")], words("Detail")].concat();
    let rows: Vec<Vec<Markup>> = (view.log.iter())
        .map(|(_, record)| {
            let refused = record.status >= 400;
            vec![
                html! { (record.at.chars().take(19).map(|c| if c == 'T' { ' ' } else { c }).collect::<String>()) },
                outside(if record.name.is_empty() { "no one" } else { &record.name }),
                html! { (outside(&record.method)) " " code { (outside(&record.path)) } },
                html! { span class=[refused.then_some("bad")] { (record.status) } },
                outside(record.detail.as_deref().unwrap_or_default()),
            ]
        })
        .collect();
    html! {
        p.soft { "Every change, every view of a document, and every request that was refused." }
        @if rows.is_empty() {
            p.empty { "No entries." }
        } @else {
            (page_table("Access log, newest first", &columns, rows))
        }
        nav.pager aria-label="Pages of the access log" {
            @if !view.is_latest { a href="/settings#log" { "Latest" } }
            @if let Some(older) = view.older { a href=(format!("/settings?before={older}#log")) { "Older" } }
        }
    }
}
