//! The meaning of one of loopctl's own issues, as `docs/review.md` gives it.

use crate::diag::{Problems, nearest};
use crate::failure::Failure;
use crate::profile::{Files, Library};
use crate::rules::code_of_rule;
use crate::value::sanitize_line;
use crate::value::yaml::{self, Data, Node};
use serde::Serialize;

/// The page with the table of codes, their meanings and what to look at.
const PAGE: &str = include_str!("../../../../docs/review.md");
const HEADING: &str = "## What each issue means";

/// The meaning of an issue.
#[derive(Debug, Serialize)]
pub struct IssueMeaning {
    code: String,
    means: String,
    look_at: String,
}

impl IssueMeaning {
    /// For people.
    pub(super) fn text(&self) -> String {
        let IssueMeaning { code, means, look_at } = self;
        format!(
            "{code}: {means}\nLook at: {look_at}\n\ndocs/review.md has all of them, and how to review a result.\n"
        )
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IssueCodeRow {
    codes: &'static str,
    means: &'static str,
    look_at: &'static str,
}

/// Returns whether a word is meant as the code of an issue: capitals, digits and `_`.
pub(super) fn is_meant_as_code(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.contains('_')
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// The meaning of a code.
pub(super) fn meaning(code: &str, library: &Library) -> Result<IssueMeaning, Failure> {
    let row = row_of(code).ok_or_else(|| unknown(code, library))?;
    let (means, look_at) = (without_links(row.means), without_links(row.look_at));
    Ok(IssueMeaning { code: code.to_owned(), means, look_at })
}

/// The failure when loopctl has no such issue: it may be that of a rule.
fn unknown(code: &str, library: &Library) -> Failure {
    const OF_A_RULE: &str = "`loopctl explain PROFILE` says what each rule of a profile finds";
    let known: Vec<&str> = rows().flat_map(|row| codes_of(row.codes)).collect();
    let rules = rules_with(code, library);
    let failure = Failure::usage(format!("loopctl has no issue `{}` of its own", sanitize_line(code)));
    failure.help(match nearest(code, known) {
        _ if !rules.is_empty() => format!("it is that of a rule: {}; {OF_A_RULE}", rules.join(", ")),
        Some(guess) => format!("did you mean `{guess}`?"),
        None => format!("it is that of a rule: {OF_A_RULE}"),
    })
}

/// The local and shipped rules whose issues have a code.
fn rules_with(code: &str, library: &Library) -> Vec<String> {
    let mut found = Vec::new();
    for name in library.list("rules", ".yaml") {
        let Ok(Some(file)) = library.read(&name) else { continue };
        let root = yaml::parse(&file, &mut Problems::new());
        let Some(Data::List(rules)) =
            root.as_ref().and_then(|root| root.get("rules")).map(|rules| &rules.data)
        else {
            continue;
        };
        for rule in rules {
            let text = |key: &str| rule.get(key).and_then(Node::as_text);
            let Some(id) = text("id") else { continue };
            if text("code").map_or_else(|| code_of_rule(id) == code, |own| own == code) {
                found.push(format!("`{}` in `{name}`", sanitize_line(id)));
            }
        }
    }
    found
}

fn rows() -> impl Iterator<Item = IssueCodeRow> {
    let table = PAGE.split_once(HEADING).map_or("", |(_, after)| after);
    let rows =
        table.lines().skip_while(|line| !line.starts_with("| `")).take_while(|line| line.starts_with('|'));
    rows.filter_map(|line| {
        let mut cells = line.trim_matches('|').split(" | ").map(str::trim);
        Some(IssueCodeRow { codes: cells.next()?, means: cells.next()?, look_at: cells.next()? })
    })
}

/// The codes in the first cell of a row.
fn codes_of(cell: &'static str) -> impl Iterator<Item = &'static str> {
    cell.split('`').filter(|part| part.starts_with(|c: char| c.is_ascii_uppercase()))
}

fn row_of(code: &str) -> Option<IssueCodeRow> {
    rows().find(|row| {
        codes_of(row.codes).any(|known| match known.strip_suffix('…') {
            Some(start) => code.starts_with(start),
            None => known == code,
        })
    })
}

/// A cell without the targets of its links.
fn without_links(cell: &str) -> String {
    let mut text = String::new();
    let mut rest = cell;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((name, after)) = link.split_once("](") else { break };
        text.push_str(before);
        text.push_str(name);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let all: Vec<IssueCodeRow> = rows().collect();
        assert!(all.len() > 20, "{all:?}");
        let row = row_of("JUDGE_FAILED").unwrap();
        assert_eq!(row, row_of("VALIDATOR_UNAVAILABLE").unwrap());
        assert!(row_of("SCHEMA_REQUIRED").unwrap().means.starts_with("the form is wrong"));
        assert_eq!(row_of("GRADE_FORMAT"), None);
        assert_eq!(without_links("[nothing says it](a.md#b), or [so](c)"), "nothing says it, or so");
    }
}
