//! The behaviour of a profile in words.

use super::TextForm;
use crate::context::Context;
use crate::explain::policy::{self, Explanation, ProfileView};
use crate::failure::{ExitStatus, Failure};
use crate::plans::read_prices;
use crate::profiles::SelectedProfile;
use crate::streams::Streams;
use crate::value::sanitize_line;
use serde_json::Value;
use std::path::Path;

/// The behaviour of a profile in words.
#[derive(Debug)]
pub struct PolicyInWords {
    explanation: Explanation,
    digest: String,
}

/// Explains what a profile does, by a table of prices before the usual ones.
///
/// # Errors
/// When the profile or a table can't be used.
pub fn explain_policy(
    profile: &SelectedProfile,
    prices: Option<&Path>,
    context: &Context,
    output: &mut Streams,
) -> Result<PolicyInWords, Failure> {
    let prices = read_prices(prices, context, output).map_err(|_| Failure::shown(ExitStatus::Usage))?;
    let (loaded, plan) = profile.to_explain(context, output)?;
    let explanation = policy::explain(ProfileView { loaded: &loaded, plan: &plan, prices: &prices });
    Ok(PolicyInWords { explanation, digest: plan.profile.digest.clone() })
}

impl PolicyInWords {
    /// For people: the part to sign off, or in full all of it.
    pub fn text(&self, form: TextForm, full: bool) -> String {
        let short = (!full).then(|| self.explanation.in_short());
        let shown = short.as_ref().unwrap_or(&self.explanation);
        let text = match form {
            TextForm::Terminal(_) => policy::text(shown),
            TextForm::Markdown => policy::markdown(shown),
        };
        text.lines().map(|line| format!("{}\n", sanitize_line(line))).collect()
    }

    /// For programs: all of it.
    pub fn to_json(&self) -> Value {
        let mut value = policy::json(&self.explanation);
        if let Some(members) = value.as_object_mut() {
            members.insert("digest".to_owned(), self.digest.clone().into());
        }
        value
    }
}
