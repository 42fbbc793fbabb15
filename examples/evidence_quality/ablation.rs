//! The worth of the parts of the rules: the change of the numbers of labelled sets when one of them is left out.

use super::{ASKED, ExpectedLabel, MeasuredQuality, QualityCase, assessed, cases_of, compiled};
use loopctl::profile::Library;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::read_to_string;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Groups of words that are looked up in names and values of fields only, and words without a meaning of their own:
/// they act as before, regardless of what a context takes away from the words of a text.
const BEYOND_CONTEXTS: [&str; 10] = [
    "role",
    "generic",
    "person-field",
    "silent",
    "result",
    "numerator",
    "denominator",
    "same",
    "plain",
    "apart",
];

/// A part of the rules, and the files as they are without it.
struct AblatedPart {
    name: String,
    files: Vec<(String, String)>,
}

/// The change of right and of wrong values that are verified.
type CountChange = (i64, i64);

/// Writes a table of what changes on the sets without each vocabulary, each group of words and each list of sections.
pub(crate) fn ablate(sets: &[PathBuf], profile: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let cases = sets.iter().map(|set| cases_of(set)).collect::<Result<Vec<_>, _>>()?;
    let library = Library::new(vec![PathBuf::from(".")]);
    let whole = verified(&cases, profile, &library)?;
    let mut parts = vocabularies()?;
    parts.extend(groups(&words_of(&cases))?);
    parts.extend(sections()?);
    let mut rows: Vec<(String, Vec<CountChange>)> = Vec::new();
    for AblatedPart { name, files } in parts {
        let without =
            files.iter().fold(library.clone(), |library, (name, text)| library.holding(name, text.as_str()));
        let left = verified(&cases, profile, &without).map_err(|error| format!("without {name}: {error}"))?;
        let changes = left.iter().zip(&whole).map(|(left, whole)| (left.0 - whole.0, left.1 - whole.1));
        rows.push((name, changes.collect()));
    }
    let matters = |changes: &[CountChange]| changes.iter().any(|change| *change != (0, 0));
    let worth = |changes: &[CountChange]| changes.iter().map(|(right, wrong)| right - wrong).sum::<i64>();
    rows.sort_by_key(|(_, changes)| (!matters(changes), worth(changes)));
    let row = |name: &str, cells: &[String]| format!("| {name} | {} |", cells.join(" | "));
    let names = sets.iter().map(|set| set.file_name().unwrap_or_default().to_string_lossy());
    let head: Vec<String> =
        names.flat_map(|name| ASKED.map(|(_, asked)| format!("{name}, {asked}"))).collect();
    writeln!(out, "{}\n| --- |{}", row("left out", &head), " ---: |".repeat(head.len()))?;
    let split = rows.partition_point(|(_, changes)| matters(changes));
    for (at, (name, changes)) in rows.iter().enumerate() {
        if at == split {
            writeln!(out, "{}", row("**changes nothing on any set:**", &vec![String::new(); head.len()]))?;
        }
        let cells: Vec<String> =
            changes.iter().map(|(right, wrong)| format!("{} / {}", signed(*right), signed(*wrong))).collect();
        writeln!(out, "{}", row(name, &cells))?;
    }
    Ok(())
}

/// Right and wrong values that are verified, by set, with quotes and without.
fn verified(
    cases: &[Vec<QualityCase>],
    profile: &str,
    library: &Library,
) -> Result<Vec<CountChange>, Box<dyn Error>> {
    let plan = compiled(profile, library)?;
    let measured = cases.iter().flat_map(|cases| assessed(&plan, cases));
    let count = |label| move |measured: &MeasuredQuality| measured.count(label, &["verified"]).cast_signed();
    Ok(measured
        .map(|measured| (count(ExpectedLabel::Right)(&measured), count(ExpectedLabel::Wrong)(&measured)))
        .collect())
}

fn signed(change: i64) -> String {
    if change == 0 { "0".to_owned() } else { format!("{change:+}").replace('-', "−") }
}

/// The vocabularies that rubrics list, a line for each: without one, they don't list it.
fn vocabularies() -> Result<Vec<AblatedPart>, Box<dyn Error>> {
    let rubrics = files("rules/rubrics")?;
    let mut parts = Vec::new();
    for (path, _) in files("rules/vocabularies")? {
        let name = Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let line = format!("\n  - {name}\n");
        let listing = rubrics.iter().filter(|(_, text)| text.contains(&line));
        let files: Vec<_> =
            listing.map(|(path, text)| (path.clone(), text.replacen(&line, "\n", 1))).collect();
        if !files.is_empty() {
            parts.push(AblatedPart { name: format!("vocabulary `{name}`"), files });
        }
    }
    Ok(parts)
}

/// The rules of a folder with their texts, but for their tests.
fn files(folder: &str) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".yaml") && !name.ends_with(".test.yaml") {
            let path = format!("{folder}/{name}");
            let text = read_to_string(&path)?;
            files.push((path, text));
        }
    }
    files.sort();
    Ok(files)
}

/// The groups of words of `clauses.txt`, which a context takes away from texts by its key `ignored`. A word loses all
/// that it does there, so a group that shares words with others is left out twice: with all of its words, and with
/// those that no other group has. Beginnings (`possib*`) are taken away as the words of the sets that have them. A
/// phrase does nothing then, and nor do its words. The groups of [`BEYOND_CONTEXTS`] stay, and so does the effect that
/// words of `absent`, `condition`, `distance`, `doubt`, `join`, `limit`, `past`, `person`, `present` and `side` have in
/// names and values of fields.
fn groups(texts: &BTreeSet<String>) -> Result<Vec<AblatedPart>, Box<dyn Error>> {
    let clauses = read_to_string("crates/ground/words/clauses.txt")?;
    let mut groups: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let lines = clauses.lines().filter(|line| !line.starts_with('#'));
    for (name, words) in lines.filter_map(|line| line.split_once(": ")) {
        let group = groups.entry(name).or_default();
        for word in words.split_whitespace() {
            match word.strip_suffix('*').filter(|beginning| !beginning.contains('_')) {
                Some(beginning) => {
                    group.extend(texts.iter().filter(|word| word.starts_with(beginning)).cloned());
                }
                None => _ = group.insert(word.replace('_', " ")),
            }
        }
    }
    groups.retain(|name, _| !BEYOND_CONTEXTS.contains(name));
    let context = read_to_string("rules/context.yaml")?;
    let without = |name: String, words: &[&String]| -> Result<AblatedPart, Box<dyn Error>> {
        let text = format!("{context}\nignored: {}\n", serde_json::to_string(words)?);
        Ok(AblatedPart { name, files: vec![("rules/context.yaml".to_owned(), text)] })
    };
    let mut parts = Vec::new();
    for (name, words) in &groups {
        let is_elsewhere =
            |word: &&String| groups.iter().any(|(other, words)| other != name && words.contains(*word));
        let (shared, own): (Vec<&String>, Vec<&String>) = words.iter().partition(is_elsewhere);
        let all: Vec<&String> = words.iter().collect();
        parts.push(without(format!("words `{name}`, all {}", all.len()), &all)?);
        if !own.is_empty() && !shared.is_empty() {
            parts.push(without(format!("words `{name}`, {} of no other group", own.len()), &own)?);
        }
    }
    Ok(parts)
}

/// The words of all documents, folded.
fn words_of(cases: &[Vec<QualityCase>]) -> BTreeSet<String> {
    let texts: BTreeSet<&str> = cases.iter().flatten().map(|case| case.text.as_str()).collect();
    let folded = texts.into_iter().map(loopctl_ground::folded);
    let is_between = |c: char| !c.is_alphanumeric() && c != '\'';
    folded.flat_map(|text| text.split(is_between).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The lists of sections of the context, each by its first heading.
fn sections() -> Result<Vec<AblatedPart>, Box<dyn Error>> {
    const ITEM: &str = "  - headings:\n";
    let context = read_to_string("rules/context.yaml")?;
    let mut pieces = context.split(ITEM);
    let before = pieces.next().unwrap_or_default();
    let lists: Vec<&str> = pieces.collect();
    let part = |(at, list): (usize, &&str)| {
        let heading = list.lines().next().unwrap_or_default().trim_start_matches([' ', '-']);
        let others = lists.iter().enumerate().filter(|(other, _)| *other != at);
        let text = others.fold(before.to_owned(), |text, (_, list)| text + ITEM + *list);
        AblatedPart {
            name: format!("sections `{heading}`, …"),
            files: vec![("rules/context.yaml".to_owned(), text)],
        }
    };
    Ok(lists.iter().enumerate().map(part).collect())
}
