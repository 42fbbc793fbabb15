//! What must hold for every text and value.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn ground(text: &str, key: &str, value: &Value) -> Option<Match> {
    let vocabulary =
        Vocabulary::new([("grade", vec!["histologic grade"]), ("ER", vec!["estrogen receptor"])]);
    let source = SourceIndex::new(text, &vocabulary);
    let candidate = json!({ key: value });
    let mut found = None;
    Grounder::ground_all(
        &candidate,
        &vocabulary,
        &source,
        Settings::default(),
        &mut Scratch::default(),
        &crate::value::Fuel::of(u64::MAX),
        |_, result| found = result,
    );
    found
}

/// Everything that is found for `candidate`.
fn ground_with(
    scratch: &mut Scratch,
    vocabulary: &Vocabulary,
    source: &SourceIndex,
    candidate: &Value,
) -> Vec<(String, Option<Match>)> {
    let mut all = Vec::new();
    Grounder::ground_all(
        candidate,
        vocabulary,
        source,
        Settings::default(),
        scratch,
        &crate::value::Fuel::of(u64::MAX),
        |leaf, result| all.push((leaf.pointer.to_owned(), result)),
    );
    all
}

/// Few keys and values, so that they come again beside each other and elsewhere.
fn candidate() -> impl Strategy<Value = Value> {
    let key = || {
        prop_oneof![Just("grade"), Just("ER"), Just("tumor"), Just("value"), Just("sizeMm"), Just("tumors")]
    };
    let leaf = prop_oneof![
        Just(json!("positive")),
        Just(json!("2")),
        Just(json!(2)),
        Just(json!("carcinoma")),
        Just(json!("0.2 cm")),
        Just(json!(null)),
    ];
    let label = prop_oneof![Just("ER"), Just("tumor"), Just("nodule")];
    let row = (
        proptest::option::of(label),
        key(),
        leaf.clone(),
        proptest::option::of(prop_oneof![Just("mm"), Just("cm")]),
    )
        .prop_map(|(label, key, leaf, unit)| {
            let mut row = serde_json::Map::new();
            row.extend(label.map(|label| ("name".to_owned(), json!(label))));
            row.insert(key.to_owned(), leaf);
            row.extend(unit.map(|unit| ("unit".to_owned(), json!(unit))));
            Value::Object(row)
        });
    let field = prop_oneof![
        3 => leaf,
        1 => row.clone(),
        1 => proptest::collection::vec(row, 1..3).prop_map(Value::Array),
    ];
    let fields = proptest::collection::vec((key(), field), 1..5);
    (fields, proptest::bool::weighted(0.2)).prop_map(|(fields, is_listed)| {
        let fields = Value::Object(fields.into_iter().map(|(key, field)| (key.to_owned(), field)).collect());
        if is_listed { Value::Array(vec![fields]) } else { fields }
    })
}

fn folded(text: &str) -> String {
    let mut out = String::new();
    fold::fold_str(text, &mut |c| {
        if c.is_alphanumeric() {
            out.push(c)
        }
    });
    out
}

/// Long words of several scripts, numbers and punctuation; no word that needs its field's name.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        5 => "[a-zA-Zçğıİöşüáéíñßœﬁ]{6,14}",
        1 => "[a-z]{1,3}",
        1 => "[0-9]{1,4}",
        1 => "[0-9]{1,2}[.,][0-9]{1,2} ?(cm|mm|%)",
        1 => "[α-ωа-я]{6,9}",
    ];
    let gap =
        prop_oneof![8 => Just(" "), 1 => Just("\r\n"), 1 => Just(", "), 1 => Just(". "), 1 => Just(" (")];
    proptest::collection::vec((word, gap), 1..40)
        .prop_map(|parts| parts.into_iter().map(|(word, gap)| word + gap).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1 << 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_piece_of_the_text_is_grounded_in_it(text in text(), from in 0_usize..40, len in 1_usize..12) {
        let starts: Vec<usize> = text.split_whitespace().map(|word| word.as_ptr() as usize - text.as_ptr() as usize).collect();
        let words: Vec<&str> = text.split_whitespace().collect();
        let from = from % words.len();
        let last = (from + len - 1).min(words.len() - 1);
        let piece = &text[starts[from]..starts[last] + words[last].len()];
        // Twelve letters in one word: what needs no name beside it.
        prop_assume!(words[from..=last].iter().any(|word| token::letters(word) >= 6) && token::letters(piece) >= 12);
        // A unit or comparison cut off at the edge changes what the number there means.
        prop_assume!(!piece.chars().next().unwrap().is_ascii_digit() && piece.chars().any(char::is_alphabetic));
        prop_assume!(!words[last].ends_with(|c: char| c.is_ascii_digit()) && !words[from].starts_with('%') && !words[from].starts_with("cm") && !words[from].starts_with("mm"));
        prop_assume!(words.iter().all(|word| words::listed(&folded(word)).is_none()));
        let found = ground(&text, "field", &json!(piece));
        prop_assert!(found.is_some(), "{piece:?}");
        let found = found.unwrap();
        prop_assert_eq!(folded(&text[found.bytes.clone()]), folded(piece));
        let chars: String = text.chars().skip(found.chars.start).take(found.chars.len()).collect();
        prop_assert_eq!(chars, &text[found.bytes]);
    }

    #[test]
    fn spans_end_where_words_end(text in text(), value in "[a-zA-Z]{1,9}( [a-z0-9]{1,6}){0,2}", at in 0_usize..400) {
        let cut: String = text.chars().skip(at % text.chars().count()).take(12).collect();
        for value in [value, cut] {
            if let Some(found) = ground(&text, "grade", &json!(value)) {
                let (before, after) = (text[..found.bytes.start].chars().next_back(), text[found.bytes.end..].chars().next());
                let inside = &text[found.bytes];
                let joined = |a: Option<char>, b: Option<char>| a.zip(b).is_some_and(|(a, b)| {
                    (a.is_alphabetic() && b.is_alphabetic()) || (a.is_numeric() && b.is_numeric())
                });
                prop_assert!(!joined(before, inside.chars().next()) && !joined(inside.chars().next_back(), after), "{inside:?} in {text:?}");
            }
        }
    }

    #[test]
    fn what_is_kept_changes_nothing(candidates in proptest::collection::vec((candidate(), 0_usize..4), 1..12)) {
        let vocabularies = [
            Vocabulary::new([("grade", vec!["histologic grade"]), ("ER", vec!["estrogen receptor"])]),
            Vocabulary::new([("tumor", vec!["nodule"])]),
        ];
        let texts = [
            "Tumor: 2. Grade: 2. ER positive, nodule 0.2 cm. Carcinoma.",
            "Value 2 mm, ER 2 positive; tumors: carcinoma, grade positive. Size 2 mm. Nodule: positive",
        ];
        let sources: Vec<SourceIndex> =
            vocabularies.iter().flat_map(|names| texts.map(|text| SourceIndex::new(text, names))).collect();
        let mut kept = Scratch::default();
        for (candidate, at) in candidates {
            let (names, source) = (&vocabularies[at / 2], &sources[at]);
            let found = ground_with(&mut kept, names, source, &candidate);
            prop_assert_eq!(&found, &ground_with(&mut Scratch::default(), names, source, &candidate));
            prop_assert_eq!(&found, &ground_with(&mut kept, names, source, &candidate));
        }
    }

    #[test]
    fn a_number_that_is_not_there_is_not_found(numbers in proptest::collection::vec(0_u32..3000, 1..12), probe in 0_u32..3000, unit in prop_oneof![Just(""), Just(" cm"), Just("%"), Just("mm")]) {
        let text: String = numbers.iter().map(|n| format!("grade: {n}{unit}. ")).collect();
        let found = ground(&text, "grade", &json!(probe));
        prop_assert_eq!(found.is_some(), numbers.contains(&probe), "{}", text);
        if !numbers.contains(&probe) {
            prop_assert_eq!(ground(&text, "grade", &json!(format!("{probe}{unit}"))), None);
        }
    }

    #[test]
    fn nothing_panics(text in "\\PC{0,80}", value in "\\PC{0,12}", key in "\\PC{0,8}", from in 0_usize..80, len in 0_usize..30) {
        let cut: String = text.chars().skip(from).take(len).collect();
        for value in [json!(value), json!(cut)] {
            if let Some(found) = ground(&text, &key, &value) {
                let chars: String = text.chars().skip(found.chars.start).take(found.chars.len()).collect();
                prop_assert_eq!(chars, &text[found.bytes]);
            }
        }
    }

    #[test]
    fn punctuation_heavy_text_never_panics(text in "[ -/:-@\\[-`0-9a-cxX\n\r\u{ad}%½²ﬁı\u{301}\u{a0}]{0,60}", value in "[0-9a-cxX.,%/ +-]{0,10}") {
        if let Some(found) = ground(&text, "grade", &json!(value)) {
            prop_assert!(text.get(found.bytes).is_some());
        }
    }
}
