//! `loopctl review`: what people decide about the results of a run.

mod answers;
mod decisions;
mod queue;
mod worksheet;

use crate::workspace::{Ran, Workspace};
use serde_json::Value;
use std::path::Path;

/// A run of `clinical` over the three reports of the repository: two of them wait for a person.
fn reviewed_run() -> Workspace {
    let place = Workspace::new();
    let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/reports");
    for name in ["chest-x-ray", "liver-resection", "thyroid-resection"] {
        let name = format!("{name}.txt");
        place.write(&format!("reports/{name}"), std::fs::read(reports.join(&name)).unwrap());
    }
    run_again(&place).exits(3);
    place
}

fn run_again(place: &Workspace) -> Ran {
    place.run(&["run", "--quiet", "--profile", "clinical", "reports"])
}

/// A line of decisions.
fn decision(document: &str, field: &str, action: &str, after: Option<&str>) -> String {
    let mut line = serde_json::json!({ "document": document, "action": action, "after": after });
    if !field.is_empty() {
        line["field"] = field.into();
    }
    line.to_string()
}

/// Imports lines of decisions of a reviewer.
fn import(place: &Workspace, reviewer: &str, lines: &[String]) -> Ran {
    place.write("decided.jsonl", lines.join("\n"));
    place.run(&["review", "import", "decided.jsonl", "--reviewer", reviewer])
}

/// The output of `review show` for the thyroid report.
fn shown(place: &Workspace) -> Value {
    place.run_json(&["review", "show", "thyroid-resection", "--format", "json"])
}

/// A field of it.
fn field<'s>(shown: &'s Value, name: &str) -> &'s Value {
    let fields = shown["fields"].as_array().unwrap();
    fields.iter().find(|field| field["field"] == name).unwrap()
}

/// A worksheet as rows, each by column.
struct Table {
    header: csv::StringRecord,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(text: &str) -> Self {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let rows = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect());
        Table { rows: rows.collect(), header }
    }

    fn at(&self, column: &str) -> usize {
        self.header.iter().position(|name| name == column).unwrap()
    }

    fn row(&self, document: &str, field: &str) -> usize {
        let (of_document, of_field) = (self.at("document"), self.at("field"));
        self.rows.iter().position(|row| row[of_document] == document && row[of_field] == field).unwrap()
    }

    fn cell(&self, document: &str, field: &str, column: &str) -> &str {
        &self.rows[self.row(document, field)][self.at(column)]
    }

    fn fill(&mut self, document: &str, field: &str, cells: &[(&str, &str)]) {
        let row = self.row(document, field);
        for (column, cell) in cells {
            let at = self.at(column);
            self.rows[row][at] = (*cell).to_owned();
        }
    }

    fn written(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.header).unwrap();
        self.rows.iter().for_each(|row| writer.write_record(row).unwrap());
        writer.into_inner().unwrap()
    }
}
