//! The outcome of a case compared with what it expects.

use super::case::{Case, CaseInput, Scored};
use super::expect::{Expect, ExpectedAssessment};
use super::expect_text::{AskedOf, Parts};
use super::matching::{Difference, LONGEST_SHOWN, LONGEST_TEXT, TOLERANCE, compare, has, issue_line, listed};
use super::play::{Played, RecordedRequest};
use crate::answer::undusted;
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::plan::Plan;
use crate::profile::Profile;
use crate::result::wants_review;
use crate::score::{Assessment, Issue, SCRIPT_FAILED};
use crate::value::decode::Spanned;
use crate::value::prose::{self, beginning, collapsed, did_you_mean};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Every difference between the outcome of a case and what it expects, in the order of the page.
pub(super) fn differences(case: &Case, played: &Played, plan: Option<&Plan>) -> Vec<Difference> {
    let expect = &case.expect;
    let mut out = Vec::new();
    failed_scripts(case, played, &mut out);
    let found = facts(expect, played, plan);
    for fact in &expect.facts {
        compare(fact.name, &fact.value, found.get(fact.name), &fact.span, &mut out);
    }
    for (at, expected) in expect.assessments.iter().enumerate() {
        let path = format!("assessments[{at}]");
        match played.assessments.get(at) {
            Some(Ok(found)) => assessment(&path, expected, found, &mut out),
            Some(Err(why)) => out.push(Difference::new(path, "an assessment", why, &expected.span)),
            None => out.push(Difference::new(
                path,
                "an assessment",
                "no such candidate was assessed",
                &expected.span,
            )),
        }
    }
    if let Some(expected) = &expect.feedback {
        let stage = expected.stage.as_ref().map(|stage| stage.value.as_str());
        let text = played
            .feedback
            .iter()
            .find(|(id, _)| stage.is_none_or(|stage| stage == id))
            .map(|(_, text)| text);
        text_of("feedback", &expected.parts, text.map(String::as_str), &goes_on(played), &mut out);
    }
    if let Some(expected) = &expect.request {
        let stage = expected.stage.as_ref().map(|stage| stage.value.as_str());
        let next = played.requests.len() - played.next_requests.min(played.requests.len());
        let made =
            played.requests.iter().skip(next).find(|made| stage.is_none_or(|stage| stage == made.asked));
        text_of("request", &expected.parts, made.map(|made| made.text.as_str()), &goes_on(played), &mut out);
    }
    for (at, expected) in expect.requests.iter().enumerate() {
        let (judge, id) = match &expected.asked {
            AskedOf::Stage(id) => (false, &id.value),
            AskedOf::Judge(id) => (true, &id.value),
        };
        let asked = |made: &&RecordedRequest| {
            made.judge == judge
                && made.asked == *id
                && expected.iteration.as_ref().is_none_or(|wanted| wanted.value == made.iteration as u64)
        };
        let made = played.requests.iter().rev().find(asked);
        let path = format!("requests[{at}]");
        let Some(made) = made else {
            let made = listed(
                played.requests.iter().map(|made| format!("{} for candidate {}", made.asked, made.iteration)),
            );
            out.push(Difference::new(
                path,
                "a request",
                format!("no such request; made: {made}"),
                expected.span(),
            ));
            continue;
        };
        text_of(&path, &expected.parts, Some(&made.text), "", &mut out);
        if let Some(schema) = &expected.schema {
            compare(&format!("{path}.schema"), &schema.value, made.schema.as_ref(), &schema.span, &mut out);
        }
    }
    out
}

/// Reports scripts that fail: what a broken script does not do would otherwise pass for what it does. Only a case that
/// expects a failure may have it.
fn failed_scripts(case: &Case, played: &Played, out: &mut Vec<Difference>) {
    let is_measured = !matches!(case.course, CaseInput::Trajectory(_));
    for (at, assessment) in played.assessments.iter().enumerate().filter(|_| is_measured) {
        let Ok(assessment) = assessment else { continue };
        let expected = case.expect.assessments.get(at).and_then(|expected| expected.issues.as_ref());
        let is_expected =
            |issue: &Issue| expected.is_some_and(|all| all.value.iter().any(|one| one.fits(issue)));
        let failed = assessment.issues.iter().filter(|issue| issue.code == SCRIPT_FAILED);
        if let Some(failed) = failed.filter(|issue| !is_expected(issue)).map(issue_line).next() {
            let path = format!("assessments[{at}]");
            out.push(Difference::new(path, "scripts that work", failed, &case.name.span));
        }
    }
    if let Some(why) = played.failed_criteria.first() {
        out.push(Difference::new("stop", "scripts that work", why, &case.name.span));
    }
}

fn goes_on(played: &Played) -> String {
    let outcome = &played.outcome;
    match played.base {
        None => format!("the loop does not continue: {} / {}", outcome.final_status, outcome.stop_reason),
        Some(_) => "none to this stage".to_owned(),
    }
}

/// The fields of the answer, as `simulate` has them, and those that only documents have.
fn facts(expect: &Expect, played: &Played, plan: Option<&Plan>) -> Value {
    let outcome = &played.outcome;
    let best = outcome.best_iteration;
    let mut found = json!({
        "final_status": outcome.final_status,
        "stop_reason": outcome.stop_reason,
        "iteration_count": outcome.iteration_count,
        "best_iteration": best,
        "selection_reason": outcome.selection_reason,
        "improvement_trajectory": outcome.improvement_trajectory.iter().copied().map(undusted).collect::<Vec<f64>>(),
        "rollbacks": outcome.rollbacks,
        "cost_usd": undusted(outcome.usage.known_cost_usd.get()),
        "tokens": outcome.usage.tokens,
        "elapsed_ms": outcome.elapsed_ms,
        "base": played.base,
        "document_type": played.document_type,
        "best_extraction": best.and_then(|best| played.candidates.get(best)),
    });
    if let (Some(plan), Some(members), true) = (plan, found.as_object_mut(), expect.fact("review").is_some())
    {
        let selected = best.and_then(|best| played.assessments.get(best)?.as_ref().ok());
        members.insert("review".to_owned(), wants_review(plan, outcome, selected).into());
    }
    found
}

fn assessment(path: &str, expected: &ExpectedAssessment, found: &Assessment, out: &mut Vec<Difference>) {
    let mut score = |path: String, expected: f64, found: Option<f64>, span: &Span| {
        if found.is_none_or(|found| (found - expected).abs() > TOLERANCE) {
            let found = found.map_or_else(|| "not measured".to_owned(), |found| undusted(found).to_string());
            out.push(Difference::new(path, expected.to_string(), found, span));
        }
    };
    for (name, expected) in &expected.scores {
        let found = found.scores.get(&name.value).map(|score| score.get());
        score(format!("{path}.scores.{}", name.value), expected.get(), found, &name.span);
    }
    if let Some(expected) = &expected.overall {
        score(format!("{path}.overall"), expected.value.get(), Some(found.overall), &expected.span);
    }
    if let Some(expected) = &expected.missing {
        let missing = || listed(found.missing.iter().map(|field| field.to_string()));
        if expected.value.is_empty() && !found.missing.is_empty() {
            out.push(Difference::new(format!("{path}.missing"), "none", missing(), &expected.span));
        }
        for field in
            expected.value.iter().filter(|field| found.missing.iter().all(|known| **known != *field.value))
        {
            out.push(Difference::new(format!("{path}.missing"), &field.value, missing(), &field.span));
        }
    }
    if let Some(expected) = &expected.issues {
        if expected.value.is_empty() && !found.issues.is_empty() {
            let issues = listed(found.issues.iter().map(issue_line));
            out.push(Difference::new(format!("{path}.issues"), "none", issues, &expected.span));
        }
        for issue in expected.value.iter().filter(|issue| !found.issues.iter().any(|known| issue.fits(known)))
        {
            out.push(Difference::new(
                format!("{path}.issues"),
                issue.to_string(),
                issue.nearest(&found.issues),
                &issue.span,
            ));
        }
    }
    for issue in &expected.no_issues {
        if let Some(known) = found.issues.iter().find(|known| issue.fits(known)) {
            let path = format!("{path}.no_issues");
            out.push(Difference::new(path, format!("not {issue}"), issue_line(known), &issue.span));
        }
    }
}

fn text_of(path: &str, expected: &Parts, found: Option<&str>, absent: &str, out: &mut Vec<Difference>) {
    let Some(found) = found else {
        let parts = expected.contains.iter().chain(&expected.lacks);
        if let Some(part) = parts.clone().next() {
            out.push(Difference::new(path, "a text to look at", absent, &part.span));
        }
        return;
    };
    for part in expected.contains.iter().filter(|part| !has(found, &part.value)) {
        out.push(Difference::new(
            format!("{path}.contains"),
            &part.value,
            beginning(&collapsed(found), LONGEST_TEXT),
            &part.span,
        ));
    }
    for part in expected.lacks.iter().filter(|part| has(found, &part.value)) {
        let found = around(&collapsed(found), &collapsed(&part.value));
        out.push(Difference::new(
            format!("{path}.lacks"),
            format!("not `{}`", part.value),
            found,
            &part.span,
        ));
    }
}

/// A part of a text with its surroundings.
fn around(text: &str, part: &str) -> String {
    const BESIDE: usize = 60;
    let Some(at) = text.find(part) else { return beginning(text, LONGEST_SHOWN) };
    let (before, rest) = text.split_at(at);
    let start = before.char_indices().rev().nth(BESIDE).map_or(0, |(at, _)| at);
    let end = rest.char_indices().nth(part.chars().count() + BESIDE).map_or(rest.len(), |(at, _)| at);
    format!("…{}{}…", before.get(start..).unwrap_or_default(), rest.get(..end).unwrap_or_default())
}

/// Reports names in a case that the profile does not have: they could never be compared with anything.
pub(super) fn check_names(case: &Case, profile: &Profile, problems: &mut Problems) {
    let dimensions: Vec<&str> = profile.dimensions.iter().map(|d| d.name.as_str()).collect();
    let stages: Vec<&str> = profile.stages.iter().map(|s| s.id.value.as_str()).collect();
    let judges: Vec<&str> = profile.judges.iter().map(|j| j.id.value.as_str()).collect();
    let validators = profile.validators.iter().map(|v| v.id.value.as_str());
    let panel: Vec<&str> = judges.iter().copied().chain(validators).collect();
    let mut check = |what: &str, name: &Spanned<String>, known: &[&str]| {
        if !known.contains(&name.value.as_str()) {
            problems.push(unknown(what, name, known));
        }
    };
    match &case.course {
        CaseInput::Trajectory(steps) => {
            for step in steps {
                if let Scored::Named(scores) = &step.scores {
                    scores.iter().for_each(|(name, _)| check("dimension", name, &dimensions));
                }
            }
        }
        CaseInput::Outputs(outputs) => {
            outputs.iter().flatten().for_each(|(name, _)| check("stage", name, &stages));
        }
        CaseInput::Candidates(_) | CaseInput::Unreadable => {}
    }
    case.answers.iter().flatten().for_each(|(name, _)| check("judge or validator", name, &panel));
    for expected in &case.expect.assessments {
        expected.scores.iter().for_each(|(name, _)| check("dimension", name, &dimensions));
    }
    for expected in &case.expect.requests {
        match &expected.asked {
            AskedOf::Stage(id) => check("stage", id, &stages),
            AskedOf::Judge(id) => check("judge", id, &judges),
        }
    }
    for text in case.expect.feedback.iter().chain(&case.expect.request) {
        text.stage.iter().for_each(|id| check("stage", id, &stages));
    }
}

/// Reports the type that a case names, if the profile does not know it.
pub(super) fn check_type(case: &Case, plan: &Plan, problems: &mut Problems) {
    if let Some(named) = &case.document_type {
        let known: Vec<&str> = plan.document_types().collect();
        if !known.contains(&named.value.as_str()) {
            problems.push(unknown("document type", named, &known));
        }
    }
}

/// Checks that the rules that a case names exist. A code of `no_issues` that no rule gives, but nearly, is probably a
/// slip; scripts, judges and validators may give any code, so it is only a warning.
pub(super) fn check_rules(case: &Case, plan: &Plan, problems: &mut Problems) {
    let rules = plan.scoring.rules();
    let texts =
        || rules.document_types().flat_map(|known| rules.program(known).rules().map(|rule| &rule.issue));
    let ids: BTreeSet<&str> = texts().map(|text| text.rule.as_ref()).collect();
    let codes: BTreeSet<&str> = texts().map(|text| text.code.as_ref()).collect();
    for expected in &case.expect.assessments {
        let wanted = expected.issues.iter().flat_map(|issues| &issues.value);
        for issue in wanted.chain(&expected.no_issues) {
            if let Some(rule) = issue.rule.as_ref().filter(|rule| !ids.contains(rule.as_str())) {
                let named = Spanned { value: rule.clone(), span: issue.span.clone() };
                problems.push(unknown("rule", &named, &ids.iter().copied().collect::<Vec<_>>()));
            }
        }
        for issue in &expected.no_issues {
            let code = issue.code.as_deref().filter(|code| !codes.contains(code));
            if let Some((code, guess)) =
                code.and_then(|code| Some((code, nearest(code, codes.iter().copied())?)))
            {
                let message = format!("no rule gives the code `{code}`, so that this excludes nothing");
                let warning = Problem::warning(Code::UnknownName, &issue.span, message);
                problems.push(warning.help(format!("did you mean `{guess}`?")));
            }
        }
    }
}

pub(super) fn unknown(what: &str, name: &Spanned<String>, known: &[&str]) -> Problem {
    let all = match known {
        [] => format!("the profile has no {what}"),
        known => format!("known: {}", prose::listed(known)),
    };
    let help = did_you_mean(&name.value, known.iter().copied(), all);
    Problem::error(Code::UnknownName, &name.span, format!("no {what} is called `{}`", name.value)).help(help)
}
