//! `loopctl new vocabulary` in a project with a rubric: where it says that the vocabulary is to be named, and by which names its cases
//! find the field then.

use crate::workspace::Workspace;

const RUBRIC: &str = "rules/rubrics/echo.yaml";

/// A project whose rubric knows two fields of an echo report.
fn project() -> Workspace {
    let place = Workspace::new();
    place.run(&["new", "document-type", "echo", "--fields", "lvSize,rvSize"]).exits(0);
    place
}

/// Writes a line below the field in the rubric.
fn below_field(place: &Workspace, line: &str) {
    let rubric = place.read(RUBRIC);
    let changed = rubric.replace("\n  lvSize:\n", &format!("\n  lvSize:\n    {line}\n"));
    assert_ne!(changed, rubric);
    place.write(RUBRIC, changed);
}

#[test]
fn what_is_left_to_do_names_the_rubric_and_can_be_done_as_it_is_said() {
    let place = project();
    let said = place.run(&["new", "vocabulary", "lv-size", "--field", "lvSize"]).exits(0).out;
    assert!(said.contains("add `values: lv-size` under `lvSize` in `rules/rubrics/echo.yaml`"), "{said}");
    below_field(&place, "values: lv-size");
    place.run(&["check", "echo"]).exits(0);
    let said = place.run(&["new", "vocabulary", "lv-form", "--field", "lvSize"]).exits(0).out;
    assert!(said.contains("write `values: lv-form` in their place"), "{said}");
    let rubric = place.read(RUBRIC);
    place.write(RUBRIC, &rubric[..rubric.find("  rvSize:").unwrap()]);
    let said = place.run(&["new", "vocabulary", "rv-size"]).exits(0).out;
    let expected = "add `rvSize: { values: rv-size }` under `fields` in `rules/rubrics/echo.yaml`";
    assert!(said.contains(expected), "{said}");
    let ran = place.run(&["new", "vocabulary", "size", "--field", "lvSze"]).exits(2);
    ran.says(&["no rubric of this project has a field `lvSze`", "did you mean `lvSize`?"]);
    assert!(!place.path("rules/vocabularies/size.yaml").exists());
}

#[test]
fn cases_find_a_field_by_the_names_that_its_rubric_has_for_it() {
    let place = project();
    place.write(
        "rules/vocabularies/lv-size.yaml",
        "fields: [lvSize, lv cavity]\nvalues: { dilated: [], normal: [] }\n",
    );
    let tests = "rules/vocabularies/lv-size.test.yaml";
    let cases = "cases:\n  - text: 'Left ventricle: dilated.'\n    field: lvSize\n    says: dilated\n";
    place.write(tests, cases);
    let failed = place.run(&["test", "lv-size"]).exits(3).out;
    let why = "nothing beside a name of the field (`lvSize`; more are `synonyms` in its rubric)";
    assert!(failed.contains(why), "{failed}");
    let rubric = place.read(RUBRIC);
    place.write(RUBRIC, rubric.replace("[lv size]", "[lv size, left ventricle]"));
    below_field(&place, "values: lv-size");
    place.run(&["test", "lv-size"]).exits(0);
    // As in a run.
    place.write("a.txt", "Left ventricle: dilated.");
    place.run(&["explain", "a.txt", "--field", "lvSize", "--profile", "echo"]).exits(0).finds(&["dilated"]);
    // The words of another field are none of its own.
    place.write(tests, cases.replace("Left ventricle", "Right ventricle"));
    place.run(&["test", "lv-size"]).exits(3).finds(&["`lvSize`, `lv size`, `left ventricle`"]);
}
