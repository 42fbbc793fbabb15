//! Text that is not quite JSON, read as what it means.

use loopctl::profile::Repair;
use loopctl::repair::{RepairKind, Repairer, Unsalvageable, apply, salvage, salvage_bytes};
use loopctl::value::{MAX_CANDIDATE_DEPTH, canonical, is_deeper};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[track_caller]
fn reads(text: &str, expected: &Value, kinds: &[RepairKind]) {
    let salvaged = salvage(text).unwrap_or_else(|why| panic!("{text}: {why}"));
    assert_eq!(canonical(&salvaged.value), canonical(expected), "{text}");
    let found: Vec<RepairKind> = salvaged.steps.iter().map(|step| step.kind).collect();
    assert_eq!(found, kinds, "{text}");
    // The patch puts the value in place of the text, regardless of its content.
    let mut value = Value::from(text);
    for step in &salvaged.steps {
        apply(&mut value, &step.patch).unwrap();
    }
    if !salvaged.steps.is_empty() {
        assert_eq!(value, salvaged.value, "{text}");
    }
}

#[test]
fn a_number_with_a_comma_stays_as_it_is_written() {
    use RepairKind::*;
    for (text, expected, kinds) in [
        (r#"{"dose": 1,500, "u": 2}"#, json!({"dose": "1,500", "u": 2}), &[NumberAsText][..]),
        (r#"{"size": 1,5 cm, "u": 2}"#, json!({"size": "1,5 cm", "u": 2}), &[UnquotedText]),
        (r#"{"u": 2, "n": -1,500,000.5}"#, json!({"u": 2, "n": "-1,500,000.5"}), &[NumberAsText]),
        (r#"{"n": 1, 500}"#, json!({"n": "1, 500"}), &[NumberAsText]),
        (r#"{"n": 1,500 "u": 2}"#, json!({"n": "1,500", "u": 2}), &[NumberAsText, MissingComma]),
        (r#"{"n": 1,500 'u': 2}"#, json!({"n": "1,500", "u": 2}), &[NumberAsText, MissingComma, Quotes]),
        ("{\"n\": 1,500\n\"u\": 2}", json!({"n": "1,500", "u": 2}), &[NumberAsText, MissingComma]),
        (r#"{"n": 1,5"#, json!({"n": "1,5"}), &[NumberAsText, Truncated]),
        // Where a key can begin, it does.
        (r#"{"n": 1,2: 3}"#, json!({"n": 1, "2": 3}), &[UnquotedKey]),
        (r#"{"n": 1, 2": 3}"#, json!({"n": 1, "2": 3}), &[UnquotedKey]),
        (r#"{"n": 1,"2": 3,}"#, json!({"n": 1, "2": 3}), &[TrailingComma]),
        (r#"{"n": [1,500], u: 1}"#, json!({"n": [1, 500], "u": 1}), &[UnquotedKey]),
        ("{1, 500}", json!([1, 500]), &[UnquotedKey, Tuple]),
    ] {
        let salvaged = salvage(text).unwrap();
        let mut found: Vec<RepairKind> = salvaged.steps.iter().map(|step| step.kind).collect();
        let mut kinds = kinds.to_vec();
        found.sort_unstable();
        kinds.sort_unstable();
        assert_eq!((salvaged.value, found), (expected, kinds), "{text}");
    }
}

#[test]
fn a_key_that_lacks_its_first_quote_may_have_a_wide_second_one() {
    use RepairKind::*;
    reads("{“a”: 1, b”: 2}", &json!({"a": 1, "b": 2}), &[Quotes, UnquotedKey]);
    reads("{\"a\": 1, b´ : 2}", &json!({"a": 1, "b": 2}), &[UnquotedKey]);
}

#[test]
fn what_is_in_a_code_block_wins_over_prose_that_looks_like_a_value() {
    use RepairKind::*;
    let answer = json!({"a": 1});
    for prose in
        ["{thinking about it}. The answer:", "[1, 2] say so:", "{\"plan\": \"read\"}\nNow the answer"]
    {
        reads(&format!("{prose}\n```json\n{answer}\n```\n"), &answer, &[Prose, Fence]);
    }
    // Quotes behind what is whole are none of its own, nor need a block that names its language be told apart by words.
    for prose in ["{\"a\": 0}\nI don't know, but:", "{\"a\": 0} is the \"first\" answer, this the last:"] {
        reads(&format!("{prose}\n```json\n{answer}\n```\n"), &answer, &[Prose, Fence]);
    }
    reads("{\"a\": 0}\n```json\n{\"a\": 1}\n```", &answer, &[Prose, Fence]);
    reads("{\"thought\": 1}\n```json\n{\"a\": 1", &answer, &[Prose, Fence, Truncated]);
    // A code block inside of JSON is a part of it.
    let inner = json!({"code": "see\n```json\n{\"b\": 2}\n```", "a": 1});
    reads(&inner.to_string(), &inner, &[]);
    let broken = "{\"code\": \"see\n```json\n{\\\"b\\\": 2}\n```\", \"a\": 1}";
    assert_eq!(salvage(broken).unwrap().value["a"], 1);
}

#[test]
fn members_after_the_end_of_their_object_are_kept() {
    use RepairKind::*;
    let both = json!({"a": "x", "b": "y"});
    for (text, expected, kinds) in [
        (r#"{"a": "x"}, "b": "y"}"#, &both, &[Reunited][..]),
        (r#"{"a": "x"}, "b" "y"}"#, &both, &[Reunited, MissingColon]),
        (r#"{"a": "x"}, "b" "y", "c": 1}"#, &json!({"a": "x", "b": "y", "c": 1}), &[Reunited, MissingColon]),
        // Two texts of a list, or quotes in prose, are no member.
        (r#"[{"a": "x"}, "b" "y"]"#, &json!([{"a": "x"}, "b", "y"]), &[MissingComma]),
        (r#"{"a": "x"}, "b" "y" as before."#, &json!({"a": "x"}), &[Prose]),
    ] {
        reads(text, expected, kinds);
    }
}

#[test]
fn digits_that_are_lost_are_said() {
    let rounded: Value = serde_json::from_str("12345678901234567890123").unwrap();
    for (text, value, kinds) in [
        ("{\"a\": 12345678901234567890123}", json!({"a": rounded}), &[RepairKind::LostDigits][..]),
        (
            "Look: {\"a\": 12345678901234567890123} Well?",
            json!({"a": rounded}),
            &[RepairKind::Prose, RepairKind::LostDigits],
        ),
        // Where something is wrong anyway, the digits stay as text.
        (
            "{a: 12345678901234567890123}",
            json!({"a": "12345678901234567890123"}),
            &[RepairKind::UnquotedKey, RepairKind::NumberAsText],
        ),
        (
            "[+12345678901234567890123, 12345678901234567890]",
            json!(["+12345678901234567890123", 12_345_678_901_234_567_890_u64]),
            &[RepairKind::NumberAsText],
        ),
        ("{\"a\": 100000000000000000000}", json!({"a": 1e20}), &[]),
    ] {
        reads(text, &value, kinds);
    }
    let step = &salvage("[1,\n 12345678901234567890123, 12345678901234567890123]").unwrap().steps[0];
    assert_eq!((step.place.unwrap().line, step.place.unwrap().column, step.times), (2, 2, 2));
    let strict = Repairer::without_schema(Repair { salvage: false, ..Repair::default() });
    assert_eq!(strict.read("12345678901234567890123").unwrap().steps[0].kind, RepairKind::LostDigits);
}

#[test]
fn every_kind_of_damage_is_repaired_and_named() {
    use RepairKind::*;
    let one = json!({"a": 1});
    for (text, expected, kinds) in [
        ("\u{feff}{\"a\": 1}", &one, &[ByteOrderMark][..]),
        ("{\"a\":\u{a0}1}", &one, &[OddSpace]),
        (r#"{\"a\": 1}"#, &one, &[EscapedText]),
        ("```json\n{\"a\": 1}\n```", &one, &[Fence]),
        ("```json\n{\"a\": 1}", &one, &[Fence]),
        ("Here you go: {\"a\": 1} Anything else?", &one, &[Prose]),
        ("{\"a\": 1 /* one */}", &one, &[Comment]),
        ("{\"a\": 1 // one\n}", &one, &[Comment]),
        ("{\"a\": 1 #one\n}", &one, &[Comment]),
        ("{ -- one\n\"a\": 1}", &one, &[Comment]),
        ("{\"a\": <!-- one --> 1}", &one, &[Comment]),
        ("{\\n \"a\": 1\\n}", &one, &[EscapedSpace]),
        ("\u{1b}[32m{\"a\"\u{1b}[0m: 1}", &one, &[TerminalEscape]),
        ("{\"a\"：1}", &one, &[FullWidth]),
        ("<think>{\"a\": 2}</think>{\"a\": 1}", &one, &[Thinking]),
        ("{\"a\": \"\"x\"}", &json!({"a": "x"}), &[RepeatedQuotes]),
        ("{\"a\": \"x\"\", \"b\": 1}", &json!({"a": "x", "b": 1}), &[RepeatedQuotes]),
        ("{\"a\": \"x\"b\": 1}", &json!({"a": "x", "b": 1}), &[MissingQuote, MissingComma]),
        ("```json\n{\"a\": 1\n```", &one, &[Fence, MissingBracket]),
        ("{ # one\n\"a\": 1}", &one, &[Comment]),
        ("{\"a\": 1, ...}", &one, &[Ellipsis, TrailingComma]),
        ("{\"a\": 1,}", &one, &[TrailingComma]),
        ("{,\"a\": 1}", &one, &[ExtraComma]),
        ("{'a': 1}", &one, &[Quotes]),
        ("{“a”: 1}", &one, &[Quotes]),
        ("{\"\"a\"\": 1}", &one, &[RepeatedQuotes]),
        ("{a: 1}", &one, &[UnquotedKey]),
        ("{\"a\" 1}", &one, &[MissingColon]),
        ("{\"a\": 1", &one, &[Truncated]),
        ("{\"a\": 1]", &one, &[WrongBracket]),
        ("{\"a\": 1}}]", &one, &[ExtraBracket]),
        ("{\"a\": 1_000}", &json!({"a": 1000}), &[NumberForm]),
        ("{\"a\": +.5}", &json!({"a": 0.5}), &[NumberForm]),
        ("{\"a\": 2.", &json!({"a": 2}), &[CutNumber, Truncated]),
        ("{\"a\": 007}", &json!({"a": "007"}), &[NumberAsText]),
        ("{\"a\": 1e999}", &json!({"a": "1e999"}), &[NumberAsText]),
        ("{\"a\": NaN, \"b\": -Infinity}", &json!({"a": null, "b": null}), &[NotANumber]),
        ("{\"a\": True, \"b\": None}", &json!({"a": true, "b": null}), &[Literal]),
        ("{\"a\": two words}", &json!({"a": "two words"}), &[UnquotedText]),
        ("{\"a\": 5 mg}", &json!({"a": "5 mg"}), &[UnquotedText]),
        ("{\"a\": \"x\ny\"}", &json!({"a": "x\ny"}), &[UnescapedControl]),
        (r#"{"a": "say "x" now"}"#, &json!({"a": "say \"x\" now"}), &[UnescapedQuote]),
        (r#"{"a": "C:\dir"}"#, &json!({"a": "C:\\dir"}), &[BadEscape]),
        (r#"{"a": "\ud800"}"#, &json!({"a": "\u{fffd}"}), &[BadCharacter]),
        (r#"{"a": "x" + "y"}"#, &json!({"a": "xy"}), &[Concatenation]),
        (r#"{"a": "x, "b": "y"}"#, &json!({"a": "x", "b": "y"}), &[MissingQuote]),
        (r#"{"a": "x"#, &json!({"a": "x"}), &[Truncated]),
        ("{\"a\": }", &json!({"a": null}), &[MissingValue]),
        ("{\"a\": 1 \"b\": 2}", &json!({"a": 1, "b": 2}), &[MissingComma]),
        ("[1 2]", &json!([1, 2]), &[MissingComma]),
        ("[{\"a\": 1, {\"a\": 2}]", &json!([{"a": 1}, {"a": 2}]), &[MissingBracket, MissingComma]),
        ("{\"a\": 1}, \"b\": 2}", &json!({"a": 1, "b": 2}), &[Reunited]),
        ("{\"a\": 0, \"a\": 1,}", &one, &[DuplicateKey, TrailingComma]),
        ("(1, 2)", &json!([1, 2]), &[Tuple]),
        ("{'x', 'y'}", &json!(["x", "y"]), &[Quotes, Tuple]),
        ("callback({\"a\": 1});", &one, &[Prose, ExtraBracket]),
        ("{\"a\": Number(1)}", &one, &[Call]),
        ("{\"a\": 1}\n{\"a\": 2}", &json!([{"a": 1}, {"a": 2}]), &[SeveralValues]),
        ("{'a': {'b': 'hi'}}\n and this", &json!({"a": {"b": "hi"}}), &[Quotes, Prose]),
        ("First {\"a\": 0}, no: {\"a\": 1}", &one, &[Prose, Superseded]),
        ("{\"a\": 1} {}", &one, &[Beside]),
        ("as in [7]: {\"a\": 1}", &one, &[Prose, Beside]),
    ] {
        reads(text, expected, kinds);
    }
}

#[test]
fn steps_say_where_and_how_often() {
    let salvaged = salvage("{\n  'a': 1,\n  'b': 2,\n}").unwrap();
    let steps: Vec<_> = salvaged
        .steps
        .iter()
        .map(|step| (step.kind, step.place.map(|at| (at.line, at.column)), step.times))
        .collect();
    assert_eq!(steps, [(RepairKind::Quotes, Some((2, 3)), 2), (RepairKind::TrailingComma, Some((3, 9)), 1)]);
    let (last, before) = salvaged.steps.split_last().unwrap();
    assert!(before.iter().all(|step| step.patch.is_empty()) && last.patch.len() == 1);
}

#[test]
fn strict_json_is_left_alone() {
    for text in ["{\"a\": [1, 2.50, null, true, \"\\u00e9\"]}", " [] ", "\"text\"", "0", "{\"a\":1,\"a\":2}"]
    {
        let salvaged = salvage(text).unwrap();
        assert_eq!(salvaged.value, serde_json::from_str::<Value>(text).unwrap());
        assert!(salvaged.steps.is_empty() && salvaged.several.is_empty());
    }
}

#[test]
fn nothing_is_made_of_nothing() {
    for text in ["", " \n\t", "\u{feff}"] {
        assert_eq!(salvage(text).unwrap_err(), Unsalvageable::Empty, "{text:?}");
    }
    for text in [
        "I'm sorry, I can't help with that.",
        "Sorry, no.",
        "No JSON here; see [the manual](x.md).",
        "```\n```",
        "\"",
        "-",
        "]",
        "...",
    ] {
        assert_eq!(salvage(text).unwrap_err(), Unsalvageable::NoJson, "{text:?}");
    }
}

#[test]
fn no_nesting_is_too_deep_to_be_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("(", ")"), ("{", "}"), ("f(", ")"), ("{[", "]}")] {
        for depth in [45, 200, 100_000] {
            for text in [open.repeat(depth), format!("{}1{}", open.repeat(depth), close.repeat(depth))] {
                match salvage(&text) {
                    Ok(salvaged) => assert!(!is_deeper(&salvaged.value, MAX_CANDIDATE_DEPTH)),
                    Err(why) => assert!(depth > 45, "{open} {depth}: {why}"),
                }
            }
        }
    }
}

#[test]
#[ignore = "long"]
fn what_takes_long_to_read_is_long() {
    // Each would take minutes, were anything read again for each of its characters.
    for piece in [
        "\"",
        "\\\"",
        "'a",
        "{\"a\":",
        "[\"a,",
        "\"a, \"b",
        "```",
        "/*",
        "{a",
        "a: ",
        ",",
        "}",
        "...",
        "[x](y) ",
        "\"a\" + ",
        "\"a,b\"c",
        "<think>",
        "</think>",
        "<think>{\"a\": ",
        "{\"a\": \"</think>",
        "#a",
        "--a\n",
        "<!--",
        "\\n",
        "\u{1b}[",
        "，",
        "\"\"a",
        "\"a\"b\": ",
        "[\"a\" {",
        "{\"a\": 1} x ",
        "<|channel|>a<|message|>",
        "a [b\n",
    ] {
        for text in [
            piece.repeat(40_000),
            format!("[\"{}]", piece.repeat(40_000)),
            format!("{{\"k\": \"{}}}", piece.repeat(40_000)),
        ] {
            let _ = salvage(&text);
        }
    }
}

#[test]
fn bytes_are_decoded() {
    let utf16: Vec<u8> =
        [0xfeff_u16].into_iter().chain("{\"a\": 1}".encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let salvaged = salvage_bytes(&utf16).unwrap();
    assert_eq!((salvaged.value, salvaged.steps[0].kind), (json!({"a": 1}), RepairKind::Encoding));
    let salvaged = salvage_bytes(b"{\"a\": \"\xff\"}").unwrap();
    assert_eq!((salvaged.value, salvaged.steps[0].kind), (json!({"a": "\u{fffd}"}), RepairKind::Encoding));
    assert!(salvage_bytes(b"[1]").unwrap().steps.is_empty());
}

fn corpus(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpora/llm_json").join(name);
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns whether a value other than the record's is at least as sensible.
fn differs_on_purpose(record: &Value) -> bool {
    // `-` and `.` are no numbers, and prose is no JSON. A key without a value has none, and not `""`.
    matches!(
        record["input"].as_str(),
        Some("-" | "." | "[-," | "[- " | "She said: no way" | "a\nb" | "False" | "Null")
    ) || canonical(&record["expected_value"]).contains("\"\"")
}

#[test]
fn the_selection_of_the_corpus_is_salvaged() {
    let records = corpus("repair_cases.jsonl");
    let agreeing = records.iter().filter(|record| agrees(record)).count();
    let disagreeing: Vec<String> = records
        .iter()
        .filter(|record| !agrees(record) && !differs_on_purpose(record))
        .map(|record| record["input"].to_string())
        .collect();
    assert!(
        agreeing * 100 >= records.len() * 90,
        "{agreeing} of {}: {}",
        records.len(),
        disagreeing.join("\n")
    );
}

fn agrees(record: &Value) -> bool {
    salvage(record["input"].as_str().unwrap())
        .is_ok_and(|salvaged| canonical(&salvaged.value) == canonical(&record["expected_value"]))
}

/// With `LOOPCTL_LLM_JSON` naming a whole corpus: prints the share (`cargo test … -- --nocapture`).
#[test]
fn the_share_of_a_whole_corpus_is_printed() {
    let Some(path) = std::env::var_os("LOOPCTL_LLM_JSON").map(PathBuf::from) else { return };
    let text = std::fs::read_to_string(&path).unwrap();
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expecting: Vec<&Value> =
        records.iter().filter(|r| r.get("expected_value").is_some() && r.get("options").is_none()).collect();
    let agreeing = expecting.iter().filter(|record| agrees(record)).count();
    println!("{agreeing} of {} records are salvaged to the expected value", expecting.len());
    assert!(agreeing * 10 >= expecting.len() * 8);
}

#[test]
fn a_strict_parser_would_agree_on_what_is_strict() {
    for record in corpus("strict_parsing.jsonl") {
        let bytes = base64(record["bytes_base64"].as_str().unwrap());
        let result = salvage_bytes(&bytes);
        match record["expect"].as_str().unwrap() {
            "accept" => {
                let salvaged = result.unwrap_or_else(|why| panic!("{}: {why}", record["id"]));
                assert!(salvaged.steps.is_empty(), "{}: {:?}", record["id"], salvaged.steps);
            }
            "reject" => assert!(result.is_err() || !result.unwrap().steps.is_empty(), "{}", record["id"]),
            _ => {}
        }
    }
}

fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<usize> = text.chars().filter_map(|c| ALPHABET.find(c)).collect();
    let bytes = digits.chunks(4).flat_map(|group| {
        let bits = group.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - group.len()));
        [16, 8, 0]
            .into_iter()
            .map(move |by| u8::try_from(bits >> by & 0xff).unwrap())
            .take(group.len() * 6 / 8)
    });
    bytes.collect()
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ a-z\"',:{}\\[\\]\\\\\n]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,4}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// No text breaks the reader; what comes out is JSON that is left alone when it is read again.
    #[test]
    fn whatever_the_text_the_value_is_json(text in "[\\[\\]{}()\"'`,:/*#.\\\\a-e0-9nTNu\n +“’-]{0,60}") {
        if let Ok(salvaged) = salvage(&text) {
            prop_assert!(!is_deeper(&salvaged.value, MAX_CANDIDATE_DEPTH));
            let again = salvage(&salvaged.value.to_string()).unwrap();
            prop_assert!(again.steps.is_empty());
        }
    }

    #[test]
    fn whatever_the_bytes_nothing_breaks(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = salvage_bytes(&bytes);
    }

    /// JSON in a code block, with prose around it, is found as it is.
    #[test]
    fn what_is_wrapped_is_unwrapped(value in json_value()) {
        prop_assume!(value.is_object() || value.is_array());
        let text = format!("The result:\n```json\n{value:#}\n```\nI hope that helps.");
        prop_assert_eq!(salvage(&text).unwrap().value, value);
    }

    /// Strict JSON is not guessed at, regardless of the text around it.
    #[test]
    fn what_is_whole_stays_whole(value in json_value(), before in "[a-z .]{0,20}", after in "[a-z .,\n]{0,20}") {
        let value = json!({"value": value});
        for text in [format!("{before}{value}{after}"), format!("{before}{value:#}{after}")] {
            prop_assert_eq!(&salvage(&text).unwrap().value, &value);
        }
    }

    /// JSON cut off anywhere keeps the members that were whole.
    #[test]
    fn what_is_cut_keeps_its_beginning(value in json_value(), cut in 0.0..1.0_f64) {
        let whole = json!({"first": {"kept": [1, "two"]}, "rest": value}).to_string();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "lengths are small")]
        let at = 33 + (cut * (whole.len() - 33) as f64) as usize;
        prop_assume!(whole.is_char_boundary(at));
        let salvaged = salvage(&whole[..at]).unwrap();
        prop_assert_eq!(&salvaged.value["first"], &json!({"kept": [1, "two"]}));
    }
}
