//! Promises of policies proved, and policies compared in every run.

mod alike;
mod run_files;

pub use alike::{AlikeProof, prove_alike};
pub use run_files::write_runs;

use crate::context::Context;
use crate::diag::{Problems, nearest};
use crate::experiment::Trajectory;
use crate::experiment::prove::{Broken, Effort, Proof, lines, prove as proof_of};
use crate::facts::Origin;
use crate::failure::Failure;
use crate::policy::Promises;
use crate::profile::{DeclaredPromise, PromiseFile, read_text_file};
use crate::profiles::SelectedProfile;
use crate::report::{Paint, ProofReport, proof_json, proof_text};
use crate::streams::Streams;
use crate::trials::TriedProfile;
use crate::value::decode::Decode;
use crate::value::{sanitize_line, yaml};
use serde_json::Value;
use std::path::PathBuf;

/// Finds the location of a line of a decision in a profile.
type Places<'a> = &'a dyn Fn(&str) -> Option<Origin>;

/// A request to prove the promises of a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct ProofRequest {
    /// The profile whose policy it is.
    pub profile: SelectedProfile,
    /// Files with more promises.
    pub promises: Vec<PathBuf>,
    /// The effort of the search.
    pub effort: Effort,
}

/// A policy with the proof of its promises.
pub struct ProofAnswer {
    tried: TriedProfile,
    promises: Promises,
    /// The proof.
    pub proof: Proof,
}

/// Tries to break the promises of a policy. Waivers of lines that it does not have are reported.
///
/// # Errors
/// When the profile or a promise can't be used.
pub fn prove(
    request: &ProofRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<ProofAnswer, Failure> {
    let mut problems = Problems::new();
    let own = declared_in_files(&request.promises, &mut problems);
    let tried = TriedProfile::load(&request.profile, context, &mut problems);
    let tried = tried.map(|tried| (promises_of(&tried, own, &mut problems), tried));
    output.show(&problems);
    let Some((promises, tried)) = tried.filter(|_| !problems.has_errors()) else {
        let name = request.profile.name();
        return Err(Failure::usage(format!("the promises of `{name}` can't be tried")));
    };
    let proof = tried.as_subject(|subject| proof_of(&subject, &promises, request.effort));
    say_unknown_lines(&proof, &tried, output);
    Ok(ProofAnswer { tried, promises, proof })
}

impl ProofAnswer {
    /// The proof for people.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        proof_text(self.report(&|line| self.tried.place(line)), paint)
    }

    /// The proof for programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        proof_json(self.report(&|line| self.tried.place(line)))
    }

    fn report<'a>(&'a self, places: Places<'a>) -> ProofReport<'a> {
        ProofReport { profile: &self.tried.name, promises: &self.promises, proof: &self.proof, places }
    }

    /// The runs that break promises.
    #[must_use]
    pub fn runs(&self) -> Vec<&Trajectory> {
        let mut runs = Vec::new();
        for proved in &self.proof.promises {
            if let Some(Broken::Run(run)) = proved.broken() {
                runs.push(&run.trajectory);
                runs.extend(run.beside.as_ref().map(|(trajectory, _)| trajectory));
            }
        }
        runs
    }
}

/// The promises of a profile, and its `own` that others declare for it. Problems are pushed.
fn promises_of(tried: &TriedProfile, own: Vec<DeclaredPromise>, problems: &mut Problems) -> Promises {
    let profile = &tried.loaded.profile;
    let dimensions: Vec<&str> = profile.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
    let declared: Vec<DeclaredPromise> = profile.promises.iter().cloned().chain(own).collect();
    Promises::compile(&declared, &dimensions, &tried.loaded.library, problems)
}

/// The promises in separate files. Problems are pushed.
fn declared_in_files(files: &[PathBuf], problems: &mut Problems) -> Vec<DeclaredPromise> {
    let mut declared = Vec::new();
    for path in files {
        match read_text_file(path) {
            Ok(file) => {
                let read = yaml::parse(&file, problems).and_then(|node| PromiseFile::decode(&node, problems));
                declared.extend(read.into_iter().flat_map(|file| file.promises));
            }
            Err(problem) => problems.push(problem),
        }
    }
    declared
}

/// Warns of waivers for lines that the policy does not have.
fn say_unknown_lines(proof: &Proof, tried: &TriedProfile, output: &mut Streams) {
    for line in &proof.unknown_lines {
        let known = tried.as_subject(|subject| lines(&subject));
        let guess =
            nearest(line, known.iter().map(String::as_str)).map(|guess| format!("; did you mean `{guess}`?"));
        output.warn(&format!(
            "`no_dead_criterion` is waived of `{}`, and the policy has no such line{}",
            sanitize_line(line),
            guess.unwrap_or_default()
        ));
    }
}
