//! `init` and `new`: projects that work at once, and additions that leave everything else as it was.

use super::workspace::{Ran, Workspace, documents};
use loopctl::profile::{Files, Library, available};
use serde_json::json;

/// The commands that a project's README names.
fn commands(place: &Workspace) -> Vec<String> {
    let readme = place.read("README.md");
    let commands: Vec<String> =
        readme.lines().filter(|line| line.starts_with("loopctl ")).map(str::to_owned).collect();
    assert_eq!(commands.len(), 5, "{readme}");
    commands
}

fn run_line(place: &Workspace, line: &str) -> Ran {
    place.run(&line.split(' ').skip(1).collect::<Vec<_>>())
}

#[test]
#[ignore = "long"]
fn every_shipped_profile_begins_a_project_that_works_at_once() {
    for profile in available(&Library::embedded()) {
        let place = Workspace::new();
        let said = place.run(&["init", "--profile", &profile]).exits(0).out;
        assert!(
            said.starts_with("wrote:\n  .gitignore\n  README.md\n") && !said.contains("\n  cd "),
            "{said}"
        );
        for line in commands(&place) {
            let ran = run_line(&place, &line).exits(0);
            if line.contains(" check ") {
                run_line(&place, &format!("{line} --strict")).exits(0);
            } else if line.contains(" test ") {
                assert!(
                    !ran.out.contains("warning") && !ran.err.contains("warning"),
                    "{}{}",
                    ran.out,
                    ran.err
                );
            }
        }
        let readme = place.read("README.md");
        for name in readme.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()) {
            assert!(place.path(name).is_file(), "{profile}: {name}");
        }
        assert!(!readme.contains('@'), "{readme}");
        assert_eq!(place.read(".gitignore"), "out/\n");
    }
}

/// A file hides the shipped one of its name, for every profile in the folder.
#[test]
fn a_project_hides_nothing_that_ships() {
    for profile in ["balanced", "literature", "definition", "marc-v1", "aas"] {
        let place = Workspace::new();
        let said = place.run(&["init", "--profile", profile]).exits(0).out;
        let written = said.lines().skip(1).take_while(|line| *line != "next:").map(str::trim);
        let shipped = |name: &&str| {
            Library::embedded().read(name).ok().flatten().is_some_and(|file| file.text() != place.read(name))
        };
        assert_eq!(written.filter(shipped).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}

#[test]
fn yaml_names_the_schema_that_editors_check_it_by() {
    let place = Workspace::new();
    place.run(&["init"]).exits(0);
    place.run(&["new", "profile", "strict"]).exits(0);
    place.run(&["new", "document-type", "loan-request", "--profile", "strict"]).exits(0);
    let shipped =
        |name: &str| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(name).is_file();
    let mut seen = 0;
    for folder in ["profiles", "rules", "rules/rubrics", "rules/extract"] {
        for name in place.names(folder).iter().filter(|name| name.ends_with(".yaml")) {
            let text = place.read(&format!("{folder}/{name}"));
            let first = text.lines().next().unwrap();
            let schema = first
                .strip_prefix("# yaml-language-server: $schema=")
                .unwrap_or_else(|| panic!("{folder}/{name}: {first}"));
            let up = "../".repeat(folder.matches('/').count() + 1);
            let schema = schema.strip_prefix(&format!("{up}schemas/")).unwrap();
            assert_eq!(place.path(format!("schemas/{schema}")).is_file(), shipped(schema), "{folder}/{name}");
            seen += 1;
        }
    }
    assert!(seen >= 8, "{seen}");
}

#[test]
fn init_never_writes_over_anything() {
    let place = Workspace::new();
    place.write("profiles/letters.yaml", "extends: batch\n");
    place.write("README.md", "mine\n");
    let says = ["`profiles/letters.yaml` is there already; nothing was written", "choose another folder"];
    place.run(&["init"]).exits(2).says(&says);
    assert_eq!(place.names(""), ["README.md", "profiles"]);
    assert_eq!(place.read("profiles/letters.yaml"), "extends: batch\n");

    // Other files are no obstacle, and a README is left alone, which is reported.
    std::fs::remove_dir_all(place.path("profiles")).unwrap();
    place.write("documents/mine.txt", "mine\n");
    let out = place.run(&["init"]).exits(0).out;
    assert!(out.contains("left as it is, because it is there already:\n  README.md\n"), "{out}");
    assert_eq!(place.read("README.md"), "mine\n");
    place.run(&["init"]).exits(2).says(&["`profiles/letters.yaml`", "are there already"]);
}

#[test]
fn init_says_where_it_can_not_begin() {
    let place = Workspace::new();
    place.write("file", "");
    place.run(&["init", "file"]).exits(2).says(&["`file` is a file, not a folder"]);
    place.run(&["init", "file/below"]).exits(2).says(&["`file` is not a folder"]);
    place
        .run(&["init", "new", "--profile", "balancd"])
        .exits(2)
        .says(&["no profile is called `balancd`", "did you mean `balanced`?"]);
    place
        .run(&["init", "new", "--profile", "./x.yaml"])
        .exits(2)
        .says(&["`--profile` takes a profile by name"]);
    assert!(!place.path("new").exists());
    place.write("profiles", "");
    place.run(&["init"]).exits(2).says(&["`./profiles` is not a folder"]);
    #[cfg(target_os = "linux")]
    place
        .run(&["init", "/proc/loopctl"])
        .exits(1)
        .says(&["can't write `/proc/loopctl", "check who may write there"]);
    let out = place.run(&["init", "my letters"]).exits(0).out;
    assert!(out.contains("wrote in `my letters`:") && out.contains("  cd 'my letters'\n"), "{out}");
}

#[test]
fn a_new_profile_has_its_parents_numbers_and_cases_that_hold_it_to_them() {
    let place = Workspace::new();
    for parent in ["clinical", "literature", "definition", "marc-v1", "aas"] {
        let name = format!("our-{parent}");
        place.run(&["new", "profile", &name, "--extends", parent]).exits(0);
        place.run(&["check", &name]).exits(0).finds(&["0 errors, 0 warnings"]);
        place.run(&["test", &name]).exits(0);
    }
    let accepted = "accept: { overall: 0.98, critical_issues: 0, escalate_issues: 0 }\n";
    assert!(place.read("profiles/our-clinical.yaml").contains(accepted));
    // The cases notice when the number is changed.
    let out = place.run(&["test", "our-clinical", "--config", "accept.overall=0.5"]).exits(3).out;
    assert!(out.contains("does not pass below it"), "{out}");

    // In a project with one profile, that is whom the new one starts from.
    let place = Workspace::new();
    place.run(&["init"]).exits(0);
    place.run(&["new", "profile", "strict"]).exits(0);
    assert!(place.read("profiles/strict.yaml").contains("\nextends: letters\n"));
}

#[test]
fn names_are_looked_at_before_anything_else() {
    let place = Workspace::new();
    for (name, says) in [
        ("My Profile", "such as `my-profile`"),
        ("../evil", "such as `evil`"),
        ("a/b", "can't be the name of a profile"),
        ("", "can't be the name of a profile"),
        ("nul", "choose another name"),
        ("clinical", "a profile `clinical` ships with loopctl"),
    ] {
        place.run(&["new", "profile", name]).exits(2).says(&[says]);
    }
    place
        .run(&["new", "profile", "mine", "--extends", "clincal"])
        .exits(2)
        .says(&["did you mean `clinical`?"]);
    for (name, fields, says) in [
        ("unknown", "a", "`unknown` can't be the name of a document type"),
        ("rules", "a", "a document type `rules` would have a schema of ours"),
        ("pathology", "a", "knows the document type `pathology` already"),
        ("Loan Request", "a", "such as `loan-request`"),
        ("loan", "a,b-c", "`b-c` can't be the name of a field"),
        ("loan", "a,a", "the field `a` is named twice"),
        ("loan", "a_status", "loopctl adds it by itself"),
    ] {
        place.run(&["new", "document-type", name, "--fields", fields]).exits(2).says(&[says]);
    }
    assert_eq!(place.names(""), Vec::<String>::new());
    place.run(&["new", "profile", "mine"]).exits(0);
    place.run(&["new", "profile", "mine"]).exits(2).says(&["`profiles/mine.yaml` is there already"]);
}

/// Everybody's comments and layout stay.
#[test]
fn a_rule_is_added_and_everything_else_stays() {
    let place = Workspace::new();
    place.run(&["init"]).exits(0);
    let mine = "# mine\r\nextends: clinical-validity   # why\r\nrules:\r\n    # first\r\n    - { id: a, field: date, required: true }   # one line\r\n\r\n# the end\r\n";
    place.write("rules/letters.yaml", mine);
    place.write("rules/letters.test.yaml", "cases:\n- rule: a\n  valid: [{ date: x }]\n  invalid: [{}]");
    place.run(&["new", "rule", "reason-given", "--type", "referral-letter", "--field", "reason"]).exits(0);
    let text = place.read("rules/letters.yaml");
    let (before, after) = mine.split_at(mine.find("\r\n# the end").unwrap());
    assert!(text.starts_with(before) && text.ends_with(after), "{text}");
    assert!(text.contains("\r\n    - id: reason-given\r\n      for: [referral-letter]\r\n"), "{text}");
    assert!(!text.replace("\r\n", "").contains('\n'), "{text:?}");
    place.run(&["check", "letters"]).exits(0).finds(&["0 errors, 0 warnings"]);
    place.run(&["test", "rules/letters.yaml"]).exits(0);
    place
        .run(&["new", "rule", "reason-given", "--type", "referral-letter", "--field", "reason"])
        .exits(2)
        .says(&["there is a rule `reason-given` already, at ./rules/letters.yaml:"]);
    // One that the file inherits is taken, too.
    place
        .run(&["new", "rule", "msi-status", "--field", "reason"])
        .exits(2)
        .says(&["there is a rule `msi-status` already"]);
}

#[test]
fn a_rule_is_for_what_the_project_knows() {
    let place = Workspace::new();
    place.run(&["init"]).exits(0);
    let rule = |more: &[&str]| {
        let mut arguments = vec!["new", "rule", "x"];
        arguments.extend(more);
        place.run(&arguments).exits(2)
    };
    rule(&["--type", "referal-letter", "--field", "reason"])
        .says(&["did you mean `referral-letter`?", "`loopctl new document-type referal-letter` makes one"]);
    rule(&["--type", "referral-letter", "--field", "raeson"])
        .says(&["no field is called `raeson`", "did you mean `reason`?"]);
    rule(&["--field", "reason", "--file", "rules/../x.yaml"]).says(&["can't be the name of a file of rules"]);
    rule(&["--field", "reason", "--file", "x.yaml"]).says(&["`x.yaml` can't be a file of rules"]);
    place.write("rules/other.yaml", "rules: []\n");
    rule(&["--field", "reason"])
        .says(&["this project has 2 files of rules", "rules/letters.yaml, rules/other.yaml"]);
    // Written in one line: what to add is printed, and nothing is written.
    rule(&["--field", "reason", "--file", "rules/other.yaml"]).says(&[
        "`rules` is written between brackets",
        "add the lines above to `rules/other.yaml` yourself",
        "- id: x\n",
    ]);
    assert_eq!(place.read("rules/other.yaml"), "rules: []\n");
    assert!(!place.path("rules/other.test.yaml").exists());
}

#[test]
fn a_file_that_ships_is_copied_before_it_is_added_to() {
    let place = Workspace::new();
    let rule = ["new", "rule", "grade-said", "--type", "pathology", "--field", "grade"];
    place.run(&rule).exits(2).says(&["this project has no file of rules yet", "--file rules/mine.yaml"]);
    let out = place.run(&[&rule[..], &["--file", "rules/clinical-validity.yaml"]].concat()).exits(0).out;
    assert!(out.contains("copied from what ships with loopctl and added to, from here on yours:\n  rules/clinical-validity.yaml\n  rules/clinical-validity.test.yaml\n"), "{out}");
    place.run(&["test", "rules/clinical-validity.yaml"]).exits(0);
    place.run(&["check", "clinical"]).exits(0);
    // A file that does not exist is begun, and it is reported that nothing asks for it.
    let out = place.run(&[&rule[..], &["--file", "rules/mine.yaml"]].concat()).exits(0).out;
    assert!(out.contains("no profile of this project asks the rules in `rules/mine.yaml`"), "{out}");
    place.run(&["test", "rules/mine.yaml"]).exits(0);
}

#[test]
fn a_document_type_is_known_in_all_places_and_read_at_once() {
    let place = Workspace::new();
    place.run(&["init"]).exits(0);
    let before = place.read("rules/rubrics/letters.yaml");
    place.run(&["new", "document-type", "loan-request", "--fields", "title,dueDate,reason"]).exits(0);
    let after = place.read("rules/rubrics/letters.yaml");
    let kept: Vec<&str> = after.lines().filter(|line| before.lines().any(|known| known == *line)).collect();
    assert_eq!(kept, before.lines().collect::<Vec<_>>());
    // The rubric knows of `reason` already.
    assert_eq!(after.matches("\n  reason:").count(), 1, "{after}");
    place.run(&["check", "letters"]).exits(0).finds(&["0 errors, 0 warnings"]);
    place.run(&["test", "letters"]).exits(0);
    let result =
        place.run_json(&["run", "--profile", "letters", "--format", "json", "documents/loan-request.txt"]);
    assert_eq!(
        (&result["document_type"], &result["final_status"]),
        (&"loan-request".into(), &"passed".into())
    );
    assert_eq!(result["best_extraction"]["dueDate"], "3 March 2025");
    // The other type is read as before.
    place.run(&["run", "--profile", "letters", "documents/letter-1.txt"]).exits(0);
}

#[test]
fn in_an_empty_folder_a_document_type_brings_its_profile() {
    let place = Workspace::new();
    place.run(&["new", "document-type", "loan-request"]).exits(0);
    place.run(&["check", "loan-request"]).exits(0).finds(&["0 errors, 0 warnings"]);
    place.run(&["test", "loan-request"]).exits(0);
    place.run(&["run", "--profile", "loan-request", "documents"]).exits(0);
    // A second one goes into the same files.
    place.run(&["new", "document-type", "shipping-note", "--fields", "subject"]).exits(0);
    assert_eq!(place.names("rules/rubrics"), ["loan-request.yaml"]);
    place.run(&["run", "--profile", "loan-request", "documents"]).exits(0);
}

#[test]
fn a_profile_that_has_a_type_by_name_is_given_another() {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", "extends: batch\nclassify: classify   # the shipped one\nassess:\n  completeness:\n    rubric: clinical   # this too\n");
    place.run(&["new", "document-type", "loan-request"]).exits(0);
    let profile = place.read("profiles/mine.yaml");
    assert_eq!(
        profile,
        "extends: batch\nclassify: classify-mine   # the shipped one\nassess:\n  completeness:\n    rubric: mine   # this too\n"
    );
    place.run(&["test", "mine"]).exits(0);
}

#[test]
fn where_a_document_type_can_not_go_it_is_said() {
    for (parent, why) in [
        ("aas", "it does not classify documents"),
        ("definition", "it does not classify documents"),
        ("literature", "its answers have one schema for all types"),
        ("marc-v1", "is measured by a rubric alone"),
    ] {
        let place = Workspace::new();
        place.write("profiles/mine.yaml", format!("extends: {parent}\n"));
        let ran = place.run(&["new", "document-type", "loan-request"]).exits(2);
        ran.says(&["the profile `mine` can't have document types of its own", why]);
        assert_eq!(place.names(""), ["profiles"], "{parent}");
    }
    let place = Workspace::new();
    place.write("profiles/one.yaml", "extends: batch\n");
    place.write("profiles/two.yaml", "extends: batch\n");
    place.run(&["new", "document-type", "loan-request"]).exits(2).says(&["several profiles", "one, two"]);
    place
        .run(&["new", "document-type", "loan-request", "--profile", "tow"])
        .exits(2)
        .says(&["did you mean `two`?"]);
    place.run(&["new", "document-type", "loan-request", "--profile", "two"]).exits(0);
    assert_eq!(place.read("profiles/one.yaml"), "extends: batch\n");
}

#[test]
fn a_broken_project_is_shown_and_left_alone() {
    let place = Workspace::new();
    place.run(&["init"]).exits(0);
    place.write("rules/rubrics/letters.yaml", "rubric: [\n");
    let says = [
        "rules/rubrics/letters.yaml:",
        "the profile `letters` can't be used as it is",
        "put this right first; nothing was written",
    ];
    place.run(&["new", "document-type", "loan-request"]).exits(2).says(&says);
    place.run(&["new", "rule", "x", "--field", "reason"]).exits(2).says(&says);
    place.run(&["new", "profile", "strict"]).exits(2).says(&says);
    assert_eq!(place.names("documents"), ["letter-1.txt"]);
    assert_eq!(place.names("profiles"), ["letters.test.yaml", "letters.yaml"]);
}

/// `extends` in files under `rules/`.
#[test]
fn files_of_rules_extend_each_other() {
    let place = Workspace::new();
    place.run(&["init"]).exits(0);
    place.write(
        "rules/classify-letters.yaml",
        "extends: clasify\nclassify: { referral-letter: [{ pattern: x, weight: 3 }] }\n",
    );
    place.write(
        "rules/rubrics/letters.yaml",
        "extends: letters\ntypes: { referral-letter: { required: [reason] } }\n",
    );
    place.write(
        "rules/letters.yaml",
        "extends: [clinical-validity]\nrules: [{ id: a, field: date, required: true }]\n",
    );
    place.run(&["check", "letters"]).exits(2).finds(&[
        "there is no classification `rules/clasify.yaml`",
        "did you mean `classify`?",
        "the rubric `letters` extends itself",
        "`extends` names one rule file",
    ]);
}

#[test]
fn a_field_is_added_to_a_type_that_ships_without_a_copy_of_it() {
    let place = Workspace::new();
    place.run(&["new", "profile", "ours", "--extends", "clinical"]).exits(0);
    place.run(&["new", "field", "fixative", "--type", "pathology"]).exits(0);
    assert_eq!(place.json("schemas/pathology.schema.json")["extends"], "pathology");
    assert!(place.read("rules/extract/pathology.yaml").contains("\nextends: pathology "));
    place.run(&["check", "ours"]).exits(0).finds(&["0 errors, 0 warnings"]);

    let report = std::fs::read_to_string(documents().join("pathology-kidney.txt")).unwrap();
    place.write("with.txt", format!("{report}\nFixative: formalin\n"));
    place.write("without.txt", &report);
    let run = |document: &str| {
        place
            .run(&["run", "-q", "--profile", "ours", "--type", "pathology", "--format", "json", document])
            .json()
    };
    assert_eq!(run("with.txt")["best_extraction"]["fixative"], "formalin");
    let without = run("without.txt");
    let issues = without["best_validation"]["issues"].as_array().unwrap();
    let missing = issues.iter().find(|issue| issue["path"] == "/fixative").unwrap();
    assert_eq!((&missing["code"], &missing["severity"]), (&json!("MISSING_FIELD"), &json!("major")));
    // What ships is still there.
    assert!(without["best_extraction"]["histology"].is_string(), "{without}");
    let schema = place.run_json(&["schema", "pathology"]);
    assert!(schema["properties"]["fixative"].is_object() && schema["properties"]["grade"].is_object());

    // A shipped profile has the file, too, and says so.
    let list = place.run_json(&["profile", "list", "--format", "json"]);
    let clinical = list.as_array().unwrap().iter().find(|profile| profile["name"] == "clinical").unwrap();
    assert_eq!(
        clinical["changed_by"],
        json!(["rules/extract/pathology.yaml", "schemas/pathology.schema.json"])
    );
    assert!(place.run(&["profile", "list"]).exits(0).out.contains("changed by rules/extract/pathology.yaml"));

    place.run(&["new", "field", "fixative", "--type", "pathology"]).exits(2).says(&["has the field"]);
    place.run(&["new", "field", "x", "--type", "patholgy"]).exits(2).says(&["did you mean `pathology`?"]);
    let more = ["new", "field", "blockCount", "--type", "pathology", "--importance", "optional"];
    place.run(&more).exits(0);
    place.run(&["new", "field", "surgeon", "--type", "pathology"]).exits(0);
    place.run(&["check", "ours"]).exits(0).finds(&["0 errors, 0 warnings"]);
    let missing = run("without.txt")["best_validation"]["issues"].to_string();
    assert!(missing.contains("/surgeon") && missing.contains("/fixative"), "{missing}");
}

#[test]
fn a_file_of_rules_that_is_begun_extends_those_in_whose_place_it_stands() {
    let place = Workspace::new();
    place.run(&["new", "profile", "ours", "--extends", "clinical"]).exits(0);
    // The profile names the file before it is there.
    let profile = place.read("profiles/ours.yaml");
    place.write("profiles/ours.yaml", format!("{profile}\nassess: {{ validity: {{ rules: ours }} }}\n"));
    let rule =
        ["new", "rule", "grade-said", "--type", "pathology", "--field", "grade", "--file", "rules/ours.yaml"];
    place.run(&rule).exits(0);
    assert!(place.read("rules/ours.yaml").contains("\nextends: clinical-document "));
    place.run(&["check", "ours"]).exits(0).finds(&["0 errors, 0 warnings"]);
    place.write("r.jsonl", r#"{"id": 1, "document_type": "pathology", "extraction": {"grade": "fourth"}}"#);
    let issues = place.run(&["score", "--profile", "ours", "r.jsonl"]).exits(0).out;
    assert!(issues.contains("GRADE_FORMAT"), "{issues}");
}

#[test]
fn a_vocabulary_begins_with_cases_and_can_be_checked() {
    let place = Workspace::new();
    place.run(&["init"]).exits(0);
    let out = place.run(&["new", "vocabulary", "polyp-shape"]).exits(0).out;
    let path = "rules/vocabularies/polyp-shape.yaml";
    assert!(out.contains(&format!("  {path}\n")) && out.contains("no rubric uses it yet"), "{out}");
    let text = place.read(path);
    assert!(text.contains("fields: [polypShape]\n") && !text.contains('@'), "{text}");
    assert!(!place.read("rules/vocabularies/polyp-shape.test.yaml").contains('@'));
    place.run(&["check", "--strict"]).exits(0);
    place.run(&["check", path]).exits(0);
    let out = place.run(&["test", "polyp-shape"]).exits(0).out;
    assert!(out.contains("4 passed"), "{out}");
    place.run(&["test", path]).exits(0);
    let tests = "rules/vocabularies/polyp-shape.test.yaml";
    let broken = place.read(tests).replacen("says: 'yes'", "says: 'no'", 1);
    place.write(tests, &broken);
    let said = place.run(&["test", tests]).exits(3).out;
    for part in [tests, "says  line 7", "expected  no", "found     yes"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    place.write(tests, broken.replacen("says: 'no'", "says: nobody", 1));
    place.run(&["test", tests]).exits(2).says(&["no value is called `nobody`"]);
    place.write(path, "vocabulary: polyp-shape\nvalues: { flat: [low], raised: [low] }\n");
    place.run(&["check"]).exits(2).finds(&["`low` says both `flat` and `raised`"]);

    place.run(&["new", "vocabulary", "polyp-shape"]).exits(2).says(&["is there already"]);
    place.run(&["new", "vocabulary", "grade"]).exits(2).says(&["ships with loopctl", "extends: grade"]);
    place.run(&["new", "vocabulary", "Shape"]).exits(2).says(&["can't be the name of a vocabulary"]);
}
