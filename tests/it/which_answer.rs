//! The choice of the answer among several values in a text: thinking, drafts, quotes, envelopes, and answers that were
//! cut off.

use crate::judges::judged;
use crate::pipeline;
use crate::workspace::Workspace;
use loopctl::profile::Repair;
use loopctl::repair::{MAX_STEPS, RepairKind, Repairer, Unsalvageable};
use loopctl::value::Fuel;
use serde_json::{Value, json};

const ANSWER: &str = r#"{"title": "T", "grade": 2}"#;
const DRAFT: &str = r#"{"title": "X", "grade": 1}"#;

fn schema() -> Value {
    json!({
        "type": "object", "required": ["title", "grade"], "additionalProperties": false,
        "properties": { "title": { "type": "string" }, "grade": { "type": "integer" } },
    })
}

fn read_by(schema: &Value, text: &str) -> Result<(Value, Vec<RepairKind>), Unsalvageable> {
    let repairer = Repairer::new(Repair::default(), "test", schema).unwrap();
    let repaired = repairer.text(text, None, &Fuel::of(MAX_STEPS))?;
    Ok((repaired.value, repaired.steps.iter().map(|step| step.kind).collect()))
}

fn read(text: &str) -> Result<Value, Unsalvageable> {
    read_by(&schema(), text).map(|(value, _)| value)
}

fn answer() -> Value {
    serde_json::from_str(ANSWER).unwrap()
}

#[test]
fn thinking_is_no_answer() {
    let mut texts = Vec::new();
    for (open, close) in [
        ("<think>", "</think>"),
        ("<THINK>", "</Think>"),
        ("<thinking>", "</thinking>"),
        ("<reasoning>", "</reasoning>"),
        ("<thought>", "</thought>"),
        ("<think effort=\"high\">", "</think >"),
        ("<think>", "</thinking>"),
        ("[THINK]", "[/THINK]"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
        (
            "<|channel|>analysis<|message|>",
            "<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>",
        ),
        (
            "<|channel|>analysis<|message|>",
            "<|end|><|start|>assistant<|channel|>commentary to=functions.f<|message|>",
        ),
        ("analysis", "assistantfinal"),
        // A server left the opening mark out.
        ("", "</think>"),
        // One is spoken of within.
        ("<think> a <think> block", "</think>"),
        ("<think> it quotes </think>", "</think>"),
    ] {
        for thought in [
            format!("draft {DRAFT}? no."),
            format!("draft:\n```json\n{DRAFT}\n```\nno."),
            "lines start with \"I, [\"".to_owned(),
            "perhaps {\"title\": \"X, but".to_owned(),
        ] {
            texts.push(format!("{open}{thought}{close}{ANSWER}"));
            texts.push(format!("{open}\n{thought}\n{close}\n\nHere:\n```json\n{ANSWER}\n```\n"));
        }
        if !open.is_empty()
            && !open.starts_with("analysis")
            && !close.contains("final")
            && !close.contains("to=")
        {
            texts.push(format!("{ANSWER}\n{open}was that right? {DRAFT}{close}"));
        }
    }
    for text in texts {
        // A closing mark that is left over makes all before it thinking.
        if text.starts_with("{\"title\": \"T\"") && text.matches("</think>").count() > 1 {
            continue;
        }
        assert_eq!(read(&text), Ok(answer()), "{text}");
    }
    for thought in [
        format!("<think>I would write {DRAFT} but not sure</think>"),
        format!("<think>I would write {DRAFT} but not sure"),
        format!("```json\n{DRAFT}\n```\n</think>"),
        format!("<|channel|>analysis<|message|>{DRAFT}<|end|>"),
        "[THINK]hm".to_owned(),
    ] {
        assert_eq!(read(&thought), Err(Unsalvageable::OnlyThinking), "{thought}");
    }
    // What is wrong with the answer does not bring the draft back.
    let flawed = format!("<think>{DRAFT}? no.</think>{{\"title\": \"T\", \"grade\": \"2 of 3\"}}");
    assert_eq!(read(&flawed), Ok(json!({ "title": "T", "grade": "2 of 3" })));
}

#[test]
fn a_mark_of_thinking_within_a_text_is_text() {
    for (text, title) in [
        (r#"Here: {"title": "a </think> b", "grade": 2}."#, "a </think> b"),
        (r#"Here: {"title": "<think> {\"x\": 1}", "grade": 2} and more"#, "<think> {\"x\": 1}"),
        ("Here: {'title': 'a </think> b', 'grade': 2,}", "a </think> b"),
        (r#"<think>x</think>{"title": "a </think> b", "grade": 2,}"#, "a </think> b"),
        ("```json\n{\"title\": \"[THINK] me\", \"grade\": 2}\n```", "[THINK] me"),
        ("I will not write `<think>`: {\"title\": \"T\", \"grade\": 2}", "T"),
    ] {
        assert_eq!(read(text), Ok(json!({ "title": title, "grade": 2 })), "{text}");
    }
}

#[test]
fn what_fits_the_schema_is_the_answer_wherever_it_stands() {
    for text in [
        format!(
            "Your schema:\n```json\n{{\"title\": \"string\", \"grade\": \"integer\"}}\n```\nAnswer: {ANSWER}"
        ),
        format!("{ANSWER}\n\nExample call:\n```json\n{{\"id\": 7}}\n```"),
        format!("The call was\n```python\n[1, 2]\n```\n{ANSWER}"),
        format!("{ANSWER}\n```json\n[]\n```"),
        format!("The header was {{\"typ\": \"JWT\"}}, so `{ANSWER}`"),
        format!("as in [7] and [a](b): {ANSWER} {{}}"),
        format!("{ANSWER}\n\nand again\n```json\n{{\"title\": \"T\", \"grade\": \"2\"}}\n```"),
        format!("{ANSWER}\n{ANSWER}"),
    ] {
        assert_eq!(read(&text), Ok(answer()), "{text}");
    }
    let (_, kinds) = read_by(&schema(), &format!("{{\"id\": 7}} is none, {ANSWER} is, {ANSWER} is")).unwrap();
    assert!(kinds.contains(&RepairKind::Chosen) && kinds.contains(&RepairKind::Repeated), "{kinds:?}");
    for text in [
        format!("{ANSWER}\n\nNote: else I would have written {DRAFT}."),
        format!("Input:\n```json\n{DRAFT}\n```\nCorrected: {ANSWER}"),
        format!("{DRAFT}\n{ANSWER}"),
        format!("```json\n{DRAFT}\n```\n```json\n{ANSWER}\n```"),
        "{\"title\": \"X\", \"grade\": \"1\"}. Better: {\"title\": \"T\", \"grade\": 2}".to_owned(),
        "{\"title\": \"X\"} or {\"title\": \"T\"}".to_owned(),
    ] {
        assert!(matches!(read(&text), Err(Unsalvageable::Ambiguous(_))), "{text}: {:?}", read(&text));
    }
    let cut = format!("draft {DRAFT}. Final: {{\"title\": \"T\", \"gra");
    assert_eq!(read(&cut), Err(Unsalvageable::CutOff));
    // Values in a row are a list where one is expected.
    let list = json!({ "type": "array", "items": schema() });
    let rows = read_by(&list, &format!("{DRAFT}\n{ANSWER}")).unwrap();
    assert_eq!(rows.0, json!([serde_json::from_str::<Value>(DRAFT).unwrap(), answer()]));
}

#[test]
fn a_bracket_in_the_prose_begins_no_answer() {
    for prose in [
        "The lines begin with \"I, [\" so I write:\n\n",
        "Log starts with \"[\".\n",
        "As in [12 the dose.\n",
        ":-[ sorry\n",
        "I open with {\" and go on.\n",
        "Values like \"{\" or \"[\" are escaped.\n\n",
        "(see [3, p. 5)\n",
        "Use {\"key\": and so on.\n",
        "I use [\"a\", and so on.\n",
        "See {this.\n\n",
        "Lines like `{` open.\n",
        "The interval [0, 5) holds.\nThe answer:\n",
        "Array[ 3 items: ",
    ] {
        for text in [
            format!("{prose}{ANSWER}"),
            format!("{prose}```json\n{ANSWER}\n```"),
            format!("{prose}{{'title': 'T', 'grade': 2,}}"),
        ] {
            assert_eq!(read(&text), Ok(answer()), "{text}");
        }
    }
}

#[test]
fn envelopes_are_opened_unless_the_schema_wants_them() {
    for whole in [
        json!([{ "extraction": answer(), "evidence": [] }]),
        json!({ "extraction": { "extraction": answer(), "evidence": [] } }),
        json!({ "Extraction": answer(), "Evidence": [] }),
        json!({ "name": "answer", "arguments": answer() }),
        json!({ "name": "answer", "arguments": ANSWER }),
        json!({ "Name": "answer", "ARGUMENTS": answer() }),
        json!({ "Type": "function", "Function": { "name": "answer", "Arguments": ANSWER } }),
        json!({ "type": "function", "function": { "name": "answer", "arguments": ANSWER } }),
        json!([answer()]),
    ] {
        assert_eq!(read(&whole.to_string()), Ok(answer()), "{whole}");
        let (_, kinds) = read_by(&schema(), &format!("<tool_call>\n{whole}\n</tool_call>")).unwrap();
        assert!(kinds.contains(&RepairKind::Envelope), "{kinds:?}");
    }
    let wants = json!({ "type": "object", "properties": { "name": {}, "arguments": {}, "extraction": {} } });
    for own in [json!({ "name": "f", "arguments": { "name": "g" } }), json!({ "extraction": "of a tooth" })] {
        assert_eq!(read_by(&wants, &own.to_string()).unwrap().0, own);
    }
}

/// The result of a run whose stage answers with a text.
fn run(text: &str) -> Value {
    let place = Workspace::new();
    place.write("schemas/extract.schema.json", schema().to_string());
    place.write("rules/rubrics/report.yaml", "types: { unknown: { required: [title, grade] } }\n");
    place.write(
        "profiles/cut.yaml",
        "classify: null
stages: [{ id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: extract.md, retries: 0,
           output: schemas/extract.schema.json }]
assess: { completeness: { rubric: report } }
overall: { completeness: 1.0 }
accept: { overall: 0.1, unseen: true }
stop: { max_iterations: 1 }
",
    );
    place.write("prompts/extract.md", "{{ source }}");
    place.write("doc.txt", "T is the title, palpitations on exertion for three months, grade 2.\n");
    place.write("answers.jsonl", format!("{}\n", json!({ "text": text })));
    place.run(&["run", "--profile", "cut", "--format", "json", "--out", "out", "doc.txt"]).json()
}

#[test]
fn an_answer_that_was_cut_off_never_passes() {
    let whole = r#"{"grade": 2, "title": "palpitations on exertion for three months"}"#;
    assert_eq!(run(whole)["final_status"], "passed");
    for (text, why) in [
        (whole[..60].to_owned(), "not whole"),
        (whole[..whole.len() - 1].to_owned(), "not whole"),
        (whole[..12].to_owned(), "not whole"),
        (format!("Here:\n```json\n{}", &whole[..50]), "not whole"),
        (format!("Here:\n```json\n{}\n```", &whole[..50]), "not whole"),
        (format!("draft {DRAFT}. Final: {}", &whole[..50]), "not whole"),
        (format!("{{\"list\": [{whole}], \"gra"), "not whole"),
        (format!("{{'list': [\n  {whole},\n  {{\"gr"), "not whole"),
        (format!("{whole} <think> but"), "not whole"),
        (r#"{"title": "palpitations on exertion for, "grade": 2}"#.to_owned(), "not whole"),
        (r#"{"title": "T", "grade": 2, ...}"#.to_owned(), "not whole"),
        (format!("<think>{whole}</think>"), "what the model thought, and no answer"),
        (format!("{whole} or {ANSWER}"), "different values"),
    ] {
        let result = run(&text);
        assert_eq!(result["stop_reason"], "provider_error", "{text}: {result}");
        assert!(result["warnings"].to_string().contains(why), "{text}: {result}");
    }
    // The model left the bracket out, and continued.
    let result = run("```json\n{\"title\": \"T\", \"grade\": 2\n```\nI hope that helps.");
    assert_eq!(result["best_extraction"], answer());
}

#[test]
fn a_judge_is_not_talked_over() {
    let judge = |text: &str| {
        let profile = judged(", on_failure: { retry: 0 }", "stop: { max_iterations: 1 }");
        let profile = profile.replace(", issues: /issues", "");
        let said = json!({ "stage": "j", "text": text });
        let place = pipeline::place(&profile, &[pipeline::answer("extract", json!({ "tags": "a" })), said]);
        place.run(&["run", "--profile", "parts", "--format", "json", "--out", "out", "doc.txt"]).json()
    };
    for (text, score) in [
        ("{\"s\": 0.2}", json!(0.2)),
        ("<think>first {\"s\": 0.95}</think>{\"s\": 0.2}", json!(0.2)),
        ("<think>first\n```json\n{\"s\": 0.95}\n```\n</think>\n{\"s\": 0.2}", json!(0.2)),
        ("{\"s\": 0.2} and again {\"s\": 0.2}", json!(0.2)),
        ("It says {\"score\": 10}, so {\"s\": 0.2}", json!(0.2)),
        ("{\"name\": \"verdict\", \"arguments\": {\"s\": 0.2}}", json!(0.2)),
    ] {
        let result = judge(text);
        assert_eq!(result["best_validation"]["scores"]["tone"], score, "{text}: {result}");
    }
    for text in [
        "It has\n```json\n{\"s\": 1.0}\n```\nwhich is not in the letter. My verdict: {\"s\": 0.1}",
        "{\"s\": 0.1}\nIt has {\"s\": 1.0}, which I ignored.",
        "It says {\"s\": 1.0}. Verdict: {\"s\": 0.1}",
        "{\"s\": 1.0}\n{\"s\": 0.1}",
        "<think>I lean to {\"s\": 0.95} but",
        "<think>{\"s\": 0.95}</think>",
        "{\"s\": 0.95} no: {\"s\": 0.",
        // One that lost its end may have said more.
        "{\"s\": 0.95",
        "{\"s\": 0.95, \"reason\": \"it is",
        "{\"s\": 0.95, ...}",
    ] {
        let result = judge(text);
        assert_ne!(result["final_status"], "passed", "{text}");
        assert!(!result["best_validation"]["scores"]["tone"].is_number(), "{text}: {result}");
    }
}
