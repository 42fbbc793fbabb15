//! The measurement of a dimension by tier 1.

use super::fact::Facts;
use super::outlook::Outlook;
use super::rules::{self, programs};
use crate::plan::Plan;
use crate::profile::{Combine, Counts, Dimension, Disagreement, Grounding, Measure};
use crate::rules::{Applicability, CompiledMeasure, Importance, Program, RubricField, UNKNOWN_TYPE};
use crate::value::{Disposition, EPSILON, Severity};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A measure, as templates name it.
pub(super) fn measure(measure: &Measure) -> Value {
    match measure {
        Measure::Rubric { name } => {
            json!({ "kind": "rubric", "file": format!("rules/rubrics/{}.yaml", name.value) })
        }
        Measure::Schema { path, .. } => json!({ "kind": "schema", "file": path.value }),
        Measure::Rules { name, penalty, counts, .. } => json!({
            "kind": "rules",
            "file": format!("rules/{}.yaml", name.value),
            "penalty": penalty,
            "blocking": *counts == Counts::Blocking,
        }),
        Measure::Grounding(_) => json!({ "kind": "grounding" }),
        Measure::Script { function } => {
            json!({ "kind": "script", "function": format!("rules/{}", function.value) })
        }
        Measure::Ensemble { members, combine, .. } => {
            json!({ "kind": "ensemble", "combine": combine.as_str(), "members": members.len() })
        }
        Measure::Given => json!({ "kind": "given" }),
    }
}

/// The consequence of scores that lie far apart.
pub(super) fn disagreement(facts: &mut Facts, key: &str, bound: Disagreement) {
    let values = json!({ "above": bound.above, "shown": bound.then == Disposition::Warn });
    let from = format!("{key}.ensemble.disagreement");
    facts.follows(&[&from], format!("{key}.disagreement"), "disagreement", values);
}

/// A dimension whose measures are described one after the other.
pub(super) struct Told<'a> {
    pub(super) plan: &'a Plan,
    pub(super) dimension: &'a Dimension,
    /// The weight of the dimension in the overall score, if it has one of its own and nothing else measures it.
    pub(super) share: Option<f64>,
    /// The number of rule sets described so far.
    pub(super) rule_sets: usize,
}

impl Told<'_> {
    /// Adds further facts about a measure, each below `key`.
    pub(super) fn details(&mut self, key: &str, measured: &Measure, facts: &mut Facts) {
        match measured {
            Measure::Rubric { .. } => self.rubric(key, facts),
            Measure::Schema { codes, .. } => {
                let codes = codes.listed().map(|(keyword, issue)| {
                    json!({
                        "keyword": keyword,
                        "code": issue.code,
                        "severity": issue.severity.map(Severity::as_str),
                        "fixable": issue.auto_fixable,
                    })
                });
                let codes: Vec<Value> = codes.collect();
                if !codes.is_empty() {
                    facts.add(format!("{key}.codes"), "codes", json!({ "codes": codes }));
                }
            }
            Measure::Rules { penalty, floor, counts, .. } => {
                self.penalty(key, penalty.get(), floor.get(), facts);
                let takes = (penalty.get().min(1.0 - floor.get()), *counts);
                rules::add(self.plan, self.dimension, key, self.rule_sets, takes, facts);
                self.rule_sets += 1;
            }
            Measure::Grounding(grounding) => self.grounding(key, grounding, facts),
            Measure::Ensemble { members, combine, disagreement: bound } => {
                self.share = None;
                for (at, (member, weight)) in members.iter().enumerate() {
                    let weight = (*combine == Combine::Weighted).then(|| weight.get());
                    let values = json!({ "what": "Measure", "number": at + 1, "measure": measure(member), "weight": weight });
                    let key = format!("{key}.member.{at}");
                    facts.add(key.clone(), "member", values);
                    self.details(&key, member, facts);
                }
                if let Some(bound) = bound {
                    disagreement(facts, key, *bound);
                }
            }
            Measure::Script { .. } | Measure::Given => {}
        }
    }

    /// The arithmetic of a penalty, with numbers.
    fn penalty(&self, key: &str, penalty: f64, floor: f64, facts: &mut Facts) {
        let left = |issues: f64| (1.0 - penalty * issues).max(floor);
        // Only this many issues make a difference.
        let full = if penalty <= EPSILON { 0.0 } else { ((1.0 - floor) / penalty - EPSILON).ceil().max(1.0) };
        let steps: Vec<f64> = [1.0, 2.0, 3.0].into_iter().filter(|n| *n <= full).map(left).collect();
        let values = json!({
            "penalty": penalty,
            "floor": floor,
            "steps": steps,
            "full": super::panel::number(full),
            "first": self.share.map(|share| (1.0 - left(1.0)) * share),
        });
        facts.add(format!("{key}.penalty"), "penalty", values);
    }

    fn rubric(&self, key: &str, facts: &mut Facts) {
        let all = || programs(self.plan).flat_map(|program| fields(program, &self.dimension.name));
        let weights: Vec<Value> = Importance::ALL
            .into_iter()
            .filter_map(|importance| {
                let field = all().find(|field| field.importance == importance)?;
                Some(json!({ "importance": importance.as_str(), "weight": field.weight }))
            })
            .collect();
        if !weights.is_empty() {
            facts.add(format!("{key}.weights"), "weights", json!({ "weights": weights }));
        }
        facts.add(format!("{key}.not_present"), "not_present", json!({}));
        let conditional: BTreeMap<&str, &Applicability> =
            all().filter_map(|field| Some((&*field.name, field.applies_when.as_deref()?))).collect();
        for (name, applies) in conditional {
            let looks_at: Vec<&str> = applies.looks_at.iter().map(|(name, _)| &**name).collect();
            let when = applies.condition.expectation();
            let values = json!({ "field": name, "looks_at": looks_at, "when": when });
            facts.add(format!("{key}.applies_when.{name}"), "applies_when", values);
        }
        let mut seen: Vec<(Vec<&RubricField>, Vec<&str>)> = Vec::new();
        for program in programs(self.plan) {
            let own: Vec<&RubricField> = fields(program, &self.dimension.name).collect();
            let same = |known: &[&RubricField]| {
                known.len() == own.len()
                    && known
                        .iter()
                        .zip(&own)
                        .all(|(a, b)| (&a.name, a.importance, a.weight) == (&b.name, b.importance, b.weight))
            };
            match seen.iter_mut().find(|(known, _)| same(known)) {
                Some((_, types)) => types.push(&program.document_type),
                None => seen.push((own, vec![&program.document_type])),
            }
        }
        for (own, types) in seen {
            let said = types.join("+");
            let every = types.as_slice() == [UNKNOWN_TYPE] && self.plan.classifier.is_none();
            let groups: Vec<Value> = Importance::ALL
                .into_iter()
                .filter_map(|importance| {
                    let names = own.iter().filter(|field| field.importance == importance);
                    let names: Vec<&str> = names.map(|field| field.name.as_ref()).collect();
                    (!names.is_empty()).then(|| json!({ "importance": importance.as_str(), "names": names }))
                })
                .collect();
            let types = if every { Value::Null } else { json!(types) };
            facts.add(format!("{key}.fields.{said}"), "fields", json!({ "types": types, "fields": groups }));
            self.missing(&format!("{key}.missing.{said}"), &types, &own, facts);
        }
    }

    /// Adds the fields whose absence alone keeps a candidate from being accepted.
    fn missing(&self, key: &str, types: &Value, own: &[&RubricField], facts: &mut Facts) {
        // A field counted by several dimensions costs more than once.
        let once = rules::count(self.plan, |part| matches!(part, Measure::Rubric { .. })) == 1;
        let Some(outlook) = self.share.filter(|_| once).and_then(|_| Outlook::of(self.plan)) else { return };
        let sum: f64 = own.iter().map(|field| field.weight).sum();
        let (mut refused, mut passing) = (Vec::new(), Vec::new());
        for field in own {
            let severity = match field.importance {
                Importance::Required => Some(Severity::Major),
                Importance::Important => Some(Severity::Minor),
                Importance::Optional => None,
            };
            let handled = self.plan.policy.dispositions.of("MISSING_FIELD", false);
            let issue = severity.map(|severity| (severity, handled));
            let passes = outlook.passes(&self.dimension.name, field.weight / sum, issue);
            (if passes { &mut passing } else { &mut refused }).push(field.name.as_ref());
        }
        let values = json!({ "types": types, "refused": refused, "passing": passing });
        facts.follows(&["accept", &self.dimension.name], key, "missing", values);
    }

    /// Adds the vocabularies with the fields that each reads, of those that rubric and schemas have.
    fn evidence(&self, key: &str, facts: &mut Facts) {
        let evidence = self.plan.scoring.rules().evidence();
        let mut names: BTreeSet<&str> = evidence.fields.iter().map(|field| field.key.as_str()).collect();
        for stage in &self.plan.stages {
            stage.schemas.values().for_each(|schema| declared_names(schema, &mut names));
        }
        for (vocabulary, _) in &evidence.vocabularies {
            let reads = |name: &&str| {
                let found = evidence.vocabulary_of(name);
                found.is_some_and(|(known, _)| known == vocabulary)
            };
            let fields: Vec<&str> = names.iter().copied().filter(reads).collect();
            if !fields.is_empty() {
                let values = json!({ "vocabulary": vocabulary, "fields": fields });
                facts.add(format!("{key}.vocabulary.{vocabulary}"), "vocabulary", values);
            }
        }
        for (kind, each) in &evidence.each {
            let types: Vec<&str> = each.types.iter().map(|one| one.value.as_str()).collect();
            let values = json!({
                "what": kind,
                "types": types,
                "list": each.list.value,
                "label": each.label.value,
                "severity": each.missing.as_str(),
            });
            facts.add(format!("{key}.each.{kind}"), "each", values);
        }
        if let Some(context) = &evidence.context {
            facts.add(format!("{key}.context"), "assertions", json!({ "context": context.context }));
        }
    }

    fn grounding(&self, key: &str, grounding: &Grounding, facts: &mut Facts) {
        let values = json!({
            "fuzzy": grounding.fuzzy,
            "severity": grounding.severity.as_str(),
            "trust": grounding.trust,
            "patterns": grounding.patterns.as_ref().map(|file| format!("rules/{}", file.value)),
            "mistakes": grounding.mistakes,
            "undecided": grounding.undecided,
            "conflicting": grounding.conflicting,
        });
        facts.add(format!("{key}.grounding"), "supported", values);
        if !self.plan.scoring.rules().evidence().fields.is_empty() {
            let rubric = grounding.rubric.as_ref().map(|name| format!("rules/rubrics/{}.yaml", name.value));
            facts.add(format!("{key}.neighbourhood"), "neighbourhood", json!({ "rubric": rubric }));
        }
        self.evidence(key, facts);
        if let Some(judge) = &grounding.judge {
            let asked = super::panel::is_asked(self.plan, &judge.value);
            let values = json!({ "judge": judge.value, "asked": asked, "undecided": grounding.undecided });
            facts.add(format!("{key}.judge"), "value_judged", values);
        }
        if !grounding.ignore.is_empty() {
            facts.add(format!("{key}.ignore"), "ignored", json!({ "fields": grounding.ignore }));
        }
    }
}

/// The names of all members that a schema declares, at any depth.
pub(crate) fn declared_names<'v>(schema: &'v Value, names: &mut BTreeSet<&'v str>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| declared_names(item, names)),
        Value::Object(keys) => {
            if let Some(Value::Object(properties)) = keys.get("properties") {
                names.extend(properties.keys().map(String::as_str));
            }
            keys.values().for_each(|value| declared_names(value, names));
        }
        _ => {}
    }
}

/// The fields of the rubric that a dimension asks first for a document type.
pub(super) fn fields<'a>(program: &'a Program, dimension: &str) -> impl Iterator<Item = &'a RubricField> {
    let mut measures = program.measures_of(dimension);
    let first = measures.find_map(|measure| match measure {
        CompiledMeasure::Rubric(rubric) => Some(rubric.fields.iter()),
        _ => None,
    });
    first.into_iter().flatten()
}
