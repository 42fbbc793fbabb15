//! The content of the next request, the results that a person gets to see, and the handling of issues.

use super::fact::Facts;
use crate::plan::Plan;
use crate::policy::FinalStatus;
use crate::profile::{Among, Lock, Looks, MergeRule, OnEscalate, OnRegression, Per, PreviousOutput, Target};
use crate::value::prose::collapsed;
use serde_json::{Value, json};

pub(super) fn request(plan: &Plan, facts: &mut Facts) {
    if plan.stages.is_empty() {
        return;
    }
    let feedback = &plan.profile.feedback;
    let needed = plan.policy.accept.bound(&Target::Overall);
    let template = format!("prompts/{}", feedback.template.value);
    let values = json!({ "template": template, "needed": needed });
    facts.follows(&["feedback.template", "accept.overall"], "feedback.template", "feedback", values);
    let rollback = plan.policy.on_regression == OnRegression::Rollback;
    let values = json!({ "rollback": rollback, "latest": feedback.history });
    facts.follows(&["feedback.history", "on_regression"], "feedback.history", "history", values);
    let shown = match feedback.previous_output {
        PreviousOutput::Include => "include",
        PreviousOutput::Omit => "omit",
        PreviousOutput::FailingFields => "failing_fields",
    };
    facts.add("feedback.previous_output", "previous_output", json!({ "shown": shown }));
    facts.add("feedback.max_bytes", "feedback_size", json!({ "bytes": feedback.max_bytes }));
    facts.add("feedback.lock", "lock", json!({ "passing": feedback.lock == Lock::Passing }));
}

pub(super) fn review(plan: &Plan, facts: &mut Facts) {
    facts.add("review", "review", reviewed(plan));
    let stops = plan.policy.on_escalate == OnEscalate::Stop;
    facts.add("on_escalate", "on_escalate", json!({ "stops": stops }));
    let listed: Vec<_> = plan.policy.dispositions.listed().collect();
    let alone = listed.len() == 1;
    let handled: Vec<Value> = listed
        .iter()
        .map(|(code, fixable, otherwise)| {
            json!({ "code": code, "fixable": fixable, "otherwise": otherwise, "alone": alone })
        })
        .collect();
    let only = if alone { handled.first() } else { None };
    facts.add("dispositions", "handling", json!({ "alone": only }));
    for (values, (code, ..)) in handled.iter().zip(&listed).filter(|_| !alone) {
        let key = format!("dispositions.{}", code.unwrap_or("otherwise"));
        facts.add(key, "handled_code", json!({ "handled": values }));
    }
    facts.add("result", "result", json!({}));
}

/// The handling of files that hold several documents.
pub(super) fn sections(plan: &Plan, facts: &mut Facts) {
    let Some(sections) = &plan.profile.sections else { return };
    let rule = |rule: MergeRule| match rule {
        MergeRule::First => "first",
        MergeRule::All => "all",
        MergeRule::PreferLater => "prefer_later",
        MergeRule::Conflict => "conflict",
    };
    facts.add("sections.split", "split", json!({ "splits": sections.split }));
    if sections.split {
        facts.add("sections.merge.default", "merge", json!({ "rule": rule(sections.merge.default) }));
        for (field, own) in &sections.merge.fields {
            let values = json!({ "field": field, "rule": rule(*own) });
            facts.add(format!("sections.merge.fields.{field}"), "merged_field", values);
        }
    }
}

/// The promise to be certified about the documents that pass.
pub(super) fn certify(plan: &Plan, facts: &mut Facts) {
    let Some(certify) = &plan.profile.certify else { return };
    let thresholds = certify.grid.thresholds();
    let values = json!({
        "share": certify.wrong_documents.to_string(),
        "confidence": certify.confidence.to_string(),
        "score": certify.score.value,
        "thresholds": thresholds.len(),
        "strictest": thresholds.first(),
        "most_lenient": thresholds.last(),
        "per_type": certify.per == Per::DocumentType,
        "passed": certify.among == Among::Passed,
        "once": certify.looks == Looks::Once,
        "audit": certify.audit.map(|share| share.to_string()),
        "excluded": certify.exclude.len(),
        "certificate": certify.certificate.as_ref().map(|file| &file.value),
    });
    facts.add("certify", "certify", values);
}

/// The condition under which a result needs review.
pub(super) fn reviewed(plan: &Plan) -> Value {
    let when = plan.profile.review.as_ref();
    let when = when.map(|when| collapsed(&when.value));
    json!({ "words": when.as_deref().and_then(in_words), "when": when })
}

/// A condition of comparisons, in words; `None` for one that is more than that.
fn in_words(condition: &str) -> Option<String> {
    let mut words = Vec::new();
    let mut tokens = condition.split(' ');
    loop {
        let (subject, operator, value) = (tokens.next()?, tokens.next()?, tokens.next()?);
        let of = match subject {
            "overall" => "the overall score".to_owned(),
            "status" => "the final status".to_owned(),
            dimension if dimension.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) => {
                format!("`{dimension}`")
            }
            _ => return None,
        };
        let quoted = value.trim_matches(['"', '\'']);
        let value =
            match (quoted.parse::<f64>(), FinalStatus::ALL.iter().find(|status| status.as_str() == quoted)) {
                (Ok(number), _) if format!("{number:.2}").parse() == Ok(number) => format!("{number:.2}"),
                (Ok(number), _) => number.to_string(),
                (Err(_), Some(status)) => format!("`{}`", status.as_str()),
                (Err(_), None) => return None,
            };
        let is = match operator {
            "<" => "is below",
            "<=" => "is at most",
            ">" => "is above",
            ">=" => "is at least",
            "==" => "is",
            "!=" => "is not",
            _ => return None,
        };
        words.push(format!("{of} {is} {value}"));
        match tokens.next() {
            None => return Some(words.join(" ")),
            Some(word @ ("and" | "or")) => words.push(word.to_owned()),
            Some(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_of_comparisons_is_put_into_words() {
        assert_eq!(
            in_words("overall < 0.80 or status != passed").as_deref(),
            Some("the overall score is below 0.80 or the final status is not `passed`")
        );
        assert_eq!(in_words("accuracy >= 0.9").as_deref(), Some("`accuracy` is at least 0.90"));
        assert_eq!(in_words("(overall < 0.8) or status != passed"), None);
        assert_eq!(in_words("not overall"), None);
    }
}
