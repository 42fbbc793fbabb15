use super::Parts;
use crate::diag::{Problems, SourceFile};
use crate::profile::{Files, Library};
use crate::rules::{Each, Rubric};
use crate::value::yaml::parse;

fn specimens() -> Each {
    let file = Library::embedded().read("rules/rubrics/clinical.yaml").unwrap().unwrap();
    each(file.text(), "specimen")
}

fn impressions() -> Each {
    let file = Library::embedded().read("rules/rubrics/clinical.yaml").unwrap().unwrap();
    each(file.text(), "impression")
}

fn each(rubric: &str, kind: &str) -> Each {
    let mut problems = Problems::new();
    let root = parse(&SourceFile::new("r.yaml", rubric), &mut problems).unwrap();
    let mut rubric = Rubric::read_mapping(&root, &mut problems).unwrap();
    assert_eq!(problems.error_count(), 0);
    rubric.each.remove(kind).unwrap()
}

/// Labels, and the texts under each.
fn found(text: &str, each: &Each) -> Vec<(String, String)> {
    let parts = Parts::find(text, each);
    let own = |part: &super::DocumentPart| -> String {
        part.stretches.iter().map(|stretch| &text[stretch.clone()]).collect()
    };
    parts.iter().map(|part| (part.label.clone(), own(part))).collect()
}

/// A hundred thousand headings, in every order: the work grows with the text, and so does what is kept.
#[test]
fn work_is_linear_in_headings() {
    let (each, impressions) = (specimens(), impressions());
    let kinds: [fn(usize) -> String; 8] = [
        |at| format!("{}. Skin\n", char::from(b'A' + u8::try_from(at % 26).unwrap())),
        |at| format!("{}. Skin\n", char::from(b'Z' - u8::try_from(at % 26).unwrap())),
        |at| format!("{}. Skin, biopsy: nevus\n", at % 999 + 1),
        |_| "A-Z. Skin\nComment: none\n".to_owned(),
        |_| "A. Skin\nB. Back\nGross description:\n".to_owned(),
        |_| "A. B. ".to_owned(),
        |at| format!("Impression: {}. Normal\n", at % 9 + 1),
        |at| format!("{}. Normal, 2. Old\nComment: none\n", at % 99 + 1),
    ];
    for (number, kind) in kinds.iter().enumerate() {
        let steps = |headings: usize| {
            let text: String =
                std::iter::once("Impression:\n".to_owned()).chain((0..headings).map(kind)).collect();
            let parts = Parts::find(&text, if number < 6 { &each } else { &impressions });
            let kept: usize = parts.iter().flat_map(|part| &part.stretches).map(ExactSizeIterator::len).sum();
            assert!(kept <= 4 * text.len(), "{number}");
            parts.steps()
        };
        let (some, many) = (steps(2_000), steps(if number == 0 { 100_000 } else { 20_000 }));
        assert!(many <= if number == 0 { 60 } else { 12 } * some, "{number}: {some} and then {many}");
    }
}

#[test]
fn impressions_are_lists_below_their_headings() {
    let each = impressions();
    let labelled = |text: &str| -> Vec<String> {
        found(text, &each).into_iter().map(|(label, own)| format!("{label}: {}", own.trim())).collect()
    };
    // Transcribed texts have commas for lines.
    assert_eq!(
        labelled(
            "Technique: none.,FINDINGS:,1. A cyst.,2. A stone.,IMPRESSION:,1.  No stenosis.,2.  Plaque of 2.5 mm.,"
        ),
        ["1: 1.  No stenosis.,", "2: 2.  Plaque of 2.5 mm.,"]
    );
    assert_eq!(
        labelled(
            "IMPRESSION: This study is abnormal:\n(1) Mild radiculopathy.\n(2) Nerve root irritation.\n\nRECOMMENDATIONS:\n1. Rest.\n2. Return.\n"
        ),
        ["1: (1) Mild radiculopathy.", "2: (2) Nerve root irritation."]
    );
    // One text is one part, whatever is numbered after it.
    assert_eq!(
        labelled(
            "IMPRESSION: , Benign findings. BI-RADS: 2. Stable.,MAMMOGRAPHY INFORMATION:,1. Some are missed.,2. So be it.,"
        ),
        ["1: IMPRESSION: , Benign findings. BI-RADS: 2. Stable.,"]
    );
    assert_eq!(labelled("IMPRESSION:\n1. Normal chest.\n"), ["1: IMPRESSION:\n1. Normal chest."]);
    // Headings within the list, and right after a number, are its own.
    assert_eq!(
        labelled(
            "IMPRESSION:\n1. RIGHT BREAST: Cyst.\n2. COMMENT: Stable.\n3. Normal nodes.\nCOMMENT: Old films.\n"
        ),
        ["1: 1. RIGHT BREAST: Cyst.", "2: 2. COMMENT: Stable.", "3: 3. Normal nodes."]
    );
    // Several examinations: counted through.
    assert_eq!(
        labelled(
            "CT HEAD\nIMPRESSION: No bleeding.\nCT SPINE\nTECHNIQUE: axial.\nIMPRESSION:\n1. Old fracture.\n2. No new one.\n"
        ),
        ["1: IMPRESSION: No bleeding.", "2: 1. Old fracture.", "3: 2. No new one."]
    );
    for none in ["Findings: 1. A cyst. 2. A stone.", "", "IMPRESSION:", "The impression is normal."] {
        assert_eq!(labelled(none), Vec::<String>::new(), "{none}");
    }
}

#[test]
fn labels_may_be_words() {
    let each = each(
        "types: { note: {} }\neach:\n  side: { types: [note], list: sides, headings: ['^(?P<label>left|right) breast:'], ends: ['^Impression'] }\n",
        "side",
    );
    let text =
        "Left breast: clear.\nRight breast: a mass.\nLEFT breast: again clear.\nImpression: one mass.\n";
    assert_eq!(
        found(text, &each),
        [
            ("left".to_owned(), "Left breast: clear.\nLEFT breast: again clear.\n".to_owned()),
            ("right".to_owned(), "Right breast: a mass.\n".to_owned()),
        ]
    );
    assert_eq!(Parts::find(text, &each).named("Right breast"), None);
    assert_eq!(Parts::find(text, &each).named("RIGHT"), Some(1));
}

#[test]
fn items_name_parts_in_many_ways() {
    let text = "A. Skin: nevus.\nB. Back: melanoma.\nC. Node: free.\n";
    let parts = Parts::find(text, &specimens());
    for (label, part) in [
        ("A", Some(0)),
        ("b", Some(1)),
        ("C.", Some(2)),
        ("(B)", Some(1)),
        ("Specimen B", Some(1)),
        ("part C: node", Some(2)),
        ("B. Back", Some(1)),
        ("D", None),
        ("back", None),
        ("", None),
    ] {
        assert_eq!(parts.named(label), part, "{label}");
    }
    let numbers = Parts::find("Part 1: skin. Part 2: back.", &specimens());
    for (label, part) in [("1", Some(0)), ("#2", Some(1)), ("Specimen 02", Some(1)), ("3", None)] {
        assert_eq!(numbers.named(label), part, "{label}");
    }
}
