use super::Parts;
use crate::diag::{Problems, SourceFile};
use crate::profile::{Files, Library};
use crate::rules::{Each, Rubric};
use crate::value::yaml::parse;

fn specimens() -> Each {
    let file = Library::embedded().read("rules/rubrics/clinical.yaml").unwrap().unwrap();
    each(file.text())
}

fn each(rubric: &str) -> Each {
    let mut problems = Problems::new();
    let root = parse(&SourceFile::new("r.yaml", rubric), &mut problems).unwrap();
    let rubric = Rubric::read_mapping(&root, &mut problems).unwrap();
    assert_eq!(problems.error_count(), 0);
    rubric.each.into_values().next().unwrap()
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
    let each = specimens();
    let kinds: [fn(usize) -> String; 6] = [
        |at| format!("{}. Skin\n", char::from(b'A' + u8::try_from(at % 26).unwrap())),
        |at| format!("{}. Skin\n", char::from(b'Z' - u8::try_from(at % 26).unwrap())),
        |at| format!("{}. Skin, biopsy: nevus\n", at % 999 + 1),
        |_| "A-Z. Skin\nComment: none\n".to_owned(),
        |_| "A. Skin\nB. Back\nGross description:\n".to_owned(),
        |_| "A. B. ".to_owned(),
    ];
    for (number, kind) in kinds.iter().enumerate() {
        let steps = |headings: usize| {
            let text: String = (0..headings).map(kind).collect();
            let parts = Parts::find(&text, &each);
            let kept: usize = parts.iter().flat_map(|part| &part.stretches).map(ExactSizeIterator::len).sum();
            assert!(kept <= 4 * text.len(), "{number}");
            parts.steps()
        };
        let (some, many) = (steps(2_000), steps(if number == 0 { 100_000 } else { 20_000 }));
        assert!(many <= if number == 0 { 60 } else { 12 } * some, "{number}: {some} and then {many}");
    }
}

#[test]
fn labels_may_be_words() {
    let each = each(
        "types: { note: {} }\neach:\n  side: { types: [note], list: sides, headings: ['^(?P<label>left|right) breast:'], ends: ['^Impression'] }\n",
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
