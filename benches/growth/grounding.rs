//! Growth of the time for grounding with the candidate and with the document.
//!
//! Each cell is a candidate that is assessed for the first time, by a new assessor: nothing is remembered. An exponent of 1 is
//! linear: ten times as much takes ten times as long.

use super::{GROSSLY_WRONG, median};
use crate::documents::{PATHOLOGY_REPORT, shipped};
use loopctl::plan::{DocumentContext, Given};
use loopctl::score::Assessment;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

const LEAVES: [usize; 4] = [10, 50, 200, 1_000];
const TEXT_KB: [usize; 4] = [3, 30, 300, 3_000];

/// The contents of a candidate's leaves, and their keys.
const KINDS: [(&str, Leaves); 5] = [
    ("as written, each leaf under a key of its own", Leaves { keys: Keys::Own, values: Values::Written }),
    ("as written, rows of five", Leaves { keys: Keys::Rows, values: Values::Written }),
    ("in capitals, rows of five", Leaves { keys: Keys::Rows, values: Values::Capitals }),
    ("not there, rows of five", Leaves { keys: Keys::Rows, values: Values::Absent }),
    ("not there, all words are, rows of five", Leaves { keys: Keys::Rows, values: Values::Turned }),
];

#[derive(Clone, Copy)]
struct Leaves {
    keys: Keys,
    values: Values,
}

#[derive(Clone, Copy)]
enum Keys {
    Own,
    Rows,
}

#[derive(Clone, Copy)]
enum Values {
    Written,
    Capitals,
    Absent,
    Turned,
}

pub(super) fn table() {
    let plan = shipped("clinical");
    let documents: Vec<DocumentContext> =
        TEXT_KB.iter().map(|kb| DocumentContext::named(&plan, "unknown", Some(&text(*kb)))).collect();
    println!("growth of one assessment, in microseconds (exponent against the leaves in the row above)");
    for (name, leaves) in KINDS {
        println!("\n{name}");
        let sizes: Vec<String> = TEXT_KB.iter().map(|kb| format!("{:>18}", format!("{kb} KB"))).collect();
        println!("{:>8}{}   against the text", "leaves", sizes.concat());
        let (mut above, mut first) = (None::<(usize, Vec<Duration>)>, None);
        for count in LEAVES {
            let candidate = leaves.candidate(count);
            let times: Vec<Duration> = documents.iter().map(|document| time(document, &candidate)).collect();
            let cells = times.iter().enumerate().map(|(at, time)| {
                let before = above.as_ref().and_then(|(count, times)| Some((*count, *times.get(at)?)));
                let grown = before.map(|(less, before)| exponent((less, before), (count, *time)));
                let grown = grown.map_or_else(String::new, |grown| format!(" ({grown:.2})"));
                format!("{:>18}", format!("{:.0}{grown}", time.as_secs_f64() * 1e6))
            });
            let along =
                times.windows(2).zip(TEXT_KB.windows(2)).filter_map(|(times, sizes)| match (times, sizes) {
                    ([few, more], [small, large]) => {
                        Some(format!("{:.2}", exponent((*small, *few), (*large, *more))))
                    }
                    _ => None,
                });
            let along: Vec<String> = along.collect();
            println!("{count:>8}{}   {}", cells.collect::<String>(), along.join(", "));
            let few = first.get_or_insert_with(|| (count, times.clone()));
            assert_not_steep(name, few, (count, &times));
            above = Some((count, times));
        }
    }
    println!();
}

#[expect(clippy::cast_precision_loss, reason = "counts of leaves and sizes of texts are far below 2^52")]
fn exponent(less: (usize, Duration), more: (usize, Duration)) -> f64 {
    (more.1.as_secs_f64() / less.1.as_secs_f64()).ln() / (more.0 as f64 / less.0 as f64).ln()
}

fn time(document: &DocumentContext, candidate: &Value) -> Duration {
    let mut out = Assessment::default();
    median(|| {
        let mut assessor = document.assessor();
        let start = Instant::now();
        document.assess(&mut assessor, candidate, Given::default(), &mut out);
        start.elapsed()
    })
}

/// Single cells of a busy machine are far off; from the fewest to the most leaves no text may be grossly so.
fn assert_not_steep(name: &str, few: &(usize, Vec<Duration>), many: (usize, &[Duration])) {
    if many.0 < few.0 * 10 {
        return;
    }
    for (kilobytes, (less, more)) in TEXT_KB.iter().zip(few.1.iter().zip(many.1)) {
        let power = exponent((few.0, *less), (many.0, *more));
        assert!(power.exp2() <= GROSSLY_WRONG, "{name}: {kilobytes} KB by a power of {power:.2}");
    }
}

/// Reports, one after the other, each with a word of its own.
fn text(kilobytes: usize) -> String {
    let mut text = String::with_capacity(kilobytes << 10);
    for at in 0.. {
        if text.len() >= kilobytes << 10 {
            break;
        }
        text.push_str(PATHOLOGY_REPORT);
        text.push_str(&format!("Addendum word{at}.\n"));
    }
    text
}

impl Leaves {
    /// A candidate of so many leaves: phrases from all over the report, of three to nine words and no two the same, so that fewer
    /// and more leaves have the same mix.
    fn candidate(self, count: usize) -> Value {
        let words: Vec<&str> = PATHOLOGY_REPORT.split_whitespace().collect();
        let phrase = |at: usize| {
            let (start, length) = (at * 37 % words.len(), 3 + (at / words.len() + at % words.len()) % 7);
            words.iter().cycle().skip(start).take(length).copied().collect::<Vec<_>>().join(" ")
        };
        let values = (0..count).map(|at| match self.values {
            Values::Written => phrase(at),
            Values::Capitals => phrase(at).to_uppercase(),
            Values::Absent => format!("{} quxzv{at}", phrase(at)),
            Values::Turned => phrase(at).split(' ').rev().collect::<Vec<_>>().join(" "),
        });
        let values: Vec<String> = values.collect();
        match self.keys {
            Keys::Own => {
                let members =
                    values.into_iter().enumerate().map(|(at, value)| (format!("field{at}"), value.into()));
                Value::Object(members.collect())
            }
            Keys::Rows => {
                let row = |row: &[String]| -> Value {
                    let names = ["structure", "remark", "detail", "state", "comment"];
                    let members = names
                        .iter()
                        .zip(row)
                        .map(|(name, value)| ((*name).to_owned(), value.as_str().into()));
                    Value::Object(members.collect::<Map<_, _>>())
                };
                json!({ "rows": values.chunks(5).map(row).collect::<Vec<_>>() })
            }
        }
    }
}
