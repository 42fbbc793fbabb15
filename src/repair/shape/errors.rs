//! What a validator finds wrong, as far as repairs look at it.

use crate::rules::Schema;
use crate::value::Fuel;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Deepest nesting of branches that is looked into.
const MAX_BRANCHES: usize = 8;
/// Most errors looked at in one round.
const MAX_ERRORS: usize = 10_000;

/// One error.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// Where in the value, as a JSON Pointer.
    pub(super) path: String,
    /// The keyword that says so.
    pub(super) keyword: String,
    /// Where the keyword is, by the way that led to it through the schema: tells errors at one place apart.
    pub(super) way: String,
    /// Members that it forbids.
    pub(super) unexpected: Vec<String>,
    /// The member that it lacks.
    pub(super) missing: Option<String>,
    /// What is wrong by each branch of `anyOf` or `oneOf`, when no branch fits.
    pub(super) branches: Vec<Vec<Wrong>>,
}

/// One branch of an `anyOf` or `oneOf` that fits no more than the others, and is tried.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Branch {
    /// Where in the value.
    pub(super) path: String,
    /// Where in the schema.
    pub(super) way: String,
    /// Its number.
    pub(super) index: usize,
}

/// A schema error that a value has: where and by which keyword, and nothing of the document but names of members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Remaining {
    /// Where in the value, as a JSON Pointer.
    pub path: String,
    /// The keyword that says so.
    pub keyword: String,
}

impl Remaining {
    /// Of the errors of a value the first ones, at most so many. Of a value that takes too long to check, that.
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

/// Stands in the place of a keyword when checking a value would take too many steps.
const TOO_MUCH: &str = "too many steps";

/// How much is wrong. Fewer errors are better; of the same number, less within them: errors in the best branches of
/// `anyOf` and `oneOf`, forbidden members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ErrorCount {
    /// Errors.
    pub(crate) errors: usize,
    /// What they are made of.
    pub(crate) within: usize,
}

impl ErrorCount {
    /// Of a value that takes too long to check, or when there is no fuel left, all there is: nothing is better than it.
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

    /// Of errors as they are mended: what is wrong within branches counts only as the one error that no branch fits, so that a
    /// change within a branch helps only when the value then fits it.
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

/// How many values stand in an error: each holds all that would have been allowed.
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

/// What is wrong with a value, or by a branch within a branch, …; nothing when that is no longer wrong. `None` when it can't be told:
/// checking takes too long, there is no fuel left, or several branches of a `oneOf` fit.
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

    /// Whether it is about what kind of value stands here. Other keywords speak about a value whose type they take for granted.
    pub(super) fn is_of_type(&self) -> bool {
        matches!(self.keyword.as_str(), "type" | "enum" | "const" | "anyOf" | "oneOf" | "falseSchema")
    }

    /// A branch of it.
    pub(super) fn branch(&self, index: usize) -> Branch {
        Branch { path: self.path.clone(), way: self.way.clone(), index }
    }
}
