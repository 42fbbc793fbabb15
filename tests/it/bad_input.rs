//! Mistakes of users and faults of machines: reported clearly, with nothing lost and nothing hung.

use crate::neighbour::compile;
use crate::trajectories::{scoring, steps};
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};
use std::path::Path;

const REPORT: &str = "Pathology report. Histologic type: ductal carcinoma.";

/// A PDF whose page is empty, as that of a scan is without its picture.
const PAGE_WITHOUT_TEXT: &[u8] = b"%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
";

#[test]
fn inputs_that_are_not_there_are_named_and_the_others_run() {
    let place = Workspace::new();
    place.write("good.txt", REPORT);
    std::fs::create_dir(place.path("hollow")).unwrap();
    place.write("scans/page.png", "x");
    let arguments = ["run", "--format", "jsonl", "missing.txt", "hollow", "scans", "good.txt", "*.text"];
    let ran = place.run(&arguments).exits(1).says(&[
        "there is no file or folder `missing.txt`",
        "the folder `hollow` holds no documents",
        "the folder `scans` holds no documents",
        "no file matches `*.text`",
        "left out: 1 file with another ending (.png 1)",
        "`.txt`",
    ]);
    assert_eq!(ran.lines().len(), 1);
    assert_eq!(ran.lines()[0]["id"], "good");
    let none = place.run(&["run", "--format", "json", "missing.txt"]).exits(1);
    assert_eq!(none.out, "");
    place.run(&["run"]).exits(2).says(&["<INPUT>"]);
}

#[test]
fn a_judge_for_a_profile_without_judges_is_told_so() {
    let place = Workspace::new();
    place.write("good.txt", REPORT);
    let arguments = ["run", "--profile", "balanced", "--judge", "openai:any", "good.txt"];
    place.run(&arguments).exits(2).says(&["the profile has no judges: leave this out"]);
}

/// It ends as `failed`, `unreadable_input`.
#[test]
fn files_that_are_no_text_end_as_unreadable_and_the_others_run() {
    let place = Workspace::new();
    let mut binary: Vec<u8> = (0..=255).cycle().take(4096).collect();
    binary[0] = 7;
    let files: [(&str, &[u8], &str); 13] = [
        ("empty.txt", b"", "empty"),
        ("blank.txt", b" \n\t\r\n", "white space"),
        ("binary.txt", &binary, "zero byte"),
        ("mixed.txt", b"Gr\xc3\xb6\xc3\x9fe: Sch\xe4del\n", "not UTF-8 text (byte 12)"),
        ("cut.txt", b"caf\xc3", "not UTF-8"),
        ("controls.txt", &[1; 100], "control characters"),
        ("report.pdf", b"%PDF-1.7 x", "begins as a PDF, and is damaged; open it and save it again"),
        ("scan.pdf", PAGE_WITHOUT_TEXT, "is a PDF with an empty page; look at it"),
        ("scan.png", b"\x89PNG\r\n\x1a\n\0", "--config 'stages.*.attach=document' --type TYPE"),
        ("scan.webp", b"RIFF\x10\0\0\0WEBPVP8 ", "a WebP image"),
        (
            "scan.tif",
            b"II*\0\x08\0\0\0",
            "a TIFF image, not plain text; give the text that it shows; or convert it",
        ),
        ("letter.docx", b"PK\x03\x04xx", "ZIP"),
        ("wide.txt", b"\xff\xfea\0\xd8", "UTF-16"),
    ];
    for (name, bytes, _) in files {
        place.write(name, bytes);
    }
    place.write("good.txt", REPORT);
    // With OCR it is another message where `tesseract` is installed than where it is not.
    let mut arguments = vec!["run", "--config", "ingest.ocr=false", "--format", "jsonl", "--out", "out"];
    arguments.extend(files.iter().map(|(name, ..)| *name));
    arguments.push("good.txt");
    let ran = place.run(&arguments).exits(3).says(&["unreadable"]);
    let results = ran.lines();
    assert_eq!(results.len(), files.len() + 1);
    for ((name, _, why), result) in files.iter().zip(&results) {
        assert_eq!(result["final_status"], "failed", "{name}");
        assert_eq!(result["stop_reason"], "unreadable_input", "{name}");
        assert!(result.to_string().contains(why), "{name}: {result}");
        assert_eq!((&result["iteration_count"], &result["best_extraction"]), (&json!(0), &Value::Null));
        assert_eq!(result["usage"]["calls"], 0, "a provider was asked about {name}");
        assert_eq!(place.json(&format!("out/{}-result.json", result["id"].as_str().unwrap())), *result);
    }
    assert_eq!(results[files.len()]["best_extraction"]["histology"], "ductal carcinoma");
}

/// The bytes of a file tell its kind: a page called `.pdf`, data without an ending, a text in an encoding that it does not name.
#[test]
fn markup_and_texts_in_older_encodings_are_read_as_they_are_seen() {
    let place = Workspace::new();
    place.write("page.pdf", "<!DOCTYPE html><p>Grad: <b>G2</b></p><p hidden>G3</p><script>G4</script>");
    place.write("data", "<?xml version='1.0'?><a><grade>G2</grade><!-- G3 --></a>");
    place.write("old.txt", b"Befund: Sch\xe4del, Gr\xf6\xdfe unver\xe4ndert\n");
    place.write("laughs.xml", "<!DOCTYPE a [<!ENTITY b \"ha\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>");
    for (file, seen) in [("page.pdf", "Grad: G2"), ("data", "a grade: G2")] {
        let out = place.run(&["read", file]).exits(0).out;
        assert!(out.contains(seen) && !out.contains("G3") && !out.contains("G4"), "{out}");
    }
    let ran = place.run(&["read", "old.txt"]).exits(0).says(&["its encoding was guessed to be windows-1252"]);
    assert!(ran.out.contains("Schädel"), "{}", ran.out);
    place.run(&["read", "laughs.xml"]).exits(1).says(&["entities of its own, which are not expanded"]);
}

#[test]
fn texts_in_other_encodings_with_a_mark_are_read() {
    let place = Workspace::new();
    let utf16: Vec<u8> =
        std::iter::once(0xfeff_u16).chain(REPORT.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    place.write("utf16.txt", utf16);
    place.write("bom.txt", format!("\u{feff}{REPORT}"));
    let results = place.run(&["run", "--format", "jsonl", "utf16.txt", "bom.txt"]).lines();
    for result in results {
        assert_eq!(result["best_extraction"]["histology"], "ductal carcinoma", "{result}");
    }
}

#[test]
fn a_document_of_100_megabytes_is_refused_before_anybody_is_asked() {
    let place = Workspace::new();
    place.write("huge.txt", "all work and no play\n".repeat(5_000_000));
    place.write("good.txt", REPORT);
    let ran = place.run(&["run", "--format", "jsonl", "huge.txt", "good.txt"]).exits(1);
    let ran = ran.says(&["`huge.txt`", "105000000 bytes"]);
    assert_eq!(ran.lines().len(), 1);
    let piped = Ran::of(place.loopctl(&["run", "-"]).write_stdin("x".repeat(70_000_000)));
    piped.exits(1).says(&["standard input", "at most"]);
}

/// A document between the limit and the size that crosses to a provider used to be accepted, read at length, and then
/// failed.
#[test]
fn a_document_that_no_provider_can_be_given_is_refused_when_it_is_read() {
    let place = Workspace::new();
    place.write("long.txt", "Grade 2. ".repeat(2_000_000));
    place.write("record.jsonl", json!({"id": "r", "text": "x".repeat(16 << 20)}).to_string());
    for (file, said) in [
        ("long.txt", "`long.txt` has 18000000 bytes; a document has at most 15728640"),
        ("record.jsonl", "record.jsonl`, line 1 has 16777216 bytes; a document has at most 15728640"),
    ] {
        place.run(&["run", file]).exits(1).says(&[said, "split it into documents"]);
    }
}

#[test]
fn lines_that_name_no_document_are_named_up_to_a_few() {
    let place = Workspace::new();
    place.write("bad.jsonl", "not json\n".repeat(500) + "{\"id\": \"a\", \"text\": \"Grade 2.\"}\n");
    let ran = place.run(&["run", "--format", "jsonl", "bad.jsonl"]).exits(1);
    assert_eq!(ran.lines().len(), 1);
    assert_eq!(ran.err.matches("error: `bad.jsonl`, line ").count(), 10, "{}", ran.err);
    ran.says(&["490 more lines name no document either"]);
}

#[test]
fn settings_that_the_scripted_provider_does_not_have_are_refused() {
    let place = Workspace::new();
    place.write("a.txt", "Grade 2.");
    for (setting, said) in [
        ("foo=1", "there is no setting `foo`, known are `file`, `answers`"),
        ("anwsers=[]", "did you mean `answers`?"),
    ] {
        let flags = ["run", "--provider", "scripted", "--provider-config", "answers=[{value: {}}]"];
        let ran = place.run(&[&flags[..], &["--provider-config", setting, "a.txt"]].concat()).exits(2);
        ran.says(&[said]);
    }
}

#[test]
fn a_long_document_is_worked_on() {
    let place = Workspace::new();
    place.write("long.txt", format!("{REPORT}\n{}", "The margins were inked and cut. ".repeat(30_000)));
    let result = place.run_json(&["run", "--profile", "real-time", "--format", "json", "long.txt"]);
    assert_eq!(result["best_extraction"]["histology"], "ductal carcinoma");
}

#[test]
fn unknown_names_come_with_a_guess() {
    let place = Workspace::new();
    place.write("good.txt", REPORT);
    for (arguments, code, said) in [
        (&["run", "--profile", "clincal", "good.txt"][..], 2, "did you mean `clinical`?"),
        (&["run", "--profile", "./none.yaml", "good.txt"], 2, "none.yaml"),
        (&["run", "--profile", "../../etc/passwd", "good.txt"], 2, "passwd"),
        (&["run", "--type", "pathologie", "good.txt"], 2, "did you mean `pathology`?"),
        (&["run", "--provider", "patern", "good.txt"], 2, "did you mean `pattern`?"),
        (&["run", "--provider", "", "good.txt"], 2, "provider"),
        (&["run", "--provider", "a b", "good.txt"], 2, "a b"),
        (&["run", "--format", "xml", "good.txt"], 2, "jsonl"),
        (&["rnu", "good.txt"], 2, "rnu"),
        (&["run", "--no-such-flag", "good.txt"], 2, "--no-such-flag"),
        (&[], 2, "Usage"),
    ] {
        let ran = place.run(arguments).exits(code).says(&[said]);
        assert_eq!(ran.out, "", "{arguments:?}");
    }
    for arguments in [&["--help"][..], &["run", "--help"], &["--version"], &["help", "score"]] {
        assert_eq!(place.run(arguments).exits(0).err, "");
    }
}

#[test]
fn a_provider_that_lacks_its_settings_says_which() {
    let place = Workspace::new();
    place.write("good.txt", REPORT);
    place.write("answers.yaml", "- value: 1\n- valeu: 2\n");
    for (setting, said) in [
        (None, "file"),
        (Some("file=none.yaml"), "none.yaml"),
        (Some("file=answers.yaml"), "answers.yaml:2: unknown key `valeu`"),
        (Some("flie=answers.yaml"), "file"),
    ] {
        let mut arguments = vec!["run", "--provider", "scripted", "good.txt"];
        arguments.extend(setting.iter().flat_map(|setting| ["--provider-config", setting]));
        place.run(&arguments).exits(2).says(&["scripted", said]);
    }
    place.run(&["run", "--provider-config", "novalue", "good.txt"]).exits(2);
}

#[test]
fn plugins_that_are_none_or_of_another_kind_are_refused() {
    let place = Workspace::new();
    place.write("good.txt", REPORT);
    let folder = place.path("plugins");
    let text = place.write("plugins/libloopctl_text.so", "not a library");
    let empty = place.write("plugins/libloopctl_empty.so", "");
    for (path, said) in [(text, "text"), (empty, "empty"), (place.path("plugins/libloopctl_gone.so"), "gone")]
    {
        let path = path.to_str().unwrap();
        place.run(&["plugin", "trust", path]).exits(1).says(&[said]);
        place.run(&["run", "--provider", path, "good.txt"]).exits(1).says(&[said]);
    }
    for (name, said) in [
        ("not_a_plugin", "manifest"),
        ("no_symbol", "no_symbol"),
        ("wrong_major", "ABI"),
        ("null_table", "null_table"),
        ("short_table", "short_table"),
        ("mismatch", "mismatch"),
    ] {
        let path = compile(name, &folder);
        let path = path.to_str().unwrap();
        // Trusted or not trustworthy at all, it must not run and must not take the process with it.
        let trusted = place.run(&["plugin", "trust", path]);
        assert!(matches!(trusted.code, Some(0 | 1)), "{name}: {}", trusted.err);
        let ran = place.run(&["run", "--provider", path, "good.txt"]).exits(1).says(&[said]);
        assert_eq!(ran.out, "", "{name}");
    }
}

#[test]
fn a_provider_that_is_written_wrongly_is_wrong_usage_and_says_what_was_meant() {
    let place = Workspace::new();
    place.write("good.txt", REPORT);
    for (spec, said) in [
        ("opnai:m", "did you mean `openai`?"),
        ("OpenAI:m", "did you mean `openai`?"),
        ("gpt-5-mini", "did you mean `openai:gpt-5-mini`?"),
        ("claude:m", "did you mean `anthropic`?"),
        ("google:m", "did you mean `gemini`?"),
        ("openai:", "can't be a provider's name"),
        ("command", "--allow-commands"),
    ] {
        let ran = place.run(&["run", "--provider", spec, "good.txt"]).exits(2).says(&[said]);
        assert_eq!(ran.out, "", "{spec}");
    }
    // A path, as far as anyone can tell.
    place
        .run(&["run", "--provider", "openai/gpt-5.2", "good.txt"])
        .exits(1)
        .says(&["can't read `openai/gpt-5.2`", "write `openai:gpt-5.2`"]);
    for address in ["127.0.0.1:8000/v1", "localhost:8000/v1"] {
        let mut run = place.loopctl(&["run", "--provider", "openai:m", "good.txt"]);
        Ran::of(run.env("OPENAI_BASE_URL", address)).exits(2).says(&[
            "the environment variable `OPENAI_BASE_URL`",
            &format!("`{address}` is not a URL: write it as `https://HOST/PATH`"),
        ]);
    }
}

#[test]
fn plugins_that_misbehave_fail_their_document_and_no_more() {
    let place = Workspace::new();
    place.write("good.txt", REPORT);
    for (name, said) in [
        ("garbage", "JSON"),
        ("never", "deadline"),
        ("refuses", "not today"),
        ("hollow", "neither"),
        ("twice", ""),
        ("forged", ""),
    ] {
        let path = compile(name, &place.path("plugins"));
        let path = path.to_str().unwrap();
        place.run(&["plugin", "trust", path]).exits(0);
        let settings = [
            "--config",
            "stages.0.deadline=200ms",
            "--config",
            "stages.0.retries=0",
            "--config",
            "stop.max_iterations=1",
        ];
        let mut arguments = vec!["run", "--provider", path, "--format", "json", "--out", "out", "good.txt"];
        arguments.extend(settings);
        let ran = place.run(&arguments);
        assert!(matches!(ran.code, Some(0 | 1 | 3)), "{name}: {:?} {}", ran.code, ran.err);
        let result = ran.json();
        assert!(result.to_string().contains(said), "{name}: {result}");
        if !said.is_empty() {
            assert_eq!(result["stop_reason"], "provider_error", "{name}: {result}");
        }
    }
}

#[test]
fn an_out_folder_that_can_not_be_written_is_found_before_any_work() {
    let place = steps("stop: { max_iterations: 1 }\n", &[scoring(3)]);
    place.write("file", "x");
    for out in ["file", "file/below", "/proc/nowhere"] {
        let arguments = ["run", "--profile", "steps", "--format", "json", "--out", out, "doc.txt"];
        let ran = place.run(&arguments).exits(1).says(&[out]);
        assert_eq!(ran.out, "", "it ran");
    }
    let arguments = ["run", "--profile", "steps", "--journal", "file/below.sqlite", "doc.txt"];
    assert_eq!(place.run(&arguments).exits(1).says(&["below.sqlite"]).out, "");
}

#[test]
fn a_home_that_can_not_be_written_costs_the_journal_and_nothing_else() {
    let place = Workspace::new();
    place.write("good.txt", REPORT);
    // A file where the folder ought to be stops root too, as a read-only folder would not.
    let file = place.write("file", "x");
    for (name, home) in [("LOOPCTL_HOME", file.join("home")), ("LOOPCTL_HOME", file.clone())] {
        let ran = Ran::of(place.loopctl(&["run", "--format", "json", "good.txt"]).env(name, &home));
        assert!(matches!(ran.code, Some(0 | 3)), "{}", ran.err);
        let ran = ran.says(&["warning: this run keeps no journal", "help:"]);
        assert_eq!(ran.json()["best_extraction"]["histology"], "ductal carcinoma");
        let batch = ["run", "--via", "batch", "--config", "network.batch=allowed", "good.txt"];
        Ran::of(place.loopctl(&batch).env(name, &home)).exits(2).says(&["kept in a journal"]);
    }
    let mut homeless = place.loopctl(&["run", "--format", "json", "good.txt"]);
    let ran = Ran::of(homeless.env_remove("LOOPCTL_HOME").env_remove("HOME"));
    assert!(matches!(ran.code, Some(0 | 3)), "{}", ran.err);
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_is_full_or_closed_ends_the_work() {
    let place = Workspace::new();
    place.write("good.txt", REPORT);
    let run = |verb: &str, out: std::process::Stdio| {
        let mut command = place.process();
        command.args([verb, "--format", "jsonl", "good.txt"].iter().take(if verb == "run" { 4 } else { 0 }));
        if verb == "score" {
            place.write("r.jsonl", "{\"id\": 1, \"extraction\": {}}\n");
            command.args(["score", "r.jsonl"]);
        }
        let ended = command.stdout(out).stderr(std::process::Stdio::piped()).output().unwrap();
        (ended.status.code(), String::from_utf8(ended.stderr).unwrap())
    };
    for verb in ["run", "score"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (code, err) = run(verb, full.into());
        assert_eq!(code, Some(1), "{err}");
        assert!(err.contains("can't write to standard output"), "{err}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (code, err) = run(verb, writer.into());
        assert_eq!(code, Some(1), "{err}");
        assert!(!err.contains("panicked"), "{err}");
    }
}

/// Needs the right to mount; where there is none, it says so and tries nothing.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_is_named_and_leaves_no_half_files() {
    struct Mounted<'a>(&'a Path);
    impl Drop for Mounted<'_> {
        fn drop(&mut self) {
            let _ = std::process::Command::new("umount").arg("-l").arg(self.0).status();
        }
    }
    let place = steps("stop: { max_iterations: 9 }\n", &[]);
    let out = place.path("out");
    std::fs::create_dir(&out).unwrap();
    let mount = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(&out)
        .output();
    if !mount.is_ok_and(|mount| mount.status.success()) {
        println!("not tried: this user can't mount a small file system");
        return;
    }
    let _mounted = Mounted(&out);
    let large = json!({"value": {"f1": "x".repeat(60_000)}});
    crate::trajectories::answer(&place, &(0..9).map(|_| large.clone()).collect::<Vec<_>>());
    let ran =
        place.run(&["run", "--profile", "steps", "--format", "json", "--out", "out", "doc.txt"]).exits(1);
    assert!(ran.err.contains("space") || ran.err.contains("full"), "{}", ran.err);
    for name in place.names("out") {
        assert!(!name.ends_with(".tmp"), "{name}");
        if name.ends_with(".json") {
            place.json(&format!("out/{name}"));
        }
    }
}

#[test]
fn names_of_files_can_be_anything() {
    let place = Workspace::new();
    for name in [
        "with space.txt",
        "ümläut.txt",
        "-dash.txt",
        "a'b\"c.txt",
        "\u{1b}[31mred.txt",
        "..txt",
        "new\nline.txt",
    ] {
        place.write(name, REPORT);
    }
    let ran = place.run(&["run", "--format", "jsonl", "--out", "out", "."]);
    assert_eq!(ran.lines().len(), 6, "{}", ran.err);
    assert!(!ran.err.contains('\x1b'), "{:?}", ran.err);
    assert_eq!(place.names("out").iter().filter(|name| name.ends_with("-result.json")).count(), 6);
    let table = place.run(&["run", "--format", "text", "."]);
    assert!(!table.out.contains('\x1b') && !table.err.contains('\x1b'), "{:?}{:?}", table.out, table.err);
    assert_eq!(place.run(&["run", "--format", "json", "--", "-dash.txt"]).json()["id"], "-dash");
    let missing = place.run(&["run", "\u{1b}[31mgone.txt"]).exits(1).says(&["[31mgone.txt"]);
    assert!(!missing.err.contains('\x1b'), "{:?}", missing.err);
}

#[test]
fn what_a_document_says_to_a_terminal_is_not_passed_on() {
    let place = Workspace::new();
    place.write(
        "loud.txt",
        "Pathology report. Histologic type: ductal \u{1b}[31mcarcinoma\u{7}.\nGrade: 2\u{1b}]0;owned\u{7}",
    );
    let ran = place.run(&["run", "--format", "text", "loud.txt"]);
    assert!(!ran.out.contains(['\x1b', '\x07']), "{:?}", ran.out);
    assert!(!ran.err.contains(['\x1b', '\x07']), "{:?}", ran.err);
}
