//! A map of labels for a table, to be copied as an example.

use super::evaluation::Unmatched;
use crate::diag::nearest;
use crate::value::prose::first_listed;

/// The most columns that are listed, and the most that the example maps.
pub(super) const MOST_LISTED: usize = 20;
const MOST_MAPPED: usize = 5;

/// Usual names of a column that names documents.
const DOCUMENT_NAMES: [&str; 9] =
    ["document", "document_id", "doc", "doc_id", "file", "file_name", "filename", "report", "id"];
/// Usual names of a column whose values are shared by documents that belong together.
const CLUSTER_NAMES: [&str; 6] = ["cluster", "patient", "patient_id", "case", "case_id", "subject"];

/// Words that YAML reads as something other than text.
const YAML_WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// Two lines for a shell: one writes a map for a table with these columns, and one reads the labels with it. A user who
/// copies them fills in the right fields.
pub(super) fn example(columns: &[&str], file: &str) -> Vec<String> {
    let named: Vec<&str> = columns.iter().copied().filter(|column| !column.is_empty()).collect();
    let Some(document) = guessed(&named, &DOCUMENT_NAMES).or_else(|| named.first().copied()) else {
        return Vec::new();
    };
    let others = || named.iter().copied().filter(move |column| *column != document);
    let cluster = guessed(&others().collect::<Vec<_>>(), &CLUSTER_NAMES);
    let of_fields = others().filter(|column| Some(*column) != cluster).take(MOST_MAPPED);
    let fields: Vec<String> =
        of_fields.map(|column| format!("{{ field: {0}, from: {0} }}", quoted(column))).collect();
    let cluster = cluster.map(|column| format!("cluster: {}\\n", quoted(column))).unwrap_or_default();
    let map = map_beside(file);
    vec![
        "map the columns to fields of the profile in a file, for example:".to_owned(),
        format!(
            "  printf 'document: {}\\n{cluster}fields: [{}]\\n' > {map}",
            quoted(document),
            fields.join(", ")
        ),
        format!("  loopctl evaluate {} --columns {map}", for_shell(file)),
    ]
}

/// The advice for labels of fields that the profile does not have; `None` if there are none, or no field to suggest.
pub fn unknown_fields(unmatched: &Unmatched) -> Option<String> {
    let first = unmatched.fields.first()?;
    let known = first_listed(&unmatched.known_fields, MOST_LISTED);
    let meant = first.did_you_mean.as_ref().or(unmatched.known_fields.first())?;
    let named = &first.field;
    Some(format!(
        "labels name fields that the profile does not have, such as `{named}`: it has {known}; a map says which is \
         which: write `document: document` and `fields: [{{ field: {meant}, from: {named} }}]` to gold.map.yaml, and add `--columns \
         gold.map.yaml`",
    ))
}

/// The column that is called like one of these, or nearly so, in any case and with any separators.
fn guessed<'h>(columns: &[&'h str], known: &[&str]) -> Option<&'h str> {
    let plain = |name: &str| name.to_lowercase().replace([' ', '-', '.'], "_");
    let exact = known.iter().find_map(|known| columns.iter().find(|column| plain(column) == *known));
    exact
        .or_else(|| columns.iter().find(|column| nearest(&plain(column), known.iter().copied()).is_some()))
        .copied()
}

/// A name as YAML within single quotes of a shell and a format of `printf`.
fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_ /.-".contains(c))
        && !name.ends_with(' ')
        && !YAML_WORDS.contains(&name.to_lowercase().as_str());
    if is_plain {
        return name.to_owned();
    }
    let json = serde_json::Value::from(name).to_string();
    // A shell ends a text at a quote, and `printf` reads backslashes and percent signs.
    json.replace('\\', "\\\\").replace('%', "%%").replace('\'', "\\047")
}

/// The map for `labels/gold.csv` is `labels/gold.map.yaml`.
fn map_beside(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    for_shell(&format!("{stem}.map.yaml"))
}

fn for_shell(file: &str) -> String {
    let is_plain =
        !file.starts_with('-') && file.chars().all(|c| c.is_ascii_alphanumeric() || "_/.-".contains(c));
    if is_plain { file.to_owned() } else { format!("'{}'", file.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::super::label_map::LabelMap;
    use super::*;
    use crate::diag::{Problems, SourceFile};
    use std::collections::BTreeSet;

    #[test]
    fn the_columns_that_name_documents_and_clusters_are_guessed() {
        let [_, map, call] = &example(&["Patient ID", "Doc", "Grade", "pT"], "gold/a.csv")[..] else {
            panic!()
        };
        assert_eq!(
            map,
            r"  printf 'document: Doc\ncluster: Patient ID\nfields: [{ field: Grade, from: Grade }, { field: pT, from: pT }]\n' > gold/a.map.yaml"
        );
        assert_eq!(call, "  loopctl evaluate gold/a.csv --columns gold/a.map.yaml");
        assert!(example(&["", ""], "a.csv").is_empty());
    }

    /// The output of the shell line is a map.
    #[test]
    fn the_example_is_a_map_whatever_the_columns_are_called() {
        let columns = ["it's", "50 %: \"x\"", "a\\b", "ü", "- [", "null"];
        let [_, line, call] = &example(&columns, "it's.csv")[..] else { panic!() };
        assert_eq!(call, r"  loopctl evaluate 'it'\''s.csv' --columns 'it'\''s.map.yaml'");
        let format = line.trim().strip_prefix("printf '").unwrap().split_once("' > ").unwrap().0;
        assert!(!format.contains('\''), "{format}");
        let written = std::process::Command::new("printf").arg(format).output().unwrap().stdout;
        let written = String::from_utf8(written).unwrap();
        let mut problems = Problems::new();
        let map = LabelMap::parse(&SourceFile::new("m.yaml", written.clone()), &mut problems);
        assert!(map.is_some(), "{written}\n{problems:?}");
        let map = map.unwrap();
        let named: BTreeSet<&str> = map.columns().collect();
        assert_eq!(named, columns.into_iter().collect(), "{written}");
    }
}
