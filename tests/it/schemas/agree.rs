//! A schema and its decoder refuse the same mistakes of form, and take the same files.

use super::declared::mappings;
use super::files::shipped;
use super::{is_of_form, json_of, mistakes, refusals, root, validator};
use loopctl::reference::{FILE_KINDS, FileKind};
use loopctl::value::shape::{Key, Mapping, Names, Open, Shape};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::sync::LazyLock;

/// A way from the top of a file to a mapping in it.
#[derive(Clone)]
struct Way {
    mapping: &'static Mapping,
    /// The mappings above, each with the key that leads on and how its value holds the next one.
    above: Vec<(&'static Mapping, String, Vec<Wrap>)>,
}

#[derive(Clone)]
enum Wrap {
    List,
    Under(String),
}

/// A name that may be used in an open mapping.
fn name_for(open: &Open) -> String {
    match open.names {
        Names::Known(names) => names[0].to_owned(),
        _ if open.key == "CODE" => "A_CODE".to_owned(),
        _ if open.key == "WORD" => "word".to_owned(),
        _ => "quality".to_owned(),
    }
}

/// Every mapping in a shape, and how a value holds it.
fn inside(shape: &Shape) -> Vec<(Vec<Wrap>, &'static Mapping)> {
    let wrapped = |wrap: Wrap, of: &Shape| {
        let all = inside(of).into_iter();
        all.map(|(mut wraps, mapping)| {
            wraps.insert(0, wrap.clone());
            (wraps, mapping)
        })
        .collect()
    };
    match shape {
        Shape::Mapping(mapping) => vec![(Vec::new(), *mapping)],
        Shape::AnyOf(alternatives) => alternatives.iter().flat_map(inside).collect(),
        Shape::List(of) => wrapped(Wrap::List, of),
        Shape::Map(open) => wrapped(Wrap::Under(name_for(open)), &(open.shape)()),
        _ => Vec::new(),
    }
}

/// One way to each mapping of a kind of file.
fn ways(kind: &FileKind) -> Vec<Way> {
    let mut found = vec![Way { mapping: kind.root, above: Vec::new() }];
    let mut queue = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        let way = found[at].clone();
        let keys = way.mapping.all_keys().map(|key| (key.name.to_owned(), key.shape()));
        let open = way.mapping.open.map(|open| (name_for(&open), (open.shape)()));
        for (name, shape) in keys.chain(open) {
            for (wraps, mapping) in inside(&shape) {
                if found.iter().any(|known| std::ptr::eq(known.mapping, mapping)) {
                    continue;
                }
                let mut above = way.above.clone();
                above.push((way.mapping, name.clone(), wraps));
                queue.push_back(found.len());
                found.push(Way { mapping, above });
            }
        }
    }
    found
}

/// A mapping with what it must have.
fn least(mapping: &Mapping) -> Map<String, Value> {
    let mut value: Map<String, Value> = mapping
        .all_keys()
        .filter(|key| key.required)
        .map(|key| (key.name.to_owned(), json_of(key.name, key.examples[0])))
        .collect();
    match mapping.name {
        "case" => drop(value.insert("trajectory".into(), json!([{ "scores": 1 }]))),
        "stop" => drop(value.insert("max_iterations".into(), json!(1))),
        "expected_request" => drop(value.insert("stage".into(), json!("x"))),
        "profile" => drop(value.insert("extends".into(), json!("parent"))),
        "rule" => drop(value.insert("required".into(), json!(true))),
        _ => {}
    }
    value
}

/// The file in which the mapping at the end of a way is this.
fn file(way: &Way, value: Map<String, Value>) -> Value {
    let mut value = Value::Object(value);
    for (mapping, name, wraps) in way.above.iter().rev() {
        for wrap in wraps.iter().rev() {
            value = match wrap {
                Wrap::List => json!([value]),
                Wrap::Under(name) => json!({ name: value }),
            };
        }
        let mut holder = least(mapping);
        // A group of criteria, a gate and the like hold one thing only.
        if ["criterion", "gate"].contains(&mapping.name) {
            holder.clear();
        }
        if mapping.name == "case" && ["candidates", "outputs"].contains(&name.as_str()) {
            holder.remove("trajectory");
        }
        holder.insert(name.clone(), value);
        value = Value::Object(holder);
    }
    value
}

/// Every key of every mapping of a kind, with the way to it.
fn keys(kind: &'static FileKind) -> Vec<(Way, &'static Key)> {
    ways(kind)
        .into_iter()
        .flat_map(|way| way.mapping.all_keys().map(|key| (way.clone(), key)).collect::<Vec<_>>())
        .collect()
}

/// A mapping that has a key and little else.
fn with(mapping: &Mapping, name: &str, value: Value) -> Map<String, Value> {
    let mut holder = least(mapping);
    let rivals: &[&str] = match (mapping.name, name) {
        ("case", "candidates" | "outputs" | "unreadable") => &["trajectory"],
        ("case", "answers") => &["trajectory"],
        ("expected_request", "judge") => &["stage"],
        _ => &[],
    };
    rivals.iter().for_each(|rival| drop(holder.remove(*rival)));
    if (mapping.name, name) == ("case", "answers") {
        holder.insert("candidates".into(), json!([{}]));
    }
    holder.insert(name.to_owned(), value);
    holder
}

#[test]
fn every_mapping_can_be_reached() {
    for kind in &FILE_KINDS {
        assert_eq!(ways(kind).len(), mappings(kind.root).len(), "{}", kind.name);
    }
}

#[test]
fn every_example_is_taken() {
    let mut looked_at = 0;
    for kind in &FILE_KINDS {
        let validator = validator(kind);
        for (way, key) in keys(kind) {
            for example in key.examples.iter().chain(&key.default) {
                let place = format!("{}: `{}: {example}` of `{}`", kind.name, key.name, way.mapping.name);
                let example = json_of(&place, example);
                if exception(kind, way.mapping.name, key.name, &example).is_some() {
                    continue;
                }
                let file = file(&way, with(way.mapping, key.name, example));
                let found = refusals(&validator, &file);
                assert!(found.is_empty(), "{place}: {found:#?}\n{file:#}");
                let wrong: Vec<_> = mistakes(kind, &file.to_string())
                    .into_iter()
                    .filter(|(code, _)| is_of_form(*code))
                    .collect();
                assert!(wrong.is_empty(), "{place}: {wrong:#?}\n{file:#}");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 400, "{looked_at}");
}

/// Values of every type, in and out of bounds.
fn pool() -> Vec<Value> {
    vec![
        json!(true),
        json!(false),
        json!(-1),
        json!(0),
        json!(7),
        json!(0.5),
        json!(-0.5),
        json!(1e12),
        json!("?!"),
        json!("10s"),
        json!("0s"),
        json!("word"),
        json!([]),
        json!(["word"]),
        json!([[1]]),
        json!({}),
        json!({ "zzz": 1 }),
    ]
}

/// The reason why the decoder finds something wrong that a schema does not, where there is one.
fn exception(kind: &FileKind, mapping: &str, key: &str, value: &Value) -> Option<&'static str> {
    match (kind.name, mapping, key) {
        _ if value == &json!(1e12) => Some("JSON Schema takes a number without a fraction for a whole one"),
        ("profile", "on_failure", "then") if value == &json!({}) => Some("the rest may be inherited"),
        ("profile", "judge", "scale") if value == &json!([]) => {
            Some("how long a list must be is beyond our schemas")
        }
        ("profile", "certify", "grid") if value == &json!([]) => {
            Some("how long a list must be is beyond our schemas")
        }
        ("profile", "threshold_range", "from") => Some("that it is not below `to` is beyond a schema"),
        ("evidence", "counts", _) | ("evidence", "evidence", "labelled") => {
            Some("that patterns have no more values than were labelled is beyond a schema")
        }
        ("profile", "ensemble", "quorum") => Some("how many judges there are is beyond a schema"),
        _ => None,
    }
}

/// Says where a decoder and its schema do not agree about a file; `None` where they do.
fn disagreement(kind: &'static FileKind, validator: &jsonschema::Validator, file: &Value) -> Option<String> {
    let by_decoder = mistakes(kind, &file.to_string());
    let by_schema = refusals(validator, file);
    let of_form = by_decoder.iter().any(|(code, _)| is_of_form(*code));
    if of_form && by_schema.is_empty() {
        return Some(format!("{}: only the decoder refuses {file}\n  {by_decoder:?}", kind.name));
    }
    if by_decoder.is_empty() && !by_schema.is_empty() {
        return Some(format!("{}: only the schema refuses {file}\n  {by_schema:?}", kind.name));
    }
    None
}

#[test]
fn a_wrong_value_of_any_key_is_refused_by_both_or_by_none() {
    let mut wrong = Vec::new();
    for kind in &FILE_KINDS {
        let validator = validator(kind);
        for (way, key) in keys(kind) {
            for value in pool() {
                if exception(kind, way.mapping.name, key.name, &value).is_some() {
                    continue;
                }
                let file = file(&way, with(way.mapping, key.name, value.clone()));
                let place = format!("{}.{}", way.mapping.name, key.name);
                wrong.extend(
                    disagreement(kind, &validator, &file).map(|why| format!("{place}: {value}: {why}")),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn an_unknown_key_in_any_mapping_is_refused_by_both() {
    for kind in &FILE_KINDS {
        let validator = validator(kind);
        for way in ways(kind).into_iter().filter(|way| way.mapping.open.is_none()) {
            let mut holder = least(way.mapping);
            if way.mapping.name == "criterion" {
                holder.clear();
            }
            holder.insert("zzz".into(), json!(1));
            let file = file(&way, holder);
            let of_form = mistakes(kind, &file.to_string()).iter().any(|(code, _)| is_of_form(*code));
            assert!(of_form, "{}: {} takes `zzz`\n{file:#}", kind.name, way.mapping.name);
            assert!(
                !validator.is_valid(&file),
                "{}: the schema takes `zzz` in {}",
                kind.name,
                way.mapping.name
            );
        }
    }
}

/// The shipped files with their kinds and schemas.
static SHIPPED: LazyLock<Vec<(&'static FileKind, jsonschema::Validator, Value)>> = LazyLock::new(|| {
    let files = shipped().into_iter().filter(|(path, _)| !path.ends_with("broken-profile.yaml"));
    files
        .map(|(path, kind)| {
            let text = std::fs::read_to_string(root().join(&path)).unwrap();
            (kind, validator(kind), json_of(path.to_str().unwrap(), &text))
        })
        .collect()
});

/// Changes the value that is met as the `at`th from the top.
fn change(value: &mut Value, at: &mut usize, how: &Change) -> bool {
    match value {
        Value::Object(members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            for name in names {
                if *at == 0 {
                    match how {
                        Change::Delete => drop(members.shift_remove(&name)),
                        Change::Rename => {
                            if let Some(value) = members.shift_remove(&name) {
                                members.insert(format!("{name}x"), value);
                            }
                        }
                        Change::Replace(other) => drop(members.insert(name, other.clone())),
                    }
                    return true;
                }
                *at -= 1;
                if members.get_mut(&name).is_some_and(|inner| change(inner, at, how)) {
                    return true;
                }
            }
            false
        }
        Value::Array(items) => items.iter_mut().any(|item| {
            if *at == 0
                && let Change::Replace(other) = how
            {
                *item = other.clone();
                return true;
            }
            *at = at.saturating_sub(1);
            change(item, at, how)
        }),
        _ => false,
    }
}

#[derive(Debug, Clone)]
enum Change {
    Delete,
    Rename,
    Replace(Value),
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, max_global_rejects: 1 << 20, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_file_is_refused_by_both_or_by_none(
        file in any::<prop::sample::Index>(),
        at in 0usize..300,
        how in prop_oneof![
            Just(Change::Delete),
            Just(Change::Rename),
            prop::sample::select(pool()).prop_map(Change::Replace),
        ],
    ) {
        let (kind, validator, value) = file.get(&SHIPPED);
        let mut value = value.clone();
        prop_assume!(change(&mut value, &mut { at }, &how));
        prop_assume!(!matches!(&how, Change::Replace(other) if other == &json!(1e12)));
        if let Some(why) = disagreement(kind, validator, &value) {
            return Err(TestCaseError::fail(why));
        }
    }
}
