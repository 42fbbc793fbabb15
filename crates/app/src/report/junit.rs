//! Scenario tests in the XML of JUnit, which every CI reads. Written without a library: a handful of elements and one
//! rule of escaping are no reason for a dependency.

use crate::diag::Problem;
use crate::experiment::scenario::{CaseResult, Suite, Unusable, Verdict};
use std::fmt::Write;

/// All test files as one document. One that can't be used is a suite of one test with an error, so that its silence is
/// not taken for success.
#[must_use]
pub fn junit(suites: &[Suite], unusable: &[Unusable]) -> String {
    let all: usize = suites.iter().map(|suite| suite.results.len()).sum::<usize>() + unusable.len();
    let failed: usize = suites.iter().map(Suite::failed).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"loopctl test\" tests=\"{all}\" failures=\"{failed}\" errors=\"{}\">",
        unusable.len()
    );
    for suite in suites {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\" file=\"{}\">",
            escaped(&suite.name),
            suite.results.len(),
            suite.failed(),
            escaped(&suite.file)
        );
        for result in &suite.results {
            case(&mut out, suite, result);
        }
        out.push_str("  </testsuite>\n");
    }
    unusable.iter().for_each(|unusable| error(&mut out, unusable));
    out.push_str("</testsuites>\n");
    out
}

fn error(out: &mut String, unusable: &Unusable) {
    let Unusable { name, file, problems, .. } = unusable;
    let name = escaped(name);
    let file = file.as_ref().map(|file| format!(" file=\"{}\"", escaped(file))).unwrap_or_default();
    let message = problems.first().map(|problem| problem.message.as_str()).unwrap_or_default();
    let details: Vec<String> = problems.iter().map(problem_text).collect();
    let _ = writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\"{file}>\n    \
         <testcase classname=\"{name}\" name=\"can be used\"{file}>\n      \
         <error message=\"{}\">{}</error>\n    </testcase>\n  </testsuite>",
        escaped(message),
        escaped(&details.join("\n"))
    );
}

fn problem_text(problem: &Problem) -> String {
    let place = problem.span.as_ref().map(|span| {
        let location = span.location();
        format!("{}:{}:{}: ", location.file, location.line, location.column)
    });
    let help = problem.help.as_ref().map(|help| format!("\n  help: {help}"));
    format!("{}{}{}", place.unwrap_or_default(), problem.message, help.unwrap_or_default())
}

fn case(out: &mut String, suite: &Suite, result: &CaseResult) {
    let _ = write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\"",
        escaped(&suite.name),
        escaped(&result.name),
        escaped(&suite.file),
        result.line
    );
    let (message, details) = match &result.verdict {
        Verdict::Passed => {
            out.push_str("/>\n");
            return;
        }
        Verdict::Stuck(why) => (why.clone(), why.clone()),
        Verdict::Failed(differences) => {
            let paths: Vec<&str> = differences.iter().map(|difference| difference.path.as_str()).collect();
            let details = differences.iter().fold(String::new(), |mut text, difference| {
                let _ = writeln!(
                    text,
                    "{} (line {})\n  expected  {}\n  found     {}",
                    difference.path, difference.line, difference.expected, difference.found
                );
                text
            });
            (paths.join(", "), details)
        }
    };
    let _ = writeln!(
        out,
        ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>",
        escaped(&message),
        escaped(details.trim_end())
    );
}

/// Text for XML 1.0, in elements and attributes. Characters that no XML document may have become U+FFFD; line ends in
/// attributes would be read as spaces, so they are written as references.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_read_as_xml() {
        assert_eq!(
            escaped("a < b & \"c\" ]]> 'd'\u{1b}[0m\n\tß"),
            "a &lt; b &amp; &quot;c&quot; ]]&gt; &apos;d&apos;\u{fffd}[0m&#10;&#9;ß"
        );
    }
}
