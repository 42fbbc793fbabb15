//! The pages say what the program does: their YAML is loaded, and README shows files that exist (`pages` runs their
//! commands).

use super::harness::stop_keys;
use super::workspace::{Ran, Workspace};
use loopctl::diag::{Problems, Style, render_human};
use loopctl::experiment::scenario::{Choice, find_subject};
use loopctl::plan::Plan;
use loopctl::profile::{Library, load};
use loopctl::report::{Paint, suite_lines};
use std::path::Path;

fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The fenced blocks of a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let open = format!("```{language}\n");
    page.split(open.as_str()).skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect()
}

/// Everything that is wrong with a profile in a project of its own; empty when nothing is.
fn problems_of(profile: &str, files: &[(&str, &str)]) -> String {
    let project = tempfile::tempdir().unwrap();
    for (name, text) in files.iter().copied().chain([("profiles/page.yaml", profile)]) {
        let path = project.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut problems = Problems::new();
    let path = project.path().join("profiles/page.yaml");
    let library = Library::embedded();
    let loaded = load(path.to_str().unwrap(), &library, &[], &|_| None, &mut problems);
    let plan = loaded.and_then(|loaded| Plan::compile(&loaded, &mut problems));
    assert_eq!(plan.is_none(), problems.has_errors());
    render_human(&problems, Style::Plain)
}

#[test]
fn the_rules_page_shows_rules_that_compile() {
    let page = page("docs/rules.md");
    let blocks = blocks(&page, "yaml");
    assert!(blocks.len() >= 3, "{}", blocks.len());
    for block in blocks {
        let (measure, file) = if block.contains("\nrules:") || block.starts_with("rules:") {
            ("{ rules: page, penalty: 0.1 }", "rules/page.yaml")
        } else {
            ("{ rubric: page }", "rules/rubrics/page.yaml")
        };
        let profile = format!(
            "assess: {{ shown: {measure} }}\noverall: {{ shown: 1 }}\naccept: {{ overall: 0.9 }}\nstop: {{ max_iterations: 1 }}\n"
        );
        assert_eq!(problems_of(&profile, &[(file, block)]), "", "{block}");
    }
}

#[test]
fn the_network_page_shows_settings_that_are_read() {
    let page = page("docs/network.md");
    let blocks = blocks(&page, "yaml");
    assert!(!blocks.is_empty());
    for block in blocks {
        let profile = format!(
            "assess: {{ shown: given }}\noverall: {{ shown: 1 }}\naccept: {{ overall: 0.9 }}\nstop: {{ max_iterations: 1 }}\n{block}\n"
        );
        assert_eq!(problems_of(&profile, &[]), "", "{block}");
    }
}

/// Every check has its row, and appears in the block that the test above compiles.
#[test]
fn the_rules_page_has_every_check() {
    let page = page("docs/rules.md");
    let checks = page.split("## Checks").nth(1).unwrap().split("## Scripts").next().unwrap();
    let shown = blocks(checks, "yaml").join("\n");
    for line in checks.lines().filter(|line| line.starts_with("| `")) {
        let cell = line.split('|').nth(1).unwrap();
        for check in cell.split('`').skip(1).step_by(2).filter(|check| *check != "script") {
            assert!(shown.contains(&format!("{check}:")), "`{check}` is in no example");
        }
    }
}

/// The keys of `stop` that a column of a table names, in its order. The table is the one with this header.
fn criteria_in_table(page: &str, header: &str, column: usize) -> Vec<&'static str> {
    let table = page.split_once(&format!("{header}\n")).unwrap_or_else(|| panic!("no table `{header}`")).1;
    let known = stop_keys();
    let mut found = Vec::new();
    for row in table.lines().take_while(|line| line.starts_with('|')) {
        let cell = row.split('|').nth(column).unwrap();
        let words = cell.split('`').skip(1).step_by(2).filter_map(|code| code.split(':').next());
        found.extend(words.filter_map(|word| known.iter().find(|key| **key == word)));
    }
    found
}

/// Every stop criterion has its row, and where a table says the order, in that order.
#[test]
fn the_pages_have_every_stop_criterion() {
    let declared = stop_keys();
    let decides = page("docs/how-the-loop-decides.md");
    assert_eq!(criteria_in_table(&decides, "| applies when | status | reason |", 1), declared);
    let files = page("docs/profile-files.md");
    assert_eq!(criteria_in_table(&files, "| `stop` | ends the loop when |", 1), declared);

    let sorted = |mut keys: Vec<&'static str>| {
        keys.sort_unstable();
        keys
    };
    let but =
        |left_out: &[&str]| sorted(declared.iter().copied().filter(|key| !left_out.contains(key)).collect());
    let costs = page("docs/policies-and-costs.md");
    let told = criteria_in_table(&costs, "| criterion | use it when | mind that |", 1);
    assert_eq!(sorted(told), but(&[]));
    // What must come before the limits is held against them.
    let needed = criteria_in_table(&files, "| criterion | candidates needed |", 1);
    assert_eq!(sorted(needed), but(&["max_iterations", "max_corrections"]));
    // Both limits have the same reason.
    let endings = criteria_in_table(&page("docs/review.md"), "| status | reason | what it tells you |", 2);
    assert_eq!(sorted(endings), but(&["max_corrections"]));
}

/// The table of recorded runs is what the command prints, and the script and the criteria load.
#[test]
fn the_policies_page_shows_what_simulate_prints() {
    let page = page("docs/policies.md");
    let mut shown = blocks(&page, "text").into_iter().filter_map(|block| block.split_once('\n'));
    let (command, table) =
        shown.find(|(command, _)| command.ends_with(".jsonl")).expect("a command on a file of ours");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let arguments: Vec<&str> = command.trim_start_matches("$ loopctl ").split(' ').collect();
    let place = Workspace::new();
    let ran = Ran::of(place.loopctl(&arguments).current_dir(root)).exits(0);
    assert_eq!(ran.out.trim_end(), table);

    let base = "assess: { q: given }\noverall: { from: q }\naccept: { overall: 0.9 }\n";
    let scripted = "stop: { max_iterations: 3, script: { plateau: stop.rhai#plateau } }\n";
    let script = blocks(&page, "rhai")[0];
    assert_eq!(problems_of(&format!("{base}{scripted}"), &[("rules/stop.rhai", script)]), "");
    for block in blocks(&page, "yaml") {
        let limit = if block.starts_with("stop:") { "" } else { "stop: { max_iterations: 3 }\n" };
        assert_eq!(problems_of(&format!("{base}{limit}{block}\n"), &[]), "", "{block}");
    }
}

#[test]
fn readme_shows_the_example_profile() {
    let profile = page("examples/profiles/tumor-board.yaml");
    assert!(blocks(&page("README.md"), "yaml").contains(&profile.trim_end()));
    assert_eq!(problems_of(&profile, &[]), "");
}

/// The files that a page shows, each named in its first line, work together; every case comes out as it says.
#[test]
fn the_scenarios_page_shows_cases_that_pass() {
    let page = page("docs/scenarios.md");
    let mut library = Library::embedded();
    let mut names = Vec::new();
    for block in blocks(&page, "yaml") {
        let name = block.lines().next().unwrap().strip_prefix("# ").unwrap();
        library = library.holding(name, block);
        names.push(name);
    }
    assert!(names.len() >= 5, "{names:?}");
    for name in names.iter().filter_map(|name| name.strip_suffix(".test.yaml")) {
        let subject = find_subject(name.rsplit('/').next().unwrap(), &library).unwrap();
        let mut problems = Problems::new();
        let suite = subject.test(Choice::default(), &mut problems);
        assert!(!problems.has_errors(), "{}", render_human(&problems, Style::Plain));
        let suite = suite.unwrap();
        assert_eq!(suite.failed(), 0, "{}", suite_lines(&suite, Paint::new(false)));
    }
}

#[test]
fn readme_shows_what_the_cases_of_the_example_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("examples/profiles/tumor-board.yaml");
    let subject = find_subject(path.to_str().unwrap(), &Library::embedded()).unwrap();
    let mut problems = Problems::new();
    let suite = subject.test(Choice::default(), &mut problems).unwrap();
    assert!(page("README.md").contains(&suite_lines(&suite, Paint::new(false))), "{suite:?}");
}
