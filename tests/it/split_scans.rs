//! Scans that hold several documents: read by OCR once for all sections, whoever works on them and when.

use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

/// A PDF with a page for each of these widths, in points: a picture of dark rows on white.
pub(crate) fn scan(widths: &[usize]) -> Vec<u8> {
    let first = 3;
    let kids: Vec<String> = (0..widths.len()).map(|at| format!("{} 0 R", first + 3 * at)).collect();
    let mut objects: Vec<Vec<u8>> = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), widths.len()).into_bytes(),
    ];
    for (at, width) in widths.iter().enumerate() {
        let number = first + 3 * at;
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} 150] /Resources << /XObject << /I {} 0 R >> >> /Contents {} 0 R >>",
                number + 2,
                number + 1
            )
            .into_bytes(),
        );
        let content = format!("q {width} 0 0 150 0 0 cm /I Do Q");
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()).into_bytes());
        let pixels = (0..150).flat_map(|y| (0..*width).map(move |x| is_ink(x, y)));
        let pixels: Vec<u8> = pixels.map(|ink| if ink { 0 } else { 255 }).collect();
        let head = format!(
            "<< /Type /XObject /Subtype /Image /Width {width} /Height 150 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length {} >>\nstream\n",
            pixels.len()
        );
        objects.push([head.as_bytes(), &pixels, b"\nendstream"].concat());
    }
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.extend(format!("{} 0 obj\n", at + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    file.extend(offsets.iter().flat_map(|offset| format!("{offset:010} 00000 n \n").into_bytes()));
    let size = objects.len() + 1;
    file.extend(format!("trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF").bytes());
    file
}

/// Rows like those of words.
fn is_ink(x: usize, y: usize) -> bool {
    (20..130).contains(&y) && y % 14 < 7 && x > 20 && x % 9 < 5
}

/// A folder with a profile that splits files, a scan of pages of other types, and a program in the place of `tesseract`: it
/// reads `Alpha` on wide pages and `Beta` on narrow ones, and logs each page that it is shown. `before` is run before it answers.
pub(crate) fn place(before: &str) -> Workspace {
    let place = Workspace::new();
    place.write("rules/rubrics/small.yaml", "types: { a: { required: [site] }, b: { required: [site] } }\n");
    let classify = r"
minimum: 1
classify: { a: [{ pattern: alpha, weight: 2 }], b: [{ pattern: beta, weight: 2 }] }
sections: { least_characters: 4 }
";
    place.write("rules/classify-small.yaml", classify);
    place.write("prompts/a.md", "{{ source }}");
    let profile = "classify: classify-small
stages: [{ id: one, provider: scripted, config: { file: answers.jsonl }, prompt: a.md }]
assess: { quality: { rubric: small } }
overall: { from: quality }
accept: { overall: 0.9 }
stop: { max_iterations: 2 }
sections: { split: true, merge: { default: all } }
ingest: { gate: { unread_ink: false, ocr_confidence: false } }
";
    place.write("profiles/small.yaml", profile);
    let answers = ["scan#1", "scan#2", "scan#3"].map(|id| json!({ "id": id, "value": { "site": id } }));
    place.write("answers.jsonl", answers.map(|answer| answer.to_string()).join("\n"));
    place.write("scan.pdf", scan(&[300, 200, 300]));
    let row = |word: usize, text: &str| {
        format!(r"5\t1\t1\t1\t1\t{word}\t{}\t100\t200\t40\t96\t{text}\n", 100 + 250 * word)
    };
    let head =
        r"level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n";
    let script = format!(
        "#!/bin/sh
case \"$*\" in *--list-langs*) printf 'List of languages:\\neng\\ndeu\\n'; exit 0;; esac
width=$(head -c 20 | tail -c 4 | od -An -tu4 --endian=big | tr -d ' ')
cat > /dev/null
echo \"$width $*\" >> '{log}'
{before}
word=Beta; [ \"$width\" -gt 1000 ] && word=Alpha
printf '{head}'; printf \"{first}\"; printf '{second}'; printf '{third}'
",
        log = place.path("pages.log").display(),
        first = row(0, "$word"),
        second = row(1, "report"),
        third = row(2, "continued"),
    );
    let engine = place.write("engine/tesseract", script);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(engine, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    place
}

/// Folders of programs, with that one first.
pub(crate) fn programs(place: &Workspace) -> String {
    format!("{}:/usr/bin:/bin", place.path("engine").display())
}

fn run(place: &Workspace, arguments: &[&str]) -> Ran {
    Ran::of(place.loopctl(arguments).env("PATH", programs(place)))
}

/// The number of pages that the engine was shown.
pub(crate) fn pages_read(place: &Workspace) -> usize {
    place.read("pages.log").lines().count()
}

#[test]
#[cfg(unix)]
fn the_sections_of_a_scan_take_their_parts_from_one_reading() {
    let place = place("");
    for jobs in ["1", "3"] {
        place.write("pages.log", "");
        let arguments = ["run", "--profile", "small", "--jobs", jobs, "--format", "json", "scan.pdf"];
        let results = run(&place, &arguments).exits(0).json();
        let results = results.as_array().unwrap();
        let types: Vec<&Value> = results.iter().map(|result| &result["document_type"]).collect();
        let mut named: Vec<_> = results.iter().map(|result| result["id"].as_str().unwrap()).collect();
        named.sort_unstable();
        assert_eq!(named, ["scan", "scan#1", "scan#2", "scan#3"], "{types:?}");
        let merged = results.last().unwrap();
        assert_eq!(merged["extraction"]["site"], json!(["scan#1", "scan#2", "scan#3"]));
        assert_eq!(pages_read(&place), 3, "each page is read once");
    }
}

#[test]
#[cfg(unix)]
fn a_resumed_run_reads_a_file_once_for_all_sections_that_are_left() {
    let place = place("");
    let budget = ["--config", "budget={calls: 1}"];
    let arguments = ["run", "--profile", "small", "--jobs", "1", "--out", "out", "scan.pdf"];
    run(&place, &[&arguments[..], &budget].concat());
    assert_eq!(place.json("out/scan-merged.json")["status"], "incomplete");
    assert_eq!(pages_read(&place), 3);
    run(&place, &["resume", "--jobs", "2", "--budget", "calls=9"]).exits(0);
    assert_eq!(place.json("out/scan-merged.json")["status"], "passed");
    assert_eq!(pages_read(&place), 6);
}

#[test]
#[cfg(unix)]
fn a_run_over_a_file_whose_sections_are_done_does_not_read_it() {
    let place = place("");
    let arguments = ["run", "--resume", "--profile", "small", "--out", "out", "scan.pdf"];
    for _ in 0..2 {
        run(&place, &arguments).exits(0);
        assert_eq!(pages_read(&place), 3);
        assert_eq!(place.json("out/scan-merged.json")["status"], "passed");
    }
    // Another file of its name has other sections.
    place.write("scan.pdf", scan(&[300, 300, 200]));
    run(&place, &arguments).exits(1).says(&["scan.pdf` has changed", "in another run"]);
    assert_eq!(pages_read(&place), 3);
}

/// Policies of a sweep may differ in the settings by which documents are read: each is tried on what it reads itself.
#[test]
#[cfg(unix)]
fn each_policy_of_a_sweep_reads_by_its_own_settings() {
    let place = place("");
    let answers = (0..12).map(|at| json!({ "id": at.to_string(), "value": { "site": "colon" } }).to_string());
    place.write("answers.jsonl", answers.collect::<Vec<_>>().join("\n"));
    for at in 0..12 {
        place.write(&format!("scans/{at}.pdf"), scan(&[300]));
    }
    let experiment = "
description: Which language is read better?
documents: { fresh: ['scans/*.pdf'] }
budget: { calls: 500 }
profiles: [small]
reference: small
space: { ingest.ocr.languages: [[eng], [deu]] }
objectives: [{ maximize: overall }]
bootstrap: { samples: 2000 }
race: { first: 2 }
";
    place.write("languages.sweep.yaml", experiment);
    run(&place, &["sweep", "languages.sweep.yaml", "--format", "json", "--quiet"]).exits(0);
    let log = place.read("pages.log");
    let read = |language: &str| log.lines().filter(|line| line.contains(&format!("-l {language}"))).count();
    assert!(read("eng") > 0 && read("deu") > 0, "{log}");
    assert!(read("eng") <= 12, "the reference and a policy that reads alike share a reading: {log}");
}
