//! Documents without a fault, and what they are scored with: for the benches and for the count of allocations.

use loopctl::diag::Problems;
use loopctl::plan::Plan;
use loopctl::profile::{Library, Loaded, load};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;

/// The source of [`pathology`].
pub(crate) const PATHOLOGY_REPORT: &str = "\
City General Hospital, Department of Pathology
SURGICAL PATHOLOGY REPORT                                   Date of report: 2024-03-05

CLINICAL HISTORY: 57-year-old woman with a mass in the left breast, upper outer quadrant, found at screening.

GROSS DESCRIPTION: Received fresh, labelled with the patient's name, is a lumpectomy of 8.2 x 6.1 x 3.4 cm, oriented
with sutures. Sectioning shows a firm, tan-white, stellate mass of 1.8 cm, 0.6 cm from the deep margin.

MICROSCOPIC DESCRIPTION: The sections show nests and cords of pleomorphic cells with moderate nuclear atypia and 8
mitoses per 10 high-power fields. Tubule formation is seen in a fifth of the tumor. Lymphovascular invasion is not
identified. The surrounding tissue shows usual ductal hyperplasia and columnar cell change.

FINAL DIAGNOSIS: Left breast, lumpectomy: invasive ductal carcinoma.
Histologic grade: 2 (Nottingham score 6 of 9).
Margins: negative for carcinoma; the closest margin is the deep one.

IMMUNOHISTOCHEMISTRY
Estrogen receptor (ER): positive (95%).
Progesterone receptor (PR): negative.
HER2: 1+.
Ki-67: 18%.
";

/// An extraction of [`PATHOLOGY_REPORT`] in which nothing is wrong.
pub(crate) fn pathology() -> Value {
    json!({
        "histology": "invasive ductal carcinoma",
        "grade": "2",
        "margins": "negative for carcinoma",
        "ihcMarkers": {"ER": "positive (95%)", "PR": "negative", "HER2": "1+", "Ki-67": "18%"},
        "date": "2024-03-05",
        "institution": "City General Hospital",
        "rawText": PATHOLOGY_REPORT,
    })
}

/// The compiled form of a shipped profile.
pub(crate) fn shipped(name: &str) -> Plan {
    plan(&loaded(name))
}

/// A profile by name or path, loaded.
pub(crate) fn loaded(name: &str) -> Loaded {
    let mut problems = Problems::new();
    let loaded = load(name, &Library::embedded(), &[], &|_| None, &mut problems);
    loaded.unwrap_or_else(|| panic!("{problems:?}"))
}

/// The compiled form of a profile.
pub(crate) fn plan(loaded: &Loaded) -> Plan {
    let mut problems = Problems::new();
    Plan::compile(loaded, &mut problems).unwrap_or_else(|| panic!("{problems:?}"))
}

/// The number of fields of the wide document.
const FIELDS: usize = 200;

/// A text of 200 lines and the extraction of a value from each.
pub(crate) fn wide() -> (String, Value) {
    let mut text = String::new();
    let mut candidate = Map::new();
    for field in 0..FIELDS {
        let value = format!("observation {field} of {}", field * 7919 % 1000);
        // Writing to a String can't fail.
        let _ = writeln!(text, "Field{field}: {value}.");
        candidate.insert(format!("field{field}"), Value::String(value));
    }
    (text, Value::Object(candidate))
}

/// A profile that checks each of the 200 fields with rubric, rules and grounding. Its files are in `folder`.
pub(crate) fn wide_plan(folder: &Path) -> Plan {
    let names: Vec<String> = (0..FIELDS).map(|field| format!("field{field}")).collect();
    // With a vocabulary, so that values are looked up by their words.
    let types = names.join(", ");
    let rubric = format!("vocabularies: [presence]\ntypes: {{ observations: {{ required: [{types}] }} }}\n");
    let rules = "rules:
  - { id: shape, each: '$.*', matches: { pattern: '^observation \\d+ of \\d+$' }, length: { max: 60 } }
  - { id: first-and-last, when: { field: field0, contains: observation }, require: field199 }
";
    let profile = "extends: marc
classify: null
stages: null
assess:
  completeness: { rubric: wide }
  accuracy: { grounding: { rubric: wide } }
  validity: { rules: wide }
  consistency: null
overall: { completeness: 0.4, accuracy: 0.4, validity: 0.2, consistency: null }
";
    for (name, content) in
        [("rules/rubrics/wide.yaml", rubric.as_str()), ("rules/wide.yaml", rules), ("wide.yaml", profile)]
    {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).unwrap();
        std::fs::write(path, content).unwrap();
    }
    plan(&loaded(&folder.join("wide.yaml").to_string_lossy()))
}
