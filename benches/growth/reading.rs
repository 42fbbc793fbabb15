//! Growth of the time to read a document with its length, hostile layouts included: `cargo bench -- reading`.

use super::{GROSSLY_WRONG, median};
use loopctl_ground::{Claim, Document, FieldNames, Known, Trust, Trusted, judge, read_claim};
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::{Duration, Instant};

const KILOBYTES: [usize; 3] = [10, 100, 1_000];
/// An exponent that is far more than a busy machine makes of what is linear.
const HOSTILE: f64 = 1.6;
/// Times below this say nothing of growth.
const SHORT: Duration = Duration::from_millis(5);

pub(crate) fn table() {
    println!("reading of a document, in microseconds (exponent against the size before)");
    println!("{:>24}{:>10}{:>22}{:>22}{:>22}", "", "KB", "rows and cells", "with clauses", "ten values");
    for (name, text) in [("table", rows as fn(usize) -> String), ("prose", prose)] {
        let mut before: Option<(usize, [Duration; 3])> = None;
        for kilobytes in KILOBYTES {
            let times = times(&text(kilobytes << 10));
            print_row(name, kilobytes, before, times);
            if let Some((less, shorter)) = before {
                for (shorter, longer) in shorter.into_iter().zip(times) {
                    let power = exponent((less, shorter), (kilobytes, longer));
                    assert!(power.exp2() <= GROSSLY_WRONG, "{name}: {kilobytes} KB by a power of {power:.2}");
                }
            }
            before = Some((kilobytes, times));
        }
    }
    println!("\nhostile layouts, a tenth and the whole");
    for (name, pieces, text) in hostile() {
        let (short, long) = (text(pieces / 10), text(pieces));
        let (less, more) = (times(&short), times(&long));
        let sizes = ((short.len() >> 10).max(1), (long.len() >> 10).max(1));
        print_row(name, sizes.0, None, less);
        print_row(name, sizes.1, Some((sizes.0, less)), more);
        for (less, more) in less.into_iter().zip(more) {
            // What takes next to no time is mostly that of new memory.
            let power = exponent((sizes.0, less.max(SHORT)), (sizes.1, more));
            assert!(power <= HOSTILE, "{name}: by a power of {power:.2}");
        }
    }
    println!();
}

fn print_row(name: &str, kilobytes: usize, before: Option<(usize, [Duration; 3])>, times: [Duration; 3]) {
    let cell = |at: usize, time: &Duration| {
        let grown =
            before.and_then(|(less, times)| Some(exponent((less, *times.get(at)?), (kilobytes, *time))));
        let grown = grown.map_or_else(String::new, |grown| format!(" ({grown:.2})"));
        format!("{:>22}", format!("{:.0}{grown}", time.as_secs_f64() * 1e6))
    };
    let cells: String = times.iter().enumerate().map(|(at, time)| cell(at, time)).collect();
    println!("{name:>24}{kilobytes:>10}{cells}");
}

#[expect(clippy::cast_precision_loss, reason = "sizes of texts are far below 2^52")]
fn exponent(less: (usize, Duration), more: (usize, Duration)) -> f64 {
    (more.1.as_secs_f64() / less.1.as_secs_f64()).ln() / (more.0 as f64 / less.0 as f64).ln()
}

/// The time to read rows and cells; to read the first clause; to judge ten values, by structure and by clause.
fn times(text: &str) -> [Duration; 3] {
    let timed = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let rows = median(|| timed(&mut || drop(black_box(Document::read(black_box(text))))));
    let yes = Value::Bool(true);
    let claim = Claim { key: "nowhere", synonyms: &[], item: None, value: &yes };
    let clauses = median(|| {
        let document = Document::read(text);
        timed(&mut || {
            black_box(read_claim(&document, &claim, Known::default(), trusted()));
        })
    });
    let record = json!({
        "margin": 3, "tumorMargin": "free", "date": "2024-03-05", "amount": 1440.0, "number": "7",
        "items": [{"description": "margin", "count": 3}, {"description": "tumor", "count": 7}],
    });
    let values = [("invasion", json!(true)), ("marginInvasion", json!(false)), ("tumor", json!("absent"))];
    let document = Document::read(text);
    let judged = median(|| {
        timed(&mut || {
            drop(black_box(judge(&document, &record, &FieldNames::default())));
            for (key, value) in &values {
                black_box(read_claim(
                    &document,
                    &Claim { key, synonyms: &[], item: None, value },
                    Known::default(),
                    trusted(),
                ));
            }
        })
    });
    [rows, clauses, judged]
}

/// Lines of a table, up to a number of bytes.
fn rows(bytes: usize) -> String {
    let mut text = String::from("Description        Number     Date             Amount\n");
    for at in 0.. {
        if text.len() >= bytes {
            break;
        }
        let (day, cents) = (at % 28 + 1, at * 7 % 100);
        text.push_str(&format!(
            "Steel beam {at:<8}{:>6}     2024-03-{day:02}    {at:>9}.{cents:02}\n",
            at % 90
        ));
    }
    text
}

/// Sentences, up to a number of bytes.
fn prose(bytes: usize) -> String {
    let mut text = String::new();
    for at in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&format!(
            "The margin of tumor {at} is free, {} mm from the deep one, and no lymphovascular invasion was identified.\nHer mother may have had a carcinoma of the left breast in {}.\n",
            at % 30,
            1950 + at % 70
        ));
    }
    text
}

type Layout = (&'static str, usize, fn(usize) -> String);

/// Layouts that only an attacker sends, with the number of their pieces.
fn hostile() -> [Layout; 6] {
    [
        ("one line of 10 MB", 150_000, |pieces| {
            (0..pieces)
                .map(|at| format!("The margin of tumor {at} is free, no invasion was seen in 3 of {at}. "))
                .collect()
        }),
        ("100,000 columns", 100_000, |pieces| {
            let row = |word: &str| (0..pieces).map(|at| format!("{word}  {at:<8}  ")).collect::<String>();
            format!("{}\n{}\n", row("margin"), row("tumor "))
        }),
        ("10,000 boxes", 10_000, |pieces| {
            (0..pieces).map(|at| format!("[ ] margin {at}  [x] invasion yes ")).collect()
        }),
        ("100,000 parentheses", 100_000, |pieces| format!("{}margin 3", "( ".repeat(pieces))),
        ("100,000 attributes", 100_000, |pieces| {
            format!("<a {}>3</a>", (0..pieces).map(|at| format!("margin=\"{at}\"")).collect::<String>())
        }),
        ("digits of two kinds", 100_000, |pieces| "１2".repeat(pieces)),
    ]
}

fn trusted() -> Trusted<'static> {
    Trusted { counts: Trust::shipped(), least: 0.95 }
}
