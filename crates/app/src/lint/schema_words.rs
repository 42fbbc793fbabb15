//! Keywords and names of a JSON Schema that are misspelt: a validator ignores an unknown keyword, so that its demand
//! has no effect.

use crate::diag::{Code, Problem, Problems, SourceFile, nearest};
use crate::score::ITEM_KEY;
use crate::value::prose::did_you_mean;
use crate::value::yaml::{Data, Entry, Node, parse};
use std::sync::Arc;

/// The keywords of all drafts, and those that other users of schemas add.
const KEYWORDS: [&str; 68] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "example",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "formatMaximum",
    "formatMinimum",
    "id",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
    ITEM_KEY,
];

/// Keywords whose value is a schema, or a list of them.
const SCHEMAS: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];

/// Keywords whose value is a mapping of names to schemas.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Keywords that add to a schema: members that it lacks may be there.
const ADDING: [&str; 10] = [
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "allOf",
    "anyOf",
    "dependentSchemas",
    "if",
    "oneOf",
    "patternProperties",
    "unevaluatedProperties",
];

/// Shortest keyword of which another word is treated as a misspelling: nearly everything is near to `if`.
const SHORTEST: usize = 4;

/// Checks a schema, which has been read before.
pub(super) fn check(file: &Arc<SourceFile>, problems: &mut Problems) {
    if let Some(root) = parse(file, &mut Problems::new()) {
        of_schema(&root, false, problems);
    }
}

/// `is_part`: beside other schemas that describe the same value.
fn of_schema(node: &Node, is_part: bool, problems: &mut Problems) {
    let Data::Map(entries) = &node.data else { return };
    for entry in entries {
        let key = entry.key.as_str();
        if !KEYWORDS.contains(&key) {
            misspelt(entry, problems);
        } else if key == ITEM_KEY {
            item_key(&entry.value, node, problems);
        } else if NAMED.contains(&key) {
            if let Data::Map(named) = &entry.value.data {
                named.iter().for_each(|inner| of_schema(&inner.value, key == "dependentSchemas", problems));
            }
        } else if SCHEMAS.contains(&key) {
            let is_part = matches!(key, "allOf" | "anyOf" | "oneOf" | "if" | "then" | "else" | "not");
            match &entry.value.data {
                Data::List(several) => several.iter().for_each(|one| of_schema(one, is_part, problems)),
                _ => of_schema(&entry.value, is_part, problems),
            }
        }
    }
    if !is_part && !entries.iter().any(|entry| ADDING.contains(&entry.key.as_str())) {
        undeclared(node, problems);
    }
}

fn misspelt(entry: &Entry, problems: &mut Problems) {
    let key = entry.key.as_str();
    let Some(guess) = nearest(key, KEYWORDS) else { return };
    let far = strsim::damerau_levenshtein(&key.to_lowercase(), &guess.to_lowercase());
    if guess.len() < SHORTEST || far > 2 || far * 3 > guess.len() {
        return;
    }
    let message = format!("a JSON Schema has no keyword `{key}`, so it is ignored");
    let problem = Problem::warning(Code::SchemaSlip, &entry.key_span, message);
    problems.push(problem.help(format!("did you mean `{guess}`?")));
}

/// The member that is to name the items of a list, which is one of their texts.
fn item_key(named: &Node, schema: &Node, problems: &mut Problems) {
    let Some(name) = named.as_text() else {
        let message = format!("`{ITEM_KEY}` is the name of a member of the items, not {}", named.kind());
        problems.push(Problem::warning(Code::SchemaSlip, &named.span, message));
        return;
    };
    let Some(Data::Map(members)) = item_members(schema).map(|members| &members.data) else { return };
    let message = match members.iter().find(|entry| entry.key == name) {
        None => format!("`{ITEM_KEY}` names `{name}`, which the items do not have, so nothing names an item"),
        Some(member) if is_number(&member.value) => {
            format!("`{ITEM_KEY}` names `{name}`, a number; only a text names an item")
        }
        Some(_) => return,
    };
    let problem = Problem::warning(Code::SchemaSlip, &named.span, message);
    problems.push(match nearest(name, members.iter().map(|entry| entry.key.as_str())) {
        Some(guess) if guess != name => problem.help(format!("did you mean `{guess}`?")),
        _ => problem.help("name a member of the items whose text tells them apart"),
    });
}

/// The members of a list's items, by the schema of the list or of an item.
fn item_members(schema: &Node) -> Option<&Node> {
    schema.get("properties").or_else(|| schema.get("items")?.get("properties"))
}

fn is_number(schema: &Node) -> bool {
    schema.get("type").and_then(Node::as_text).is_some_and(|kind| matches!(kind, "number" | "integer"))
}

/// Names that are required and that `properties` lacks.
fn undeclared(node: &Node, problems: &mut Problems) {
    let (Some(required), Some(properties)) = (node.get("required"), node.get("properties")) else { return };
    let (Data::List(required), Data::Map(properties)) = (&required.data, &properties.data) else { return };
    let is_closed = matches!(node.get("additionalProperties").map(|n| &n.data), Some(Data::Bool(false)));
    for item in required {
        let Some(name) = item.as_text() else { continue };
        if properties.iter().any(|entry| entry.key == name) {
            continue;
        }
        let so = if is_closed { ", so no answer can follow this schema" } else { "" };
        let message = format!("`{name}` is required, but `properties` does not have it{so}");
        let problem = Problem::warning(Code::SchemaSlip, &item.span, message);
        let known = properties.iter().map(|entry| entry.key.as_str());
        let help = format!("add `{name}` to `properties`, or take it out of `required`");
        problems.push(problem.help(did_you_mean(name, known, help)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(schema: &str) -> Vec<String> {
        let mut problems = Problems::new();
        check(&SourceFile::new("x.schema.json", schema), &mut problems);
        problems.iter().map(|p| format!("{}; {}", p.message, p.help.clone().unwrap_or_default())).collect()
    }

    #[test]
    fn only_what_is_nearly_a_keyword_is_a_slip() {
        let slips =
            said(r#"{ "properties": { "a": { "minLenght": 2, "propertys": {}, "tpye": "string" } } }"#);
        assert_eq!(slips.len(), 3, "{slips:?}");
        assert!(slips.iter().any(|slip| slip.ends_with("did you mean `minLength`?")), "{slips:?}");
        let fine = r#"{ "note": "", "x-order": 1, "description_de": "", "unit": "mm",
            "properties": { "requird": { "enum": [{ "tpye": 1 }], "default": { "minLenght": 1 } } } }"#;
        assert_eq!(said(fine), [""; 0]);
    }

    #[test]
    fn the_member_that_names_items_is_a_text_of_theirs() {
        let list = |key: &str, member: &str| {
            format!(
                r#"{{ "properties": {{ "rows": {{ "type": "array", "{key}": "{member}", "items":
                {{ "properties": {{ "product": {{ "type": "string" }}, "amount": {{ "type": "number" }} }} }} }} }} }}"#
            )
        };
        assert_eq!(said(&list("x-key", "product")), [""; 0]);
        assert_eq!(
            said(&list("x-key", "produkt")),
            [
                "`x-key` names `produkt`, which the items do not have, so nothing names an item; did you mean `product`?"
            ]
        );
        assert_eq!(
            said(&list("x-key", "amount")),
            [
                "`x-key` names `amount`, a number; only a text names an item; name a member of the items whose text tells them apart"
            ]
        );
        assert_eq!(
            said(&list("x_key", "product")),
            ["a JSON Schema has no keyword `x_key`, so it is ignored; did you mean `x-key`?"]
        );
        assert_eq!(
            said(r#"{ "x-key": 3 }"#),
            ["`x-key` is the name of a member of the items, not a number; "]
        );
    }

    #[test]
    fn what_is_required_is_declared_unless_it_may_stand_elsewhere() {
        let slips = said(r#"{ "required": ["margin", "a"], "properties": { "margins": {}, "a": {} } }"#);
        assert_eq!(
            slips,
            ["`margin` is required, but `properties` does not have it; did you mean `margins`?"]
        );
        let parts = r##"{ "properties": { "a": {} }, "required": ["b"], "allOf": [{ "$ref": "#/$defs/b" }],
            "$defs": { "b": { "properties": { "b": {} } } } }"##;
        assert_eq!(said(parts), [""; 0]);
        assert_eq!(said(r#"{ "anyOf": [{ "required": ["a"], "properties": {} }] }"#), [""; 0]);
    }
}
