//! Every fault at every API, through the command: how the run ends, how often the API was asked, and what is reported.
//! The outcomes are `docs/faults.md`; `LOOPCTL_UPDATE=1 cargo test --test it -- --include-ignored vendors::faults` writes it again.

use super::api::{Api, Problem};
use super::runs::{REPORT, key_variable, lacking, loopctl, whole};
use super::server::{Fault, Script, Setup, Vendor, When};
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const KEY: &str = "a-key-that-nobody-may-see";
const ALL: [Api; 3] = [Api::OpenAi, Api::Anthropic, Api::Gemini];
/// Runs in progress at the same time: most of them wait.
const WORKERS: usize = 6;

/// The required end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// `passed`, after so many calls.
    Passes(usize),
    /// The document ends with a failure that says why, after so many calls.
    Breaks(usize),
    /// The loop ends without a candidate that passes.
    FallsShort,
}

/// The parts that the messages about a failure must have.
type Says = &'static [&'static str];

/// A row of the table.
struct Row {
    name: &'static str,
    /// The APIs that it is tried at, if not all.
    apis: &'static [Api],
    faults: fn(&Api) -> Vec<(When, Fault)>,
    ends: Ends,
    says: Says,
    /// The answers of the model, instead of one whole extraction.
    script: fn() -> Vec<Value>,
    /// More arguments.
    more: &'static [&'static str],
    /// The key that is shown; `None` for none.
    key: Option<&'static str>,
    /// Added to the report.
    report: &'static str,
}

impl Row {
    fn new(name: &'static str, ends: Ends, says: Says, faults: fn(&Api) -> Vec<(When, Fault)>) -> Self {
        Row {
            name,
            apis: &ALL,
            faults,
            ends,
            says,
            script: || vec![whole()],
            more: &[],
            key: Some(KEY),
            report: "",
        }
    }
}

impl Row {
    /// Returns whether it is about the second request of a connection.
    fn faults_at_second(&self, api: &Api) -> bool {
        (self.faults)(api).iter().any(|(when, _)| *when == When::At(2))
    }
}

const HOSPITAL: &str = "Hôpital Saint-Éloi 🏥 𝔊 \u{200f}עברית";

/// Too short a time for a server that never answers, and enough for any machine to ask it.
const IMPATIENT: &[&str] = &["--config", "stages.*.deadline=2s"];

fn rows() -> Vec<Row> {
    use Ends::{Breaks, FallsShort, Passes};
    use When::{Always, At, Until};
    let corrected = || vec![lacking(), whole()];
    vec![
        Row::new("nothing is wrong", Passes(1), &[], |_| vec![]),
        Row::new("429 with `Retry-After: 1`, once", Passes(2), &["429"], |_| {
            vec![(At(1), Fault::RetryAfter(1))]
        }),
        Row::new("429 with `Retry-After` as a date, once", Passes(2), &["429"], |_| {
            vec![(At(1), Fault::RetryAfterDate(1))]
        }),
        Row::new("429 without `Retry-After`, once", Passes(2), &["429"], |_| {
            vec![(At(1), Fault::Error(Problem::TooMany { quota: false }))]
        }),
        Row::new("429 with `Retry-After: 3600`", Breaks(1), &["429", "max_retry_wait"], |_| {
            vec![(Always, Fault::RetryAfter(3600))]
        }),
        Row::new("429 with `Retry-After: 0`, always", Breaks(3), &["429"], |_| {
            vec![(Always, Fault::RetryAfter(0))]
        }),
        Row::new("the account's quota or credit is used up", Breaks(1), &["lan"], |_| {
            vec![(Always, Fault::Error(Problem::TooMany { quota: true }))]
        }),
        Row::new("500 twice, then fine", Passes(3), &["500"], |_| {
            vec![(Until(2), Fault::Error(Problem::Broken))]
        }),
        Row::new("500, always", Breaks(3), &["500"], |_| vec![(Always, Fault::Error(Problem::Broken))]),
        Row::new("overloaded (503, Anthropic's 529), once", Passes(2), &["verloaded"], |_| {
            vec![(At(1), Fault::Error(Problem::Overloaded))]
        }),
        Row::new("502 with a gateway's HTML page, once", Passes(2), &["502"], |_| {
            vec![(At(1), Fault::Gateway(502))]
        }),
        Row::new("408, once", Passes(2), &["408"], |_| vec![(At(1), Fault::Gateway(408))]),
        Row {
            more: IMPATIENT,
            ..Row::new("no first byte, ever (deadline 2s)", Breaks(3), &["within 2"], |_| {
                vec![(Always, Fault::Silent)]
            })
        },
        Row {
            more: &["--config", "network.first_byte_timeout=2s"],
            ..Row::new(
                "no first byte, ever (`network.first_byte_timeout: 2s`)",
                Breaks(3),
                &["within 2"],
                |_| vec![(Always, Fault::Silent)],
            )
        },
        Row::new("a body torn in the middle, once", Passes(2), &[], |_| vec![(At(1), Fault::Torn)]),
        Row::new("a body torn in the middle, always", Breaks(3), &[], |_| vec![(Always, Fault::Torn)]),
        Row::new("200 with half of the JSON, once", Passes(2), &["JSON"], |_| vec![(At(1), Fault::NotJson)]),
        Row::new("200 with HTML, always", Breaks(3), &["JSON"], |_| vec![(Always, Fault::Gateway(200))]),
        Row::new("a letter that is not UTF-8", Breaks(1), &["not UTF-8"], |_| vec![(Always, Fault::NotUtf8)]),
        Row::new("an answer that is compressed, which was not asked for", Breaks(1), &["`gzip`"], |_| {
            vec![(Always, Fault::Compressed)]
        }),
        Row::new("an empty `Content-Encoding`", Passes(1), &[], |_| vec![(Always, Fault::EmptyCoding)]),
        Row::new("an error beside the answer that says nothing (`{}`, code 0)", Passes(1), &[], |_| {
            vec![(Always, Fault::EmptyError)]
        }),
        Row::new("an error beside the answer, once", Passes(2), &["broke off"], |_| {
            vec![(At(1), Fault::ErrorBeside)]
        }),
        Row::new("half a surrogate pair (`\\ud83d`) beside the answer", Passes(1), &[], |_| {
            vec![(Always, Fault::HalfSurrogate)]
        }),
        Row::new("a byte order mark before the answer", Passes(1), &[], |_| vec![(Always, Fault::Marked)]),
        Row::new("200 with a stream of events, always", Breaks(1), &["streams its answer"], |_| {
            vec![(Always, Fault::Streams)]
        }),
        Row::new("JSON that was not asked for, once", Passes(2), &[], |_| vec![(At(1), Fault::OtherSchema)]),
        Row::new("JSON that was not asked for, always", FallsShort, &[], |_| {
            vec![(Always, Fault::OtherSchema)]
        }),
        Row::new("the model refuses", Breaks(1), &["refuses"], |_| vec![(Always, Fault::Refuses)]),
        Row::new("no choices, blocks or candidates, once", Passes(2), &["no"], |_| {
            vec![(At(1), Fault::Nothing)]
        }),
        Row::new("no choices, blocks or candidates, always", Breaks(3), &["no"], |_| {
            vec![(Always, Fault::Nothing)]
        }),
        // The same again would cost the same for the same.
        Row::new("cut at the token limit", Breaks(1), &["raise `max_tokens`"], |_| {
            vec![(Always, Fault::CutOff)]
        }),
        Row {
            script: || {
                let mut value = whole();
                value["institution"] = json!(HOSPITAL);
                value.as_object_mut().unwrap().remove("institution_status");
                vec![value]
            },
            report: "\nInstitution: Hôpital Saint-Éloi 🏥 𝔊 \u{200f}עברית\n",
            ..Row::new("all that is not ASCII escaped (`\\u00e9`, surrogate pairs)", Passes(1), &[], |_| {
                vec![(Always, Fault::Escaped)]
            })
        },
        Row::new("10 MB of space around the answer", Passes(1), &[], |_| {
            vec![(Always, Fault::Padded(10 << 20))]
        }),
        Row::new("20 MB of space around the answer", Breaks(1), &["16777216"], |_| {
            vec![(Always, Fault::Padded(20 << 20))]
        }),
        Row {
            // Assessing so much takes its time on a busy machine.
            more: &["--config", "stop.timeout=30m"],
            ..Row::new("10 MB of the same words in one field, once", Passes(2), &[], |_| {
                vec![(At(1), Fault::Huge("histology", 10 << 20))]
            })
        },
        Row::new("redirect to another host, without TLS", Breaks(1), &["redirect"], |_| {
            vec![(Always, Fault::Redirect("TRAP".to_owned()))]
        }),
        Row::new("the connection closed without an answer, once", Passes(2), &[], |_| {
            vec![(At(1), Fault::HangsUp)]
        }),
        Row {
            script: corrected,
            ..Row::new("a kept connection closed under its second request", Passes(3), &[], |_| {
                vec![(At(2), Fault::HangsUp)]
            })
        },
        Row {
            script: corrected,
            ..Row::new("a kept connection closed between two requests", Passes(2), &[], |_| {
                vec![(At(1), Fault::AnswersAndCloses)]
            })
        },
        Row {
            key: Some("a-key-of-yesterday"),
            ..Row::new("a key that is not valid", Breaks(1), &["KEY"], |_| vec![])
        },
        Row { key: None, ..Row::new("no key in the environment", Breaks(1), &["KEY"], |_| vec![]) },
        Row::new("403", Breaks(1), &["403"], |_| vec![(Always, Fault::Error(Problem::Forbidden))]),
        Row::new("404: no such model", Breaks(1), &["404", "any"], |_| {
            vec![(Always, Fault::Error(Problem::NoSuchModel("any".to_owned())))]
        }),
        Row::new("400", Breaks(1), &["400", "context window"], |_| {
            vec![(
                Always,
                Fault::Error(Problem::Malformed("the prompt is longer than the context window".to_owned())),
            )]
        }),
        Row { apis: &[Api::Azure], ..Row::new("Azure: nothing is wrong", Passes(1), &[], |_| vec![]) },
        Row {
            apis: &[Api::Azure],
            ..Row::new("Azure: no such deployment", Breaks(1), &["404", "deployment"], |_| {
                vec![(Always, Fault::Error(Problem::NoSuchModel("any".to_owned())))]
            })
        },
        Row {
            apis: &[Api::Azure],
            key: Some("a-key-of-yesterday"),
            ..Row::new("Azure: a key that is not valid", Breaks(1), &["AZURE_OPENAI_API_KEY"], |_| vec![])
        },
    ]
}

/// The outcome of a row at an API.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Outcome {
    status: String,
    reason: String,
    exit: Option<i32>,
    calls: usize,
    told: String,
}

/// Runs a row, and says what is wrong with its outcome.
fn run(row: &Row, api: Api, wrong: &mut Vec<String>) -> Outcome {
    let trap = TcpListener::bind("127.0.0.1:0").unwrap();
    trap.set_nonblocking(true).unwrap();
    // Another host by name, at another port.
    let elsewhere = format!("http://localhost:{}/v1", trap.local_addr().unwrap().port());
    let mut faults = (row.faults)(&api);
    for (_, fault) in &mut faults {
        if matches!(fault, Fault::Redirect(_)) {
            *fault = Fault::Redirect(elsewhere.clone());
        }
    }
    let script = Script::of((row.script)());
    let vendor = Vendor::start(Setup { api, key: Some(KEY.to_owned()), script, faults });
    let place = Workspace::new();
    place.write("liver-resection.txt", format!("{REPORT}{}", row.report));
    let provider = format!("{}:any", api.name());
    let mut arguments = vec!["run", "--profile", "clinical", "--provider", &provider, "--format", "json"];
    arguments.extend(row.more);
    arguments.push("liver-resection.txt");
    let ran = Ran::of(&mut loopctl(&place, api, &vendor, row.key, &arguments));
    let result: Value = serde_json::from_str(&ran.out).unwrap_or_default();
    let calls = vendor.calls();
    let port = |text: &str| {
        text.replace(&vendor.address().to_string(), "HOST")
            .replace(elsewhere.trim_end_matches("/v1"), "http://ELSEWHERE")
    };
    let told = port(&told(&result, &ran.err));
    let word = |key: &str| result[key].as_str().unwrap_or("none").to_owned();
    let outcome =
        Outcome { status: word("final_status"), reason: word("stop_reason"), exit: ran.code, calls, told };

    let mut complain = |what: String| wrong.push(format!("{} at {}: {what}", row.name, api.name()));
    let passed = outcome.status == "passed";
    let ended_well = match row.ends {
        Ends::Passes(calls) => passed && ran.code == Some(0) && outcome.calls == calls,
        Ends::Breaks(calls) => {
            !passed && ran.code == Some(1) && outcome.calls == calls && !outcome.told.is_empty()
        }
        Ends::FallsShort => !passed && ran.code == Some(3),
    };
    if !ended_well {
        complain(format!("must be {:?}, is {outcome:?}\n{}", row.ends, ran.err));
    }
    // The name of a key's variable depends on the API.
    let says = row.says.iter().map(|part| if *part == "KEY" { key_variable(api) } else { part });
    for part in says {
        if !outcome.told.contains(part) {
            complain(format!("`{part}` is not said: {}", outcome.told));
        }
    }
    let mut said = result["best_extraction"].clone();
    // The host's own.
    said.as_object_mut().map(|fields| fields.remove("rawText"));
    if passed && said != (row.script)().pop().unwrap_or_default() {
        complain(format!("the answer came out as {}", result["best_extraction"]));
    }
    if !vendor.complaints().is_empty() {
        complain(vendor.complaints().join("\n"));
    }
    let connections: Vec<usize> = vendor.seen().iter().map(|seen| seen.connection).collect();
    if row.faults_at_second(&api) && connections.get(1) != Some(&1) {
        complain(format!("the connection was not kept: {connections:?}"));
    }
    if trap.accept().is_ok() {
        complain("the redirect was followed".to_owned());
    }
    for key in [KEY, "a-key-of-yesterday"] {
        if ran.out.contains(key) || ran.err.contains(key) {
            complain("the key is shown".to_owned());
        }
    }
    outcome
}

/// The message about a failure: why the document ended, or why its first call failed.
fn told(result: &Value, err: &str) -> String {
    if let Some(detail) = result["detail"].as_str() {
        return detail.to_owned();
    }
    let failed = err.lines().find_map(|line| line.trim().strip_prefix("call failed:"));
    let error = || err.lines().find(|line| line.starts_with("error"));
    let usual = ["no pattern finds it, so it is declared absent", "cost"];
    let warned = || {
        let warnings = result["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
        warnings.into_iter().find(|warning| !usual.iter().any(|usual| warning.contains(usual)))
    };
    failed.or_else(error).or_else(warned).unwrap_or_default().trim().to_owned()
}

/// Cells of a Markdown table.
fn cells(cells: &[&str]) -> String {
    format!("| {} |\n", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
}

const HEAD: &str = "# How API failures end

How `loopctl run --profile clinical --provider openai:any` (`anthropic:any`, `gemini:any`) ends on
the report in the README when the API misbehaves. This page is written by
`LOOPCTL_UPDATE=1 cargo test --test it -- --include-ignored vendors::faults`, which asks loopback
servers that check each request against the vendors' documentation
([`tests/it/vendors`](https://github.com/loopctl/loopctl/blob/main/tests/it/vendors/mod.rs)); the
test fails when a row is no longer true.

*Calls* are the requests that reached the server. Exit status 0: passed, 1: something broke,
3: finished and not passed.

";

fn page(outcomes: &BTreeMap<(usize, usize), Outcome>, rows: &[Row]) -> String {
    let mut page = HEAD.to_owned();
    page.push_str(&cells(&["fault", "API", "ends as", "exit", "calls", "message"]));
    page.push_str("| --- | --- | --- | --- | --- | --- |\n");
    for (number, row) in rows.iter().enumerate() {
        let of_row: Vec<(Api, &Outcome)> = row
            .apis
            .iter()
            .enumerate()
            .filter_map(|(at, api)| Some((*api, outcomes.get(&(number, at))?)))
            .collect();
        let alike =
            of_row.len() > 1 && of_row.windows(2).all(|pair| matches!(pair, [(_, a), (_, b)] if a == b));
        let shown = if alike { of_row.get(..1).unwrap_or_default() } else { &of_row };
        for (at, (api, outcome)) in shown.iter().enumerate() {
            let ends = format!("{} ({})", outcome.status, outcome.reason);
            let exit = outcome.exit.map_or("killed".to_owned(), |code| code.to_string());
            page.push_str(&cells(&[
                if at == 0 { row.name } else { "" },
                if alike { "all" } else { api.name() },
                &ends,
                &exit,
                &outcome.calls.to_string(),
                &outcome.told.replace('\n', " "),
            ]));
        }
    }
    page
}

#[test]
#[ignore = "long"]
fn every_fault_at_every_api_ends_as_the_page_says() {
    let rows = rows();
    let tasks: Vec<(usize, usize, Api)> = rows
        .iter()
        .enumerate()
        .flat_map(|(number, row)| row.apis.iter().enumerate().map(move |(at, api)| (number, at, *api)))
        .collect();
    let (next, outcomes, wrong) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((number, at, api)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut found = Vec::new();
                    let outcome = run(&rows[*number], *api, &mut found);
                    outcomes.lock().unwrap().insert((*number, *at), outcome);
                    wrong.lock().unwrap().append(&mut found);
                }
            });
        }
    });
    let page = page(&outcomes.into_inner().unwrap(), &rows);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/faults.md");
    if std::env::var_os("LOOPCTL_UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} outcomes are wrong:\n{}", wrong.len(), wrong.join("\n"));
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let stale = kept.lines().zip(page.lines()).find(|(kept, found)| kept != found);
    assert!(
        kept == page,
        "docs/faults.md is stale: run `LOOPCTL_UPDATE=1 cargo test --test it -- --include-ignored vendors::faults`\n{stale:#?}"
    );
}
