//! Labels read from files and folders.

use crate::diag::Problems;
use crate::disk::{self, files_below};
use crate::experiment::evaluate::{LabelError, LabelMap, LabelRecord, read_json, read_json_line, read_table};
use crate::failure::Failure;
use crate::profile::read_text_file;
use crate::streams::Streams;
use crate::value::{ShownPath, sanitize_line};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Largest file of labels, in bytes.
const MOST_BYTES: u64 = 256 << 20;

/// The maximum depth of folders searched for labels.
const MOST_DEPTH: usize = 16;

/// The maximum number of unusable labels that are named.
const MOST_NAMED: usize = 20;

/// The ending of a file with one label, beside its document.
const LABELS: &str = ".labels.json";

/// Every label of a command.
#[derive(Default)]
pub struct LabelFiles {
    records: Vec<LabelRecord>,
    /// The folder of each record's file, in the same order.
    folders: Vec<PathBuf>,
    /// The files that were read.
    files: Vec<PathBuf>,
    /// `true` if something could not be read.
    pub is_broken: bool,
    refused: usize,
    /// `true` if some unusable file is text, so that a map may make labels of it.
    may_be_of_others: bool,
    /// `true` if an example of a map was shown.
    has_example: bool,
}

impl LabelFiles {
    /// Reads files and folders. Unusable labels are reported, and the rest is kept.
    ///
    /// # Errors
    /// When a file can't be read, or there is no label.
    pub fn read(paths: &[PathBuf], map: Option<&Path>, output: &mut Streams) -> Result<Self, Failure> {
        let map = map.map(|file| read_map(file, output)).transpose()?;
        let mut labels = LabelFiles::default();
        for path in paths {
            for file in files_of(path)? {
                labels.file(&file, map.as_ref(), output)?;
                labels.files.push(file);
            }
        }
        if let Some(more @ 1..) = labels.refused.checked_sub(MOST_NAMED) {
            output.say(&format!("  {more} more labels can't be used"));
        }
        let of_others = "labels of another form are read by `--columns MAP.yaml`; `docs/evaluate.md` says how, and how ours are written";
        if labels.records.is_empty() {
            let failure = Failure::broken("there are no labels");
            return Err(if labels.has_example { failure } else { failure.help(of_others) });
        }
        labels.check_clusters(output);
        if labels.may_be_of_others && map.is_none() && !labels.has_example {
            output.say(&format!("  help: {of_others}"));
        }
        Ok(labels)
    }

    /// Reports documents that labels put into several clusters. The first cluster that is named holds.
    fn check_clusters(&mut self, output: &mut Streams) {
        let mut known: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
        for record in &self.records {
            let Some(cluster) = &record.cluster else { continue };
            let (first, place) = *known.entry(&record.document).or_insert((cluster, &record.place));
            if first != cluster {
                self.is_broken = true;
                let word = output.err_paint.bad("error:");
                let message = format!(
                    "{}: the cluster of `{}` is `{cluster}`, and in {place} it is `{first}`, which holds",
                    record.place, record.document
                );
                output.say(&format!("{word} {}", sanitize_line(&message)));
            }
        }
    }

    /// The files that were read.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The records, each with the folder of its file.
    pub fn with_folders(&self) -> impl Iterator<Item = (&LabelRecord, &Path)> {
        self.records.iter().zip(self.folders.iter().map(PathBuf::as_path))
    }

    /// Takes the records out, leaving none.
    pub fn take(&mut self) -> Vec<LabelRecord> {
        std::mem::take(&mut self.records)
    }

    fn file(&mut self, file: &Path, map: Option<&LabelMap>, output: &mut Streams) -> Result<(), Failure> {
        let bytes = disk::read_input(file, MOST_BYTES)
            .map_err(|error| Failure::broken(format!("can't read the labels `{}`: {error}", file.shown())))?;
        let place = file.shown().into_owned();
        let (records, errors) = match ending(file).as_str() {
            _ if !is_text(&bytes) => {
                let message = "the file is not UTF-8 text; save it as UTF-8 (a workbook as CSV in UTF-8)";
                (Vec::new(), vec![LabelError::new(&place, message)])
            }
            "csv" | "tsv" => read_table(&bytes, map, &place),
            "jsonl" | "ndjson" => read_lines(&bytes, map, &place),
            _ => {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                read_json(&bytes, map, name.strip_suffix(LABELS), &place)
            }
        };
        let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
        self.folders.extend(records.iter().map(|_| folder.clone()));
        self.records.extend(records);
        self.may_be_of_others |= !errors.is_empty() && is_text(&bytes);
        for error in errors {
            self.is_broken = true;
            self.refused += 1;
            if self.refused <= MOST_NAMED {
                let word = output.err_paint.bad("error:");
                output.say(&format!("{word} {}", sanitize_line(&error.to_string())));
                for (at, line) in error.help.iter().enumerate() {
                    let line = sanitize_line(line);
                    output.say(&if at == 0 { format!("  help: {line}") } else { format!("  {line}") });
                }
                self.has_example |= !error.help.is_empty();
            }
        }
        Ok(())
    }
}

/// Returns whether a file is UTF-8 text. Text has no zero bytes; UTF-16 is full of them.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0)
}

fn read_lines(bytes: &[u8], map: Option<&LabelMap>, place: &str) -> (Vec<LabelRecord>, Vec<LabelError>) {
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match read_json_line(line, map, &format!("{place}, line {number}")) {
            Ok(record) => records.extend(record),
            Err(error) => errors.push(error),
        }
    }
    (records, errors)
}

fn read_map(file: &Path, output: &mut Streams) -> Result<LabelMap, Failure> {
    let mut problems = Problems::new();
    let map = read_text_file(file)
        .map_err(|problem| problems.push(problem))
        .ok()
        .and_then(|source| LabelMap::parse(&source, &mut problems));
    output.show(&problems);
    map.ok_or_else(|| Failure::usage(format!("the map of labels `{}` can't be used", file.shown())))
}

fn ending(file: &Path) -> String {
    file.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// The files that a path names: itself, or those in a folder.
fn files_of(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let found = files_below(path, "", MOST_DEPTH);
    if found.cut {
        return Err(Failure::broken(format!(
            "the folder `{}` has more than {} files",
            path.shown(),
            disk::MAX_ENTRIES
        ))
        .help("name the files with labels, or put them into one `.jsonl`"));
    }
    let named = |file: &PathBuf| file.to_string_lossy().ends_with(LABELS);
    let mut files: Vec<PathBuf> = if found.files.iter().any(named) {
        found.files.into_iter().filter(named).collect()
    } else {
        let endings = ["json", "jsonl", "ndjson", "csv", "tsv"];
        found.files.into_iter().filter(|file| endings.contains(&ending(file).as_str())).collect()
    };
    files.sort();
    if files.is_empty() {
        return Err(Failure::broken(format!("the folder `{}` has no labels", path.shown()))
            .help("labels are `.json`, `.jsonl` or `.csv` files"));
    }
    Ok(files)
}
