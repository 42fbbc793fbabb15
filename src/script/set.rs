//! The scripts of a profile, compiled once.

use super::error::{ScriptError, ScriptFailure, failure_of};
use super::finding::{Finding, findings};
use super::limits::{Limit, MAX_OPERATIONS};
use super::sandbox;
use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest};
use crate::profile::Files;
use crate::value::decode::Spanned;
use rhai::{AST, Dynamic, Engine, EvalAltResult, Position, Scope};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// How often a script that ran out of operations at an unknown place is run again to find the place.
const MORE_OPERATIONS: u64 = 3;

/// A function of a [`ScriptSet`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunctionId(u32);

/// Compiled scripts and the functions that are called in them. Shared by all documents; a call changes nothing in it.
pub struct ScriptSet {
    engine: Engine,
    /// By file name; `None` for a file that is missing or does not compile, which has been reported.
    scripts: HashMap<String, Option<Script>>,
    functions: Vec<Function>,
}

#[derive(Clone)]
struct Script {
    ast: Arc<AST>,
    source: Arc<SourceFile>,
}

struct Function {
    script: String,
    name: String,
    ast: Arc<AST>,
    /// The line of its declaration: what a failure without a place of its own is pinned to.
    line: Option<usize>,
}

/// What a function is called with.
#[derive(Debug, Clone)]
pub struct Arguments(Vec<Dynamic>);

impl Arguments {
    /// For a rule or a measure: the candidate, and the source text (`()` when there is none).
    #[must_use]
    pub fn assessment(candidate: &Value, source: Option<&str>) -> Self {
        let source = source.map_or(Dynamic::UNIT, |text| Dynamic::from(text.to_owned()));
        Arguments(vec![sandbox::to_dynamic(candidate), source])
    }

    /// For a function of one value.
    #[must_use]
    pub fn one(value: &Value) -> Self {
        Arguments(vec![sandbox::to_dynamic(value)])
    }
}

impl Default for ScriptSet {
    fn default() -> Self {
        ScriptSet { engine: sandbox::engine(), scripts: HashMap::new(), functions: Vec::new() }
    }
}

impl fmt::Debug for ScriptSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.functions.iter().map(|x| format!("{}#{}", x.script, x.name))).finish()
    }
}

impl ScriptSet {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds the function that `her2.rhai#agree` names, in `rules/her2.rhai`, taking `parameters` values. Its file is
    /// compiled when it is named first. Every problem is reported where it stands: in the script, or at `reference`.
    pub fn function(
        &mut self,
        reference: &Spanned<String>,
        parameters: usize,
        files: &dyn Files,
        problems: &mut Problems,
    ) -> Option<FunctionId> {
        let Some((file, name)) =
            reference.value.split_once('#').filter(|(f, n)| !f.is_empty() && !n.is_empty())
        else {
            problems.push(
                Problem::error(
                    Code::BadScript,
                    &reference.span,
                    format!("expected a script and a function, found `{}`", reference.value),
                )
                .help("write `file.rhai#function`"),
            );
            return None;
        };
        let Script { ast, source } = self.script(file, &reference.span, files, problems)?;
        let found = ast.iter_functions().any(|f| f.name == name && f.params.len() == parameters);
        if !found {
            problems.push(missing_function(&ast, file, name, parameters, &reference.span));
            return None;
        }
        let known = self.functions.iter().position(|f| f.script == file && f.name == name);
        let index = known.unwrap_or_else(|| {
            let line = declaration(source.text(), name);
            self.functions.push(Function { script: file.to_owned(), name: name.to_owned(), ast, line });
            self.functions.len() - 1
        });
        u32::try_from(index).ok().map(FunctionId)
    }

    fn script(
        &mut self,
        file: &str,
        at: &Span,
        files: &dyn Files,
        problems: &mut Problems,
    ) -> Option<Script> {
        if let Some(known) = self.scripts.get(file) {
            return known.clone();
        }
        let path = format!("rules/{file}");
        let script = match files.read(&path) {
            Err(problem) => {
                problems.push(problem);
                None
            }
            Ok(None) => {
                let mut problem =
                    Problem::error(Code::MissingFile, at, format!("there is no script `{path}`"));
                let known = files.list("rules", ".rhai");
                let names = known.iter().filter_map(|name| name.strip_prefix("rules/"));
                if let Some(guess) = nearest(file, names) {
                    problem = problem.help(format!("did you mean `{guess}`?"));
                }
                problems.push(problem);
                None
            }
            Ok(Some(source)) => match self.engine.compile(source.text()) {
                Ok(ast) => Some(Script { ast: Arc::new(ast), source }),
                Err(error) => {
                    let span = place(&source, error.position());
                    problems.push(
                        Problem::error(Code::BadScript, &span, error.err_type().to_string())
                            .related(at, "this script is used here"),
                    );
                    None
                }
            },
        };
        self.scripts.insert(file.to_owned(), script.clone());
        script
    }

    /// `file.rhai#function`.
    #[must_use]
    pub fn name(&self, id: FunctionId) -> String {
        self.get(id).map(|f| format!("{}#{}", f.script, f.name)).unwrap_or_default()
    }

    /// Calls a rule function: `()`, a text, an issue map, or a list of them.
    ///
    /// # Errors
    /// When the script goes over a limit, fails, or returns something else.
    pub fn findings(&self, id: FunctionId, arguments: &Arguments) -> Result<Vec<Finding>, ScriptError> {
        let value = self.call(id, arguments)?;
        findings(value).map_err(|kind| self.error(id, None, kind))
    }

    /// Calls a measure function: a finite number.
    ///
    /// # Errors
    /// When the script goes over a limit, fails, or returns something else.
    pub fn number(&self, id: FunctionId, arguments: &Arguments) -> Result<f64, ScriptError> {
        let value = self.call(id, arguments)?;
        #[expect(clippy::cast_precision_loss, reason = "scores are small numbers")]
        let number = value.as_int().map(|int| int as f64).or_else(|_| value.as_float());
        let returned =
            |what: &str| self.error(id, None, ScriptFailure::Returned(format!("{what}; expected a number")));
        match number {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err(returned("an infinite or undefined number")),
            Err(kind) => Err(returned(kind)),
        }
    }

    /// Calls a criterion function: `true` or `false`.
    ///
    /// # Errors
    /// When the script goes over a limit, fails, or returns something else.
    pub fn truth(&self, id: FunctionId, arguments: &Arguments) -> Result<bool, ScriptError> {
        self.call(id, arguments)?.as_bool().map_err(|kind| {
            self.error(id, None, ScriptFailure::Returned(format!("{kind}; expected true or false")))
        })
    }

    fn get(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(id.0 as usize)
    }

    fn error(&self, id: FunctionId, line: Option<usize>, kind: ScriptFailure) -> ScriptError {
        let (script, function) = match self.get(id) {
            Some(f) => (f.script.clone(), f.name.clone()),
            None => ("?".to_owned(), "?".to_owned()),
        };
        ScriptError { script, function, line, kind }
    }

    fn call(&self, id: FunctionId, arguments: &Arguments) -> Result<Dynamic, ScriptError> {
        let Some(function) = self.get(id) else {
            let kind = ScriptFailure::Failed("this function belongs to another set of scripts".to_owned());
            return Err(self.error(id, None, kind));
        };
        run(&self.engine, function, arguments).map_err(|error| {
            let (kind, line) = failure_of(&error);
            let line = match (&kind, line) {
                (ScriptFailure::Limit(Limit::Operations), None) => later_line(function, arguments),
                (_, line) => line,
            };
            self.error(id, line.or(function.line), kind)
        })
    }
}

fn run(engine: &Engine, function: &Function, arguments: &Arguments) -> Result<Dynamic, Box<EvalAltResult>> {
    engine.call_fn(&mut Scope::new(), &function.ast, &function.name, arguments.0.clone())
}

/// Rhai counts some operations without a place. Scripts are deterministic, so one that ran out of operations at such
/// a place is run again with a few more, which ends at the operation after it.
fn later_line(function: &Function, arguments: &Arguments) -> Option<usize> {
    (1..=MORE_OPERATIONS).find_map(|more| {
        let engine = sandbox::engine_with(MAX_OPERATIONS + more);
        failure_of(run(&engine, function, arguments).err()?.as_ref()).1
    })
}

fn missing_function(ast: &AST, file: &str, name: &str, parameters: usize, at: &Span) -> Problem {
    let same_name = ast.iter_functions().find(|f| f.name == name).map(|f| f.params.len());
    if let Some(has) = same_name {
        let message = format!("`{name}` in `{file}` takes {has} values; it is called with {parameters}");
        let help = if parameters == 2 {
            format!("declare it as `fn {name}(candidate, source)`")
        } else {
            format!("give it {parameters} parameters")
        };
        return Problem::error(Code::BadScript, at, message).help(help);
    }
    let names: Vec<String> = ast.iter_functions().map(|f| f.name.to_owned()).collect();
    let help = match nearest(name, names.iter().map(String::as_str)) {
        Some(guess) => format!("did you mean `{file}#{guess}`?"),
        None if names.is_empty() => "the script declares no function".to_owned(),
        None => {
            format!("it declares {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))
        }
    };
    Problem::error(Code::BadScript, at, format!("`{file}` has no function `{name}`")).help(help)
}

/// The line, from 1, on which a function is declared. Rhai does not keep it.
fn declaration(text: &str, name: &str) -> Option<usize> {
    let declares = |line: &str| {
        let mut words = line.trim_start().trim_start_matches("private ").splitn(2, "fn ");
        words.next() == Some("")
            && words.next().is_some_and(|rest| {
                rest.trim_start().strip_prefix(name).is_some_and(|r| r.trim_start().starts_with('('))
            })
    };
    text.lines().position(declares).map(|at| at + 1)
}

/// The character at a position that Rhai gives in lines and columns.
fn place(source: &Arc<SourceFile>, position: Position) -> Span {
    let text = source.text();
    let line = position.line().unwrap_or(1);
    let line_start = if line <= 1 {
        0
    } else {
        text.match_indices('\n').nth(line - 2).map_or(text.len(), |(at, _)| at + 1)
    };
    let column = position.position().unwrap_or(1).saturating_sub(1);
    let rest = text.get(line_start..).unwrap_or_default();
    let at = line_start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
    Span::new(source, at, at + 1)
}
