//! Values brought closer to their schemas: by example, and for any schema and value.

use loopctl::profile::Repair;
use loopctl::repair::{MAX_STEPS, Operation, RepairKind, Repairer, SchemaRepairer, Shaped, apply, salvage};
use loopctl::rules::Schema;
use loopctl::value::{Cancel, Fuel};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const ALL: Repair = Repair {
    salvage: true,
    drop_invalid: true,
    drop_unknown: true,
    rewrap: true,
    coerce: true,
    trim: true,
    defaults: true,
};

fn shape(schema: &Value, value: &Value, settings: Repair) -> Shaped {
    SchemaRepairer::new("test", schema).unwrap().shape(value.clone(), settings, None, &Fuel::of(MAX_STEPS))
}

#[track_caller]
fn becomes(schema: &Value, value: &Value, expected: &Value, kinds: &[RepairKind]) {
    let shaped = shape(schema, value, Repair::default());
    assert_eq!(shaped.value, *expected, "{schema} {value}");
    assert_eq!(shaped.steps.iter().map(|step| step.kind).collect::<Vec<_>>(), kinds, "{schema} {value}");
}

#[test]
fn optional_values_that_the_schema_refuses_are_left_out() {
    use RepairKind::DropInvalid;
    for (property, wrong) in [
        (json!({"type": "string", "pattern": "^10\\."}), json!("")),
        (json!({"type": "string", "pattern": "^10\\."}), json!("doi: none")),
        (json!({"enum": ["a", "b"]}), json!("c")),
        (json!({"const": 1}), json!(2)),
        (json!({"type": "string", "format": "date"}), json!("yesterday")),
        (json!({"type": "string", "minLength": 1}), json!("")),
        (json!({"type": "string", "maxLength": 1}), json!("long")),
        (json!({"type": "number", "minimum": 0}), json!(-1)),
        (json!({"type": "number", "exclusiveMaximum": 1}), json!(1)),
        (json!({"multipleOf": 2}), json!(3)),
        (json!({"type": "string"}), json!(null)),
        (json!({"type": "array", "minItems": 1}), json!([])),
        (json!({"type": "integer"}), json!("unknown")),
        (json!(false), json!("x")),
        (json!({"anyOf": [{"type": "integer"}, {"type": "string", "format": "date"}]}), json!("x")),
        (json!({"$ref": "#/$defs/year"}), json!(12)),
    ] {
        let defs = json!({"year": {"type": "integer", "minimum": 1000}});
        let mut schema = json!({"$defs": defs, "properties": {"a": property, "b": {}}, "required": ["b"]});
        becomes(&schema, &json!({"a": wrong, "b": 1}), &json!({"b": 1}), &[DropInvalid]);
        schema["required"] = json!(["a"]);
        becomes(&schema, &json!({"a": wrong, "b": 1}), &json!({"a": wrong, "b": 1}), &[]);
    }
}

#[test]
fn nested_branches_leave_room_for_the_other_changes() {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "d": {"anyOf": [{"type": "number"}, {"anyOf": [{"type": "boolean"}, {"type": "null"}]}]},
            "o": {"oneOf": [{"type": "number"}, {"anyOf": [{"type": "boolean"}, {"oneOf": [{"type": "null"}]}]}]},
            "e": {"type": "integer"},
        },
        "required": ["o"],
    });
    let value = json!({"zz": 1, "d": " 5", "o": "unknown", "e": "4"});
    let shaped = shape(&schema, &value, Repair::default());
    assert_eq!(shaped.value, json!({"d": 5, "o": "unknown", "e": 4}));
    let again = shape(&schema, &shaped.value, Repair::default());
    assert!(again.steps.is_empty(), "{:?}", again.steps);
}

#[test]
fn what_may_be_required_is_never_left_out() {
    let wrong = json!({"a": "", "b": 1});
    for required in [
        json!({"allOf": [{"required": ["a"]}]}),
        json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"if": {"required": ["b"]}, "then": {"required": ["a"]}}),
        json!({"dependentRequired": {"b": ["a"]}}),
        json!({"$ref": "#/$defs/more", "$defs": {"more": {"required": ["a"]}}}),
    ] {
        let mut schema = required.clone();
        schema["properties"] = json!({"a": {"minLength": 1}});
        becomes(&schema, &wrong, &wrong, &[]);
    }
}

#[test]
fn content_that_is_worth_asking_for_again_stays() {
    let schema = json!({"properties": {"a": {"type": "string"}, "l": {"maxItems": 1}, "items": {"items": {"minLength": 2}}}});
    let value = json!({"a": {"name": "x"}, "l": [1, 2], "items": ["x"]});
    becomes(&schema, &value, &value, &[]);
    becomes(&schema, &json!({"items": ["", "xy"]}), &json!({"items": ["xy"]}), &[RepairKind::DropInvalid]);
}

#[test]
fn members_that_the_schema_forbids_are_left_out() {
    let closed =
        json!({"properties": {"a": {}}, "patternProperties": {"^x-": {}}, "additionalProperties": false});
    becomes(
        &closed,
        &json!({"a": 1, "x-y": 2, "b": 3, "c": 4}),
        &json!({"a": 1, "x-y": 2}),
        &[RepairKind::DropUnknown; 2],
    );
    let unevaluated = json!({"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false});
    becomes(&unevaluated, &json!({"a": 1, "b": 3}), &json!({"a": 1}), &[RepairKind::DropUnknown]);
    let nested = json!({"items": {"properties": {"a/b": closed}}});
    becomes(&nested, &json!([{"a/b": {"~": 1}}]), &json!([{"a/b": {}}]), &[RepairKind::DropUnknown]);
}

#[test]
fn types_are_changed_only_when_nothing_is_lost() {
    use RepairKind::{Coerce, DropInvalid, Trim, Unwrap, Wrap};
    let typed = |name: &str| json!({"properties": {"a": {"type": name}}, "required": ["a"]});
    for (name, value, expected, kinds) in [
        ("integer", json!("12"), json!(12), &[Coerce][..]),
        ("number", json!("1.50"), json!(1.5), &[Coerce]),
        ("number", json!(" 12 "), json!(12), &[Coerce]),
        ("number", json!("007"), json!("007"), &[]),
        ("number", json!("12 mg"), json!("12 mg"), &[]),
        ("number", json!("0.1234567890123456789"), json!("0.1234567890123456789"), &[]),
        ("boolean", json!("true"), json!(true), &[Coerce]),
        ("boolean", json!(1), json!(1), &[]),
        ("string", json!(12), json!("12"), &[Coerce]),
        ("string", json!(1.5), json!(1.5), &[]),
        ("string", json!(true), json!("true"), &[Coerce]),
        ("object", json!("{\"b\": 1}"), json!({"b": 1}), &[Coerce]),
        ("string", json!(["x"]), json!("x"), &[Unwrap]),
        ("string", json!(["x", "y"]), json!(["x", "y"]), &[]),
        ("array", json!("x"), json!(["x"]), &[Wrap]),
        ("array", json!("[1]"), json!([1]), &[Coerce]),
        ("integer", json!(["12"]), json!(12), &[Unwrap, Coerce]),
    ] {
        becomes(&typed(name), &json!({"a": value}), &json!({"a": expected}), kinds);
    }
    let list = json!({"properties": {"a": {"type": "array", "items": {"type": "object", "properties": {"id": {"pattern": "^x"}}}}}});
    becomes(&list, &json!({"a": {"id": "x"}}), &json!({"a": [{"id": "x"}]}), &[Wrap]);
    // Nothing in a list is still nothing.
    becomes(&list, &json!({"a": {"id": ""}}), &json!({}), &[DropInvalid]);
    let code = json!({"properties": {"a": {"enum": ["x", 5]}}, "required": ["a"]});
    becomes(&code, &json!({"a": " x\n"}), &json!({"a": "x"}), &[Trim]);
    becomes(&code, &json!({"a": "5"}), &json!({"a": 5}), &[Coerce]);
    // Harmless space stays.
    becomes(&typed("string"), &json!({"a": " x "}), &json!({"a": " x "}), &[]);
}

#[test]
fn no_branch_is_fitted_that_does_not_fit_in_the_end() {
    let of = |schema: Value| json!({"type": "object", "properties": {"e": schema}, "required": ["e"]});
    let code = json!([{"type": "string", "minLength": 5, "pattern": "^[A-Z]+$"}, {"type": "string", "format": "date", "minLength": 10}]);
    let drug = json!({"type": "object", "properties": {"kind": {"const": "drug"}, "name": {"type": "string"}}, "required": ["kind", "name"], "additionalProperties": false});
    let test = json!({"type": "object", "properties": {"kind": {"const": "test"}, "test": {"type": "string"}}, "required": ["kind", "test"], "additionalProperties": false});
    for (schema, value) in [
        (of(json!({"anyOf": code})), json!({"e": "ab"})),
        (of(json!({"anyOf": code})), json!({"e": "12"})),
        (of(json!({"oneOf": code})), json!({"e": "true"})),
        (of(json!({"anyOf": code})), json!({"e": "{\"a\": 1}"})),
        (of(json!({"allOf": [{"anyOf": code}]})), json!({"e": "ab"})),
        (of(json!({"allOf": [{"type": "array"}, {"type": "string"}]})), json!({"e": false})),
        (of(json!({"allOf": [{"type": "array"}, false]})), json!({"e": false})),
        (of(json!({"allOf": [{"anyOf": [{"type": "string"}]}, {"type": "object"}]})), json!({"e": false})),
        (of(json!({"$ref": "#/properties/f", "$comment": "x"})), json!({"e": [1, 2]})),
        (
            of(
                json!({"oneOf": [{"type": "number", "minimum": 5, "multipleOf": 2}, {"type": "number", "maximum": 1, "multipleOf": 5}]}),
            ),
            json!({"e": 3}),
        ),
        // Another branch takes texts, but not this one.
        (
            of(
                json!({"oneOf": [{"type": "number", "minimum": 5, "multipleOf": 2}, {"type": "string", "maxLength": 0}]}),
            ),
            json!({"e": 3}),
        ),
        (
            of(
                json!({"anyOf": [{"type": "array", "minItems": 2, "items": {"type": "integer"}}, {"type": "array", "minItems": 3}]}),
            ),
            json!({"e": ["x"]}),
        ),
        (
            json!({"anyOf": [{"type": "object", "required": ["p", "q"]}, {"type": "object", "required": ["r", "s"]}]}),
            json!({"z": 1}),
        ),
        (json!({"oneOf": [drug, test]}), json!({"kind": "test", "test": "q", "name": 1, "dose": 2})),
        (
            json!({"items": {"anyOf": [drug, test]}}),
            json!([{"kind": "drug", "name": "b", "test": "ECG"}, {"kind": "test", "test": "ECG"}]),
        ),
        // What says which branch is meant is not left out so that another fits.
        (
            json!({"oneOf": [{"properties": {"kind": {"const": "a"}}, "additionalProperties": false}, {"properties": {"kind": {"const": "b"}, "n": {"type": "integer"}}, "required": ["n"]}]}),
            json!({"kind": "b", "n": "many"}),
        ),
    ] {
        let mut schema = schema;
        if schema["properties"]["e"]["$ref"].is_string() {
            schema["properties"]["f"] = json!({"type": "string"});
        }
        becomes(&schema, &value, &value, &[]);
    }
}

#[test]
fn a_branch_that_fits_in_the_end_is_fitted() {
    use RepairKind::{Coerce, DropUnknown, Trim, Wrap};
    let drug = json!({"type": "object", "properties": {"kind": {"const": "drug"}, "mg": {"type": "integer"}, "note": {"type": "string"}}, "required": ["kind", "mg"], "additionalProperties": false});
    let test = json!({"type": "object", "properties": {"kind": {"const": "test"}, "test": {"type": "array", "items": {"type": "string"}}}, "required": ["kind", "test"], "additionalProperties": false});
    let either = json!({"items": {"anyOf": [{"oneOf": [drug, test]}, {"type": "null"}]}});
    for (value, expected, kinds) in [
        (json!([{"kind": "drug", "mg": "5"}]), json!([{"kind": "drug", "mg": 5}]), &[Coerce][..]),
        (
            json!([{"kind": "drug", "mg": "5", "note": 7}]),
            json!([{"kind": "drug", "mg": 5, "note": "7"}]),
            &[Coerce, Coerce],
        ),
        (json!([{"kind": "test", "test": "ECG"}]), json!([{"kind": "test", "test": ["ECG"]}]), &[Wrap]),
        (json!([{"kind": " drug", "mg": 5}]), json!([{"kind": "drug", "mg": 5}]), &[Trim]),
        (json!([{"kind": "drug", "mg": 5, "dose": 1}]), json!([{"kind": "drug", "mg": 5}]), &[DropUnknown]),
    ] {
        becomes(&either, &value, &expected, kinds);
    }
    let dated =
        json!({"properties": {"a": {"anyOf": [{"type": "string", "format": "date"}, {"type": "integer"}]}}});
    becomes(&dated, &json!({"a": "5"}), &json!({"a": 5}), &[Coerce]);
}

#[test]
fn a_record_is_no_map_and_a_map_is_no_record() {
    use RepairKind::{Unwrap, Wrap};
    let of = |schema: Value| json!({"properties": {"e": schema}, "required": ["e"]});
    let map = |of: &str| json!({"type": "object", "additionalProperties": {"type": of}});
    let record =
        json!({"type": "object", "properties": {"name": {"type": "string"}, "value": {"type": "number"}}});
    let closed = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": false});
    let list = |items: &Value| json!({"type": "array", "items": items});
    for (schema, value) in [
        (map("integer"), json!([{"key": "a", "value": 1}])),
        (map("number"), json!([{"name": "Hb", "value": 13.2}])),
        (map("string"), json!([{"marker": "ER", "result": "positive"}])),
        (map("string"), json!([{"ER": "positive"}])),
        (
            json!({"type": "object", "patternProperties": {"^[a-z]+$": {"type": "string"}}}),
            json!([{"marker": "er", "result": "x"}]),
        ),
        (
            json!({"anyOf": [map("string"), {"type": "null"}]}),
            json!([{"marker": "ER", "result": "positive"}]),
        ),
        (
            json!({"type": ["object", "null"], "additionalProperties": {"type": "string"}}),
            json!([{"marker": "ER", "result": "positive"}]),
        ),
        (
            json!({"type": "object", "properties": {"note": {"type": "string"}}, "additionalProperties": {"type": "string"}}),
            json!([{"marker": "ER", "result": "positive"}]),
        ),
        (json!({"type": "object"}), json!([{"a": 1}])),
        // Another record than the one that is wanted.
        (
            json!({"type": "object", "properties": {"size": {"type": "number"}}}),
            json!([{"marker": "ER", "result": "positive"}]),
        ),
        (closed.clone(), json!([{"name": "x", "marker": "ER", "result": "positive"}])),
        (list(&record), json!({"ER": "positive", "PR": "negative"})),
        (list(&map("string")), json!({"ER": "positive"})),
        (json!({"type": "array"}), json!({"ER": "positive"})),
    ] {
        let value = json!({ "e": value });
        becomes(&of(schema), &value, &value, &[]);
    }
    for (schema, value, expected, kind) in [
        (
            record.clone(),
            json!([{"name": "Hb", "value": 13.2}]),
            json!({"name": "Hb", "value": 13.2}),
            Unwrap,
        ),
        (closed, json!([{"name": "x"}]), json!({"name": "x"}), Unwrap),
        (list(&record), json!({"name": "Hb", "value": 13.2}), json!([{"name": "Hb", "value": 13.2}]), Wrap),
    ] {
        becomes(&of(schema), &json!({ "e": value }), &json!({ "e": expected }), &[kind]);
    }
}

#[test]
fn nothing_in_a_list_is_still_nothing() {
    let schema =
        json!({"properties": {"e": {"type": "array", "items": {"type": "string"}}}, "required": ["e"]});
    for nothing in
        [json!(""), json!(" "), json!("\u{a0}\u{200b}"), json!({"text": ""}), json!({}), json!(null)]
    {
        becomes(&schema, &json!({ "e": nothing }), &json!({ "e": nothing }), &[]);
    }
}

#[test]
fn each_pass_can_be_switched_off() {
    let schema = json!({
        "properties": {"p": {"minLength": 1}, "w": {"type": "array"}, "c": {"type": "integer"}, "t": {"pattern": "^x$"}, "d": {"default": 7}},
        "required": ["w", "c", "t", "d"],
        "additionalProperties": false,
    });
    let value = json!({"p": "", "u": 1, "w": true, "c": "3", "t": " x "});
    let count = |settings| shape(&schema, &value, settings).steps.len();
    assert_eq!(count(Repair::OFF), 0);
    assert_eq!(count(Repair { defaults: false, ..ALL }), 5);
    assert_eq!(count(ALL), 6);
    for (one, kind) in [
        (Repair { drop_invalid: true, ..Repair::OFF }, RepairKind::DropInvalid),
        (Repair { drop_unknown: true, ..Repair::OFF }, RepairKind::DropUnknown),
        (Repair { rewrap: true, ..Repair::OFF }, RepairKind::Wrap),
        (Repair { coerce: true, ..Repair::OFF }, RepairKind::Coerce),
        (Repair { trim: true, ..Repair::OFF }, RepairKind::Trim),
        (Repair { defaults: true, ..Repair::OFF }, RepairKind::Default),
    ] {
        let kinds: Vec<RepairKind> = shape(&schema, &value, one).steps.iter().map(|step| step.kind).collect();
        assert_eq!(kinds, [kind]);
    }
}

#[test]
fn a_change_can_be_refused() {
    let schema = json!({"properties": {"a": {"minLength": 1}, "b": {"type": "integer"}}});
    let schema_repairer = SchemaRepairer::new("test", &schema).unwrap();
    let mut veto = |_: &Value, after: &Value| after.get("a").is_none();
    let shaped = schema_repairer.shape(
        json!({"a": "", "b": "1"}),
        Repair::default(),
        Some(&mut veto),
        &Fuel::of(MAX_STEPS),
    );
    assert_eq!(shaped.value, json!({"a": "", "b": 1}));
}

#[test]
fn many_errors_of_a_kind_are_mended_at_once() {
    let schema = json!({"items": {"properties": {"n": {"type": "integer"}}, "additionalProperties": false}});
    let value: Value = (0..2_000).map(|n| json!({"n": n.to_string(), "extra": n})).collect();
    let shaped = shape(&schema, &value, Repair::default());
    assert_eq!(shaped.steps.len(), 4_000);
    assert_eq!(shaped.value, (0..2_000).map(|n| json!({"n": n})).collect::<Value>());
}

#[test]
fn many_errors_of_a_kind_are_judged_at_once_and_a_bad_change_does_not_hide_behind_good_ones() {
    let schema = json!({"items": {"properties": {"n": {"type": "integer"}, "m": {"minLength": 1}}}});
    let value: Value = (0..500).map(|n| json!({"n": n.to_string(), "m": ""})).collect();
    let schema_repairer = SchemaRepairer::new("test", &schema).unwrap();
    let keeps = |value: &Value| value.as_array().unwrap().iter().all(|item| item.get("m").is_some());
    let mut asked = 0;
    let mut veto = |_: &Value, after: &Value| {
        asked += 1;
        !keeps(after)
    };
    let shaped =
        schema_repairer.shape(value.clone(), Repair::default(), Some(&mut veto), &Fuel::of(MAX_STEPS));
    assert_eq!(shaped.value, (0..500).map(|n| json!({"n": n, "m": ""})).collect::<Value>());
    // Refused together, they are tried one by one.
    assert!((500..510).contains(&asked), "{asked}");
    asked = 0;
    let mut consent = |_: &Value, _: &Value| {
        asked += 1;
        false
    };
    let shaped = schema_repairer.shape(value, Repair::default(), Some(&mut consent), &Fuel::of(MAX_STEPS));
    assert_eq!(shaped.value, (0..500).map(|n| json!({"n": n})).collect::<Value>());
    assert_eq!((shaped.steps.len(), asked), (1_000, 2));
}

/// The cost of shaping a value with a veto that inspects all of it each time, and the outcome.
fn work(schema: &Value, value: &Value) -> (u64, Shaped) {
    let fuel = Fuel::of(MAX_STEPS);
    let cost = u64::try_from(value.to_string().len()).unwrap();
    let mut veto = |_: &Value, _: &Value| {
        fuel.spend(cost);
        false
    };
    let shaped = SchemaRepairer::new("test", schema).unwrap().shape(
        value.clone(),
        Repair::default(),
        Some(&mut veto),
        &fuel,
    );
    assert!(!fuel.is_spent());
    (fuel.spent(), shaped)
}

#[test]
fn many_mistakes_in_one_field_take_work_in_proportion() {
    let map = json!({"properties": {"ihcMarkers": {"additionalProperties": {"type": "string"}}, "other": {"type": "string"}}});
    let numbers = |count: usize| {
        let members: Map<String, Value> = (0..count).map(|at| (format!("marker{at}"), json!(at))).collect();
        json!({ "ihcMarkers": members, "other": "x" })
    };
    let closed = json!({"properties": {"a": {}}, "additionalProperties": false});
    let unknown =
        |count: usize| Value::Object((0..count).map(|at| (format!("unknown{at}"), json!(at))).collect());
    let nested = json!({"properties": {"rows": {"items": closed}}});
    let rows = |count: usize| json!({ "rows": vec![json!({"b": 1, "c": 2}); count] });
    for (schema, few, more) in [
        (&map, numbers(100), numbers(200)),
        (&closed, unknown(200), unknown(400)),
        (&nested, rows(100), rows(200)),
    ] {
        let ((less, _), (work, shaped)) = (work(schema, &few), work(schema, &more));
        assert!(work <= less * 5 / 2, "{schema}: {less} {work}");
        let left = Schema::compile("test", schema).unwrap();
        assert!(left.for_value(&shaped.value).unwrap().is_valid(&shaped.value), "{schema}");
    }
}

#[test]
fn what_is_not_mended_when_the_fuel_is_spent_or_work_is_cancelled_stays() {
    let schema = json!({"items": {"type": "integer"}});
    let value: Value = (0..10).map(|at| at.to_string()).collect();
    let schema_repairer = SchemaRepairer::new("test", &schema).unwrap();
    let after = |fuel: &Fuel| schema_repairer.shape(value.clone(), Repair::default(), None, fuel);
    let all = Fuel::of(MAX_STEPS);
    assert_eq!(after(&all).steps.len(), 10);
    let some = after(&Fuel::of(all.spent() / 2));
    assert!((1..10).contains(&some.steps.len()), "{}", some.steps.len());
    let mut patched = value.clone();
    some.steps.iter().for_each(|step| apply(&mut patched, &step.patch).unwrap());
    assert_eq!(patched, some.value);
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(after(&Fuel::new(MAX_STEPS, &cancel)).value, value);
}

#[test]
fn a_schema_that_multiplies_is_refused_and_so_is_a_value_for_one() {
    let mut defs = Map::new();
    for at in 0..12 {
        let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        defs.insert(format!("d{at}"), json!({"allOf": vec![next; 10]}));
    }
    defs.insert("d12".to_owned(), json!({"type": "string"}));
    let schema = json!({"$defs": defs, "$ref": "#/$defs/d0"});
    let why = SchemaRepairer::new("test", &schema).unwrap_err();
    assert!(why.starts_with("at `/$defs/d8` more than 20000 schemas apply to one value"), "{why}");

    let mut defs = Map::new();
    for at in 0..12 {
        let next = json!({"properties": {"a": {"$ref": format!("#/$defs/d{}", at + 1)}}});
        defs.insert(format!("d{at}"), json!({"allOf": vec![next; 10]}));
    }
    defs.insert("d12".to_owned(), json!({"type": "string"}));
    let schema = json!({"$defs": defs, "$ref": "#/$defs/d0"});
    let deep = (0..12).fold(json!(1), |value, _| json!({"a": value}));
    let repairer = Repairer::new(Repair::default(), "test", &schema).unwrap();
    assert_eq!(repairer.remaining(&deep).unwrap()[0].keyword, "too many steps");
    let shaped = shape(&schema, &deep, Repair::default());
    assert_eq!((shaped.value, shaped.steps.len()), (deep, 0));
}

#[test]
fn the_schema_chooses_from_several_values() {
    let schema = json!({"type": "object", "required": ["name"]});
    let repairer = Repairer::new(Repair::default(), "test", &schema).unwrap();
    let text = "{\"type\": \"thought\"}\n{\"name\": \"a\"}\n{\"name\": \"a\"}\n{\"other\": 1}";
    let mended = repairer.text(text, None, &Fuel::of(MAX_STEPS)).unwrap();
    assert_eq!(mended.value, json!({"name": "a"}));
    let kinds: Vec<RepairKind> = mended.steps.iter().map(|step| step.kind).collect();
    assert_eq!(kinds, [RepairKind::Repeated, RepairKind::Chosen]);
    let mut value = Value::Null;
    apply(&mut value, &mended.patch()).unwrap();
    assert_eq!(value, mended.value);
    assert_eq!(salvage(text).unwrap().value.as_array().unwrap().len(), 4);
}

/// Schemas of the keywords that repairs inspect, and of those that combine them.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "string", "minLength": 1})),
        Just(json!({"type": "string", "pattern": "^[0-9]+$"})),
        Just(json!({"type": "string", "format": "date"})),
        Just(json!({"type": "integer", "minimum": 5})),
        Just(json!({"type": ["number", "null"]})),
        Just(json!({"type": "boolean"})),
        Just(json!({"enum": ["x", 12, true, null]})),
        Just(json!({"const": "x"})),
        Just(json!({"$ref": "#/$defs/d"})),
        Just(json!({"type": "array"})),
        Just(json!({"type": "object"})),
        Just(json!({"not": {"type": "string"}})),
        Just(json!(true)),
        Just(json!(false)),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let branches = || prop::collection::vec(inner.clone(), 1..3);
        let object = (
            prop::collection::vec((name(), inner.clone()), 0..3),
            prop::collection::vec(name(), 0..2),
            prop_oneof![Just(json!(true)), Just(json!(false)), inner.clone()],
            prop::option::of(inner.clone()),
        )
            .prop_map(|(properties, required, additional, pattern)| {
                let properties: Map<String, Value> = properties.into_iter().collect();
                let mut required = required;
                required.dedup();
                let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": additional});
                if required.len() == 2 && required[0] == required[1] {
                    required.pop();
                }
                schema["required"] = json!(required);
                if let Some(pattern) = pattern {
                    schema["patternProperties"] = json!({"^[ab]": pattern});
                }
                schema
            });
        prop_oneof![
            4 => object,
            2 => (inner.clone(), 0..3_u32).prop_map(|(items, least)| json!({"type": "array", "items": items, "minItems": least})),
            1 => branches().prop_map(|of| json!({"anyOf": of})),
            1 => branches().prop_map(|of| json!({"oneOf": of})),
            1 => branches().prop_map(|of| json!({"allOf": of})),
            1 => (inner.clone(), inner.clone()).prop_map(|(when, then)| json!({"if": when, "then": then})),
            1 => inner.clone().prop_map(|of| json!({"dependentSchemas": {"a": of}, "dependentRequired": {"b": ["c"]}})),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just("a"), Just("b"), Just("c"), Just("d/e~")].prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just(""),
        Just("x"),
        Just(" x "),
        Just("12"),
        Just("007"),
        Just("true"),
        Just("2020-01-01"),
        Just("[1]"),
        Just("{}")
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..20_i32).prop_map(Value::from),
        Just(json!(1.5)),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

const TYPES: [&str; 6] = ["null", "boolean", "number", "string", "array", "object"];

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The types that a schema allows at the end of some steps: those of its own words that each `allOf` and one branch of each `anyOf`
/// and `oneOf` allow, too.
fn types_at(schema: &Value, root: &Value, steps: &[String], depth: usize) -> Vec<&'static str> {
    let Value::Object(members) = schema else {
        // What refuses a mapping says nothing of its members.
        return if *schema == json!(false) && steps.is_empty() { Vec::new() } else { TYPES.to_vec() };
    };
    if depth > 12 {
        return TYPES.to_vec();
    }
    let below = |part: &Value, steps: &[String]| types_at(part, root, steps, depth + 1);
    let mut types = TYPES.to_vec();
    let mut keep = |allowed: Vec<&'static str>| types.retain(|name| allowed.contains(name));
    match steps.split_first() {
        None => {
            let name = |name: &str| {
                TYPES
                    .into_iter()
                    .find(|known| *known == name || (name, *known) == ("integer", "number"))
                    .unwrap()
            };
            match members.get("type") {
                Some(Value::String(one)) => keep(vec![name(one)]),
                Some(Value::Array(several)) => {
                    keep(several.iter().map(|one| name(one.as_str().unwrap())).collect())
                }
                _ => {}
            }
            let listed = members.get("enum").and_then(Value::as_array);
            listed.into_iter().for_each(|listed| keep(listed.iter().map(type_of).collect()));
            members.get("const").into_iter().for_each(|one| keep(vec![type_of(one)]));
        }
        Some((step, rest)) => {
            let named = members.get("properties").and_then(|named| named.get(step));
            let by_pattern =
                members.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
            let by_pattern: Vec<&Value> =
                by_pattern.filter(|_| step.starts_with(['a', 'b'])).map(|(_, part)| part).collect();
            named.into_iter().chain(by_pattern.iter().copied()).for_each(|part| keep(below(part, rest)));
            let others =
                members.get("additionalProperties").filter(|_| named.is_none() && by_pattern.is_empty());
            let is_number = step.parse::<usize>().is_ok();
            // A list is told from an object with such names by the step alone.
            others.filter(|_| !is_number).into_iter().for_each(|part| keep(below(part, rest)));
            members.get("items").filter(|_| is_number).into_iter().for_each(|part| keep(below(part, rest)));
        }
    }
    if let Some(target) =
        members.get("$ref").and_then(Value::as_str).and_then(|name| root.pointer(&name[1..]))
    {
        keep(below(target, steps));
    }
    members
        .get("allOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .for_each(|part| keep(below(part, steps)));
    for key in ["anyOf", "oneOf"] {
        if let Some(branches) = members.get(key).and_then(Value::as_array) {
            keep(branches.iter().flat_map(|part| below(part, steps)).collect());
        }
    }
    types
}

/// The members that a schema requires without condition and that a value has, by the pointers of their objects.
fn required(
    schema: &Value,
    root: &Value,
    value: &Value,
    path: &str,
    depth: usize,
    found: &mut Vec<(String, String)>,
) {
    if depth > 8 {
        return;
    }
    if let Some(target) = schema["$ref"].as_str().and_then(|reference| root.pointer(&reference[1..])) {
        required(target, root, value, path, depth + 1, found);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        required(part, root, value, path, depth + 1, found);
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_some() {
            found.push((path.to_owned(), name.to_owned()));
        }
    }
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(member) = value.get(name) {
            let below = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            required(part, root, member, &below, depth + 1, found);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn no_value_gets_worse(schema in schema(), definition in schema(), value in value()) {
        let mut schema = schema;
        if let Value::Object(members) = &mut schema {
            members.insert("$defs".to_owned(), json!({"d": {"type": "array", "items": definition}}));
        } else {
            schema = definition;
        }
        prop_assume!(Schema::compile("test", &schema).is_ok());
        let validator = Schema::compile("test", &schema).unwrap();
        let shaped = shape(&schema, &value, ALL);

        let errors = |value: &Value| validator.for_value(value).unwrap().iter_errors(value).count();
        prop_assert!(errors(&shaped.value) <= errors(&value));
        if errors(&value) == 0 {
            prop_assert!(shaped.steps.is_empty());
        }

        let mut patched = value.clone();
        for step in &shaped.steps {
            apply(&mut patched, &step.patch).unwrap();
        }
        prop_assert_eq!(&patched, &shaped.value);

        let again = shape(&schema, &shaped.value, ALL);
        prop_assert!(again.steps.is_empty(), "{:?}", again.steps);

        // What was changed has a type that is allowed in the end: a text may be read as a list, and the list be its only item.
        let retypes = |kind| matches!(kind, RepairKind::Coerce | RepairKind::Wrap | RepairKind::Unwrap);
        for step in shaped.steps.iter().filter(|step| retypes(step.kind)) {
            for operation in &step.patch {
                let Operation::Replace { path, .. } = operation else { continue };
                let Some(value) = shaped.value.pointer(path) else { continue };
                let steps = path.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
                let types = types_at(&schema, &schema, &steps.collect::<Vec<_>>(), 0);
                prop_assert!(types.contains(&type_of(value)), "{} became {}: {:?}", path, value, step.kind);
            }
        }

        // Lists that are wrapped, unwrapped or lose empty elements, and texts that are read, move what is in them.
        let moved = shaped.steps.iter().any(|step| {
            matches!(step.kind, RepairKind::Wrap | RepairKind::Unwrap | RepairKind::Coerce)
                || step.patch.iter().any(|operation| matches!(operation, Operation::Remove { path } if path.ends_with(|c: char| c.is_ascii_digit())))
        });
        if !moved {
            let mut before = Vec::new();
            required(&schema, &schema, &value, "", 0, &mut before);
            for (object, name) in before {
                if let Some(object) = shaped.value.pointer(&object) {
                    prop_assert!(object.get(&name).is_some(), "{} lost {}", object, name);
                }
            }
        }
    }
}
