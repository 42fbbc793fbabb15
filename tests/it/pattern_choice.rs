//! The choice of the provider `pattern` where a document says several things: what is affirmed, in the part that is
//! most final.

use crate::workspace::Workspace;
use serde_json::Value;

fn extracted(text: &str) -> Value {
    let place = Workspace::new();
    place.write("report.txt", text);
    let profile = ["run", "--profile", "clinical", "--provider", "pattern", "--type", "pathology"];
    let ran = place.run(&[&profile[..], &["--format", "json", "report.txt"]].concat());
    ran.json().get("best_extraction").cloned().unwrap_or_default()
}

#[test]
fn the_final_diagnosis_comes_before_history() {
    let found = extracted(
        "CLINICAL HISTORY:\nPrior biopsy. Histologic grade: 3. Margins: involved by carcinoma.\n\n\
         FINAL DIAGNOSIS:\nLeft breast: invasive ductal carcinoma. Histologic grade: 2. Margins: negative for carcinoma.\n",
    );
    assert_eq!((&found["grade"], &found["grade_status"]), (&Value::from("2"), &Value::Null), "{found:#}");
    assert_eq!(found["margins"], "negative for carcinoma", "{found:#}");
}

#[test]
fn what_is_affirmed_comes_before_what_is_denied() {
    let found = extracted(
        "FINAL DIAGNOSIS:\nInvasive ductal carcinoma.\nThere is no evidence of grade 3 tumor. The carcinoma is grade 2.\n",
    );
    assert_eq!(found["grade"], "grade 2", "{found:#}");
}

#[test]
fn what_one_part_says_twice_differently_is_ambiguous() {
    let found = extracted(
        "FINAL DIAGNOSIS:\nInvasive ductal carcinoma. Histologic grade: 2.\nInvasive lobular carcinoma. Histologic grade: 3.\n",
    );
    assert_eq!(
        (&found["grade"], &found["grade_status"]),
        (&Value::Null, &Value::from("ambiguous")),
        "{found:#}"
    );
}
