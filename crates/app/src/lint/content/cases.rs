//! Cases about fields and document types that do not exist. A case for `graed` tries its rule on nothing.
//!
//! Cases may be about strange candidates on purpose: only near misses of a known name are treated as slips.

use super::fields::named_by;
use super::language::{rules, texts};
use super::project::Project;
use crate::diag::{Code, Problem, Problems, SourceFile, nearest};
use crate::lint::nodes::{entries, one_or_more};
use crate::profile::Library;
use crate::rules::{Inheritance, UNKNOWN_TYPE};
use crate::value::yaml::{Node, parse};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Checks the cases of a profile.
pub(super) fn of_profile(project: &Project<'_>, file: &Arc<SourceFile>, problems: &mut Problems) {
    let Some(root) = parse(file, &mut Problems::new()) else { return };
    for case in root.get("cases").map(one_or_more).unwrap_or_default() {
        let said = case.get("document_type").or_else(|| case.get("expect")?.get("document_type"));
        let kind = said.and_then(Node::as_text);
        if let (Some(node), Some(kind)) = (said, kind)
            && !project.types.contains(&kind)
            && kind != UNKNOWN_TYPE
        {
            strange_type(node, kind, &project.types, problems);
            continue;
        }
        let kinds: Vec<&str> = match kind {
            Some(kind) => vec![kind],
            None => project.types.clone(),
        };
        let known: BTreeSet<String> =
            kinds.iter().filter_map(|kind| project.fields.get(kind)).flat_map(|f| f.names()).collect();
        let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
        fields_of(case.get("candidates"), &known, problems);
    }
}

/// Checks the cases of the rules `name`.
pub(in crate::lint) fn of_rules(
    name: &str,
    file: &Arc<SourceFile>,
    library: &Library,
    problems: &mut Problems,
) {
    use crate::profile::Files;
    let Some(root) = parse(file, &mut Problems::new()) else { return };
    let Ok(Some(own)) = library.read(&format!("rules/{name}.yaml")) else { return };
    let Some(declared) = Inheritance::RULES.read(&own, library, &mut Problems::new()) else { return };
    let types: Vec<&str> = rules(&declared).iter().flat_map(|rule| texts(rule.get("for"))).collect();
    for case in root.get("cases").map(one_or_more).unwrap_or_default() {
        if let Some(node) = case.get("document_type")
            && let Some(kind) = node.as_text()
            && !types.contains(&kind)
        {
            strange_type(node, kind, &types, problems);
        }
        let id = case.get("rule").and_then(Node::as_text);
        let of_case = |rule: &&Node| rule.get("id").and_then(Node::as_text) == id;
        let Some(rule) = rules(&declared).iter().find(of_case) else { continue };
        let named = named_by(rule);
        let named: BTreeSet<&str> = named.iter().map(String::as_str).collect();
        for key in ["valid", "invalid"] {
            fields_of(case.get(key), &named, problems);
        }
    }
}

fn strange_type(node: &Node, kind: &str, known: &[&str], problems: &mut Problems) {
    let Some(guess) = nearest(kind, known.iter().copied()).filter(|guess| is_slip(kind, guess)) else {
        return;
    };
    let message = format!("no document has the type `{kind}`, so this case tries nothing");
    let problem = Problem::warning(Code::StrangeCase, &node.span, message);
    problems.push(problem.help(format!("did you mean `{guess}`?")));
}

/// Checks the fields of candidates. One that also has the field that may be meant means something else.
fn fields_of(candidates: Option<&Node>, known: &BTreeSet<&str>, problems: &mut Problems) {
    for candidate in candidates.map(one_or_more).unwrap_or_default() {
        for entry in entries(Some(candidate)) {
            let name = entry.key.as_str();
            let stem = name.strip_suffix("_status").unwrap_or(name);
            if known.contains(name) || known.contains(stem) {
                continue;
            }
            let guess = nearest(name, known.iter().copied())
                .filter(|guess| is_slip(name, guess) && candidate.get(guess).is_none());
            let Some(guess) = guess else { continue };
            let message = format!("nothing looks at the field `{name}` of this candidate");
            let problem = Problem::warning(Code::StrangeCase, &entry.key_span, message);
            problems.push(problem.help(format!("did you mean `{guess}`?")));
        }
    }
}

/// Returns whether two names differ as by a typo: `value_1` and `value_2` are two names.
fn is_slip(word: &str, known: &str) -> bool {
    let is_numbered = |text: &str| text.chars().any(|c| c.is_ascii_digit());
    strsim::damerau_levenshtein(word, known) <= 2 && !is_numbered(word)
}
