//! The errors that a validator finds, as far as repairs consider them.

use crate::rules::Schema;
use crate::value::Fuel;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Deepest nesting of branches that is inspected.
const MAX_BRANCHES: usize = 8;
/// Most errors inspected in one round.
const MAX_ERRORS: usize = 10_000;

/// One error.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// The location in the value, as a JSON Pointer.
    pub(super) path: String,
    /// The keyword that reports it.
    pub(super) keyword: String,
    /// The way to the keyword through the schema: tells errors at one location apart.
    pub(super) way: String,
    /// Members that it forbids.
    pub(super) unexpected: Vec<String>,
    /// The member that it lacks.
    pub(super) missing: Option<String>,
    /// The errors by each branch of `anyOf` or `oneOf`, when no branch fits.
    pub(super) branches: Vec<Vec<Wrong>>,
}

/// One branch of an `anyOf` or `oneOf` that fits no more than the others, and is tried.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Branch {
    /// The location in the value.
    pub(super) path: String,
    /// The location in the schema.
    pub(super) way: String,
    /// Its number.
    pub(super) index: usize,
}

/// A schema error of a value: its location and keyword, and nothing of the document but names of members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Remaining {
    /// The location in the value, as a JSON Pointer.
    pub path: String,
    /// The keyword that reports it.
    pub keyword: String,
}

impl Remaining {
    /// The first errors of a value, at most `most`. For a value that takes too long to check, the one error that says
    /// so.
    pub(super) fn of(schema: &Schema, value: &Value, most: usize) -> Vec<Self> {
        let Ok(validator) = schema.for_value(value) else {
            return vec![Remaining { path: String::new(), keyword: TOO_MUCH.to_owned() }];
        };
        let one = |error: ValidationError<'_>| Remaining {
            path: error.instance_path().as_str().to_owned(),
            keyword: error.kind().keyword().to_owned(),
        };
        validator.iter_errors(value).take(most).map(one).collect()
    }
}

/// Replaces a keyword when checking a value would take too many steps.
const TOO_MUCH: &str = "too many steps";

/// The amount of errors. Fewer errors are better; of the same number, fewer within them: errors in the best branches of
/// `anyOf` and `oneOf`, forbidden members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ErrorCount {
    /// Errors.
    pub errors: usize,
    /// The number of errors within them.
    pub within: usize,
}

impl ErrorCount {
    /// The count of a value. For one that takes too long to check, or when there is no fuel left, the maximum: nothing
    /// is better than it.
    pub(super) fn of(schema: &Schema, value: &Value, fuel: &Fuel) -> Self {
        let worst = ErrorCount { errors: usize::MAX / 2, within: 0 };
        let Ok(validator) = schema.for_value(value) else { return worst };
        if !fuel.spend(schema.steps(value)) {
            return worst;
        }
        let mut error_count = ErrorCount { errors: 0, within: 0 };
        for error in validator.iter_errors(value) {
            if !fuel.spend_on(copied(&error)) {
                return worst;
            }
            error_count.errors += 1;
            error_count.within += within(&error, 0);
        }
        error_count
    }

    /// The count of errors as they are mended: errors within branches count only as the one error that no branch fits,
    /// so that a change within a branch helps only when the value then fits it.
    pub(super) fn of_wrong(wrong: Option<&[Wrong]>) -> Self {
        wrong.map_or(ErrorCount { errors: usize::MAX / 2, within: 0 }, |wrong| ErrorCount {
            errors: wrong.len(),
            within: wrong.iter().map(|one| one.unexpected.len()).sum(),
        })
    }

    pub(super) fn total(self) -> usize {
        self.errors + self.within
    }

    pub(super) fn is_bad(self) -> bool {
        self.errors > 0
    }
}

/// The number of values in an error: each holds all that would have been allowed.
fn copied(error: &ValidationError<'_>) -> usize {
    match error.kind() {
        ValidationErrorKind::Enum { options } => 1 + options.as_array().map_or(0, Vec::len),
        _ => 1,
    }
}

fn branches<'e>(error: &'e ValidationError<'_>) -> Option<&'e Vec<Vec<ValidationError<'static>>>> {
    match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            Some(context)
        }
        _ => None,
    }
}

/// The errors of the branch that has the fewest; of one error about several members, each of them.
fn within(error: &ValidationError<'_>, depth: usize) -> usize {
    match branches(error) {
        None => unexpected(error).len(),
        Some(branches) if depth < MAX_BRANCHES => branches
            .iter()
            .map(|errors| errors.iter().map(|error| 1 + within(error, depth + 1)).sum())
            .min()
            .unwrap_or_default(),
        _ => 0,
    }
}

/// The members that an error says are forbidden.
fn unexpected<'e>(error: &'e ValidationError<'_>) -> &'e [String] {
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => unexpected,
        _ => &[],
    }
}

/// The errors of a value, or by a branch within a branch, …; empty when it has none any more. `None` when they can't be
/// determined: checking takes too long, there is no fuel left, or several branches of a `oneOf` fit.
pub(super) fn collect(
    schema: &Schema,
    value: &Value,
    branches: &[Branch],
    fuel: &Fuel,
) -> Option<Vec<Wrong>> {
    let validator = schema.for_value(value).ok()?;
    if !fuel.spend(schema.steps(value)) {
        return None;
    }
    let mut found = Vec::new();
    for error in validator.iter_errors(value) {
        if !fuel.spend_on(copied(&error)) {
            return None;
        }
        if found.len() < MAX_ERRORS {
            found.push(Wrong::of(&error, 0));
        }
    }
    for branch in branches {
        let same = |one: &Wrong| one.path == branch.path && one.way == branch.way;
        let Some(at) = found.iter().position(same) else { return Some(Vec::new()) };
        let mut within = found.swap_remove(at).branches;
        if branch.index >= within.len() {
            return None;
        }
        found = within.swap_remove(branch.index);
    }
    Some(found)
}

impl Wrong {
    fn of(error: &ValidationError<'_>, depth: usize) -> Self {
        let branches = branches(error).filter(|_| depth < MAX_BRANCHES).map_or_else(Vec::new, |branches| {
            branches
                .iter()
                .map(|errors| errors.iter().map(|error| Wrong::of(error, depth + 1)).collect())
                .collect()
        });
        let missing = match error.kind() {
            ValidationErrorKind::Required { property } => property.as_str().map(str::to_owned),
            _ => None,
        };
        Wrong {
            path: error.instance_path().as_str().to_owned(),
            keyword: error.kind().keyword().to_owned(),
            way: error.evaluation_path().as_str().to_owned(),
            unexpected: unexpected(error).to_vec(),
            missing,
            branches,
        }
    }

    /// Returns whether it is about the kind of value here. Other keywords speak about a value whose type they take for
    /// granted.
    pub(super) fn is_of_type(&self) -> bool {
        matches!(self.keyword.as_str(), "type" | "enum" | "const" | "anyOf" | "oneOf" | "falseSchema")
    }

    /// A branch of it.
    pub(super) fn branch(&self, index: usize) -> Branch {
        Branch { path: self.path.clone(), way: self.way.clone(), index }
    }
}
