//! The reason why a candidate is not accepted, if nothing that is wrong with it says so.

use super::{IterationSummary, acceptance, misses_gate};
use crate::profile::LoopPolicy;
use crate::score::{Assessment, Issue, Scores};
use crate::value::{Disposition, Severity};

/// The code of the issue.
pub(super) const NOT_ACCEPTED: &str = "NOT_ACCEPTED";

/// An issue that says which bounds an assessment misses, if no other issue says that something is wrong; `measured` is
/// what tier 1 measured, which the gate inspects. With it, a refused candidate has at least one issue, and never an
/// issue that counts because of this.
pub fn refusal(policy: &LoopPolicy, measured: &Scores, assessment: &Assessment) -> Option<Issue> {
    let says_why = |issue: &Issue| {
        issue.code == NOT_ACCEPTED || (issue.severity != Severity::Info && !issue.pre_existing)
    };
    if assessment.issues.iter().any(says_why) {
        return None;
    }
    let facts = IterationSummary::of(policy, assessment, None).gated_by(policy, measured);
    let (accepted, checks) = acceptance(policy, &facts);
    let mut missed = Vec::new();
    if let (true, Some(gate)) = (misses_gate(policy, measured), &policy.gate) {
        let value = measured.get(&gate.dimension).map_or(0.0, crate::value::Score::get);
        let (value, bound) = apart(value, gate.bound.get());
        missed.push(format!("`{}` is {value}, below the {bound} of the gate", gate.dimension));
    } else if accepted {
        return None;
    }
    for check in checks.iter().filter(|check| !check.holds) {
        let name = check.line.strip_prefix("accept.").unwrap_or(&check.line);
        if name.ends_with("_issues") {
            missed.push(format!("`{name}` is {}, and is accepted up to {}", check.value, check.bound));
            continue;
        }
        let (value, bound) = apart(check.value, check.bound);
        missed.push(format!("`{name}` is {value}, and is accepted from {bound} on"));
    }
    Some(Issue {
        disposition: Disposition::Warn,
        message: format!("nothing is found to be wrong, but {}", missed.join(", and ")).into(),
        ..Issue::new(NOT_ACCEPTED, Severity::Info)
    })
}

/// Two numbers with three decimals, or with as many as it takes to tell them apart.
fn apart(a: f64, b: f64) -> (String, String) {
    let shown = |decimals: usize| (format!("{a:.decimals$}"), format!("{b:.decimals$}"));
    [3, 6, 10].into_iter().map(shown).find(|(a, b)| a != b).unwrap_or_else(|| shown(3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Problems, SourceFile};
    use crate::profile::IssueKind;
    use crate::value::{Score, yaml};
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};
    use std::sync::Arc;

    fn score() -> impl Strategy<Value = Score> {
        prop_oneof![Just(1.0), Just(0.95), 0.0..=1.0_f64].prop_map(Score::clamped)
    }

    fn policies() -> impl Strategy<Value = LoopPolicy> {
        let target = prop::sample::select(vec!["overall", "a"]);
        let kinds = prop::sample::subsequence(IssueKind::ALL.to_vec(), 0..4);
        let thresholds = prop::collection::btree_map(target, score(), 0..3);
        (thresholds, kinds, prop::option::of(score())).prop_map(|(thresholds, kinds, gate)| {
            let mut accept: Map<String, Value> =
                thresholds.iter().map(|(target, bound)| ((*target).to_owned(), json!(bound))).collect();
            accept.extend(kinds.iter().map(|kind| (format!("{}_issues", kind.as_str()), json!(0))));
            accept.insert("unseen".to_owned(), json!(true));
            accept.entry("overall").or_insert(json!(0.9));
            let mut policy =
                json!({ "overall": { "a": 1 }, "accept": accept, "stop": { "max_iterations": 3 } });
            if let Some(bound) = gate {
                policy["gate"] = json!({ "a": bound });
            }
            let file = SourceFile::new("policy.yaml", policy.to_string());
            let mut problems = Problems::new();
            let node = yaml::parse(&file, &mut problems).unwrap();
            LoopPolicy::read_mapping(&node, &mut problems).unwrap_or_else(|| panic!("{problems:?}"))
        })
    }

    fn assessments() -> impl Strategy<Value = Assessment> {
        let issue = (prop::sample::select(Severity::ALL.to_vec()), any::<bool>(), any::<bool>());
        let issue = issue.prop_map(|(severity, warns, pre_existing)| Issue {
            disposition: if warns { Disposition::Warn } else { Disposition::Escalate },
            pre_existing,
            ..Issue::new("X", severity)
        });
        (prop::option::of(score()), score(), prop::collection::vec(issue, 0..2)).prop_map(
            |(a, overall, issues)| {
                let mut assessment = Assessment { overall: overall.get(), issues, ..Assessment::default() };
                if let Some(a) = a {
                    assessment.scores.set(&Arc::from("a"), a);
                }
                assessment
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_refused_has_an_issue_that_decides_nothing(policy in policies(), before in assessments()) {
            let measured = before.scores.clone();
            let facts = |of: &Assessment| IterationSummary::of(&policy, of, None).gated_by(&policy, &measured);
            let accepted = acceptance(&policy, &facts(&before)).0 && !misses_gate(&policy, &measured);
            let mut after = before.clone();
            let added = refusal(&policy, &measured, &before);
            after.issues.extend(added.clone());
            prop_assert!(accepted || !after.issues.is_empty());
            prop_assert!(!(accepted && added.is_some()));
            prop_assert_eq!(facts(&after).issues, facts(&before).issues);
            // A second time adds nothing.
            prop_assert_eq!(refusal(&policy, &measured, &after), None);
        }
    }
}
