//! Reports on several specimens: their parts, the items that are about them, and what is lost.

use crate::workspace::Workspace;
use loopctl::diag::Problems;
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, load};
use loopctl::score::{Assessment, FoundPart, Quotes, Support, read_parts};
use loopctl::value::{Disposition, Severity};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::LazyLock;

static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let mut problems = Problems::new();
    let loaded = load("clinical", &Library::new(Vec::new()), &[], &|_| None, &mut problems).unwrap();
    Plan::compile(&loaded, &mut problems).unwrap()
});

fn report(name: &str) -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let places = [format!("evidence/developed/{name}.txt"), format!("documents/{name}.txt")];
    let found = places.iter().find_map(|place| std::fs::read_to_string(tests.join(place)).ok());
    found.unwrap_or_else(|| panic!("there is no report {name}"))
}

fn parts(text: &str) -> Vec<FoundPart> {
    parts_of("specimens", text)
}

fn parts_of(list: &str, text: &str) -> Vec<FoundPart> {
    read_parts(PLAN.scoring.rules().evidence(), list, text).unwrap()
}

/// The texts of a part, in order.
fn texts(part: &FoundPart, text: &str) -> Vec<String> {
    let cut = |from: usize, to: usize| text.chars().skip(from).take(to - from).collect();
    part.spans.iter().map(|span| cut(span.start, span.end)).collect()
}

/// The labels, each with the first words of its stretches.
fn outline(text: &str) -> Vec<String> {
    let part = |part: &FoundPart| {
        let begins: Vec<String> =
            texts(part, text).iter().map(|stretch| stretch.chars().take(14).collect()).collect();
        format!("{}: {}", part.label, begins.join(" | "))
    };
    parts(text).iter().map(part).collect()
}

#[test]
fn parts_of_real_reports_are_found() {
    let expected: [(&str, &[&str]); 9] = [
        (
            "mtsamples_3087_lung_biopsy_pathology_report_-_1",
            &[
                "A: A.  Received f | A.  Right uppe",
                "B: B.  Received f | B.  Biopsy, 10",
                "C: C.  Received f | C.  Right uppe",
                "D: D.  Received f | D.  Biopsy, 4R",
                "E: E.  Received f | E.  Biopsy, su",
            ],
        ),
        (
            "tcga_TCGA-CV-A6JT",
            &[
                "A: (A) RIGHT LATE | (A) RIGHT LATE",
                "B: (B) RIGHT NECK | (B) RIGHT NECK",
                "C: (C) RIGHT NECK | (C) RIGHT NECK",
                "D: (D) RIGHT NECK | (D) RIGHT NECK",
                "E: (E) DEEP TONGU | (E) DEEP TONGU",
            ],
        ),
        ("tcga_TCGA-EY-A2ON", &["A: A: Omentum, re | Specimen A is ", "B: B: Uterus, tub | Specimen B is "]),
        (
            "tcga_TCGA-G4-6306",
            &[
                "A: A. TERMINAL IL | A. RIGHT COLON | A. TERMINAL IL | FSA: Colon, ri | A. TERMINAL IL",
                "B: B. GALLBLADDER | B. GALLBLADDER | B. GALLBLADDER | B. GALLBLADDER",
            ],
        ),
        (
            "tcga_TCGA-LD-A7W5",
            &[
                "1: #1-AXILLARY CO | 1: LEFT AXILLA | Specimen #1 is",
                "2: #2-BREAST, LEF | 2: LEFT BREAST | Specimen #2 is",
                "3: #3-BREAST, LEF | 3: LEFT BREAST | Specimen #3 is",
            ],
        ),
        (
            "tcga_TCGA-ZH-A8Y7",
            &[
                "A: A: Gerota's fa | FSA1: Gerota's | Container A is",
                "B: B: Liver, defi | FSB1: Liver, d | Container B ho",
                "C: C: Liver, Segm | Container C: S",
                "D: D: Gallbladder | Container D: P",
            ],
        ),
        // One diagnosis for three of four specimens.
        (
            "pathology-brain-parts",
            &[
                "A: A. Right front | A) Brain, righ | A. The specime | A, B, D. Brain",
                "B: B. Right front | B) Brain, righ | B. The specime | A, B, D. Brain",
                "C: C. Right front | C. The specime",
                "D: D. Right front | D. The specime | A, B, D. Brain",
            ],
        ),
        ("pathology-kidney", &[]),
        ("pathology-gastric", &[]),
    ];
    for (name, outline_of) in expected {
        assert_eq!(outline(&report(name)), outline_of, "{name}");
    }
}

#[test]
fn what_only_looks_like_a_part_is_none() {
    for text in [
        "DIAGNOSIS:\nLeft breast: carcinoma.\nSigned: A. Smith, MD\nB. Jones, M.D.\n",
        "Reviewed by Dr. A. Smith. Dr. B. Jones concurs.",
        "Hepatitis A. Liver is normal. Hepatitis B. Liver is not.",
        "1. The tumor measures 2 cm.\n2. The margins are free.\n3. No invasion is seen.\n",
        "pT2 N0 MX\nT. N. M. stage: pT2 N0\n",
        "Stains: A. CK7: positive. C. CK20: negative.",
        "Sections: A1: margin. A2: tumor. B1: node.",
        "1. Right testicle, 31.7 g, orchiectomy: A. Seminoma, 1.5 cm. B. The cord is free of tumor.",
        "B. Gallbladder: benign. C. Liver: benign.",
        "",
    ] {
        assert_eq!(outline(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn headings_of_many_kinds_open_parts() {
    for (text, expected) in [
        ("A. Skin, left arm: nevus.\nB. Skin, back: melanoma.\n", ["A. Skin, left ", "B. Skin, back:"]),
        ("A) Skin: nevus.\nB) Back: melanoma.\n", ["A) Skin: nevus", "B) Back: melan"]),
        ("Part 1: Skin: nevus.\nPart 2: Back: melanoma.\n", ["Part 1: Skin: ", "Part 2: Back: "]),
        ("SPECIMEN #1: Skin\nnevus\nSPECIMEN #2: Back\nmelanoma\n", ["SPECIMEN #1: S", "SPECIMEN #2: B"]),
        ("Specimen A, skin: nevus. Specimen B, back: melanoma.", ["Specimen A, sk", "Specimen B, ba"]),
        (
            "1. Skin, left arm, excision: nevus.\n2. Skin, back, excision: melanoma.\n",
            ["1. Skin, left ", "2. Skin, back,"],
        ),
        ("Specimens submitted:\n1. Skin\n2. Back\nComment: none.\n", ["1. Skin\n2. Bac"; 2]),
    ] {
        let found = parts(text);
        assert_eq!(found.len(), 2, "{text}");
        let begins: Vec<String> =
            found.iter().map(|part| texts(part, text)[0].chars().take(14).collect()).collect();
        if !text.starts_with("Specimens submitted") {
            assert_eq!(begins, expected, "{text}");
        }
    }
}

#[test]
fn initials_and_statements_within_a_part_do_not_end_it() {
    let text = "A. Skin, left arm: nevus. Reviewed with Dr. B. Jones. Hepatitis B. is known.\n1. Margins are free.\n2. No ulcer.\nComment: see above.\nB. Skin, back: melanoma.\nComment: ulcerated.\nC. Smith, M.D.\n";
    let found = parts(text);
    assert_eq!(found.len(), 2, "{found:#?}");
    // A comment within the first part, before the next, is its own; so is that of the last.
    assert!(texts(&found[0], text).concat().contains("see above"));
    assert!(texts(&found[1], text).concat().contains("ulcerated"));
}

/// As in TCGA-56-8304: what sums up five parts, four of them benign nodes, is of none of them.
#[test]
fn what_sums_up_many_parts_is_common_to_them() {
    let text = "SPECIMEN: A. Node. B. Node. C. Node. D. Right upper lobe. E. Node. DIAGNOSIS. A-E. 1. Tumor type: Squamous cell carcinoma. MICROSCOPIC EXAMINATION. A. Benign lymph node. B. Benign lymph nodes. C. Benign lymph node. D. A neoplasm. E. Benign lymph node.";
    let found = parts(text);
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|part| !texts(part, text).concat().contains("carcinoma")), "{found:#?}");
    let few = "SPECIMEN: A. Skin. B. Skin. DIAGNOSIS. A and B. Skin, left arm: melanoma.";
    assert!(parts(few).iter().all(|part| texts(part, few).concat().contains("melanoma")));
}

/// As in TCGA-39-5035: the numbers of blocks are between the parts, and each of the parts begins in another way.
#[test]
fn numbers_of_blocks_do_not_end_the_list_of_parts() {
    let text = "Specimens: 1: SP: Nodes. 2: SP: Pleura. 3: SP: Lung. DIAGNOSIS: LYMPH NODE; EXCISION: BENIGN. 2). PLEURA, RIGHT; BIOPSY;. - BENIGN. 3). LUNG; LOBECTOMY: - CARCINOMA. Note: done. Summary of Sections: Part 1: SP: Nodes. Block. 1. fsc. 1. Part 2: SP: Pleura. Block. 1. u. 1. Part 3: SP: Lung. Block. BM. 1.";
    let found = parts(text);
    let labels: Vec<&str> = found.iter().map(|part| part.label.as_str()).collect();
    assert_eq!(labels, ["1", "2", "3"]);
    assert!(texts(&found[2], text).concat().contains("CARCINOMA"));
    assert!(!texts(&found[1], text).concat().contains("CARCINOMA"));
}

/// A candidate held against a report: supports with the parts, and issues.
fn assessed(text: &str, candidate: &Value, quotes: &[(&str, &str)]) -> Assessment {
    assessed_as("pathology", text, candidate, quotes)
}

fn assessed_as(document_type: &str, text: &str, candidate: &Value, quotes: &[(&str, &str)]) -> Assessment {
    let mut offered = Quotes::default();
    quotes.iter().for_each(|(at, quote)| offered.add(at, quote));
    let mut out = Assessment::default();
    let given = Given { quotes: Some(&offered), ..Given::default() };
    let context = DocumentContext::named(&PLAN, document_type, Some(text));
    context.assess(&mut context.assessor(), candidate, given, &mut out);
    out
}

#[track_caller]
fn holds(out: &Assessment, at: &str, support: Support, part: Option<&str>, code: Option<&str>) {
    let (_, leaf) =
        out.evidence.iter().find(|(path, _)| *path == at).unwrap_or_else(|| panic!("{at} does not count"));
    let grounding = |code: &str| ["VALUE", "MENTIONS", "QUOTE"].iter().any(|part| code.contains(part));
    let issue = out.issues.iter().find(|issue| issue.path == at && grounding(&issue.code));
    assert_eq!(
        (leaf.support, leaf.part, issue.map(|issue| issue.code.as_str())),
        (support, part, code),
        "{at}: {issue:?}"
    );
}

fn codes<'a>(out: &'a Assessment, code: &str) -> Vec<&'a loopctl::score::Issue> {
    out.issues.iter().filter(|issue| issue.code == code).collect()
}

#[test]
fn an_item_is_held_against_its_own_part() {
    let text = report("mtsamples_3087_lung_biopsy_pathology_report_-_1");
    let candidate = json!({"specimens": [
        {"part": "A", "grade": "poorly differentiated", "tumorSizeMm": 8, "margins": "negative"},
        {"part": "Specimen C", "grade": "poorly differentiated", "tumorSizeMm": 13, "lymphovascularInvasion": "present"},
        {"part": "b.", "histology": "negative for malignancy", "specimenSite": "10R lymph node"},
        {"part": "D", "tumorSizeMm": 8, "histology": "Lymphoid tissue, negative for malignancy"},
        {"part": "E", "histology": "two separate tumors"},
    ]});
    let out = assessed(&text, &candidate, &[]);
    for (at, part) in [("/specimens/0/part", "A"), ("/specimens/1/part", "C"), ("/specimens/2/part", "B")] {
        holds(&out, at, Support::Verified, Some(part), None);
    }
    holds(&out, "/specimens/0/grade", Support::Verified, Some("A"), None);
    holds(&out, "/specimens/0/tumorSizeMm", Support::Verified, Some("A"), None);
    holds(&out, "/specimens/0/margins", Support::Verified, Some("A"), None);
    // The other tumor's grade and size.
    holds(&out, "/specimens/1/grade", Support::Undecided, Some("C"), Some("UNVERIFIED_VALUE"));
    holds(&out, "/specimens/1/tumorSizeMm", Support::Verified, Some("C"), None);
    holds(&out, "/specimens/2/specimenSite", Support::Verified, Some("B"), None);
    holds(&out, "/specimens/3/tumorSizeMm", Support::Unsupported, Some("D"), Some("UNGROUNDED_VALUE"));
    // Only the comment, which is about all of them, says so.
    holds(&out, "/specimens/4/histology", Support::Undecided, Some("E"), Some("UNVERIFIED_VALUE"));
    assert!(codes(&out, "PART_NOT_EXTRACTED").is_empty() && codes(&out, "UNKNOWN_PART").is_empty());
}

#[test]
fn a_quote_from_another_part_does_not_support() {
    let text = report("tcga_TCGA-G4-6306");
    let candidate = json!({"specimens": [{"part": "A", "margins": "negative"}, {"part": "B", "margins": "negative", "histology": "chronic cholelithiasis"}]});
    let quote = "SURGICAL MARGINS, SMALL BOWEL AND APPENDIX ARE NOT INVOLVED";
    let out = assessed(
        &text,
        &candidate,
        &[
            ("/specimens/0/margins", quote),
            ("/specimens/1/margins", quote),
            ("/specimens/1/histology", "CHRONIC CHOLELITHIASIS"),
        ],
    );
    holds(&out, "/specimens/0/margins", Support::Undecided, Some("A"), Some("UNVERIFIED_VALUE"));
    holds(&out, "/specimens/1/margins", Support::Unsupported, Some("B"), Some("QUOTE_OF_ANOTHER_PART"));
    holds(&out, "/specimens/1/histology", Support::Undecided, Some("B"), Some("UNVERIFIED_VALUE"));
    let issue = codes(&out, "QUOTE_OF_ANOTHER_PART")[0];
    assert!(
        issue.message.starts_with("the quote for `\"negative\"` is in part A, not in part B, line 1 has it"),
        "{}",
        issue.message
    );
    // The template is about neither of them in particular.
    let out = assessed(&text, &candidate, &[("/specimens/1/margins", "Margins: Uninvolved")]);
    holds(&out, "/specimens/1/margins", Support::Undecided, Some("B"), Some("UNVERIFIED_VALUE"));
    let out = assessed(&text, &candidate, &[("/specimens/1/margins", "Margins: everywhere free")]);
    holds(&out, "/specimens/1/margins", Support::Unsupported, Some("B"), Some("QUOTE_NOT_FOUND"));
}

/// The statements of a template about the whole tumor are not those of the last part.
#[test]
fn a_template_ends_the_last_part() {
    for template in [
        "Urothelial Carcinoma Pathologic Parameters. 1. Ureteral margins: positive.",
        "SYNOPTIC REPORT - PROSTATE GLAND. Margins: positive.",
        "Summary of Findings: Margins: positive.",
    ] {
        let text = format!(
            "DIAGNOSIS: A. Bladder; cystectomy: - High grade carcinoma. B. Ureter; excision: - Ureter, no tumor. {template}"
        );
        let found = parts(&text);
        assert_eq!(found.len(), 2, "{text}");
        let last = texts(&found[1], &text).concat();
        assert!(last.contains("no tumor") && !last.contains("positive"), "{last}");
    }
}

#[test]
fn no_part_is_lost_silently() {
    let text = report("tcga_TCGA-LD-A7W5");
    let candidate = json!({"specimens": [{"part": "2", "laterality": "left"}, {"part": "1"}, {"part": "7", "laterality": "left"}, {"laterality": "left"}]});
    let out = assessed(&text, &candidate, &[]);
    let lost = codes(&out, "PART_NOT_EXTRACTED");
    let told: Vec<(&str, &str, Severity)> =
        lost.iter().map(|issue| (issue.path.as_str(), issue.message.as_str(), issue.severity)).collect();
    assert_eq!(told.len(), 2, "{told:#?}");
    assert!(
        told[0].0 == "/specimens/1" && told[0].1.starts_with("part 1 (line 1: \"#1-AXILLARY CONTENTS"),
        "{told:#?}"
    );
    assert!(told[1].0 == "/specimens" && told[1].1.contains("part 3 (line 1: \"#3-BREAST"), "{told:#?}");
    assert!(told.iter().all(|(.., severity)| *severity == Severity::Critical));
    assert!(
        lost.iter().all(|issue| issue.disposition == Disposition::Correct && issue.source_span.is_some())
    );
    let unknown: Vec<&str> = codes(&out, "UNKNOWN_PART").iter().map(|issue| issue.path.as_str()).collect();
    assert_eq!(unknown, ["/specimens/2/part", "/specimens/3/part"]);

    // Without any list, a person decides whether the value at the top will do.
    for none in [json!({"laterality": "left"}), json!({"laterality": "left", "specimens": null})] {
        let out = assessed(&text, &none, &[]);
        let lost = codes(&out, "NO_PARTS_EXTRACTED");
        assert_eq!(lost.len(), 1);
        assert_eq!((lost[0].severity, lost[0].disposition), (Severity::Major, Disposition::Escalate));
        assert!(lost[0].message.contains("3 parts of the kind `specimen` (1, 2, 3)"), "{}", lost[0].message);
    }
    // A report on one specimen has no parts.
    let out = assessed(&report("pathology-kidney"), &json!({"laterality": "left"}), &[]);
    assert!(out.issues.iter().all(|issue| !issue.code.contains("PART")));
}

/// A scan loses headings: the text below one then counts as the part before.
#[test]
fn a_heading_that_is_lacking_is_for_a_person() {
    let report = |labels: &[&str]| {
        let part =
            |label: &&str| format!("{label}. Lymph node, level {label}, excision: Benign lymph node.\n\n");
        format!("FINAL DIAGNOSIS:\n{}", labels.iter().map(part).collect::<String>())
    };
    let found = |labels: &[&str]| {
        let items: Vec<Value> =
            labels.iter().map(|label| json!({"part": label, "histology": "Benign lymph node"})).collect();
        let out = assessed(&report(labels), &json!({ "specimens": items }), &[]);
        assert!(codes(&out, "PART_NOT_EXTRACTED").is_empty(), "{labels:?}");
        codes(&out, "PARTS_SKIPPED")
            .iter()
            .map(|issue| (issue.disposition, issue.suggested_fix.clone().unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    for whole in [&["1", "2", "3"][..], &["A", "B"], &["A", "B", "C", "D", "E", "F", "G", "H", "J"]] {
        assert_eq!(found(whole), [], "{whole:?}");
    }
    for (labels, skipped) in [(&["1", "2", "4"][..], "a part 3,"), (&["A", "B", "D"], "a part C,")] {
        let found = found(labels);
        assert_eq!(found.len(), 1, "{labels:?}");
        assert!(found[0].0 == Disposition::Escalate && found[0].1.contains(skipped), "{found:?}");
    }
}

/// Two examinations in one report, the second one with a numbered impression.
const HEAD_AND_SPINE: &str = "mtsamples_1692_ct_head_and_c_spine";

#[test]
fn statements_of_impressions_are_parts() {
    let text = report(HEAD_AND_SPINE);
    let found = parts_of("impressions", &text);
    let begins: Vec<(&str, String)> = found
        .iter()
        .map(|part| (part.label.as_str(), texts(part, &text).concat().chars().take(22).collect()))
        .collect();
    let expected = [
        ("1", "IMPRESSION: , Negative"),
        ("2", "1.  Straightening of t"),
        ("3", "2.  Degenerative disk "),
        ("4", "3.  Retention cyst ver"),
    ];
    assert_eq!(begins, expected.map(|(label, words)| (label, words.to_owned())));

    let statement = "Retention cyst versus polyp of the right maxillary sinus.";
    let candidate = json!({"impression": "Negative for acute intracranial disease.", "impressions": [
        {"part": "1", "text": "Negative for acute intracranial disease."},
        {"part": "3", "text": "Degenerative disk and joint disease at C5-C6.", "laterality": "right"},
        {"part": "4", "text": statement, "laterality": "right"},
        {"part": "2"},
    ]});
    let out = assessed_as("radiology", &text, &candidate, &[("/impressions/1/laterality", statement)]);
    holds(&out, "/impressions/0/text", Support::Verified, Some("1"), None);
    holds(&out, "/impressions/2/text", Support::Verified, Some("4"), None);
    // One of two things is on that side.
    holds(&out, "/impressions/2/laterality", Support::Undecided, Some("4"), Some("UNVERIFIED_VALUE"));
    // The side is that of another statement.
    let at = "/impressions/1/laterality";
    holds(&out, at, Support::Unsupported, Some("3"), Some("QUOTE_OF_ANOTHER_PART"));
    let lost = codes(&out, "PART_NOT_EXTRACTED");
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert_eq!((lost[0].path.as_str(), lost[0].severity), ("/impressions/3", Severity::Critical));
    assert!(lost[0].message.starts_with("part 2 (line 1: \"1.  Straightening"), "{}", lost[0].message);
    // None is told apart: a person decides.
    let out = assessed_as("radiology", &text, &json!({"impression": "Negative."}), &[]);
    assert_eq!(codes(&out, "NO_PARTS_EXTRACTED").len(), 1);
}

#[test]
fn an_impression_without_numbers_is_one_part() {
    let text = report("mtsamples_1737_carotid_ultrasound");
    assert_eq!(parts_of("impressions", &text).len(), 1);
    let impression =
        "The study demonstrates bilateral hard plaque at the bifurcation, left greater than right";
    // The field at the top says it, or an item, which need not name its part.
    for candidate in [
        json!({ "impression": impression }),
        json!({ "impression": impression, "impressions": [{ "text": impression }] }),
        json!({ "impression": impression, "impressions": [{ "part": "1", "text": impression }] }),
    ] {
        let out = assessed_as("radiology", &text, &candidate, &[]);
        assert!(out.issues.iter().all(|issue| !issue.code.contains("PART")), "{:?}", out.issues);
        if candidate.get("impressions").is_some() {
            holds(&out, "/impressions/0/text", Support::Verified, Some("1"), None);
        }
    }
    let candidate = json!({ "impressions": [{ "part": "2", "text": impression }] });
    let out = assessed_as("radiology", &text, &candidate, &[]);
    assert_eq!((codes(&out, "UNKNOWN_PART").len(), codes(&out, "PART_NOT_EXTRACTED").len()), (1, 1));
}

#[test]
fn pattern_has_an_item_for_each_statement() {
    let place = place(HEAD_AND_SPINE);
    let explain = ["explain", "report.txt", "--field", "impressions", "--profile", "clinical"];
    place.run(&explain).exits(0).finds(&["`impressions`: 4 parts", "1    line 1", "4    line 1"]);
    let arguments = ["--provider", "pattern", "--type", "radiology", "--format", "json", "report.txt"];
    let ran = place.run(&[&["run", "--profile", "clinical"], &arguments[..]].concat());
    let items = &ran.json()["best_extraction"]["impressions"];
    let said: Vec<&str> =
        items.as_array().unwrap().iter().map(|item| item["text"].as_str().unwrap()).collect();
    let expected = [
        "Negative for acute intracranial disease.",
        "Straightening of the normal cervical lordosis compatible with patient positioning versus muscle spasms.",
        "Degenerative disk and joint disease at C5-C6.",
        "Retention cyst versus polyp of the right maxillary sinus.",
    ];
    let begins = |(said, expected): (&&str, &str)| said.starts_with(expected.trim_end_matches('.'));
    assert!(said.len() == 4 && said.iter().zip(expected).all(begins), "{said:#?}");
}

fn place(name: &str) -> Workspace {
    let place = Workspace::new();
    place.write("report.txt", report(name));
    place
}

#[test]
fn the_parts_of_a_document_are_explained() {
    let place = place("tcga_TCGA-G4-6306");
    let explain =
        |field: &str| place.run(&["explain", "report.txt", "--field", field, "--profile", "clinical"]);
    explain("specimens").exits(0).finds(&[
        "`specimens`: 2 parts",
        "A    line 1    5 stretches",
        "\"B. GALLBLADDER",
    ]);
    explain("specimens.B.margins").exits(0).finds(&["`margins` in part B", "no mention was found"]);
    explain("specimens.C.margins").exits(2).says(&["no part `C`", "its parts are `A`, `B`"]);

    place.write("report.txt", report("mtsamples_3087_lung_biopsy_pathology_report_-_1"));
    for field in ["specimens.A.margins", "/specimens/0/margins"] {
        explain(field).exits(0).finds(&["`margins` in part A", "negative", "Margins of excision"]);
    }
}

#[test]
fn a_field_of_a_document_is_explained_with_the_usual_profile() {
    let place = place("tcga_TCGA-G4-6306");
    place
        .run(&["explain", "report.txt", "--field", "margins"])
        .exits(0)
        .finds(&["vocabulary `margin-status`"]);
    place.run(&["run", "--profile", "clinical", "--provider", "pattern", "--out", "out", "report.txt"]);
    place
        .run(&["explain", "out/report-result.json", "--field", "margins"])
        .exits(2)
        .says(&["`out/report-result.json` is a result of a run", "name the document that it is a result of"]);
}

#[test]
fn pattern_has_an_item_for_each_part() {
    let place = place("mtsamples_3087_lung_biopsy_pathology_report_-_1");
    let ran = place.run(&[
        "run",
        "--profile",
        "clinical",
        "--provider",
        "pattern",
        "--type",
        "pathology",
        "--format",
        "json",
        "report.txt",
    ]);
    let result = ran.json();
    let specimens = &result["best_extraction"]["specimens"];
    let said = |at: usize, field: &str| specimens[at][field].as_str().unwrap_or_default().to_owned();
    assert_eq!(specimens.as_array().map(Vec::len), Some(5), "{specimens:#}");
    assert_eq!((said(0, "part"), said(4, "part")), ("A".to_owned(), "E".to_owned()));
    assert_eq!(said(0, "histology"), "Poorly differentiated non-small cell carcinoma");
    assert_eq!(said(2, "histology"), "Moderately differentiated non-small cell carcinoma");
    assert_eq!(said(1, "specimenSite"), "Biopsy, 10R lymph node");
    assert_eq!(said(1, "margins"), "");
    let evidence = &result["best_validation"]["evidence"]["/specimens/2/margins"];
    assert_eq!((&evidence["support"], &evidence["part"]), (&json!("verified"), &json!("C")));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    /// Parts never overlap, have labels of their own, and hold exactly the text under their headings; each item is held
    /// against its part and nothing else.
    #[test]
    fn items_are_held_against_exactly_their_parts(
        count in 2_usize..9,
        sections in 1_usize..4,
        style in 0_usize..4,
        lines in proptest::bool::ANY,
        sizes in proptest::collection::vec(1_u32..400, 9),
        shift in 1_usize..8,
    ) {
        let heading = |at: usize| {
            let letter = char::from(b'A' + u8::try_from(at).unwrap());
            match style {
                0 => format!("{letter}. Skin"),
                1 => format!("({letter}) SKIN"),
                2 => format!("Specimen {letter}: Skin"),
                _ => format!("Part {}: Skin", at + 1),
            }
        };
        // Sizes that differ, so that each is said by one part only.
        let size = |at: usize| sizes[at] + 1000 * u32::try_from(at + 1).unwrap();
        let mut text = String::from("Clinical history: lesions.\n");
        for section in 0..sections {
            text.push_str(["GROSS DESCRIPTION:\n", "FINAL DIAGNOSIS:\n", "MICROSCOPIC DESCRIPTION:\n"][section]);
            for at in 0..count {
                text.push_str(&format!("{}, piece {at}: nevus. Tumor size: {} mm.", heading(at), size(at)));
                text.push_str(if lines { "\n" } else { " " });
            }
        }
        let found = parts(&text);
        proptest::prop_assert_eq!(found.len(), count, "{}", text);
        let mut spans: Vec<(usize, usize)> =
            found.iter().flat_map(|part| part.spans.iter().map(|span| (span.start, span.end))).collect();
        spans.sort_unstable();
        proptest::prop_assert!(spans.windows(2).all(|two| two[0].1 <= two[1].0), "{:?}", spans);
        let mut labels: Vec<&str> = found.iter().map(|part| part.label.as_str()).collect();
        labels.dedup();
        proptest::prop_assert_eq!(labels.len(), count);
        for (at, part) in found.iter().enumerate() {
            let own = texts(part, &text).concat();
            proptest::prop_assert_eq!(own.matches(&format!("{} mm", size(at))).count(), sections, "{}", own);
            proptest::prop_assert_eq!(own.matches(" mm").count(), sections, "{}", own);
        }
        let items = |of: &dyn Fn(usize) -> u32| -> Value {
            let item = |(at, part): (usize, &FoundPart)| json!({"part": part.label, "tumorSizeMm": of(at)});
            json!({"specimens": found.iter().enumerate().map(item).collect::<Vec<_>>()})
        };
        let supports = |candidate: &Value| -> Vec<Support> {
            let out = assessed(&text, candidate, &[]);
            let sizes = out.evidence.iter().filter(|(at, _)| at.ends_with("tumorSizeMm"));
            sizes.map(|(_, leaf)| leaf.support).collect()
        };
        proptest::prop_assert!(supports(&items(&size)).iter().all(|one| *one == Support::Verified));
        // Another part's size is not verified, although the document has it.
        if shift % count != 0 {
            let shifted = items(&|at| size((at + shift) % count));
            proptest::prop_assert!(supports(&shifted).iter().all(|one| !matches!(one, Support::Verified | Support::Conflicting)));
        }
    }
}
