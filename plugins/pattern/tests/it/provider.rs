//! The plugin: requests and completions.

use loopctl_pattern::PatternPlugin;
use loopctl_plugin_sdk::protocol::{
    Completion, CompletionRequest, Manifest, RequestFeedback, RequestIssue, RequestPart, RequestParts,
};
use loopctl_plugin_sdk::{Cancel, DirectPlugin, Failure, abi};
use serde_json::{Value, json};

fn request(source: &str) -> CompletionRequest {
    CompletionRequest {
        source: Some(source.to_owned()),
        patterns: Some(json!({ "extract": "t", "fields": {
            "grade": { "patterns": [
                { "pattern": r"grade: (?P<value>\w+)" },
                { "tier": 1, "pattern": r"(?P<value>\w+ differentiated)" },
                { "tier": 2, "pattern": r"G(?P<value>\d)" },
            ]},
            "histology": { "patterns": [{ "pattern": r"(?P<value>\w*carcinoma)" }] },
        }})),
        ..CompletionRequest::default()
    }
}

fn ask(request: &CompletionRequest) -> Result<Completion, Failure> {
    PatternPlugin::open(&json!({})).unwrap().complete(request, &Cancel::new())
}

fn missing(field: &str) -> Option<RequestFeedback> {
    Some(RequestFeedback { missing: vec![field.to_owned()], ..RequestFeedback::default() })
}

#[test]
fn the_loop_widens_what_is_missing() {
    let source = "adenocarcinoma, poorly differentiated";
    let first = ask(&request(source)).unwrap();
    assert_eq!(first.value, Some(json!({ "histology": "adenocarcinoma" })));
    assert_eq!(first.notes, ["grade: not found by its strict patterns"]);
    assert_eq!(first.usage.cost_usd, Some(0.0));
    assert_eq!(first.usage.input_tokens + first.usage.output_tokens, 0);

    let again =
        CompletionRequest { iteration: 1, base: first.value, feedback: missing("grade"), ..request(source) };
    let second = ask(&again).unwrap();
    assert_eq!(
        second.value,
        Some(json!({ "grade": "poorly differentiated", "histology": "adenocarcinoma" }))
    );
    assert_eq!(second.notes, Vec::<String>::new());
}

#[test]
fn the_iteration_bounds_the_tier() {
    let at = |iteration| {
        let request = CompletionRequest {
            iteration,
            base: Some(json!({})),
            feedback: missing("grade"),
            ..request("G3")
        };
        ask(&request).unwrap().value
    };
    assert_eq!(at(1), Some(json!({})));
    assert_eq!(at(2), Some(json!({ "grade": "3" })));
}

#[test]
fn an_issue_replaces_the_value_it_points_at() {
    let issue =
        RequestIssue { path: "/grade".into(), message: "invalid grade".into(), ..RequestIssue::default() };
    let request = CompletionRequest {
        iteration: 1,
        base: Some(json!({ "grade": "odd", "histology": "from elsewhere" })),
        feedback: Some(RequestFeedback { issues: vec![issue], ..RequestFeedback::default() }),
        ..request("grade: odd. well differentiated carcinoma")
    };
    assert_eq!(
        ask(&request).unwrap().value,
        Some(json!({ "grade": "well differentiated", "histology": "from elsewhere" }))
    );
}

#[test]
fn without_a_base_a_correction_starts_from_the_strict_patterns() {
    let request = CompletionRequest {
        iteration: 1,
        feedback: missing("grade"),
        ..request("carcinoma, well differentiated")
    };
    assert_eq!(
        ask(&request).unwrap().value,
        Some(json!({ "grade": "well differentiated", "histology": "carcinoma" }))
    );
}

#[test]
fn a_request_that_cannot_be_answered_says_what_it_lacks() {
    let mut no_patterns = request("x");
    no_patterns.patterns = None;
    no_patterns.document.document_type = "haiku".into();
    let mut no_source = request("x");
    no_source.source = None;
    let mut bad_pattern = request("SECRET TEXT");
    bad_pattern.patterns =
        Some(json!({ "extract": "t", "fields": { "grade": { "patterns": [{ "pattern": "(?P<value>" }] } } }));
    let cases = [
        (no_patterns, "no patterns for documents of type `haiku`: add `rules/extract/haiku.yaml`"),
        (no_source, "the request has no `source`: nothing to extract from"),
        (bad_pattern, "`fields.grade.patterns[0].pattern` in the patterns: unclosed group in `(?P<value>`"),
    ];
    for (request, expected) in cases {
        let failure = ask(&request).unwrap_err();
        assert_eq!(failure.status, abi::LC_INVALID_REQUEST);
        assert_eq!(failure.error.message, expected);
    }
}

#[test]
fn one_instance_serves_one_type_after_another() {
    let plugin = PatternPlugin::open(&Value::Null).unwrap();
    let cancel = Cancel::new();
    let other = CompletionRequest {
        patterns: Some(json!({ "extract": "u", "fields": { "rawText": { "kind": "whole" } } })),
        ..request("carcinoma")
    };
    for _ in 0..2 {
        let first = plugin.complete(&request("carcinoma"), &cancel).unwrap().value;
        assert_eq!(first, Some(json!({ "histology": "carcinoma" })));
        assert_eq!(plugin.complete(&other, &cancel).unwrap().value, Some(json!({ "rawText": "carcinoma" })));
    }
}

#[test]
fn a_cancelled_call_ends_as_cancelled() {
    let cancel = Cancel::new();
    cancel.cancel();
    let failure = PatternPlugin::default().complete(&request("carcinoma"), &cancel).unwrap_err();
    assert_eq!(failure.status, abi::LC_CANCELLED);
}

#[test]
fn the_manifest_is_one() {
    let manifest: Manifest = serde_json::from_str(include_str!("../../plugin.json")).unwrap();
    assert_eq!(manifest.name, "pattern");
    assert_eq!(manifest.version, env!("CARGO_PKG_VERSION"));
    assert!(manifest.hosts.is_empty() && manifest.secrets.is_empty());
}

#[test]
fn what_a_pattern_matched_is_the_quote_where_quotes_are_asked_for() {
    let source = "Breast, grade: 2\nER: positive; HER2/neu - negative\n3 cm mass, then 5 mm node\n";
    let patterns = json!({ "extract": "t", "fields": {
        "grade": { "patterns": [{ "pattern": r"grade: (?P<value>\w+)" }] },
        "markers": { "kind": "object", "patterns": [{ "pattern": r"(?P<key>ER|HER2/neu)\W+(?P<value>\w+)" }] },
        "sizes": { "kind": "list", "patterns": [{ "pattern": r"(?P<size>\d+ [cm]m) (?P<of>\w+)" }] },
        "text": { "kind": "whole" },
    }});
    let asked = |quotes| CompletionRequest { patterns: Some(patterns.clone()), quotes, ..request(source) };
    let plain = ask(&asked(false)).unwrap().value.unwrap();
    let quoted = ask(&asked(true)).unwrap().value.unwrap();
    assert_eq!(quoted["extraction"], plain);
    assert_eq!(
        quoted["evidence"],
        json!([
            { "path": "/grade", "quote": "grade: 2" },
            { "path": "/markers/ER", "quote": "ER: positive" },
            { "path": "/markers/HER2~1neu", "quote": "HER2/neu - negative" },
            { "path": "/sizes/0", "quote": "3 cm mass" },
            { "path": "/sizes/1", "quote": "5 mm node" },
        ])
    );
    // A correction quotes what it reads anew, and nothing for what it keeps.
    let base = json!({ "grade": "2", "sizes": [{ "size": "3 cm", "of": "mass" }] });
    let again = CompletionRequest {
        iteration: 1,
        base: Some(base),
        feedback: Some(RequestFeedback {
            missing: vec!["grade".to_owned(), "sizes".to_owned()],
            ..RequestFeedback::default()
        }),
        ..asked(true)
    };
    let corrected = ask(&again).unwrap().value.unwrap();
    assert_eq!(corrected["evidence"], json!([{ "path": "/sizes/1", "quote": "5 mm node" }]));
}

#[test]
fn each_part_of_the_document_has_an_item() {
    let source = "A. Skin, grade: 2. B. Back, grade: 3, margin free. A. Gross: 4 mm. Comment: grade: 9.";
    let patterns = json!({ "extract": "t", "fields": {
        "grade": { "patterns": [{ "pattern": r"grade: (?P<value>\d)" }] },
        "specimens": { "kind": "each", "fields": {
            "grade": {},
            "mm": { "kind": "number", "patterns": [{ "pattern": r"(?P<value>\d+) mm" }] },
            "margin": { "patterns": [{ "tier": 1, "pattern": r"margin (?P<value>\w+)" }] },
        } },
    }});
    let stretch = |text: &str| source.find(text).map(|at| (at, at + text.len())).unwrap();
    let part =
        |label: &str, stretches: Vec<(usize, usize)>| RequestPart { label: label.to_owned(), stretches };
    let parts = RequestParts {
        list: "specimens".to_owned(),
        label: "part".to_owned(),
        parts: vec![
            part("A", vec![stretch("A. Skin, grade: 2. "), stretch("A. Gross: 4 mm. ")]),
            part("B", vec![stretch("B. Back, grade: 3, margin free. "), (0, 100_000), (3, 1)]),
            part("C", vec![]),
        ],
    };
    let asked =
        CompletionRequest { patterns: Some(patterns), parts: vec![parts], quotes: true, ..request(source) };
    let first = ask(&asked).unwrap().value.unwrap();
    assert_eq!(
        first["extraction"]["specimens"],
        json!([{ "part": "A", "grade": "2", "mm": 4 }, { "part": "B", "grade": "3" }, { "part": "C" }])
    );
    let quotes = first["evidence"].as_array().unwrap();
    assert!(quotes.contains(&json!({ "path": "/specimens/0/mm", "quote": "4 mm" })), "{quotes:?}");
    // A correction keeps what was not complained about, adds what is missing, and takes back what the part does not
    // say.
    let issue = |path: &str| RequestIssue { path: path.to_owned(), ..RequestIssue::default() };
    let again = CompletionRequest {
        iteration: 1,
        base: Some(json!({ "specimens": [{ "part": "B", "grade": "9", "mm": 7 }] })),
        feedback: Some(RequestFeedback {
            issues: vec![issue("/specimens/0/grade")],
            ..RequestFeedback::default()
        }),
        ..asked.clone()
    };
    assert_eq!(
        ask(&again).unwrap().value.unwrap()["extraction"]["specimens"],
        json!([{ "part": "A", "grade": "2", "mm": 4 }, { "part": "B", "mm": 7, "margin": "free" }, { "part": "C" }])
    );
    // Without parts there is no list.
    let whole = CompletionRequest { parts: Vec::new(), ..asked };
    assert_eq!(ask(&whole).unwrap().value.unwrap()["extraction"], json!({ "grade": "2" }));
}
