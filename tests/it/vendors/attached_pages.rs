//! Pictures of pages (`attach: pages`) reach stages and judges, and what was not shown to a judge is left to a person.

use super::api::{Api, Problem};
use super::runs::loopctl;
use super::server::{Fault, Script, Setup, Vendor, When};
use crate::workspace::{Ran, Workspace};
use loopctl::ingest::DocumentReader;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;

const KEY: &str = "a-key-that-nobody-may-see";

/// A profile that reads a number, with these attachments of its stage and its judge.
fn profile(stage: &str, judge: &str) -> String {
    format!(
        "description: Reads the number of an invoice.
classify: null
ingest: {{ ocr: false }}
stages:
  - {{ id: read, provider: 'openai:read', prompt: read.md, output: schemas/read.schema.json, retries: 0{stage} }}
judges:
  look: {{ provider: 'openai:look', prompt: look.md, output: schemas/look.schema.json{judge} }}
assess:
  right: {{ judge: look, score: /score }}
  found: {{ grounding: {{}} }}
overall: {{ from: right }}
accept: {{ overall: 0.9 }}
stop: {{ max_iterations: 2 }}
"
    )
}

fn place(stage: &str, judge: &str, name: &str, bytes: &[u8]) -> Workspace {
    let place = Workspace::new();
    place.write("profiles/scan.yaml", profile(stage, judge));
    place.write("prompts/read.md", "Read the number. The text is: {{ source }}");
    place.write("prompts/look.md", "Is the number right? {{ candidate }} {{ source }}");
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

/// A PDF of A4 pages, each with this content.
fn pdf(pages: &[String]) -> Vec<u8> {
    let mut objects = String::new();
    let mut kids = String::new();
    for (at, content) in pages.iter().enumerate() {
        let (page, stream) = (4 + 2 * at, 5 + 2 * at);
        write!(kids, "{page} 0 R ").unwrap();
        write!(
            objects,
            "{page} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {stream} 0 R/Resources<</Font<</F 3 0 R>>>>>>endobj
{stream} 0 obj<</Length {}>>stream\n{content}\nendstream endobj\n",
            content.len()
        )
        .unwrap();
    }
    let count = pages.len();
    format!(
        "%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[{kids}]/Count {count}>>endobj
3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Courier>>endobj
{objects}trailer<</Root 1 0 R>>
%%EOF
"
    )
    .into_bytes()
}

/// The content of a page with a line of text.
fn line(text: &str) -> String {
    format!("BT /F 14 Tf 60 700 Td ({text}) Tj ET")
}

/// The content of a page that is a picture and nothing else.
fn picture() -> String {
    "q 595 0 0 842 0 0 cm BI /W 2 /H 1 /CS /G /BPC 8 ID a0 EI Q".to_owned()
}

fn invoice() -> Vec<u8> {
    pdf(&["Invoice number: 4711", "Terms of payment", "Total: 18.50 EUR"].map(line))
}

/// A TIFF file with a page of 8 by 4 grey pixels for each shade.
fn tiff(shades: &[u8]) -> Vec<u8> {
    let mut file = vec![b'I', b'I', b'*', 0, 8, 0, 0, 0];
    for (at, shade) in shades.iter().enumerate() {
        let pixels = u32::try_from(file.len()).unwrap() + 2 + 8 * 12 + 4;
        let entries: [(u16, u16, u32); 8] = [
            (256, 3, 8),
            (257, 3, 4),
            (258, 3, 8),
            (259, 3, 1),
            (262, 3, 1),
            (273, 4, pixels),
            (278, 3, 4),
            (279, 4, 32),
        ];
        file.extend(8_u16.to_le_bytes());
        for (tag, kind, value) in entries {
            file.extend(tag.to_le_bytes());
            file.extend(kind.to_le_bytes());
            file.extend(1_u32.to_le_bytes());
            file.extend(value.to_le_bytes());
        }
        let next = if at + 1 == shades.len() { 0 } else { pixels + 32 };
        file.extend(next.to_le_bytes());
        file.extend([*shade; 32]);
    }
    file
}

fn vendor(api: Api, faults: Vec<(When, Fault)>) -> Vendor {
    let mut script = Script::default();
    script.add("read", json!({ "number": "4711" }));
    script.add("look", json!({ "score": 1.0 }));
    Vendor::start(Setup { api, key: None, script, faults })
}

fn run(place: &Workspace, vendor: &Vendor, more: &[&str]) -> Ran {
    let arguments = [&["run", "--profile", "scan", "--format", "json"], more].concat();
    let ran = Ran::of(&mut loopctl(place, Api::OpenAi, vendor, Some(KEY), &arguments));
    assert_eq!(vendor.complaints(), Vec::<String>::new());
    ran
}

/// The pictures that the calls to a model got, each with its media type.
fn attached(vendor: &Vendor, model: &str) -> Vec<Vec<(String, Vec<u8>)>> {
    let asked = vendor.seen().into_iter().filter_map(|seen| seen.asked);
    asked.filter(|asked| asked.model == model).map(|asked| asked.attached).collect()
}

/// The sides of a PNG file, and the lightest and darkest of its first channel.
fn decoded(png: &[u8]) -> (u32, u32, u8, u8) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let (darkest, lightest) = (pixels.iter().min().unwrap(), pixels.iter().max().unwrap());
    (info.width, info.height, *darkest, *lightest)
}

fn codes(result: &Value) -> Vec<&str> {
    let issues = result["best_validation"]["issues"].as_array().unwrap();
    issues.iter().map(|issue| issue["code"].as_str().unwrap()).collect()
}

#[test]
fn the_chosen_pages_of_a_pdf_reach_every_api_beside_its_text() {
    let bytes = invoice();
    std::thread::scope(|scope| {
        for api in [Api::OpenAi, Api::Azure, Api::Anthropic, Api::Gemini] {
            let bytes = &bytes;
            scope.spawn(move || {
                let place =
                    place(", attach: { pages: '1, last', pixels: 800 }", ", attach: pages", "in.pdf", bytes);
                let vendor = vendor(api, Vec::new());
                let models = ["read", "look"].map(|model| format!("{}:{model}", api.name()));
                let (stage, judge) = (
                    format!("stages.0.provider={}", models[0]),
                    format!("judges.look.provider={}", models[1]),
                );
                let arguments = [
                    "run",
                    "--profile",
                    "scan",
                    "--format",
                    "json",
                    "--config",
                    &stage,
                    "--config",
                    &judge,
                    "in.pdf",
                ];
                let ran = Ran::of(&mut loopctl(&place, api, &vendor, Some(KEY), &arguments));
                assert_eq!(vendor.complaints(), Vec::<String>::new(), "{}", api.name());
                let result = ran.exits(0).json();
                // The answer is held against the text of the pages.
                assert_eq!(
                    result["best_validation"]["evidence"]["/number"]["support"], "verified",
                    "{result}"
                );
                let read = attached(&vendor, "read").remove(0);
                assert_eq!(read.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>(), ["image/png"; 2]);
                let pages = DocumentReader::in_process().open_pages(Arc::new(bytes.clone())).unwrap();
                for ((_, png), page) in read.iter().zip([1, 3]) {
                    let (width, height, darkest, lightest) = decoded(png);
                    assert_eq!((width, height), (565, 800));
                    assert!(darkest < 100 && lightest == 255, "page {page} is blank");
                    assert_eq!(png, pages.picture_within(page, 800).unwrap().png());
                }
                let look = attached(&vendor, "look").remove(0);
                let sides: Vec<(u32, u32)> =
                    look.iter().map(|(_, png)| decoded(png)).map(|it| (it.0, it.1)).collect();
                assert_eq!(sides, [(1130, 1600); 3]);
                let seen = vendor.seen();
                let text = &seen[0].asked.as_ref().unwrap().text;
                assert!(text.contains("Invoice number: 4711") && text.contains("Total: 18.50 EUR"), "{text}");
            });
        }
    });
}

#[test]
fn pages_without_text_pass_only_by_a_judge_that_is_shown_them_all() {
    let scan = tiff(&[10, 200, 90]);
    let run_with = |judge: &str| {
        let place = place(", attach: pages", judge, "scan.tiff", &scan);
        let vendor = vendor(Api::OpenAi, Vec::new());
        let result = run(&place, &vendor, &["scan.tiff"]).json();
        (result, vendor)
    };
    let (result, seen) = run_with(", attach: pages");
    assert_eq!((&result["final_status"], &result["review"]), (&json!("passed"), &json!(false)), "{result}");
    assert!(result["warnings"].to_string().contains("no rule can look anything up"), "{result}");
    // Small pictures are not enlarged.
    let shown: Vec<_> = attached(&seen, "read").remove(0).iter().map(|(_, png)| decoded(png)).collect();
    assert_eq!(shown, [(8, 4, 10, 10), (8, 4, 200, 200), (8, 4, 90, 90)]);

    let (result, seen) = run_with(", attach: { pages: 1-2 }");
    assert_eq!(attached(&seen, "look")[0].len(), 2);
    assert_ne!(result["final_status"], "passed", "{result}");
    assert_eq!(result["review"], true, "{result}");
    assert!(codes(&result).contains(&"DOCUMENT_UNSEEN"), "{result}");
    assert!(result["warnings"].to_string().contains("judge `look` isn't shown page 3"), "{result}");

    // Without pictures it is not asked.
    let (result, seen) = run_with("");
    assert_eq!(result["stop_reason"], "provider_error", "{result}");
    assert!(result.to_string().contains("set `judges.look.attach` to `document` or `pages`"), "{result}");
    assert!(attached(&seen, "look").is_empty());
}

#[test]
fn a_judge_vouches_for_the_pages_that_it_is_shown() {
    let bytes = pdf(&[line("Invoice number: 4711"), picture(), line("Total: 18.50 EUR")]);
    for (judge, seen) in [
        (", attach: pages", true),
        (", attach: { pages: 2 }", true),
        (", attach: { pages: '1, 3' }", false),
        (", attach: document", true),
        ("", false),
    ] {
        let place = place("", judge, "in.pdf", &bytes);
        let vendor = vendor(Api::OpenAi, Vec::new());
        let result = run(&place, &vendor, &["in.pdf"]).json();
        assert_eq!(result["final_status"] == "passed", seen, "{judge}: {result}");
        assert_eq!(codes(&result).contains(&"DOCUMENT_UNSEEN"), !seen, "{judge}: {result}");
        // The stage works on the text, and a judge that counts as one that has seen the document got it.
        assert!(attached(&vendor, "read").iter().all(Vec::is_empty), "{judge}");
        assert_eq!(
            attached(&vendor, "look").iter().any(|files| !files.is_empty()),
            !judge.is_empty(),
            "{judge}"
        );
    }
}

#[test]
fn a_section_is_shown_by_its_own_pages() {
    let bytes = pdf(&["Alpha 4711", "Beta 12", "Beta 4711"].map(line));
    let place = place(", attach: { pages: 'last' }", ", attach: { pages: 1 }", "in.pdf", &bytes);
    place.write(
        "rules/classify-small.yaml",
        "minimum: 1
classify: { a: [{ pattern: alpha, weight: 2 }], b: [{ pattern: beta, weight: 2 }] }
sections: { least_characters: 4 }
",
    );
    let own = profile(", attach: { pages: 'last' }", ", attach: { pages: 1 }");
    let split = own.replace("classify: null", "classify: classify-small\nsections: { split: true }");
    place.write("profiles/scan.yaml", split);
    let vendor = vendor(Api::OpenAi, Vec::new());
    run(&place, &vendor, &["--jobs", "1", "in.pdf"]);
    let pages = DocumentReader::in_process().open_pages(Arc::new(bytes)).unwrap();
    let page = |page| vec![("image/png".to_owned(), pages.picture_within(page, 1600).unwrap().into_png())];
    let (read, look) = (attached(&vendor, "read"), attached(&vendor, "look"));
    // Their order is not fixed.
    assert!(read.contains(&page(1)) && read.contains(&page(3)) && !read.contains(&page(2)));
    assert!(look.contains(&page(1)) && look.contains(&page(2)) && !look.contains(&page(3)));
}

#[test]
fn a_document_whose_pages_cannot_be_shown_ends_before_a_call_is_made() {
    let many = tiff(&[128; 101]);
    // Noise takes as many bytes as it has pixels.
    let mut state = 1_u32;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    let mut large = Vec::new();
    let mut encoder = png::Encoder::new(&mut large, 2050, 2050);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&noise.take(2050 * 2050 * 3).collect::<Vec<u8>>()).unwrap();
    writer.finish().unwrap();
    for (name, bytes, stage, said) in [
        (
            "in.tiff",
            &many,
            "pages",
            "the stage `read` is shown pictures of 101 pages (`attach: pages`), and at most 100",
        ),
        (
            "in.pdf",
            &invoice(),
            "{ pages: 7-9 }",
            "namely 7 to 9, and the document has none of them: it has 3",
        ),
        ("in.png", &large, "{ pixels: 8000 }", "have more than the 11796480 bytes that are sent to a model"),
    ] {
        let place = place(&format!(", attach: {stage}"), "", name, bytes);
        let vendor = vendor(Api::OpenAi, Vec::new());
        let result = run(&place, &vendor, &[name]).exits(3).json();
        assert_eq!(result["stop_reason"], "unreadable_input", "{said}: {result}");
        assert!(result.to_string().contains(said), "{said}: {result}");
        assert_eq!(vendor.calls(), 0, "{said}");
    }
}

#[test]
fn a_text_is_shown_by_itself() {
    let place = place(", attach: pages", ", attach: pages", "in.txt", b"Invoice number: 4711\n");
    let vendor = vendor(Api::OpenAi, Vec::new());
    let result = run(&place, &vendor, &["in.txt"]).exits(0).json();
    assert_eq!(result["best_validation"]["evidence"]["/number"]["support"], "verified", "{result}");
    assert!(vendor.seen().iter().all(|seen| seen.asked.as_ref().unwrap().attached.is_empty()));
}

#[test]
fn a_resumed_run_shows_the_same_pictures_and_pays_for_no_answer_twice() {
    let place = place(", attach: pages", ", attach: pages", "in/a.pdf", &invoice());
    place.write("in/b.pdf", invoice());
    // The judge of the first document is refused.
    let revoked = vendor(Api::OpenAi, vec![(When::At(2), Fault::Error(Problem::TooMany { quota: true }))]);
    let arguments = ["--out", "out", "--jobs", "1", "in"];
    run(&place, &revoked, &arguments);
    let first = attached(&revoked, "read").remove(0);
    assert_eq!((revoked.calls(), first.len()), (2, 3));
    let again = vendor(Api::OpenAi, Vec::new());
    run(&place, &again, &[&["--resume"], &arguments[..]].concat()).exits(0);
    let paid = again.calls();
    assert!(attached(&again, "look").iter().all(|shown| *shown == first));
    run(&place, &again, &[&["--resume"], &arguments[..]].concat()).exits(0);
    assert_eq!(again.calls(), paid);
}

#[test]
fn a_recorded_run_is_replayed_with_the_same_pictures() {
    let place = place(", attach: pages", ", attach: pages", "in.pdf", &invoice());
    let vendor = vendor(Api::OpenAi, Vec::new());
    let recorded = run(&place, &vendor, &["--record", "tape", "in.pdf"]).exits(0).json();
    let calls = vendor.calls();
    let replayed = run(&place, &vendor, &["--replay", "tape", "in.pdf"]).exits(0).json();
    assert_eq!(vendor.calls(), calls);
    assert_eq!(replayed["best_extraction"], recorded["best_extraction"]);
    // Other pictures are another question.
    let other = ["--replay", "tape", "--config", "stages.0.attach={ pixels: 900 }", "in.pdf"];
    run(&place, &vendor, &other).exits(1).says(&["has no answer to this request"]);
}

#[test]
fn mistakes_are_found_before_anything_is_asked() {
    let place = place("", "", "in.pdf", &invoice());
    for (attach, said) in [
        ("page", "did you mean `pages`?"),
        ("{ page: 1 }", "did you mean `pages`?"),
        ("{ pages: 1, pixel: 900 }", "did you mean `pixels`?"),
        ("{ pages: lst }", "did you mean `last`?"),
        ("{ pages: 0 }", "expected a number of a page from 1"),
        ("{ pages: 3-1 }", "write `1-3`"),
        ("{ pixels: 100 }", "from 200 to 8000"),
    ] {
        place.write("profiles/scan.yaml", profile(&format!(", attach: {attach}"), ""));
        let check = place.run(&["check", "scan"]).exits(2);
        assert!(check.out.contains(said), "{attach}: {}", check.out);
    }
    place.write(
        "profiles/scan.yaml",
        profile(", attach: pages", "") + "mask: [{ pattern: 'x', replace: 'y' }]\n",
    );
    let check = place.run(&["check", "scan"]).exits(2);
    assert!(check.out.contains("shows what `mask` withholds"), "{}", check.out);
    place.write("profiles/scan.yaml", profile(", attach: pages", "").replace("openai:read", "pattern"));
    place.run(&["run", "--profile", "scan", "in.pdf"]).exits(2).says(&["takes no images"]);
}

#[test]
fn next_says_which_pages_go_with_its_request() {
    let place = place(", attach: { pages: '1, last' }", "", "in.pdf", &invoice());
    place.write("input.json", json!({ "document": { "path": "in.pdf" } }).to_string());
    let answer = place.run(&["next", "--profile", "scan", "input.json"]).exits(0).json();
    let wanted = json!([{ "page": 1, "pixels": 1600 }, { "page": 3, "pixels": 1600 }]);
    assert_eq!(answer["request"]["pages"], wanted, "{answer}");
}
