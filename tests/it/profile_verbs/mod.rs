//! `loopctl profile list|show|explain|diff`.

mod explained;
mod no_key_is_silent;

use crate::workspace::Workspace;
use explained::SHIPPED;

#[test]
fn the_list_says_where_profiles_come_from() {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", "extends: clinical\ndescription: mine\n");
    std::fs::create_dir_all(place.home().join("profiles")).unwrap();
    std::fs::write(place.home().join("profiles/batch.yaml"), "extends: marc\ndescription: ours\n").unwrap();
    std::fs::write(place.home().join("profiles/bad.yaml"), "extends: nothing\n").unwrap();
    let list = place.run_json(&["profile", "list", "--format", "json"]);
    let of = |name: &str| list.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
    assert_eq!(
        (of("mine")["source"].as_str(), of("mine")["description"].as_str()),
        (Some("working_directory"), Some("mine"))
    );
    assert_eq!(of("batch")["source"], "home");
    assert_eq!(of("clinical")["source"], "embedded");
    assert!(
        of("clinical")["path"].is_null()
            && of("mine")["path"].as_str().unwrap().ends_with("profiles/mine.yaml")
    );
    assert_eq!(
        (of("bad")["usable"].as_bool(), of("clinical")["usable"].as_bool()),
        (Some(false), Some(true))
    );
    let table = place.run(&["profile", "list"]).exits(0).out;
    assert!(
        table.lines().any(|line| line.starts_with("mine ") && line.contains("working directory")),
        "{table}"
    );
}

#[test]
fn shown_settings_are_a_profile_of_their_own() {
    let place = Workspace::new();
    for name in SHIPPED {
        let shown = place.run(&["profile", "show", name]).exits(0).out;
        place.write("again.yaml", &shown);
        let digest = |profile: &str| {
            let explained = place.run_json(&["profile", "explain", profile, "--format", "json"]);
            explained["digest"].as_str().unwrap().to_owned()
        };
        assert_eq!(digest(name), digest("./again.yaml"), "{shown}");
        assert!(!shown.contains("extends"), "{shown}");
    }
}

#[test]
fn origins_name_files_flags_variables_and_defaults() {
    let place = Workspace::new();
    let mut command = place.loopctl(&[
        "profile",
        "show",
        "clinical",
        "--origins",
        "--config",
        "select.ties=first",
        "--provider",
        "openai:x",
    ]);
    let ran = crate::workspace::Ran::of(command.env("LOOPCTL_MAX_ITERATIONS", "4")).exits(0);
    let line = |start: &str| {
        let found = ran.out.lines().find(|line| line.trim_start().starts_with(start));
        found
            .unwrap_or_else(|| panic!("{start}\n{}", ran.out))
            .split('#')
            .nth(1)
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    assert!(line("overall: 0.98").starts_with("profiles/clinical.yaml:"), "{}", ran.out);
    assert!(line("timeout: 30s").starts_with("profiles/marc.yaml:"));
    assert_eq!(line("ties: first"), "--config");
    assert_eq!(line("provider: "), "--provider");
    assert_eq!(line("max_iterations: 4"), "LOOPCTL_MAX_ITERATIONS");
    assert_eq!(line("classify: classify"), "default");
    let columns: Vec<usize> = ran
        .out
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.find("  # ").filter(|at| *at < 60))
        .collect();
    assert!(columns.iter().filter(|at| **at == columns[0]).count() * 2 > columns.len(), "{}", ran.out);
    let list = place.run_json(&["profile", "show", "clinical", "--origins", "--format", "json"]);
    let overall = list.as_array().unwrap().iter().find(|one| one["path"] == "accept.overall").unwrap();
    assert_eq!(overall["value"], 0.98);
    assert_eq!(overall["origin"]["file"], "profiles/clinical.yaml");
    assert!(
        overall["origin"]["line"].as_u64().unwrap() > 1 && overall["origin"]["column"].as_u64().unwrap() > 1
    );
    assert_eq!(
        place.run_json(&["profile", "show", "clinical", "--format", "json"])["accept"]["overall"],
        0.98
    );
}

#[test]
fn a_profile_with_mistakes_is_shown_and_not_explained() {
    let place = Workspace::new();
    place.write("bad.yaml", "extends: clinical\nacept: { overall: 2 }\naccept: { overall: 1.5 }\n");
    place.run(&["profile", "show", "./bad.yaml"]).exits(2).says(&["`acept`", "did you mean `accept`?"]);
    assert!(place.run(&["profile", "show", "./bad.yaml"]).out.contains("overall: 1.5"));
    place
        .run(&["profile", "explain", "./bad.yaml"])
        .exits(2)
        .says(&["did you mean `accept`?", "can't be used"]);
    place.write("orphan.yaml", "extends: gone\nstop: { max_iterations: 2 }\n");
    let orphan = place.run(&["profile", "show", "./orphan.yaml"]).exits(2);
    assert!(
        orphan.out.contains("max_iterations: 2") && orphan.err.contains("gone"),
        "{}{}",
        orphan.out,
        orphan.err
    );
}

#[test]
fn an_explanation_has_the_numbers_of_its_flags() {
    let place = Workspace::new();
    let plain = place.run(&["profile", "explain", "clinical"]).exits(0).out;
    let changed =
        place.run(&["profile", "explain", "clinical", "--config", "accept.overall=0.9"]).exits(0).out;
    assert!(
        plain.contains("at least 0.98") && changed.contains("at least 0.90") && !changed.contains("0.98"),
        "{changed}"
    );
    assert!(plain.lines().all(|line| line.chars().count() < 140), "{plain}");
    assert!(plain.contains("A person looks when") && !plain.contains("every value that"), "{plain}");
    assert!(plain.contains("Carcinoma identified but grade not extracted"), "{plain}");
    let full = place.run(&["profile", "explain", "clinical", "--full"]).exits(0).out;
    assert!(full.contains("A person looks when") && full.contains("WHEN THE LOOP STOPS"), "{full}");
    let lenient = place.run(&["profile", "explain", "real-time"]).exits(0).out;
    let fields = |text: &str| {
        text.split("- Rules:").next().unwrap_or_default().split("- Fields:").nth(1).map(str::to_owned)
    };
    let (strict, lenient) = (fields(&plain).unwrap(), fields(&lenient).unwrap());
    assert!(strict.contains("lacks") && !strict.contains("can pass"), "a grade must be there: {strict}");
    assert!(lenient.contains("can pass") && lenient.contains("`grade`"), "{lenient}");
    let json = place.run_json(&["profile", "explain", "clinical", "--format", "json"]);
    let stops = json["sections"].as_array().unwrap().iter().find(|one| one["key"] == "stopping").unwrap();
    let accepted =
        stops["statements"].as_array().unwrap().iter().find(|one| one["key"] == "stop.accepted").unwrap();
    let acceptance =
        json["sections"].as_array().unwrap().iter().find(|one| one["key"] == "acceptance").unwrap();
    let overall = acceptance["statements"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["key"] == "accept.overall")
        .unwrap();
    assert_eq!(overall["values"], serde_json::json!({ "of": "overall", "at_least": 0.98 }));
    assert_eq!(overall["origin"][0]["file"], "profiles/clinical.yaml");
    assert_eq!(
        accepted["ending"],
        serde_json::json!({ "final_status": "passed", "stop_reason": "accepted" })
    );
}

#[test]
fn a_difference_is_one_in_behaviour() {
    let place = Workspace::new();
    place.write(
        "my-clinical.yaml",
        "description: mine\nextends: clinical\naccept: { overall: 0.95 }\nstop: { min_improvement: { delta: 0.05, patience: 1 } }\nfeedback: { history: 10 }\n",
    );
    let diff = place.run(&["profile", "diff", "clinical", "./my-clinical.yaml"]).exits(0).out;
    assert!(diff.contains("at least 0.98 → 0.95."), "{diff}");
    assert!(diff.contains("no effect") && diff.contains("description:"), "{diff}");
    assert!(!diff.contains("history"), "{diff}");
    place.run(&["profile", "diff", "clinical", "./my-clinical.yaml", "--exit-code"]).exits(3);
    let same = place.run(&["profile", "diff", "clinical", "clinical", "--exit-code"]).exits(0).out;
    assert!(same.contains("do the same") && same.contains("compared with itself"), "{same}");
    let more = place.run(&[
        "profile",
        "diff",
        "batch",
        "--config",
        "stop.max_iterations=5",
        "--config",
        "stop.timeout=null",
    ]);
    let more = more.exits(0).out;
    assert!(more.contains("3 → 5 candidates") && more.contains("no longer: More than 30 seconds"), "{more}");
    place.run(&["profile", "diff", "batch"]).exits(2).says(&["nothing to compare"]);
}

#[test]
fn settings_without_effect_and_other_files_are_told_apart() {
    let place = Workspace::new();
    place.write("a/profiles/p.yaml", "extends: batch\nassess: { validity: { rules: own, penalty: 0.1 } }\n");
    place.write(
        "b/profiles/p.yaml",
        "extends: batch\nassess: { validity: { rules: own, penalty: 0.10, counts: all } }\n",
    );
    place.write("a/rules/own.yaml", "rules: [{ id: r, field: grade, matches: a }]\n");
    place.write("b/rules/own.yaml", "rules: [{ id: r, field: grade, matches: b }]\n");
    let diff =
        place.run_json(&["profile", "diff", "a/profiles/p.yaml", "b/profiles/p.yaml", "--format", "json"]);
    assert_eq!(
        (diff["same"].as_bool(), diff["changes"].as_array().map(Vec::len)),
        (Some(false), Some(1)),
        "{diff:#}"
    );
    let change = &diff["changes"][0];
    assert_eq!(change["key"], "dimension.validity.rule.r");
    assert_eq!(change["after"]["values"]["says"], "expected text that matches `b`");
    assert!(
        change["after"]["origin"][0]["file"].as_str().unwrap().ends_with("b/profiles/p.yaml"),
        "{diff:#}"
    );
    assert_eq!(diff["files"][0]["name"], "rules/own.yaml");
    assert!(diff["settings"].as_array().unwrap().iter().all(|one| one["effect"] == "none"), "{diff:#}");
}

#[test]
fn recorded_documents_that_end_otherwise_are_named() {
    let place = Workspace::new();
    let line = |id: &str, scores: &[f64]| {
        let iterations: Vec<_> = scores
            .iter()
            .map(|score| serde_json::json!({ "scores": { "q": score }, "issues": [] }))
            .collect();
        format!("{}\n", serde_json::json!({ "id": id, "iterations": iterations }))
    };
    let lines =
        [line("good", &[0.97, 0.99]), line("slow", &[0.5, 0.6, 0.7, 0.96]), line("same", &[0.99])].concat();
    place.write("t.jsonl", lines);
    let arguments =
        ["profile", "diff", "batch", "real-time", "--trajectories", "t.jsonl", "--overall-from", "q"];
    let diff = place.run(&arguments).exits(0).out;
    assert!(
        diff.contains("1 of 3 end otherwise: 0 newly accepted, 0 no longer; 1 candidate fewer and 0 more."),
        "{diff}"
    );
    assert!(diff.contains("slow") && !diff.contains("good"), "{diff}");
    assert!(diff.contains("reached acceptance, %"), "{diff}");
    let json = place.run_json(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(json["documents"]["sum"]["candidates_fewer"], 1);
    let moved = &json["documents"]["differ"][0];
    assert_eq!(
        (moved["before"]["iteration_count"].as_u64(), moved["after"]["iteration_count"].as_u64()),
        (Some(3), Some(2))
    );
    place.write("t.jsonl", "{\n");
    place.run(&arguments).exits(1).says(&["line 1"]);
}

/// A person signs what a profile is explained to do: each rule in a sentence, and the same document types named once.
#[test]
fn rules_are_explained_in_sentences() {
    let place = Workspace::new();
    for name in SHIPPED {
        let explained = place.run_json(&["profile", "explain", name, "--format", "json"]);
        let statements = explained["sections"].as_array().unwrap().iter();
        let statements = statements.flat_map(|section| section["statements"].as_array().unwrap());
        for rule in statements.filter(|one| one["kind"] == "rule") {
            let says = rule["values"]["says"].as_str().unwrap();
            for unreadable in
                ["…", "{{", "issues with the code", "it does not hold that", "the value the value"]
            {
                assert!(!says.contains(unreadable), "{name}: {says}");
            }
            assert!(says.split(' ').count() >= 3 && !says.ends_with([':', ';', '"']), "{name}: {says}");
            assert!(!says.chars().any(|c| c == '_'), "{name}: {says}");
        }
        let short = place.run(&["profile", "explain", name]).exits(0).out;
        let types =
            short.matches("every type of document").count() + short.matches("Every type of document").count();
        assert!(types <= 4, "{short}");
    }
    // What a profile of one's own says is made from its messages, checks and ids.
    place.write("rules/own.yaml", "rules:\n  - { id: grade-known, field: grade, one_of: [low, high], message: 'no grade: \"{{ value }}\"' }\n  - { id: margins-are-free, script: own.rhai#f }\n  - { id: site-given, field: site, required: true, says: no one said where }\n");
    place.write("rules/own.rhai", "fn f(candidate, source) { }");
    place.write("own.yaml", "assess: { validity: { rules: own, penalty: 0.1 } }\noverall: { validity: 1 }\naccept: { overall: 0.9 }\nstop: { max_iterations: 2 }\n");
    let short = place.run(&["profile", "explain", "./own.yaml"]).exits(0).out;
    for said in [
        "- No grade (`grade-known`)",
        "margins are free (`margins-are-free`)",
        "- No one said where (`site-given`)",
    ] {
        assert!(short.contains(said), "{said}\n{short}");
    }
}
