//! Documents that are images or PDFs reach stages and judges in the form that each API documents.

use super::api::Api;
use super::runs::loopctl;
use super::server::{Script, Setup, Vendor};
use crate::workspace::{Ran, Workspace};
use serde_json::json;

const PROFILE: &str = "
description: Reads what is printed on a scan.
classify: null
stages:
  - { id: read, provider: none-yet, prompt: read.md, output: schemas/read.schema.json, attach: document }
judges:
  look: { provider: none-yet, prompt: look.md, output: schemas/look.schema.json, attach: document }
assess: { right: { judge: look, score: /score } }
overall: { from: right }
accept: { overall: 0.9 }
stop: { max_iterations: 3 }
";

fn place(name: &str, bytes: &[u8]) -> Workspace {
    let place = Workspace::new();
    place.write("profiles/scan.yaml", PROFILE);
    place.write("prompts/read.md", "Read the number on this document. It is {{ source }}.");
    place.write("prompts/look.md", "Does the number stand on this document? {{ candidate }} {{ source }}");
    let schema = |name: &str, kind: &str| {
        json!({ "type": "object", "properties": { name: { "type": kind } }, "required": [name],
            "additionalProperties": false })
        .to_string()
    };
    place.write("schemas/read.schema.json", schema("number", "string"));
    place.write("schemas/look.schema.json", schema("score", "number"));
    place.write(name, bytes);
    place
}

fn read(api: Api, name: &str, kind: &str, bytes: &[u8]) {
    let place = place(name, bytes);
    let mut script = Script::default();
    for (number, score) in [("41", 0.1), ("42", 1.0)] {
        script.add("read", json!({ "number": number }));
        script.add("look", json!({ "score": score }));
    }
    let vendor = Vendor::start(Setup { api, key: None, script, faults: Vec::new() });
    let stage = format!("stages.0.provider={}:read", api.name());
    let judge = format!("judges.look.provider={}:look", api.name());
    let arguments =
        ["run", "--profile", "scan", "--format", "json", "--config", &stage, "--config", &judge, name];
    let ran = Ran::of(&mut loopctl(&place, api, &vendor, Some("a-key-that-nobody-may-see"), &arguments));
    assert_eq!(vendor.complaints(), Vec::<String>::new(), "{kind} at {}", api.name());
    let result = ran.exits(0).json();
    assert_eq!(result["best_extraction"], json!({ "number": "42" }));
    assert_eq!(result["review"], false, "{result}");
    assert_eq!(vendor.calls(), 4);
    for seen in vendor.seen() {
        let asked = seen.asked.unwrap();
        assert_eq!(
            asked.attached,
            [(kind.to_owned(), bytes.to_owned())],
            "{} at {}",
            asked.model,
            api.name()
        );
    }
}

#[test]
fn stages_and_judges_see_the_document_itself() {
    let pdf = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj <</Type /Catalog>> endobj\n".as_slice();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06".as_slice();
    let jpeg = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01".as_slice();
    std::thread::scope(|scope| {
        for api in [Api::OpenAi, Api::Azure, Api::Anthropic, Api::Gemini] {
            scope.spawn(move || {
                for (name, kind, bytes) in [
                    ("scan.pdf", "application/pdf", pdf),
                    ("scan.png", "image/png", png),
                    ("scan.jpg", "image/jpeg", jpeg),
                ] {
                    read(api, name, kind, bytes);
                }
            });
        }
    });
}

#[test]
fn a_judge_that_is_not_shown_the_document_is_not_asked_about_it() {
    let place = place("scan.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let seeing =
        "  look: { provider: none-yet, prompt: look.md, output: schemas/look.schema.json, attach: document }";
    assert!(PROFILE.contains(seeing));
    place.write("profiles/scan.yaml", PROFILE.replace(seeing, &seeing.replace(", attach: document", "")));
    let mut script = Script::default();
    script.add("read", json!({ "number": "41" }));
    script.add("look", json!({ "score": 1.0 }));
    let vendor = Vendor::start(Setup { api: Api::OpenAi, key: None, script, faults: Vec::new() });
    let arguments = [
        "run",
        "--profile",
        "scan",
        "--format",
        "json",
        "--config",
        "stages.0.provider=openai:read",
        "--config",
        "judges.look.provider=openai:look",
        "scan.png",
    ];
    let ran = Ran::of(&mut loopctl(&place, Api::OpenAi, &vendor, None, &arguments));
    // No one will answer about another candidate either.
    let result = ran.exits(1).json();
    assert_eq!(result["stop_reason"], "provider_error", "{result}");
    assert_eq!(result["review"], true, "{result}");
    assert!(result.to_string().contains("set `judges.look.attach` to `document`"), "{result}");
    assert!(result["warnings"].to_string().contains("no rule can look anything up"), "{result}");
    assert!(vendor.seen().iter().all(|seen| seen.asked.as_ref().is_some_and(|asked| asked.model == "read")));
}

#[test]
fn what_nothing_but_a_stage_has_seen_is_left_to_a_person() {
    let place = place("scan.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let (stages, _) = PROFILE.split_once("judges:").unwrap();
    let form = "assess: { form: { schema: schemas/read.schema.json } }\noverall: { from: form }\naccept: { overall: 0.9 }\nstop: { max_iterations: 1 }\n";
    place.write("profiles/scan.yaml", format!("{stages}{form}"));
    let mut script = Script::default();
    script.add("read", json!({ "number": "41" }));
    let vendor = Vendor::start(Setup { api: Api::Gemini, key: None, script, faults: Vec::new() });
    let arguments = ["run", "--profile", "scan", "--provider", "gemini:read", "--format", "json", "scan.png"];
    let ran = |more: &[&str]| {
        let arguments = [&arguments[..], more].concat();
        Ran::of(&mut loopctl(&place, Api::Gemini, &vendor, None, &arguments))
    };
    let result = ran(&[]).exits(3).json();
    assert_eq!(result["review"], true, "{result}");
    // A user who asks for it gets it, and a person inspects it all the same.
    let result = ran(&["--config", "accept.unseen=true"]).exits(0).json();
    assert_eq!((&result["final_status"], &result["review"]), (&json!("passed"), &json!(true)), "{result}");
}
