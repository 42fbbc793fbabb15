//! Folders, patterns, lists and records as they are on disks: with links, pipes, loops and changes meanwhile.

use super::listing::Listing;
use super::walk::MOST_DEPTH;
use super::{DocumentReader, FoundInputs, Input, InputError, Origin, SkipReason, Wanted, find, find_all};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn with(files: &[&str]) -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        for file in files {
            place.write(file, format!("text of {file}"));
        }
        place
    }

    /// In memory where that can be: thousands of files take some disks a minute.
    fn large() -> Self {
        Place(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    #[cfg(unix)]
    fn link(&self, target: impl AsRef<Path>, name: &str) {
        std::os::unix::fs::symlink(target, self.at(name)).unwrap();
    }

    fn find(&self, argument: &str) -> FoundInputs {
        find([self.at(argument)])
    }

    fn from(&self, list: &str) -> FoundInputs {
        find_all(Wanted { from: vec![self.at(list)], ..Wanted::default() })
    }
}

fn ids(found: &FoundInputs) -> Vec<&str> {
    found.inputs.iter().map(|input| input.id().as_str()).collect()
}

fn said(found: &FoundInputs, place: &Place) -> String {
    let folder = place.0.path().display().to_string() + "/";
    let lines = found.errors.iter().map(|error| format!("{error}\n  {}", error.help()).replace(&folder, ""));
    lines.collect::<Vec<_>>().join("\n")
}

fn text(input: &Input) -> String {
    input.read(&DocumentReader::in_process()).unwrap().text.unwrap().as_str().to_owned()
}

#[test]
fn a_listing_can_go_to_another_thread() {
    fn is_send<T: Send + 'static>(_: &T) {}
    is_send(&Listing::new(Wanted::default()));
}

#[test]
fn a_large_folder_is_never_in_memory_as_a_whole() {
    let place = Place::large();
    let count = 9_000;
    for number in 0..count {
        std::fs::write(place.at(&format!("{number}.txt")), "").unwrap();
    }
    let mut listing = Listing::new(Wanted { arguments: vec![place.at("")], ..Wanted::default() });
    let (mut found, mut most) = (0, 0);
    while let Some(input) = listing.next() {
        input.unwrap();
        found += 1;
        most = most.max(listing.in_memory());
    }
    assert_eq!(found, count);
    assert!(most < 4_096, "{most}");
}

#[cfg(unix)]
#[test]
fn links_lead_to_files_and_folders_and_each_folder_is_entered_once() {
    let place = Place::with(&["in/a.txt", "in/deep/b.txt", "out/c.txt", "out/far/d.txt", "e.txt"]);
    place.link("..", "in/deep/up");
    place.link(".", "in/itself");
    place.link("../out", "in/other");
    place.link("../out/far", "in/zfar");
    place.link("../e.txt", "in/far.txt");
    place.link("deep/b.txt", "in/near.txt");
    place.link("nowhere", "in/dangling.txt");
    place.link("circle.txt", "in/circle.txt");
    let found = place.find("in");
    assert_eq!(ids(&found), ["a", "deep/b", "near"]);
    assert!(found.errors.is_empty(), "{}", said(&found, &place));
    let skipped = |reason| found.skipped.of(reason);
    assert_eq!((skipped(SkipReason::Dangling), skipped(SkipReason::FolderAgain)), (2, 2));
    // No one has named what leads out of the folder that was named.
    assert_eq!(skipped(SkipReason::Outside), 3);
    assert_eq!(text(&found.inputs[2]), "text of in/deep/b.txt");
    assert_eq!(place.find("in/*.txt").skipped.of(SkipReason::Outside), 1);
    assert_eq!(ids(&place.find("in/far.txt")), ["far"]);
    let gone = place.find("in/dangling.txt");
    assert!(matches!(gone.errors[..], [InputError::Dangling { .. }]));
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_devices_and_files_of_the_kernel_are_left_out_and_not_opened() {
    let place = Place::with(&["a.txt"]);
    let made = std::process::Command::new("mkfifo").arg(place.at("pipe.txt")).status().unwrap();
    assert!(made.success());
    place.link("/proc/self/environ", "keys.txt");
    place.link("/dev/zero", "zero.txt");
    place.link("/proc/self", "process");
    let found = place.find("");
    assert_eq!((ids(&found), found.skipped.of(SkipReason::Special)), (vec!["a"], 3));
    assert_eq!(found.skipped.of(SkipReason::Outside), 1);
    assert!(found.errors.is_empty());
    let found = place.find("*.txt");
    assert_eq!((ids(&found), found.skipped.of(SkipReason::Special)), (vec!["a"], 3));
}

#[test]
fn folders_are_entered_so_deep_and_no_deeper() {
    let place = Place::with(&["a.txt"]);
    let mut folder = place.at("");
    for _ in 0..MOST_DEPTH + 1 {
        folder.push("d");
    }
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.parent().unwrap().join("last.txt"), "x").unwrap();
    std::fs::write(folder.join("beyond.txt"), "x").unwrap();
    let found = place.find("");
    assert_eq!((found.inputs.len(), found.skipped.of(SkipReason::TooDeep)), (2, 1));
    assert!(ids(&found)[1].ends_with("d/last"));
}

#[test]
fn what_is_no_document_is_counted() {
    let place = Place::with(&[
        "a.txt",
        "b.PNG",
        "c.pptx",
        "Makefile",
        ".git/config.txt",
        ".hidden.txt",
        "out/journal.sqlite",
        "out/a-result.json",
        "kept/b-result.json",
        "tape/0123456789abcdef0123.json",
        "tape/note.json",
    ]);
    std::fs::create_dir(place.at("empty")).unwrap();
    let wanted = Wanted {
        arguments: vec![place.at("")],
        apart: vec![place.at("kept")],
        holds_recordings: Some(|folder| folder.ends_with("tape")),
        holds_results: Some(|folder| folder.join("journal.sqlite").is_file()),
        ..Wanted::default()
    };
    let found = find_all(wanted.clone());
    assert_eq!(ids(&found), ["a", "tape/note"]);
    assert_eq!(
        found.skipped.line().unwrap(),
        "left out: 3 files with other endings (.png 1, .pptx 1, no ending 1), 2 hidden files or folders, 1 empty folder, \
         1 recorded answer, 2 folders of results"
    );
    // A folder that is named is meant, and profiles that read images ask for their endings.
    let named = find_all(Wanted { arguments: vec![place.at("kept")], ..wanted.clone() });
    assert_eq!(ids(&named), ["b-result"]);
    let media = find_all(Wanted { endings: &["png"], ..wanted });
    assert_eq!(ids(&media), ["a", "b", "tape/note"]);
}

#[cfg(unix)]
#[test]
fn what_changes_while_a_folder_is_read_is_said_and_the_rest_goes_on() {
    let place = Place::with(&["a.txt", "b/x.txt", "c.txt", "d/y.txt", "target.txt"]);
    place.link("target.txt", "e.txt");
    let mut listing = Listing::new(Wanted { arguments: vec![place.at("")], ..Wanted::default() });
    let first = listing.next().unwrap().unwrap();
    assert_eq!(first.name(), "a");
    std::fs::remove_dir_all(place.at("b")).unwrap();
    std::fs::remove_file(place.at("c.txt")).unwrap();
    std::fs::remove_file(place.at("e.txt")).unwrap();
    place.write("d/z.txt", "new");
    place.write("a.txt", "changed");
    let rest: Vec<_> = listing.collect();
    assert!(matches!(&rest[0], Err(InputError::Vanished { path }) if path.ends_with("b")));
    // A plain file is inspected when it is read.
    assert!(matches!(
        rest[1].as_ref().unwrap().read(&DocumentReader::in_process()),
        Err(InputError::Io { .. })
    ));
    let names = |at: usize| rest[at].as_ref().unwrap().name();
    assert_eq!((names(2), names(3)), ("d/y", "d/z"));
    assert!(matches!(&rest[4], Err(InputError::Vanished { path }) if path.ends_with("e.txt")));
    assert_eq!(names(5), "target");
    assert_eq!(rest.len(), 6);
    assert_eq!(text(&first), "changed");
}

#[test]
fn a_pattern_finds_what_a_shell_would_and_more() {
    let place = Place::with(&[
        "r/a.txt",
        "r/b.md",
        "r/c.log",
        "r/x/a.txt",
        "r/x/y/d.txt",
        "r/.h/e.txt",
        "r/[1].txt",
        "r/s.jsonl",
    ]);
    place.write("r/s.jsonl", "{\"id\": \"one\", \"text\": \"first\"}\n");
    for (pattern, wanted) in [
        ("r/*.txt", &["[1]", "a"][..]),
        ("r/**/*.txt", &["[1]", "a", "x/a", "x/y/d"]),
        ("r/*.log", &["c"]),
        ("r/*", &["[1]", "a", "b", "one", "x/a", "x/y/d"]),
        ("r/*/a.txt", &["x/a"]),
        ("r/x*", &["x/a", "x/y/d"]),
        ("r/*.{md,log}", &["b", "c"]),
        ("r/[1].txt", &["[1]"]),
        ("r/*.jsonl", &["one"]),
    ] {
        let found = place.find(pattern);
        assert_eq!(ids(&found), wanted, "{pattern}");
        assert!(found.errors.is_empty(), "{pattern}: {}", said(&found, &place));
    }
    assert_eq!(place.find("r/*").skipped.with_other_endings(), 1);
    assert_eq!(place.find("r/*.txt").skipped.total(), 0);
    // One folder, two patterns; and what both mean is taken once.
    let both = find([place.at("r/*.txt"), place.at("r/a.*")]);
    assert_eq!((ids(&both), both.skipped.of(SkipReason::Again)), (vec!["[1]", "a"], 1));
    let wrong: Vec<String> =
        ["r/*.xml", "rr/*.txt", "r/[a"].iter().map(|pattern| said(&place.find(pattern), &place)).collect();
    insta::assert_snapshot!(wrong.join("\n"), @r"
    no file matches `r/*.xml`
      `*` and `?` stay within a name, `**/` matches any folders; hidden files are left out
    no file matches `rr/*.txt`
      there is no folder `rr`; check the spelling; names are relative to the working directory
    `r/[a` is neither a file nor a pattern: unclosed character class; missing ']'
      check the spelling; in patterns `*`, `?`, `[abc]`, `{a,b}` and `**/` mean something
    ");
}

#[test]
fn a_list_names_files_folders_and_records() {
    let place = Place::with(&["in/a.txt", "in/b.txt", "x/report.txt", "y/report.txt"]);
    place.write("in/s.jsonl", "{\"id\": \"one\", \"text\": \"first\"}\n");
    let at = |name: &str| place.at(name).display().to_string();
    let list = [
        format!("\u{feff}{}\r", at("x/report.txt")),
        String::new(),
        at("y/report.txt"),
        "   ".to_owned(),
        at("in"),
        "{\"id\": \"two\", \"text\": \"second\", \"document_type\": \"t\", \"variables\": {\"v\": \"w\"}}"
            .to_owned(),
        "{\"path\": \"x/report.txt\", \"id\": \"three\"}".to_owned(),
        at("in/s.jsonl"),
        at("in/a.txt"),
    ];
    place.write("list", list.join("\n"));
    let found = place.from("list");
    assert_eq!(said(&found, &place), "");
    let base = as_name(&place);
    let (x, y) = (format!("{base}/x/report"), format!("{base}/y/report"));
    assert_eq!(ids(&found), [x.as_str(), &y, "a", "b", "one", "two", "three"]);
    assert_eq!(found.skipped.of(SkipReason::Again), 2);
    let two = found.inputs[5].read(&DocumentReader::in_process()).unwrap();
    assert_eq!((two.document_type.as_deref(), two.variables["v"].as_str()), (Some("t"), "w"));
    assert_eq!(
        (text(&found.inputs[4]).as_str(), text(&found.inputs[6]).as_str()),
        ("first", "text of x/report.txt")
    );
    assert_eq!(found.inputs[5].identity(), format!("{}#two", at("list")));
    place.write("none", "\n\n");
    assert!(matches!(place.from("none").errors[..], [InputError::NoRecords { .. }]));
    assert!(matches!(place.from("nowhere").errors[..], [InputError::Missing { .. }]));
}

fn as_name(place: &Place) -> String {
    place.0.path().to_string_lossy().trim_start_matches('/').to_owned()
}

#[test]
fn a_bad_line_is_named_and_the_others_go_on() {
    let place = Place::with(&["a.txt", "f/b.txt", "s.jsonl"]);
    let long = format!("{{\"id\": \"long\", \"text\": \"{}\"}}", "word ".repeat(200_000));
    let lines = [
        "{\"id\": \"first\", \"text\": \"one\"}",
        "not json",
        "{\"id\": \"open\", \"text\": \"Secret",
        "{\"id\": \"x\", \"txt\": \"Secret\"}",
        "{\"id\": \"x\", \"text\": \"Secret\", \"path\": \"a.txt\"}",
        "{\"id\": \"first\", \"text\": \"again\"}",
        "{\"id\": \"x\", \"path\": \"none.txt\"}",
        "{\"id\": \"x\", \"path\": \"f\"}",
        "{\"id\": \"x\", \"path\": \"s.jsonl\"}",
        "{\"id\": \"x\", \"text\": \"Secret\", \"document_type\": \"patology\"}",
        "{\"id\": \"typed\", \"text\": \"two\", \"document_type\": \"pathology\"}",
        &long,
        "{\"path\": \"f/b.txt\"}",
        "{\"id\": \"last\", \"text\": \"three\"}",
    ];
    place.write("l.jsonl", format!("\u{feff}{}", lines.join("\r\n")));
    let wanted = Wanted {
        arguments: vec![place.at("l.jsonl")],
        document_types: Some(vec!["pathology".into(), "radiology".into()]),
        ..Wanted::default()
    };
    let found = find_all(wanted);
    assert_eq!(ids(&found), ["first", "typed", "long", "f/b", "last"]);
    let said = said(&found, &place);
    assert!(!said.contains("Secret"));
    insta::assert_snapshot!(said, @r#"
    `l.jsonl`, line 2: expected a JSON object
      a record is `{"id": …, "text": …}` or `{"id": …, "path": …}`, on one line
    `l.jsonl`, line 3: this is not JSON (column 30: EOF while parsing a string)
      a record is a JSON object on one line
    `l.jsonl`, line 4: unknown key `txt` in this record
      did you mean `text`?
    `l.jsonl`, line 5: the record has `text` and `path`: one of them is meant
      a record is `{"id": …, "text": …}` or `{"id": …, "path": …}`, on one line
    `l.jsonl`, line 6: the id `first` was given before
      each record needs an id of its own
    `l.jsonl`, line 7: there is no file `none.txt`
      paths in records are relative to the file that holds them, on standard input to the working directory
    `l.jsonl`, line 8: `f` is a folder
      name one document; folders are arguments, or lines of a list
    `l.jsonl`, line 9: `s.jsonl` holds a document on each line
      name one document; such files are arguments
    `l.jsonl`, line 10: no document type is called `patology`
      did you mean `pathology`? Known: `pathology`, `radiology`
    "#);
    let texts: Vec<usize> = found.inputs.iter().map(|input| text(input).len()).collect();
    assert_eq!(texts, [3, 3, 1_000_000, 15, 5]);
    // Another process reads the same.
    for input in &found.inputs {
        let kept = serde_json::to_string(&input.to_record()).unwrap();
        let again = Input::from_record(serde_json::from_str(&kept).unwrap());
        assert_eq!(
            again.read(&DocumentReader::in_process()).unwrap().digest,
            input.read(&DocumentReader::in_process()).unwrap().digest
        );
    }
}

#[test]
fn a_record_that_is_another_by_now_is_told_from_one_that_is_not() {
    let place = Place::with(&[]);
    let line = |id: &str, text: &str| format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}\n");
    place.write("l.jsonl", [line("a", "one"), line("b", "two")].concat());
    let found = place.find("l.jsonl");
    let second = &found.inputs[1];
    assert!(matches!(second.origin(), Origin::Record { line: 2, offset: 27, .. }), "{:?}", second.origin());
    let before = second.read(&DocumentReader::in_process()).unwrap().digest;
    place.write("l.jsonl", [line("a", "one"), line("b", "new")].concat());
    assert_ne!(second.read(&DocumentReader::in_process()).unwrap().digest, before);
    place.write("l.jsonl", [line("a", "one and more"), line("b", "two")].concat());
    assert!(matches!(second.read(&DocumentReader::in_process()), Err(InputError::Changed { .. })));
    std::fs::remove_file(place.at("l.jsonl")).unwrap();
    assert!(matches!(second.read(&DocumentReader::in_process()), Err(InputError::Io { .. })));
}

#[test]
fn files_of_records_that_hold_none_or_are_no_utf8_are_said() {
    let place = Place::with(&[]);
    place.write("empty.jsonl", "");
    place.write("wide.ndjson", b"\xff\xfe{\0\"\0");
    place.write("latin.jsonl", b"{\"id\": \"a\", \"text\": \"\xe4\"}\n{\"id\": \"b\", \"text\": \"x\"}\n");
    let found = find(["empty.jsonl", "wide.ndjson", "latin.jsonl"].map(|name| place.at(name)));
    assert_eq!(ids(&found), ["b"]);
    insta::assert_snapshot!(said(&found, &place), @r#"
    `empty.jsonl` names no documents
      write a path, or a record such as `{"id": …, "text": …}`, on each line
    `wide.ndjson`, line 1: it is UTF-16
      save it as UTF-8
    `latin.jsonl`, line 1: this is not JSON (column 22: invalid unicode code point)
      a record is `{"id": …, "text": …}` or `{"id": …, "path": …}`, on one line
    "#);
}

#[test]
fn records_of_two_files_and_a_file_of_one_name_keep_apart() {
    let place = Place::with(&["a.txt"]);
    for file in ["one.jsonl", "two.jsonl"] {
        place.write(file, "{\"id\": \"a\", \"text\": \"x\"}\n");
    }
    let found = find(["one.jsonl", "two.jsonl", "a.txt", "two.jsonl"].map(|name| place.at(name)));
    let folder = place.0.path().file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(ids(&found), ["a", "two/a", &format!("{folder}/a")]);
    assert_eq!(found.skipped.of(SkipReason::Again), 1);
}

#[test]
fn an_unreadable_folder_is_said_and_the_rest_goes_on() {
    // Root may read all; so it is a folder that was none any more when it was entered.
    let place = Place::with(&["a.txt", "b/c.txt", "d.txt"]);
    let mut listing = Listing::new(Wanted { arguments: vec![place.at("")], ..Wanted::default() });
    listing.next().unwrap().unwrap();
    std::fs::remove_dir_all(place.at("b")).unwrap();
    place.write("b", "a file");
    let rest: Vec<_> = listing.collect();
    assert!(rest[0].is_err());
    assert_eq!(rest[1].as_ref().unwrap().name(), "d");
}

#[test]
fn a_folder_of_results_that_is_made_meanwhile_is_left_out() {
    let place = Place::with(&["a/x.txt", "b.txt"]);
    let wanted =
        Wanted { arguments: vec![place.at("")], apart: vec![place.at("a/out")], ..Wanted::default() };
    let mut listing = Listing::new(Wanted { arguments: vec![place.at("b.txt"), place.at("")], ..wanted });
    listing.next().unwrap().unwrap();
    place.write("a/out/x-result.json", "{}");
    let names: Vec<String> = listing.by_ref().map(|input| input.unwrap().name().to_owned()).collect();
    assert_eq!((names, listing.skipped().of(SkipReason::Results)), (vec!["a/x".to_owned()], 1));
}

#[test]
fn many_files_of_one_name_in_as_many_folders_are_told_apart() {
    let place = Place::large();
    let count = 20_000;
    for number in 0..count {
        let folder = place.at(&format!("{number:05}"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("report.txt"), "x").unwrap();
    }
    let found = place.find("");
    let mut all = ids(&found);
    all.sort_unstable();
    assert_eq!((all.len(), all[0], all[count - 1]), (count, "00000/report", "19999/report"));
    // As a shell fills a pattern in.
    let arguments: Vec<PathBuf> = (0..count).map(|n| place.at(&format!("{n:05}/report.txt"))).collect();
    let found = find(&arguments);
    let all = ids(&found);
    assert_eq!((all.len(), all[0], all[count - 1]), (count, "00000/report.txt", "19999/report.txt"));
}
