//! Breaking any line of a shipped profile makes one of its cases fail.

use loopctl::diag::{Problems, Style, render_human};
use loopctl::experiment::scenario::{Fate, Guarded, Mutant};
use loopctl::profile::{Library, available};
use std::sync::Mutex;

/// Lines that change nothing that is decided, each with the reason. Those that no profile's cases can guard are in
/// `exemption`.
const EXEMPT: [(&str, &str, &str); 11] = [
    (
        "clinical",
        "assess.accuracy.grounding.trust: 0.97",
        "a hundredth more or less is a matter of the counts of patterns; that it is set is guarded",
    ),
    (
        "aas",
        "validators.test-engines.stages.0: exchanged",
        "the score is the mean over the stages in any order",
    ),
    (
        "aas",
        "validators.test-engines.stages.1: exchanged",
        "the score is the mean over the stages in any order",
    ),
    ("definition", "accept.overall: called `quality`", "the overall score is the quality alone"),
    ("definition", "select.order.0: overall → quality", "the overall score is the quality alone"),
    ("definition", "feedback.to: left out", "the default is the last stage, which it names"),
    ("literature", "feedback.to: left out", "the default is the last stage, which it names"),
    (
        "literature",
        "select.order.3: schema_compliance → overall",
        "of candidates with equal completeness and accuracy, both say the same",
    ),
    ("marc", "assess.accuracy.grounding.rubric: left out", "the default is the first rubric, which it names"),
    (
        "real-time",
        "stop.timeout",
        "its parent's is as long, and cases have no calls that wait for their turn",
    ),
    (
        "marc-v1",
        "stages.2.context.",
        "how much of the context a prompt shows; a tenth more or less is a matter of taste",
    ),
];

fn is_exempt(profile: &str, mutant: &Mutant) -> bool {
    EXEMPT.iter().any(|(name, change, _)| *name == profile && mutant.name.starts_with(change))
}

#[test]
#[ignore = "long"]
fn every_line_of_a_shipped_profile_is_guarded_by_a_case() {
    let library = Library::embedded();
    let mut work = Vec::new();
    let mut guarded = Vec::new();
    for profile in available(&library) {
        let mut problems = Problems::new();
        let with_cases = Guarded::new(&profile, &library, &mut problems);
        let with_cases = with_cases.unwrap_or_else(|| panic!("{}", render_human(&problems, Style::Plain)));
        guarded.push((profile, with_cases));
    }
    for (profile, with_cases) in &guarded {
        work.extend(with_cases.mutants().into_iter().map(|mutant| (profile, with_cases, mutant)));
    }
    let (all, work, survivors) = (work.len(), Mutex::new(work), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some((profile, with_cases, mutant)) = work.lock().unwrap().pop() else { break };
                    if !is_exempt(profile, &mutant) && with_cases.fate(&mutant) == Fate::Survives {
                        survivors.lock().unwrap().push((profile, mutant.line, mutant.name));
                    }
                }
            });
        }
    });
    let mut survivors = survivors.into_inner().unwrap();
    survivors.sort();
    let report: String = survivors
        .iter()
        .map(|(profile, line, name)| format!("profiles/{profile}.yaml:{line}: no case notices `{name}`\n"))
        .collect();
    assert!(survivors.is_empty(), "{} of {all} changes:\n{report}", survivors.len());
}
