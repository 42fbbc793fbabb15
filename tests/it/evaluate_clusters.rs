//! `loopctl evaluate` on documents that belong together, and on tables whose columns are not mapped.

use super::evaluate::{label, place, results};
use super::workspace::Workspace;
use serde_json::{Value, json};

/// Twenty documents of four patients, all of which passed and are right but for those in `wrong`.
fn twenty(place: &Workspace, wrong: &[usize]) {
    let names: Vec<String> = (0..20).map(|at| format!("d{at:02}")).collect();
    let grade = |at: &usize| json!({ "grade": if wrong.contains(at) { "3" } else { "2" } });
    let documents: Vec<(&str, bool, f64, Value)> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), true, 0.9, grade(&at))).collect();
    place.write("results.jsonl", results(place, &documents));
    let lines = |line: &dyn Fn(usize, &str) -> String| -> String {
        names.iter().enumerate().map(|(at, name)| format!("{}\n", line(at, name))).collect()
    };
    place.write("apart.jsonl", lines(&|_, name| label(name, json!({ "grade": "2" }))));
    place.write(
        "gold.jsonl",
        lines(&|at, name| {
            json!({ "document": name, "cluster": at % 4, "fields": { "grade": "2" } }).to_string()
        }),
    );
    let rows = lines(&|at, name| format!("{name},p{},2", at % 4));
    place.write("gold.csv", format!("document,cluster,grade\n{rows}"));
    place.write("others.csv", format!("File,Patient ID,G\n{rows}"));
    place.write(
        "others.map.yaml",
        "document: File\ncluster: Patient ID\nfields: [{ field: grade, from: G }]\n",
    );
}

fn evaluated(place: &Workspace, labels: &[&str]) -> Value {
    let words = [&["evaluate", "--results", "results.jsonl", "--format", "json"], labels].concat();
    place.run(&words).exits(0).json()
}

#[test]
fn documents_of_a_cluster_say_no_more_than_one_of_it() {
    let place = place();
    twenty(&place, &[]);
    let apart = evaluated(&place, &["apart.jsonl"]);
    // 1 - 0.025^(1/20), and 1 - 0.025^(1/4).
    assert_eq!(apart["passed"]["interval"], json!({ "low": 0.0, "high": 0.168433 }));
    assert_eq!(apart["documents"].get("clusters"), None);
    let found = evaluated(&place, &["gold.jsonl"]);
    assert_eq!(found["passed"]["interval"], json!({ "low": 0.0, "high": 0.602365 }));
    let counted = [&found["documents"], &found["passed"], &found["fields"][0]].map(|of| &of["clusters"]);
    assert_eq!(counted, [&json!(4), &json!(4), &json!(4)]);
    assert_eq!(found["passed"]["clusters_with_wrong"], 0);
    let (field, point) = (&found["fields"][0], &found["risk_coverage"]["points"][0]);
    assert_eq!(field["exact_interval"], json!({ "low": 0.397635, "high": 1.0 }));
    assert_eq!(point["interval"]["high"], 0.602365);
    // However the labels are written.
    for labels in [&["gold.csv"][..], &["others.csv", "--columns", "others.map.yaml"]] {
        assert_eq!(evaluated(&place, labels), found, "{labels:?}");
    }
}

#[test]
fn clusters_are_counted_in_text_and_page() {
    let place = place();
    twenty(&place, &[0, 4, 9]);
    let words = ["evaluate", "gold.csv", "--results", "results.jsonl", "--report", "page.html"];
    let ran = place.run(&words).exits(0);
    assert!(ran.out.contains("20 documents of 4 clusters evaluated"), "{}", ran.out);
    assert!(ran.out.contains("intervals take clusters whole, at 95 %"), "{}", ran.out);
    assert!(ran.out.contains("wrong in 2 of 4 clusters"), "{}", ran.out);
    let page = place.read("page.html");
    assert!(page.contains("<dt>Clusters</dt><dd><bdi>4</bdi>") && page.contains("wrong in 2 of 4 clusters"));
    assert!(page.contains("Intervals take the documents of a cluster") && !page.contains("exact interval"));
}

#[test]
fn a_document_without_a_cluster_is_by_itself_and_one_has_no_two() {
    let place = place();
    twenty(&place, &[]);
    let some: String = place.read("gold.csv").lines().map(|line| line.replace(",p3,", ",,") + "\n").collect();
    place.write("some.csv", some);
    assert_eq!(evaluated(&place, &["some.csv"])["documents"]["clusters"], 3 + 5);
    place.write(
        "more.jsonl",
        "{\"document\": \"d00\", \"cluster\": \"p1\", \"fields\": {\"margins\": null}}\n",
    );
    place.run(&["evaluate", "gold.csv", "more.jsonl", "--results", "results.jsonl"]).exits(1).says(&[
        "more.jsonl, line 1: the cluster of `d00` is `p1`, and in gold.csv, line 2 it is `p0`, which holds",
    ]);
    place.write(
        "more.jsonl",
        "{\"document\": \"d00\", \"clusters\": \"p1\", \"fields\": {\"margins\": null}}\n",
    );
    place
        .run(&["evaluate", "more.jsonl", "--results", "results.jsonl"])
        .exits(1)
        .says(&["unknown key `clusters`; did you mean `cluster`?"]);
}

/// The example that is shown for a table whose columns are not mapped can be copied, and works.
#[test]
fn the_example_of_a_map_can_be_copied() {
    let place = place();
    twenty(&place, &[]);
    let ran = place.run(&["evaluate", "others.csv", "--results", "results.jsonl"]).exits(1);
    let ran = ran.says(&["the table has no column `document`", "it has `File`, `Patient ID`, `G`"]);
    let shown = ran.err.lines().find_map(|line| line.trim().strip_prefix("printf "));
    let line = format!("printf {}", shown.unwrap());
    let shell =
        std::process::Command::new("sh").args(["-c", &line]).current_dir(place.path("")).status().unwrap();
    assert!(shell.success());
    assert!(ran.err.contains("loopctl evaluate others.csv --columns others.map.yaml"), "{}", ran.err);
    // The columns are fields of other names; that is reported next, with those that there are.
    let words = ["evaluate", "others.csv", "--columns", "others.map.yaml", "--results", "results.jsonl"];
    let said = [
        "fields that the profile does not have, such as `G`: it has",
        "`grade`",
        "from: G }]`",
        "`--columns gold.map.yaml`",
    ];
    place.run(&words).exits(1).says(&said);
    let map = place.read("others.map.yaml").replace("field: G", "field: grade");
    place.write("others.map.yaml", map);
    let found = evaluated(&place, &["others.csv", "--columns", "others.map.yaml"]);
    assert_eq!(found["documents"]["clusters"], 4);
}
