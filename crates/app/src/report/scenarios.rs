//! Scenario tests as people and programs read them.

use super::paint::Paint;
use crate::diag::Problem;
use crate::experiment::scenario::{CaseResult, Difference, Suite, SuiteKind, Unusable, Verdict};
use crate::value::prose::count;
use crate::value::sanitize_line;
use serde_json::{Value, json};
use std::fmt::Write;

/// One test file: a line if all is well, else its failed cases with the expected and the actual values.
#[must_use]
pub fn suite_lines(suite: &Suite, paint: Paint) -> String {
    let (failed, all) = (suite.failed(), suite.results.len());
    let word = if failed == 0 { paint.good("ok    ") } else { paint.bad("FAILED") };
    let mut out =
        format!("{word}  {}  {}", paint.strong(&sanitize_line(&suite.name)), count(all as u64, "case"));
    if failed > 0 {
        let _ = write!(out, ", {failed} failed");
    }
    out.push('\n');
    for result in &suite.results {
        case_lines(&mut out, suite, result, paint);
    }
    out
}

/// A test file that can't be used; the reason was reported on standard error.
#[must_use]
pub fn unusable_line(unusable: &Unusable, paint: Paint) -> String {
    let place = unusable.file.as_ref().map(|file| format!("{} ", paint.faint(&sanitize_line(file))));
    format!(
        "{}  {}  {}can't be used\n",
        paint.bad("FAILED"),
        paint.strong(&sanitize_line(&unusable.name)),
        place.unwrap_or_default()
    )
}

fn case_lines(out: &mut String, suite: &Suite, result: &CaseResult, paint: Paint) {
    if result.verdict == Verdict::Passed {
        return;
    }
    let place = paint.faint(&format!("{}:{}", sanitize_line(&suite.file), result.line));
    let _ = writeln!(out, "\n  {} {}  {place}", paint.bad("✗"), sanitize_line(&result.name));
    match &result.verdict {
        Verdict::Passed => {}
        Verdict::Stuck(why) => {
            let _ = writeln!(out, "      {}", sanitize_line(why));
        }
        Verdict::Failed(differences) => {
            for difference in differences {
                difference_lines(out, difference, paint);
            }
        }
    }
}

fn difference_lines(out: &mut String, difference: &Difference, paint: Paint) {
    let Difference { path, expected, found, line } = difference;
    let _ = writeln!(out, "      {}  {}", sanitize_line(path), paint.faint(&format!("line {line}")));
    let _ = writeln!(out, "        expected  {}", paint.good(&sanitize_line(expected)));
    let _ = writeln!(out, "        found     {}", paint.bad(&sanitize_line(found)));
}

/// The last line: the number of cases and files, and of files that can't be used.
#[must_use]
pub fn suites_closing(suites: &[Suite], unusable: &[Unusable], paint: Paint) -> String {
    let all: usize = suites.iter().map(|suite| suite.results.len()).sum();
    let failed: usize = suites.iter().map(Suite::failed).sum();
    let passed = format!("{} passed", all - failed);
    let passed = if failed == 0 && unusable.is_empty() { paint.good(&passed) } else { passed };
    let failed = if failed > 0 { paint.bad(&format!(", {failed} failed")) } else { String::new() };
    let unusable = match unusable.len() {
        0 => String::new(),
        some => paint.bad(&format!(", {some} can't be used")),
    };
    format!(
        "{passed}{failed}: {} in {}{unusable}\n",
        count(all as u64, "case"),
        count(suites.len() as u64, "test file")
    )
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
