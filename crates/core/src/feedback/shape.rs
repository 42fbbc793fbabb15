//! Knowledge of the values in a template: which have members, and which.

use super::Role;

/// The known shape of a value in a template.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// Nothing.
    Any,
    /// A text, a number or a truth: it has no members.
    Plain,
    /// A list of these.
    List(Box<Shape>),
    /// These members and no others; the text says whose they are.
    Record(&'static str, &'static [&'static str]),
}

const ISSUE: Shape =
    Shape::Record("an issue", &["code", "severity", "path", "message", "rule", "suggested_fix"]);
const PASSAGE: Shape = Shape::Record("a passage", &["file", "text"]);
const ASKED: Shape =
    Shape::Record("a value", &["field", "description", "value", "passage", "sentence", "heading"]);
/// The variable `loop` inside of a loop.
pub(super) const LOOP: Shape = Shape::Record(
    "`loop`",
    &[
        "index",
        "index0",
        "revindex",
        "revindex0",
        "first",
        "last",
        "length",
        "depth",
        "depth0",
        "previtem",
        "nextitem",
        "cycle",
        "changed",
    ],
);

/// The shape of a variable of a role.
pub(super) fn shape_of(role: Role, name: &str) -> Shape {
    match (role, name) {
        (Role::Feedback, "critical" | "major" | "minor") => Shape::List(Box::new(ISSUE)),
        (Role::Feedback, "missing" | "priority" | "suggestions" | "locked" | "failed_attempts") => {
            Shape::List(Box::new(Shape::Plain))
        }
        (Role::ValueJudge, "asked") => Shape::List(Box::new(ASKED)),
        (Role::Stage, "context") => Shape::List(Box::new(PASSAGE)),
        // The stages and variables depend on the profile; see `Templates::add_stage` and `plan::Plan`.
        (Role::Stage, "stages" | "variables") => Shape::Any,
        _ => Shape::Plain,
    }
}

/// The shape of the elements of a list.
pub(super) fn element(shape: Shape) -> Shape {
    match shape {
        Shape::List(element) => *element,
        _ => Shape::Any,
    }
}
