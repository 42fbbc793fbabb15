//! The scoring of a candidate.

use super::fact::Facts;
use super::measures::{Told, measure};
use super::panel::{is_asked, members};
use crate::plan::Plan;
use crate::profile::{Combine, Dimension, Measure, Overall, SecondSource, SecondTier};
use serde_json::{Value, json};

pub(super) fn add(plan: &Plan, facts: &mut Facts) {
    facts.add("scores", "scores", json!({}));
    let terms: Vec<Value> = weights(plan)
        .into_iter()
        .map(|(dimension, weight)| json!({ "dimension": dimension, "weight": weight }))
        .collect();
    facts.add("overall", "overall", json!({ "terms": terms }));
    for dimension in &plan.profile.dimensions {
        one_dimension(plan, dimension, facts);
    }
    members(plan, facts);
}

/// The weight of each dimension in the overall score.
pub(super) fn weights(plan: &Plan) -> Vec<(&str, f64)> {
    match &plan.policy.overall {
        Overall::From(own) => vec![(own.as_str(), 1.0)],
        Overall::Weighted(weights) => weights.iter().map(|(name, weight)| (name.as_str(), *weight)).collect(),
    }
}

/// The weight of a dimension in the overall score; `None` without one.
fn share(plan: &Plan, dimension: &str) -> Option<f64> {
    let found = weights(plan).into_iter().find(|(known, _)| *known == dimension);
    found.map(|(_, weight)| weight).filter(|weight| *weight > 0.0)
}

/// The judges and validators of a dimension that are asked.
pub(super) fn asked_sources<'a>(plan: &Plan, dimension: &'a Dimension) -> Vec<&'a SecondSource> {
    let sources = dimension.second.iter().flat_map(|second| &second.sources);
    sources.filter(|source| is_asked(plan, &source.name.value)).collect()
}

fn one_dimension(plan: &Plan, dimension: &Dimension, facts: &mut Facts) {
    let own = &dimension.name;
    let key = format!("dimension.{own}");
    let share = share(plan, own);
    let sources = asked_sources(plan, dimension);
    let alone = sources.is_empty();
    let measure = match &dimension.second {
        Some(second) if !alone && second.combine == Combine::First => {
            sources.first().map_or(Value::Null, |source| said_by(source))
        }
        Some(second) if !alone => {
            let scores = sources.len() + usize::from(!matches!(dimension.measure, Measure::Given));
            json!({ "kind": "combined", "combine": second.combine.as_str(), "scores": scores })
        }
        _ => measure(&dimension.measure),
    };
    facts.add(key.clone(), "dimension", json!({ "name": own, "share": share, "measure": measure }));
    let mut told = Told { plan, dimension, share: share.filter(|_| alone), rule_sets: 0 };
    match &dimension.second {
        Some(second) if !alone => with_panel(&mut told, &key, second, &sources, facts),
        _ => told.details(&key, &dimension.measure, facts),
    }
    let silent = dimension.second.iter().flat_map(|second| &second.sources);
    let silent: Vec<&str> = silent
        .filter(|source| !is_asked(plan, &source.name.value))
        .map(|source| source.name.value.as_str())
        .collect();
    if !silent.is_empty() {
        let unmeasured = alone && matches!(dimension.measure, Measure::Given);
        let values = json!({ "judges": silent, "others": !alone, "unmeasured": unmeasured });
        facts.add(format!("{key}.not_asked"), "not_asked", values);
    }
}

/// A dimension that judges or validators have a say in.
fn with_panel(
    told: &mut Told<'_>,
    key: &str,
    second: &SecondTier,
    sources: &[&SecondSource],
    facts: &mut Facts,
) {
    let local = &told.dimension.measure;
    let given = matches!(local, Measure::Given);
    let gate = told.plan.policy.gate.is_some();
    if second.combine == Combine::First {
        let validator = sources.first().is_some_and(|source| source.score.is_none());
        // A judge is asked about every candidate where there is no gate.
        let always = !gate && !validator;
        if !(always && given) {
            let values =
                json!({ "always": always, "gate": gate, "validator": validator, "measure": measure(local) });
            facts.add(format!("{key}.otherwise"), "otherwise", values);
        }
        if !always && !given {
            told.details(&format!("{key}.otherwise"), local, facts);
        }
        return;
    }
    let weighted = |weight: f64| (second.combine == Combine::Weighted).then_some(weight);
    let mut number = 0;
    if !given {
        number += 1;
        let values = json!({ "what": "Score", "number": number, "measure": measure(local), "weight": weighted(second.weight.get()) });
        facts.add(format!("{key}.measure"), "member", values);
        told.details(&format!("{key}.measure"), local, facts);
    }
    for source in sources {
        number += 1;
        let values = json!({ "what": "Score", "number": number, "measure": said_by(source), "weight": weighted(source.weight.get()) });
        facts.add(format!("{key}.source.{}", source.name.value), "member", values);
    }
    let values = json!({ "quorum": second.quorum, "sources": sources.len() });
    facts.follows(&[&format!("{key}.ensemble.quorum")], format!("{key}.quorum"), "quorum", values);
    if let Some(bound) = second.disagreement {
        super::measures::disagreement(facts, key, bound);
    }
    if gate && !given {
        facts.follows(&["gate"], format!("{key}.gate"), "gated_scores", json!({}));
    }
}

fn said_by(source: &SecondSource) -> Value {
    let who = &source.name.value;
    match &source.score {
        Some(pointer) => json!({ "kind": "judged", "judge": who, "at": pointer.value }),
        None => json!({ "kind": "validated", "validator": who }),
    }
}
