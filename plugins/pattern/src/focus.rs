//! Turns feedback into the fields to search for again.

use std::collections::{BTreeMap, BTreeSet};

use loopctl_plugin_sdk::protocol::RequestFeedback;

/// The keys of an object, or the indexes of a list, that were complained about, and of an item its members (`0/grade`); none: the
/// field as a whole.
pub type Keys = BTreeSet<String>;

/// The fields to search for again.
pub type Focus = BTreeMap<String, Keys>;

/// The fields that feedback names: those missing, and those that issues point at. An issue without a path names none.
///
/// Paths are JSON Pointers (`/ihcMarkers/ER` is the key `ER` of the field `ihcMarkers`) or bare field names. An issue
/// about `grade_status` is one about `grade`.
#[must_use]
pub fn focus(feedback: &RequestFeedback) -> Focus {
    let mut focus = Focus::new();
    for path in feedback.missing.iter().chain(feedback.issues.iter().map(|issue| &issue.path)) {
        let mut parts = path.trim_start_matches(['/', '#']).split('/').map(unescaped);
        let Some(name) = parts.next().filter(|name| !name.is_empty()) else { continue };
        let name = name.strip_suffix("_status").map_or_else(|| name.clone(), str::to_owned);
        let keys = focus.entry(name).or_default();
        if let Some(key) = parts.next().filter(|key| !key.is_empty()) {
            // Of an item of a list, also the member.
            keys.extend(
                parts.next().filter(|member| !member.is_empty()).map(|member| format!("{key}/{member}")),
            );
            keys.insert(key);
        }
    }
    focus
}

/// A part of a JSON Pointer (RFC 6901, section 4).
fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopctl_plugin_sdk::protocol::RequestIssue;

    #[test]
    fn names_fields_and_keys() {
        let issue = |path: &str| RequestIssue { path: path.to_owned(), ..RequestIssue::default() };
        let feedback = RequestFeedback {
            missing: vec!["histology".into(), "/margins".into()],
            issues: vec![
                issue("/ihcMarkers/ER"),
                issue("/ihcMarkers/CK5~16"),
                issue("/measurements/0/size"),
                issue("/tmb_status"),
                issue("grade"),
                issue("/"),
                issue(""),
            ],
            failed_attempts: vec![],
        };
        let found: Vec<(String, Vec<String>)> =
            focus(&feedback).into_iter().map(|(name, keys)| (name, keys.into_iter().collect())).collect();
        let expected: Vec<(String, Vec<String>)> = vec![
            ("grade".into(), vec![]),
            ("histology".into(), vec![]),
            ("ihcMarkers".into(), vec!["CK5/6".into(), "ER".into()]),
            ("margins".into(), vec![]),
            ("measurements".into(), vec!["0".into(), "0/size".into()]),
            ("tmb".into(), vec![]),
        ];
        assert_eq!(found, expected);
    }
}
