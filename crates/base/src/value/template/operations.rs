//! The filters and tests of templates that exist.
//!
//! The template engine looks them up when it comes to them, which may be in the middle of a run; they are looked up
//! here when a template is loaded.

use super::engine::Program;
use crate::diag::nearest;
use minijinja::Environment;
use minijinja::machinery::Instruction;

/// An operation on a value in a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `value | NAME`.
    Filter,
    /// `value is NAME`.
    Test,
}

/// The filters that people want; each is offered only if there is one. The engine can't list its own.
const FILTERS: [&str; 39] = [
    "lower",
    "upper",
    "title",
    "capitalize",
    "replace",
    "length",
    "dictsort",
    "items",
    "reverse",
    "trim",
    "join",
    "split",
    "lines",
    "default",
    "round",
    "abs",
    "int",
    "float",
    "attr",
    "first",
    "last",
    "min",
    "max",
    "sort",
    "list",
    "string",
    "bool",
    "batch",
    "slice",
    "sum",
    "indent",
    "select",
    "reject",
    "selectattr",
    "rejectattr",
    "map",
    "groupby",
    "unique",
    "tojson",
];

/// The tests, likewise.
const TESTS: [&str; 24] = [
    "undefined",
    "defined",
    "none",
    "boolean",
    "odd",
    "even",
    "divisibleby",
    "number",
    "integer",
    "float",
    "string",
    "sequence",
    "iterable",
    "mapping",
    "startingwith",
    "endingwith",
    "lower",
    "upper",
    "eq",
    "ne",
    "lessthan",
    "greaterthan",
    "in",
    "true",
];

/// The names of filters in other template languages.
const ELSEWHERE: [(&str, &str); 11] = [
    ("upcase", "upper"),
    ("uppercase", "upper"),
    ("downcase", "lower"),
    ("lowercase", "lower"),
    ("strip", "trim"),
    ("size", "length"),
    ("len", "length"),
    ("json", "tojson"),
    ("to_json", "tojson"),
    ("jsonify", "tojson"),
    ("truncate", "slice"),
];

impl Operation {
    /// The word for it.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Operation::Filter => "filter",
            Operation::Test => "test",
        }
    }

    /// Returns whether there is one of that name.
    #[must_use]
    pub fn exists(self, environment: &Environment<'_>, name: &str) -> bool {
        // The engine ignores underscores.
        let name = name.replace('_', "");
        environment.empty_state().perform_test(self.what(), &[name.into()]).unwrap_or(false)
    }

    /// Advice about a name that does not exist.
    #[must_use]
    pub fn advice(self, environment: &Environment<'_>, name: &str) -> String {
        let all: &[&str] = match self {
            Operation::Filter => &FILTERS,
            Operation::Test => &TESTS,
        };
        let known = || all.iter().copied().filter(|known| self.exists(environment, known));
        let meant = match self {
            Operation::Filter => ELSEWHERE.iter().find(|(other, _)| *other == name).map(|(_, ours)| *ours),
            Operation::Test => None,
        };
        match meant.or_else(|| nearest(name, known())) {
            Some(guess) => format!("did you mean `{guess}`?"),
            None => format!("known: {}", known().collect::<Vec<_>>().join(", ")),
        }
    }
}

/// The filters and tests of a compiled template or condition that do not exist, each once.
#[must_use]
pub fn unknown_operations(program: &Program<'_>) -> Vec<(Operation, String)> {
    let environment = program.engine().environment();
    let mut unknown: Vec<(Operation, String)> = Vec::new();
    for instruction in program.instructions() {
        let (operation, name) = match instruction {
            Instruction::ApplyFilter(name, ..) => (Operation::Filter, *name),
            Instruction::PerformTest(name, ..) => (Operation::Test, *name),
            _ => continue,
        };
        if !operation.exists(environment, name) && !unknown.iter().any(|(_, known)| known == name) {
            unknown.push((operation, name.to_owned()));
        }
    }
    unknown
}

/// The functions that a compiled condition calls and that do not exist.
#[must_use]
pub fn unknown_functions(program: &Program<'_>) -> Vec<String> {
    let environment = program.engine().environment();
    let called = program.instructions().filter_map(|instruction| match instruction {
        Instruction::CallFunction(name, _) => Some(*name),
        _ => None,
    });
    called.filter(|name| !environment.globals().any(|(known, _)| known == *name)).map(str::to_owned).collect()
}
