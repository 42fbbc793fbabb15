//! Each row of the two tables of `docs/evidence.md`, over generated values, sentences and contexts.

use super::evidence::{assessed_with, support};
use loopctl::score::{Quotes, Support};
use proptest::prelude::*;
use serde_json::{Value, json};

fn config() -> ProptestConfig {
    ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() }
}

/// Sentences that say nothing of any field here.
fn filler() -> impl Strategy<Value = String> {
    let sentences = [
        "The specimen was received fresh.",
        "Sections were submitted in ten cassettes.",
        "The case was shown at a conference.",
        "Photographs were taken.",
        "",
    ];
    proptest::collection::vec(proptest::sample::select(sentences.to_vec()), 0..4)
        .prop_map(|some| some.join(" "))
}

/// A field that is present or not, and its name in the text.
fn finding() -> impl Strategy<Value = (&'static str, &'static str)> {
    proptest::sample::select(vec![
        ("lymphovascularInvasion", "lymphovascular invasion"),
        ("perineuralInvasion", "perineural invasion"),
        ("necrosis", "necrosis"),
        ("extranodalExtension", "extranodal extension"),
        ("dysplasia", "dysplasia"),
    ])
}

/// A grade, and writings of it.
fn grade() -> impl Strategy<Value = (&'static str, &'static str)> {
    proptest::sample::select(vec![
        ("1", "well differentiated"),
        ("1", "grade I of III"),
        ("2", "grade 2 of 3"),
        ("2", "moderately differentiated"),
        ("3", "grade 3 of 3"),
        ("3", "poorly differentiated"),
    ])
}

/// A date as candidates have it, and another writing of it.
fn date() -> impl Strategy<Value = (String, String)> {
    let months = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    (1990_u32..2030, 1_usize..=12, 13_u32..=28, 0_usize..4).prop_map(move |(year, month, day, writing)| {
        let name = months.get(month - 1).copied().unwrap_or_default();
        let written = match writing {
            0 => format!("{name} {day}, {year}"),
            1 => format!("{month}/{day}/{year}"),
            2 => format!("{day}.{month:02}.{year}"),
            _ => format!("{year}-{month:02}-{day:02}"),
        };
        (format!("{year}-{month:02}-{day:02}"), written)
    })
}

fn report(before: &str, sentence: &str, after: &str) -> String {
    format!("FINAL DIAGNOSIS: {before} {sentence} {after}\n")
}

fn of(text: &str, field: &str, value: &Value, quote: Option<&str>) -> Support {
    support(text, &json!({ field: value }), &format!("/{field}"), quote).0
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_a_passage_affirms_is_verified((field, name) in finding(), before in filler(), after in filler(), quoted: bool) {
        let sentence = format!("There is {name}.");
        let text = report(&before, &sentence, &after);
        let quote = quoted.then_some(sentence.as_str());
        prop_assert_eq!(of(&text, field, &json!("present"), quote), Support::Verified, "{}", text);
        prop_assert_ne!(of(&text, field, &json!("absent"), quote), Support::Verified, "{}", text);
    }

    #[test]
    fn what_a_passage_denies_is_contradicted_whatever_the_quote_leaves_out(
        (field, name) in finding(),
        denial in proptest::sample::select(vec!["No", "There is no", "No evidence of", "Negative for"]),
        before in filler(),
        after in filler(),
        whole: bool,
    ) {
        let sentence = format!("{denial} {name}.");
        let text = report(&before, &sentence, &after);
        let quote = if whole { sentence.as_str() } else { name };
        prop_assert_eq!(of(&text, field, &json!("present"), Some(quote)), Support::Contradicted, "{}", text);
        prop_assert_eq!(of(&text, field, &json!("absent"), Some(quote)), Support::Verified, "{}", text);
    }

    #[test]
    fn what_is_of_the_past_or_of_somebody_else_is_never_verified(
        (field, name) in finding(),
        lead in proptest::sample::select(vec!["History of", "Family history of", "Mother had"]),
        before in filler(),
    ) {
        let text = report(&before, &format!("{lead} {name}."), "");
        let found = of(&text, field, &json!("present"), Some(name));
        prop_assert_ne!(found, Support::Verified, "{}", text);
    }

    #[test]
    fn what_is_doubted_is_left_open(
        (field, name) in finding(),
        doubt in proptest::sample::select(vec!["Possible", "Suspicious for", "Findings suggestive of", "Cannot exclude"]),
        after in filler(),
    ) {
        let text = report("", &format!("{doubt} {name}."), &after);
        prop_assert_eq!(of(&text, field, &json!("present"), Some(name)), Support::Undecided, "{}", text);
    }

    #[test]
    fn an_invented_quote_supports_nothing((field, name) in finding(), word in "[a-z]{7,12}") {
        let text = report("", &format!("There is {name}."), "");
        let quote = format!("{word} {name} {word}");
        let found = support(&text, &json!({ field: "present" }), &format!("/{field}"), Some(&quote));
        prop_assert_eq!(found, (Support::Unsupported, Some("QUOTE_NOT_FOUND".to_owned())));
    }

    #[test]
    fn what_nothing_can_decide_is_quoted(words in proptest::collection::vec("[b-df-hj-np-tv-z]{8,10}", 3..6)) {
        let text = report("", "Left breast, mastectomy.", "");
        let value = words.join(" ");
        prop_assert_eq!(of(&text, "procedure", &json!(value), Some("Left breast, mastectomy")), Support::Undecided);
        prop_assert_eq!(of(&text, "procedure", &json!(value), None), Support::Unsupported);
    }

    #[test]
    fn final_mentions_that_differ_verify_nothing((one, said) in grade(), (two, other) in grade(), between in filler()) {
        let text = report("", &format!("Part A: adenocarcinoma, {said}. {between} Part B: adenocarcinoma, {other}."), "");
        for quote in [Some(said), None] {
            let found = of(&text, "grade", &json!(one), quote);
            let is_verified = found == Support::Verified;
            prop_assert!(matches!(found, Support::Verified | Support::Undecided | Support::Conflicting), "{}", text);
            prop_assert!(!is_verified || one == two, "{:?} {}", found, text);
        }
    }

    #[test]
    fn a_final_part_holds_over_a_preliminary_one((one, said) in grade(), (two, other) in grade()) {
        let text = format!("PRELIMINARY DIAGNOSIS: Histologic grade: {other}.\n\nFINAL DIAGNOSIS: Histologic grade: {said}.\n");
        let quote = format!("FINAL DIAGNOSIS: Histologic grade: {said}");
        let found = of(&text, "grade", &json!(one), Some(&quote));
        prop_assert!(matches!(found, Support::Verified | Support::Undecided), "{:?}: {}", found, text);
        if one != two {
            prop_assert_ne!(of(&text, "grade", &json!(two), Some(&format!("PRELIMINARY DIAGNOSIS: Histologic grade: {other}"))), Support::Verified, "{}", text);
        }
    }

    #[test]
    fn a_number_is_read_in_its_unit(millimetres in 2_u32..200, before in filler(), in_centimetres: bool) {
        let written = if in_centimetres { format!("{} cm", f64::from(millimetres) / 10.0) } else { format!("{millimetres} mm") };
        let text = report(&before, &format!("Tumor size: {written}."), "");
        for quote in [Some(format!("Tumor size: {written}")), None] {
            prop_assert_eq!(of(&text, "tumorSizeMm", &json!(millimetres), quote.as_deref()), Support::Verified, "{}", text);
        }
        prop_assert_ne!(of(&text, "tumorSizeMm", &json!(millimetres * 10), Some(&format!("Tumor size: {written}"))), Support::Verified, "{}", text);
    }

    #[test]
    fn a_date_is_read_in_any_writing((iso, written) in date(), (other, _) in date(), after in filler()) {
        let sentence = format!("Report date: {written}");
        let text = format!("{sentence}\n{after}\n");
        prop_assert_eq!(of(&text, "date", &json!(iso), Some(&sentence)), Support::Verified, "{}", text);
        if iso != other {
            prop_assert_ne!(of(&text, "date", &json!(other), Some(&sentence)), Support::Verified, "{}", text);
        }
    }

    #[test]
    fn a_quote_says_a_text_in_other_case_and_blanks(words in proptest::collection::vec("[a-z]{5,9}", 2..5), upper: bool) {
        let value = words.join(" ");
        let said = words.join("\n");
        let said = if upper { said.to_uppercase() } else { said };
        let text = format!("Procedure: {said}\n\nEnd.");
        prop_assert_eq!(of(&text, "procedure", &json!(value), Some(&said)), Support::Verified, "{}", text);
    }

    #[test]
    fn accuracy_is_the_mean_of_what_supports_count((field, name) in finding(), (value, said) in grade()) {
        let text = report("", &format!("No {name}. Adenocarcinoma, {said}."), "");
        let mut quotes = Quotes::default();
        quotes.add(&format!("/{field}"), name);
        quotes.add("/grade", said);
        let extraction = json!({ field: "present", "grade": value, "rawText": text });
        let out = assessed_with("pathology", &text, &extraction, &quotes);
        // What the host filled in counts neither way.
        let supports: Vec<Support> = out.evidence.iter().map(|(_, leaf)| leaf.support).collect();
        let counts = |support: &Support| match support {
            Support::Verified | Support::Entailed => 1.0,
            Support::Undecided | Support::Conflicting => 0.5,
            _ => 0.0,
        };
        prop_assert_eq!(supports.len(), 2);
        prop_assert!(supports.contains(&Support::Contradicted), "{}", text);
        let mean = supports.iter().map(counts).sum::<f64>() / 2.0;
        prop_assert_eq!(out.scores.get("accuracy").map(|score| score.get()), Some(mean), "{}", text);
    }
}
