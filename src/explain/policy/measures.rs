//! How tier 1 measures a dimension, in words.

use super::words::{an_issue, count, list, name, names, path, score};
use crate::plan::Plan;
use crate::profile::{Combine, Counts, Disagreement, Grounding, Measure, SchemaCodes};
use crate::rules::{Importance, Op, Program, UNKNOWN_TYPE};
use crate::value::{Disposition, EPSILON, Severity};
use std::collections::BTreeSet;

/// A measure: what it is, to stand after "is" or in a list, and what more there is to say of it.
pub(super) struct Words {
    pub(super) phrase: String,
    /// Each with the last part of its key.
    pub(super) details: Vec<(String, String)>,
}

/// `share` is what the dimension weighs in the overall score, if it has a weight of its own and nothing else measures it.
pub(super) fn words(plan: &Plan, dimension: &str, measure: &Measure, share: Option<f64>) -> Words {
    let mut details = Vec::new();
    let phrase = match measure {
        Measure::Rubric { name: rubric } => {
            rubric_details(plan, &mut details);
            let file = name(&format!("rules/rubrics/{}.yaml", rubric.value));
            format!(
                "the share, by weight, of the fields listed in {file} for the document's type that the candidate has"
            )
        }
        Measure::Schema { path: schema, codes } => {
            schema_details(codes, &mut details);
            format!(
                "1 less a share for errors: the errors that {} finds, divided by the number of values that it declares and the candidate could hold; never \
                 below {}",
                path(&schema.value),
                score(0.0)
            )
        }
        Measure::Rules { name: rules, penalty, floor, counts } => {
            details.push(("penalty".to_owned(), worked_out(penalty.get(), floor.get(), share)));
            details.extend(rule_counts(plan, dimension).map(|text| ("rules".to_owned(), text)));
            let which = match counts {
                Counts::All => "each issue that",
                Counts::Blocking => "each issue, other than those that are only shown, that",
            };
            format!(
                "1 less {} for {which} the rules in {} find",
                score(penalty.get()),
                name(&format!("rules/{}.yaml", rules.value))
            )
        }
        Measure::Grounding(grounding) => {
            grounding_details(plan, grounding, &mut details);
            "the share of the values in the candidate that the document's text supports".to_owned()
        }
        Measure::Script { function } => {
            format!(
                "what the function {} returns, moved into the range from 0 to 1",
                name(&format!("rules/{}", function.value))
            )
        }
        Measure::Ensemble { members, combine, disagreement } => {
            for (at, (member, weight)) in members.iter().enumerate() {
                let inner = words(plan, dimension, member, None);
                let weight = match combine {
                    Combine::Weighted => format!(", with the weight {}", score(weight.get())),
                    _ => String::new(),
                };
                details
                    .push((format!("member.{at}"), format!("Measure {}: {}{weight}.", at + 1, inner.phrase)));
                details.extend(
                    inner.details.into_iter().map(|(key, text)| (format!("member.{at}.{key}"), text)),
                );
            }
            details.extend(disagreement.map(|bound| ("disagreement".to_owned(), disagree(bound))));
            format!("{} the scores of {} measures", combined(*combine), members.len())
        }
        Measure::Given => format!(
            "a score that has to be supplied with the candidate (`loopctl score --given`, or a trajectory); in a run nothing measures it, and it counts {}",
            score(0.0)
        ),
    };
    Words { phrase, details }
}

/// How several scores become one, before "the scores of …".
pub(super) fn combined(how: Combine) -> &'static str {
    match how {
        Combine::First => "the first of",
        Combine::Min => "the lowest of",
        Combine::Max => "the highest of",
        Combine::Mean => "the mean of",
        Combine::Median => "the median of",
        Combine::Weighted => "the weighted mean of",
    }
}

/// What happens when scores lie far apart.
pub(super) fn disagree(bound: Disagreement) -> String {
    let issue = match bound.then {
        Disposition::Warn => "the minor issue `DISAGREEMENT` is shown",
        _ => "the critical issue `DISAGREEMENT` says that a person must decide",
    };
    format!(
        "If the highest and the lowest of these scores lie more than {} apart, {issue}.",
        score(bound.above.get())
    )
}

/// The arithmetic of a penalty, with numbers.
fn worked_out(penalty: f64, floor: f64, share: Option<f64>) -> String {
    let left = |issues: f64| (1.0 - penalty * issues).max(floor);
    if penalty <= EPSILON {
        return format!("An issue costs nothing here: the score is always {}.", score(1.0));
    }
    let overall = match share {
        Some(share) => {
            format!(" (the first takes {} off the overall score)", score((1.0 - left(1.0)) * share))
        }
        None => String::new(),
    };
    // So many issues and no more make a difference.
    let full = ((1.0 - floor) / penalty - EPSILON).ceil().max(1.0);
    let bottom = if floor > 0.0 {
        format!("the score never falls below {}", score(floor))
    } else {
        "the score can fall to 0.00".to_owned()
    };
    if full <= 1.0 {
        return format!("A single issue leaves {}{overall}, and more change nothing.", score(left(1.0)));
    }
    let steps: Vec<String> = [1.0, 2.0, 3.0]
        .into_iter()
        .filter(|issues| *issues <= full)
        .map(|issues: f64| {
            let many = if issues > 1.0 { format!("{issues} leave") } else { "1 issue leaves".to_owned() };
            format!("{many} {}", score(left(issues)))
        })
        .collect();
    format!(
        "Each such issue costs {}{overall}: {}; {bottom}, which it reaches at {full} issues.",
        score(penalty),
        steps.join(", ")
    )
}

fn rubric_details(plan: &Plan, details: &mut Vec<(String, String)>) {
    let weights = Importance::ALL.map(|importance| {
        let weight = programs(plan).find_map(|program| {
            program.fields.iter().find(|field| field.importance == importance).map(|field| field.weight)
        });
        weight.map(|weight| (importance, weight))
    });
    let said: Vec<String> = weights
        .into_iter()
        .flatten()
        .map(|(importance, weight)| {
            let article = if importance == Importance::Required { "a" } else { "an" };
            format!("{article} {} field weighs {}", importance.as_str(), score(weight))
        })
        .collect();
    if !said.is_empty() {
        let text = format!(
            "{}. A field is there when it is neither null nor an empty text, list or object. A required field that is missing is a major issue, an \
             important one a minor issue, an optional one none.",
            super::words::capital(&list(&said, "and"))
        );
        details.push(("weights".to_owned(), text));
    }
    let text = "A field that the candidate declares to be absent (`<field>_status: not_present`) is left out of the sum, unless the document mentions it: \
                then it counts as missing and the claim is a major issue.";
    details.push(("not_present".to_owned(), text.to_owned()));
    let mut seen: Vec<(Vec<String>, Vec<&str>)> = Vec::new();
    for program in programs(plan) {
        let fields: Vec<String> = Importance::ALL
            .into_iter()
            .filter_map(|importance| {
                let fields = program.fields.iter().filter(|field| field.importance == importance);
                let fields: Vec<&str> = fields.map(|field| field.name.as_ref()).collect();
                (!fields.is_empty()).then(|| format!("{} {}", importance.as_str(), names(fields, "and")))
            })
            .collect();
        match seen.iter_mut().find(|(known, _)| *known == fields) {
            Some((_, types)) => types.push(&program.document_type),
            None => seen.push((fields, vec![&program.document_type])),
        }
    }
    for (fields, types) in seen {
        let what = if fields.is_empty() {
            format!("lists no field, so the score is {}", score(0.0))
        } else {
            fields.join("; ")
        };
        let of = match types.as_slice() {
            [only] if *only == UNKNOWN_TYPE && plan.classifier.is_none() => "every document".to_owned(),
            types => names(types.iter().copied(), "and"),
        };
        details.push((format!("fields.{}", types.join("+")), format!("For {of}: {what}.")));
    }
}

fn programs(plan: &Plan) -> impl Iterator<Item = &Program> {
    let rules = plan.scoring.rules();
    rules.document_types().map(move |document_type| rules.program(document_type).as_ref())
}

fn schema_details(codes: &SchemaCodes, details: &mut Vec<(String, String)>) {
    let said: Vec<String> = codes
        .listed()
        .map(|(keyword, issue)| {
            let about = keyword.map_or_else(|| "anything else".to_owned(), name);
            let severity =
                issue.severity.map(|severity| format!(", {}", severity.as_str())).unwrap_or_default();
            let fixable = if issue.auto_fixable { ", which the loop can correct" } else { "" };
            format!("{about} the code {}{severity}{fixable}", name(&issue.code))
        })
        .collect();
    if !said.is_empty() {
        details.push(("codes".to_owned(), format!("An error about {}.", list(&said, "and about"))));
    }
}

fn grounding_details(plan: &Plan, grounding: &Grounding, details: &mut Vec<(String, String)>) {
    let text = format!(
        "A value counts when the text has it in the same words, in the same words spelt or formatted differently, as the same number or date, or in a \
         passage that is at least {} alike. One that is not found is {}. Without any value to look for, the score is {}.",
        super::words::percent(grounding.fuzzy.get()),
        an_issue(grounding.severity),
        score(0.0)
    );
    details.push(("grounding".to_owned(), text));
    if !plan.scoring.rules().field_names().is_empty() {
        let rubric = match &grounding.rubric {
            Some(rubric) => format!("the rubric {}", name(&format!("rules/rubrics/{}.yaml", rubric.value))),
            None => "the profile's rubric".to_owned(),
        };
        let text = format!(
            "Where a short value or a number could stand anywhere, it is looked for near the name of its field, by the names in {rubric}."
        );
        details.push(("neighbourhood".to_owned(), text));
    }
    if !grounding.ignore.is_empty() {
        let fields = names(grounding.ignore.iter().map(String::as_str), "and");
        details.push(("ignore".to_owned(), format!("Not looked for: {fields}.")));
    }
}

/// How many rules a dimension's rule sets have for each document type, by severity.
fn rule_counts(plan: &Plan, dimension: &str) -> Option<String> {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for program in programs(plan) {
        let text = match of_program(program, dimension) {
            severities if severities.is_empty() => continue,
            severities => {
                let by_severity: Vec<String> = Severity::ALL
                    .into_iter()
                    .filter_map(|severity| {
                        let number = severities.iter().filter(|known| **known == severity).count();
                        (number > 0).then(|| format!("{number} {}", severity.as_str()))
                    })
                    .collect();
                let rules = count(severities.len() as u64, "rule");
                if severities.len() == 1 {
                    format!("{rules} (its issues are {})", by_severity.join("").trim_start_matches("1 "))
                } else {
                    format!("{rules} (by the severity of their issues: {})", list(&by_severity, "and"))
                }
            }
        };
        match said.iter_mut().find(|(known, _)| *known == text) {
            Some((_, types)) => types.push(&program.document_type),
            None => said.push((text, vec![&program.document_type])),
        }
    }
    let all = programs(plan).count();
    let without = all - said.iter().map(|(_, types)| types.len()).sum::<usize>();
    let mut each: Vec<String> = said
        .into_iter()
        .map(
            |(rules, types)| {
                if types.len() == all { rules } else { format!("for {} {rules}", names(types, "and")) }
            },
        )
        .collect();
    if without > 0 && !each.is_empty() {
        each.push("for the other types none, so they lose nothing here".to_owned());
    }
    match each.as_slice() {
        [] => None,
        [one] => Some(format!("There are {one}.")),
        several => Some(format!("By document type there are: {}.", several.join("; "))),
    }
}

/// The severity of each rule that a dimension's measures ask.
fn of_program(program: &Program, dimension: &str) -> Vec<Severity> {
    let mut open = BTreeSet::new();
    let mut found = BTreeSet::new();
    for op in &program.ops {
        match *op {
            Op::BeginRules => open.clear(),
            Op::Report { issue, .. } | Op::Conform { issue, .. } | Op::Script { issue, .. } => {
                open.insert(issue);
            }
            Op::EndRules { dimension: at, .. }
                if program.dimension(at).is_some_and(|own| **own == *dimension) =>
            {
                found.append(&mut open);
            }
            _ => {}
        }
    }
    // A rule whose checks are told apart in the program is still one rule.
    let mut rules: Vec<(&str, Severity)> = found
        .iter()
        .filter_map(|at| program.issues.get(*at as usize))
        .map(|text| (text.rule.as_ref(), text.severity))
        .collect();
    rules.dedup();
    rules.into_iter().map(|(_, severity)| severity).collect()
}
