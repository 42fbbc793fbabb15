//! The page that a link leads to.

use super::layout::whole;
use maud::{Markup, html};

/// Takes the token of the link, or one that a person types. A user who is signed in already, as `holder`, is asked
/// first: the link may be another person's, who would see what is done under their name.
pub(crate) fn login(holder: Option<&str>) -> Markup {
    whole(
        "Sign in",
        &["login.js"],
        &html! {
            main {
                h1 { "loopctl" }
                @if let Some(holder) = holder {
                    p #open { "You are signed in as " strong { (holder) } ". " a href="/" { "Continue" } }
                } @else {
                    p { "Open the link that " code { "loopctl serve" } " printed, or enter your token." }
                }
                form {
                    label for="token" { @if holder.is_some() { "Another token" } @else { "Token" } }
                    input id="token" type="password" autocomplete="off" required;
                    " "
                    button.primary type="submit" { "Sign in" }
                }
                p.said #said role="alert" {}
                noscript { p { "Signing in needs JavaScript." } }
            }
        },
    )
}
