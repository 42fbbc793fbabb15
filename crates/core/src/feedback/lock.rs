//! Fields that a correction must leave as they are (`lock: passing`), so that a fix in one field that breaks another is
//! seen.
//!
//! A field is a top-level member of the candidate. It is locked when it is present, free of issues, and nothing that
//! the correction is told about it gives it a reason to change. The reasons are:
//!
//! - an issue at the field or below it, whoever handles it; `X` and `X_status` are one field for this;
//! - an issue about the whole candidate that is fed back: its cure may lie anywhere;
//! - an issue about another field that is fed back and names this one, in its message or its suggestion. Names are
//!   compared as words, without regard to case: `studyType`, `study_type` and "study type" are the same.
//!
//! Nothing is locked in a candidate that is not an object, such as a JSON Patch.

use crate::score::{Assessment, Issue};
use crate::value::{Disposition, Segment, Severity, canonical, is_present, push_segment};
use serde_json::Value;

/// The code of an issue about a field that was changed without cause.
pub const LOCKED_FIELD_CHANGED: &str = "LOCKED_FIELD_CHANGED";

/// Longest earlier value, as JSON, that a suggestion repeats, in bytes.
const MOST_SHOWN: usize = 200;

/// The fields of `base` that its correction must leave as they are, in their order; `assessment` is the base's.
#[must_use]
pub fn locked_fields(base: &Value, assessment: &Assessment) -> Vec<String> {
    let Value::Object(members) = base else { return Vec::new() };
    let fed_back = || assessment.issues.iter().filter(|issue| issue.disposition == Disposition::Correct);
    if fed_back().any(|issue| issue.field().is_none()) {
        return Vec::new();
    }
    let with_issues: Vec<String> = assessment.issues.iter().filter_map(Issue::field).collect();
    let told: Vec<Vec<String>> = fed_back()
        .flat_map(|issue| [Some(&issue.message), issue.suggested_fix.as_ref()])
        .flatten()
        .map(words)
        .collect();
    let is_named = |field: &str| {
        let name = words(field);
        !name.is_empty() && told.iter().any(|text| text.windows(name.len()).any(|part| part == name))
    };
    members
        .iter()
        .filter(|(field, value)| {
            is_present(value)
                && !with_issues.iter().any(|other| subject(other) == subject(field))
                && !is_named(field)
        })
        .map(|(field, _)| field.clone())
        .collect()
}

/// One issue for each locked field of `base` that `candidate` does not hold as it was: changed, emptied or left out.
/// A field that `assessment` (the candidate's) already has such an issue about is not named again.
#[must_use]
pub fn changed(
    base: &Value,
    base_assessment: &Assessment,
    candidate: &Value,
    assessment: &Assessment,
) -> Vec<Issue> {
    let (Value::Object(before), Value::Object(after)) = (base, candidate) else { return Vec::new() };
    let mut issues = Vec::new();
    for field in locked_fields(base, base_assessment) {
        let Some(earlier) = before.get(&field) else { continue };
        let earlier = canonical(earlier);
        let what = match after.get(&field) {
            Some(value) if canonical(value) == earlier => continue,
            Some(value) if is_present(value) => "was changed",
            _ => "was taken away",
        };
        let mut path = String::new();
        push_segment(&mut path, Segment::Key(&field));
        if assessment.issues.iter().any(|issue| issue.code == LOCKED_FIELD_CHANGED && issue.path == path) {
            continue;
        }
        let suggested_fix = if earlier.len() <= MOST_SHOWN {
            format!("restore the earlier value: {earlier}")
        } else {
            "restore the earlier value".to_owned()
        };
        issues.push(Issue {
            disposition: Disposition::Correct,
            auto_fixable: false,
            path: path.into(),
            message: format!("`{field}` had no issue and {what}").into(),
            suggested_fix: Some(suggested_fix.into()),
            ..Issue::new(LOCKED_FIELD_CHANGED, Severity::Major)
        });
    }
    issues
}

/// The field that a field is about: `date_status` says something about `date`.
fn subject(field: &str) -> &str {
    field.strip_suffix("_status").unwrap_or(field)
}

/// The words of a text or a name, in lower case: parted at anything but letters and digits, and where a capital
/// follows a small letter.
fn words(text: impl AsRef<str>) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in text.as_ref().chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn issue(path: &str, message: &str) -> Issue {
        serde_json::from_value(json!({"code": "X", "severity": "major", "path": path, "message": message}))
            .unwrap()
    }

    fn with(issues: &[Issue]) -> Assessment {
        Assessment { issues: issues.to_vec(), ..Assessment::default() }
    }

    #[test]
    fn what_is_present_and_free_of_issues_is_locked() {
        let base =
            json!({"grade": "2", "empty": "", "studyType": "x", "margins": {"deep": "clear"}, "date": "d"});
        let locked = |issues: &[Issue]| locked_fields(&base, &with(issues));
        let warning = Issue { disposition: Disposition::Warn, ..issue("/date", "the Study Type, too") };
        let escalated = Issue { disposition: Disposition::Escalate, ..issue("", "a script failed") };
        assert_eq!(locked(&[]), ["grade", "studyType", "margins", "date"]);
        assert_eq!(locked(&[issue("/margins/deep", "is wrong")]), ["grade", "studyType", "date"]);
        assert_eq!(locked(&[issue("/date", "does not go with the study type")]), ["grade", "margins"]);
        assert_eq!(locked(&[issue("/date", "upgraded")]), ["grade", "studyType", "margins"]);
        // These are not fed back, so they are no reason to change another field.
        assert_eq!(locked(&[warning, escalated]), ["grade", "studyType", "margins"]);
        assert!(locked(&[issue("", "is wrong somewhere")]).is_empty());
        assert!(locked_fields(&json!([{"op": "remove", "path": "/a"}]), &with(&[])).is_empty());
    }

    #[test]
    fn a_status_belongs_to_its_field() {
        let base = json!({"date_status": "not_present", "grade": "2"});
        assert_eq!(locked_fields(&base, &with(&[issue("/date", "the source speaks of it")])), ["grade"]);
    }

    #[test]
    fn a_locked_field_that_changes_is_an_issue_once() {
        let base = json!({"grade": 2, "a/b": ["x".repeat(300)], "date": "d", "size": 1});
        let before = with(&[issue("/date", "is wrong")]);
        let after = json!({"grade": "3", "date": "e", "size": 1.0, "more": true});
        let found = changed(&base, &before, &after, &with(&[]));
        assert_eq!(
            serde_json::to_value(&found).unwrap(),
            json!([
                {"code": "LOCKED_FIELD_CHANGED", "severity": "major", "disposition": "correct", "path": "/grade",
                 "message": "`grade` had no issue and was changed", "suggested_fix": "restore the earlier value: 2"},
                {"code": "LOCKED_FIELD_CHANGED", "severity": "major", "disposition": "correct", "path": "/a~1b",
                 "message": "`a/b` had no issue and was taken away", "suggested_fix": "restore the earlier value"},
            ])
        );
        assert!(changed(&base, &before, &after, &with(&found)).is_empty());
        assert!(changed(&base, &before, &json!([]), &with(&[])).is_empty());
    }

    fn fields() -> impl Strategy<Value = Value> {
        prop::collection::btree_map(
            "[a-d]{1,2}(_status)?",
            prop::sample::select(vec![json!(""), json!(1), json!("x")]),
            0..6,
        )
        .prop_map(|members| members.into_iter().collect())
    }

    proptest! {
        /// The request and the verdict agree: exactly the fields that were to be kept can be changed without cause.
        #[test]
        fn only_locked_fields_are_named(
            base in fields(), candidate in fields(),
            issues in prop::collection::vec(("(/[a-d]{1,2}(/[0-9])?)?", "([a-d]{1,2} ){0,3}"), 0..4),
        ) {
            let assessment = with(&issues.iter().map(|(path, message)| issue(path, message)).collect::<Vec<_>>());
            let locked = locked_fields(&base, &assessment);
            let named: Vec<String> =
                changed(&base, &assessment, &candidate, &with(&[])).iter().filter_map(Issue::field).collect();
            let differing: Vec<&String> =
                locked.iter().filter(|field| base.get(*field) != candidate.get(*field)).collect();
            prop_assert_eq!(named.iter().collect::<Vec<_>>(), differing);
            prop_assert!(changed(&base, &assessment, &base, &with(&[])).is_empty());
        }
    }
}
