//! `rules/NAME.test.yaml`: for each rule candidates that it must leave alone, and candidates in which it must find
//! something.

use super::expect::ExpectedIssue;
use super::matching::{Difference, issue_line, listed};
use super::suite::{Choice, Suite, SuiteKind, Verdict, line_of};
use super::verify::unknown;
use crate::diag::{Code, Level, Problem, Problems, SourceFile};
use crate::mapping;
use crate::profile::{Files, Library, load};
use crate::rules::{Inheritance, UNKNOWN_TYPE, compile};
use crate::score::{Assessment, Assessor, Issue, SCRIPT_FAILED, Scoring};
use crate::value::decode::{Decode, Fields, Spanned};
use crate::value::yaml::{self, Data, Node};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

mapping! {
    /// Tests of what rules must find and what they must leave alone: `rules/NAME.test.yaml` beside `rules/NAME.yaml`.
    /// `loopctl test` plays them.
    "rule-tests" is "test file of rules", expects "a mapping with `cases`";
    #[derive(Debug, Clone)]
    pub struct RuleCases {
        /// The cases. A rule needs both valid and invalid candidates.
        #[key(
            required,
            examples(&["[{ rule: grade-format, document_type: pathology, valid: [{ grade: '2' }], invalid: [{ grade: banana }] }]"])
        )]
        pub cases: Vec<RuleCase>,
    }
}

mapping! {
    /// Candidates for one rule.
    "rule_case" is "case of a rule", expects "a mapping with `rule`, `valid` and `invalid`", checked by RuleCase::check;
    #[derive(Debug, Clone)]
    pub struct RuleCase {
        /// The rule's id.
        #[key(required, text("the id of a rule"), examples(&["grade-format"]))]
        pub rule: Spanned<String>,
        /// A name that says what is special about the case. Without it, the rule's id names it.
        #[key(examples(&["roman numerals"]))]
        pub name: Option<String>,
        /// The type of the documents. Without it, `unknown`.
        #[key(text("a document type"), examples(&["pathology"]))]
        pub document_type: Option<Spanned<String>>,
        /// The text that the candidates were made from. Without it there is none.
        #[key(examples(&["'Grade 2.'"]))]
        pub source: Option<String>,
        /// Candidates in which the rule must find nothing.
        #[key(default("[]"), examples(&["[{ grade: '2' }, { grade: well differentiated }]"]))]
        pub valid: Vec<Spanned<Value>>,
        /// Candidates in which the rule must find something.
        #[key(default("[]"), examples(&["[{ grade: banana }]"]))]
        pub invalid: Vec<Spanned<Value>>,
        /// The description that each issue of the rule in invalid candidates must fit. Without it any will do.
        #[key(examples(&["{ code: GRADE_FORMAT, severity: major }"]))]
        pub issue: Option<ExpectedIssue>,
    }
}

impl RuleCase {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        if self.valid.is_empty() && self.invalid.is_empty() {
            problems.push(
                Problem::error(Code::Empty, fields.span(), "this case has no candidates").help(
                    "add `valid` with candidates that the rule leaves alone, and `invalid` with others",
                ),
            );
        }
        if let Some(issue) = self.issue.as_ref().filter(|_| self.invalid.is_empty()) {
            problems.push(
                Problem::error(Code::Conflict, &issue.span, "no issue is compared with this")
                    .help("add `invalid` with candidates in which the rule finds something"),
            );
        }
    }
}

/// Runs the cases of `rules/NAME.yaml`. Rules that lack valid or invalid candidates are warned about; `None` when
/// something is wrong with either file.
pub fn test_rules(
    name: &str,
    library: &Library,
    file: &Arc<SourceFile>,
    choice: Choice<'_>,
    problems: &mut Problems,
) -> Option<Suite> {
    let before = problems.error_count();
    let cases = yaml::parse(file, problems).and_then(|node| RuleCases::decode(&node, problems))?.cases;
    let rules = declared(name, library, problems);
    let ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    for case in cases.iter().filter(|case| !ids.contains(&case.rule.value.as_str())) {
        problems.push(unknown("rule", &case.rule, &ids));
    }
    let scoring = scoring(name, library, &rules, &cases, problems);
    if problems.error_count() > before {
        return None;
    }
    if choice.filter.is_none() {
        let own: Vec<&Declared> = rules.iter().filter(|rule| rule.own).collect();
        warn_of_gaps(name, &own, &cases, file, problems);
    }
    let mut assessor = Assessor::new(scoring?);
    let results = choice.play(&cases, title, |case| (line_of(&case.rule.span), verdict(case, &mut assessor)));
    let name = format!("rules/{name}");
    Some(Suite { name, kind: SuiteKind::Rules, results, file: file.name().to_owned() })
}

fn title(case: &RuleCase) -> String {
    let rule = &case.rule.value;
    match (&case.name, &case.document_type) {
        (Some(name), _) => format!("{rule}: {name}"),
        (None, Some(document_type)) => format!("{rule} ({})", document_type.value),
        (None, None) => rule.clone(),
    }
}

/// A rule as its file declares it.
struct Declared {
    id: String,
    /// `true` if it is in the file itself, and not in one that the file extends.
    own: bool,
    types: Vec<String>,
}

fn declared(name: &str, library: &Library, problems: &mut Problems) -> Vec<Declared> {
    let file = library.read(&format!("rules/{name}.yaml")).unwrap_or_else(|problem| {
        problems.push(problem);
        None
    });
    let root = file.as_ref().and_then(|file| Inheritance::RULES.read(file, library, &mut Problems::new()));
    let is_own = |rule: &Node| file.as_ref().is_some_and(|file| Arc::ptr_eq(file, rule.span.file()));
    let items = match root.as_ref().and_then(|root| root.get("rules")).map(|rules| &rules.data) {
        Some(Data::List(items)) => items.as_slice(),
        _ => &[],
    };
    let types = |rule: &Node| match rule.get("for").map(|types| &types.data) {
        Some(Data::List(types)) => types.iter().filter_map(Node::as_text).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let read = items.iter().filter_map(|rule| {
        Some(Declared { id: rule.get("id")?.as_text()?.to_owned(), own: is_own(rule), types: types(rule) })
    });
    read.collect()
}

/// The rules alone, compiled as for a profile that has no other measure.
fn scoring(
    name: &str,
    library: &Library,
    rules: &[Declared],
    cases: &[RuleCase],
    problems: &mut Problems,
) -> Option<Arc<Scoring>> {
    const PROFILE: &str = "profiles/.rules-alone.yaml";
    let measure = serde_json::json!({
        "assess": { "rules": { "rules": name, "penalty": 0.01 } }, "overall": { "from": "rules" },
        "accept": { "overall": 1 }, "stop": { "max_iterations": 1 }, "classify": null,
    });
    let library = library.holding(PROFILE, measure.to_string());
    let mut found = Problems::new();
    let loaded = load(".rules-alone", &library, &[], &|_| None, &mut found);
    let named = cases.iter().filter_map(|case| Some(case.document_type.as_ref()?.value.clone()));
    let types: BTreeSet<String> =
        rules.iter().flat_map(|rule| rule.types.iter().cloned()).chain(named).collect();
    let types: Vec<String> = types.into_iter().collect();
    let compiled = loaded.and_then(|loaded| {
        let dimensions = &loaded.profile.dimensions;
        compile(dimensions, &loaded.profile.policy.overall, &types, &loaded.library, &mut found)
    });
    found
        .iter()
        .filter(|problem| problem.level == Level::Error)
        .for_each(|problem| problems.push(problem.clone()));
    compiled.map(Scoring::new)
}

fn verdict(case: &RuleCase, assessor: &mut Assessor) -> Verdict {
    let document_type = case.document_type.as_ref().map_or(UNKNOWN_TYPE, |named| named.value.as_str());
    let scoring = Arc::clone(assessor.scoring());
    let source = case.source.as_ref().map(|text| scoring.source(text));
    let mut found = |candidate: &Value| -> Vec<Issue> {
        let mut assessment = Assessment::default();
        assessor.measure(document_type, candidate, source.as_ref(), &[], &mut assessment);
        assessment.issues.retain(|issue| issue.rule.as_deref() == Some(case.rule.value.as_str()));
        assessment.issues
    };
    let mut differences = Vec::new();
    for (at, candidate) in case.valid.iter().enumerate() {
        let issues = found(&candidate.value);
        if !issues.is_empty() {
            let issues = listed(issues.iter().map(issue_line));
            differences.push(Difference::new(format!("valid[{at}]"), "no issue", issues, &candidate.span));
        }
    }
    for (at, candidate) in case.invalid.iter().enumerate() {
        let issues = found(&candidate.value);
        let place = format!("invalid[{at}]");
        let expects_failure =
            case.issue.as_ref().is_some_and(|issue| issue.code.as_deref() == Some(SCRIPT_FAILED));
        let failed = issues.iter().find(|issue| issue.code == SCRIPT_FAILED && !expects_failure);
        if issues.is_empty() {
            differences.push(Difference::new(place, "an issue", "none", &candidate.span));
        } else if let Some(failed) = failed {
            // A broken script would otherwise pass for one that finds something.
            differences.push(Difference::new(place, "an issue", issue_line(failed), &candidate.span));
        } else if let Some(expected) = &case.issue
            && let Some(other) = issues.iter().find(|issue| !expected.fits(issue))
        {
            differences.push(Difference::new(
                place,
                expected.to_string(),
                issue_line(other),
                &candidate.span,
            ));
        }
    }
    Verdict::of(differences)
}

/// Warns about rules without valid or without invalid candidates: a rule that is only shown what it leaves alone may
/// never find anything, and the other way round.
fn warn_of_gaps(
    name: &str,
    rules: &[&Declared],
    cases: &[RuleCase],
    file: &Arc<SourceFile>,
    problems: &mut Problems,
) {
    for rule in rules {
        let own = || cases.iter().filter(|case| case.rule.value == rule.id);
        let lacks =
            match (own().any(|case| !case.valid.is_empty()), own().any(|case| !case.invalid.is_empty())) {
                (true, true) => continue,
                (true, false) => "no invalid candidate",
                (false, true) => "no valid candidate",
                (false, false) => "no case",
            };
        let message = format!("the rule `{}` of rules/{name}.yaml has {lacks} in {}", rule.id, file.name());
        let warning = Problem { level: Level::Warning, ..Problem::placeless(Code::InertRule, message) };
        problems.push(warning.help(format!("add `- {{ rule: {}, valid: [..], invalid: [..] }}`", rule.id)));
    }
}
