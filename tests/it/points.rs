//! The account of each point: what is lost in a dimension adds up to 1 minus its score, with every shipped profile.

use crate::workspace::documents;
use loopctl::diag::Problems;
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, available, load};
use loopctl::score::{Assessment, ScoreBreakdown};
use loopctl::value::Score;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::LazyLock;

/// Name, plan and document types of a profile.
type Scored = (String, Plan, Vec<String>);

/// Every shipped profile that compiles without anything set.
static PROFILES: LazyLock<Vec<Scored>> = LazyLock::new(|| {
    let library = Library::embedded();
    let plan = |name: &String| {
        let mut problems = Problems::new();
        let loaded = load(name, &library, &[], &|_| None, &mut problems)?;
        let plan = Plan::compile(&loaded, &mut problems)?;
        let types = plan.document_types().map(str::to_owned).collect();
        Some((name.clone(), plan, types))
    };
    available(&library).iter().filter_map(plan).collect()
});

/// Real documents.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/reports");
    let pump = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/aas/pump.json");
    let files = [documents(), examples].into_iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut paths: Vec<_> = files
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    paths.push(pump);
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
});

/// A member of a candidate: left out, taken from the document, made up, of another type, or claimed to be absent.
fn member(choice: u8, words: &[&str], at: usize) -> Option<Value> {
    let word = |at: usize| words.get(at % words.len().max(1)).copied().unwrap_or("nothing");
    match choice {
        0 => None,
        1 | 2 => Some(format!("{} {}", word(at), word(at + 1)).into()),
        3 => Some("made up by no one".into()),
        4 => Some(json!(at)),
        5 => Some(json!([word(at), { "value": word(at + 7), "size": "2 cm" }])),
        6 => Some(json!("")),
        _ => Some(json!({ "a": word(at), "b_status": "not_present", "c": [] })),
    }
}

fn check(name: &str, assessment: &Assessment, account: &ScoreBreakdown) {
    let measured: Vec<&str> = assessment.scores.iter().map(|(name, _)| name).collect();
    for dimension in &measured {
        assert!(account.of(dimension).is_some(), "{name}: {dimension} has no account");
    }
    for accounted in &account.dimensions {
        let score = assessment.scores.get(&accounted.dimension);
        assert_eq!(accounted.score, score, "{name}: {}", accounted.dimension);
        let expected = 1.0 - score.map_or(0.0, Score::get);
        assert!((accounted.lost() - expected).abs() < 1e-9, "{name}: {accounted:?}");
        for loss in &accounted.losses {
            assert!(loss.points >= 0.0 && loss.capped >= 0.0, "{name}: {loss:?}");
            assert!(loss.issue.is_none_or(|at| at < assessment.issues.len()), "{name}: {loss:?}");
            assert!(loss.issue.is_some() != loss.why.is_some(), "{name}: {loss:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_lost_adds_up(
        choices in prop::collection::vec(0_u8..9, 40),
        claims in prop::collection::vec(prop::bool::weighted(0.1), 40),
        text in 0_usize..16,
        start in 0_usize..400,
        patch in prop::bool::weighted(0.2),
        with_source in prop::bool::weighted(0.9),
    ) {
        let text = &TEXTS[text % TEXTS.len()];
        let words: Vec<&str> = text.split_whitespace().collect();
        for (name, plan, types) in PROFILES.iter() {
            let text = with_source.then_some(text.as_str());
            for document_type in types {
                let program = plan.scoring.rules().program(document_type);
                let names = program.fields.names().filter(|name| !name.ends_with("_status"));
                let mut fields = Map::new();
                for (at, field) in names.enumerate() {
                    if let Some(value) = member(choices[at % choices.len()], &words, start + at) {
                        fields.insert(field.to_owned(), value);
                    }
                    if claims[at % claims.len()] {
                        fields.insert(format!("{field}_status"), "not_present".into());
                    }
                }
                let mut candidate = Value::Object(fields);
                if patch {
                    candidate = json!([{ "op": "add", "path": "/extra", "value": candidate }]);
                }
                let (mut with, mut without) = (Assessment::default(), Assessment::default());
                let context = DocumentContext::named(plan, document_type, text);
                let mut assessor = context.assessor();
                let account = context.assess_and_account(&mut assessor, &candidate, Given::default(), &mut with);
                context.assess(&mut assessor, &candidate, Given::default(), &mut without);
                // Keeping the account changes nothing.
                prop_assert_eq!(&with, &without);
                check(name, &with, &account);
                let read: ScoreBreakdown = serde_json::from_value(serde_json::to_value(&account).unwrap()).unwrap();
                prop_assert_eq!(&read, &account);
            }
        }
    }
}

#[test]
fn there_are_profiles_and_documents_to_look_at() {
    let kinds: std::collections::BTreeSet<String> = PROFILES
        .iter()
        .flat_map(|(_, plan, types)| {
            let mut out = Assessment::default();
            let context = DocumentContext::named(plan, &types[0], None);
            let account =
                context.assess_and_account(&mut context.assessor(), &json!({}), Given::default(), &mut out);
            account
                .dimensions
                .into_iter()
                .map(|one| serde_json::to_value(&one.by).unwrap()["kind"].to_string())
        })
        .collect();
    assert!(PROFILES.len() >= 6 && TEXTS.len() >= 6, "{}", PROFILES.len());
    for kind in ["rubric", "rules", "schema"] {
        assert!(kinds.contains(&format!("\"{kind}\"")), "{kinds:?}");
    }
}
