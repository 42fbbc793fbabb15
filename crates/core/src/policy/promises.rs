//! The promises of a policy, ready to be checked against runs.

use super::Ended;
use super::promise::PromiseCondition;
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::profile::{DeclaredPromise, Files, ShippedPromise, Target};
use crate::script::{Arguments, FunctionId, ScriptSet};
use crate::value::decode::Spanned;
use std::fmt;

/// A promise is a function of one value: the run that has ended.
const PARAMETERS: usize = 1;

/// A property that must hold for every run.
#[derive(Debug, Clone)]
pub struct Promise {
    /// As it is written: `always: calls <= 6`, or the name of a shipped one.
    pub name: String,
    /// The property.
    pub kind: PromiseKind,
    /// The location at which it is written; `None` for a shipped one.
    pub span: Option<Span>,
}

/// A property that must hold for every run, by its form.
#[derive(Debug, Clone)]
pub enum PromiseKind {
    /// The condition at the end of every run.
    Always(PromiseCondition),
    /// The condition at the end of no run.
    Never(PromiseCondition),
    /// More of this score is never worse.
    Monotone(Target),
    /// A function returns true at the end of every run.
    Script(FunctionId),
    /// One that every policy makes.
    Shipped(ShippedPromise),
}

/// A shipped promise, or a line of one, that the policy does not make.
#[derive(Debug, Clone)]
pub struct Waiver {
    /// The promise.
    pub promise: ShippedPromise,
    /// The line of it; all of them, if absent.
    pub line: Option<String>,
    /// The reason why it is not made.
    pub because: String,
}

/// All promises of a policy.
#[derive(Debug, Default)]
pub struct Promises {
    /// The shipped ones that it makes, then its own.
    pub list: Vec<Promise>,
    /// The promises that it does not make.
    pub waived: Vec<Waiver>,
    scripts: ScriptSet,
}

impl Promises {
    /// Checks and compiles promises; `dimensions` are those of the profile. Mistakes go to `problems`, each with its
    /// location.
    pub fn compile(
        declared: &[DeclaredPromise],
        dimensions: &[&str],
        files: &dyn Files,
        problems: &mut Problems,
    ) -> Self {
        let mut promises = Promises::default();
        let mut own = Vec::new();
        for one in declared {
            if let DeclaredPromise::Waive { promise, line, because } = one {
                promises.waived.push(Waiver {
                    promise: promise.value,
                    line: line.as_ref().map(|line| line.value.clone()),
                    because: because.clone(),
                });
                continue;
            }
            own.extend(promises.compile_one(one, dimensions, files, problems));
        }
        let made = ShippedPromise::ALL.into_iter().filter(|one| !promises.is_waived(*one));
        promises.list = made
            .map(|one| Promise { name: one.as_str().to_owned(), kind: PromiseKind::Shipped(one), span: None })
            .collect();
        promises.list.extend(own);
        promises
    }

    fn compile_one(
        &mut self,
        declared: &DeclaredPromise,
        dimensions: &[&str],
        files: &dyn Files,
        problems: &mut Problems,
    ) -> Option<Promise> {
        let (form, written) = match declared {
            DeclaredPromise::Always(text) => ("always", text),
            DeclaredPromise::Never(text) => ("never", text),
            DeclaredPromise::Monotone(text) => ("monotone", text),
            DeclaredPromise::Script(text) => ("script", text),
            DeclaredPromise::Waive { .. } => return None,
        };
        let kind = match declared {
            DeclaredPromise::Always(text) => PromiseKind::Always(condition(text, dimensions, problems)?),
            DeclaredPromise::Never(text) => PromiseKind::Never(condition(text, dimensions, problems)?),
            DeclaredPromise::Monotone(name) => PromiseKind::Monotone(target(name, dimensions, problems)?),
            _ => PromiseKind::Script(self.scripts.function(written, PARAMETERS, files, problems)?),
        };
        Some(Promise { name: format!("{form}: {}", written.value), kind, span: Some(written.span.clone()) })
    }

    /// Returns whether a shipped promise is not made at all.
    #[must_use]
    pub fn is_waived(&self, promise: ShippedPromise) -> bool {
        self.waived.iter().any(|waiver| waiver.promise == promise && waiver.line.is_none())
    }

    /// Returns whether a line may be dead.
    #[must_use]
    pub fn may_be_dead(&self, line: &str) -> bool {
        self.waived.iter().any(|waiver| waiver.line.as_deref() == Some(line))
    }

    /// Returns whether a function of the author's own returns true for a run that has ended.
    ///
    /// # Errors
    /// Returns the reason why there is no answer.
    pub fn script_holds(&self, function: FunctionId, ended: &Ended<'_>) -> Result<bool, String> {
        let run = Arguments::one(&ended.for_script());
        self.scripts.truth(function, &run).map_err(|error| error.to_string())
    }
}

impl fmt::Display for Waiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.promise.as_str())?;
        if let Some(line) = &self.line {
            write!(f, " of `{line}`")?;
        }
        if self.because.is_empty() { Ok(()) } else { write!(f, ": {}", self.because) }
    }
}

fn condition(
    written: &Spanned<String>,
    dimensions: &[&str],
    problems: &mut Problems,
) -> Option<PromiseCondition> {
    match PromiseCondition::parse(&written.value, dimensions) {
        Ok(condition) => Some(condition),
        Err(error) => {
            let message = format!("this promise can't be used: {error}");
            let problem = Problem::error(Code::BadTemplate, &written.span, message);
            problems.push(problem.help("write a condition such as `not passed or issues.critical == 0`"));
            None
        }
    }
}

fn target(written: &Spanned<String>, dimensions: &[&str], problems: &mut Problems) -> Option<Target> {
    let name = written.value.as_str();
    if name == "overall" {
        return Some(Target::Overall);
    }
    if dimensions.contains(&name) {
        return Some(Target::Dimension(name.to_owned()));
    }
    let known = || dimensions.iter().copied().chain(["overall"]);
    let help = match nearest(name, known()) {
        Some(guess) => format!("did you mean `{guess}`?"),
        None => format!("known: {}", known().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ")),
    };
    let message = format!("no dimension is called `{name}`");
    problems.push(Problem::error(Code::UnknownName, &written.span, message).help(help));
    None
}
