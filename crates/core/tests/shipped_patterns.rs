//! The bound on the size of a compiled expression, held against every pattern that ships.

use loopctl_core::profile::{Files, Library};
use loopctl_expressions::most_bytes;
use regex_automata::meta::Regex;

#[test]
fn no_shipped_pattern_compiles_to_more_than_its_bound() {
    // Everything in quotes in the files that ship.
    let library = Library::embedded();
    let mut patterns: Vec<String> = Vec::new();
    for folder in ["rules", "rules/vocabularies", "rules/extract", "rules/rubrics", "rules/classify"] {
        for name in library.list(folder, ".yaml") {
            let text = library.read(&name).unwrap().unwrap().text().to_owned();
            patterns.extend(
                text.lines().flat_map(|line| {
                    line.split('\'').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
                }),
            );
        }
    }
    let mut compared = 0;
    for pattern in patterns {
        let parsed =
            regex_syntax::ParserBuilder::new().utf8(false).case_insensitive(true).build().parse(&pattern);
        let Ok(parsed) = parsed else { continue };
        let limit = usize::try_from(most_bytes(&parsed)).unwrap();
        let built =
            Regex::builder().configure(Regex::config().nfa_size_limit(Some(limit))).build_from_hir(&parsed);
        assert!(built.is_ok(), "{pattern}: more than {limit}");
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
}
