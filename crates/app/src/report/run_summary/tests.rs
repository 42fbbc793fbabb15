//! Tests of the counts of a summary, its JSON and its display.

use super::sample::{batch, document, facts, issue, result};
use super::*;
use crate::report::{PageOptions, Paint, render_html, render_text};
use proptest::prelude::*;
use serde_json::{Value, json};

fn of(numbers: &[u64]) -> RunSummary {
    let mut summary = RunSummary::new(facts());
    for number in numbers {
        match number % 17 {
            3 => summary.add_failed(&format!("report-{number}"), "broken"),
            5 => summary.add_given_up(&format!("report-{number}"), "tried 3 times"),
            _ => summary.add(&document(*number)),
        }
    }
    summary
}

proptest! {
    #[test]
    fn the_order_of_documents_changes_nothing(
        numbers in proptest::collection::vec(0..5_000_u64, 0..60),
        shuffle in any::<u64>(),
        cut in 0..60_usize,
    ) {
        let summary = of(&numbers);
        let mut others = numbers.clone();
        others.sort_by_key(|number| number.wrapping_mul(shuffle | 1));
        prop_assert_eq!(&of(&others), &summary);
        let (first, second) = others.split_at(cut.min(others.len()));
        let mut merged = of(second);
        merged.merge(of(first));
        prop_assert_eq!(&merged, &summary);
        let written = serde_json::to_string(&summary).unwrap();
        prop_assert_eq!(serde_json::from_str::<RunSummary>(&written).unwrap(), summary);
    }
}

#[test]
fn a_summary_as_text() {
    insta::assert_snapshot!(render_text(&batch(), Paint::new(false)));
}

#[test]
fn a_summary_as_json() {
    let mut summary = RunSummary::new(facts());
    (0..40).for_each(|number| summary.add(&document(number)));
    insta::assert_snapshot!(serde_json::to_string_pretty(&summary).unwrap());
}

#[test]
fn a_summary_of_nothing_is_shown_too() {
    let nothing = RunSummary::default();
    insta::assert_snapshot!(render_text(&nothing, Paint::new(false)), @r"
    Summary of a run

      Done                0
      Passed              0  –
      Needs review        0  –
      Failed or given up  0  –
      Cost                –
    ");
    assert!(render_html(&nothing, &PageOptions::default()).contains("<h1>Summary of a run</h1>"));
    assert_eq!(serde_json::from_value::<RunSummary>(json!(nothing)).unwrap(), nothing);
    assert_eq!(nothing.passed_share(), None);
}

#[test]
fn fields_are_filled_when_they_hold_something() {
    let mut summary = RunSummary::default();
    summary.add(&result(
        "a",
        json!({"best_extraction": {
            "grade": null, "grade_status": "not_present", "margins": "not_present", "side": "left",
            "side_status": "present", "marker_status": "positive", "size": {"value": 0, "unit": ""},
            "list": [], "a/b": 1,
        }, "best_validation": {"scores": {}, "overall": 0.5, "missing": ["stage", "size.value"]}}),
    ));
    summary.add(&result("b", json!({"best_extraction": {"grade": "2"}})));
    summary.add(&result("c", json!({"best_extraction": null})));
    let types = json!(summary)["types"].clone();
    let fields: Vec<String> = types[0]["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            format!(
                "{} {}/{}/{} {}",
                line["path"].as_str().unwrap(),
                line["named"],
                line["filled"],
                line["not_present"],
                line["share"]
            )
        })
        .collect();
    assert_eq!(types[0]["with_extraction"], 2);
    assert_eq!(
        fields,
        [
            "/a~1b 1/1/0 0.5",
            "/grade 2/1/1 0.5",
            "/list 1/0/0 0.0",
            "/margins 1/0/1 0.0",
            "/marker_status 1/1/0 0.5",
            "/side 1/1/0 0.5",
            "/size 1/1/0 0.5",
            "/size/unit 1/0/0 0.0",
            "/size/value 1/1/0 0.5",
            "/stage 1/0/0 0.0",
        ]
    );
}

#[test]
fn the_most_urgent_documents_come_first() {
    let scored =
        |overall: f64, issues: serde_json::Value| json!({"scores": {}, "overall": overall, "issues": issues});
    let mut summary = RunSummary::default();
    let not_passed = json!("max_iterations_reached");
    for (id, said) in [
        ("fine", json!({"best_validation": scored(0.99, json!([]))})),
        (
            "conflict",
            json!({"best_validation": {"scores": {}, "overall": 0.99, "evidence": {"/a": {"support": "conflicting"}}}}),
        ),
        (
            "low",
            json!({"final_status": not_passed, "stop_reason": "max_iterations", "best_validation": scored(0.4, json!([]))}),
        ),
        (
            "lower",
            json!({"final_status": not_passed, "stop_reason": "max_iterations", "best_validation": scored(0.3, json!([]))}),
        ),
        ("review", json!({"review": true, "best_validation": scored(0.9, json!([]))})),
        (
            "critical",
            json!({"review": true, "best_validation": scored(0.9, json!([issue("A", "critical", "")]))}),
        ),
        (
            "critical-2",
            json!({"best_validation": scored(0.9, json!([issue("A", "critical", ""), issue("B", "critical", "/b")]))}),
        ),
        (
            "x-failed",
            json!({"final_status": "failed", "stop_reason": "provider_error", "best_extraction": null}),
        ),
        ("skipped", json!({"final_status": "skipped", "stop_reason": "skip:tagger"})),
        ("stopped", json!({"final_status": "cancelled", "stop_reason": "cancelled"})),
    ] {
        summary.add(&result(id, said));
    }
    summary.add_given_up("given-up", "tried 3 times");
    let ids: Vec<&str> = summary.look_at().iter().map(|document| document.id.as_str()).collect();
    assert_eq!(
        ids,
        ["given-up", "x-failed", "critical-2", "critical", "review", "lower", "low", "conflict", "fine"]
    );
    assert_eq!((summary.done(), summary.passed(), summary.failed(), summary.given_up()), (11, 6, 1, 1));
    // Ten, however many there are.
    (0..100).for_each(|number| summary.add_failed(&format!("f{number:02}"), ""));
    let ids: Vec<&str> = summary.look_at().iter().map(|document| document.id.as_str()).collect();
    assert_eq!(ids, ["f00", "f01", "f02", "f03", "f04", "f05", "f06", "f07", "f08", "f09"]);
}

#[test]
fn a_cost_that_is_not_known_stays_unknown() {
    let mut summary = RunSummary::default();
    summary.add(&result("a", json!({"usage": {"calls": 2, "tokens": 5, "cost_usd": null}})));
    assert_eq!(json!(summary)["usage"]["cost_usd"], json!(null));
    assert!(render_text(&summary, Paint::new(false)).contains("unknown  2 calls"));
    summary.add(&result("b", json!({"usage": {"calls": 2, "tokens": 5, "cost_usd": 0.5}})));
    assert!(render_text(&summary, Paint::new(false)).contains("$0.50  and the unknown cost of 2 of 4 calls"));
    let page = render_html(&summary, &PageOptions::default());
    assert!(page.contains("and the unknown cost of 2 of 4 calls"), "{page}");
}

#[test]
fn values_are_counted_by_support_for_the_deepest_field_that_is_told_apart() {
    let said = |of: Value| {
        let evidence: serde_json::Map<String, Value> = of
            .as_object()
            .unwrap()
            .iter()
            .map(|(path, support)| (path.clone(), json!({ "support": support })))
            .collect();
        let extraction = json!({"histology": "x", "ihc": [{"name": "ER"}, "y"], "size": {"value": 1, "unit": {"name": "mm"}}});
        json!({"best_extraction": extraction, "best_validation": {"scores": {}, "overall": 1.0, "evidence": evidence}})
    };
    let first = said(json!({
        "/histology": "verified", "/ihc/0/name": "unsupported", "/ihc/1": "entailed",
        "/size/value": "conflicting", "/size/unit/name": "undecided", "/elsewhere": "verified",
    }));
    let (mut summary, mut other) = (RunSummary::new(facts()), RunSummary::new(facts()));
    summary.add(&result("a", first));
    other.add(&result("b", said(json!({ "/histology": "contradicted" }))));
    summary.merge(other);
    let json = serde_json::to_value(&summary).unwrap();
    let support = |path: &str| {
        let fields = json["types"][0]["fields"].as_array().unwrap();
        fields.iter().find(|field| field["path"] == path).unwrap()["support"].clone()
    };
    let some = |support: Value| {
        let counts = support.as_object().unwrap().iter().filter(|(_, count)| **count != json!(0));
        counts.map(|(word, count)| format!("{word} {count}")).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(some(support("/histology")), "verified 1, contradicted 1");
    assert_eq!(some(support("/ihc")), "entailed 1, unsupported 1");
    assert_eq!(some(support("/size/value")), "conflicting 1");
    assert_eq!(some(support("/size/unit")), "undecided 1");
    assert_eq!(support("/size"), Value::Null);
    assert_eq!(serde_json::from_value::<RunSummary>(json.clone()).unwrap(), summary);
    let page = render_html(&summary, &PageOptions::default());
    well_formed(&page);
    assert!(page.contains("<h2><bdi>Support</bdi></h2>"));
}

/// However many codes, types, fields and reasons documents come with.
#[test]
fn memory_is_bounded() {
    let mut summary = RunSummary::default();
    for number in 0..1_500_u64 {
        let issues: Vec<_> = (0..5).map(|n| issue(&format!("C{number}-{n}"), "minor", "/a")).collect();
        let extraction: serde_json::Map<_, _> =
            (0..5).map(|n| (format!("f{number}-{n}"), json!(1))).collect();
        let long = "y".repeat(10_000);
        summary.add(&result(
            &format!("{number}{long}"),
            json!({
                "document_type": format!("t{}{long}", number % 200), "best_extraction": extraction,
                "stop_reason": format!("script:s{number}{long}"), "final_status": "stopped_early",
                "best_validation": {"scores": {}, "overall": 0.5, "issues": issues},
            }),
        ));
        summary.add_error(&format!("e{number}{long}"));
    }
    let written = json!(summary);
    for (list, most) in [("types", 50), ("issues", 500), ("endings", 100), ("errors", 50)] {
        let length =
            written[list].as_array().map_or_else(|| written[list].as_object().unwrap().len(), Vec::len);
        assert_eq!(length, most, "{list}");
    }
    assert_eq!(written["other_issues"]["count"], 1_500 * 5 - 500);
    assert_eq!(written["documents"]["done"], 1_500);
    assert_eq!(written["documents"]["not_passed"], 1_500);
    assert!(written.to_string().len() < 4 << 20, "{}", written.to_string().len());
    assert_eq!(serde_json::from_value::<RunSummary>(written).unwrap(), summary);
    let page = render_html(&summary, &PageOptions::default());
    assert!(page.len() < 1 << 20 && page.contains("class=\"tiles\""), "{}", page.len());
}

#[test]
fn times_of_parts_make_a_whole() {
    let mut summary = RunSummary::new(facts());
    let mut other = facts();
    other.started_at = Some("2026-05-04T07:59:59.9Z".into());
    other.finished_at = Some("2026-05-04T10:14:09.250Z".into());
    summary.merge(RunSummary::new(other));
    assert_eq!(summary.run().started_at.as_deref(), Some("2026-05-04T07:59:59.9Z"));
    assert_eq!(summary.run().finished_at.as_deref(), Some("2026-05-04T10:14:09.5Z"));
    assert_eq!(summary.run().elapsed(), Some(Millis(8_049_600)));
}

const ATTACK: &str = "a\"><img src=x onerror=alert(1)>'`{{ 7 * 7 }}</title><script>alert(1)</script>\u{202e}txt\u{0}\u{1b}[31m\u{200b}&amp;";

/// A summary in which every text from outside is hostile.
fn attacked() -> RunSummary {
    let mut run = facts();
    (run.id, run.profile, run.started_at) = (ATTACK.into(), ATTACK.into(), Some(ATTACK.into()));
    let mut summary = RunSummary::new(run).with_messages();
    let mut wrong = issue(ATTACK, "critical", ATTACK);
    wrong["message"] = json!(ATTACK);
    let evidence = json!({ format!("/{}", crate::value::escape(ATTACK)): {"support": "undecided"} });
    summary.add(&result(
        ATTACK,
        json!({
            "document_type": ATTACK, "stop_reason": format!("script:{ATTACK}"), "final_status": "stopped_early",
            "best_extraction": {ATTACK: {ATTACK: 1}}, "detail": ATTACK,
            "best_validation": {"scores": {}, "overall": 0.5, "issues": [wrong], "evidence": evidence},
        }),
    ));
    summary.add_failed(ATTACK, ATTACK);
    summary.add_error(ATTACK);
    summary
}

#[test]
fn text_from_outside_is_no_markup_and_turns_nothing_round() {
    let page = render_html(&attacked(), &PageOptions::titled(ATTACK));
    for never in ["<img", "<script", "\u{202e}", "\u{0}", "\u{1b}", "\u{200b}", "49</", "onerror=alert(1)>"] {
        assert!(!page.contains(never), "{never:?}");
    }
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;&#39;&#96;{{ 7 * 7 }}"));
    assert!(page.contains("\\u202etxt\\u0000\\u001b[31m\\u200b&amp;amp;"));
    well_formed(&page);
    let text = render_text(&attacked(), Paint::new(false));
    assert!(!text.contains(['\u{202e}', '\u{0}', '\u{1b}']), "{text}");
}

#[test]
fn a_page_asks_for_nothing_and_quotes_no_document() {
    let page = render_html(&batch(), &PageOptions::default());
    well_formed(&page);
    for never in [
        "http://",
        "https://",
        "<script",
        "<link",
        "<img",
        "@import",
        "url(",
        "javascript:",
        "<iframe",
        " on",
    ] {
        let found = page.find(never).filter(|at| never != " on" || page[*at..].starts_with(" onl"));
        assert_eq!(found.map(|at| &page[at..at + 40]), None, "{never}");
    }
    assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""));
    assert!(!page.contains("secret words"), "messages are there only where they are asked for");
    assert_eq!(page, render_html(&batch(), &PageOptions::default()));
    if let Ok(file) = std::env::var("LOOPCTL_SUMMARY_PAGE") {
        std::fs::write(file, page).unwrap();
    }
}

/// Asserts that tags are closed in the order in which they were opened, attributes are quoted and not given twice, ids
/// are not given twice, and references to an id find it: browsers repair these silently.
fn well_formed(page: &str) {
    let attribute = regex::Regex::new(r#"^\s+([a-zA-Z0-9:-]+)(?:="([^"<>]*)")?"#).unwrap();
    let (mut open, mut ids, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = page.strip_prefix("<!DOCTYPE html>").unwrap();
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>') || open.last() == Some(&"style"), "{}", &rest[..at]);
        let end = at + rest[at..].find('>').unwrap();
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap();
        let mut attributes = tag[name.len()..].trim_end_matches('/');
        let mut names = Vec::new();
        while let Some(found) = attribute.captures(attributes) {
            let key = found.get(1).unwrap().as_str();
            assert!(!names.contains(&key), "{key} twice in <{tag}>");
            names.push(key);
            match (key, found.get(2).map(|value| value.as_str())) {
                ("id", Some(id)) => ids.push(id),
                ("aria-labelledby", Some(id)) => wanted.push(id),
                _ => {}
            }
            attributes = &attributes[found.get(0).unwrap().end()..];
        }
        assert_eq!(attributes.trim(), "", "<{tag}>");
        if !tag.ends_with('/') && name != "meta" {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    for id in &wanted {
        assert_eq!(ids.iter().filter(|known| *known == id).count(), 1, "{id}");
    }
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
}
