//! `run --via batch`: loops over documents whose calls go out in waves, regardless of what befalls them on the way.

use crate::batch_server::{BatchServer, Fault, KEY, Shape};
use crate::workspace::{Ran, Workspace, until};
use assert_cmd::Command;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};

/// Two fields are asked for, one is found at first. A judge inspects each candidate.
const PROFILE: &str = "
name: waves
classify: null
network: { batch: allowed }
stages: [{ id: extract, provider: 'ENDPOINT:m1', prompt: ask.md, retries: 2 }]
judges: { tone: { provider: 'ENDPOINT:m1', prompt: judge.md } }
assess: { parts: { rubric: parts }, said: { judge: tone, score: /s } }
overall: { parts: 0.5, said: 0.5 }
accept: { overall: 0.9 }
stop: { max_iterations: 4 }
";

/// A folder with documents, a profile, and the vendor.
struct Table {
    place: Workspace,
    server: BatchServer,
    /// The number of times that each document was asked about, by stage.
    asked: Arc<Mutex<BTreeMap<String, usize>>>,
}

/// The model: a field more each time, and to the judge's question that all is well.
fn model(asked: &Arc<Mutex<BTreeMap<String, usize>>>) -> impl FnMut(&Value) -> Value + Send + 'static {
    let asked = Arc::clone(asked);
    move |body| {
        let text = body.to_string();
        let id = text.split("REPORT-").nth(1).map(|rest| rest[..3].to_owned()).unwrap();
        if text.contains("JUDGE") {
            *asked.lock().unwrap().entry(format!("{id} judge")).or_default() += 1;
            return json!({ "s": 1 });
        }
        let mut asked = asked.lock().unwrap();
        let times = asked.entry(id).or_default();
        *times += 1;
        match times {
            1 => json!({ "a": "1" }),
            2 => json!({ "a": "1", "b": "2" }),
            _ => json!({ "a": "1", "b": "2", "c": "3" }),
        }
    }
}

fn table(shape: Shape, documents: usize, faults: Vec<Fault>) -> Table {
    let asked = Arc::default();
    let server = BatchServer::start(shape, faults, model(&asked));
    let place = Workspace::new();
    let (_, endpoint) = server.names();
    place.write("profiles/waves.yaml", PROFILE.replace("ENDPOINT", endpoint));
    place.write("rules/rubrics/parts.yaml", "types: { unknown: { required: [a, b, c] } }\n");
    place.write("prompts/ask.md", "Find a, b and c.\n\n{{ source }}\n");
    place.write("prompts/judge.md", "JUDGE {{ candidate }} of {{ source }}\n");
    for number in 0..documents {
        place.write(&format!("docs/d{number}.txt"), format!("REPORT-{number:03}: one two three\n"));
    }
    Table { place, server, asked }
}

const RUN: [&str; 14] = [
    "run",
    "--profile",
    "waves",
    "--format",
    "jsonl",
    "--out",
    "out",
    "--via",
    "batch",
    "--batch-pause",
    "2ms",
    "--batch-tail",
    "0",
    "docs",
];

impl Table {
    fn environment(&self) -> [(&'static str, String); 2] {
        let (key, _) = self.server.names();
        let base = match key {
            "OPENAI_API_KEY" => "OPENAI_BASE_URL",
            "ANTHROPIC_API_KEY" => "ANTHROPIC_BASE_URL",
            _ => "GEMINI_BASE_URL",
        };
        [(key, KEY.to_owned()), (base, self.server.url())]
    }

    fn loopctl(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.loopctl(arguments);
        command.envs(self.environment());
        command
    }

    fn run(&self, more: &[&str]) -> Ran {
        Ran::of(&mut self.loopctl(&[&RUN[..], more].concat()))
    }

    fn resume(&self, more: &[&str]) -> Ran {
        Ran::of(&mut self.loopctl(&[&["resume"], more].concat()))
    }

    /// Starts the run, and kills it when the vendor sees a request that begins so; the vendor sees to that request all the
    /// same.
    fn killed_at(&self, request: &'static str, after: usize) {
        let child: Arc<Mutex<Option<Child>>> = Arc::default();
        let (victim, mut seen) = (Arc::clone(&child), 0);
        self.server.show(move |asked| {
            if asked.starts_with(request) {
                seen += 1;
                if seen > after
                    && let Some(child) = victim.lock().unwrap().as_mut()
                {
                    let _ = child.kill();
                    let _ = child.wait();
                }
            }
        });
        let mut process = self.place.process();
        process.args(RUN).envs(self.environment()).stdin(Stdio::null());
        process.stdout(Stdio::null()).stderr(Stdio::null());
        *child.lock().unwrap() = Some(process.spawn().unwrap());
        until("it was killed", || child.lock().unwrap().as_mut().and_then(|child| child.try_wait().unwrap()));
        self.server.show(|_| {});
    }

    /// Every document has passed, after three candidates, and no one was asked twice.
    #[track_caller]
    fn passed(&self, ran: &Ran, documents: usize) {
        let results = self.results();
        assert_eq!(results.len(), documents, "{}", ran.err);
        for result in &results {
            assert_eq!(
                (&result["final_status"], &result["iteration_count"]),
                (&json!("passed"), &json!(3)),
                "{result}"
            );
        }
        let asked = self.asked.lock().unwrap();
        assert_eq!(asked.len(), documents * 2);
        assert!(asked.values().all(|times| *times == 3), "{asked:?}");
        assert_eq!(self.server.complaints(), Vec::<String>::new());
    }

    fn results(&self) -> Vec<Value> {
        let names = self.place.names("out");
        let results = names.iter().filter(|name| name.ends_with("-result.json"));
        results.map(|name| self.place.json(&format!("out/{name}"))).collect()
    }

    /// Lines that were paid for, batches that were made, and calls that were made alone.
    fn counts(&self) -> (usize, usize, usize) {
        (self.server.paid(), self.server.batches(), self.server.online())
    }
}

#[test]
fn three_iterations_with_a_judge_go_out_in_six_waves() {
    for shape in [Shape::OpenAi, Shape::Anthropic, Shape::Gemini] {
        let table = table(shape, 5, vec![Fault::Polls(1)]);
        let ran = table.run(&[]).exits(0);
        table.passed(&ran, 5);
        assert_eq!(table.counts(), (30, 6, 0), "{shape:?}");
        assert_eq!(ran.out.lines().count(), 5);
        // Documents are at the vendor for no longer than they must, and nothing is left beside the journal.
        if shape == Shape::OpenAi {
            assert_eq!(table.server.files(), 0);
        }
        assert!(!table.place.names("out").iter().any(|name| name.ends_with(".jsonl")));
    }
}

#[test]
fn only_what_was_not_answered_is_sent_again() {
    let faults: [(Vec<Fault>, usize, &str); 6] = [
        (vec![Fault::LeftOut(1)], 31, "1 without a result"),
        (vec![Fault::Twice(1)], 30, "1 answered twice"),
        (vec![Fault::Unknown("unknown")], 30, "1 that no one asked for (`unknown`)"),
        (vec![Fault::Errored(1)], 30, "1 failed"),
        (vec![Fault::Garbled(1)], 31, "1 unreadable"),
        (vec![Fault::Torn(2)], 30, "tried again in"),
    ];
    for (faults, paid, said) in faults {
        let table = table(Shape::OpenAi, 5, faults.clone());
        let ran = table.run(&[]).says(&[said]);
        assert_eq!(table.results().len(), 5, "{}", ran.err);
        assert!(table.results().iter().all(|result| result["final_status"] == "passed"), "{}", ran.err);
        let extra = usize::from(
            faults != vec![Fault::Twice(1)] && !matches!(faults[0], Fault::Unknown(_) | Fault::Torn(_)),
        );
        let (was_paid, batches, online) = table.counts();
        // What is answered and left out is paid for, as the vendor sees it; the model then has said a field more.
        assert!(was_paid <= paid && online == 0, "{faults:?}: {was_paid}");
        assert!((6..=6 + 2 * extra).contains(&batches), "{faults:?}: {batches}");
    }
}

#[test]
fn of_a_batch_that_expires_the_rest_is_sent_again() {
    let table = table(Shape::OpenAi, 2, vec![Fault::ExpiredFrom(1)]);
    let ran = table.run(&["--quiet"]);
    // The vendor never gets to the rest: the retries of the profile are spent.
    assert_eq!(table.server.paid(), 1);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    table.server.behave(vec![]);
    let run = ["runs", "retry", "--journal", "out/journal.sqlite"];
    Ran::of(&mut table.loopctl(&run)).exits(0);
    table.resume(&["--journal", "out/journal.sqlite"]).exits(0);
    assert!(table.results().iter().all(|result| result["final_status"] == "passed"));
    // What was asked before is not asked again; of candidates that no judge inspected, none is inspected any more.
    let asked = table.asked.lock().unwrap();
    assert!(
        asked.iter().all(|(name, times)| *times == 3 || (*times == 2 && name.contains("judge"))),
        "{asked:?}"
    );
    assert_eq!(table.server.online(), 0);
}

#[test]
fn a_batch_whose_handle_was_lost_is_found_again() {
    for shape in [Shape::OpenAi, Shape::Anthropic, Shape::Gemini] {
        let table = table(shape, 4, vec![Fault::LosesHandle(2)]);
        let ran = table.run(&[]).exits(0).says(&["found, with 4 calls to be answered"]);
        table.passed(&ran, 4);
        assert_eq!(table.counts(), (24, 6, 0), "{shape:?}");
    }
}

#[test]
fn a_vendor_that_breaks_or_has_no_room_is_asked_again() {
    let table1 = table(Shape::OpenAi, 4, vec![Fault::Breaks(2), Fault::TooMany(3)]);
    let ran = table1.run(&[]).exits(0);
    table1.passed(&ran, 4);
    assert_eq!(table1.counts(), (24, 6, 0));
    let table2 = table(Shape::OpenAi, 4, vec![Fault::FailsWhole(1, true)]);
    let ran = table2.run(&[]).exits(0).says(&["failed"]);
    table2.passed(&ran, 4);
    assert_eq!((table2.server.paid(), table2.server.online()), (24, 0));
}

#[test]
fn a_batch_that_is_refused_leaves_documents_waiting_and_costs_no_more() {
    let table = table(Shape::OpenAi, 3, vec![Fault::FailsWhole(99, false)]);
    let ran =
        table.run(&[]).exits(1).says(&["no batch is waited for any more", "3 documents wait", "resume"]);
    assert_eq!((table.counts(), ran.out.as_str()), ((0, 1, 0), ""));
    // Without batches, if the user says so.
    let ran = table.resume(&["--via", "online"]).exits(0);
    table.passed(&ran, 3);
    assert_eq!(table.counts(), (0, 1, 18));
}

#[test]
fn what_is_killed_on_the_way_goes_on_and_nothing_is_paid_twice() {
    // While the lines are uploaded, so that there is no batch; while the batch is made, whose handle is lost; while it
    // is waited for; while its results are read; while it is deleted.
    let moments = [
        ("POST /v1/files", 0),
        ("POST /v1/files", 3),
        ("POST /v1/batches", 0),
        ("POST /v1/batches", 4),
        ("GET /v1/batches/", 0),
        ("GET /v1/batches/", 5),
        ("GET /v1/files/", 1),
        ("DELETE /v1/files/", 2),
    ];
    for (request, after) in moments {
        let table = table(Shape::OpenAi, 4, vec![Fault::Polls(1)]);
        table.killed_at(request, after);
        let ran = table.resume(&[]).exits(0);
        table.passed(&ran, 4);
        assert_eq!((table.server.paid(), table.server.online()), (24, 0), "{request} {after}: {}", ran.err);
    }
}

#[test]
fn a_batch_that_never_ends_is_cancelled_and_its_rest_made_online() {
    // What was done by then counts; what was not is made online, and so is the rest, for which there are too few calls.
    for (first_not_done, paid) in [(0, 0), (2, 2), (3, 3)] {
        let table = table(Shape::OpenAi, 3, vec![Fault::NeverEnds(1), Fault::CanceledFrom(first_not_done)]);
        let mut arguments = RUN.to_vec();
        arguments[12] = "10";
        arguments.extend(["--batch-wait", "30ms"]);
        let ran = Ran::of(&mut table.loopctl(&arguments)).exits(0).says(&["waited for", "made online"]);
        table.passed(&ran, 3);
        assert_eq!(table.counts(), (paid, 1, 18 - paid));
    }
}

#[test]
fn a_run_that_is_stopped_while_it_waits_is_gone_on_with_another_day() {
    let table = table(Shape::OpenAi, 3, vec![Fault::NeverEnds(1)]);
    let mut process = table.place.process();
    process.args(RUN).envs(table.environment());
    process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = process.spawn().unwrap();
    until("it waits", || {
        (table.server.seen().iter().filter(|seen| seen.starts_with("GET /v1/batches/")).count() > 2)
            .then_some(())
    });
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    until("it has ended", || child.try_wait().unwrap());
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("3 documents wait; resume with `loopctl resume"), "{said}");
    let shown =
        Ran::of(&mut table.loopctl(&["runs", "show", "--journal", "out/journal.sqlite", "--format", "json"]));
    assert_eq!(shown.json()["documents"]["parked"], 3);
    table.server.behave(vec![]);
    let ran = table.resume(&[]).exits(0);
    table.passed(&ran, 3);
    assert_eq!(table.counts(), (18, 6, 0));
}

#[test]
fn few_calls_are_made_online_after_the_first_wave() {
    let table = table(Shape::OpenAi, 3, vec![]);
    let mut arguments = RUN.to_vec();
    arguments[12] = "10";
    let ran = Ran::of(&mut table.loopctl(&arguments)).exits(0).says(&["3 calls left, made online"]);
    table.passed(&ran, 3);
    assert_eq!(table.counts(), (3, 1, 15));
}

#[test]
fn batches_are_refused_where_they_are_not_allowed_or_make_no_sense() {
    let table = table(Shape::OpenAi, 1, vec![]);
    let profile = table.place.read("profiles/waves.yaml");
    table.run(&["--record", "tape"]).exits(2).says(&["`--record` doesn't go with `--via batch`"]);
    table.run(&["--cache"]).exits(2).says(&["`--cache` doesn't go"]);
    table.run(&["--watch"]).exits(2).says(&["`--watch` doesn't go"]);
    table.run(&["-"]).exits(2).says(&["standard input"]);
    table.place.write("profiles/waves.yaml", profile.replace("batch: allowed", "batch: refused"));
    table.run(&[]).exits(2).says(&["doesn't allow batches", "network: { batch: allowed }"]);
    assert_eq!(table.server.seen(), Vec::<String>::new());
}

#[test]
fn a_provider_without_batches_is_asked_online_beside_one_that_has_them() {
    let table = table(Shape::OpenAi, 3, vec![]);
    let profile = table.place.read("profiles/waves.yaml");
    let judge = "judges: { tone: { provider: 'vllm:m1'";
    table
        .place
        .write("profiles/waves.yaml", profile.replace("judges: { tone: { provider: 'openai:m1'", judge));
    let mut command = table.loopctl(&RUN);
    command.env("VLLM_BASE_URL", table.server.url()).env("VLLM_API_KEY", KEY);
    let ran = Ran::of(&mut command).exits(0);
    table.passed(&ran, 3);
    assert_eq!(table.counts(), (9, 3, 9));
}

#[test]
fn who_stands_in_for_a_provider_that_failed_is_not_forgotten_over_a_wave() {
    // The first provider refuses every call for good.
    let refusing =
        BatchServer::start(Shape::Anthropic, (0..9).map(Fault::BadRequest).collect(), |_| json!({}));
    let table = table(Shape::OpenAi, 2, vec![]);
    let profile = table.place.read("profiles/waves.yaml");
    let chain = "id: extract, provider: ['anthropic:m1', 'openai:m1']";
    let plain = "id: extract, provider: 'openai:m1'";
    assert!(profile.contains(plain));
    table.place.write("profiles/waves.yaml", profile.replace(plain, chain));
    let mut command = table.loopctl(&RUN);
    command.env("ANTHROPIC_BASE_URL", refusing.url()).env("ANTHROPIC_API_KEY", KEY);
    let ran = Ran::of(&mut command).exits(0);
    table.passed(&ran, 2);
    assert_eq!(table.counts(), (12, 6, 0));
    assert_eq!((refusing.paid(), refusing.batches()), (0, 3));
}

#[test]
fn two_processes_share_a_run_and_one_sees_to_its_batches() {
    let table = table(Shape::OpenAi, 4, vec![Fault::NeverEnds(1)]);
    let start = |arguments: &[&str]| {
        let mut process = table.place.process();
        process.args(arguments).envs(table.environment()).stdin(Stdio::null());
        process.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut first = start(&RUN);
    let polled = |times: usize| {
        let looks = table.server.seen().iter().filter(|seen| seen.starts_with("GET /v1/batches/")).count();
        (looks > times).then_some(())
    };
    until("the first waits", || polled(2));
    let mut second = start(&["resume", "--journal", "out/journal.sqlite"]);
    let journal = loopctl::store::Journal::open(table.place.path("out/journal.sqlite")).unwrap();
    let run = journal.runs().unwrap().pop().unwrap().id;
    until("the second is there", || (journal.workers(&run, None).unwrap().len() == 2).then_some(()));
    // The process that sees to the batches is gone; the other then does it.
    first.kill().unwrap();
    first.wait().unwrap();
    table.server.behave(vec![]);
    assert!(until("it has ended", || second.try_wait().unwrap()).success());
    table.passed(&Ran { code: None, out: String::new(), err: String::new() }, 4);
    assert_eq!(table.counts(), (24, 6, 0));
}

#[test]
fn what_is_saved_is_said_and_a_budget_counts_the_price_of_batches() {
    let table = table(Shape::OpenAi, 2, vec![]);
    table.place.write(
        "prices.yaml",
        "prices:\n- { provider: openai, models: [m1], input: 10, output: 100, batch: 0.5, as_of: 2026-01-02 }\n",
    );
    let ran = table.run(&["--prices", "prices.yaml"]).exits(0);
    table.passed(&ran, 2);
    // 1000 and 100 tokens are 0.02 alone.
    for result in table.results() {
        let cost =
            result["usage"]["known_cost_usd"].as_f64().or(result["usage"]["cost_usd"].as_f64()).unwrap();
        assert!((cost - 0.06).abs() < 1e-9, "{}", result["usage"]);
    }
    let show = ["runs", "show", "--journal", "out/journal.sqlite"];
    let shown = Ran::of(&mut table.loopctl(&[&show[..], &["--format", "text"]].concat())).exits(0);
    assert!(shown.out.contains("12 calls in 6 batches, 0.12 USD less"), "{}", shown.out);
    let shown = Ran::of(&mut table.loopctl(&[&show[..], &["--format", "json"]].concat())).exits(0).json();
    assert_eq!(shown["batches"]["calls"], 12);
}

#[test]
fn a_budget_that_is_spent_ends_the_run_between_waves_and_a_larger_one_lets_it_go_on() {
    let table = table(Shape::OpenAi, 2, vec![]);
    let profile = table.place.read("profiles/waves.yaml");
    table.place.write("profiles/waves.yaml", format!("{profile}budget: {{ calls: 3 }}\n"));
    // Two candidates, and the judge's word on both.
    table.run(&[]).exits(1).says(&["the run's budget is spent: 2 documents are left", "loopctl resume"]);
    assert_eq!(table.asked.lock().unwrap().values().sum::<usize>(), 4);
    table.place.write("profiles/waves.yaml", format!("{profile}budget: {{ calls: 100 }}\n"));
    let ran = table.resume(&[]).exits(0);
    table.passed(&ran, 2);
}
