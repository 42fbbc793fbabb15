//! Every key that is declared for a profile changes what `explain` and `profile diff` say of it: by a setting of the
//! list beside, or else by the example that its declaration gives.

use super::explained::{SETTINGS, all_explained, everything, explained};
use loopctl::diag::Problems;
use loopctl::profile::{Profile, load};
use loopctl::value::shape::{Key, Mapping, Shape};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Keys, by the name of their mapping, that are not mentioned, or that no single setting can show, each with the
/// reason.
const LEFT_OUT: &[(&str, &str)] = &[
    ("profile.extends", "what it brings is there before anything is said"),
    ("grounding.judge", "its judge is asked about nothing else, so the two come and go together"),
    ("profile.promises", "it decides nothing: `prove` tells of promises"),
    ("promise.always", "it decides nothing: `prove` tells of promises"),
    ("promise.because", "it decides nothing: `prove` tells of promises"),
    ("promise.line", "it decides nothing: `prove` tells of promises"),
    ("promise.monotone", "it decides nothing: `prove` tells of promises"),
    ("promise.never", "it decides nothing: `prove` tells of promises"),
    ("promise.script", "it decides nothing: `prove` tells of promises"),
    ("promise.waive", "it decides nothing: `prove` tells of promises"),
];

/// Elements of groups have the keys of `stop`, each of which is tried there.
const GROUPED: &str = "criterion";

/// A judge of single values, and what asks it.
const VALUE_JUDGE: &str = "judges.r={ provider: 'openai:gpt-5.4-mini', prompt: judge/values.md }";
const VALUES: &str = "assess.accuracy.grounding.judge=r";

/// The settings that show a key which does nothing in `EVERYTHING` as it is; the last one makes the difference.
const SHOWN_BY: &[(&str, &[&str])] = &[
    ("accept.unseen", &["mask=null", "stages.0.attach=document", "accept.unseen=true"]),
    (
        "external.validator",
        &[
            "validators.w={ command: [python3, -c], stages: [a] }",
            "assess.both.ensemble.members.2.external.validator=w",
        ],
    ),
    ("external_measure.external", &["assess.judged=given", "assess.judged={ external: { validator: v } }"]),
    (
        "external_member.external",
        &[
            "validators.w={ command: [python3, -c], stages: [a] }",
            "assess.both.ensemble.members.2={ external: { validator: w } }",
        ],
    ),
    ("attached_pages.pages", &["mask=null", "stages.0.attach={}", "stages.0.attach={ pages: 1 }"]),
    ("attached_pages.pixels", &["mask=null", "stages.0.attach={}", "stages.0.attach={ pixels: 2400 }"]),
    ("given_measure.given", &["assess.judged=given"]),
    ("grounding.rubric", &["assess.accuracy.grounding.rubric=null"]),
    ("grounding_member.grounding", &["assess.local.ensemble.members.1={ grounding: { rubric: clinical } }"]),
    ("judge.attach", &["mask=null", "judges.k.attach=document"]),
    ("judge.values", &[VALUE_JUDGE, VALUES, "judges.r.values={ calls: 1 }"]),
    ("judge_values.at_once", &[VALUE_JUDGE, VALUES, "judges.r.values.at_once=1"]),
    ("judge_values.calls", &[VALUE_JUDGE, VALUES, "judges.r.values.calls=1"]),
    (
        "judge_values.words",
        &[
            VALUE_JUDGE,
            VALUES,
            "judges.r.values.at_once=1",
            "judges.r.values.words={ Yes: supports, No: neither }",
        ],
    ),
    ("judge_member.judge", &["assess.both.ensemble.members.0.judge=k"]),
    ("profile.pre_existing", &["candidate=patch", "pre_existing=block"]),
    ("rubric_measure.rubric", &["assess.validity={ rubric: clinical }"]),
    (
        "rubric_member.rubric",
        &[
            "assess.local.ensemble.members.1={ rules: clinical-validity, penalty: 0.2 }",
            "assess.local.ensemble.members.1={ rubric: clinical }",
        ],
    ),
    (
        "schema_member.codes",
        &[
            "assess.local.ensemble.members.1={ schema: schemas/judge/verification.schema.json }",
            "assess.local.ensemble.members.1={ schema: schemas/judge/verification.schema.json, codes: { type: OTHER } }",
        ],
    ),
    (
        "schema_member.schema",
        &["assess.local.ensemble.members.1={ schema: schemas/judge/verification.schema.json }"],
    ),
    ("script_measure.script", &["assess.judged={ script: stop.rhai#share }"]),
    ("script_member.script", &["assess.local.ensemble.members.1={ script: stop.rhai#share }"]),
    ("stage.attach", &["mask=null", "stages.0.attach=document"]),
    ("stage.id", &["generate_once=[]", "stages.2.id=last"]),
    ("timeout.after", &["stop.timeout={ after: 91s }"]),
    ("timeout.waiting", &["stop.timeout={ after: 90s }", "stop.timeout={ after: 90s, waiting: counts }"]),
    ("validator_program.command", &["validators.v={ command: [python3, -c], stages: [a] }"]),
    (
        "validator_program.script",
        &[
            "validators.v={ command: [python3, -c], stages: [a] }",
            "validators.v={ command: [python3, -c], stages: [a], script: stop.rhai }",
        ],
    ),
];

/// The location of a key: the keys on the way, `*` for what people choose and for elements of lists.
type Way = Vec<String>;

/// Every location of every key below a mapping. A mapping within itself, as groups of groups, is entered once.
fn places(
    mapping: &'static Mapping,
    way: &Way,
    above: &[&'static Mapping],
    found: &mut Vec<(&'static Mapping, &'static Key, Way)>,
) {
    if above.iter().any(|one| std::ptr::eq(*one, mapping)) {
        return;
    }
    let above = [above, &[mapping]].concat();
    let on = |name: &str| [way.as_slice(), &[name.to_owned()]].concat();
    for key in mapping.all_keys() {
        found.push((mapping, key, on(key.name)));
        inside(&key.shape(), &on(key.name), &above, found);
    }
    if let Some(open) = &mapping.open {
        inside(&(open.shape)(), &on("*"), &above, found);
    }
}

fn inside(
    shape: &Shape,
    way: &Way,
    above: &[&'static Mapping],
    found: &mut Vec<(&'static Mapping, &'static Key, Way)>,
) {
    let chosen = [way.as_slice(), &["*".to_owned()]].concat();
    match shape {
        Shape::Mapping(mapping) => places(mapping, way, above, found),
        Shape::AnyOf(shapes) => shapes.iter().for_each(|shape| inside(shape, way, above, found)),
        Shape::List(of) => inside(of, &chosen, above, found),
        Shape::Map(open) => inside(&(open.shape)(), &chosen, above, found),
        _ => {}
    }
}

/// Returns whether a setting sets what is at this location, or below it.
fn sets(setting: &str, way: &Way) -> bool {
    let parts: Vec<&str> = setting.split_once('=').unwrap().0.split('.').collect();
    parts.len() >= way.len() && way.iter().zip(&parts).all(|(step, part)| step == "*" || step == part)
}

/// The locations in a profile that a way leads to; its last step need not be there yet.
fn in_profile(profile: &Value, way: &[String]) -> Vec<String> {
    let Some((step, rest)) = way.split_first() else { return vec![String::new()] };
    let inner: Vec<(String, &Value)> = match profile {
        Value::Object(members) if step == "*" => members.iter().map(|(k, v)| (k.clone(), v)).collect(),
        Value::Array(items) if step == "*" => {
            items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
        }
        Value::Object(members) => vec![(step.clone(), members.get(step).unwrap_or(&Value::Null))],
        _ => Vec::new(),
    };
    let deeper = inner.into_iter().flat_map(|(name, value)| {
        let further = in_profile(value, rest).into_iter();
        further.map(move |further| format!("{name}.{further}").trim_end_matches('.').to_owned())
    });
    deeper.collect()
}

/// An example, and something else of its kind where that is a word or a number.
fn values(key: &Key) -> Vec<String> {
    let other = |example: &str| match (example.parse::<i64>(), example.parse::<f64>(), example) {
        (Ok(number), ..) => Some((number + 1).to_string()),
        (_, Ok(number), _) => Some((number / 2.0).to_string()),
        (.., "true") => Some("false".to_owned()),
        (.., "false") => Some("true".to_owned()),
        _ => None,
    };
    key.examples
        .iter()
        .flat_map(|example| std::iter::once((*example).to_owned()).chain(other(example)))
        .collect()
}

#[test]
fn no_key_is_silent() {
    let library = everything();
    let loaded = load("everything", &library, &[], &|_| None, &mut Problems::new()).unwrap();
    let profile = loaded.merged.to_json();
    let mut found = Vec::new();
    places(Profile::mapping(), &Vec::new(), &[], &mut found);

    // A mapping may be in several locations; a key of it need be mentioned in one.
    let mut keys: BTreeMap<String, Vec<(&Key, Way)>> = BTreeMap::new();
    for (mapping, key, way) in found.iter().filter(|(mapping, ..)| mapping.name != GROUPED) {
        keys.entry(format!("{}.{}", mapping.name, key.name)).or_default().push((key, way.clone()));
    }
    for name in LEFT_OUT.iter().map(|(name, _)| name).chain(SHOWN_BY.iter().map(|(name, _)| name)) {
        assert!(keys.contains_key(*name), "`{name}` is no key");
    }
    keys.retain(|name, places| {
        !LEFT_OUT.iter().any(|(left_out, _)| left_out == name)
            && !places.iter().any(|(_, way)| SETTINGS.iter().any(|setting| sets(setting, way)))
    });
    // What is above a key that is not there yet is there with its own example.
    let example_of = |way: &[String]| {
        let key = found.iter().find(|(_, _, other)| other == way)?.1;
        Some(key.examples.first()?.to_owned())
    };
    let mut tried: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, places) in &keys {
        if let Some((_, flags)) = SHOWN_BY.iter().find(|(shown, _)| shown == name) {
            tried.push((name, flags.iter().map(|flag| (*flag).to_owned()).collect()));
            continue;
        }
        for (key, way) in places {
            let (last, above) = way.split_last().unwrap();
            for place in in_profile(&profile, way) {
                tried.extend(
                    values(key).iter().map(|value| (name.as_str(), vec![format!("{place}={value}")])),
                );
            }
            let Some(example) = example_of(above) else { continue };
            for place in in_profile(&profile, above) {
                let first = format!("{place}={example}");
                let second = |value: &String| vec![first.clone(), format!("{place}.{last}={value}")];
                tried.extend(values(key).iter().map(|value| (name.as_str(), second(value))));
            }
        }
    }
    let said = all_explained(&tried, |(_, flags)| {
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let (_, before) = flags.split_last()?;
        let changed =
            explained("everything", &library, &flags)? != explained("everything", &library, before)?;
        changed.then(String::new)
    });
    let said: BTreeSet<&str> =
        tried.iter().zip(&said).filter_map(|((name, _), said)| said.as_ref().map(|_| *name)).collect();
    let silent: Vec<&String> = keys.keys().filter(|name| !said.contains(name.as_str())).collect();
    assert!(
        silent.is_empty(),
        "no fact says these, or their examples change nothing of `EVERYTHING`: give each a fact (`crates/app/src/facts`), or a \
         line in `SETTINGS` or `SHOWN_BY`\n{silent:#?}"
    );
}
