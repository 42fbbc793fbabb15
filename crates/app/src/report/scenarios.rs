//! Scenario tests as people and programs read them.

use super::model::{Block, Item, List, Piece, Tone, lines, toned};
use super::paint::Paint;
use crate::diag::Problem;
use crate::experiment::scenario::{CaseResult, Difference, Suite, SuiteKind, Unusable, Verdict};
use crate::value::prose::count;
use serde_json::{Value, json};

/// One test file: a line if all is well, else its failed cases with the expected and the actual values.
#[must_use]
pub fn suite_lines(suite: &Suite, paint: Paint) -> String {
    let cases = suite.results.iter().filter_map(|result| failed_case(suite, result)).collect();
    let (word, failed) = match suite.failed() {
        0 => (toned(Tone::Good, "ok    "), String::new()),
        some => (toned(Tone::Bad, "FAILED"), format!(", {some} failed")),
    };
    let all = count(suite.results.len() as u64, "case");
    let text = vec![word, Piece::Outside(format!("  {}  {all}{failed}", suite.name))];
    lines(&[Block::List(List::of([Item::new("", text, cases)]))], paint)
}

/// A test file that can't be used; the reason was reported on standard error.
#[must_use]
pub fn unusable_line(unusable: &Unusable, paint: Paint) -> String {
    let mut text = vec![toned(Tone::Bad, "FAILED"), Piece::Outside(format!("  {}  ", unusable.name))];
    text.extend(unusable.file.as_ref().map(|file| toned(Tone::Faint, format!("{file} "))));
    text.push(Piece::Words("can't be used".to_owned()));
    lines(&[Block::List(List::of([text]))], paint)
}

fn failed_case(suite: &Suite, result: &CaseResult) -> Option<Item> {
    let parts = match &result.verdict {
        Verdict::Passed => return None,
        Verdict::Stuck(why) => vec![Item::from(why.clone())],
        Verdict::Failed(differences) => differences.iter().map(difference).collect(),
    };
    let name = Piece::Outside(format!(" {}  ", result.name));
    let place = toned(Tone::Faint, format!("{}:{}", suite.file, result.line));
    Some(Item::new("", vec![toned(Tone::Bad, "✗"), name, place], parts))
}

fn difference(difference: &Difference) -> Item {
    let Difference { path, expected, found, line } = difference;
    let told = |word: &str, tone, value| Item::from(vec![Piece::Words(word.to_owned()), toned(tone, value)]);
    let parts = vec![told("expected  ", Tone::Good, expected), told("found     ", Tone::Bad, found)];
    Item::new(path, vec![toned(Tone::Faint, format!("  line {line}"))], parts)
}

/// The last line: the number of cases and files, and of files that can't be used.
#[must_use]
pub fn suites_closing(suites: &[Suite], unusable: &[Unusable], paint: Paint) -> String {
    let all: usize = suites.iter().map(|suite| suite.results.len()).sum();
    let failed: usize = suites.iter().map(Suite::failed).sum();
    let tone = if failed == 0 && unusable.is_empty() { Tone::Good } else { Tone::Plain };
    let mut text = vec![toned(tone, format!("{} passed", all - failed))];
    if failed > 0 {
        text.push(toned(Tone::Bad, format!(", {failed} failed")));
    }
    let (cases, files) = (count(all as u64, "case"), count(suites.len() as u64, "test file"));
    text.push(Piece::Words(format!(": {cases} in {files}")));
    if !unusable.is_empty() {
        text.push(toned(Tone::Bad, format!(", {} can't be used", unusable.len())));
    }
    lines(&[Block::List(List::of([text]))], paint)
}

/// Everything as one JSON value. An unusable file is a suite without cases but with `problems`, counted in `errors`.
#[must_use]
pub fn suites_json(suites: &[Suite], unusable: &[Unusable]) -> Value {
    let cases = |suite: &Suite| -> Vec<Value> { suite.results.iter().map(case_json).collect() };
    let all: usize = suites.iter().map(|suite| suite.results.len()).sum();
    let failed: usize = suites.iter().map(Suite::failed).sum();
    let suites = suites.iter().map(|suite| {
        json!({
            "name": suite.name,
            "kind": kind_word(suite.kind),
            "file": suite.file,
            "failed": suite.failed(),
            "cases": cases(suite),
            "problems": [],
        })
    });
    let errors = unusable.iter().map(|unusable| {
        json!({
            "name": unusable.name,
            "kind": unusable.kind.map(kind_word),
            "file": unusable.file,
            "failed": 0,
            "cases": [],
            "problems": unusable.problems.iter().map(problem_json).collect::<Vec<Value>>(),
        })
    });
    json!({
        "passed": all - failed,
        "failed": failed,
        "errors": unusable.len(),
        "suites": suites.chain(errors).collect::<Vec<Value>>(),
    })
}

fn kind_word(kind: SuiteKind) -> &'static str {
    match kind {
        SuiteKind::Profile => "profile",
        SuiteKind::Rules => "rules",
        SuiteKind::Vocabulary => "vocabulary",
    }
}

fn problem_json(problem: &Problem) -> Value {
    let place = problem.span.as_ref().map(crate::diag::Span::location);
    json!({
        "code": problem.code.as_str(),
        "message": problem.message,
        "file": place.map(|place| place.file),
        "line": place.map(|place| place.line),
        "help": problem.help,
    })
}

fn case_json(result: &CaseResult) -> Value {
    let (stuck, differences) = match &result.verdict {
        Verdict::Passed => (None, &[][..]),
        Verdict::Stuck(why) => (Some(why), &[][..]),
        Verdict::Failed(differences) => (None, differences.as_slice()),
    };
    let differences: Vec<Value> = differences
        .iter()
        .map(|d| json!({ "path": d.path, "expected": d.expected, "found": d.found, "line": d.line }))
        .collect();
    json!({
        "name": result.name,
        "line": result.line,
        "passed": result.verdict == Verdict::Passed,
        "differences": differences,
        "stuck": stuck,
    })
}
