//! The member by which an item of a list is known, as a schema or a rubric says.

use crate::workspace::Workspace;
use serde_json::{Value, json};

const STATEMENT: &str = "Date         Product        Amount
2024-05-01   Bolts            12.00
2024-05-02   Nails             3.50
2024-05-03   Screws            8.25
2024-05-06   Washers           2.75
";
const PROFILE: &str = "classify: null
stages:
  - { id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: extract.md, output: schemas/statement.schema.json }
assess:
  completeness: { rubric: statement }
  accuracy: grounding
overall: { completeness: 0.5, accuracy: 0.5 }
accept: { overall: 0.9 }
stop: { max_iterations: 2 }
";

/// A profile whose schema has an item behind a reference, with these members beside its own.
fn place(of_item: &Value, rubric: &str) -> Workspace {
    let place = Workspace::new();
    place.write("rules/rubrics/statement.yaml", rubric);
    place.write("profiles/statement.yaml", PROFILE);
    place.write("prompts/extract.md", "Extract from {{ source }}");
    let mut item = json!({"type": "object", "properties": {
        "date": {"type": "string", "format": "date"}, "product": {"type": "string"}, "amount": {"type": "number"},
    }});
    item.as_object_mut().unwrap().extend(of_item.as_object().unwrap().clone());
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/charge"}});
    let schema = json!({"type": "object", "properties": {"charges": list}, "$defs": {"charge": item}});
    place.write("schemas/statement.schema.json", schema.to_string());
    place
}

/// The support of the second amount, of a row whose product the answer took from the next one.
fn support(place: &Workspace) -> String {
    let extraction = json!({"charges": [
        {"date": "2024-05-01", "product": "Bolts", "amount": 12.0},
        {"date": "2024-05-02", "product": "Screws", "amount": 3.5},
        {"date": "2024-05-03", "product": "Screws", "amount": 8.25},
        {"date": "2024-05-06", "product": "Washers", "amount": 2.75},
    ]});
    let record =
        json!({"id": "a", "document_type": "unknown", "source": STATEMENT, "extraction": extraction});
    place.write("record.jsonl", record.to_string());
    let told = place.run_json(&["score", "-p", "statement", "record.jsonl"]);
    told["evidence"]["/charges/1/amount"]["support"].as_str().unwrap().to_owned()
}

#[test]
fn a_row_without_the_declared_key_of_its_item_verifies_nothing_of_it() {
    let plain = "types: { unknown: { required: [charges] } }";
    assert_eq!(support(&place(&json!({}), plain)), "verified");
    assert_eq!(support(&place(&json!({"x-key": "product"}), plain)), "undecided");
    let keyed = "fields: { charges: { item_key: product } }\ntypes: { unknown: { required: [charges] } }";
    assert_eq!(support(&place(&json!({}), keyed)), "undecided");
    // The rubric's goes first.
    let other = "fields: { charges: { item_key: date } }\ntypes: { unknown: { required: [charges] } }";
    assert_eq!(support(&place(&json!({"x-key": "product"}), other)), "verified");
}

#[test]
fn a_key_that_items_do_not_have_is_told() {
    let place = place(&json!({"x-key": "produkt"}), "types: { unknown: { required: [charges] } }");
    let out = place.run(&["check", "schemas/statement.schema.json"]);
    let told = format!("{}{}", out.err, out.out);
    assert!(
        told.contains("`x-key` names `produkt`, which the items do not have") && told.contains("`product`"),
        "{told}"
    );
}
