//! The mutants of a profile that all of its cases pass: no case guards what they change.

use super::mutants::{Mutant, mutants};
use super::suite::{Choice, test_profile};
use crate::diag::{Code, Problem, Problems, SourceFile};
use crate::profile::{Files, Library, Loaded, available, load};
use regex::Regex;
use std::sync::{Arc, LazyLock};

/// The outcome of changing a profile in every location.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mutation {
    /// Mutants that some case noticed.
    pub noticed: usize,
    /// Mutants that are not valid profiles: `check` finds them, so no case has to.
    pub invalid: usize,
    /// Mutants that decide the same as the profile, such as one that leaves out a default.
    pub equivalent: usize,
    /// Mutants that no case noticed.
    pub survivors: Vec<Mutant>,
}

/// A profile and the cases that could notice a change of it.
#[derive(Debug)]
pub struct Guarded {
    path: String,
    file: Arc<SourceFile>,
    library: Library,
    family: Vec<FamilyMember>,
    dimensions: Vec<String>,
}

/// The fate of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Some case noticed.
    Noticed,
    /// It is not a valid profile.
    Invalid,
    /// It decides the same as the profile.
    Equivalent,
    /// No case noticed.
    Survives,
}

impl Guarded {
    /// The profile called `name` with the cases of every profile that is made of it: itself and those that extend it.
    /// `None` with problems if there is no such profile, no case that could notice, or a case that fails without any
    /// change.
    pub fn new(name: &str, library: &Library, problems: &mut Problems) -> Option<Self> {
        let path = format!("profiles/{name}.yaml");
        let file = match library.read(&path) {
            Ok(Some(file)) => file,
            Ok(None) => {
                let message = format!("no profile is called `{name}`");
                problems.push(Problem::placeless(Code::UnknownProfile, message));
                return None;
            }
            Err(problem) => {
                problems.push(problem);
                return None;
            }
        };
        let family = family(name, library, problems);
        if family.is_empty() {
            let message = format!("nothing that is made of `{name}` has a test file");
            problems.push(Problem::placeless(Code::MissingFile, message));
            return None;
        }
        for member in &family {
            let suite = test_profile(&member.name, library, &member.cases, Choice::default(), problems)?;
            if suite.failed() > 0 {
                let message = format!("`{}` fails its own cases", member.name);
                problems
                    .push(Problem::placeless(Code::Conflict, message).help("correct it or its cases first"));
                return None;
            }
        }
        let own = family.iter().find(|member| member.name == name).or(family.first());
        let dimensions = own.map(|member| &member.loaded.profile.dimensions).into_iter().flatten();
        let dimensions = dimensions.map(|dimension| dimension.name.clone()).collect();
        Some(Guarded { path, file, library: library.clone(), family, dimensions })
    }

    /// Every mutant of the profile.
    #[must_use]
    pub fn mutants(&self) -> Vec<Mutant> {
        mutants(&self.file, &self.dimensions)
    }

    /// Runs the cases with the profile changed.
    #[must_use]
    pub fn fate(&self, mutant: &Mutant) -> Fate {
        fate(&self.library.holding(&self.path, mutant.text.as_str()), &self.family)
    }
}

/// Changes the profile called `name` in each location, one at a time, and runs the cases that could notice
/// ([`Guarded`]).
pub fn survivors(name: &str, library: &Library, problems: &mut Problems) -> Option<Mutation> {
    let guarded = Guarded::new(name, library, problems)?;
    let mut mutation = Mutation::default();
    for mutant in guarded.mutants() {
        match guarded.fate(&mutant) {
            Fate::Noticed => mutation.noticed += 1,
            Fate::Invalid => mutation.invalid += 1,
            Fate::Equivalent => mutation.equivalent += 1,
            Fate::Survives => mutation.survivors.push(mutant),
        }
    }
    Some(mutation)
}

/// A profile that has cases, and is or extends the one that is changed.
#[derive(Debug)]
struct FamilyMember {
    name: String,
    loaded: Loaded,
    cases: Arc<SourceFile>,
}

fn family(name: &str, library: &Library, problems: &mut Problems) -> Vec<FamilyMember> {
    let mut found = Vec::new();
    for other in available(library) {
        let Ok(Some(cases)) = library.read(&format!("profiles/{other}.test.yaml")) else { continue };
        let loaded = load(&other, library, &[], &|_| None, problems);
        if let Some(loaded) = loaded.filter(|loaded| loaded.profile.chain.iter().any(|link| link == name)) {
            found.push(FamilyMember { name: other, loaded, cases });
        }
    }
    // A profile's own cases are the most likely to notice.
    found.sort_by_key(|member| member.name != name);
    found
}

fn fate(library: &Library, family: &[FamilyMember]) -> Fate {
    let mut differs = false;
    for member in family {
        let mut problems = Problems::new();
        let loaded = load(&member.name, library, &[], &|_| None, &mut problems);
        let Some(loaded) = loaded.filter(|_| !problems.has_errors()) else { return Fate::Invalid };
        if same(&member.loaded, &loaded) {
            continue;
        }
        differs = true;
        let choice = Choice { first_failure: true, ..Choice::default() };
        let suite = test_profile(&member.name, library, &member.cases, choice, &mut problems);
        match suite {
            Some(suite) if suite.failed() > 0 => return Fate::Noticed,
            Some(_) => {}
            // What it reaches, such as its rules, can't be used by it.
            None => return Fate::Invalid,
        }
    }
    if differs { Fate::Survives } else { Fate::Equivalent }
}

/// Returns whether two profiles decide alike: they are the same once read, however and wherever they were written.
fn same(one: &Loaded, other: &Loaded) -> bool {
    one.profile.digest == other.profile.digest || essence(one) == essence(other)
}

/// A profile as it was read, without what is only shown and without the locations in files.
fn essence(loaded: &Loaded) -> String {
    static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[^\s,({\[]+:\d+:\d+\+\d+").ok());
    let mut profile = loaded.profile.clone();
    for shown in [&mut profile.name, &mut profile.description, &mut profile.digest] {
        shown.clear();
    }
    // As they were written, and not as they were read.
    profile.setting_digests.clear();
    let text = format!("{profile:?}");
    match PLACE.as_ref() {
        Some(place) => place.replace_all(&text, "").into_owned(),
        None => text,
    }
}
