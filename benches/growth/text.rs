//! Growth of the time for an assessment with the text of its candidate, which is read and scored.

use super::{median, print_doublings};
use crate::documents::{pathology, shipped};
use loopctl::plan::{DocumentContext, Given};
use loopctl::score::Assessment;
use serde_json::{Value, json};
use std::time::Instant;

const KILOBYTES: [usize; 7] = [4, 8, 16, 32, 64, 128, 256];

pub(super) fn table() {
    let plan = shipped("clinical");
    let context = DocumentContext::named(&plan, "pathology", None);
    let mut assessor = context.assessor();
    let mut out = Assessment::default();
    for (name, values) in [("long", long as fn(usize) -> Value), ("many", many)] {
        let rows = KILOBYTES.map(|kilobytes| {
            let text = values(kilobytes << 10).to_string();
            let time = median(|| {
                let start = Instant::now();
                context.assess_text(&mut assessor, &text, Given::default(), &mut out).unwrap();
                start.elapsed()
            });
            (kilobytes, time)
        });
        print_doublings(&format!("growth of an assessment with a text of {name} values"), "KB", &rows);
    }
}

/// A candidate of about so many bytes, most of them in one value.
fn long(bytes: usize) -> Value {
    let mut candidate = pathology();
    let values = candidate.to_string().len();
    let text = "The margins are free of tumor. ";
    let times = bytes.saturating_sub(values) / text.len();
    if let Some(members) = candidate.as_object_mut() {
        members.insert("rawText".to_owned(), text.repeat(times).into());
    }
    candidate
}

/// A candidate of about so many bytes, with many short values.
fn many(bytes: usize) -> Value {
    let marker = |at: usize| json!({ "name": format!("marker {at}"), "result": "negative" });
    let one = marker(1000).to_string().len() + 1;
    let mut candidate = pathology();
    if let Some(members) = candidate.as_object_mut() {
        members.insert("rawText".to_owned(), Value::Null);
        members.insert("remarks".to_owned(), (0..bytes / one).map(marker).collect());
    }
    candidate
}
