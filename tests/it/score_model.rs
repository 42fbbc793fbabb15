//! The arithmetic of scores for the clinical rubric and rules, written down once more in the plainest way, and records to try
//! it on.

use regex::Regex;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

static PER_CENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[0-9] ?%").unwrap());
static LENGTH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)[0-9] *(mm|cm|m)\b").unwrap());

const TYPES: [&str; 9] = [
    "pathology",
    "radiology",
    "genomics",
    "lab-report",
    "prescription",
    "clinical-notes",
    "discharge-summary",
    "surgical-notes",
    "unknown",
];

/// The fields of a type with their weights: required 1.0, important 0.7, optional 0.3.
fn rubric(document_type: &str) -> Vec<(&'static str, f64)> {
    let (required, important): (&[&str], &[&str]) = match document_type {
        "pathology" => (&["histology", "grade"], &["margins", "ihcMarkers"]),
        "radiology" => (&["impression"], &["findings", "measurements"]),
        "genomics" => (&["mutations"], &["msiStatus", "tmb"]),
        "lab-report" => (&["labValues"], &[]),
        "surgical-notes" => (&["rawText"], &["margins"]),
        _ => (&["rawText"], &[]),
    };
    let optional = ["date", "institution", "rawText"].iter().filter(|field| !required.contains(field));
    let weighed = |fields: &[&'static str], weight| fields.iter().map(|f| (*f, weight)).collect::<Vec<_>>();
    let mut all = weighed(required, 1.0);
    all.extend(weighed(important, 0.7));
    all.extend(optional.map(|field| (*field, 0.3)));
    all
}

/// The expected outcome for one record.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    pub(crate) completeness: f64,
    /// Ids of the rules that are broken, once for each location.
    pub(crate) invalid: Vec<&'static str>,
    pub(crate) inconsistent: Vec<&'static str>,
    /// Required and important fields that are not there.
    pub(crate) missing: BTreeSet<String>,
    /// Fields that are declared absent and are not.
    pub(crate) refuted: BTreeSet<String>,
}

fn is_present(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => text.contains(|c: char| c.is_alphanumeric() || c.is_ascii_punctuation()),
        Some(Value::Array(items)) => items.iter().any(|item| is_present(Some(item))),
        Some(Value::Object(members)) => members.values().any(|member| is_present(Some(member))),
        Some(_) => true,
    }
}

/// Returns whether there is a value that says something. Of those that are made up here, some are mere placeholders:
/// the names of their fields, and that nothing is known. The sources never write `unknown`; without one, it is not
/// known.
fn is_said(value: Option<&Value>, source: Option<&str>) -> bool {
    match value {
        Some(Value::String(text)) => match text.as_str() {
            "grade" | "MSI" | "n/a" => false,
            "unknown" => source.is_none(),
            _ => is_present(value),
        },
        Some(Value::Array(items)) => items.iter().any(|item| is_said(Some(item), source)),
        Some(Value::Object(members)) => members.values().any(|member| is_said(Some(member), source)),
        _ => is_present(value),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Placeholders are missing in the rubric and where a rule requires a value; what else rules ask, they ask of any text.
pub(crate) fn expect(document_type: &str, extraction: &Map<String, Value>, source: Option<&str>) -> Expected {
    let says = |sentence: &str| source.is_some_and(|source| source.contains(sentence));
    let mut expected = Expected::default();
    let (mut there, mut all) = (0.0, 0.0);
    for (field, weight) in rubric(document_type) {
        let claimed = extraction.get(&format!("{field}_status")) == Some(&json!("not_present"));
        // The only sentences of these sources that speak of a field.
        let mentioned = match field {
            "grade" => says("Grade: 2"),
            "margins" => says("Margins are negative"),
            "tmb" => says("TMB 12"),
            _ => false,
        };
        if claimed && !mentioned {
            continue;
        }
        all += weight;
        if claimed {
            expected.refuted.insert(field.to_owned());
        } else if is_said(extraction.get(field), source) {
            there += weight;
            continue;
        }
        if weight > 0.5 {
            expected.missing.insert(field.to_owned());
        }
    }
    expected.completeness = if all == 0.0 { 0.0 } else { there / all };

    let present = |field: &str| extraction.get(field).filter(|value| is_present(Some(value)));
    let starts = |value: &str, starts: &[&str]| {
        let value = value.to_lowercase();
        starts.iter().any(|start| value.starts_with(&start.to_lowercase()))
    };
    match document_type {
        "pathology" => {
            if let Some(grade) = present("grade") {
                // Of the values that are made up here, these are no grades.
                if ["0", "5", "unknown", "grade"].contains(&text(grade).as_str()) {
                    expected.invalid.push("grade-format");
                }
            }
            for (key, value) in present("ihcMarkers").and_then(Value::as_object).into_iter().flatten() {
                let value = text(value).to_lowercase();
                match key.to_lowercase().as_str() {
                    "er" | "pr" | "estrogen receptor" | "progesterone receptor" => {
                        let per_cent = PER_CENT.is_match(&value);
                        if !(value.contains("positive") || value.contains("negative") || per_cent) {
                            expected.invalid.push("hormone-receptor-value");
                        }
                    }
                    "her2" | "her2/neu" => {
                        // What was found in words, with a remark behind it or without.
                        let allowed = ["0", "1+", "2+", "3+", "positive", "negative", "equivocal"];
                        let (word, _) = value.split_once(' ').unwrap_or((&value, ""));
                        if !allowed.contains(&word) {
                            expected.invalid.push("her2-value");
                        }
                    }
                    _ => {}
                }
            }
        }
        "radiology" => {
            for measurement in present("measurements").and_then(Value::as_array).into_iter().flatten() {
                if let Some(size) = measurement.get("size")
                    && !LENGTH.is_match(&text(size))
                {
                    expected.invalid.push("measurement-size");
                }
            }
        }
        "genomics" => {
            if let Some(status) = present("msiStatus")
                && !starts(&text(status), &["MSI-H", "MSIH", "MSI-L", "MSIL", "MSS", "stable", "high", "low"])
            {
                expected.invalid.push("msi-status");
            }
            if let Some(burden) = present("tmb")
                && text(burden).parse::<f64>().is_err()
            {
                expected.invalid.push("tmb-number");
            }
        }
        _ => {}
    }
    if present("histology").is_some_and(|text| text.to_string().to_lowercase().contains("carcinoma"))
        && present("grade").is_none_or(|grade| !is_said(Some(grade), source))
    {
        expected.inconsistent.push("carcinoma-needs-grade");
    }
    if present("mutations").is_some()
        && present("msiStatus").is_none_or(|status| !is_said(Some(status), source))
    {
        expected.inconsistent.push("mutations-need-msi-status");
    }
    expected
}

/// Numbers that look random and are the same on each run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

fn value(field: &str, dice: &mut Dice) -> Value {
    if dice.below(8) == 0 {
        let nothing = [
            json!(null),
            json!(""),
            json!([]),
            json!({}),
            json!("\u{a0}"),
            json!("\u{200b} \n"),
            json!([null, ""]),
            json!({"a": [" "], "b": {}}),
        ];
        return nothing[dice.below(nothing.len())].clone();
    }
    match field {
        "histology" => json!(dice.of(&[
            "invasive ductal Carcinoma",
            "adenocarcinoma",
            "melanoma",
            "lipoma",
            "CARCINOMA in situ"
        ])),
        "grade" => match dice.below(4) {
            0 => json!(dice.below(6)),
            _ => json!(dice.of(&[
                "2",
                "Grade 2",
                "grade: III",
                "II/III",
                "IV",
                "G2",
                "high",
                "Well differentiated",
                "moderately",
                "POORLY differentiated",
                "Low",
                "unknown",
                " 3 of 3",
                "Gleason 7",
                "grade"
            ])),
        },
        "ihcMarkers" => {
            let values = [
                "positive",
                "Negative (0%)",
                "80%",
                "80 %",
                "weak",
                "3+",
                "0",
                "1+",
                "2+",
                "equivocal",
                "4+",
                "90",
                "n/a",
            ];
            let keys = [
                "ER",
                "er",
                "PR",
                "Progesterone receptor",
                "Estrogen Receptor",
                "HER2",
                "her2",
                "HER2/neu",
                "Ki-67",
                "p53",
            ];
            (0..dice.below(5))
                .map(|_| (dice.of(&keys).to_owned(), json!(dice.of(&values))))
                .collect::<Map<_, _>>()
                .into()
        }
        "measurements" => (0..dice.below(4))
            .map(|_| {
                let size = dice.of(&[
                    "3 cm", "4.5mm", "2 x 3 CM", "1 m", "3", "large", "3 months", "12 kg", "0,5 cm", "cm",
                ]);
                match dice.below(6) {
                    0 => json!({"what": "nodule"}),
                    1 => json!({"size": 4}),
                    _ => json!({"what": "nodule", "size": size}),
                }
            })
            .collect::<Vec<_>>()
            .into(),
        "mutations" => json!([{"gene": "KRAS", "change": "p.G12D"}]),
        "msiStatus" => json!(dice.of(&[
            "MSI-H",
            "msi-l",
            "MSIH",
            "MSS",
            "Stable",
            "high",
            "LOW",
            "instable",
            "unknown",
            "MSI",
            "microsatellite stable",
            "msi-high"
        ])),
        "tmb" => [json!(12.5), json!(0), json!("7"), json!("12 mut/Mb"), json!("high"), json!(true)]
            [dice.below(6)]
        .clone(),
        "margins" => json!("negative"),
        "labValues" => json!([{"name": "Na", "value": 140}]),
        _ => json!("as it was written"),
    }
}

const FIELDS: [&str; 14] = [
    "histology",
    "grade",
    "margins",
    "ihcMarkers",
    "impression",
    "findings",
    "measurements",
    "mutations",
    "msiStatus",
    "tmb",
    "labValues",
    "date",
    "institution",
    "rawText",
];

pub(crate) fn record(id: usize, dice: &mut Dice) -> Value {
    let document_type = dice.of(&TYPES);
    let mut extraction = Map::new();
    let own: Vec<&str> = rubric(document_type).iter().map(|(field, _)| *field).collect();
    for field in FIELDS {
        // Fields of other types come, too: they have no weight, and cross-field rules inspect them all the same.
        let odds = if own.contains(&field) { 3 } else { 1 };
        if dice.below(4) < odds {
            extraction.insert(field.to_owned(), value(field, dice));
        }
        match dice.below(12) {
            0 => drop(extraction.insert(format!("{field}_status"), json!("not_present"))),
            1 => drop(extraction.insert(format!("{field}_status"), json!("present"))),
            _ => {}
        }
    }
    let mut record = json!({"id": id, "document_type": document_type, "extraction": extraction});
    if dice.below(3) == 0 {
        let sentences = [
            "Grade: 2.",
            "Margins are negative.",
            "TMB 12 mutations per megabase.",
            "Nothing else was seen.",
        ];
        record["source"] =
            json!((0..dice.below(3)).map(|_| dice.of(&sentences)).collect::<Vec<_>>().join(" "));
    }
    match dice.below(5) {
        0 if record.get("source").is_none() => {}
        1 => record["given"] = json!({"accuracy": dice.below(1001) as f64 / 1000.0, "consistency": 0.625}),
        _ => record["given"] = json!({"accuracy": dice.below(1001) as f64 / 1000.0}),
    }
    record
}
