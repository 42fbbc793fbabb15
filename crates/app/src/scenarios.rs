//! Scenario tests of profiles, rules and vocabularies.

use crate::context::Context;
use crate::diag::Problems;
use crate::experiment::scenario::{
    Choice, Mutant, Mutation, Suite, SuiteKind, TestTarget, Unusable, find_subject, subjects, survivors,
};
use crate::failure::{ExitStatus, Failure};
use crate::profile::Override;
use crate::report::{Paint, suite_lines, unusable_line};
use crate::streams::Streams;
use crate::value::sanitize_line;

/// A request to run scenario tests.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScenarioRequest {
    /// Profiles, rules or vocabularies, by name or path; none for all of the project that have a test file.
    pub subjects: Vec<String>,
    /// `true` if what ships is tested besides.
    pub with_shipped: bool,
    /// The text that cases have in their names.
    pub filter: Option<String>,
    /// Settings laid over each profile.
    pub settings: Vec<String>,
    /// `true` if the outcome of each test file is written for people as it comes.
    pub is_text: bool,
}

/// The outcomes of scenario tests.
#[derive(Debug, Clone)]
pub struct ScenarioAnswer {
    /// The test files whose cases were run.
    pub suites: Vec<Suite>,
    /// Test files, and what they test, that could not be used.
    pub unusable: Vec<Unusable>,
    filter: Option<String>,
}

/// The test files of a request, and what could not be found.
struct ChosenTargets {
    targets: Vec<TestTarget>,
    settings: Vec<Override>,
    unusable: Vec<Unusable>,
}

/// Runs scenario tests. Problems of files are reported.
///
/// # Errors
/// When there is nothing to test.
pub fn test(
    request: &ScenarioRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<ScenarioAnswer, Failure> {
    let ChosenTargets { targets, settings, mut unusable } = request.chosen(context, output)?;
    unusable.iter().try_for_each(|one| request.write(unusable_line(one, output.out_paint), output))?;
    let choice = Choice { filter: request.filter.as_deref(), settings: &settings, ..Choice::default() };
    let mut suites = Vec::new();
    for target in targets {
        let mut problems = Problems::new();
        let suite = target.test(choice, &mut problems);
        output.show(&problems);
        let TestTarget { kind, name, file, .. } = &target;
        if let Some(error) = Unusable::new(name, Some(*kind), Some(file.name()), &problems) {
            request.write(unusable_line(&error, output.out_paint), output)?;
            unusable.push(error);
            continue;
        }
        // With a filter, files without a matching case say nothing.
        let Some(suite) = suite.filter(|suite| choice.filter.is_none() || !suite.results.is_empty()) else {
            continue;
        };
        request.write(suite_lines(&suite, output.out_paint), output)?;
        suites.push(suite);
    }
    Ok(ScenarioAnswer { suites, unusable, filter: request.filter.clone() })
}

/// Changes each value of the profiles in turn, and writes the changes that no case notices. Files of rules and
/// vocabularies are left out: their candidates and texts try what they say.
///
/// # Errors
/// When there is nothing to test, or a profile is not named as its cases name it.
pub fn mutate(
    request: &ScenarioRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    let ChosenTargets { targets, unusable, .. } = request.chosen(context, output)?;
    let mut is_usable = unusable.is_empty();
    let mut survived = 0;
    for TestTarget { kind, name, library, .. } in &targets {
        if *kind != SuiteKind::Profile {
            continue;
        }
        if name.contains(['/', '\\']) || name.ends_with(".yaml") || name.ends_with(".yml") {
            return Err(Failure::usage("`--mutate` takes profiles by name")
                .help("run it in the folder that holds `profiles/`"));
        }
        let mut problems = Problems::new();
        let mutation = survivors(name, library, &mut problems);
        is_usable &= !problems.has_errors();
        output.show(&problems);
        if let Some(mutation) = mutation {
            survived += mutation.survivors.len();
            output.out.write_all(mutation_text(name, &mutation, output.out_paint).as_bytes())?;
            output.out.flush()?;
        }
    }
    Ok(if is_usable { ExitStatus::passed(survived == 0) } else { ExitStatus::Usage })
}

/// The changes of a profile that no case notices, for people.
fn mutation_text(name: &str, mutation: &Mutation, paint: Paint) -> String {
    let Mutation { noticed, invalid, equivalent, survivors } = mutation;
    let mut text = format!(
        "{}  {noticed} changes noticed, {invalid} make no valid profile, {equivalent} change nothing, {} unnoticed\n",
        paint.strong(&sanitize_line(name)),
        survivors.len()
    );
    for Mutant { line, name, .. } in survivors {
        text.push_str(&format!("  line {line}: {}\n", sanitize_line(name)));
    }
    text
}

impl ScenarioRequest {
    fn write(&self, text: String, output: &mut Streams) -> std::io::Result<()> {
        if self.is_text { output.out.write_all(text.as_bytes()) } else { Ok(()) }
    }

    /// The test files, and the settings laid over profiles. What can't be used is reported.
    fn chosen(&self, context: &Context, output: &mut Streams) -> Result<ChosenTargets, Failure> {
        let mut problems = Problems::new();
        let settings =
            self.settings.iter().filter_map(|setting| Override::from_flag(setting, &mut problems)).collect();
        let mut unusable = Vec::from_iter(Unusable::new("--config", None, None, &problems));
        output.show(&problems);
        let targets = self.targets(context, &mut unusable, output);
        if self.subjects.is_empty() && targets.is_empty() && unusable.is_empty() {
            return Err(Failure::usage("there are no tests in this folder")
                .help("name what is to be tested, or write `--all` for those that ship with loopctl"));
        }
        Ok(ChosenTargets { targets, settings, unusable })
    }

    fn targets(
        &self,
        context: &Context,
        unusable: &mut Vec<Unusable>,
        output: &mut Streams,
    ) -> Vec<TestTarget> {
        let library = context.library();
        let mut problems = Problems::new();
        let mut targets = Vec::new();
        if self.subjects.is_empty() {
            targets = subjects(&library, &mut problems);
            targets.retain(|target| self.with_shipped || !target.file.is_shipped());
            unusable.extend(Unusable::new("test files", None, None, &problems));
        }
        for argument in &self.subjects {
            match find_subject(argument, &library) {
                Ok(target) => targets.push(target),
                Err(problem) => {
                    let mut own = Problems::new();
                    own.push(problem.clone());
                    unusable.extend(Unusable::new(argument, None, None, &own));
                    problems.push(problem);
                }
            }
        }
        output.show(&problems);
        targets
    }
}

impl ScenarioAnswer {
    /// The status of a process that has shown these outcomes.
    ///
    /// # Errors
    /// When no case has the text of the filter in its name.
    pub fn exit(&self) -> Result<ExitStatus, Failure> {
        if !self.unusable.is_empty() {
            return Ok(ExitStatus::Usage);
        }
        match &self.filter {
            Some(filter) if self.suites.is_empty() => {
                Err(Failure::usage(format!("no case has `{}` in its name", sanitize_line(filter))))
            }
            Some(_) | None => Ok(ExitStatus::passed(self.suites.iter().all(|suite| suite.failed() == 0))),
        }
    }
}
