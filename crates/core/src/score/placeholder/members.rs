//! Members of an answer at locations where no schema of it has them.

use super::super::issue::Issue;
use super::super::wording::plain_issue;
use super::Finder;
use super::declared::Declared;
use crate::value::{Segment, Severity, push_segment};
use serde_json::Value;
use std::collections::HashSet;

/// The code of an issue about a member that no schema of the answer knows.
const UNKNOWN_MEMBER: &str = "UNKNOWN_MEMBER";

/// Most unknown members that are named, and most objects with such.
const MOST_UNKNOWN: usize = 10;

impl Finder<'_> {
    /// The issues about members below the top of a candidate that no schema of the answer allows there.
    pub(in crate::score) fn unknown_below(&self, tree: &Value) -> Vec<Issue> {
        let mut found = Vec::new();
        let top = Declared::top(self.schemas);
        for (name, value) in tree.as_object().into_iter().flatten() {
            let mut pointer = String::new();
            push_segment(&mut pointer, Segment::Key(name));
            self.look_below(value, &top.field(name, self.schemas), &mut pointer, &mut found);
        }
        found
    }

    fn look_below(
        &self,
        value: &Value,
        declared: &Declared<'_>,
        pointer: &mut String,
        found: &mut Vec<Issue>,
    ) {
        if declared.is_empty() || found.len() >= MOST_UNKNOWN || !self.fuel.spend(1) {
            return;
        }
        let mut enter = |segment: Segment<'_>, child: &Value, below: &Declared<'_>| {
            let length = pointer.len();
            push_segment(pointer, segment);
            self.look_below(child, below, pointer, found);
            pointer.truncate(length);
        };
        match value {
            Value::Array(items) => {
                let below = declared.element();
                for (at, item) in items.iter().enumerate() {
                    enter(Segment::Index(at), item, &below);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    enter(Segment::Key(name), member, &declared.member(name));
                }
                let Some(known) = declared.closed() else { return };
                let is_known = |name: &&str| {
                    known.contains(name) || name.strip_suffix("_status").is_some_and(|of| known.contains(&of))
                };
                let unknown: Vec<&str> =
                    members.keys().map(String::as_str).filter(|name| !is_known(name)).collect();
                if unknown.is_empty() {
                    return;
                }
                let named = known.iter().take(MOST_UNKNOWN).map(|name| format!("`{name}`"));
                let named = named.collect::<Vec<_>>().join(", ");
                let fix = match known.len() {
                    0 => "leave it empty".to_owned(),
                    _ => format!("write only what the schema has here: {named}"),
                };
                found.extend(unknown_issue(pointer, &unknown, fix));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The issue about members at the top of a candidate that no schema of the answer allows.
    pub(in crate::score) fn unknown_members<'v>(
        &self,
        names: impl Iterator<Item = &'v str>,
    ) -> Option<Issue> {
        let known: HashSet<&str> = Declared::top(self.schemas).closed()?.into_iter().collect();
        let rubric: HashSet<&str> = self.program.rubric_fields().map(|field| &*field.name).collect();
        let into = |name: &str| self.schemas.iter().any(|one| one.into.as_deref() == Some(name));
        let is_known = |name: &str| {
            let of = name.strip_suffix("_status").unwrap_or(name);
            known.contains(name) || rubric.contains(of) || into(name)
        };
        let unknown: Vec<&str> = names.filter(|name| !is_known(name)).collect();
        let fix = "put the fields that the schema names at the top of the answer, and nothing else";
        unknown_issue("", &unknown, fix.to_owned())
    }
}

/// The issue about members that the schema does not have in the object at a pointer.
fn unknown_issue(within: &str, unknown: &[&str], fix: String) -> Option<Issue> {
    let first = unknown.first()?;
    let named: Vec<String> =
        unknown.iter().take(MOST_UNKNOWN).map(|name| format!("`{}`", Value::from(*name))).collect();
    let more = match unknown.len().saturating_sub(MOST_UNKNOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (members, are) = if unknown.len() == 1 { ("member", "is") } else { ("members", "are") };
    let mut pointer = within.to_owned();
    push_segment(&mut pointer, Segment::Key(first));
    let message = format!("the {members} {}{more} {are} not allowed here", named.join(", "));
    let issue = plain_issue(UNKNOWN_MEMBER, Severity::Minor, pointer, message);
    Some(Issue { suggested_fix: Some(fix.into()), ..issue })
}
