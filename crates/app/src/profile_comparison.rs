//! Two profiles compared by what they do, and by how recorded documents would end.

use crate::context::Context;
use crate::diag::Problems;
use crate::experiment::Tally;
use crate::explain::policy::{Comparison, Documents, ProfileView, compare};
use crate::failure::{ExitStatus, Failure};
use crate::plans::read_prices;
use crate::profiles::SelectedProfile;
use crate::report::{Paint, comparison as comparison_table, documents_text, policy_changes_text};
use crate::streams::Streams;
use crate::trials::{PolicyTrial, TrajectoryReading, TriedProfile, overall_from};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A request to compare two profiles.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileComparisonRequest {
    /// The present one, and the changed one.
    pub profiles: [SelectedProfile; 2],
    /// A price table that takes precedence over the others.
    pub prices: Option<PathBuf>,
    /// Files of recorded documents; `-` is standard input.
    pub trajectories: Vec<PathBuf>,
    /// For those, the recorded dimension from which the overall score is taken.
    pub overall_from: Option<String>,
    /// The maximum number of documents that are named because they would end otherwise.
    pub most_named: usize,
}

/// Two compared profiles.
#[derive(Debug)]
pub struct ProfileComparison {
    /// The differences in what they do.
    pub comparison: Comparison,
    /// The recorded documents under both; `None` if none were named.
    pub documents: Option<ComparedDocuments>,
}

/// Recorded documents under two profiles.
#[derive(Debug)]
pub struct ComparedDocuments {
    /// Those that end otherwise.
    pub documents: Documents,
    /// The endings of all under each profile, by its name.
    pub tallies: [(String, Tally); 2],
    /// `true` if all could be read; the rest was reported.
    pub is_whole: bool,
}

/// Compares two profiles.
///
/// # Errors
/// When one of them, or a price table, can't be used.
pub fn compare_profiles(
    request: &ProfileComparisonRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<ProfileComparison, Failure> {
    let [before, after] = &request.profiles;
    let prices = read_prices(request.prices.as_deref(), context, output)
        .map_err(|_| Failure::shown(ExitStatus::Usage))?;
    let (loaded, plan) = before.to_explain(context, output)?;
    let (other_loaded, other_plan) = after.to_explain(context, output)?;
    let mut comparison = compare(
        ProfileView { loaded: &loaded, plan: &plan, prices: &prices },
        ProfileView { loaded: &other_loaded, plan: &other_plan, prices: &prices },
    );
    [comparison.before, comparison.after] =
        told_apart([before, after], [comparison.before, comparison.after]);
    let mut documents = None;
    if !request.trajectories.is_empty() {
        let names = [&comparison.before, &comparison.after];
        documents = Some(request.documents(names, context, output)?);
    }
    Ok(ProfileComparison { comparison, documents })
}

impl ProfileComparisonRequest {
    /// Tries both policies on the recorded documents.
    fn documents(
        &self,
        names: [&String; 2],
        context: &Context,
        output: &mut Streams,
    ) -> Result<ComparedDocuments, Failure> {
        let mut to_try = |name, profile| {
            to_try(name, &overall_from(self.overall_from.as_deref(), profile)?, context, output)
        };
        let [before, after] = &self.profiles;
        let mut trials = [to_try(names[0], before)?, to_try(names[1], after)?];
        let mut documents = Documents::new(self.most_named);
        let mut reading = TrajectoryReading::default();
        reading.documents(&self.trajectories, &mut trials, output, |trials, trajectories, output| {
            for document in 0..trajectories.documents() {
                let ends = trials.iter_mut().filter_map(|one| one.decide(trajectories, document, output));
                if let (Some(id), [before, after]) =
                    (trajectories.id(document), &ends.collect::<Vec<_>>()[..])
                {
                    documents.add(id, before, after);
                }
            }
            Ok(())
        })?;
        let tallies = trials.map(|trial| (trial.tried.name, trial.tally));
        Ok(ComparedDocuments { documents, tallies, is_whole: !reading.broken })
    }
}

impl ProfileComparison {
    /// The differences for people.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        let mut text = policy_changes_text(&self.comparison, paint);
        if let Some(ComparedDocuments { documents, tallies, .. }) = &self.documents {
            text.push_str(&documents_text(documents, paint));
            text.push_str(&comparison_table(tallies, paint));
        }
        text
    }

    /// The differences for programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut value = json!(self.comparison);
        if let Some(members) = value.as_object_mut() {
            members.insert("same".to_owned(), self.comparison.is_same().into());
            if let Some(ComparedDocuments { documents, .. }) = &self.documents {
                let ends = json!({ "sum": documents.sum(), "differ": documents.moved() });
                members.insert("documents".to_owned(), ends);
            }
        }
        value
    }
}

/// The names of two profiles: their `own`, or if these are equal, those by which they were selected.
pub(crate) fn told_apart([before, after]: [&SelectedProfile; 2], own: [String; 2]) -> [String; 2] {
    if own[0] != own[1] {
        return own;
    }
    let changed = if before.name() == after.name() && before != after { ", changed" } else { "" };
    [before.name().to_owned(), format!("{}{changed}", after.name())]
}

/// A policy to try on recorded documents. Problems are shown if it can't be used: others have been shown already.
fn to_try(
    name: &str,
    profile: &SelectedProfile,
    context: &Context,
    output: &mut Streams,
) -> Result<PolicyTrial, Failure> {
    let mut problems = Problems::new();
    match TriedProfile::load(profile, context, &mut problems) {
        Some(tried) if !problems.has_errors() => {
            Ok(PolicyTrial::new(TriedProfile { name: name.to_owned(), ..tried }))
        }
        _ => {
            output.show(&problems);
            Err(Failure::usage(format!("the profile `{name}` can't be used on these trajectories")))
        }
    }
}
