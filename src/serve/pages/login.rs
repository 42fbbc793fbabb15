//! The page that a link leads to.

use super::layout::whole;
use maud::{Markup, html};

/// Takes the token of the link, or one that a person types.
pub(in crate::serve) fn login() -> Markup {
    whole(
        "Sign in",
        &["login.js"],
        &html! {
            main {
                h1 { "loopctl" }
                p { "Open the link that " code { "loopctl serve" } " printed, or give your token." }
                form {
                    label for="token" { "Token" }
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
