//! Slips of those who type commands: a name in the wrong position, the wrong dashes. Nothing may be run by another
//! profile, and the message names what to write instead.

use crate::workspace::Workspace;

/// A project with a profile of its own and a document.
fn project() -> Workspace {
    let place = Workspace::new();
    place.write("profiles/echo-report.yaml", "extends: clinical\n");
    place.write("documents/echo1.txt", "Pathology report. Histologic type: ductal carcinoma.");
    place.write("candidate.json", "{}");
    place
}

#[test]
fn a_profile_among_files_is_called_one_and_nothing_is_run() {
    let place = project();
    for arguments in [
        &["run", "echo-report", "documents/echo1.txt"][..],
        &["run", "clinical", "documents"],
        &["validate", "--extraction", "candidate.json", "echo-report"],
        &["correct", "--extraction", "candidate.json", "echo-report"],
        &["score", "echo-report"],
        &["simulate", "echo-report"],
        &["next", "echo-report"],
        &["explain", "echo-report", "--field", "margins"],
    ] {
        let ran = place.run(arguments).exits(2).says(&["is a profile", "write `--profile "]);
        assert_eq!(ran.out, "", "{arguments:?}");
        assert!(!ran.err.contains("no file or folder"), "{}", ran.err);
    }
    // A file of that name is a file.
    place.write("echo-report", "Pathology report.");
    assert_eq!(place.run(&["run", "--format", "jsonl", "echo-report"]).lines().len(), 1);
}

#[test]
fn flags_with_the_wrong_dashes_are_named_with_the_right_ones() {
    let place = project();
    for (written, right) in [
        ("–profile", "`--profile`"),
        ("—profile", "`--profile`"),
        ("−p", "`-p`"),
        ("-profile", "`--profile`"),
        ("-profile=echo-report", "`--profile`"),
        ("-type", "`--type`"),
    ] {
        let ran = place.run(&["run", written, "echo-report", "documents/echo1.txt"]).exits(2);
        let ran =
            ran.says(&[&format!("`{}`", written.split('=').next().unwrap()), &format!("write {right}")]);
        assert_eq!(ran.out, "", "{written}");
    }
    place.run(&["profile", "show", "-config", "accept.overall=1"]).exits(2).says(&["write `--config`"]);
    // Letters with their values, and files behind `--`, are as they were.
    place.run(&["run", "-qpclinical", "documents/echo1.txt"]).exits(3);
    place.write("-profile", "Pathology report. Histologic type: ductal carcinoma.");
    assert_eq!(place.run(&["run", "--format", "json", "--", "-profile"]).json()["id"], "-profile");
}

#[test]
fn a_field_that_is_not_there_comes_with_a_guess() {
    let place = project();
    let of = |field: &str, more: &[&str]| {
        let arguments = [&["explain", "documents/echo1.txt", "--field", field], more].concat();
        place.run(&arguments).exits(2).err
    };
    let said = of("margns", &["--profile", "echo-report"]);
    assert!(said.contains("the profile `echo-report` has no field `margns`"), "{said}");
    assert!(said.contains("did you mean `margins`?") && !said.contains("vocabular"), "{said}");
    let said = of("lvSize", &[]);
    assert!(said.contains("the profile `balanced` has no field `lvSize`"), "{said}");
    assert!(said.contains("`--profile` names no other"), "{said}");
    // A field that is there, and that nothing reads, is another matter.
    let said = of("institution", &["--profile", "clinical"]);
    assert!(said.contains("no vocabulary of the profile `clinical` reads the field `institution`"), "{said}");
}

#[test]
fn files_of_another_kind_are_called_what_they_are() {
    let place = project();
    place.write("rules/rubrics/echo.yaml", "rubric: echo\ntypes: { echo: { required: [a] } }\nfields: {}\n");
    place.write("schemas/echo.schema.json", r#"{"type": "object", "properties": {}}"#);
    place.write("profiles/echo-report.test.yaml", "cases: []\n");
    place.write("rules/vocabularies/size.yaml", "vocabulary: size\nvalues: { large: [] }\n");
    for (file, what) in [
        ("rules/rubrics/echo.yaml", "is a rubric, not a profile"),
        ("schemas/echo.schema.json", "is a JSON Schema, not a profile"),
        ("profiles/echo-report.test.yaml", "is a test file, not a profile"),
        ("rules/vocabularies/size.yaml", "is a vocabulary, not a profile"),
        ("documents/echo1.txt", "is no profile"),
    ] {
        for verb in [&["run", "--profile", file, "documents"][..], &["profile", "show", file]] {
            let said = place.run(verb).exits(2).says(&[&format!("`{file}` {what}")]).err;
            assert!(!said.contains("unknown key"), "{said}");
        }
    }
    place.run(&["explain", "rules/rubrics/echo.yaml"]).exits(2).says(&["is a rubric, not a profile"]);
    // Mistakes in a profile are reported as such, wherever it lies.
    place.write("rules/odd.yaml", "extends: clinical\naccept: { overal: 0.9 }\n");
    place.run(&["run", "--profile", "rules/odd.yaml", "documents"]).exits(2).says(&["`overal`"]);
}

#[test]
fn what_has_no_cases_is_called_what_was_typed() {
    let place = project();
    for (argument, said) in [
        ("documents/echo1.txt", "`documents/echo1.txt` is no profile, rule file or vocabulary"),
        ("documents/", "`documents/` is a folder"),
        ("profiles", "`profiles` is a folder"),
    ] {
        let err = place.run(&["test", argument]).exits(2).says(&[said]).err;
        assert!(!err.contains("did you mean") && !err.contains(".txt.yaml"), "{err}");
    }
    place.run(&["run", "--profile", "profiles", "documents"]).exits(2).says(&["`profiles` is a folder"]);
}

#[test]
fn paths_that_are_nearly_right_come_with_a_guess() {
    let place = project();
    let ran = place.run(&["run", "document/echo1.txt"]).exits(1);
    ran.says(&["no file or folder `document/echo1.txt`", "did you mean `documents/echo1.txt`?"]);
    place.run(&["run", "documents/ecko1.txt"]).exits(1).says(&["did you mean `documents/echo1.txt`?"]);
    place.run(&["run", "nowhere/near/it.txt"]).exits(1).says(&["check the spelling"]);
    let ran = place.run(&["run", "--profile", "echo-report.yaml", "documents"]).exits(2);
    ran.says(&["did you mean `profiles/echo-report.yaml`?", "`echo-report`"]);
}

#[test]
fn a_text_in_place_of_records_is_told_once_with_what_is_expected() {
    let place = project();
    place.write("documents/long.txt", "One line.\nAnother line.\n\nA third.\n");
    let ran = place.run(&["score", "documents/long.txt"]).exits(1);
    let ran = ran.says(&["`documents/long.txt` is neither an extraction nor records", "`--source`"]);
    assert_eq!(ran.err.matches("error:").count(), 1, "{}", ran.err);
    // In a file of records the other lines are answered.
    place.write("r.jsonl", "oops\n{\"id\": 1, \"document_type\": \"pathology\", \"extraction\": {}}\n{\n");
    let ran = place.run(&["score", "--format", "jsonl", "r.jsonl"]).exits(1);
    assert_eq!((ran.lines().len(), ran.err.matches("help:").count()), (1, 1), "{}", ran.err);
}

#[test]
fn a_score_without_a_type_says_so() {
    let place = project();
    let untyped = "scored as `unknown`: name it with `--type`";
    place.run(&["score", "candidate.json"]).exits(0).says(&[untyped]);
    for arguments in [
        &["score", "--type", "pathology", "candidate.json"][..],
        &["score", "--source", "documents/echo1.txt", "candidate.json"],
        &["score", "--type", "unknown", "candidate.json"],
    ] {
        let said = place.run(arguments).exits(0).err;
        assert!(!said.contains("nothing says which type"), "{said}");
    }
}

#[test]
fn unknown_flags_come_without_tips_that_lead_elsewhere() {
    let place = project();
    for arguments in [
        &["validate", "--extraction", "candidate.json", "--document", "documents/echo1.txt"][..],
        &["simulate", "--scores", "x.jsonl"],
        &["run", "--otu", "x", "documents"],
    ] {
        let said = place.run(arguments).exits(2).err;
        assert!(said.contains("unexpected argument") && !said.contains("as a value"), "{said}");
    }
    let arguments = ["validate", "--extraction", "candidate.json", "--document", "documents/echo1.txt"];
    place.run(&arguments).exits(2).says(&["leave `--document` out"]);
    place.run(&["run", "--formt", "text", "documents"]).exits(2).says(&["'--format'"]);
    place.run(&["run", "--otu", "x", "documents"]).exits(2).says(&["'--out'"]);
    place.run(&["profile", "explain", "--ful", "clinical"]).exits(2).says(&["'--full'"]);
    let strange = place.run(&["run", "--zebra", "documents"]).exits(2).err;
    assert!(!strange.contains("similar"), "{strange}");
}

#[test]
fn no_table_of_nothing_follows_an_error() {
    let place = project();
    for file in ["documents/echo1.txt", "profiles", "none.jsonl"] {
        let ran = place.run(&["simulate", "--format", "text", file]).exits(1).says(&["error:"]);
        assert_eq!(ran.out, "", "{file}");
    }
    place.write("empty.jsonl", "");
    place.run(&["simulate", "--format", "text", "empty.jsonl"]).exits(0).finds(&["documents"]);
}

#[test]
fn a_byte_order_mark_is_no_mistake_in_json() {
    let place = Workspace::new();
    place.run(&["new", "document-type", "echo", "--fields", "lvSize"]).exits(0);
    let schema = "schemas/echo.schema.json";
    place.write(schema, format!("\u{feff}{}", place.read(schema)));
    place.run(&["check", "echo"]).exits(0);
    place.run(&["check", schema]).exits(0).finds(&["1 file checked: 0 errors"]);
    let rubric = "rubric: echo\nextends: clinical\ntypes:\n  echo:\n    required:\n      - lvSize\nfields:\n  lvSize:\n    synonyms: [lv size]\n";
    place.write("rules/rubrics/echo.yaml", rubric);
    place.run(&["new", "field", "rvSize", "--type", "echo"]).exits(0);
    assert!(place.read(schema).contains("rvSize"));
    // The location of a mistake is counted behind it.
    place.write(schema, "\u{feff}{,}");
    let said = place.run(&["check", "--format", "jsonl", schema]).exits(2).lines();
    assert_eq!((&said[0]["line"], &said[0]["column"]), (&1.into(), &3.into()), "{said:?}");

    place.document("pathology-gastric.txt");
    let record = r#"{"id": "a", "document_type": "pathology", "extraction": {"grade": "2"}}"#;
    place.write("r.jsonl", format!("\u{feff}{record}\n"));
    place.write("a.json", "\u{feff}{\"grade\": \"2\"}");
    place.run(&["score", "r.jsonl"]).exits(0);
    place.run(&["score", "--type", "pathology", "a.json"]).exits(0);
    place.run(&["validate", "--extraction", "a.json", "pathology-gastric.txt"]).exits(3);
    let results = place.run(&["run", "--quiet", "--format", "jsonl", "pathology-gastric.txt"]).out;
    place.write("results.jsonl", format!("\u{feff}{results}{results}"));
    place.run(&["explain", "results.jsonl", "--document", "pathology-gastric"]).exits(0);
}

#[test]
fn every_document_that_did_not_pass_is_named_with_how_to_ask_why() {
    let place = project();
    for name in ["a", "b", "c", "d", "e", "f"] {
        place.write(&format!("many/{name}.txt"), "Pathology report. Histologic type: ductal carcinoma.");
    }
    let of = |documents: &[&str]| {
        let arguments = [&["run", "--profile", "clinical", "--out", "out"], documents].concat();
        place.run(&arguments).exits(3).err.lines().last().unwrap().to_owned()
    };
    assert_eq!(of(&["many/a.txt"]), "why: loopctl explain out/a-result.json");
    assert_eq!(of(&["many/a.txt", "many/b.txt"]), "why: loopctl explain out/a-result.json   (and so of `b`)");
    assert_eq!(of(&["many"]), "why: loopctl explain out/a-result.json   (and so of `b`, `c`, `d`, 2 more)");
}
