//! The scripts of a profile, compiled once.

use super::calls::{UnknownCall, registered, unknown_calls};
use super::error::{ScriptError, ScriptFailure, failure_of};
use super::finding::{Finding, findings};
use super::limits::{Limit, MAX_SCRIPT_BYTES};
use super::meter::Meter;
use super::sandbox;
use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest};
use crate::profile::Files;
use crate::value::Cancel;
use crate::value::decode::Spanned;
use rhai::{AST, CallFnOptions, Dynamic, Engine, EvalAltResult, Position, Scope};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A function of a `ScriptSet`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunctionId(u32);

/// Compiled scripts and the functions that are called in them. Shared by all documents; a call changes nothing in it.
pub struct ScriptSet {
    engine: Engine,
    /// By file name; `None` for a file that is missing or does not compile, which has been reported.
    scripts: HashMap<String, Option<ParsedScript>>,
    functions: Vec<Function>,
    /// The functions of the sandbox, by name and number of values; gathered for the first script.
    registered: Option<BTreeSet<(String, usize)>>,
}

#[derive(Clone)]
struct ParsedScript {
    ast: Arc<AST>,
    source: Arc<SourceFile>,
}

struct Function {
    script: String,
    name: String,
    parameters: Vec<String>,
    ast: Arc<AST>,
    source: Arc<SourceFile>,
}

/// The arguments of a function call.
#[derive(Debug, Clone)]
pub struct Arguments {
    values: Vec<Dynamic>,
    cancel: Cancel,
}

impl Arguments {
    /// For a rule or a measure: the candidate, and the source text (`()` when there is none).
    #[must_use]
    pub fn assessment(candidate: &Value, source: Option<&str>) -> Self {
        let source = source.map_or(Dynamic::UNIT, |text| Dynamic::from(text.to_owned()));
        Arguments::of(vec![sandbox::to_dynamic(candidate), source])
    }

    /// For a function of one value.
    #[must_use]
    pub fn one(value: &Value) -> Self {
        Arguments::of(vec![sandbox::to_dynamic(value)])
    }

    fn of(values: Vec<Dynamic>) -> Self {
        Arguments { values, cancel: Cancel::default() }
    }

    /// Ends the call, as if it had gone over a limit, on cancellation.
    #[must_use]
    pub fn with_cancel(self, cancel: &Cancel) -> Self {
        Arguments { cancel: cancel.clone(), ..self }
    }
}

impl Default for ScriptSet {
    fn default() -> Self {
        ScriptSet {
            engine: sandbox::engine(),
            scripts: HashMap::new(),
            functions: Vec::new(),
            registered: None,
        }
    }
}

impl fmt::Debug for ScriptSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.functions.iter().map(|x| format!("{}#{}", x.script, x.name))).finish()
    }
}

impl ScriptSet {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds the function that `her2.rhai#agree` names, in `rules/her2.rhai`, taking `parameters` values. Its file is
    /// compiled when it is first named. Every problem is reported at its source: in the script, or at `reference`.
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
        let ParsedScript { ast, source } = self.script(file, &reference.span, files, problems)?;
        let declared = ast.iter_functions().find(|f| f.name == name && f.params.len() == parameters);
        let Some(declared) = declared else {
            problems.push(missing_function(&ast, file, name, parameters, &reference.span));
            return None;
        };
        let known = self
            .functions
            .iter()
            .position(|f| f.script == file && f.name == name && f.parameters.len() == parameters);
        let index = known.unwrap_or_else(|| {
            let parameters = declared.params.iter().map(ToString::to_string).collect();
            let (script, name) = (file.to_owned(), name.to_owned());
            self.functions.push(Function { script, name, parameters, ast: Arc::clone(&ast), source });
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
    ) -> Option<ParsedScript> {
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
            Ok(Some(source)) if source.text().len() > MAX_SCRIPT_BYTES => {
                problems.push(too_long(&source).related(at, "this script is used here"));
                None
            }
            Ok(Some(source)) => match self.engine.compile(source.text()) {
                Ok(ast) => {
                    let known = self.registered.get_or_insert_with(|| registered(&self.engine));
                    for call in unknown_calls(&ast, known) {
                        problems.push(no_such_function(&call, &ast, known, &source));
                    }
                    Some(ParsedScript { ast: Arc::new(ast), source })
                }
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

    /// Compiles a script without asking for any of its functions. Errors in it go to `problems`.
    pub fn check(&self, source: &Arc<SourceFile>, problems: &mut Problems) {
        if source.text().len() > MAX_SCRIPT_BYTES {
            problems.push(too_long(source));
        } else if let Err(error) = self.engine.compile(source.text()) {
            let span = place(source, error.position());
            problems.push(Problem::error(Code::BadScript, &span, error.err_type().to_string()));
        }
    }

    /// `file.rhai#function`.
    #[must_use]
    pub fn name(&self, id: FunctionId) -> String {
        self.get(id).map(|f| format!("{}#{}", f.script, f.name)).unwrap_or_default()
    }

    /// Calls a rule function: `()`, a text, an issue map, or a list of them.
    ///
    /// # Errors
    /// Fails if the script goes over a limit, fails, or returns something else.
    pub fn findings(&self, id: FunctionId, arguments: &Arguments) -> Result<Vec<Finding>, ScriptError> {
        let value = self.call(id, arguments)?;
        findings(value).map_err(|kind| self.error(id, None, kind))
    }

    /// Calls a measure function: a finite number.
    ///
    /// # Errors
    /// Fails if the script goes over a limit, fails, or returns something else.
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
    /// Fails if the script goes over a limit, fails, or returns something else.
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
                // Reading as much once more is not worth a line.
                (ScriptFailure::Limit(Limit::TouchedBytes), None) => declared_line(function),
                (ScriptFailure::Limit(_), None) => place_of_limit(&self.engine, function, arguments),
                (_, line) => line,
            };
            self.error(id, line, kind)
        })
    }
}

fn run(engine: &Engine, function: &Function, arguments: &Arguments) -> Result<Dynamic, Box<EvalAltResult>> {
    let options = CallFnOptions::new().with_tag(Meter::new(&arguments.cancel).as_tag());
    engine.call_fn_with_options(
        options,
        &mut Scope::new(),
        &function.ast,
        &function.name,
        arguments.values.clone(),
    )
}

/// The line on which a call went over a limit.
///
/// On its way out of a function, Rhai replaces the position of such a failure by that of the call, and a call from
/// outside has none. So the function is run once more with its header blanked out, as a block at the top of its script,
/// where positions are kept. The header's line if that does not work.
fn place_of_limit(engine: &Engine, function: &Function, arguments: &Arguments) -> Option<usize> {
    let text = function.source.text();
    let header = header(text, &function.name)?;
    let blank: String = text.get(header.clone())?.chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
    let block = format!("{}{blank}{}", text.get(..header.start)?, text.get(header.end..)?);
    let mut scope = Scope::new();
    for (name, value) in function.parameters.iter().zip(&arguments.values) {
        scope.push_dynamic(name.as_str(), value.clone());
    }
    let line = engine.compile_with_scope(&scope, block).ok().and_then(|ast| {
        let error = engine.eval_ast_with_scope::<Dynamic>(&mut scope, &ast).err()?;
        failure_of(&error).1
    });
    line.or_else(|| declared_line(function))
}

fn declared_line(function: &Function) -> Option<usize> {
    let text = function.source.text();
    Some(text.get(..header(text, &function.name)?.start)?.matches('\n').count() + 1)
}

/// From `fn` up to the `{` of a function's body.
fn header(text: &str, name: &str) -> Option<Range<usize>> {
    text.match_indices(name).find_map(|(at, _)| {
        let before = text.get(..at)?.trim_end();
        let start = before.strip_suffix("fn")?.trim_end();
        let start = start.strip_suffix("private").unwrap_or(start).len();
        let (parameters, _) = text.get(at + name.len()..)?.split_once('{')?;
        parameters.trim_start().starts_with('(').then_some(start..at + name.len() + parameters.len())
    })
}

fn missing_function(ast: &AST, file: &str, name: &str, parameters: usize, at: &Span) -> Problem {
    let same_name = ast.iter_functions().find(|f| f.name == name).map(|f| f.params.len());
    if let Some(has) = same_name {
        let message = format!("`{name}` in `{file}` takes {}; it is called with {parameters}", several(has));
        let help = if parameters == 2 {
            format!("declare it as `fn {name}(candidate, source)`")
        } else {
            format!("give it {parameters} parameter{}", if parameters == 1 { "" } else { "s" })
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

fn too_long(source: &Arc<SourceFile>) -> Problem {
    let message = format!("this script has more than {MAX_SCRIPT_BYTES} bytes");
    Problem::error(Code::TooLarge, &Span::new(source, 0, 1), message)
        .help("lists of words belong into rules (`one_of`), not into a script")
}

fn several(count: usize) -> String {
    if count == 1 { "1 value".to_owned() } else { format!("{count} values") }
}

/// A call in a script to a function that neither the script nor the sandbox has.
fn no_such_function(
    call: &UnknownCall,
    ast: &AST,
    registered: &BTreeSet<(String, usize)>,
    source: &Arc<SourceFile>,
) -> Problem {
    let name = &call.name;
    let start = place(source, call.at).start();
    // For `text.shout()`, as for `shout(text)`, Rhai knows the position of the name.
    let span = Span::new(source, start, start + name.len());
    if !call.takes.is_empty() {
        let takes: Vec<String> = call.takes.iter().map(ToString::to_string).collect();
        let message =
            format!("`{name}` is called with {}; it takes {}", several(call.values), takes.join(" or "));
        return Problem::error(Code::BadScript, &span, message)
            .help("in `a.f(b)` the value before the dot counts as the first");
    }
    let declared: Vec<String> = ast.iter_functions().map(|function| function.name.to_owned()).collect();
    let known = declared.iter().chain(registered.iter().map(|(name, _)| name)).map(String::as_str);
    let known = known.filter(|name| name.starts_with(|c: char| c.is_alphabetic()) && !name.contains('$'));
    let message = format!("there is no function `{name}`");
    let problem = Problem::error(Code::BadScript, &span, message);
    match nearest(name, known) {
        Some(guess) => problem.help(format!("did you mean `{guess}`?")),
        None => problem.help(format!(
            "declare it in this script, as `fn {name}(…) {{ … }}`; a script sees no other script, no files, no clock"
        )),
    }
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
