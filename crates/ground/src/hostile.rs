//! Hostile layouts: reading them, and values in them, takes steps in proportion to their length.

use crate::steps::steps_of;
use crate::{
    Claim, Document, FieldNames, Known, Sort, SoughtField, Trust, Trusted, is_used, judge, left_rows,
    mentions, read_claim, read_passage,
};
use serde_json::{Value, json};

/// The length of the shorter document, in pieces; the other one is four times as long.
const PIECES: usize = 1_000;
/// Four times as much takes four times as many steps, and this is less than half of what a square would take.
const MOST: usize = 6;

/// Documents of so many pieces, by name.
fn documents(pieces: usize) -> Vec<(&'static str, String)> {
    let each = |piece: &dyn Fn(usize) -> String| (0..pieces).map(piece).collect::<String>();
    vec![
        (
            "one line of prose",
            each(&|at| format!("The margin of tumor {at} is free, no invasion was seen in 3 of {at}. ")),
        ),
        ("one line of words", each(&|_| "margin ".to_owned())),
        ("columns", each(&|at| format!("margin  {at}  ")) + "\n" + &each(&|at| format!("tumor   {at}  "))),
        ("boxes", each(&|at| format!("[ ] margin {at}\n[x] invasion yes\n"))),
        ("boxes in one line", each(&|_| "[ ] margin [x] yes ".to_owned())),
        ("open parentheses", each(&|_| "( ".to_owned()) + "margin 3"),
        ("parentheses", each(&|at| format!("margin {at} (yes) / no and "))),
        ("a table", each(&|at| format!("margin {at}    {}    2024-03-05\n", at * 7))),
        ("a table with cells that repeat", each(&|at| format!("tumor   7    margin   {}\n", at % 3))),
        ("digits of two kinds", each(&|_| "１2".to_owned())),
        ("attributes", format!("<a {}>3</a>", each(&|at| format!("margin=\"{at}\"")))),
        ("elements", format!("<a>{}</a>", each(&|at| format!("<margin>{at}</margin>")))),
        ("deep elements", format!("{}{}", "<a>".repeat(150), each(&|at| format!("<margin>{at}</margin>")))),
        ("separated values", each(&|at| format!("margin,{at},\"3\"\n"))),
        ("words that begin alike", each(&|at| format!("marg{at:x} invas{at:x} "))),
        ("hyphens", each(&|_| "margin-".to_owned())),
        ("blank lines", each(&|_| "\n  \n".to_owned()) + "margin: 3"),
        ("labels", each(&|at| format!("margin: {at} "))),
        ("sizes", each(&|at| format!("The tumor margin is 3 cm, 3 x 2 x 1 cm or {at} mm. "))),
        ("numbers by one another", each(&|_| "3 x ".to_owned()) + "3 cm"),
        ("letters apart", each(&|_| "m a r g i n ".to_owned())),
        ("signs of markers", each(&|at| format!("CD{at} + CK{at} - "))),
        ("phrases that begin", each(&|_| "no longer at the time of the margin cannot be ".to_owned())),
        ("years", each(&|at| format!("margin of 3 in {} (20{:02}) ", 1900 + at % 200, at % 99))),
        (
            "days without a year",
            each(&|at| format!("{:02}/{:02}  3  margin\n", at % 28 + 1, at % 12 + 1)) + "2024",
        ),
        ("ranges of dates", each(&|_| "2024-03-05 - 2024-03-06  ".to_owned())),
        ("rows under headings", each(&|at| format!("tumor{}\n  margin  3\n  3  7\n", at % 5))),
        ("bars", each(&|at| format!("| margin | {at} | {} |\n", "x".repeat(at % 7)))),
        ("codes in groups", each(&|at| format!("DE12 {at:04} 3456 "))),
        ("digits of another script", each(&|_| "٣٬٤٥٠ ".to_owned())),
        ("leaders", each(&|_| ". . .".to_owned()) + "margin 3"),
    ]
}

fn work(text: &str) {
    let document = Document::read(text);
    let record = json!({
        "margin": 3, "tumorMargin": "margin", "invasion": true, "lymphovascularInvasion": false, "date": "2024-03-05",
        "items": [{"name": "margin", "count": 3}, {"name": "tumor", "count": 7}, {"name": "nowhere at all", "count": 8}],
        "tumorSizeMm": 30, "nodesExamined": 3, "month": "2024-03", "iban": "DE12000134560002", "from": "2024-03-06",
        "arms": [{"margin": 3, "tumor": 7, "date": "2024-03-05"}, {"margin": 7, "tumor": 3, "date": "2024-03-06"}],
        "long": "margin margin margin margin margin margin margin",
    });
    for verdict in judge(&document, &record, &FieldNames::default()) {
        if let (Some(bytes), Some(value)) = (&verdict.bytes, record.pointer(&verdict.pointer)) {
            let key = verdict.pointer.rsplit('/').next().unwrap_or_default();
            let _ = read_passage(&document, &Claim { key, synonyms: &[], item: None, value }, bytes);
        }
    }
    claims(&document);
    // A passage may be as long as the document.
    let whole = json!(text);
    let _ = read_passage(
        &document,
        &Claim { key: "margin", synonyms: &[], item: None, value: &whole },
        &(0..text.len()),
    );
    let _ = left_rows(&document, &record, |_| true);
    let field = |name: &str, sort| SoughtField { pointer: format!("/{name}"), sort, synonyms: Vec::new() };
    let fields =
        [field("margin", Sort::Number), field("tumorInvasion", Sort::Text), field("date", Sort::Date)];
    for mention in mentions(&document, &fields) {
        let _ = is_used(&document, &record, &mention.bytes);
    }
    let _ = (document.outline(100), document.sentences(100));
}

/// Finds and reads passages for claims that many words of a document name.
fn claims(document: &Document) {
    for (key, item, value) in [
        ("invasion", None, json!(true)),
        ("marginInvasion", None, json!(false)),
        ("tumorNecrosis", None, json!("absent")),
        ("count", Some("margin"), json!(3)),
        ("tumorSizeMm", None, json!(30)),
        ("nodesExamined", None, json!(3)),
        ("marginDate", None, json!("2024-03-05")),
        ("result", Some("margin of tumor"), json!("yes")),
    ] {
        let value: Value = value;
        let claim = Claim { key, synonyms: &[], item, value: &value };
        let trusted = Trusted { counts: Trust::shipped(), least: 0.95 };
        let _ = read_claim(document, &claim, Known::default(), trusted);
        let middle = document.text().len() / 2;
        let _ = read_passage(document, &claim, &(middle..middle + 1));
    }
}

#[test]
fn steps_grow_with_the_document() {
    let mut steep = Vec::new();
    for ((name, short), (_, long)) in documents(PIECES).into_iter().zip(documents(4 * PIECES)) {
        let (few, many) = (steps_of(|| work(&short)), steps_of(|| work(&long)));
        assert!(few > 0, "{name}: no step was counted");
        if many > few * MOST {
            steep.push(format!("{name}: {few} steps, {many} for four times as much"));
        }
    }
    assert!(steep.is_empty(), "{steep:#?}");
}

/// Steps of claims that differ for no other reason than where the middle of a document is.
const SLACK: usize = 4_000;

#[test]
fn a_claim_takes_no_more_steps_in_a_longer_document() {
    let mut steep = Vec::new();
    for ((name, short), (_, long)) in documents(PIECES).into_iter().zip(documents(4 * PIECES)) {
        let steps = |text: &str| {
            let document = Document::read(text);
            // The words are indexed when the first claim is read.
            claims(&document);
            steps_of(|| claims(&document))
        };
        let (few, many) = (steps(&short), steps(&long));
        if many > few + few / 2 + SLACK {
            steep.push(format!("{name}: {few} steps, {many} in a document of four times the length"));
        }
    }
    assert!(steep.is_empty(), "{steep:#?}");
}
