//! `loopctl plugin`: what can be found, what it says about itself, and what may run.

use crate::neighbour::compile;
use crate::workspace::{Ran, Workspace};
use serde_json::Value;
use std::path::PathBuf;

fn listed(place: &Workspace) -> Vec<Value> {
    place.run_json(&["plugin", "list", "--format", "json"]).as_array().unwrap().clone()
}

fn well_behaved(place: &Workspace) -> PathBuf {
    compile("well_behaved", &place.path("elsewhere"))
}

#[test]
fn what_is_shipped_is_found_and_part_of_the_installation() {
    let place = Workspace::new();
    let all = listed(&place);
    for name in ["pattern", "scripted"] {
        let plugin = all.iter().find(|plugin| plugin["name"] == name).unwrap_or_else(|| panic!("{all:?}"));
        assert_eq!(plugin["trust"], "installation", "{plugin}");
        assert_eq!(plugin["sha256"].as_str().unwrap().len(), 64);
        assert!(!plugin["manifest"]["description"].as_str().unwrap().is_empty());
    }
    let table = place.run(&["plugin", "list"]).exits(0);
    assert!(table.out.contains("pattern") && table.out.contains("part of the installation"), "{}", table.out);
    assert_eq!(table.err, "");
    assert!(!place.home().join("plugins.lock").exists());
}

#[test]
fn a_plugin_shows_itself_without_being_run() {
    let place = Workspace::new();
    let by_name = place.run_json(&["plugin", "inspect", "pattern"]);
    assert_eq!(by_name["manifest"]["name"], "pattern");
    let path = well_behaved(&place);
    let foreign = place.run_json(&["plugin", "inspect", path.to_str().unwrap()]);
    assert_eq!((&foreign["name"], &foreign["trust"]), (&"well_behaved".into(), &"untrusted".into()));
    assert!(foreign["why"].is_string(), "{foreign}");
    place.run(&["plugin", "inspect", "patern"]).exits(2).says(&["patern", "did you mean `pattern`?"]);
    place.run(&["plugin", "inspect", "./none.so"]).exits(1).says(&["none.so"]);
    place.write("report.txt", "x");
    place.run(&["plugin", "inspect", "report.txt"]).exits(1).says(&["report.txt"]);
}

#[test]
fn a_plugin_from_elsewhere_runs_only_when_it_is_trusted() {
    let place = Workspace::new();
    place.write("doc.txt", "x");
    let path = well_behaved(&place);
    let path = path.to_str().unwrap();
    let run = || {
        place.run(&[
            "run",
            "--provider",
            path,
            "--config",
            "stop.max_iterations=1",
            "--format",
            "json",
            "doc.txt",
        ])
    };
    let refused = run().exits(1).says(&["not trusted", "help:", "loopctl plugin trust"]);
    assert_eq!(refused.out, "");

    let trusted = place.run(&["plugin", "trust", path]).exits(0).says(&["plugins.lock"]);
    let digest = trusted.json()["sha256"].as_str().unwrap().to_owned();
    assert_eq!(trusted.json()["trust"], "locked");
    run().exits(3).json();
    let lock = std::fs::read_to_string(place.home().join("plugins.lock")).unwrap();
    assert!(lock.contains(&digest), "{lock}");

    // The code changes behind its name.
    let mut bytes = std::fs::read(path).unwrap();
    bytes.extend(b"more");
    std::fs::write(path, bytes).unwrap();
    let changed = run().exits(1).says(&[&digest, "help:"]);
    let found = place.run_json(&["plugin", "inspect", path]);
    assert_eq!(found["trust"], "changed");
    assert!(changed.err.contains(found["sha256"].as_str().unwrap()), "{}", changed.err);
    place.run(&["plugin", "trust", path]).exits(0).says(&[&format!("the digest before was {digest}")]);
    run().exits(3);
}

#[test]
fn a_search_path_comes_first_and_gives_no_trust() {
    let place = Workspace::new();
    place.write("doc.txt", "x");
    let folder = well_behaved(&place).parent().unwrap().to_path_buf();
    let with = |arguments: &[&str]| Ran::of(place.loopctl(arguments).env("LOOPCTL_PLUGIN_PATH", &folder));
    let list = with(&["plugin", "list"]).exits(0);
    assert!(list.out.contains("well_behaved") && list.out.contains("NOT trusted"), "{}", list.out);
    with(&["run", "--provider", "well_behaved", "doc.txt"]).exits(1).says(&["loopctl plugin trust"]);
    with(&["plugin", "trust", "well_behaved"]).exits(0);
    with(&["run", "--provider", "well_behaved", "--config", "stop.max_iterations=1", "doc.txt"]).exits(3);
}

#[test]
fn of_two_plugins_of_a_name_both_are_shown_and_which_is_used() {
    let place = Workspace::new();
    let (first, second) = (place.path("first"), place.path("second"));
    let (used, shadowed) = (compile("well_behaved", &first), compile("well_behaved", &second));
    let mut bytes = std::fs::read(&shadowed).unwrap();
    bytes.extend(b"more");
    std::fs::write(&shadowed, bytes).unwrap();
    let search = std::env::join_paths([&first, &second]).unwrap();
    let with =
        |arguments: &[&str]| Ran::of(place.loopctl(arguments).env("LOOPCTL_PLUGIN_PATH", &search)).exits(0);
    let all: Vec<Value> = with(&["plugin", "list", "--format", "json"]).json().as_array().unwrap().clone();
    let both: Vec<(&str, &Value)> = all
        .iter()
        .filter(|plugin| plugin["name"] == "well_behaved")
        .map(|plugin| (plugin["path"].as_str().unwrap(), &plugin["used"]))
        .collect();
    let expected =
        [(used.to_str().unwrap(), &Value::Bool(true)), (shadowed.to_str().unwrap(), &Value::Bool(false))];
    assert_eq!(both, expected);
    let table = with(&["plugin", "list"]).out;
    let lines: Vec<&str> =
        table.lines().skip_while(|line| !line.starts_with("well_behaved")).take(4).collect();
    assert!(lines[0].contains("NOT trusted") && !lines[0].contains("not used"), "{table}");
    assert!(lines[1].contains(used.to_str().unwrap()), "{table}");
    assert!(lines[2].contains("not used") && lines[3].contains(shadowed.to_str().unwrap()), "{table}");
    // The very same file in two locations is one plugin, as the shared libraries of a build by cargo are.
    let third = place.path("third");
    std::fs::create_dir(&third).unwrap();
    std::fs::copy(&used, third.join(used.file_name().unwrap())).unwrap();
    let search = std::env::join_paths([&first, &third]).unwrap();
    let list = ["plugin", "list", "--format", "json"];
    let all = Ran::of(place.loopctl(&list).env("LOOPCTL_PLUGIN_PATH", &search)).exits(0).json();
    let named = all.as_array().unwrap().iter().filter(|plugin| plugin["name"] == "well_behaved");
    assert_eq!(named.count(), 1);
}

#[test]
fn a_plugin_at_home_is_found_and_one_that_is_broken_does_not_hide_the_others() {
    let place = Workspace::new();
    compile("well_behaved", &place.home().join("plugins"));
    compile("not_a_plugin", &place.home().join("plugins"));
    let all = listed(&place);
    let named = |name: &str| all.iter().find(|plugin| plugin["name"] == name).cloned().unwrap_or_default();
    assert_eq!(named("well_behaved")["trust"], "untrusted");
    assert!(named("not_a_plugin")["problem"].is_string(), "{all:?}");
    assert_eq!(named("pattern")["trust"], "installation");
    let table = place.run(&["plugin", "list"]).exits(0);
    assert!(table.out.contains("unusable:"), "{}", table.out);
}

#[test]
fn a_lock_file_that_is_broken_is_named_and_left_alone() {
    let place = Workspace::new();
    let path = well_behaved(&place);
    let lock = place.home().join("plugins.lock");
    std::fs::write(&lock, "{").unwrap();
    place.run(&["plugin", "trust", path.to_str().unwrap()]).exits(1).says(&["plugins.lock"]);
    assert_eq!(std::fs::read_to_string(&lock).unwrap(), "{");
    place.write("doc.txt", "x");
    // The installation does not need it.
    assert!(matches!(place.run(&["run", "doc.txt"]).code, Some(0 | 3)));
}
